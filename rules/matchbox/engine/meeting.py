"""When two hulls meet in a step (MB-5.5).

How far two hulls are apart at an instant is the greatest of eight lengths, one for the line through each edge of either
(separating axis theorem, `rules.geometry.boxes.edge_gaps`). They overlap where it is negative. Galleys in contact when
the step began may slide `hull.MAX_SLIDE_MM` deep into each other. All others may not overlap at all (`GapLimits`).

- Both go straight: each length is linear in time, and the answer has a closed form (`_straight_meeting`).
- One turns: **bracketing by bisection**. An interval of time is dropped if some line surely separates the hulls all
  through it. A function whose second derivative is bounded by c lies at most c × width² / 8 below its chord. Other
  intervals are halved, the earlier half first, until one ends in an overlap (`_bracket_meeting`). Where one line
  decides, **false position** (Anderson and Björck's) finds the same interval sooner (`_first_crossing`).
- In that interval **bisection** finds the last legal instant (`_last_instant_apart`). Hulls that slid may have been
  legal much earlier. Intervals are then dropped and halved once more, the later half first (`_last_slide_instant`), or
  false position finds that interval too (`_last_slide_steady`).

`rules.matchbox.ai.many_meetings` does the same for many pairs at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import add
from typing import Final, NamedTuple

from rules.geometry import boxes
from rules.geometry.boxes import Box
from rules.matchbox.engine import hull
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.path import Path

MIN_OVERLAP_MM: Final = boxes.TOUCH_DISTANCE
"""Hulls that overlap by no more than this do not overlap. It is the noise of floating point."""
MIN_INTERVAL: Final = 1e-5
"""The shortest part of a step that is searched. What is missed is at most `MAX_CURVATURE_MM` × its square / 8 deep:
0.00000001 mm."""
MAX_RATE_MM: Final = 700.0
"""Bound on the rate, in mm per step, at which the gap along a line between two galleys changes.

Middles approach by up to 2 × 76 mm per step, or 2 × 187 where the table's edge pushes as well. A line turns by π/3
about a middle at most 222 mm away, which adds 232. The corners of both turn, which adds 73. If the bound were too
small, a meeting at the edge could be missed.
"""
MAX_CURVATURE_MM: Final = 1000.0
"""Bound on the second derivative of the gap, in mm per step², where no edge begins or ceases to push.

Middles add 2 × 33, the turning line across their way 320 and about a middle 222 mm away 244, corners 152, together 782
for free hulls. `test_many_meetings` checks it for hulls pushed by an edge. A greater bound is slower, and a smaller one
unsafe.
"""
_BOUND_MARGIN: Final = 1.25  # safety factor of computed bounds for other vessels, like that of the bounds for galleys
_MAX_STRAY_MM: Final = 4.5
"""More than the middle of a turning hull strays from the straight, uniform way between its ends.

