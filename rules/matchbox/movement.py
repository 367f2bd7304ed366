"""Movement of one order step: all at once, and galleys stop where they meet (MB-5.2 to 5.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from operator import add
from typing import Final

from msgspec import Struct

from rules import geometry
from rules.geometry import Box, Extent, Six
from rules.matchbox import hull, laying
from rules.matchbox.state import Galley, Pose

DEEPER_MM: Final = geometry.TOUCH
"""Hulls that are no deeper in each other than this do not overlap."""
SOON: Final = 1e-6
"""A part of a step in which hulls that part at all do so by more than noise."""
SAME_INSTANT: Final = 1e-9
"""Meetings no farther apart than this part of a step are one."""
FINEST: Final = 1e-5
"""The shortest part of a step that is searched for a graze."""
BEND: Final = 1000.0
"""Bound on the second derivative, in mm a step squared, of how far two turning hulls near each other are parted."""
_GRID: Final = 1e-13
"""The part of a step to which a meeting in a turn is found."""
_FLAT_MM: Final = 2e-12
"""Hulls that are parted by no more than this are at the very limit, as far as floating point tells."""
_SURE: Final = 16 * _GRID
"""Farther than this from a meeting the noise of floating point does not hide on which side of it an instant is."""
_STEEP: Final = 8.0
"""Of lines that part the hulls less by less than this, in mm a step, the noise of floating point might be too much."""
_BULGE_MM: Final = 4.5
"""More than the middle of a turning hull strays from the straight way, evenly gone, between where it is and its end."""
PACE: Final = 700.0
"""Bound on the first, in mm a step; it holds also where the table's edge begins or ceases to push a hull."""
LEAN: Final = 75.0
"""Bound on the second derivative, in mm a step squared, of how far a turning hull would reach over an edge."""


class Path(Struct, frozen=True):
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
        here = self._free(t)
        return hull.pushed_back(here, *self.table) if self.table else here

    def _free(self, t: float) -> Pose:
        start, end = self.start, self.end
        return Pose(
            start.x_mm + t * (end.x_mm - start.x_mm),
            start.y_mm + t * (end.y_mm - start.y_mm),
            (start.heading_deg + t * self.turn_deg) % 360 if self.turn_deg else start.heading_deg,
        )

    def smooth(self, low: float, high: float) -> bool:
        """Whether its way surely has no kink from one instant to another.

        A kink is where an edge begins or ceases to push the hull, or another corner of it is pushed.
        """
        if not self.table:
            return True
        heading = self.start.heading_deg
        crosses = (heading + low * self.turn_deg) // 90 != (heading + high * self.turn_deg) // 90
        # At the very beginning and end it may lie a trifle over the edge, and is not pushed.
        if crosses or low <= 0 or high >= 1:
            return False
        doubt = LEAN * (high - low) ** 2 / 8
        begin, end = (hull.overhangs(self._free(t), *self.table) for t in (low, high))
        return all(min(pair) > doubt or max(pair) < -doubt for pair in zip(begin, end, strict=True))

    def hull(self, t: float) -> Box:
        """The hull at fraction t of the step."""
        return hull.box(self.pose(t))

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


class Way(Struct, frozen=True):
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
    if end is pose:
        return Path(pose, pose)
    pushed = 0.0 if end is free else math.hypot(end.x_mm - free.x_mm, end.y_mm - free.y_mm)
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
    near = [(a, b) for a, b in _near_pairs(paths) if a in moving or b in moving]
    meetings = {
        (a, b): t for a, b in near if (t := meeting(paths[a], paths[b], allowed=allowed.get((a, b), 0.0))) is not None
    }
    current = dict(paths)
    while meetings:
        now = min(meetings.values())
        met = {galley for pair, t in meetings.items() if t <= now + SAME_INSTANT for galley in pair}
        for galley in met & moving.keys():
            here = paths[galley].pose(now)
            ways[galley] = Way(paths[galley], now, here)
            current[galley] = Path(here, here)
            del moving[galley]
        meetings = {pair: t for pair, t in meetings.items() if not met.intersection(pair)}
        for a, b in near:
            if (a in met) != (b in met) and (a in moving or b in moving):
                t_met = meeting(current[a], current[b], now, allowed.get((a, b), 0.0))
                if t_met is not None:
                    meetings[a, b] = t_met
    return ways


