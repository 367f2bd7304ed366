"""One reason for an answer, from a simulation: what happens if enemies do not move, or row straight on.

No dice are used and no damage is dealt, so a round is simulated only up to its first blow. Each reason states its
assumption about enemies, and holds for all enemies that meet it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import shapely
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import Scalar
from rules.core.finding import find_by_id
from rules.core.view import Text
from rules.geometry import boxes
from rules.interface.lessons import events_of_type
from rules.matchbox.engine import boarding, hull, reach, scenarios, volley
from rules.matchbox.engine.events import FireExtinguished, FireShipStruck, HouseBurnt, RowersReseated, ShipRammed
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.stages import Decisions, RoundInProgress
from rules.matchbox.engine.state import (
    SLOTS,
    Answer,
    Decision,
    ExtraRule,
    Fleet,
    FleetOrders,
    Galley,
    OrderList,
    PendingDecision,
    Placement,
    ScenarioTitle,
    StandingOrders,
    TableSide,
)
from rules.matchbox.interface import fleets
from rules.matchbox.interface.decisions import choice_numbers
from rules.matchbox.interface.shots import ram_values, shot_values
from rules.matchbox.interface.view import TableView

# Ranks of reasons. The reason with the smallest rank is shown.
DONE_RANK: Final = -1  # burning a house or leaving the table
_RAM_RANK: Final = 0  # ramming or burning an enemy that does not move
_FIGHT_RANK: Final = 1  # firing at or boarding an enemy that does not move
_ROWING_PENALTY: Final = 2  # added if that happens only while enemies row on
_ARRIVED_RANK: Final = 3
_MENDED_RANK: Final = 4
_ON_THE_WAY_RANK: Final = 5
_APPROACH_RANK, _TURN_RANK, _RETREAT_RANK, _STAY_RANK = 5, 6, 7, 8
_MIN_PROGRESS_MM: Final = 1.0


def scenario_reasons(view: TableView, lists: Sequence[OrderList]) -> Iterator[tuple[int, Text]]:
    """Yield what galleys do for the scenario's goal, each with its rank: smaller is more important."""
    if not view.scenario:
        return
    approaches: list[tuple[float, Text]] = []
    for order_list in lists:
        galley = find_by_id(view.galleys, order_list.galley)
        if not scenarios.can_contribute(view.scenario, galley):
            continue
        end, burning_step = _sail_alone(view, galley, order_list)
        if burning_step:
            yield DONE_RANK, Text("reason.errand.burn", {"galley": galley.id, "step": burning_step})
        elif scenarios.leaves_table(view.scenario, end, view.sea):
            yield DONE_RANK, Text("reason.errand.leave", {"galley": galley.id})
        elif view.scenario == "harbour" and scenarios.is_in_basin(end):
            yield _ARRIVED_RANK, Text("reason.errand.basin", {"galley": galley.id})
        else:
            before = _remaining_mm(view.scenario, view.sea, galley)
            after = _remaining_mm(view.scenario, view.sea, end)
            if after <= before - _MIN_PROGRESS_MM:
                params: dict[str, Scalar] = {"galley": galley.id, "from_mm": before, "gap_mm": after}
                approaches.append((after, Text(f"reason.errand.way.{view.scenario}", params)))
    if approaches:
        _, reason = min(approaches, key=lambda approach: approach[0])
        yield _ON_THE_WAY_RANK, reason


def _sail_alone(view: TableView, galley: Galley, order_list: OrderList) -> tuple[Galley, int]:
    """Return the galley after its orders, and the step in which it burns a house of the town (0: never)."""
    play = RoundInProgress(view.sea, (galley,), [order_list], Decisions(), Dice("00"), scenario=view.scenario or None)
    burning_step = 0
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        play.move_all()
        if view.scenario == "raid":
            play.burn_houses()
            burnt_steps = (event.step for event in play.events if isinstance(event, HouseBurnt))
            burning_step = burning_step or next(burnt_steps, 0)
    return structs.replace(galley, pose=play.galleys[galley.id].pose), burning_step


def _remaining_mm(title: ScenarioTitle, sea: Sea, galley: Galley) -> float:
    # How far the prow, or in the harbour the middle, is from the goal.
    zone = shapely.Polygon(scenarios.goal_zone(title, sea))
    place = hull.hull_middle(galley.pose, galley.kind) if title == "harbour" else (galley.pose.x_mm, galley.pose.y_mm)
    return float(shapely.distance(zone, shapely.Point(*place)))


