"""The campaign has its words in every language, though it isn't listed yet: the catalogue's tests hold listed games."""

from __future__ import annotations

import pytest

from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.story import StoryBuilder
from bot.texts.whole import all_templates, event_types, example_events, fields_of
from rules.campaign import GAME
from rules.campaign.engine.events import NightAccounted, PortBesieged, PortFell
from rules.campaign.engine.sea.maps import MAP_NAMES, sea_map
from rules.chance.dice import Dice
from rules.core.protocol import EMPTY_DRAFT
from tests.laws.invariants_campaign import SETUPS


@pytest.mark.parametrize("language", languages())
def test_every_event_is_told(language: str) -> None:
    words = Localizer(Catalogue.load(language, "campaign"), {0: "Anna", 1: "Béla"})
    for kind in event_types(GAME):
        for event in example_events(kind):
            assert words.event_text(event)


def test_languages_say_the_same_of_the_same() -> None:
    first, *others = [all_templates(Catalogue.load(language, "campaign")) for language in languages()]
    for other in others:
        assert other.keys() == first.keys()
        assert {key for key in first if fields_of(first[key]) != fields_of(other[key])} == set()


def test_what_own_fleets_did_and_where_they_lie_is_told_before_what_others_took() -> None:
    words = Localizer(Catalogue.load("en", "campaign"), {0: "Anna", 1: "Béla", 2: "Nell"})
    begun = GAME.start(SETUPS[1], Dice(seed="00")).events
    (lying,) = (words.event_text(event) for event in begun if event.seen_by == (0,))
    assert lying.startswith("Your galleys are: A1–A5 at ")
    taken = PortFell(map="gulf", port="TRO", by="C", was="")
    held = PortBesieged(map="gulf", port="SUN", by="A", nights=1, of=2)
    paid = NightAccounted(map="gulf", captain="A", income=4, talents=8)
    siege = "Anna besieges Sounion and has 1 of the 2 galley-nights needed."
    gist = StoryBuilder.build(words, (held, taken, paid, *begun), 0).summarise()
    assert gist.own_news[0].startswith(f"{siege} Your galleys are: ")
    assert gist.others_news == words.headline_text(taken)
    assert gist.own_news[-1] == siege


@pytest.mark.parametrize("language", languages())
def test_every_place_has_a_name(language: str) -> None:
    words = Localizer(Catalogue.load(language, "campaign"))
    for name in MAP_NAMES:
        many = 2 if name == "gulf" else 8
        names = [words.say(f"place.{name}.{code}") for code in sea_map(name, many).places]
        assert len({*names}) == len(names), name


@pytest.mark.parametrize("language", languages())
def test_what_a_panel_shows_has_words(language: str) -> None:
    words = Localizer(Catalogue.load(language, "campaign"), {seat: f"Captain {seat}" for seat in range(8)})
    state = GAME.start(SETUPS[1], Dice(seed="00")).state
    for request in GAME.pending_requests(state):
        if request.kind != "orders":
            continue
        draft = GAME.type_text(state, request, EMPTY_DRAFT, "repair all; spare none")
        choices = GAME.draft_choices(state, request, draft)
        assert words.say(f"request.{request.kind}", round=request.round, **request.params)
        for group in choices.groups:
            assert words.say(f"group.{group.key}")
            assert all(words.say_text(option.label) for option in group.options)
        assert all(words.say_text(line) for line in choices.lines)
        view = GAME.view(state, request.seat)
        assert words.say_text(view.phase)
        assert all(words.say_text(piece.place) for piece in view.pieces)