Half its length, 30 mm, times (1 - cos π/6) is 4.02.
"""
_INSTANT_TOLERANCE: Final = 1e-13
"""Precision, as part of a step, of a meeting in a turn. It is close to that of floating point."""
_SUM_TOLERANCE_MM: Final = 2e-12
"""Rounding error in a sum of lengths up to a metre: about eight units in the last place."""
_MAX_FALSE_POSITIONS: Final = 2  # attempts by false position before only bisection goes on
_ROUGH_TOLERANCE_MM: Final = 1e-7  # precision that suffices to tell in which interval a limit is crossed
_MIN_CLOSING_RATE_MM: Final = 8.0
"""Below this closing speed, in mm per step, false position cannot determine the instant."""

_GapFunction = Callable[[float], tuple[float, ...]]
"""The gaps, in mm, along the eight edge lines of two hulls at an instant."""
_InstantGaps = tuple[float, tuple[float, ...]]  # an instant and its gaps
_radians, _sin, _cos = math.radians, math.sin, math.cos


class GapLimits(NamedTuple):
    """Smallest gaps between two hulls, in mm; negative: a depth of one in the other."""

    stop_gap: float  # the gap at which two hulls stop, if they must stop
    min_gap: float  # two hulls must stop before their gap becomes smaller than this


FREE_LIMITS: Final = GapLimits(0.0, -MIN_OVERLAP_MM)  # for hulls that were not in contact when the step began (MB-5.5)


class RateBounds(NamedTuple):
    """Bounds on the first and second derivative of gaps along lines between two hulls."""

    rate: float  # bound on the change of a gap, in mm per step
    curvature: float  # bound on a gap's second derivative, in mm per step²


_GALLEY_BOUNDS: Final = RateBounds(MAX_RATE_MM, MAX_CURVATURE_MM)


@lru_cache(maxsize=64)
def rate_bounds(a: VesselKind, b: VesselKind) -> RateBounds:
    """Return bounds on the change of gaps between two vessels that turn as far as they can, as for `MAX_RATE_MM`."""
    if a is GALLEY and b is GALLEY:
        return _GALLEY_BOUNDS
    turns = [math.radians(kind.turn_deg) for kind in (a, b)]
    # How fast each middle can move, in mm per step: by its own move and turn, and by a push of the table's edge.
    speeds = [kind.move_mm + kind.half_length_mm * turn for kind, turn in zip((a, b), turns, strict=True)]
    pushes = [kind.move_mm + kind.prow_reach_mm * turn for kind, turn in zip((a, b), turns, strict=True)]
    reach, corner_turn = max(a.reach_mm, b.reach_mm), sum(turns)
    distance = a.reach_mm + b.reach_mm + sum(speeds)
    bends = [kind.half_length_mm * turn * turn for kind, turn in zip((a, b), turns, strict=True)]
    turn = max(turns)
    rate = sum(speeds) + sum(pushes) + distance * turn + reach * corner_turn
    curvature = sum(bends) + 2 * sum(speeds) * turn + distance * turn * turn + reach * corner_turn * corner_turn
    return RateBounds(_BOUND_MARGIN * rate, _BOUND_MARGIN * curvature)


class _LimitCrossing(NamedTuple):
    """An interval of length `MIN_INTERVAL` in which the gap falls below a limit."""

    low: float  # instant at which the interval begins
    high: float  # instant at which the interval ends
    gap: float  # the gap at `high`, in mm
    instant: float  # the instant of the crossing, with the requested precision
    doubt: float  # the distance from `instant`, in steps, within which rounding may decide wrongly


def sliding_limits(separation_mm: float) -> GapLimits:
    """Return the limits for hulls that were in contact, with this separation, when the step began (MB-5.5)."""
    stop_gap = min(0.0, separation_mm)
    return GapLimits(stop_gap, min(-hull.MAX_SLIDE_MM, stop_gap - MIN_OVERLAP_MM))


def find_meeting(a: Path, b: Path, since: float = 0.0, limits: GapLimits = FREE_LIMITS) -> float | None:
    """Return the instant from `since` to the end of the step at which two hulls stop each other, or None (MB-5.5)."""
    return find_meeting_between(a, b, (a.hull_at(since), b.hull_at(since)), (a.last_hull, b.last_hull), since, limits)


def find_meeting_between(  # noqa: PLR0917 -- a hot path
    a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box], since: float, limits: GapLimits
) -> float | None:
    """Like `find_meeting`, for known hulls at `since` and at the end of the step."""
    if _surely_miss(a, b, start, end):
        return None
    if a.turn_deg or b.turn_deg:
        return _bracket_meeting(a, b, (since, start), end, limits)
    return _straight_meeting(start, end, since, limits)


def _surely_miss(a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box]) -> bool:
    """Return whether two middles surely never come nearer than the farthest corners of both hulls reach."""
    (from_a, from_b), (to_a, to_b) = start, end
    x, y = from_b.x - from_a.x, from_b.y - from_a.y
    reach = a.kind.reach_mm + b.kind.reach_mm
    if a.sea or b.sea:
        # A hull that slides along the table's edge does not go straight.
        return math.hypot(x, y) > a.sweep_radius_mm + b.sweep_radius_mm + reach
    motion_x, motion_y = to_b.x - to_a.x - x, to_b.y - to_a.y - y
    if a.turn_deg:
        reach += _MAX_STRAY_MM
    if b.turn_deg:
        reach += _MAX_STRAY_MM
    closing = -(x * motion_x + y * motion_y)  # positive: the middles approach
    if closing > 0:
        t = closing / (motion_x * motion_x + motion_y * motion_y)  # when they are nearest
        if t > 1:
            t = 1.0
        x, y = x + t * motion_x, y + t * motion_y
    return x * x + y * y > reach * reach


def max_stray_mm(path: Path) -> float:
    """Return how far a hull's middle may stray from the straight way between its ends."""
    return path.sweep_radius_mm if path.sea else _MAX_STRAY_MM if path.turn_deg else 0.0