EnemyAssumption = Literal["still", "on"]
"""`still`: enemies do not move or fire; `on`: they row straight on with all oars."""

_MIN_TURN_DEG: Final = 15.0  # smaller changes of the bow's direction do not count as a turn towards the enemy
_MIN_APPROACH_MM: Final = 1.0


class _ExpectedCourse(NamedTuple):
    deeds: tuple[tuple[int, Text], ...]  # what happens in the round, each with its rank: smaller is more important
    ends: Mapping[str, Pose]  # final poses of galleys; empty: the simulation stopped at a blow


def reason_for(view: TableView, answer: Answer) -> Text:
    """Return the most important result of an answer, such as a scenario's goal, a ram, a volley or an approach."""
    match answer:
        case Placement(galleys=(galley, *_)):
            return Text("reason.usual" if view.builds else f"reason.place.{galley.holes}", {"galley": galley.id})
        case Decision():
            return _decision_reason(view, answer)
        case FleetOrders():
            return _orders_reason(view, answer)
        case Fleet() if view.fleet_context and fleets.is_even_fleet(view.fleet_context, answer):
            return Text("reason.fleet")
    return Text("reason.usual")


# --- orders ----------------------------------------------------------------------------------------------------------


def _orders_reason(view: TableView, answer: FleetOrders) -> Text:
    """Return the most important result of orders, first if enemies do not move and then if they row straight on."""
    own_ids = {order_list.galley for order_list in answer.lists}
    seats = {galley.seat for galley in view.galleys if galley.id in own_ids}
    if len({galley.side for galley in view.galleys}) < 2 or len(seats) != 1:
        return Text("reason.usual")
    side = view.sides[seats.pop()]
    if_still = _course_for_any_allies(view, answer, side, "still")
    if_rowing = _course_for_any_allies(view, answer, side, "on")
    ranked_reasons = [*scenario_reasons(view, answer.lists), *if_still.deeds]
    ranked_reasons += [(rank + _ROWING_PENALTY, text) for rank, text in if_rowing.deeds]
    if if_still.ends:
        ranked_reasons += _approach_reasons(view, answer, if_still.ends)
    if not ranked_reasons:
        return Text("reason.usual")
    _, reason = min(ranked_reasons, key=lambda ranked: ranked[0])
    return reason


def _course_for_any_allies(
    view: TableView, answer: FleetOrders, side: TableSide, supposed: EnemyAssumption
) -> _ExpectedCourse:
    """Return results that hold whether allies, whose orders are secret, do not move or row on."""
    own_ids = {order_list.galley for order_list in answer.lists}
    allies = [galley for galley in view.galleys if galley.side == side and galley.id not in own_ids]
    course_if_allies_stay = _expected_course(view, answer, side, supposed, [])
    if not allies:
        return course_if_allies_stay
    course_if_allies_row = _expected_course(view, answer, side, supposed, _row_on_lists(allies))
    deeds = tuple(deed for deed in course_if_allies_stay.deeds if deed in course_if_allies_row.deeds)
    same_ends = (
        course_if_allies_stay.ends
        and course_if_allies_row.ends
        and all(course_if_allies_stay.ends[galley] == course_if_allies_row.ends[galley] for galley in own_ids)
    )
    return _ExpectedCourse(deeds, course_if_allies_stay.ends if same_ends else {})


def _expected_course(
    view: TableView, answer: FleetOrders, side: TableSide, supposed: EnemyAssumption, allies: Sequence[OrderList]
) -> _ExpectedCourse:
    """Simulate a round up to its first blow or shot, and return what own galleys do; final poses only without any."""
    own_ids = {order_list.galley for order_list in answer.lists}
    play = _supposed_round(view, answer, side, supposed, allies)
    deeds: list[tuple[int, Text]] = []
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        play.move_all()
        deeds += _collision_deeds(play, own_ids, side, supposed)
        play.choose_targets()
        grapples = [] if play.blows else list(_expected_grapples(play, own_ids, side))
        if not play.blows:
            deeds += _fighting_deeds(play, own_ids, grapples, supposed)
        if play.blows or play.shots or grapples:
            return _ExpectedCourse(tuple(deeds), {})
        play.reseat_rowers()
    deeds += _repair_deeds(view, play, own_ids)
    return _ExpectedCourse(tuple(deeds), {galley.id: galley.pose for galley in play.galleys_afloat})


