"""Order matches on the table: where they lie, and which stay in the hand (MB-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple, cast

from rules import geometry
from rules.geometry import Point
from rules.matchbox import hull
from rules.matchbox.state import MATCH_MM, SLOTS, Galley, LaidMatch, Pose

TURN_DEG: Final = 60.0
"""MB-4.2: the lower arm of an equilateral triangle."""
TURNS_DEG: Final = {"F": 0.0, "L": -TURN_DEG, "R": TURN_DEG}
_NEAR_MATCH_MM: Final = MATCH_MM + 0.01
"""Matches whose middles are farther apart do not meet."""
_NEAR_HULL_MM: Final = MATCH_MM / 2 + hull.REACH_MM + 0.01
"""A match does not meet a hull whose middle is farther from its own."""
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
    fleet = [_Laying(galley, *_matches(galley.id, galley.pose, steps[galley.id], first)) for galley in galleys]
    for one, other in combinations(fleet, 2):
        if _may_meet(one, other):
            one.near.append(other)
            other.near.append(one)
    lying: list[LaidMatch] = []
    in_hand: set[str] = set()
    for place in range(SLOTS + 1 - first):
        for one in fleet:
            # A list has no gaps, so that its matches of one step come at the place of that step.
            if place >= len(one.matches) or one.galley in in_hand:
                continue
            match = one.matches[place]
            if one.near and _crosses(match, one.near):
                in_hand.add(one.galley)
            else:
                lying.append(match)
                one.lying.append(match)
    return Laid(tuple(lying), tuple(one.galley for one in fleet if one.galley in in_hand))


class _Laying:
    """One galley whose matches are laid."""

    def __init__(self, galley: Galley, matches: Sequence[LaidMatch], way: Sequence[Pose]) -> None:
        self.galley = galley.id
        self.matches = matches
        self.lying: list[LaidMatch] = []
        """Those that lie already."""
        self.near: list[_Laying] = []
        """Galleys whose matches or hulls hers might cross."""
        self.hull = hull.box(galley.pose)
        xs, ys = [galley.pose.x_mm], [galley.pose.y_mm]
        for pose in way:
            xs.append(pose.x_mm)
            ys.append(pose.y_mm)
        self.way = min(xs), min(ys), max(xs), max(ys)
        """West, south, east and north ends of the prow's way."""


def _may_meet(one: _Laying, other: _Laying) -> bool:
    west, south, east, north = one.way
    other_west, other_south, other_east, other_north = other.way
    apart = max(west - other_east, other_west - east, south - other_north, other_south - north)
    return apart <= 2 * hull.PROW_REACH_MM


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


def _crosses(match: LaidMatch, others: Sequence[_Laying]) -> bool:
    """Whether a match would cross a match or the hull of one of these galleys (MB-4.4)."""
    tail, head = ends(match)
    x, y = tail[0] + head[0], tail[1] + head[1]
    for other in others:
        off_x, off_y = 2 * other.hull[0] - x, 2 * other.hull[1] - y
        near = off_x * off_x + off_y * off_y <= 4 * _NEAR_HULL_MM**2
        if near and geometry.segment_meets_box(tail, head, other.hull):
            return True
        for one in other.lying:
            off_x, off_y = one.tail_x_mm + one.head_x_mm - x, one.tail_y_mm + one.head_y_mm - y
            near = off_x * off_x + off_y * off_y <= 4 * _NEAR_MATCH_MM**2
            if near and geometry.segments_meet(tail, head, *ends(one)):
                return True
    return False


def ends(match: LaidMatch) -> tuple[Point, Point]:
    """Tail and head of a match in mm."""
    return Point(match.tail_x_mm, match.tail_y_mm), Point(match.head_x_mm, match.head_y_mm)