# --- both go straight ------------------------------------------------------------------------------------------------


def _straight_meeting(start: tuple[Box, Box], end: tuple[Box, Box], since: float, limits: GapLimits) -> float | None:
    """Return when two hulls stop that go straight from `since` to the end of the step; None: they pass.

    They stop at `stop_gap`, but only if they would otherwise come nearer than `min_gap`.
    """
    a, b = start
    dx, dy = b.x - a.x, b.y - a.y
    vx = (end[1].x - b.x) - (end[0].x - a.x)
    vy = (end[1].y - b.y) - (end[0].y - a.y)
    # For each axis: the distance of b's middle from a's, its rate of change, and the distance at which they touch.
    axes = (a.ux, a.uy), (a.uy, -a.ux), (b.ux, b.uy), (b.uy, -b.ux)
    apart = [
        (distance := dx * x + dy * y, vx * x + vy * y, abs(distance) - gap)
        for (x, y), gap in zip(axes, boxes.axis_gaps(a, b), strict=True)
    ]
    stop_gap, min_gap = limits
    too_deep = _overlap_interval(apart, min_gap)
    if too_deep is None:
        return None
    stops = _overlap_interval(apart, stop_gap)
    stop = max(0.0, stops[0] if stops else too_deep[0])  # share of the way from `start` to `end`
    return since + stop * (1.0 - since)


def _overlap_interval(apart: Sequence[tuple[float, float, float]], depth: float) -> tuple[float, float] | None:
    """Return from when to when the gap of two hulls that go straight is smaller than `depth`; None: never.

    `apart` has distance, rate and reach for each axis. The gap is smaller while |distance + t × rate| - reach is below
    `depth` on every axis, for t from 0 to 1.
    """
    low, high = 0.0, 1.0
    for distance, rate, reach in apart:
        limit = reach + depth
        if -boxes.TOUCH_DISTANCE < rate < boxes.TOUCH_DISTANCE:
            if abs(distance) >= limit:
                return None
            continue
        enter, leave = (-limit - distance) / rate, (limit - distance) / rate
        if enter > leave:
            enter, leave = leave, enter
        low, high = max(low, enter), min(high, leave)
        if low >= high:
            return None
    return low, high


# --- one of them turns -----------------------------------------------------------------------------------------------


def _bracket_meeting(
    a: Path, b: Path, start: tuple[float, tuple[Box, Box]], end: tuple[Box, Box], limits: GapLimits
) -> float | None:
    """Return when two hulls, of which one turns, stop, by bracketing as the module describes; None: they pass."""
    since, hulls = start
    at_since = boxes.edge_gaps(*hulls)
    stop_gap, min_gap = limits
    pushed = a.sea is not None or b.sea is not None
    bounds = rate_bounds(a.kind, b.kind)
    # The lines of `a` come first, then those of `b`.
    bend_a, bend_b = (bounds.curvature, bounds.curvature) if pushed else _curvature_bounds(a, b)
    curvatures = (bend_a, bend_a, bend_a, bend_a, bend_b, bend_b, bend_b, bend_b)
    slides = stop_gap - min_gap >= 2 * MIN_OVERLAP_MM  # hulls in contact, which may become deeper for a time
    level = min_gap if slides else stop_gap  # the gap whose crossing false position looks for
    tries = 0 if pushed else _MAX_FALSE_POSITIONS
    gaps_at = _gap_function(a, b, hulls, end)
    stack = [(since, at_since, 1.0, boxes.edge_gaps(*end))]  # intervals still to be searched, the earliest on top
    while stack:
        low, at_low, high, at_high = stack.pop()
        width = high - low
        # The bound on the curvature holds for smooth ways only. For others, the bound on the rate may suffice.
        if _surely_stay_apart(at_low, at_high, curvatures, width * width, min_gap) and (
            not pushed
            or max(map(add, at_low, at_high)) - bounds.rate * width >= 2 * min_gap
            or (a.is_smooth(low, high) and b.is_smooth(low, high))
        ):
            continue
        gap_at_high = max(at_high)
        if width < MIN_INTERVAL:
            if gap_at_high >= min_gap:
                continue
            if max(at_low) >= stop_gap:
                return _last_instant_apart(gaps_at, low, high, stop_gap)
            return _last_slide_instant((a, b), gaps_at, since, low, stop_gap)
        if tries and gap_at_high < min_gap <= (gap_at_low := max(at_low)):
            # False position is worth a try if the gap's curvature is small beside its rate.
            curvature, rate = curvatures[at_low.index(gap_at_low)], (gap_at_low - gap_at_high) / width
            if (gap_at_low - level) * curvature < rate**2:
                first = _first_crossing(gaps_at, curvatures, (low, at_low), (high, at_high), (level, min_gap))
                if first and slides:
                    return _last_slide_steady((a, b), gaps_at, (since, at_since), first, stop_gap)
                if first:
                    return _last_instant_apart(gaps_at, first.low, first.high, stop_gap, first)
                tries -= 1
        between = (low + high) / 2
        at_between = gaps_at(between)
        stack.extend(((between, at_between, high, at_high), (low, at_low, between, at_between)))
    return None