def _supposed_round(
    view: TableView, answer: FleetOrders, side: TableSide, supposed: EnemyAssumption, allies: Sequence[OrderList]
) -> RoundInProgress:
    foes = [galley for galley in view.galleys if galley.side != side] if supposed == "on" else []
    lists = [*answer.lists, *allies, *_row_on_lists(foes)]
    target = "nearest" if answer.standing.target == "ask" else answer.standing.target
    standing = dict.fromkeys(range(len(view.sides)), StandingOrders(target=target))
    options: tuple[ExtraRule, ...] = ("boarding",) if view.allows_boarding else ()
    return RoundInProgress(
        view.sea, view.galleys, lists, Decisions(standing), Dice("00"), options, sinks=view.sink_rule
    )


def _collision_deeds(
    play: RoundInProgress, own_ids: Collection[str], side: TableSide, supposed: EnemyAssumption
) -> Iterator[tuple[int, Text]]:
    """Yield the rams and fires of own galleys against enemies so far, in a round that stops at the first."""
    for event in play.events:
        if isinstance(event, ShipRammed) and event.by in own_ids and play.galleys[event.to].side != side:
            params: dict[str, Scalar] = {"galley": event.by, "foe": event.to, "step": play.step}
            if event.kind == "frontal":
                damage = ram_values(event, [*events_of_type(play.events, ShipRammed)])
                yield _RAM_RANK, Text(f"reason.bows.{supposed}", {**params, **damage})
            else:
                blow: dict[str, Scalar] = {"run": event.run, "damage": event.damage}
                yield _RAM_RANK, Text(f"reason.meet.{supposed}", {**params, **blow})
        if isinstance(event, FireShipStruck) and event.by in own_ids and play.galleys[event.galley].side != side:
            params = {"galley": event.by, "foe": event.galley, "step": play.step}
            yield _RAM_RANK, Text(f"reason.torch.{supposed}", params)


def _fighting_deeds(
    play: RoundInProgress,
    own_ids: Collection[str],
    grapples: Sequence[tuple[Galley, Galley]],
    supposed: EnemyAssumption,
) -> Iterator[tuple[int, Text]]:
    # Shots and grapples of own galleys in this step.
    if any(shot.by.id in own_ids for shot in play.shots):
        play.lay_remaining()
        play.choose_aims()
    for shot in play.shots:
        if shot.by.id in own_ids:
            params: dict[str, Scalar] = {"galley": shot.by.id, "foe": shot.target.id, "step": play.step}
            yield _FIGHT_RANK, Text(f"reason.fire.{supposed}", {**params, **shot_values(play, shot)})
    for galley, foe in grapples:
        params = {"galley": galley.id, "foe": foe.id, "step": play.step}
        yield _FIGHT_RANK, Text(f"reason.board.{supposed}", {**params, "masts": galley.masts, "against": foe.masts})


def _repair_deeds(view: TableView, play: RoundInProgress, own_ids: Collection[str]) -> Iterator[tuple[int, Text]]:
    for event in events_of_type(play.events, RowersReseated):
        before = find_by_id(view.galleys, event.galley)
        if event.galley in own_ids and min(event.port, event.starboard) > min(before.port, before.starboard):
            oars: dict[str, Scalar] = {"galley": event.galley, "port": event.port, "starboard": event.starboard}
            yield _MENDED_RANK, Text("reason.mend", oars)
    for fire in events_of_type(play.events, FireExtinguished):
        if fire.galley in own_ids:
            yield _MENDED_RANK, Text("reason.put_out", {"galley": fire.galley})


def _expected_grapples(
    play: RoundInProgress, own_ids: Collection[str], side: TableSide
) -> Iterator[tuple[Galley, Galley]]:
    """Yield galleys that grapple in this step, with their targets (MX-3.2)."""
    for galley in play.galleys_doing("G"):
        options = boarding.enemies_in_reach(galley, play.galleys_afloat, play.sea)
        if galley.id in own_ids and galley.side == side and options:
            yield galley, min(options, key=lambda option: option[1])[0]


def _row_on_lists(galleys: Sequence[Galley]) -> list[OrderList]:
    return [OrderList(galley.id, "F" * reach.max_moves(galley)) for galley in galleys]


