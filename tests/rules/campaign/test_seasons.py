"""Seasons: the computer for who is late, what is typed and told, how battles open, and who is asked."""

from collections.abc import Iterator

import pytest
from msgspec import structs

from bot.texts.i18n import Catalogue, Localizer, languages
from bot.texts.story import StoryBuilder
from rules.campaign import GAME
from rules.campaign.engine.events import NightAccounted, PortBesieged, PortFell
from rules.campaign.engine.orders import format_orders, parse_orders
from rules.campaign.engine.sea.maps import MAP_NAMES, sea_map
from rules.campaign.engine.sea.state import State
from rules.campaign.interface import game_flow
from rules.chance.dice import Dice
from rules.core.protocol import Draft, Request
from rules.core.registry import RULESETS
from rules.core.sides import letter_of
from tests.laws import invariants_campaign as laws
from tests.laws.invariants_campaign import SETUPS
from tests.laws.play import tape


def moments() -> Iterator[tuple[State, Request]]:
    """Yield the states and requests of some seasons."""
    for number in range(3):
        for turn in tape("campaign", number).turns:
            yield from ((turn.before, request) for request in turn.requests)


def test_the_computer_for_who_is_late_spends_talents_on_repairs_alone() -> None:
    """CA-14.1."""
    for state, request in moments():
        if request.kind == "orders":
            late = GAME.default_answer(state, request)
            assert (late.port_orders.build, late.gifts, late.spared, late.dice) == ((), (), None, None)


def test_a_draft_is_amended_by_what_is_typed() -> None:
    state = GAME.start(laws.SETUPS[0], Dice(seed="00")).state
    (request, *_) = GAME.pending_requests(state)
    home = state.position.home_city("A")
    sea = state.position.sea_map.sea_before(home)
    draft = GAME.type_text(state, request, Draft(), f"A1 A2: {sea} attack; repair all")
    draft = GAME.type_text(state, request, draft, "A2: kitér; kímél B")
    assert draft.text == f"A1: {sea} attack; A2: evade; repair all; spare B"
    position = state.position
    assert format_orders(parse_orders(position, "A", draft.text)) == draft.text


@pytest.mark.slow
def test_a_battle_opens_as_the_rules_lay_it_out() -> None:
    """CA-6.5, CA-6.8: in line abreast, the attackers to the south; optional until three turns later."""
    battles = [(state, request) for state, request in moments() if request.battle]
    assert battles
    for state, request in battles:
        assert request.optional == (state.position.turn < request.round + game_flow.MAX_BATTLE_TURNS)
        assert request.battle.setup.rounds == 6
        keepsakes = RULESETS[game_flow.BATTLE_SYSTEM].keepsakes
        assert keepsakes is None or not keepsakes.are_brought(request.battle.setup.options)


def test_who_is_asked_does_not_tell_what_somebody_has_left() -> None:
    """A captain without ports is asked, whether a fleet of theirs is hidden at sea, or nothing is left (CA-2.1)."""
    for setup in laws.SETUPS:
        state = GAME.start(setup, Dice(seed="00")).state
        for captain in state.position.captains:
            taken = {port: "" if owner == captain else owner for port, owner in state.position.ports.items()}
            hidden = structs.replace(state.position, ports=taken)
            bare = structs.replace(
                hidden,
                galleys=tuple(galley for galley in hidden.galleys if galley.captain != captain),
                talents={**hidden.talents, captain: 0},
            )
            asked = [GAME.pending_requests(structs.replace(state, position=position)) for position in (hidden, bare)]
            assert asked[0] == asked[1]
            assert [letter_of(request.seat) for request in asked[0]] == [*state.position.captains]


def test_what_own_fleets_did_and_where_they_lie_is_told_before_what_others_took() -> None:
    words = Localizer(Catalogue.load("en", "campaign"), {0: "Anna", 1: "Béla", 2: "Nell"})
    begun = GAME.start(SETUPS[1], Dice(seed="00")).events
    (lying,) = (words.event_text(event) for event in begun if event.seen_by == (0,))
    assert lying.startswith("Your galleys are: A1–A5 at ")
    taken = PortFell(map="gulf", port="TRO", by="C", was="")
    held = PortBesieged(map="gulf", port="SUN", owner="", by="A", nights=1, of=2)
    paid = NightAccounted(map="gulf", captain="A", income=4, talents=8)
    siege = "Anna besieges SUN Sounion and has 1 of the 2 galley-nights needed."
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