def _curvature_bounds(a: Path, b: Path) -> tuple[float, float]:
    """Return bounds on how fast gaps can change their rate: of those along the edge lines of `a`, and of `b`.

    They are bounds on the second derivative, in mm per step². With them, a search for a meeting skips intervals. While
    a hull turns by ω, its lines add 2ω × the growth of the prows' distance + ω² × that distance. The other hull adds
    (relative turn)² × the distance from its prow to its farthest corner.
    """
    turn_a, turn_b = _radians(a.turn_deg), _radians(b.turn_deg)
    x, y = b.start.x_mm - a.start.x_mm, b.start.y_mm - a.start.y_mm
    then_x, then_y = b.end.x_mm - a.end.x_mm, b.end.y_mm - a.end.y_mm
    drift = 2 * math.hypot(then_x - x, then_y - y)
    distance = max(math.hypot(x, y), math.hypot(then_x, then_y))
    twist = (turn_a - turn_b) ** 2
    return (
        _BOUND_MARGIN
        * (drift * abs(turn_a) + distance * turn_a * turn_a + (b.kind.half_length_mm + b.kind.reach_mm) * twist),
        _BOUND_MARGIN
        * (drift * abs(turn_b) + distance * turn_b * turn_b + (a.kind.half_length_mm + a.kind.reach_mm) * twist),
    )


def _last_slide_instant(
    paths: tuple[Path, Path], gaps_at: _GapFunction, since: float, until: float, stop_gap: float
) -> float:
    """Return the last instant before `until` with a gap of at least `stop_gap`; `since`: there is none.

    Intervals are bracketed as in `_bracket_meeting`, but the later half first.
    """
    a, b = paths
    bounds = rate_bounds(a.kind, b.kind)
    stack = [(since, gaps_at(since), until, gaps_at(until))]
    while stack:
        low, at_low, high, at_high = stack.pop()
        width = high - low
        smooth = a.is_smooth(low, high) and b.is_smooth(low, high)
        rise = bounds.curvature * width * width / 8 if smooth else bounds.rate * width / 2
        if max(map(max, at_low, at_high)) + rise < stop_gap:
            continue
        if width < MIN_INTERVAL:
            if max(at_low) >= stop_gap:
                return _last_instant_apart(gaps_at, low, high, stop_gap)
            continue
        between = (low + high) / 2
        at_between = gaps_at(between)
        stack.extend(((low, at_low, between, at_between), (between, at_between, high, at_high)))
    return since


def _surely_stay_apart(
    at_low: Sequence[float], at_high: Sequence[float], curvatures: Sequence[float], square: float, min_gap: float
) -> bool:
    """Return whether some line surely separates two hulls by `min_gap` between two instants, `square` apart squared.

    Between two instants a gap may sag like a parabola: in the middle by an eighth of curvature × `square`.
    """
    for low, high, curvature in zip(at_low, at_high, curvatures, strict=True):
        if low >= min_gap and high >= min_gap:
            rise, bend = abs(high - low), curvature * square
            if 2 * rise >= bend or (low + high) / 2 - bend / 8 - rise * rise / (2 * bend) >= min_gap:
                return True
    return False


# Written out because most of a step's time is spent here. The results equal `boxes.edge_gaps` to the last digit.


