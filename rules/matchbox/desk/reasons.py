"""One reason for what is ordered, carried out by the rules: what comes of it if the enemies lie still, or row on.

Nothing is thrown and nothing lost on the way, so that a round is followed only to its first blow. Each reason says what
it supposes of the enemies, and is true of every enemy who does so.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from rules import geometry
from rules.dice import Dice
from rules.errors import Scalar
from rules.finding import by_id
from rules.lessons import happened
from rules.matchbox.desk import errands, fleets
from rules.matchbox.desk.decisions import numbers
from rules.matchbox.desk.view import TableView
from rules.matchbox.table import boarding, hull, reach, volley
from rules.matchbox.table.events import Rammed, Reorganized
from rules.matchbox.table.incidents import FirePutOut, Torched
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.stages import Decisions, Play
from rules.matchbox.table.state import (
    SLOTS,
    Answer,
    Decision,
    Fleet,
    FleetOrders,
    Galley,
    Option,
    OrderList,
    Placement,
    Question,
    Side,
    Standing,
)
from rules.view import Text

Supposed = Literal["still", "on"]
"""What enemies are supposed to do: lie still and not fire, or row straight on with all their oars."""

_TURNED_DEG: Final = 15.0
"""Degrees by which the bow must come nearer to the enemy to count as a turn towards it."""
_NEARER_MM: Final = 1.0


class _Course(NamedTuple):
    """A round up to its first blow."""

    deeds: tuple[tuple[int, Text], ...]
    """Rams or volleys of the captain's galleys, the first against enemies, or their rowers' work: rank and reason."""
    ends: Mapping[str, Pose]
    """Where galleys are at the end; empty if a blow falls before."""


def reason(view: TableView, answer: Answer) -> Text:
    """The weightiest thing that orders lead to: a scenario's aim, a ram, a volley, rowers at work, or a way."""
    match answer:
        case Placement(galleys=(galley, *_)):
            return Text("reason.usual" if view.builds else f"reason.place.{galley.holes}", {"galley": galley.id})
        case Decision():
            return _of_decision(view, answer)
        case FleetOrders():
            return _of_orders(view, answer)
        case Fleet() if view.muster and fleets.are_even(view.muster, answer):
            return Text("reason.fleet")
    return Text("reason.usual")


# --- orders ----------------------------------------------------------------------------------------------------------


def _of_orders(view: TableView, answer: FleetOrders) -> Text:
    mine = {drawn.galley for drawn in answer.lists}
    seats = {galley.seat for galley in view.galleys if galley.id in mine}
    if len({galley.side for galley in view.galleys}) < 2 or len(seats) != 1:
        return Text("reason.usual")
    side = view.sides[seats.pop()]
    still, on = (_whatever_allies_do(view, answer, side, supposed) for supposed in ("still", "on"))
    found = [*errands.reasons(view, answer.lists), *still.deeds, *((2 + rank, text) for rank, text in on.deeds)]
    found += _ways(view, answer, still.ends) if still.ends else []
    return min(found, key=lambda each: each[0])[1] if found else Text("reason.usual")


def _whatever_allies_do(view: TableView, answer: FleetOrders, side: Side, supposed: Supposed) -> _Course:
    """What comes of orders both if allies lie still and if they row on: their orders are secret."""
    mine = {drawn.galley for drawn in answer.lists}
    allies = [galley for galley in view.galleys if galley.side == side and galley.id not in mine]
    course = _course(view, answer, side, supposed, [])
    if not allies:
        return course
    other = _course(view, answer, side, supposed, _rowing_on(allies))
    deeds = tuple(deed for deed in course.deeds if deed in other.deeds)
    alike = course.ends and other.ends and all(course.ends[galley] == other.ends[galley] for galley in mine)
    return _Course(deeds, course.ends if alike else {})


def _course(
    view: TableView, answer: FleetOrders, side: Side, supposed: Supposed, allies: Sequence[OrderList]
) -> _Course:
    """Carry out orders up to the first blow, the enemies doing as is supposed."""
    mine = {drawn.galley for drawn in answer.lists}
    foes = [galley for galley in view.galleys if galley.side != side] if supposed == "on" else []
    lists = [*answer.lists, *allies, *_rowing_on(foes)]
    target = "nearest" if answer.standing.target == "ask" else answer.standing.target
    standing = dict.fromkeys(range(len(view.sides)), Standing(target=target))
    options: tuple[Option, ...] = ("boarding",) if view.boarding else ()
    play = Play(view.sea, view.galleys, lists, Decisions(standing, {}, None, {}), Dice("00"), options)
    deeds: list[tuple[int, Text]] = []
    for step in range(1, SLOTS + 1):
        play.begin(step)
        play.move()
        for ram in play.events:
            if isinstance(ram, Rammed) and ram.by in mine and play.galleys[ram.to].side != side:
                params: dict[str, Scalar] = {"galley": ram.by, "foe": ram.to, "step": step}
                deeds.append((0, Text(f"reason.meet.{supposed}", {**params, "run": ram.run, "damage": ram.damage})))
            if isinstance(ram, Torched) and ram.by in mine and play.galleys[ram.galley].side != side:
                params = {"galley": ram.by, "foe": ram.galley, "step": step}
                deeds.append((0, Text(f"reason.torch.{supposed}", params)))
        play.target()
        for shot in () if play.blows else play.shots:
            if shot.by.id in mine:
                count = volley.count(shot.by, shot.gap_mm)
                params = {"galley": shot.by.id, "foe": shot.at.id, "step": step, "matches": count}
                deeds.append((1, Text(f"reason.fire.{supposed}", {**params, "gap_mm": shot.gap_mm})))
        grapples = [] if play.blows else list(_grapples(play, mine, side))
        for galley, foe in grapples:
            params = {"galley": galley.id, "foe": foe.id, "step": step, "masts": galley.masts, "against": foe.masts}
            deeds.append((1, Text(f"reason.board.{supposed}", params)))
        if play.blows or play.shots or grapples:
            return _Course(tuple(deeds), {})
        play.reorganize()
    for event in happened(play.events, Reorganized):
        before = by_id(view.galleys, event.galley)
        if event.galley in mine and min(event.port, event.starboard) > min(before.port, before.starboard):
            seated: dict[str, Scalar] = {"galley": event.galley, "port": event.port, "starboard": event.starboard}
            deeds.append((4, Text("reason.mend", seated)))
    deeds += [
        (4, Text("reason.put_out", {"galley": event.galley}))
        for event in happened(play.events, FirePutOut)
        if event.galley in mine
    ]
    return _Course(tuple(deeds), {galley.id: galley.pose for galley in play.afloat})


