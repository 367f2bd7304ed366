"""Movement of one order step: all at once, and galleys stop where they meet (MB-5.2 to 5.5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from rules import geometry
from rules.geometry import Box
from rules.matchbox import hull, laying
from rules.matchbox.state import Galley, Pose

_DEEPER_MM: Final = geometry.TOUCH
"""Hulls that are no deeper in each other than this do not overlap."""
_SOON: Final = 1e-6
"""A part of a step in which hulls that part at all do so by more than noise."""
_SAME_INSTANT: Final = 1e-9
_FINEST: Final = 1e-5
"""The shortest part of a step that is searched for a graze."""
_BEND: Final = 1000.0
"""Bound on the second derivative, in mm a step squared, of how far two turning hulls near each other are parted."""
_PACE: Final = 700.0
"""Bound on the first, in mm a step; it holds also for a hull that slides along the table's edge."""


class Path(NamedTuple):
    """How one galley goes through a step, from t = 0 to t = 1."""

    start: Pose
    end: Pose
    turn_deg: float = 0.0
    """Of its heading, positive to starboard."""
    at_edge: bool = False
    """Its end was pushed back onto the table (MB-5.4)."""
    table: tuple[float, float] | None = None
    """Set if its corners might swing over the edge on the way."""

    def pose(self, t: float) -> Pose:
        """Where it is at fraction t of the step (MB-5.3)."""
        if t <= 0:
            return self.start
        if t >= 1:
            return self.end
        start, end = self.start, self.end
        here = Pose(
            start.x_mm + t * (end.x_mm - start.x_mm),
            start.y_mm + t * (end.y_mm - start.y_mm),
            (start.heading_deg + t * self.turn_deg) % 360 if self.turn_deg else start.heading_deg,
        )
        return hull.pushed_back(here, *self.table) if self.table else here

    @property
    def still(self) -> bool:
        """Whether it goes nowhere."""
        return self.start == self.end

    @property
    def length_mm(self) -> float:
        """How far its prow goes."""
        return math.hypot(self.end.x_mm - self.start.x_mm, self.end.y_mm - self.start.y_mm)

    @property
    def sweep_mm(self) -> float:
        """No part of the middle's way is farther than this from where it starts."""
        return self.length_mm + hull.HALF_LENGTH_MM * math.radians(abs(self.turn_deg))


class Way(NamedTuple):
    """What became of one galley's move."""

    path: Path
    part: float
    """Of the path gone before another hull stopped it; 1 if none did."""
    end: Pose

    @property
    def gained_mm(self) -> float:
        """How far the prow got."""
        return self.path.length_mm * self.part


def path(pose: Pose, order: str, table: tuple[float, float]) -> Path:
    """The way that an order asks for, on a table of this width and height."""
    free = laying.moved(pose, order)
    end = hull.pushed_back(free, *table)
    pushed = math.hypot(end.x_mm - free.x_mm, end.y_mm - free.y_mm)
    turn = laying.TURNS_DEG.get(order, 0.0)
    if not turn and math.hypot(end.x_mm - pose.x_mm, end.y_mm - pose.y_mm) <= hull.NOISE_MM:
        end = pose  # pressed against the edge: floating point must not make a move of it
    swings_out = bool(turn) and _near_edge(pose, end, table)
    return Path(pose, end, turn, pushed > hull.GRAIN_MM, table if swings_out else None)


def go(
    galleys: Sequence[Galley],
    steps: Mapping[str, str],
    table: tuple[float, float],
    residue: Mapping[tuple[str, str], float] | None = None,
) -> dict[str, Way]:
    """Move all galleys at once; `steps` gives what each does in this step. Ways by galley id.

    At the earliest instant at which two hulls would begin to overlap both stop, and the others go on (MB-5.5).
    `residue` gives for pairs in galley order how deep, in mm and negative, rounding has left them in each other: so
    deep they may stay.
    """
    allowed = residue or {}
    paths = {galley.id: path(galley.pose, steps[galley.id], table) for galley in galleys}
    moving = {galley: one for galley, one in paths.items() if not one.still}
    ways = {galley: Way(one, 1.0, one.end) for galley, one in paths.items()}
    meetings = {
        (a, b): t
        for a, b in combinations(paths, 2)
        if (a in moving or b in moving)
        and (t := meeting(paths[a], paths[b], allowed=allowed.get((a, b), 0.0))) is not None
    }
    current = dict(paths)
    while meetings:
        now = min(meetings.values())
        met = {galley for pair, t in meetings.items() if t <= now + _SAME_INSTANT for galley in pair}
        for galley in met & moving.keys():
            here = paths[galley].pose(now)
            ways[galley] = Way(paths[galley], now, here)
            current[galley] = Path(here, here)
            del moving[galley]
        meetings = {pair: t for pair, t in meetings.items() if not met.intersection(pair)}
        for a, b in combinations(paths, 2):
            if (a in met) != (b in met) and (a in moving or b in moving):
                t_met = meeting(current[a], current[b], now, allowed.get((a, b), 0.0))
                if t_met is not None:
                    meetings[a, b] = t_met
    return ways


