"""Order matches on the table: where they lie, and which stay in hand (MB-4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from rules.geometry import boxes
from rules.geometry.boxes import Box, Pair
from rules.geometry.plane import Land
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import MATCH_MM, SLOTS, Galley, LaidMatch, MatchLetter

MOVE_ORDERS: Final = frozenset("FLR")
_MATCH_LETTERS: Final[Mapping[str, MatchLetter]] = {"F": "F", "L": "L", "R": "R", "X": "X", "G": "G"}
_ZZ_OFFSET_MM: Final = 3.0  # distance of the matches of a `ZZ` from the way, on either side (MB-4.3)


_MatchLine = tuple[float, float, Pair, Pair]  # a match on the table: twice its middle, its tail and its head
_Obstacle = tuple[float, float, float, Box, float, list[_MatchLine]]
"""Twice the middle of a galley's hull, twice the hull's reach, the hull, twice the reach of its matches, and the
matches."""


class TableContents(NamedTuple):
    """Order matches on the table, in the order in which they were laid."""

    lying: tuple[LaidMatch, ...]  # all matches on the table
    in_hand: tuple[str, ...]  # galleys some of whose matches stay in hand, in galley order


def lay_matches(
    galleys: Sequence[Galley],
    steps: Mapping[str, Sequence[str]],
    first: int = 1,
    land: Land | None = None,
    dry_until: dict[str, int] | None = None,
) -> TableContents:
    """Lay the matches of steps `first` to 5 of all galleys, from their current poses (MB-4.2 to 4.5).

    A match stays in hand, with all later ones of its galley, if it would cross another galley or its matches, or lie on
    land (MX-1.17). `steps` maps galley ids to results of `orders.step_orders`. `dry_until` is a cache
    that this updates: the step, by galley id, up to which matches surely lie off land while the galley moves as
    ordered.
    """
    dry_until = {} if dry_until is None else dry_until
    # A list has no gaps. So a galley without an order for the first of these steps has none for later ones.
    if first > SLOTS or not any(steps[galley.id][first - 1] for galley in galleys):
        return TableContents((), ())
    fleet = [_GalleyLaying(galley, steps[galley.id], first, dry_until.get(galley.id, 0)) for galley in galleys]
    reach_circles = [(laying, laying.pose.x_mm, laying.pose.y_mm, laying.reach_mm) for laying in fleet]
    # Galleys whose circles are apart cannot cross each other's matches.
    for (laying, x, y, reach), (other, x2, y2, other_reach) in combinations(reach_circles, 2):
        east, north, reach_sum = x - x2, y - y2, reach + other_reach
        if east * east + north * north <= reach_sum * reach_sum:
            laying.near.append(other.obstacle)
            other.near.append(laying.obstacle)
    lying: list[LaidMatch] = []
    for step in range(first, SLOTS + 1):
        for laying in fleet:
            order = laying.steps[step - 1]
            if laying.in_hand or not order:
                continue
            before = laying.pose
            laying.pose = after = pose_after_order(before, order, laying.kind)
            match = _make_match(laying.galley, step, order, before, after)
            is_ashore = land and step > laying.dry_until and _touches_land(match, laying, land)
            if is_ashore or (laying.near and _would_cross(match, laying)):
                laying.in_hand = True
            else:
                lying.append(match)
    if land:
        dry_until |= {laying.galley: laying.dry_until for laying in fleet}
    return TableContents(tuple(lying), tuple([laying.galley for laying in fleet if laying.in_hand]))


class _GalleyLaying:  # a galley whose matches are being laid
    __slots__ = (
        *(
            "dry_until",
            "galley",
            "in_hand",
            "kind",
            "longest_mm",
            "lying",
            "near",
            "obstacle",
            "pose",
            "reach_mm",
            "steps",
        ),
    )

    def __init__(self, galley: Galley, steps: Sequence[str], first: int, dry_until: int) -> None:
        self.galley = galley.id
        self.kind = kind = galley.kind
        self.steps = steps
        self.pose = pose = galley.pose  # where the galley is when its next match is laid
        self.longest_mm = longest = max(MATCH_MM, kind.move_mm)
        self.reach_mm = kind.prow_reach_mm + longest * (len(steps) + 1 - first - steps[first - 1 :].count(""))
        self.lying: list[_MatchLine] = []  # its matches on the table that others might cross
        hull = kind.make_box(pose)
        # What others must not cross, as in `_Obstacle`, with a margin for rounding.
        self.obstacle = 2 * hull.x, 2 * hull.y, 2 * kind.reach_mm + 0.01, hull, longest + 0.01, self.lying
        self.near: list[_Obstacle] = []  # galleys whose matches or hulls its matches might cross
        self.in_hand = False  # whether a match could not be laid, so that the rest stay in hand
        self.dry_until = dry_until  # the step up to which its matches surely lie off land


def lay_free(pose: Pose, orders: str, kind: VesselKind = GALLEY) -> tuple[tuple[LaidMatch, ...], tuple[Pose, ...]]:
    """Return matches and poses of one vessel with nothing in the way. `ZZ` takes two steps."""
    matches: list[LaidMatch] = []
    poses: list[Pose] = []
    for step, order in enumerate(orders.replace("ZZ", "12"), 1):
        pose_before, pose = pose, pose_after_order(pose, order, kind)
        poses.append(pose)
        matches.append(_make_match("", step, order, pose_before, pose))
    return tuple(matches), tuple(poses)


def pose_after_order(pose: Pose, order: str, kind: VesselKind = GALLEY) -> Pose:
    """Return where an order takes a vessel if nothing is in the way (MB-5.2, 5.3)."""
    turn = kind.turn_by_order_deg.get(order)
    if turn is None:
        return pose
    heading, distance = (pose.heading_deg + turn) % 360, kind.move_mm
    angle = math.radians(heading)
    return Pose(pose.x_mm + distance * math.sin(angle), pose.y_mm + distance * math.cos(angle), heading)


def _make_match(galley: str, step: int, order: str, pose_before: Pose, pose_after: Pose) -> LaidMatch:
    """Return a match along the galley's way, across its prow to fire, or beside the way for `ZZ` (MB-4.2, 4.3, MX-3.1).

    The matches of a `ZZ` point backward.
    """
    tail_x, tail_y, head_x, head_y = pose_before.x_mm, pose_before.y_mm, pose_after.x_mm, pose_after.y_mm
    if order not in MOVE_ORDERS:
        ux, uy = boxes.unit_vector(pose_before.heading_deg)
        if order == "X":
            half = MATCH_MM / 2
            tail_x, tail_y = tail_x - half * uy, tail_y + half * ux
            head_x, head_y = head_x + half * uy, head_y - half * ux
        elif order == "G":
            head_x, head_y = tail_x + MATCH_MM * ux, tail_y + MATCH_MM * uy
        else:
            offset = _ZZ_OFFSET_MM if order in {"Z2", "2"} else -_ZZ_OFFSET_MM
            head_x, head_y = head_x + offset * uy, head_y - offset * ux
            tail_x, tail_y = head_x + MATCH_MM * ux, head_y + MATCH_MM * uy
    return LaidMatch(
        galley=galley,
        step=step,
        order=_MATCH_LETTERS.get(order, "Z"),
        tail_x_mm=tail_x,
        tail_y_mm=tail_y,
        head_x_mm=head_x,
        head_y_mm=head_y,
    )


def _would_cross(match: LaidMatch, laying: _GalleyLaying) -> bool:
    """Return whether a match would cross a match or hull of another galley (MB-4.4). If not, record it as laid."""
    tail, head = match_ends(match)
    x, y = match.tail_x_mm + match.head_x_mm, match.tail_y_mm + match.head_y_mm
    longest_mm = laying.longest_mm
    for at_x, at_y, to_hull, hull, to_match, lying in laying.near:
        # All distances are doubled, as in `_Obstacle`. Beyond `reach` the two cannot meet.
        east, north, reach = at_x - x, at_y - y, longest_mm + to_hull
        if east * east + north * north <= reach * reach and boxes.segment_meets_box(tail, head, hull):
            return True
        reach = longest_mm + to_match
        for there_x, there_y, a, b in lying:
            east, north = there_x - x, there_y - y
            if east * east + north * north <= reach * reach and boxes.segments_meet(tail, head, a, b):
                return True
    laying.lying.append((x, y, tail, head))
    return False


def _touches_land(match: LaidMatch, laying: _GalleyLaying, land: Land) -> bool:
    """Return whether a match would touch land (MX-1.17)."""
    longest_mm = laying.longest_mm
    distance = land.distance_bound((match.tail_x_mm + match.head_x_mm) / 2, (match.tail_y_mm + match.head_y_mm) / 2)
    clearance = distance - longest_mm / 2
    if clearance > 0:
        # Each later match lies at most one length farther, and a `ZZ` slightly to the side.
        laying.dry_until = match.step + int((clearance - _ZZ_OFFSET_MM) / longest_mm)
        return False
    tail, head = match_ends(match)
    return not land.is_surely_clear(tail, head) and land.touches_segment(tail, head)


def match_ends(match: LaidMatch) -> tuple[Pair, Pair]:
    return (match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm)