def _gap_function(a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box]) -> _GapFunction:
    """Return a function from an instant to the gaps along the eight edge lines of two moving hulls."""
    if a.sea or b.sea:
        return lambda t: boxes.edge_gaps(a.hull_at(t), b.hull_at(t))
    (_, _, fixed_ux, fixed_uy, length_a, width_a), (_, _, fixed_vx, fixed_vy, length_b, width_b) = start
    ax, ay, heading_a, turn_a = a.start.x_mm, a.start.y_mm, a.start.heading_deg, a.turn_deg
    bx, by, heading_b, turn_b = b.start.x_mm, b.start.y_mm, b.start.heading_deg, b.turn_deg
    way_ax, way_ay, way_bx, way_by = a.end.x_mm - ax, a.end.y_mm - ay, b.end.x_mm - bx, b.end.y_mm - by
    alike = a.kind is b.kind

    def gaps_at(t: float) -> tuple[float, ...]:
        if t >= 1:
            return boxes.edge_gaps(*end)
        ux, uy, vx, vy = fixed_ux, fixed_uy, fixed_vx, fixed_vy  # headings of a and b
        if turn_a:
            angle = _radians((heading_a + t * turn_a) % 360)
            ux, uy = _sin(angle), _cos(angle)
        if turn_b:
            angle = _radians((heading_b + t * turn_b) % 360)
            vx, vy = _sin(angle), _cos(angle)
        # The middle of b as seen from that of a. Poses are those of prows, half a length ahead of the middle.
        dx = bx + t * way_bx - length_b * vx - (ax + t * way_ax - length_a * ux)
        dy = by + t * way_by - length_b * vy - (ay + t * way_ay - length_a * uy)
        # Cosine and sine of the angle between both headings, then the extents of both hulls along each axis.
        same, cross = abs(ux * vx + uy * vy), abs(ux * vy - uy * vx)
        reach_a, side_a = length_a + length_b * same + width_b * cross, width_a + length_b * cross + width_b * same
        reach_b, side_b = reach_a, side_a
        if not alike:
            reach_b, side_b = length_b + length_a * same + width_a * cross, width_b + length_a * cross + width_a * same
        ahead_a, abeam_a = dx * ux + dy * uy, dx * uy - dy * ux
        ahead_b, abeam_b = dx * vx + dy * vy, dx * vy - dy * vx
        return (
            ahead_a - reach_a,
            -ahead_a - reach_a,
            abeam_a - side_a,
            -abeam_a - side_a,
            -ahead_b - reach_b,
            ahead_b - reach_b,
            -abeam_b - side_b,
            abeam_b - side_b,
        )

    return gaps_at


# --- false position --------------------------------------------------------------------------------------------------


def _first_crossing(
    gaps_at: _GapFunction,
    curvatures: Sequence[float],
    low: _InstantGaps,
    high: _InstantGaps,
    limits: tuple[float, float],
) -> _LimitCrossing | None:
    """Return the interval that bisection would find, much sooner, if one gap falls monotonically until then.

    `limits` are `level` and `min_gap`. At the instant `low` the gap is `level` or more, and at `high` less than
    `min_gap`. If both limits are equal, the instant is only as precise as the interval needs. None: not surely the
    first crossing.
    """
    level, min_gap = limits
    (begin, at_begin), (end, at_end) = low, high
    noise = _ROUGH_TOLERANCE_MM if level == min_gap else _SUM_TOLERANCE_MM
    above, instant = max(at_begin) - level, begin
    if above > noise:
        position = _false_position(gaps_at, level, (begin, above), (end, max(at_end) - level), noise)
        if position is None:
            return None
        instant, at_met = position
        # If the line that now has the greatest gap may have fallen below the level and risen again, give up.
        line = at_met.index(max(at_met))
        if (at_met[line] - at_begin[line]) / (instant - begin) + curvatures[line] * (instant - begin) / 2 >= 0:
            return None
    crossing = _locate_crossing(gaps_at, (begin, end), instant, level, noise)
    return crossing if crossing and crossing.gap < min_gap else None


