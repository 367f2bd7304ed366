"""Games with boarding: orders to grapple, crews that fight, galleys that change sides, and captains who do so."""

import msgspec
import numpy as np
import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder
from rules.core.protocol import Draft
from rules.interface.retelling import fold_events
from rules.matchbox.ai import grapples, many_rounds, prospects
from rules.matchbox.ai.many_rounds import NEAREST, RoundSetup
from rules.matchbox.engine import boarding, counting
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import MeleeFought, ShipCaptured, ShipGrappled, ShipMoved
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.state import SLOTS, Decision, OrderList
from rules.matchbox.retelling import apply_event, visible_state
from tests.rules.matchbox.play import GAME, SEED, begin, orders

BESIDE = (
    "1200x800 ; A1:south 4-4+4/4 @600,300^0 ; B1:north 5-5+0/5 @650,300^0 ; B2:north 5-5+3/5 @100,700^180 ; "
    "B3:north 5-5+3/5 @1100,700^180"
)
"""Galleys side by side, of which one has no mast left."""
TAKES = ("A1 GFFXF", "B1 FFFFF; B2 FFFXX; B3 FFFXX")


def aboard(position: str = BESIDE, **options: str):
    return begin(position=position, boarding="on", **options).state


def carry_out(state, south: str, north: str):
    return GAME.resolve(state, orders(state, A=south, B=north))


def request(state, seat: int):
    return next(request for request in GAME.pending_requests(state) if request.seat == seat)


def choices(state, text: str = "", seat: int = 0):
    return GAME.draft_choices(state, request(state, seat), Draft(text, "A1"))


def pressed(choices) -> set[str]:
    return {option.token for group in choices.groups for option in group.options}


def taken():
    """Return a state in which A1 takes B1, and the round from it."""
    state = aboard()
    for number in range(40):
        dice = structs.replace(state, dice=Dice(f"{number:064x}"))
        step = carry_out(dice, *TAKES)
        if any(isinstance(event, ShipCaptured) for event in step.events):
            return dice, step
    raise AssertionError("in forty games she is never taken")


def test_without_the_switch_nothing_is_written_or_offered_otherwise():
    """MX-0.1: no field of a state, no order, no course and no decision tells that galleys might be boarded."""
    state = begin(position=BESIDE).state
    assert b"boarding" not in msgspec.json.encode(state)
    assert b"prize" not in msgspec.json.encode(state)
    assert pressed(choices(state)).isdisjoint({"order.G", "course.board", "prize.half"})
    with pytest.raises(IllegalOrder) as refused:
        GAME.parse_answer(state, request(state, 0), "A1 GFFXF")
    assert refused.value.fault.code == "no_boarding", "and not that the letter is unknown"
    with pytest.raises(UnreadableOrder):
        GAME.parse_answer(state, request(state, 0), "A1 XFFXF; prize half")


def test_with_the_switch_a_game_is_written_and_read():
    state = aboard()
    assert state.allows_boarding
    assert msgspec.json.decode(msgspec.json.encode(state), type=type(state)) == state
    assert {"order.G", "course.board", "prize.half"} <= pressed(choices(state))


@pytest.mark.parametrize("text", ["A1 GFFXF; prize half", "A1 CEETE; zsákmány: fele"])
def test_grapples_are_typed_in_both_languages(text):
    """MX-3.1: a `G`, in Hungarian `C`; how many masts go over is a standing order."""
    state = aboard()
    answer = GAME.parse_answer(state, request(state, 0), text)
    assert answer.lists == (OrderList("A1", "GFFXF"),)
    assert answer.standing.prize == "half"
    assert GAME.parse_answer(state, request(state, 0), GAME.format_answer(request(state, 0), answer)) == answer


def test_who_has_fired_with_all_masts_can_not_grapple():
    """MX-3.1: `X` and `G` together are at most the masts (MB-3.5)."""
    state = aboard("1200x800 ; A1:south 6-6+2/6 @600,300^0 ; B1:north 5-5+3/5 @650,300^0")
    with pytest.raises(OrderError) as refused:
        GAME.parse_answer(state, request(state, 0), "A1 XGXFF")
    assert refused.value.fault.rule == "MB-3.5"
    faults = {option.token: option.fault for group in choices(state, "A1 XX").groups for option in group.options}
    assert faults["order.G"] is not None
    assert faults["order.F"] is None


def test_a_captain_is_warned_who_grapples_nobody():
    state = aboard()
    question = request(state, 0)
    assert not GAME.draft_warnings(state, question, Draft("A1 GFFXF"))
    (warned,) = (
        warning for warning in GAME.draft_warnings(state, question, Draft("A1 FFFFG")) if warning.key == "warn.grapple"
    )
    assert warned.params["steps"] == (5,)


def test_a_galley_that_is_taken_obeys_her_new_captain():
    """MX-3.5: she changes sides at once, and her orders are void; from the next round her new captain has her."""
    before, step = taken()
    state = step.state
    prize = next(galley for galley in state.galleys if galley.id == "B1")
    assert (prize.side, prize.seat, prize.masts) == ("south", 0, 1)
    (fight,) = (event for event in step.events if isinstance(event, MeleeFought))
    assert next(galley for galley in state.galleys if galley.id == "A1").masts == 4 - fight.lost[0] - 1
    (event,) = (event for event in step.events if isinstance(event, ShipCaptured))
    assert event.captured_ship == "B1"
    assert [event.step for event in step.events if isinstance(event, ShipMoved) and event.galley == "B1"] == [1]
    assert fold_events(visible_state(GAME.view(before, None)), step.events, apply_event) == visible_state(
        GAME.view(state, None)
    )
    again = carry_out(state, "A1 FFFFX; B1 FFFFF", "B2 FFFXX; B3 FFFXX")
    assert [event for event in again.events if isinstance(event, ShipMoved) and event.galley == "B1"]
    with pytest.raises(IllegalOrder) as refused:
        GAME.parse_answer(state, request(state, 1), "B1 FFFFF; B2 FFFXX; B3 FFFXX")
    assert refused.value.fault.code == "not_your_galley"


