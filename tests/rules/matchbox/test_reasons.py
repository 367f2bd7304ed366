"""Why the first mate orders what it orders."""

import math
import random
from collections import Counter
from typing import Any

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.matchbox.engine import hull, notation
from rules.matchbox.engine.events import RowersReseated, ShipRammed, VolleyDropped
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.round import RoundOutcome, run_round
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Decision, FleetOrders, Galley, OrderList
from rules.matchbox.engine.volley import RANGE_MM
from tests.laws.length import times
from tests.rules.matchbox.play import answered, begin, only
from tests.rules.matchbox.sea_room import fleet, order_list

GAME = RULESETS["matchbox"]
ACROSS = "900x600 ; A1:south 6-6+2/6 @450,110^0 ; B1:north 5-5+3/5 @480,300^90"
BESIDE = "900x600 ; A1:south 5-5+3/5 @400,290^0 ; B1:north 5-5+3/5 @475,290^0"
OFF = "900x600 ; A1:south 5-5+3/5 @450,110^0 ; B1:north 5-5+3/5 @450,490^180"
OUT_OF_REACH = "1600x900 ; A1:south 5-5+3/5 @450,110^0 ; B1:north 5-5+3/5 @450,800^180"
AGROUND = "1200x800 ; A1:south 1-1+0/5 @600,0^180 ; B1:north 5-5+3/5 @640,500^180"
ASTERN = "1200x800 ; A1:south 1-1+0/5 @600,400^0 ; B1:north 5-5+3/5 @640,100^180"
AFAR = "900x600 ; A1:south 2-6+0/6 @450,110^0 ; B1:north 5-5+3/5 @480,500^180"


def why(position: str, orders: str) -> Text:
    state = GAME.state_at(position)
    request = GAME.pending_requests(state)[0]
    return GAME.reason_for(GAME.view(state, 0), GAME.parse_answer(state, request, orders))


@pytest.mark.parametrize(
    ("position", "orders", "key"),
    [
        (ACROSS, "A1 FFFFF", "meet.still"),
        (ACROSS, "A1 RRRFF", "away"),
        (AGROUND, "A1 F", "stay"),
        (BESIDE, "A1 XFFFF", "fire.still"),
        (BESIDE, "A1 FFFFF", "away"),
        (AFAR, "A1 FF", "nearer"),
        (AFAR, "A1 ZZFF", "mend"),
        (OFF, "A1 FFXXX", "fire.on"),
        (OFF, "A1 FFFFF", "bows.on"),
        (OUT_OF_REACH, "A1 XXFFF", "approach"),
        (ASTERN, "A1 L", "turn"),
    ],
)
def test_the_weightiest_reason_is_given(position: str, orders: str, key: str) -> None:
    assert why(position, orders).key == f"reason.{key}"


def test_a_ram_counts_its_run_its_step_and_its_damage() -> None:
    params = why(ACROSS, "A1 FFFFF").params
    # The wreck's side lies 172.5 mm ahead, a little less than four matches.
    assert params == {"galley": "A1", "foe": "B1", "step": 4, "run": 4, "damage": 6}


def reason_holds(view: Any, reason: Text, after: RoundOutcome) -> bool:
    """Return if a reason holds of the round of these orders, if the enemies did as it says."""
    params, there = reason.params, {galley.id: galley for galley in view.galleys}
    galley, foe = there[params["galley"]], there.get(params.get("foe", ""))
    match reason.key.split(".")[1:]:
        case ["meet", _]:
            rams = [(ram.by, ram.to, ram.step, ram.run, ram.damage) for ram in only(after.events, ShipRammed)]
            return tuple(params[key] for key in ("galley", "foe", "step", "run", "damage")) in rams
        case ["bows", _]:
            rams = [(ram.by, ram.to, ram.step, ram.damage) for ram in only(after.events, ShipRammed)]
            blow = (params["foe"], params["step"], params["damage"])
            suffered = (params["foe"], params["galley"], params["step"], params["own_damage"])
            return (params["galley"], *blow) in rams and suffered in rams
        case ["fire", _]:
            volleys = [(shot.by, shot.to, shot.step, shot.matches) for shot in only(after.events, VolleyDropped)]
            return tuple(params[key] for key in ("galley", "foe", "step", "matches")) in volleys
        case ["mend"]:
            seated = [(event.galley, event.port, event.starboard) for event in only(after.events, RowersReseated)]
            better = min(params["port"], params["starboard"]) > min(galley.port, galley.starboard)
            return better and (galley.id, params["port"], params["starboard"]) in seated
    end = next(each for each in after.galleys if each.id == galley.id)
    before, now = hull.hull_gap_mm(galley, foe), hull.hull_gap_mm(structs.replace(galley, pose=end.pose), foe)
    # Poses are rounded as the round ends.
    said = "gap_mm" not in params or (now == pytest.approx(params["gap_mm"], abs=0.01))
    match reason.key:
        case "reason.nearer":
            return said and now < before == params["from_mm"]
        case "reason.approach":
            return said and now < before == params["from_mm"] and before > params["reach_mm"] == RANGE_MM
        case "reason.away":
            return said and now > before == params["from_mm"]
        case "reason.stay":
            return said and now == pytest.approx(before, abs=1.01)
        case "reason.turn":
            return off_bow(end.pose, foe) < off_bow(galley.pose, foe)
    raise AssertionError(reason)


def off_bow(pose: Pose, foe: Galley) -> float:
    here, there = hull.hull_middle(pose), hull.hull_middle(foe.pose)
    bearing = math.degrees(math.atan2(there.x - here.x, there.y - here.y))
    return abs((bearing - pose.heading_deg + 180) % 360 - 180)


