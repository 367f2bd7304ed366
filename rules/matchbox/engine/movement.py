"""Movement of one order step: all galleys move at once, and stop where they meet (MB-5.2 to 5.5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations
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
"""Meetings closer in time, in steps, are simultaneous: 0.05 millionths of a millimetre of the way."""
SAME_LANDFALL: Final = 1e-6  # like `SAME_INSTANT` for land, whose distance MX-1.8 leaves uncertain by 0.000001 mm


class MoveResult(Struct, frozen=True, gc=False):
    path: Path  # the way that was ordered
    fraction: float  # the part of the path before another hull or land stopped it; 1: nothing did
    end: Pose  # the pose at the end of the step
    stopped_by_land: bool = False  # whether land ended the way (MX-1.8)

    @property
    def gained_mm(self) -> float:
        return self.path.length_mm * self.fraction


def move_all(
    galleys: Sequence[Galley],
    steps: Mapping[str, str],
    sea: Sea,
    limits: Mapping[tuple[str, str], GapLimits] | None = None,
) -> dict[str, MoveResult]:
    """Move all galleys at once by their orders in `steps`, and return the results by galley id.

    Where two hulls would begin to overlap both stop, and the others go on (MB-5.5). Land stops each hull on its own
    way, in one sequence with these stops (MX-1.8). `limits` lists pairs, in galley order, that may come nearer than
    `FREE_LIMITS`, because galleys in contact may slide along each other.
    """
    limits_by_pair = limits or {}
    # From here on, keys are galley ids. A stopped galley keeps a path that stays where it is.
    paths = {galley.id: path.path_of_order(galley.pose, steps[galley.id], sea, galley.kind) for galley in galleys}
    moving = {galley: route for galley, route in paths.items() if not route.is_still}
    ways = {galley: MoveResult(route, 1.0, route.end) for galley, route in paths.items()}
    hulls = {galley: (route.first_hull, route.last_hull) for galley, route in paths.items()} if moving else {}
    near_pairs = _near_pairs(paths, hulls, moving)
    meetings = _first_meetings(near_pairs, paths, hulls, limits_by_pair)
    landfalls = _land_stops(moving, sea.shore) if sea.land else {}
    while moving and (meetings or landfalls):
        instant = min((*meetings.values(), *landfalls.values()))
        # A hull stopped by land pushes no other, so land comes first. Meetings with that hull are computed again.
        ashore = [galley for galley, t in landfalls.items() if t <= instant + SAME_LANDFALL]
        colliding = () if ashore else [pair for pair, t in meetings.items() if t <= instant + SAME_INSTANT]
        stopped = {*ashore, *chain.from_iterable(colliding)}
        for galley in stopped:
            route = moving.pop(galley, None)
            if route:
                stop_pose = route.pose_at(instant)
                ways[galley] = MoveResult(route, instant, stop_pose, galley in ashore)
                paths[galley] = Path(stop_pose, stop_pose, kind=route.kind)
                landfalls.pop(galley, None)
        meetings = {pair: t for pair, t in meetings.items() if pair[0] not in stopped and pair[1] not in stopped}
        meetings |= _meetings_with_stopped(
            near_pairs, stopped, moving, paths, now=instant, limits_by_pair=limits_by_pair
        )
    return ways


def _first_meetings(
    near_pairs: Sequence[tuple[str, str]],
    paths: Mapping[str, Path],
    hulls: Mapping[str, tuple[Box, Box]],
    limits_by_pair: Mapping[tuple[str, str], GapLimits],
) -> dict[tuple[str, str], float]:
    """Return when hulls of these pairs meet if nothing stops them before."""
    meetings: dict[tuple[str, str], float] = {}
    for pair in near_pairs:
        a, b = pair
        (from_a, to_a), (from_b, to_b) = hulls[a], hulls[b]
        t_met = find_meeting_between(
            paths[a], paths[b], (from_a, from_b), (to_a, to_b), 0.0, limits_by_pair.get(pair, FREE_LIMITS)
        )
        if t_met is not None:
            meetings[pair] = t_met
    return meetings


def _meetings_with_stopped(
    near_pairs: Sequence[tuple[str, str]],
    stopped: Collection[str],
    moving: Collection[str],
    paths: Mapping[str, Path],
    *,
    now: float,
    limits_by_pair: Mapping[tuple[str, str], GapLimits],
) -> dict[tuple[str, str], float]:
    """Return when moving hulls meet those that have just stopped."""
    meetings: dict[tuple[str, str], float] = {}
    for pair in near_pairs:
        a, b = pair
        if (a in stopped) != (b in stopped) and (a in moving or b in moving):
            t_met = find_meeting(paths[a], paths[b], now, limits_by_pair.get(pair, FREE_LIMITS))
            if t_met is not None:
                meetings[pair] = t_met
    return meetings


def _land_stops(moving: Mapping[str, Path], land: Land | None) -> dict[str, float]:
    """Return when land stops each galley if nothing stops it before (MX-1.8)."""
    if not land:
        return {}
    return {galley: t for galley, route in moving.items() if (t := shore.land_stop(route, land)) is not None}


def _near_pairs(
    paths: Mapping[str, Path], hulls: Mapping[str, tuple[Box, Box]], moving: Collection[str]
) -> list[tuple[str, str]]:
    # Pairs that may meet in the step, because the circles that they sweep overlap.
    circles = [(galley, galley in moving, *_swept_circle(paths[galley], *ends)) for galley, ends in hulls.items()]
    pairs = []
    for (a, a_moves, ax, ay, reach_a), (b, b_moves, bx, by, reach_b) in combinations(circles, 2):
        if a_moves or b_moves:
            east, north, reach = ax - bx, ay - by, reach_a + reach_b
            if east * east + north * north <= reach * reach:
                pairs.append((a, b))
    return pairs


def _swept_circle(route: Path, first_hull: Box, last_hull: Box) -> tuple[float, float, float]:
    """Return middle and radius, in mm, of a circle around all positions of a hull in a step."""
    x, y, reach = first_hull.x, first_hull.y, route.kind.reach_mm + hull.LENGTH_TOLERANCE_MM
    if first_hull is last_hull:
        return x, y, reach
    reach += max_stray_mm(route)
    if route.sea:
        return x, y, reach
    to_x, to_y = last_hull.x, last_hull.y
    return (x + to_x) / 2, (y + to_y) / 2, reach + math.hypot(to_x - x, to_y - y) / 2
