"""The words of every game, and those that all share, say all that the code asks for, alike in every language."""

import re
from functools import cache
from typing import Annotated, Any, NamedTuple

import pytest
from msgspec import Meta, inspect

from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.speech import alt_text, log_pages, table_pages
from bot.texts.story import tell_story
from bot.texts.whole import event_types, example_events, playable_systems
from rules.chance.dice import Dice
from rules.core.protocol import Choices, Draft, Event, Request, Setup, Step
from rules.core.registry import RULESETS
from tests.catalogues import LAWS, own, source

GLOSSARY = {
    "captain": "kapit",
    "galley": "gály",
    "hull": "hajótest",
    "mast": "árboc",
    "match(?:es)?": "gyuf|mérkőzés",  # one of wood, or of two games
    "oar": "evez",
    "order": "parancs",
    "ram": "döf",
    "round": "kör",
    "rower": "evez|átrendez",
    "step": "lép",
}  # terms of the game's Hungarian rules: a text with one in English has its translation in Hungarian
OTHERWISE = {
    "game": "galley",  # the game's own name
    "game.short": "galley",
    "event.OrderOfPlaySet": "order",  # of play
    "request.orders.again": "order",  # names the turn where there is little room
    "say.undo_agreed": "captain",  # "everybody" will do
}  # texts that need not
STEPS = 8  # of a game whose story the test tells: its beginning and some of its rounds


EVENT_TYPES = [
    pytest.param(name, kind, id=f"{name}-{kind.cls.__name__}")
    for name, ruleset in RULESETS.items()
    for kind in event_types(ruleset)
]


@pytest.mark.parametrize("system", ["", *RULESETS], ids=["shared", *RULESETS])
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_words(law, system):
    assert not law(system), law.__doc__ or law.__name__


@pytest.mark.parametrize(("name", "kind"), EVENT_TYPES)
@pytest.mark.parametrize("language", languages())
def test_every_event_is_told(name, kind, language):
    words = Localizer(Catalogue.load(language, name), {0: "Anna", 1: "Béla"})
    for event in example_events(kind):
        assert words.event_text(event)
        assert words.headline_text(event)


class Told(NamedTuple):
    """A step of a game, and the requests after it."""

    step: Step
    asked: tuple[tuple[Request, tuple[tuple[Choices, Any], ...]], ...]
    """Each request, with what may be chosen and is seen before and after it is answered."""


@cache
def beginning(name: str) -> tuple[Told, ...]:
    """Return the first steps of a game of captains, which each language tells."""
    rules, steps = RULESETS[name], list[Told]()
    step = rules.start(Setup(system=name, teams=rules.seats({})), Dice(seed="5eed"))
    for _ in range(STEPS):
        answers, requests_and_choices = {}, []
        for request in rules.pending_requests(step.state):
            answer = rules.computer_answer(rules.view(step.state, request.seat), request, "5eed")
            answers |= {} if request.ahead else {request.id: answer}
            drafts = (Draft(""), Draft(rules.format_answer(request, answer)))
            choices_and_views = [
                (rules.draft_choices(step.state, request, draft), rules.view(step.state, request.seat, draft))
                for draft in drafts
            ]
            requests_and_choices.append((request, tuple(choices_and_views)))
        steps.append(Told(step, tuple(requests_and_choices)))
        step = rules.resolve(step.state, answers) if answers else step
    return tuple(steps)


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("language", languages())
def test_a_game_is_told_from_its_beginning(name, language):
    rules = RULESETS[name]
    words = Localizer(Catalogue.load(language, name), {seat: f"Captain {seat}" for seat in range(26)})
    for step, requests_and_choices in beginning(name):
        assert tell_story(words, step.events, None).headline
        assert log_pages(words, step.events, None) or all(event.seen_by is not None for event in step.events)
        if result := rules.result(step.state):
            assert words.say_text(result.reason)
        for request, choices_and_views in requests_and_choices:
            assert words.say(f"request.{request.kind}", round=request.round, **request.params)
            for choices, view in choices_and_views:
                tell_choices(words, choices)
                assert alt_text(words, view, step.events)
                assert table_pages(words, view)
        assert table_pages(words, rules.view(step.state, None))


def tell_choices(words: Localizer, choices: Choices) -> None:
    """Put every choice into words, and why it is forbidden."""
    for text in (*choices.lines, *choices.missing_parts):
        assert words.say_text(text)
    for group in choices.groups:
        assert words.say(f"group.{group.key}")
        for option in group.options:
            assert words.say_text(option.label)
            assert option.fault is None or words.fault_text(option.fault)


@pytest.mark.parametrize("term", GLOSSARY)
def test_things_are_called_as_in_the_games_hungarian_rules(term: str) -> None:
    files = ("", *RULESETS)
    english, hungarian = (
        {(name, key): text for name in files for key, text in own(language, name).items()} for language in ("en", "hu")
    )
    spoken = re.compile(rf"\b{term}s?\b", re.IGNORECASE)
    named = {
        key
        for key, text in english.items()
        if spoken.search(re.sub(r"\{[^}]*\}|\]\([^)]*\)|`war-galley [^`]*`", "", text))
    }
    assert named
    called = re.compile(GLOSSARY[term], re.IGNORECASE)
    assert {key for _, key in named if not called.search(hungarian[_, key])} == {
        key for key, word in OTHERWISE.items() if word == term
    }


class Taken(Event, frozen=True, kw_only=True):
    """An event of a scenario whose sides only its own file knows."""

    side: Annotated[str, Meta(examples=["venice", "genoa"])]
    count: int


def test_a_game_says_what_its_text_fields_may_hold():
    examples = example_events(inspect.type_info(Taken))
    assert [(event.side, event.count) for event in examples] == [("venice", 1), ("genoa", 1)]


def test_a_game_that_lives_elsewhere_brings_its_words_along(tmp_path, monkeypatch):
    known = RULESETS["forts"]
    words = tmp_path / "words_of_a_game_elsewhere"
    words.mkdir()
    for language, name in (("en", "Elsewhere"), ("hu", "Máshol")):
        po = re.sub(r'(msgid "game"\nmsgstr )".*"', rf'\1"{name}"', source(language, "forts"))
        (words / f"{language}.po").write_text(po, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    about = {"name": "elsewhere", "data_package": words.name, "__module__": type(known).__module__}
    monkeypatch.setitem(RULESETS, "elsewhere", type("Elsewhere", (type(known),), about)())
    assert [str(Catalogue.load(language, "elsewhere").say("game")) for language in languages()] == [
        "Elsewhere",
        "Máshol",
    ]
    assert {law.__name__: law("elsewhere") for law in LAWS if law("elsewhere")} == {}
    assert "elsewhere" in playable_systems()
    del about["data_package"]
    assert type("Elsewhere", (type(known),), about).data_package == "data.elsewhere"


@pytest.mark.parametrize(("language", "enemy"), [("en", "enemy"), ("hu", "ellen(ség|fél)")])
def test_why_a_game_is_over_is_told_to_both_sides_alike(language, enemy):
    """It stands below who has won, in the thread and in the panel of who has lost: whose enemy would it be?"""
    for name in RULESETS:
        shorts = {key: text for key, text in own(language, name).items() if re.fullmatch(r"reason\..*\.short", key)}
        assert shorts
        assert not {key: text for key, text in shorts.items() if re.search(enemy, text, re.IGNORECASE)}