def test_what_became_of_her_is_told_under_who_began_with_her():
    _, step = taken()
    counts = counting.count_statistics(step.state, step.events)
    assert [counts[seat].counts.get("taken", 0) for seat in (0, 1)] == [1, 0]
    assert [counts[seat].counts["lost"] for seat in (0, 1)] == [0, 1]
    ends = {ship.id: (ship.seat, ship.end) for ship in counting.battle_outcome(step.state).ships}
    assert ends == {"A1": (0, "afloat"), "B1": (1, "taken"), "B2": (1, "afloat"), "B3": (1, "afloat")}


def test_a_captain_may_choose_whom_to_grapple_and_how_many_masts_go_over():
    """`ask` asks, first for the enemy and then for the prize crew."""
    two = BESIDE.replace("B2:north 5-5+3/5 @100,700^180", "B2:north 5-5+0/5 @550,300^0")
    for number in range(40):
        state = structs.replace(aboard(two), dice=Dice(f"{number:064x}"))
        step = carry_out(state, "A1 GFFXF; target ask; prize ask", "B1 FFFFF; B2 FFFFF; B3 FFFXX")
        (question,) = GAME.pending_requests(step.state)
        assert (question.kind, step.state.questions[0].choices) == ("grapple", ("B1", "B2"))
        step = GAME.resolve(step.state, {question.id: Decision("B2")})
        assert [event.galley for event in step.events if isinstance(event, ShipGrappled)] == ["B2"]
        for question in GAME.pending_requests(step.state):
            if question.kind == "prize":
                assert question.params["about"] == "B2"
                with pytest.raises(IllegalOrder) as refused:
                    GAME.parse_answer(step.state, question, "9")
                assert refused.value.fault.code == "not_a_choice"
                after = GAME.resolve(step.state, {question.id: GAME.parse_answer(step.state, question, "2")}).state
                assert next(galley for galley in after.galleys if galley.id == "B2").masts == 2
                return
    raise AssertionError("in forty games she is never taken")


@pytest.mark.parametrize("captain", ["mate", "admiral"])
def test_captains_board_a_galley_that_can_hardly_resist(captain):
    state = aboard(captain=captain)
    question = request(state, 0)
    drawn = {
        GAME.computer_answer(GAME.view(state, 0), question, f"{number:064x}").lists[0].orders for number in range(3)
    }
    assert all("G" in orders for orders in drawn), drawn


def test_a_hint_to_board_says_why():
    state = aboard()
    answer = GAME.parse_answer(state, request(state, 0), "A1 GFFXF")
    assert GAME.reason_for(GAME.view(state, 0), answer).key == "reason.board.still"


def test_odds_are_those_of_coins():
    """MX-3.4, 3.5: against 1, 4 take eleven in sixteen; against 3, four hits, and less than four of five suffered."""
    odds = grapples.melee_odds(both=False)
    assert odds.capture_chance[4, 3] == 1 / 16 * 26 / 32
    assert odds.capture_chance[4, 1] == 11 / 16
    assert odds.capture_chance[0].max() == 0
    assert odds.captured_chance.max() == 0 < grapples.melee_odds(both=True).captured_chance[1, 4]


def test_the_simulator_holds_who_is_grappled_as_the_rules_do():
    """MX-3.3: neither moves for the rest of the round; the melee is foreseen as what it is worth."""
    position = parse_position(BESIDE)
    drawn = {"A1": "GFFXF", "B1": "FRFFF", "B2": "FFFXX", "B3": "FFFXX"}
    lists = [OrderList(galley, text) for galley, text in drawn.items()]
    misses = {"A1@1": ((270.0,) * 4, (90.0,) * 2)}
    ruled = rounds.run_round(
        position.sea, position.galleys, lists, {}, Dice(SEED), {}, drops=None, melees=misses, options=("boarding",)
    )
    start = many_rounds.fleet_table(position.galleys)
    doing = np.zeros((SLOTS, 4, 1), np.int64)
    for number, galley in enumerate(position.galleys):
        doing[:, number, 0] = many_rounds.order_numbers(drawn[galley.id])
    still = np.full((4, 1), NEAREST)
    sides = (False, True, True, True)
    end = many_rounds.run_rounds(
        start, doing, RoundSetup(position.sea, sides, still, np.zeros((4, 1), bool), allows_boarding=True)
    )
    for number, galley in enumerate(ruled.galleys[:2]):
        assert (galley.pose.x_mm, galley.pose.y_mm) == (end.fleets.x[number, 0], end.fleets.y[number, 0])
    takes = grapples.melee_odds(both=False).capture_chance[4, 0]
    assert end.hits[3, 1, 0] == takes
    free = many_rounds.run_rounds(start, doing, RoundSetup(position.sea, sides, still, np.zeros((4, 1), bool)))
    north = np.array(sides)
    assert prospects.win_chances(end.fleets, end.hits, north) > prospects.win_chances(free.fleets, free.hits, north)


def test_matches_of_a_melee_point_all_round():
    """Each takes one block of the dice (MX-3.4)."""
    bearings, after = boarding.throw_bearings(Dice("5a"), 3)
    dice, expected = Dice("5a"), []
    for _ in range(3):
        (part, *_), dice = dice.draw_block()
        expected.append(pytest.approx(360 * part, abs=0.0006))
    assert list(bearings) == expected
    assert after == dice