def _near_pairs(paths: Mapping[str, Path]) -> list[tuple[str, str]]:
    """Pairs of galleys, in galley order, that can come near each other, whether or not others stop them."""
    waters = [(galley, _waters(of)) for galley, of in paths.items()]
    return [(a, b) for (a, of_a), (b, of_b) in combinations(waters, 2) if geometry.overlap(of_a, of_b)]


def _waters(of: Path) -> Extent:
    """All that a hull can be over in a step, wherever it is stopped."""
    x, y = hull.box(of.start)[:2]
    reach = hull.REACH_MM + hull.NOISE_MM
    if of.table:
        reach += of.sweep_mm
        return x - reach, y - reach, x + reach, y + reach
    if of.turn_deg:
        reach += _BULGE_MM
    to_x, to_y = hull.box(of.end)[:2]
    return min(x, to_x) - reach, min(y, to_y) - reach, max(x, to_x) + reach, max(y, to_y) + reach


def meeting(a: Path, b: Path, since: float = 0.0, allowed: float = 0.0) -> float | None:
    """The first instant, from `since` to the end of the step, at which two hulls would begin to overlap.

    `allowed` is how deep they may be in each other, in mm and negative.
    """
    from_a, from_b = a.hull(since), b.hull(since)
    to_a, to_b = hull.box(a.end), hull.box(b.end)
    if _pass_wide(a, b, (from_a, from_b), (to_a, to_b)):
        return None
    parted = geometry.separation(from_a, from_b)
    if parted < allowed - DEEPER_MM:
        # Poses are kept to a millionth of a millimetre, so that hulls may touch a trifle too deep. They may part.
        soon = geometry.separation(a.hull(since + SOON), b.hull(since + SOON))
        if soon <= parted + DEEPER_MM:
            return since
        allowed = parted
    if a.turn_deg or b.turn_deg:
        return _meeting_in_turn(a, b, since, allowed)
    return _meeting_straight((from_a, from_b), (to_a, to_b), since, allowed)


def _pass_wide(a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box]) -> bool:
    """Whether the middles of two hulls stay so far apart that the hulls cannot meet."""
    x, y = start[1][0] - start[0][0], start[1][1] - start[0][1]
    if a.table or b.table:
        # A hull that slides along the table's edge goes its own way.
        return math.hypot(x, y) > a.sweep_mm + b.sweep_mm + 2 * hull.REACH_MM
    way_x, way_y = end[1][0] - end[0][0] - x, end[1][1] - end[0][1] - y
    square = way_x * way_x + way_y * way_y
    t = min(1.0, max(0.0, -(x * way_x + y * way_y) / square)) if square else 0.0
    near = 2 * hull.REACH_MM + _BULGE_MM * (bool(a.turn_deg) + bool(b.turn_deg))
    return math.hypot(x + t * way_x, y + t * way_y) > near


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
    certain = _overlap_time(apart, allowed - DEEPER_MM)
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
    steady = not kinked
    parts, too_deep = _parts(a, b), allowed - DEEPER_MM
    stack = [(since, parts(since), 1.0, parts(1.0))]
    while stack:
        low, at_low, high, at_high = stack.pop()
        width = high - low
        if _stay_apart(at_low, at_high, BEND * width * width, too_deep) and (
            not kinked
            or max(map(add, at_low, at_high)) - PACE * width >= 2 * too_deep
            or (a.smooth(low, high) and b.smooth(low, high))
        ):
            continue
        deep = max(at_high)
        if width < FINEST:
            if deep < too_deep:
                return _last_apart(parts, low, high, allowed)
            continue
        if deep < too_deep and steady:
            apart = max(at_low)
            if apart >= too_deep and (apart - allowed) * BEND < ((apart - deep) / width) ** 2:
                found = _met_steadily(parts, (low, at_low), (high, at_high), allowed)
                if found is not None:
                    return found
                steady = False
        between = (low + high) / 2
        at_between = parts(between)
        stack.extend(((between, at_between, high, at_high), (low, at_low, between, at_between)))
    return None


def _stay_apart(at_low: Sequence[float], at_high: Sequence[float], bend: float, too_deep: float) -> bool:
    """Whether some line is sure to part two hulls from one instant to another.

    Between two instants it may bend as a parabola does whose middle is an eighth of `bend` below its chord.
    """
    for low, high in zip(at_low, at_high, strict=True):
        if low >= too_deep and high >= too_deep:
            rise = abs(high - low)
            if 2 * rise >= bend or (low + high) / 2 - bend / 8 - rise * rise / (2 * bend) >= too_deep:
                return True
    return False


