"""Movement of one order step: all at once, and galleys stop where they meet (MB-5.2 to 5.5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from rules.geometry.boxes import Box
from rules.geometry.plane import Land
from rules.matchbox.engine import hull, path, shore
from rules.matchbox.engine.meeting import FREE_LIMITS, GapLimits, find_meeting, find_meeting_between, max_stray_mm
from rules.matchbox.engine.path import Path
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley

SAME_INSTANT: Final = 1e-9
"""Meetings no farther apart than this part of a step are one: 0.05 millionths of a millimetre of the way."""
SAME_LANDFALL: Final = 1e-6
"""The same where land stops a hull: she takes so long over the 0.000001 mm that MX-1.8 leaves to rounding."""


class MoveResult(Struct, frozen=True, gc=False):
    """What became of one galley's move."""

    path: Path
    fraction: float
    """Of the path gone before another hull or land stopped it; 1 if nothing did."""
    end: Pose
    stopped_by_land: bool = False
    """Land stopped it (MX-1.8)."""

    @property
    def gained_mm(self) -> float:
        """How far the prow got."""
        return self.path.length_mm * self.fraction


def move_all(
    galleys: Sequence[Galley],
    steps: Mapping[str, str],
    sea: Sea,
    limits: Mapping[tuple[str, str], GapLimits] | None = None,
) -> dict[str, MoveResult]:
    """Move all galleys at once; `steps` gives what each does in this step. Ways by galley id.

    Where two hulls would begin to overlap both stop, and the others go on (MB-5.5). Land stops each on its own way, in
    one sequence with these stops (MX-1.8). `limits` gives pairs, in galley
    order, that may come nearer than `FREE_LIMITS` says: who touches another may slide along her.
    """
    near_enough = limits or {}
    paths = {galley.id: path.path_of_order(galley.pose, steps[galley.id], sea, galley.kind) for galley in galleys}
    moving = {galley: one for galley, one in paths.items() if not one.is_still}
    ways = {galley: MoveResult(one, 1.0, one.end) for galley, one in paths.items()}
    hulls = {galley: (one.first_hull, one.last_hull) for galley, one in paths.items()} if moving else {}
    near = _near_pairs(paths, hulls, moving)
    meetings: dict[tuple[str, str], float] = {}
    for pair in near:
        a, b = pair
        (from_a, to_a), (from_b, to_b) = hulls[a], hulls[b]
        t_met = find_meeting_between(
            paths[a], paths[b], (from_a, from_b), (to_a, to_b), 0.0, near_enough.get(pair, FREE_LIMITS)
        )
        if t_met is not None:
            meetings[pair] = t_met
    landfalls = _land_stops(moving, sea.shore) if sea.land else {}
    while moving and (meetings or landfalls):
        now = min((*meetings.values(), *landfalls.values()))
        # A hull that land stops presses nobody: so land comes first, and hulls that met her then are asked again.
        ashore = [galley for galley, t in landfalls.items() if t <= now + SAME_LANDFALL]
        met = set(ashore)
        if not ashore:
            met.update(*(pair for pair, t in meetings.items() if t <= now + SAME_INSTANT))
        for galley in met:
            one = moving.pop(galley, None)
            if one:
                here = one.pose_at(now)
                ways[galley] = MoveResult(one, now, here, galley in ashore)
                paths[galley] = Path(here, here, kind=one.kind)
                landfalls.pop(galley, None)
        meetings = {pair: t for pair, t in meetings.items() if pair[0] not in met and pair[1] not in met}
        for pair in near:
            a, b = pair
            if (a in met) != (b in met) and (a in moving or b in moving):
                t_met = find_meeting(paths[a], paths[b], now, near_enough.get(pair, FREE_LIMITS))
                if t_met is not None:
                    meetings[pair] = t_met
    return ways


def _land_stops(moving: Mapping[str, Path], land: Land | None) -> dict[str, float]:
    """When land stops each galley, if nothing stops it before (MX-1.8)."""
    if not land:
        return {}
    return {galley: t for galley, one in moving.items() if (t := shore.land_stop(one, land)) is not None}


def _near_pairs(
    paths: Mapping[str, Path], hulls: Mapping[str, tuple[Box, Box]], moving: Collection[str]
) -> list[tuple[str, str]]:
    """Pairs of galleys, in galley order, that can come near each other, whether or not others stop them."""
    waters = [(galley, galley in moving, *_swept_circle(paths[galley], *ends)) for galley, ends in hulls.items()]
    near = []
    for (a, a_moves, ax, ay, reach_a), (b, b_moves, bx, by, reach_b) in combinations(waters, 2):
        if a_moves or b_moves:
            east, north, reach = ax - bx, ay - by, reach_a + reach_b
            if east * east + north * north <= reach * reach:
                near.append((a, b))
    return near


def _swept_circle(of: Path, first: Box, last: Box) -> tuple[float, float, float]:
    """The middle and radius, in mm, of a circle about all that a hull can be over in a step, wherever it is stopped."""
    x, y, reach = first.x, first.y, of.kind.reach_mm + hull.LENGTH_TOLERANCE_MM
    if first is last:
        return x, y, reach
    reach += max_stray_mm(of)
    if of.sea:
        return x, y, reach
    to_x, to_y = last.x, last.y
    return (x + to_x) / 2, (y + to_y) / 2, reach + math.hypot(to_x - x, to_y - y) / 2
