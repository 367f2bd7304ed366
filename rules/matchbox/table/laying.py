"""Order matches on the table: where they lie, and which stay in the hand (MB-4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from rules import geometry
from rules.geometry import Pair
from rules.matchbox.table.kinds import GALLEY, Kind
from rules.matchbox.table.pose import Pose
from rules.matchbox.table.state import MATCH_MM, SLOTS, Galley, LaidMatch, Letter
from rules.plane import Land

MOVES: Final = frozenset("FLR")
"""Orders that move a vessel."""
_LETTERS: Final[Mapping[str, Letter]] = {"F": "F", "L": "L", "R": "R", "X": "X", "G": "G"}
"""What a match shows of each order whose match is no `Z`."""
_ASIDE_MM: Final = 3.0
"""MB-4.3: how far the matches of a `ZZ` lie to either side of the way."""


class Laid(NamedTuple):
    """What lies on the table."""

    lying: tuple[LaidMatch, ...]
    """In the order in which they were laid."""
    in_hand: tuple[str, ...]
    """Galleys some of whose matches stay in the hand, in galley order."""


def lay(
    galleys: Sequence[Galley], steps: Mapping[str, Sequence[str]], first: int = 1, land: Land | None = None
) -> Laid:
    """Lay the matches of steps `first` to 5 of all galleys, from where they are (MB-4.2 to 4.5).

    None lies on land (MX-1.17). `steps` gives for each galley id what it does in each of the five steps, as
    `orders.steps` does.
    """
    if first > SLOTS:
        return Laid((), ())
    fleet = [_Laying(galley, steps[galley.id], first) for galley in galleys]
    for one, other in combinations(fleet, 2):
        if geometry.overlap(one.waters, other.waters):
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
            if (land and _ashore(match, land, one.longest_mm / 2)) or (one.near and _crosses(match, one)):
                in_hand.add(one.galley)
            else:
                lying.append(match)
    return Laid(tuple(lying), tuple(one.galley for one in fleet if one.galley in in_hand))


class _Laying:
    """One galley whose matches are laid."""

    __slots__ = ("galley", "hull", "longest_mm", "lying", "matches", "middle_2", "near", "reach_2_mm", "waters")

    def __init__(self, galley: Galley, steps: Sequence[str], first: int) -> None:
        pose = galley.pose
        self.galley = galley.id
        kind = galley.kind
        self.matches, way = _matches(galley.id, pose, kind, steps, first)
        self.longest_mm = max(MATCH_MM, kind.move_mm)
        """Of her matches."""
        x, y, reach = pose.x_mm, pose.y_mm, kind.prow_reach_mm + self.longest_mm * len(way)
        self.lying: list[tuple[float, float, Pair, Pair]] = []
        """Of those that lie already: twice the middle, tail and head."""
        self.near: list[_Laying] = []
        """Galleys whose matches or hulls hers might cross."""
        self.hull = kind.box(pose)
        self.middle_2 = 2 * self.hull.x, 2 * self.hull.y
        """Twice the middle of her hull."""
        self.reach_2_mm = 2 * kind.reach_mm + 0.01
        """Twice as far as her hull reaches from its middle."""
        self.waters = x - reach, y - reach, x + reach, y + reach
        """What holds her hull and all her matches."""


def way(pose: Pose, orders: str, kind: Kind = GALLEY) -> tuple[tuple[LaidMatch, ...], tuple[Pose, ...]]:
    """Matches of one vessel laid from a pose with nothing in the way, and the pose after each step.

    A `ZZ` gives two steps, so that there are as many poses as letters.
    """
    return _matches("", pose, kind, orders.replace("ZZ", "12"), 1)


def moved(pose: Pose, order: str, kind: Kind = GALLEY) -> Pose:
    """Where an order takes a vessel whose way is free (MB-5.2, 5.3)."""
    turn = kind.turns_deg.get(order)
    if turn is None:
        return pose
    heading = (pose.heading_deg + turn) % 360
    ux, uy = geometry.direction(heading)
    return Pose(pose.x_mm + kind.move_mm * ux, pose.y_mm + kind.move_mm * uy, heading)


def _matches(
    galley: str, pose: Pose, kind: Kind, steps: Sequence[str], first: int
) -> tuple[tuple[LaidMatch, ...], tuple[Pose, ...]]:
    """Lay matches by step, from the pose at the beginning of step `first`; with the poses after each step."""
    matches: list[LaidMatch] = []
    poses: list[Pose] = []
    for step, order in enumerate(steps[first - 1 :], first):
        if not order:
            break
        before, pose = pose, moved(pose, order, kind)
        poses.append(pose)
        matches.append(_match(galley, step, order, before, pose))
    return tuple(matches), tuple(poses)


def _match(galley: str, step: int, order: str, before: Pose, after: Pose) -> LaidMatch:
    """One match: along the way, across it, or beside it with its head backward (MB-4.2, 4.3, MX-3.1)."""
    letter = _LETTERS.get(order, "Z")
    tail_x, tail_y, head_x, head_y = before.x_mm, before.y_mm, after.x_mm, after.y_mm
    if order not in MOVES:
        ux, uy = geometry.direction(before.heading_deg)
        if order == "X":
            half = MATCH_MM / 2
            tail_x, tail_y, head_x, head_y = (
                tail_x - half * uy,
                tail_y + half * ux,
                head_x + half * uy,
                head_y - half * ux,
            )
        elif order == "G":
            head_x, head_y = tail_x + MATCH_MM * ux, tail_y + MATCH_MM * uy
        else:
            aside = _ASIDE_MM if order in {"Z2", "2"} else -_ASIDE_MM
            head_x, head_y = head_x + aside * uy, head_y - aside * ux
            tail_x, tail_y = head_x + MATCH_MM * ux, head_y + MATCH_MM * uy
    return LaidMatch(
        galley=galley,
        step=step,
        order=letter,
        tail_x_mm=tail_x,
        tail_y_mm=tail_y,
        head_x_mm=head_x,
        head_y_mm=head_y,
    )


def _crosses(match: LaidMatch, of: _Laying) -> bool:
    """Whether a galley's match would cross a match or the hull of another (MB-4.4); if not, it lies."""
    tail, head = ends(match)
    x, y = tail[0] + head[0], tail[1] + head[1]
    longest = of.longest_mm
    for other in of.near:
        at_x, at_y = other.middle_2
        near_2 = longest + other.reach_2_mm
        near = -near_2 <= at_x - x <= near_2 and -near_2 <= at_y - y <= near_2
        if near and geometry.segment_meets_box(tail, head, other.hull):
            return True
        near_2 = longest + other.longest_mm + 0.01
        for at_x, at_y, a, b in other.lying:
            # Twice the middle of each: so far apart, east or north, they do not meet.
            near = -near_2 <= at_x - x <= near_2 and -near_2 <= at_y - y <= near_2
            if near and geometry.segments_meet(tail, head, a, b):
                return True
    of.lying.append((x, y, tail, head))
    return False


def _ashore(match: LaidMatch, land: Land, half_mm: float) -> bool:
    """Whether a match, no longer than twice that, would share a point with land (MX-1.17)."""
    if land.sounding((match.tail_x_mm + match.head_x_mm) / 2, (match.tail_y_mm + match.head_y_mm) / 2) > half_mm:
        return False
    tail, head = ends(match)
    return not land.surely_off(tail, head) and bool(land.edge_gaps(tail, head) == 0)


def ends(match: LaidMatch) -> tuple[Pair, Pair]:
    """Tail and head of a match in mm."""
    return (match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm)