def _grapples(play: Play, mine: Collection[str], side: Side) -> Iterator[tuple[Galley, Galley]]:
    """Which of these galleys grapple in this step, each with her target (MX-3.2)."""
    for galley in play.doing("G"):
        options = boarding.in_reach(galley, play.afloat, play.sea)
        if galley.id in mine and galley.side == side and options:
            yield galley, min(options, key=lambda one: one[1])[0]


def _rowing_on(galleys: Sequence[Galley]) -> list[OrderList]:
    """Straight on with all oars."""
    return [OrderList(one.id, "F" * reach.moves(one)) for one in galleys]


def _ways(view: TableView, answer: FleetOrders, ends: Mapping[str, Pose]) -> Iterator[tuple[int, Text]]:
    """How each galley lies to the enemy that was nearest to her, if it lies still."""
    for drawn in answer.lists:
        galley, end = by_id(view.galleys, drawn.galley), ends[drawn.galley]
        foes = [other for other in view.galleys if other.side != galley.side]
        foe = min(foes, key=lambda each: (round(hull.gap_mm(galley, each), 6), each.id))
        before, gap = hull.gap_mm(galley, foe), geometry.gap(galley.kind.box(end), hull.of(foe))
        params: dict[str, Scalar] = {"galley": galley.id, "foe": foe.id, "from_mm": before, "gap_mm": gap}
        if gap <= before - _NEARER_MM:
            out_of_range = galley.masts and before > volley.RANGE_MM + hull.NOISE_MM
            key = "reason.approach" if out_of_range else "reason.nearer"
            yield 5, Text(key, {**params, "reach_mm": volley.RANGE_MM})
        elif _off_deg(galley, end, foe) <= _off_deg(galley, galley.pose, foe) - _TURNED_DEG:
            yield 6, Text("reason.turn", {"galley": galley.id, "foe": foe.id})
        elif gap >= before + _NEARER_MM:
            yield 7, Text("reason.away", params)
        else:
            yield 8, Text("reason.stay", params)


def _off_deg(galley: Galley, pose: Pose, foe: Galley) -> float:
    """How far from straight ahead the middle of an enemy bears, to either side, in degrees."""
    ahead, abeam = geometry.within(hull.middle(foe.pose, foe.kind), galley.kind.box(pose))
    return abs(math.degrees(math.atan2(abeam, ahead)))


# --- questions in mid-round ------------------------------------------------------------------------------------------


def _of_decision(view: TableView, answer: Decision) -> Text:
    """What speaks for a choice; of several questions of one kind that it would answer, of all of them."""
    asked = [question for question in view.questions if _answers(answer.choice, question)]
    if len({question.kind for question in asked}) != 1:
        return Text("reason.usual")
    kind = asked[0].kind
    if kind == "target" and len(asked) == 1:
        return _of_target(view, asked[0], answer.choice)
    if kind == "aim" and answer.choice == "steady":
        return Text("reason.aim.steady")
    if kind == "casualties" and all(_spares_oars(view, question, answer.choice) for question in asked):
        return Text("reason.casualties")
    if kind == "reorganize" and all(_is_evenest(question, answer.choice) for question in asked):
        return Text("reason.reorganize")
    return Text("reason.usual")


def _answers(choice: str, question: Question) -> bool:
    return question.kind == "aim" if choice in {"steady", "safe"} or "," in choice else choice in question.choices


def _of_target(view: TableView, question: Question, choice: str) -> Text:
    there = {galley.id: galley for galley in view.galleys}
    firer = there[question.galley]
    gaps = {other: hull.gap_mm(firer, there[other]) for other in question.choices}
    count = volley.count(firer, gaps[choice])
    params: dict[str, Scalar] = {"galley": firer.id, "foe": choice, "gap_mm": gaps[choice], "matches": count}
    nearest = gaps[choice] <= min(gaps.values()) + hull.NOISE_MM
    return Text("reason.target.nearest" if nearest else "reason.target", params)


def _spares_oars(view: TableView, question: Question, choice: str) -> bool:
    """Whether no other choice leaves her weaker side more oars."""
    galley = by_id(view.galleys, question.galley)

    def left(option: str) -> int:
        port, starboard, _ = numbers(option)
        return min(galley.port - port, galley.starboard - starboard)

    return left(choice) == max(map(left, question.choices))


def _is_evenest(question: Question, choice: str) -> bool:
    """Whether no other choice seats the rowers more evenly."""

    def uneven(option: str) -> int:
        port, starboard = numbers(option)
        return abs(port - starboard)

    return uneven(choice) == min(map(uneven, question.choices))