def carried_out(view: Any, lists: tuple[OrderList, ...], supposed: str, allies: list[OrderList]) -> RoundOutcome:
    """Carry out a round by the rules, with the enemies doing as a reason supposes, without a slow aim map."""
    ordered = {drawn.galley for drawn in (*lists, *allies)}
    foes = [galley for galley in view.galleys if galley.id not in ordered and galley.side != "south"]
    rowing = [OrderList(foe.id, "F" * min(foe.port, foe.starboard, 5)) for foe in foes if supposed == "on"]
    aims = {f"{galley.id}@{step}": hull.hull_middle(foes[0].pose) for galley in view.galleys for step in range(1, 6)}
    table = view.sea
    return run_round(table, view.galleys, [*lists, *allies, *rowing], {}, Dice("5eed"), {}, aims=aims)


@pytest.mark.parametrize("share", range(times(1, 12)))
@pytest.mark.slow
def test_reasons_are_true(share: int) -> None:
    """Of hints and of any orders at all, on crowded tables and on wide ones."""
    rng, keys = random.Random(share), Counter[str]()
    for number in range(100):
        table = rng.choice((Sea(600.0, 450.0), Sea(900.0, 600.0), Sea(1200.0, 800.0)))
        state = begin(position=notation.format_position(table, fleet(rng, rng.choice((2, 2, 3, 4, 6)), table))).state
        view, request = GAME.view(state, 0), GAME.pending_requests(state)[0]
        mine = [galley for galley in view.galleys if galley.seat == 0]
        drawn = [FleetOrders(tuple(order_list(rng, galley) for galley in mine)) for _ in range(4)]
        hints = [GAME.computer_answer(view, request, f"{number:04x}")] if number % 8 == 0 else []
        for answer in (*hints, *drawn):
            reason = GAME.reason_for(view, answer)
            after = carried_out(view, answer.lists, reason.key.rpartition(".")[2], [])
            keys[reason.key] += 1
            if reason.key != "reason.usual":
                assert reason_holds(view, reason, after), (
                    notation.format_position(table, view.galleys),
                    answer,
                    reason,
                )
    assert len(keys) > 7
    assert keys["reason.usual"] < 0.2 * keys.total()


@pytest.mark.parametrize("rows", [False, True])
def test_reasons_are_true_when_allies_lie_still_or_row(rows: bool) -> None:
    rng, keys = random.Random(7), Counter[str]()
    for _ in range(60):
        galleys = fleet(rng, 6, Sea(600.0, 450.0))
        named = {"A2": "C1", "A3": "C2", "B2": "D1", "B3": "D2"}
        position = notation.format_position(
            Sea(600.0, 450.0), [structs.replace(galley, id=named.get(galley.id, galley.id)) for galley in galleys]
        )
        view = GAME.view(begin(teams=(0, 1, 0, 1), position=position).state, 0)
        mine, first, second = (galley for galley in view.galleys if galley.side == "south")
        answer = FleetOrders((order_list(rng, mine),))
        reason = GAME.reason_for(view, answer)
        keys[reason.key] += 1
        allies = [OrderList(ally.id, "F" * min(ally.port, ally.starboard) if rows else "") for ally in (first, second)]
        after = carried_out(view, answer.lists, reason.key.rpartition(".")[2], allies)
        assert reason.key == "reason.usual" or reason_holds(view, reason, after), (position, answer, reason)
    assert len(keys) > 5


ASKED = "1200x800 ; A1:south 4-4+4/4 @600,300^0 ; B1:north 5-5+3/5 @600,400^180 ; B2:north 5-5+3/5 @680,400^180"


def test_decisions_in_mid_round_have_true_reasons() -> None:
    state = begin(position=ASKED).state
    texts = ("A1 XXXXF; target ask; aim ask; casualties ask", "B1 XXXFF; B2 XXXFF; casualties ask")
    state, reasons = answered(state, *texts).state, dict[str, Text]()
    while state.phase == "asking":
        answers = {}
        for request in GAME.pending_requests(state):
            view = GAME.view(state, request.seat)
            answers[request.id] = GAME.computer_answer(view, request, "5eed")
            reasons.setdefault(request.kind, GAME.reason_for(view, answers[request.id]))
        state = GAME.resolve(state, answers).state
    assert reasons["aim"].key == "reason.aim.steady"
    assert reasons["casualties"].key == "reason.casualties"
    assert reasons["target"].key == "reason.target.nearest"
    gap = hull.hull_gap_mm(*notation.parse_position(ASKED).galleys[:2])
    assert reasons["target"].params == {"galley": "A1", "foe": "B1", "gap_mm": gap, "matches": 2}


def test_a_choice_that_is_not_the_best_is_not_called_so() -> None:
    state = begin(position=ASKED).state
    view = GAME.view(answered(state, "A1 XXXXF; target ask", "B1 XXXFF; B2 XXXFF").state, 0)
    assert GAME.reason_for(view, Decision("B2")).key == "reason.target"
    assert GAME.reason_for(view, Decision("1-0+0")).key == "reason.usual"


def test_a_place_is_given_for_what_the_type_can_do() -> None:
    state = begin(galleys="1").state
    (request,) = GAME.pending_requests(state)
    for holes in (6, 5, 4):
        text = next(text for text in ("A1", "B1") if text in state.to_place[0]) + f" {holes}/{8 - holes}"
        reason = GAME.reason_for(GAME.view(state, request.seat), GAME.parse_answer(state, request, text))
        assert reason == Text(f"reason.place.{holes}", {"galley": state.to_place[0]})
