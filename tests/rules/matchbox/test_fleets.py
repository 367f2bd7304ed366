"""Fleets that are built for points in secret, and games with special vessels (MX-2, MX-4)."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest

from bot.discord.ids import CustomId
from bot.discord.messages import choosing
from bot.discord.messages.board import SelectMenu
from bot.presenters.panel import brief_orders
from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup, Step
from rules.matchbox.engine.events import (
    FireCaught,
    FireExtinguished,
    FireShipSpent,
    FireShipStruck,
    FleetRevealed,
    GalleyPlaced,
    GameWon,
    ShipSunk,
)
from rules.matchbox.engine.points import BUDGETS
from tests.rules.matchbox.play import GAME, answered

SEED = "0123" * 16
WORDS = Localizer(Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben"})


def begin(**options: str) -> Step:
    return GAME.start(GAME.with_edition(Setup(system="matchbox", teams=(0, 1), options=options)), Dice(SEED))


def carried_out(position: str, *orders: str) -> Step:
    state = GAME.start(Setup(system="matchbox", teams=(0, 1), position=position), Dice(SEED)).state
    return answered(state, *orders)


def of(step: Step, kind: type) -> list[Any]:
    return [event for event in step.events if isinstance(event, kind)]


def test_without_switches_nobody_is_asked_for_a_fleet_and_nothing_of_it_is_written():
    state = begin().state
    assert {request.kind for request in GAME.pending_requests(state)} == {"place"}
    assert not {"points", "vessels", "crews", "builds", "first", "ready"} & set(msgspec.to_builtins(state))


@pytest.mark.parametrize(
    ("options", "text", "code"),
    [
        ({"points": "36"}, "5 8h", "no_vessels"),
        ({"points": "36"}, "5{r}", "no_crews"),
        ({"points": "36", "crews": "on"}, "6{rmbp}", "too_many_promotions"),
        ({"points": "36", "crews": "on"}, "6{rx}", "bad_manned_build"),
        ({"points": "36"}, "7", "bad_build"),
        ({"points": "36"}, "galleys!", "bad_build"),
        ({"points": "36"}, "prize ask; losses ask", "standing_early"),
        ({"points": "36"}, "+", "bad_build"),
        ({"points": "36"}, "-5", "no_such_vessel_in_fleet"),
        ({"vessels": "on", "galleys": "3"}, "8h 5", "too_few_vessels"),
        ({"vessels": "on", "galleys": "2"}, "8h 5 5", "too_many_vessels"),
    ],
)
def test_a_fleet_that_may_not_be_brought_is_refused(options, text, code):
    state = begin(**options).state
    (request, _) = GAME.pending_requests(state)
    with pytest.raises(OrderError) as refused:
        GAME.parse_answer(state, request, text)
    assert refused.value.fault.code == code


@pytest.mark.parametrize(
    ("before", "typed", "after"),
    [
        ("", "5/3, 8/4h", "5 8h"),
        ("", "3x5", "5 5 5"),
        ("", "2 × 6{ rm }", None),
        ("5 5", "+6", "5 5 6"),
        ("5 8h", "-8h +4t", "5 4t"),
        ("5 8h", "6", "6"),
        ("5 5 5", "-2x5", "5"),
        ("5 5 5", "-3x5", ""),
        ("5 5 6", "-5 -6", "5"),
        ("5", "+2x6/2", "5 6 6"),
        ("", "8/4h 5/2s", "8h 5s"),
    ],
)
def test_a_fleet_is_typed_whole_or_changed_by_vessels(before, typed, after):
    state = begin(points="36", vessels="on", crews="on").state
    (request, _) = GAME.pending_requests(state)
    if after is None:
        with pytest.raises(OrderError):
            GAME.type_text(state, request, Draft(before), typed)
    else:
        assert GAME.type_text(state, request, Draft(before), typed).text == after


def offered(state, draft=""):
    """Return the choices of the first captain, their blocks, and the descriptions in lists by label."""
    ref = CustomId(verb="x", game=1)
    choices = GAME.draft_choices(state, GAME.pending_requests(state)[0], Draft(draft))
    blocks = choosing.option_blocks(
        WORDS, choices.groups, choosing.CustomIdFactory(for_option=lambda _: ref, for_select=lambda _: ref)
    )
    lists = [block for block in blocks if isinstance(block, SelectMenu)]
    return choices, blocks, {pick.label: pick.description for menu in lists for pick in menu.options}


def test_lists_say_code_name_and_price_and_what_a_vessel_does_and_a_ready_fleet_in_words():
    choices, blocks, picks = offered(begin(points="36", vessels="on", crews="kept").state)
    assert (
        picks["4f · fire ship 4/0: 5 points"]
        == "sets fire to any hull that her bow strikes, friend or enemy, and is lost"
    )
    assert picks["Heavy: 8h 5s 4f 4f (36)"] == "heavy galley 8/4, scout 5/2, and 2 × fire ship 4/0"
    assert all(picks.values())
    assert any("no crew of your own yet" in WORDS.say_text(line) for line in choices.lines)
    buttons = [button.label for block in blocks if isinstance(block, list) for button in block]
    assert "Clear" not in buttons, "there is nothing to clear"


def test_a_vessel_that_is_too_dear_still_says_what_she_does():
    _, _, picks = offered(begin(points="36", vessels="on").state, "5 5")
    assert picks["6 · 6/2: 10 points"] == "6 oars a side, 2 masts: rows farthest, fires least"
    dear = "You don't have enough points left for that · twice as long, turns slowly; her ram does 1 more damage"
    assert picks["8h · heavy galley 8/4: 18 points"] == dear


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("-4x5", "no_such_vessel_in_fleet"),
        ("9x3m", "too_many_vessels"),
        ("20x3m", "fleet_too_dear"),
        ("0x5", "bad_build"),
        ("6/4", "bad_build"),
        ("4/6", "bad_build"),
        ("5/3/3", "bad_build"),
        ("8h/2", "bad_build"),
    ],
)
def test_what_is_not_there_is_refused_not_guessed(typed, code):
    state = begin(points="36", vessels="on").state
    (request, _) = GAME.pending_requests(state)
    with pytest.raises(OrderError) as refused:
        GAME.type_text(state, request, Draft("5 5 5"), typed)
    assert refused.value.fault.code == code


@pytest.mark.parametrize(("points", "key"), [("36", "fleet"), ("12", "usual"), ("off", "usual")])
def test_ready_fleets_are_called_even_where_they_are(points, key):
    state = begin(points=points, vessels="on").state
    view = GAME.view(state, 0)
    request = GAME.pending_requests(state)[0]
    reasons = {GAME.reason_for(view, GAME.advise(view, request, f"{n:064x}")).key for n in range(20)}
    assert reasons == {f"reason.{key}"}


@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("vessels", ["off", "on"])
def test_ready_fleets_and_the_one_of_nobody_may_be_brought(budget, vessels):
    state = begin(points=budget, vessels=vessels).state
    (request, _) = GAME.pending_requests(state)
    choices = GAME.draft_choices(state, request, Draft())
    (ready,) = [group for group in choices.groups if group.key == "stock"]
    for option in ready.options:
        assert GAME.parse_answer(state, request, option.draft).vessels
        assert GAME.draft_choices(state, request, Draft(option.draft)).lines[0].params["left"] * 36 <= int(budget)
    assert GAME.default_answer(state, request).vessels == ("5",) * (int(budget) // 12)


@pytest.mark.parametrize(
    ("vessels", "fleets"),
    [("off", {"5 5 5", "6 5 4", "6 4 4"}), ("on", {"5 5 5", "6 4 5s 4f", "4t 6 6", "8h 5s 4f 4f", "6 5s 5s 4f 4f"})],
)
def test_ready_fleets_of_all_vessels_that_may_be_brought(vessels, fleets):
    state = begin(points="36", vessels=vessels).state
    (request, _) = GAME.pending_requests(state)
    (ready,) = [group for group in GAME.draft_choices(state, request, Draft()).groups if group.key == "stock"]
    assert {option.draft for option in ready.options} == fleets


@pytest.mark.parametrize(
    ("fleet", "lost"),
    [
        ("", None),
        ("3m", None),
        ("5", 24),
        ("5 5 5", None),
        ("5 5 3m 3m", 8),
        ("5 5 3m 3m 3m", None),
        ("5 3m 3m 3m 3m 3m 3m 3m", 10),
    ],
)
def test_who_could_bring_another_vessel_that_fights_is_warned_that_points_are_lost(fleet, lost):
    state = begin(points="36", vessels="on", table="banquet").state
    (request, _) = GAME.pending_requests(state)
    said = [(text.key, text.params["left"]) for text in GAME.draft_warnings(state, request, Draft(fleet))]
    assert said == ([("warn.fleet.unspent", lost)] if lost else [])


@pytest.mark.parametrize(("locale", "left"), [("en", "0 points left"), ("hu", "0 pont maradt")])
def test_what_is_left_comes_before_a_fleet_of_many_vessels(locale, left):
    state = begin(points="36", vessels="on", table="banquet").state
    (request, _) = GAME.pending_requests(state)
    choices = GAME.draft_choices(state, request, Draft("6 6 5s 3m 3m 3m 3m"))
    (vessels, *_) = brief_orders(Localizer(Catalogue.load(locale, "matchbox")), choices.lines)
    assert vessels.index(left) < vessels.index("2x6 5s 4x3m")


@pytest.mark.parametrize(("typed", "shown"), [("A2 here", "A2 5/2s @"), ("a1: @1", "A1 8/4h @"), ("here", "A1 8/4h @")])
def test_a_place_that_can_not_be_read_is_shown_for_the_vessel_that_is_named(typed, shown):
    state = answered(begin(points="36", vessels="on", table="kitchen").state, "8h 5s", "5 5").state
    (asked, *_) = [request for request in GAME.pending_requests(state) if request.seat == 0]
    with pytest.raises(OrderError) as refused:
        GAME.type_text(state, asked, Draft(), typed)
    assert str(refused.value.fault.params["expected"]).startswith(shown)


def test_the_panel_says_what_is_left_and_greys_what_is_too_dear():
    state = begin(points="36", vessels="on").state
    (request, _) = GAME.pending_requests(state)
    choices = GAME.draft_choices(state, request, Draft("5 8h"))
    assert choices.lines[0].params["left"] == 6
    (adding,) = [group for group in choices.groups if group.key == "build"]
    dear = {option.token for option in adding.options if option.fault}
    assert dear == {"build.6", "build.5", "build.4", "build.8h", "build.5s", "build.4t"}
    words = Localizer(Catalogue.load("en", "matchbox"))
    said = {words.short_fault_text(option.fault) for option in adding.options if option.fault}
    assert said == {"You don't have enough points left for that."}, "nothing that sounds as if this fleet were too dear"
    assert not choices.missing_parts
    assert GAME.draft_choices(state, request, Draft("3m")).missing_parts


def test_promotions_are_pressed_and_cost_a_point():
    state = begin(points="12", crews="on").state
    (request, _) = GAME.pending_requests(state)
    (group,) = [group for group in GAME.draft_choices(state, request, Draft("6")).groups if group.key == "promote"]
    assert {option.draft for option in group.options} == {"6{r}", "6{m}", "6{b}", "6{p}", "6{c}"}
    (full,) = [group for group in GAME.draft_choices(state, request, Draft("6{rm}")).groups if group.key == "promote"]
    assert [option.fault is None for option in full.options] == [True, True, False, False, False]
    assert full.options[0].draft == "6{m}"


def test_fleets_are_shown_together_and_keep_their_types():
    step = answered(begin(points="36", vessels="on", table="kitchen").state, "8h 5", "5s 4t 6")
    assert [event.vessels for event in of(step, FleetRevealed)] == [("8h", "5"), ("5s", "4t", "6")]
    requests = GAME.pending_requests(step.state)
    assert [request.params["galley"] for request in requests] == ["A1, A2", "B1–B3"]
    proposed = GAME.default_answer(step.state, requests[0])
    assert [(galley.vessel, galley.holes) for galley in proposed.galleys] == [("heavy", 8), (None, 5)]
    with pytest.raises(OrderError) as refused:
        GAME.parse_answer(step.state, requests[0], "A1 6/2")
    assert refused.value.fault.code == "type_is_chosen"
    assert GAME.parse_answer(step.state, requests[0], "A1 8/4h") == GAME.parse_answer(step.state, requests[0], "A1 8h")


def test_ready_fleets_lie_on_the_table_at_once_and_in_turns_one_by_one():
    step = answered(begin(points="36", vessels="on", deployment="ready").state, "8h 4 4f", "5s 5s 6")
    placed = {event.galley: (event.vessel, event.holes) for event in of(step, GalleyPlaced)}
    assert placed["A1"] == ("heavy", 8)
    assert placed["A3"] == ("fire", 4)
    assert {request.kind for request in GAME.pending_requests(step.state)} == {"orders"}
    step = answered(begin(points="36", vessels="on", deployment="turns").state, "8h 4t", "5s 5s 6")
    order = step.state.to_place
    assert sorted(order) == ["A1", "A2", "B1", "B2", "B3"]
    assert all(a[0] != b[0] for a, b in pairwise(order[:4]))
    assert len(GAME.pending_requests(step.state)) == 1


FIRE = "1200x800 ; A1:south 4-4+0/4f @600,330^0 ; A2:south 5-5+3/5 @200,300^0 ; B1:north 5-5+3/5 @630,400^90"


def test_a_fire_ship_lights_her_target_and_is_gone():
    step = carried_out(FIRE, "A1 FFFF; A2 FFFFX", "B1 XXXFF")
    assert [type(event) for event in step.events if isinstance(event, FireShipStruck | FireCaught | FireShipSpent)] == [
        FireShipStruck,
        FireCaught,
        FireShipSpent,
    ]
    assert [galley.id for galley in step.state.galleys if galley.burning] == ["B1"]
    place = next(piece.place for piece in GAME.view(step.state, 0).pieces if piece.id == "B1")
    assert place.key == "place.burning"
    after = answered(step.state, "A2 FFFFX", "B1 ZZFFF")
    assert of(after, FireExtinguished)
    assert not any(galley.burning for galley in after.state.galleys)


def test_a_side_without_a_fighting_vessel_has_lost():
    position = "1200x800 ; A1:south 3-3+1/3m @600,100^0 ; A2:south 1-1+0/6 @600,300^0 ; B1:north 5-5+3/5 @600,400^180"
    step = carried_out(position, "A1 FFFX; A2 F", "B1 FFXXF")
    assert [event.galley for event in of(step, ShipSunk)] == ["A2"]
    assert [event.side for event in of(step, GameWon)] == ["north"]


def test_a_first_mate_sends_a_fire_ship_at_an_enemy_and_says_so():
    position = "1200x800 ; A1:south 4-4+0/4f @600,330^0 ; A2:south 5-5+3/5 @200,300^0 ; B1:north 1-1+0/5 @630,420^90"
    state = GAME.start(Setup(system="matchbox", teams=(0, 1), position=position), Dice(SEED)).state
    (request, _) = GAME.pending_requests(state)
    view = GAME.view(state, 0)
    answer = GAME.advise(view, request, "7" * 64)
    assert of(answered(state, GAME.format_answer(request, answer), "B1 F"), FireShipStruck)
    assert GAME.reason_for(view, answer).key.startswith("reason.torch")


def test_who_gives_up_while_fleets_are_chosen_brings_none():
    state = GAME.start(Setup(system="matchbox", teams=(0, 1, 1, 0), options={"points": "36"}), Dice(SEED)).state
    state = GAME.concede(state, 2).state
    requests = GAME.pending_requests(state)
    assert [request.seat for request in requests] == [0, 1, 3]
    step = GAME.carry_out(state, [(request, GAME.default_answer(state, request)) for request in requests])
    assert {name[0] for name in step.state.to_place} == {"A", "B", "D"}
    assert of(GAME.concede(begin(points="36").state, 0), GameWon)