def meeting(a: Path, b: Path, since: float = 0.0, allowed: float = 0.0) -> float | None:
    """The first instant, from `since` to the end of the step, at which two hulls would begin to overlap.

    `allowed` is how deep they may be in each other, in mm and negative.
    """
    near = a.sweep_mm + b.sweep_mm + 2 * hull.REACH_MM
    from_a, from_b = hull.box(a.pose(since)), hull.box(b.pose(since))
    if math.hypot(from_a.x - from_b.x, from_a.y - from_b.y) > near:
        return None
    parted = geometry.separation(from_a, from_b)
    if parted < allowed - _DEEPER_MM:
        # Poses are kept to a millionth of a millimetre, so that hulls may touch a trifle too deep. They may part.
        soon = geometry.separation(hull.box(a.pose(since + _SOON)), hull.box(b.pose(since + _SOON)))
        if soon <= parted + _DEEPER_MM:
            return since
        allowed = parted
    if a.turn_deg or b.turn_deg:
        return _meeting_in_turn(a, b, since, allowed)
    return _meeting_straight((from_a, from_b), (hull.box(a.end), hull.box(b.end)), since, allowed)


def _meeting_straight(start: tuple[Box, Box], end: tuple[Box, Box], since: float, allowed: float) -> float | None:
    """In closed form: along each of the four axes the hulls overlap during one stretch of time."""
    a, b = start
    dx, dy = b.x - a.x, b.y - a.y
    vx, vy = (end[1].x - b.x) - (end[0].x - a.x), (end[1].y - b.y) - (end[0].y - a.y)
    axes = ((a.ux, a.uy), (a.uy, -a.ux), (b.ux, b.uy), (b.uy, -b.ux))
    apart = [
        (dx * x + dy * y, vx * x + vy * y, abs(dx * x + dy * y) - span)
        for (x, y), span in zip(axes, geometry.spans(a, b), strict=True)
    ]
    certain = _overlap_time(apart, allowed - _DEEPER_MM)
    if certain is None:
        return None
    first = _overlap_time(apart, allowed)
    t = max(0.0, first[0] if first else certain[0])
    return since + t * (1.0 - since)


def _overlap_time(apart: Sequence[tuple[float, float, float]], depth: float) -> tuple[float, float] | None:
    """When, within the way from 0 to 1, all of |place + t × rate| - reach are below `depth`; None: never."""
    low, high = 0.0, 1.0
    for place, rate, reach in apart:
        limit = reach + depth
        if abs(rate) < geometry.TOUCH:
            if abs(place) >= limit:
                return None
            continue
        enter, leave = (-limit - place) / rate, (limit - place) / rate
        low, high = max(low, min(enter, leave)), min(high, max(enter, leave))
        if low >= high:
            return None
    return low, high


def _meeting_in_turn(a: Path, b: Path, since: float, allowed: float) -> float | None:
    """By halving the time until each part either cannot hold an overlap or ends in one."""
    kinked = a.table is not None or b.table is not None
    too_deep = allowed - _DEEPER_MM
    stack = [(since, _parts(a, b, since), 1.0, _parts(a, b, 1.0))]
    while stack:
        low, at_low, high, at_high = stack.pop()
        width = high - low
        slack = _PACE * width / 2 if kinked else _BEND * width * width / 8
        if max(min(x, y) for x, y in zip(at_low, at_high, strict=True)) - slack >= too_deep:
            continue
        if width < _FINEST:
            if max(at_high) < too_deep:
                return _last_apart(a, b, low, high, allowed)
            continue
        between = (low + high) / 2
        at_between = _parts(a, b, between)
        stack.extend(((between, at_between, high, at_high), (low, at_low, between, at_between)))
    return None


def _parts(a: Path, b: Path, t: float) -> tuple[float, ...]:
    """How far each of the eight lines through the hulls' edges parts them at t."""
    return geometry.edge_spans(hull.box(a.pose(t)), hull.box(b.pose(t)))


def _last_apart(a: Path, b: Path, low: float, high: float, allowed: float) -> float:
    """The last instant before `high` at which the hulls are no deeper in each other than is allowed."""
    while high - low > 1e-13:
        between = (low + high) / 2
        if max(_parts(a, b, between)) >= allowed:
            low = between
        else:
            high = between
        if between in {low, high} and high - low <= 2e-16:
            break
    return low


def _near_edge(start: Pose, end: Pose, table: tuple[float, float]) -> bool:
    """Whether some corner might leave the table between two poses on it."""
    reach = hull.PROW_REACH_MM
    xs, ys = (start.x_mm, end.x_mm), (start.y_mm, end.y_mm)
    return min(*xs, *ys) < reach or max(xs) > table[0] - reach or max(ys) > table[1] - reach