def _last_slide_steady(
    paths: tuple[Path, Path], gaps_at: _GapFunction, start: _InstantGaps, first: _LimitCrossing, stop_gap: float
) -> float:
    """Return the result of `_last_slide_instant`, but sooner if each gap then falls or stays below `stop_gap`."""
    since, at_since = start
    until = first.low  # just before the gap first becomes too small
    at_until = gaps_at(until)
    if max(at_until) >= stop_gap:
        return _last_instant_apart(gaps_at, until, first.high, stop_gap)
    above, instant, at_met = max(at_since) - stop_gap, since, at_since
    if above > _SUM_TOLERANCE_MM:
        position = _false_position(
            gaps_at, stop_gap, (since, above), (until, max(at_until) - stop_gap), _SUM_TOLERANCE_MM
        )
        if position is None:
            return _last_slide_instant(paths, gaps_at, since, until, stop_gap)
        instant, at_met = position
    curvature = rate_bounds(paths[0].kind, paths[1].kind).curvature
    if not _surely_keep_below(at_met, at_until, until - instant, stop_gap, curvature):
        return _last_slide_instant(paths, gaps_at, since, until, stop_gap)
    if above < 0:
        return since
    crossing = _locate_crossing(gaps_at, (since, until), instant, stop_gap, _SUM_TOLERANCE_MM)
    if crossing is None:
        return _last_slide_instant(paths, gaps_at, since, until, stop_gap)
    return _last_instant_apart(gaps_at, crossing.low, crossing.high, stop_gap, crossing)


def _surely_keep_below(
    at_low: Sequence[float], at_high: Sequence[float], width: float, stop_gap: float, curvature: float
) -> bool:
    """Return whether no gap reaches `stop_gap` again within an interval of this width."""
    bend = curvature * width * width
    for low, high in zip(at_low, at_high, strict=True):
        falls = high - low + bend / 2 < 0
        if not falls and max(low, high) + bend / 8 >= stop_gap:
            return False
    return True


def _locate_crossing(
    gaps_at: _GapFunction, within: tuple[float, float], instant: float, level: float, noise: float
) -> _LimitCrossing | None:
    """Return the bisection interval, `MIN_INTERVAL` long, in which the gap falls below `level`.

    None if it falls too slowly, or too near to an end of the interval, to be sure which interval it is.
    """
    low, high = within
    while high - low >= MIN_INTERVAL:
        between = (low + high) / 2
        if instant < between:
            high = between
        else:
            low = between
    if not high > instant:
        return None
    gap = max(gaps_at(high))
    rate = (level - gap) / (high - instant)
    doubt = 4 * max(noise, _SUM_TOLERANCE_MM) / rate if rate >= _MIN_CLOSING_RATE_MM else math.inf
    if instant + doubt >= high or (instant != within[0] and instant - doubt <= low):
        return None
    return _LimitCrossing(low, high, gap, instant, doubt)


def _false_position(
    gaps_at: _GapFunction, level: float, low: tuple[float, float], high: tuple[float, float], noise: float
) -> _InstantGaps | None:
    """Return the instant at which the gap is `level`, within the noise, by false position; None: no fast convergence.

    `low` and `high` are two instants with the differences of their gaps from `level`.
    """
    (a, at_a), (b, at_b) = low, high
    for _ in range(12):  # fast convergence takes fewer steps
        t = (a * at_b - b * at_a) / (at_b - at_a)
        gaps = gaps_at(t)
        at_t = max(gaps) - level
        if abs(at_t) < noise:
            return t, gaps
        if (at_t > 0) == (at_b > 0):
            factor = 1 - at_t / at_b  # Anderson and Björck's rule for an end that stays
            at_a *= factor if factor > 0 else 0.5
        else:
            a, at_a = b, at_b
        b, at_b = t, at_t
    return None


def _last_instant_apart(
    gaps_at: _GapFunction, low: float, high: float, stop_gap: float, known: _LimitCrossing | None = None
) -> float:
    """Return the last instant before `high` with a gap of at least `stop_gap`. The gap at `low` is large enough.

    Bisection determines the last digit. A known crossing only saves evaluations.
    """
    surely_apart_until, surely_met_from = low, high
    if known:
        surely_apart_until, surely_met_from = known.instant - known.doubt, known.instant + known.doubt
    while high - low > _INSTANT_TOLERANCE:
        between = (low + high) / 2
        if between < surely_apart_until:
            low = between
        elif between > surely_met_from or max(gaps_at(between)) < stop_gap:
            high = between
        else:
            low = between
    return low