def _approach_reasons(view: TableView, answer: FleetOrders, ends: Mapping[str, Pose]) -> Iterator[tuple[int, Text]]:
    """Yield the reason of each galley's move, with its rank: nearer to the nearest enemy, a turn to it, or away."""
    for order_list in answer.lists:
        galley = find_by_id(view.galleys, order_list.galley)
        end = ends[order_list.galley]
        foes = [other for other in view.galleys if other.side != galley.side]
        foe = min(foes, key=lambda each: (round(hull.hull_gap_mm(galley, each), 6), each.id))
        before = hull.hull_gap_mm(galley, foe)
        gap = boxes.box_gap(galley.kind.make_box(end), hull.hull_of(foe))
        params: dict[str, Scalar] = {"galley": galley.id, "foe": foe.id, "from_mm": before, "gap_mm": gap}
        if gap <= before - _MIN_APPROACH_MM:
            out_of_range = galley.masts and before > volley.RANGE_MM + hull.LENGTH_TOLERANCE_MM
            key = "reason.approach" if out_of_range else "reason.nearer"
            yield _APPROACH_RANK, Text(key, {**params, "reach_mm": volley.RANGE_MM})
        elif _bearing_off_deg(galley, end, foe) <= _bearing_off_deg(galley, galley.pose, foe) - _MIN_TURN_DEG:
            yield _TURN_RANK, Text("reason.turn", {"galley": galley.id, "foe": foe.id})
        elif gap >= before + _MIN_APPROACH_MM:
            yield _RETREAT_RANK, Text("reason.away", params)
        else:
            yield _STAY_RANK, Text("reason.stay", params)


def _bearing_off_deg(galley: Galley, pose: Pose, foe: Galley) -> float:
    """Return the angle between straight ahead and the middle of an enemy, in degrees."""
    ahead, abeam = boxes.to_box_frame(hull.hull_middle(foe.pose, foe.kind), galley.kind.make_box(pose))
    return abs(math.degrees(math.atan2(abeam, ahead)))


# --- questions in mid-round ------------------------------------------------------------------------------------------


def _decision_reason(view: TableView, answer: Decision) -> Text:
    """Return the reason for a choice. If it answers several open questions of one kind, it must hold for all."""
    questions = [question for question in view.decisions if _is_answer_to(answer.choice, question)]
    if len({question.kind for question in questions}) != 1:
        return Text("reason.usual")
    kind = questions[0].kind
    if kind == "target" and len(questions) == 1:
        return _target_reason(view, questions[0], answer.choice)
    if kind == "aim" and answer.choice == "steady":
        return Text("reason.aim.steady")
    if kind == "casualties" and all(_spares_most_oars(view, question, answer.choice) for question in questions):
        return Text("reason.casualties")
    if kind == "reorganize" and all(_is_evenest(question, answer.choice) for question in questions):
        return Text("reason.reorganize")
    return Text("reason.usual")


def _is_answer_to(choice: str, question: PendingDecision) -> bool:
    is_aim = choice in {"steady", "safe"} or "," in choice
    return question.kind == "aim" if is_aim else choice in question.choices


def _target_reason(view: TableView, question: PendingDecision, choice: str) -> Text:
    galleys_by_id = {galley.id: galley for galley in view.galleys}
    firer = galleys_by_id[question.galley]
    gaps = {other: hull.hull_gap_mm(firer, galleys_by_id[other]) for other in question.choices}
    count = volley.volley_size(firer, gaps[choice])
    params: dict[str, Scalar] = {"galley": firer.id, "foe": choice, "gap_mm": gaps[choice], "matches": count}
    nearest = gaps[choice] <= min(gaps.values()) + hull.LENGTH_TOLERANCE_MM
    return Text("reason.target.nearest" if nearest else "reason.target", params)


def _spares_most_oars(view: TableView, question: PendingDecision, choice: str) -> bool:
    galley = find_by_id(view.galleys, question.galley)

    def weaker_side_oars(option: str) -> int:
        port, starboard, _ = choice_numbers(option)
        return min(galley.port - port, galley.starboard - starboard)

    return weaker_side_oars(choice) == max(map(weaker_side_oars, question.choices))


def _is_evenest(question: PendingDecision, choice: str) -> bool:
    def difference(option: str) -> int:
        port, starboard = choice_numbers(option)
        return abs(port - starboard)

    return difference(choice) == min(map(difference, question.choices))
