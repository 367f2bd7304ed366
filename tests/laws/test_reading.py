"""Orders, as panels show them in any language, are read back as the same orders when they are typed."""

import re
import tomllib
from importlib.resources import files
from typing import Any

import pytest

from bot.jobs import telling
from bot.jobs.drafts import TypedText, read_typed
from bot.presenters import panel
from bot.texts import reading
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.reading import SentenceReader
from rules.core.errors import OrderError
from rules.core.protocol import EMPTY_DRAFT, Draft, Request
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from tests.laws.length import times
from tests.laws.play import SYSTEMS, tape, tapes, words

EVERY = times(5, 1)
"""Of a game's positions, one in so many is looked at."""
UNTYPED = ("place", "fleet", "pace")
"""Kinds of request whose answers are shown in pictures and tables, and not in sentences."""

UNEQUAL = ("act ", "sequence ", "absent")
"""Beginnings of parts that name a squadron by its number or by its leader's ship, or that no line shows."""


def parts(answer: str) -> list[str]:
    return sorted(part for part in re.split(r"[;\n] *", answer) if part and not part.startswith(UNEQUAL))


@pytest.mark.parametrize(("system", "number"), tapes())
def test_orders_are_read_as_they_are_shown(system, number):
    game = tape(system, number)
    rules = game.rules
    for turn in game.turns[number % EVERY :: EVERY]:
        for request in turn.requests:
            if request.battle or request.id not in turn.answers or request.kind in UNTYPED:
                continue
            full = rules.format_answer(request, turn.answers[request.id])
            for language in words(system):
                lines = shown(rules, turn.before, request, full, language)
                if not orders_of(system, lines):
                    continue  # only buttons say what is chosen
                short_lines = panel.brief_orders(language, rules.draft_lines(turn.before, request, Draft(full)))
                for typed_lines in dict.fromkeys((tuple(lines), tuple(map(str, short_lines)))):
                    typed = TypedText("\n".join(typed_lines), language.names)
                    read = read_typed(rules, turn.before, request, EMPTY_DRAFT, typed).text
                    assert sorted(shown(rules, turn.before, request, read, language)) == sorted(lines)
                    answer = rules.format_answer(request, rules.parse_answer(turn.before, request, read))
                    assert parts(answer) == parts(full), typed_lines


@pytest.mark.parametrize(("system", "number"), tapes())
def test_orders_are_read_as_the_log_shows_them(system, number):
    """Answers whose sentences cannot be typed stand there in their notation."""
    game = tape(system, number)
    rules = game.rules
    for turn in game.turns[number % EVERY :: EVERY]:
        for request in turn.requests:
            if request.battle or request.optional or request.id not in turn.answers:
                continue
            full = rules.format_answer(request, turn.answers[request.id])
            sentences = telling.answer_lines(rules, turn.before, request, full)
            for language in words(system):
                notation = language.say("log.orders_notation", who=request.seat, text=full).split("`")[1]
                lines = [str(language.say_logged(line)) for line in sentences] or [notation]
                if sentences and not orders_of(system, lines):
                    continue  # nothing was ordered
                typed = TypedText("\n".join(lines), language.names)
                read = read_typed(rules, turn.before, request, EMPTY_DRAFT, typed).text
                answer = rules.format_answer(request, rules.parse_answer(turn.before, request, read))
                assert parts(answer) == parts(full), lines


def orders_of(system: str, lines: list[str]) -> str:
    """Return lines without those that order nothing."""
    reader = SentenceReader.load(system)
    assert reader is not None
    return "".join(notation if (notation := reader.read_lines(line)) is not None else line for line in lines)


def shown(rules: Ruleset[Any], state: Any, request: Request, text: str, language: Localizer) -> list[str]:
    return [str(language.say_text(line)) for line in rules.draft_lines(state, request, Draft(text))]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_sentence_with_a_notation_is_one_of_the_game(system):
    path = files(RULESETS[system].data_package) / "notation.toml"
    keys = tomllib.loads(path.read_text(encoding="utf-8")).keys() - {"replacements"}
    assert keys <= Catalogue.load("en", system).messages.keys()


@pytest.mark.parametrize("system", SYSTEMS)
def test_explanations_below_orders_order_nothing(system):
    """Otherwise the log would show the orders in their notation."""
    path = files(RULESETS[system].data_package) / "notation.toml"
    notations = tomllib.loads(path.read_text(encoding="utf-8"))
    messages = Catalogue.load("en", system).messages
    explanations = [key for key, text in messages.items() if key.startswith("outcome.") and text.startswith("↳")]
    assert {key: notations.get(key) for key in explanations} == dict.fromkeys(explanations, "")


@pytest.mark.parametrize("system", [system for system in SYSTEMS if SentenceReader.load(system)])
@pytest.mark.parametrize("separator", [", ", " and ", " és "])
def test_a_list_of_twice_as_many_items_takes_no_more_than_a_few_times_the_work(
    system: str, separator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If each way to cut a list were tried, the work would double with each item, and a message could stall the bot."""
    reader = SentenceReader.load(system)
    assert reader
    work: list[int] = []
    read_cuts = reading._LanguageReader._read_cuts
    monkeypatch.setattr(reading._LanguageReader, "_read_cuts", lambda *args: work.append(1) or read_cuts(*args))
    for item in ("stay", "ahead 2", "zz"):
        counts = []
        for items in (8, 16, 32):
            work.clear()
            reader.read_lines(f"A1: {separator.join([item] * items)}, zz")
            counts.append(len(work))
        assert counts[2] <= 10 * counts[1] + 10, counts


@pytest.mark.game("campaign")
@pytest.mark.parametrize("language", [0, 1])
def test_places_are_read_by_code_by_name_and_by_both_in_any_language(language):
    game = tape("campaign", 0)
    position = game.turns[0].before.position
    request = next(each for each in game.turns[0].requests if not each.battle)
    galley = position.galleys_of("ABCDEFGH"[request.seat])[0]
    code = position.sea_map.places[galley.place].legs[0]
    name = words("campaign")[language].say(f"place.{position.map}.{code}")
    for place in (code, name, f"{code} {name}", f"{code} {name} > {galley.place}"):
        for text in (
            f"{galley.id}: {place} attack",
            f"{galley.id} > {place}, attack",
            f"{galley.id} → {place}, támad",
        ):
            read = read_typed(game.rules, game.turns[0].before, request, EMPTY_DRAFT, TypedText(text, {})).text
            route = f"{code} > {galley.place}" if ">" in place else code
            assert read == f"{galley.id}: {route} attack", text


@pytest.mark.game("campaign")
def test_a_sentence_with_a_place_that_is_not_there_is_not_read_without_it():
    game = tape("campaign", 0)
    request = next(each for each in game.turns[0].requests if not each.battle)
    galley = game.turns[0].before.position.galleys_of("ABCDEFGH"[request.seat])[0]
    code = game.turns[0].before.position.sea_map.places[galley.place].legs[0]
    typed = TypedText(f"{galley.id}: row to {code} > {galley.place} and attack", {})
    with pytest.raises(OrderError):
        read_typed(game.rules, game.turns[0].before, request, EMPTY_DRAFT, typed)
