"""Order matches on the table: where they lie, and which stay in the hand (MB-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, cast

from rules import geometry
from rules.geometry import Box, Point
from rules.matchbox import hull
from rules.matchbox.state import MATCH_MM, SLOTS, Galley, LaidMatch, Pose

TURN_DEG: Final = 60.0
"""MB-4.2: the lower arm of an equilateral triangle."""
TURNS_DEG: Final = {"F": 0.0, "L": -TURN_DEG, "R": TURN_DEG}
_NEAR_MATCH_MM: Final = 2 * MATCH_MM + 1.0
"""Matches whose tails are farther apart do not meet."""
_NEAR_HULL_MM: Final = MATCH_MM + hull.REACH_MM + 1.0
"""A match does not meet a hull whose middle is farther from its tail."""
_ASIDE_MM: Final = 3.0
"""MB-4.3: how far the matches of a `ZZ` lie to either side of the way."""


class Laid(NamedTuple):
    """What lies on the table."""

    lying: tuple[LaidMatch, ...]
    """In the order in which they were laid."""
    in_hand: tuple[str, ...]
    """Galleys some of whose matches stay in the hand, in galley order."""


def lay(galleys: Sequence[Galley], steps: Mapping[str, Sequence[str]], first: int = 1) -> Laid:
    """Lay the matches of steps `first` to 5 of all galleys, from where they are (MB-4.2 to 4.5).

    `steps` gives for each galley id what it does in each of the five steps, as `orders.steps` does.
    """
    hulls = {galley.id: hull.box(galley.pose) for galley in galleys}
    to_lay = {galley.id: _matches(galley.id, galley.pose, steps[galley.id], first)[0] for galley in galleys}
    lying: list[LaidMatch] = []
    in_hand: set[str] = set()
    for step in range(first, SLOTS + 1):
        for galley, matches in to_lay.items():
            # A list has no gaps, so that its matches of one step come at the place of that step.
            if step - first >= len(matches) or galley in in_hand:
                continue
            match = matches[step - first]
            if _crosses(match, lying, hulls):
                in_hand.add(galley)
            else:
                lying.append(match)
    return Laid(tuple(lying), tuple(galley.id for galley in galleys if galley.id in in_hand))


def way(pose: Pose, orders: str) -> tuple[tuple[LaidMatch, ...], tuple[Pose, ...]]:
    """Matches of one galley laid from a pose with nothing in the way, and the pose after each step.

    A `ZZ` gives two steps, so that there are as many poses as letters.
    """
    return _matches("", pose, orders.replace("ZZ", "12"), 1)


def moved(pose: Pose, order: str) -> Pose:
    """Where an order takes a galley whose way is free (MB-5.2, 5.3)."""
    if order not in TURNS_DEG:
        return pose
    heading = (pose.heading_deg + TURNS_DEG[order]) % 360
    ux, uy = geometry.direction(heading)
    return Pose(pose.x_mm + MATCH_MM * ux, pose.y_mm + MATCH_MM * uy, heading)


def _matches(
    galley: str, pose: Pose, steps: Sequence[str], first: int
) -> tuple[tuple[LaidMatch, ...], tuple[Pose, ...]]:
    """Lay matches by step, from the pose at the beginning of step `first`; with the poses after each step."""
    matches: list[LaidMatch] = []
    poses: list[Pose] = []
    for step in range(first, len(steps) + 1):
        order = steps[step - 1]
        before, pose = pose, moved(pose, order)
        poses.append(pose)
        if order:
            matches.append(_match(galley, step, order, before, pose))
    return tuple(matches), tuple(poses)


def _match(galley: str, step: int, order: str, before: Pose, after: Pose) -> LaidMatch:
    """One match: along the way, across it, or beside it with its head backward (MB-4.2, 4.3)."""
    ux, uy = geometry.direction(before.heading_deg)
    x, y = before.x_mm, before.y_mm
    letter = order[0]
    if order in TURNS_DEG:
        tail, head = Point(x, y), Point(after.x_mm, after.y_mm)
    elif order == "X":
        half = MATCH_MM / 2
        tail, head = Point(x - half * uy, y + half * ux), Point(x + half * uy, y - half * ux)
    else:
        aside = _ASIDE_MM if order in {"Z2", "2"} else -_ASIDE_MM
        letter = "Z"
        head = Point(x + aside * uy, y - aside * ux)
        tail = Point(head.x + MATCH_MM * ux, head.y + MATCH_MM * uy)
    return LaidMatch(
        galley=galley,
        step=step,
        order=cast("Literal['F', 'L', 'R', 'X', 'Z']", letter),
        tail_x_mm=tail.x,
        tail_y_mm=tail.y,
        head_x_mm=head.x,
        head_y_mm=head.y,
    )


def _crosses(match: LaidMatch, lying: Sequence[LaidMatch], hulls: Mapping[str, Box]) -> bool:
    """Whether a match would cross another galley's match or a hull not its own (MB-4.4)."""
    tail, head = ends(match)
    x, y = tail
    return any(
        abs(other.tail_x_mm - x) <= _NEAR_MATCH_MM
        and abs(other.tail_y_mm - y) <= _NEAR_MATCH_MM
        and other.galley != match.galley
        and geometry.segments_meet(tail, head, *ends(other))
        for other in lying
    ) or any(
        abs(box.x - x) <= _NEAR_HULL_MM
        and abs(box.y - y) <= _NEAR_HULL_MM
        and galley != match.galley
        and geometry.segment_meets_box(tail, head, box)
        for galley, box in hulls.items()
    )


def ends(match: LaidMatch) -> tuple[Point, Point]:
    """Tail and head of a match in mm."""
    return Point(match.tail_x_mm, match.tail_y_mm), Point(match.head_x_mm, match.head_y_mm)