_Parts = Callable[[float], tuple[float, ...]]
"""How far each of the eight lines through two hulls' edges parts them at an instant."""


def _parts(a: Path, b: Path) -> _Parts:
    at_a, at_b = _hulls(a), _hulls(b)
    return lambda t: geometry.edge_spans(at_a(t), at_b(t))


def _hulls(of: Path) -> Callable[[float], Six]:
    """The hull at each instant of a step."""
    if of.still:
        lying = hull.box(of.start)
        return lambda _: lying
    if of.table:
        return of.hull
    # Worth writing out: this is where a step's time goes.
    x, y, heading = of.start.x_mm, of.start.y_mm, of.start.heading_deg
    way_x, way_y, turn = of.end.x_mm - x, of.end.y_mm - y, of.turn_deg
    first, last = hull.box(of.start), hull.box(of.end)
    half_length, half_width = hull.HALF_LENGTH_MM, hull.HALF_WIDTH_MM

    def at(t: float) -> Six:
        if t <= 0:
            return first
        if t >= 1:
            return last
        if turn:
            angle = math.radians((heading + t * turn) % 360)
            ux, uy = math.sin(angle), math.cos(angle)
        else:
            ux, uy = first[2], first[3]
        return x + t * way_x - half_length * ux, y + t * way_y - half_length * uy, ux, uy, half_length, half_width

    return at


def _met_steadily(
    parts: _Parts, low: tuple[float, tuple[float, ...]], high: tuple[float, tuple[float, ...]], allowed: float
) -> float | None:
    """The same as the search by halves, far sooner, where a line parts the hulls ever less until they meet.

    Takes two instants with their parts: the hulls apart at the first, too deep in each other at the second. Gives None
    where the rate is too small to be sure that they do not meet earlier, or which of the halves it is.
    """
    begin, at_begin = low
    above, below = max(at_begin) - allowed, max(high[1]) - allowed
    met = begin
    if above > _FLAT_MM:
        found = _root(lambda t: max(parts(t)) - allowed, (begin, above), (high[0], below))
        if found is None:
            return None
        met, at_met = found, parts(found)
        line = at_met.index(max(at_met))
        if (at_met[line] - at_begin[line]) / (met - begin) + BEND * (met - begin) >= 0:
            return None
    start, end = begin, high[0]
    while end - start >= FINEST:
        between = (start + end) / 2
        start, end = (start, between) if met < between else (between, end)
    deep = allowed - max(parts(end))
    if deep < _STEEP * (end - met) or deep <= DEEPER_MM or not (met == begin or start + _SURE < met < end - _SURE):
        return None
    return _last_apart(parts, start, end, allowed, met)


def _root(of: Callable[[float], float], low: tuple[float, float], high: tuple[float, float]) -> float | None:
    """Where a function falls through 0, by the rule of false position (Illinois); None: not soon found."""
    (a, at_a), (b, at_b) = low, high
    for _ in range(12):
        t = (a * at_b - b * at_a) / (at_b - at_a)
        at_t = of(t)
        if abs(at_t) < _FLAT_MM:
            return t
        if (at_t > 0) == (at_b > 0):
            at_a /= 2
        else:
            a, at_a = b, at_b
        b, at_b = t, at_t
    return None


def _last_apart(parts: _Parts, low: float, high: float, allowed: float, met: float | None = None) -> float:
    """The last instant before `high` at which the hulls are no deeper in each other than is allowed.

    By halves, which is what its last digit stands on; near which instant that is may be known before.
    """
    while high - low > _GRID:
        between = (low + high) / 2
        apart = max(parts(between)) >= allowed if met is None or abs(between - met) < _SURE else between < met
        if apart:
            low = between
        else:
            high = between
    return low


def _near_edge(start: Pose, end: Pose, table: tuple[float, float]) -> bool:
    """Whether some corner might leave the table between two poses on it."""
    reach = hull.PROW_REACH_MM
    east, north = table[0] - reach, table[1] - reach
    return not all(reach <= pose.x_mm <= east and reach <= pose.y_mm <= north for pose in (start, end))
