"""When two hulls meet in a step (MB-5.5).

How far two hulls are parted at an instant is the greatest of eight lengths, one for the line through each edge of
either (separating axis theorem, `geometry.edge_gaps`); they overlap where it is negative. Galleys in contact when the
step began may slide `hull.MAX_SLIDE_MM` deep into each other; all others may not overlap at all (`GapLimits`).

- Both go straight: each length is linear in time, and the answer has a closed form (`_straight_meeting`).
- One turns: **bracketing by bisection**. A stretch of time is dropped if some line surely parts the hulls all through
  it: a function whose second derivative is bounded by c lies at most c × width² / 8 below its chord. Other stretches
  are halved, the earlier half first, until one ends in an overlap (`_bracket_meeting`). Where one line does it all,
  **false position** (Anderson and Björck's) finds the same stretch sooner (`_first_crossing`).
- In that stretch **bisection** finds the last instant at which the hulls lay as they may (`_last_instant_apart`). Who
  slid may have lain so much earlier: stretches are dropped and halved once more, the later half first
  (`_last_slide_instant`), or that stretch too is found by false position (`_last_slide_steady`).

`captains.many_meetings` does the same for many pairs at once.
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
"""Hulls no deeper in each other than this do not overlap: a billionth of a millimetre, the noise of floating point."""
MIN_INTERVAL: Final = 1e-5
"""The shortest part of a step that is searched. What is overlooked is at most `MAX_CURVATURE_MM` × its square / 8 deep:
0.00000001 mm."""
MAX_RATE_MM: Final = 700.0
"""Bound on the derivative, in mm per step, of how far a line parts two galleys that can meet in the step.

Middles draw near at up to 2 × 76 mm per step, or 2 × 187 where the table's edge pushes as well; a line turns by π/3
about a middle 222 mm off at most, 232; corners of both turn, 73. If it were too small, a meeting at the edge could be
overlooked.
"""
MAX_CURVATURE_MM: Final = 1000.0
"""The same for the second derivative, in mm per step², where no edge begins or ceases to push.

Middles 2 × 33, the turning line across their way 320 and about a middle 222 mm off 244, corners 152: 782 for hulls
that swing freely. That it holds for those pushed by an edge is what `test_many_meetings` tries. A greater bound is
slower, a smaller one unsafe.
"""
_BOUND_MARGIN: Final = 1.25
"""What bounds for other vessels have over what is reckoned, as those for galleys have."""
_MAX_STRAY_MM: Final = 4.5
"""More than the middle of a turning hull strays from the straight, even way between its beginning and its end.

By half its length, 30 mm, times (1 - cos π/6), 4.02.
"""
_INSTANT_TOLERANCE: Final = 1e-13
"""The part of a step to which a meeting in a turn is found, as finely as floating point tells instants apart."""
_SUM_TOLERANCE_MM: Final = 2e-12
"""What floating point may make of nothing in a sum of lengths of up to a metre: some eight units in the last place."""
_MAX_FALSE_POSITIONS: Final = 2
"""How often false position is tried before halving alone goes on."""
_ROUGH_TOLERANCE_MM: Final = 1e-7
"""Near enough to a limit to tell in which stretch it is crossed."""
_MIN_CLOSING_RATE_MM: Final = 8.0
"""Hulls that close more slowly, in mm per step, cross a limit too flatly for false position to be sure when."""

_GapFunction = Callable[[float], tuple[float, ...]]
"""How far each of the eight lines through two hulls' edges parts them, in mm, at an instant."""
_InstantGaps = tuple[float, tuple[float, ...]]
"""An instant and its parts."""
_radians, _sin, _cos = math.radians, math.sin, math.cos


class GapLimits(NamedTuple):
    """How near two hulls may come, in mm; negative: how deep into each other."""

    stop_gap: float
    """How far they are parted where they stop, if they must stop."""
    min_gap: float
    """They must stop before they are parted by less than this."""


FREE_LIMITS: Final = GapLimits(0.0, -MIN_OVERLAP_MM)
"""Of hulls that were not in contact when the step began (MB-5.5)."""


class RateBounds(NamedTuple):
    """Bounds on how fast, and how much faster, lines part two hulls."""

    rate: float
    curvature: float


_GALLEY_BOUNDS: Final = RateBounds(MAX_RATE_MM, MAX_CURVATURE_MM)


@lru_cache(maxsize=64)
def rate_bounds(a: VesselKind, b: VesselKind) -> RateBounds:
    """The bounds for two vessels, as those for galleys are reckoned above; both kinds turn as far as they may."""
    if a is GALLEY and b is GALLEY:
        return _GALLEY_BOUNDS
    turns = [math.radians(kind.turn_deg) for kind in (a, b)]
    speeds = [kind.move_mm + kind.half_length_mm * turn for kind, turn in zip((a, b), turns, strict=True)]
    pushes = [kind.move_mm + kind.prow_reach_mm * turn for kind, turn in zip((a, b), turns, strict=True)]
    reach, corner = max(a.reach_mm, b.reach_mm), sum(turns)
    off = a.reach_mm + b.reach_mm + sum(speeds)
    swing = [kind.half_length_mm * turn * turn for kind, turn in zip((a, b), turns, strict=True)]
    turn = max(turns)
    rate = sum(speeds) + sum(pushes) + off * turn + reach * corner
    curvature = sum(swing) + 2 * sum(speeds) * turn + off * turn * turn + reach * corner * corner
    return RateBounds(_BOUND_MARGIN * rate, _BOUND_MARGIN * curvature)


class _LimitCrossing(NamedTuple):
    """Where hulls come nearer than a limit."""

    low: float
    """The stretch of time, `MIN_INTERVAL` long, in which they do."""
    high: float
    parted: float
    """How far they are parted at its end, in mm."""
    met: float
    """The instant, as finely as it was asked for."""
    doubt: float
    """How far from it, in parts of a step, floating point may take the wrong side."""


def sliding_limits(parted_mm: float) -> GapLimits:
    """Of hulls that were in contact when the step began, and so far parted (MB-5.5)."""
    floor = min(0.0, parted_mm)
    return GapLimits(floor, min(-hull.MAX_SLIDE_MM, floor - MIN_OVERLAP_MM))


def find_meeting(a: Path, b: Path, since: float = 0.0, limits: GapLimits = FREE_LIMITS) -> float | None:
    """The instant at which two hulls stop each other, from `since` to the end of the step, or None (MB-5.5)."""
    return find_meeting_between(a, b, (a.hull_at(since), b.hull_at(since)), (a.last_hull, b.last_hull), since, limits)


def find_meeting_between(  # noqa: PLR0917 -- two paths from one instant to another
    a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box], since: float, limits: GapLimits
) -> float | None:
    """The same, where both hulls are known as they lie then and at the end of the step."""
    if _surely_miss(a, b, start, end):
        return None
    if a.turn_deg or b.turn_deg:
        return _bracket_meeting(a, b, (since, start), end, limits)
    return _straight_meeting(start, end, since, limits)


def _surely_miss(a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box]) -> bool:
    """Whether the middles of two hulls stay so far apart that the hulls cannot meet."""
    (from_a, from_b), (to_a, to_b) = start, end
    x, y = from_b.x - from_a.x, from_b.y - from_a.y
    reach = a.kind.reach_mm + b.kind.reach_mm
    if a.sea or b.sea:
        # A hull that slides along the table's edge goes its own way.
        return math.hypot(x, y) > a.sweep_radius_mm + b.sweep_radius_mm + reach
    way_x, way_y = to_b.x - to_a.x - x, to_b.y - to_a.y - y
    if a.turn_deg:
        reach += _MAX_STRAY_MM
    if b.turn_deg:
        reach += _MAX_STRAY_MM
    closing = -(x * way_x + y * way_y)
    if closing > 0:
        t = closing / (way_x * way_x + way_y * way_y)
        if t > 1:
            t = 1.0
        x, y = x + t * way_x, y + t * way_y
    return x * x + y * y > reach * reach


def max_stray_mm(of: Path) -> float:
    """How far the middle of a hull may stray from the straight way between its beginning and its end."""
    return of.sweep_radius_mm if of.sea else _MAX_STRAY_MM if of.turn_deg else 0.0


# --- both go straight ------------------------------------------------------------------------------------------------


def _straight_meeting(start: tuple[Box, Box], end: tuple[Box, Box], since: float, limits: GapLimits) -> float | None:
    """In closed form: along each of the four axes the hulls overlap during one stretch of time."""
    a, b = start
    dx, dy = b.x - a.x, b.y - a.y
    vx, vy = (end[1].x - b.x) - (end[0].x - a.x), (end[1].y - b.y) - (end[0].y - a.y)
    apart = [
        (place := dx * x + dy * y, vx * x + vy * y, abs(place) - span)
        for (x, y), span in zip(
            ((a.ux, a.uy), (a.uy, -a.ux), (b.ux, b.uy), (b.uy, -b.ux)), boxes.axis_gaps(a, b), strict=True
        )
    ]
    floor, least = limits
    too_deep = _overlap_interval(apart, least)
    if too_deep is None:
        return None
    deeper = _overlap_interval(apart, floor)
    t = max(0.0, deeper[0] if deeper else too_deep[0])
    return since + t * (1.0 - since)


def _overlap_interval(apart: Sequence[tuple[float, float, float]], depth: float) -> tuple[float, float] | None:
    """When, within the way from 0 to 1, all of |place + t × rate| - reach are below `depth`; None: never."""
    low, high = 0.0, 1.0
    for place, rate, reach in apart:
        limit = reach + depth
        if -boxes.TOUCH_DISTANCE < rate < boxes.TOUCH_DISTANCE:
            if abs(place) >= limit:
                return None
            continue
        enter, leave = (-limit - place) / rate, (limit - place) / rate
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
    """By bracketing: the first stretch of time, `MIN_INTERVAL` long, that ends deeper than `least`."""
    since, hulls = start
    at_since = boxes.edge_gaps(*hulls)
    floor, least = limits
    pushed = a.sea is not None or b.sea is not None
    most = rate_bounds(a.kind, b.kind)
    # The lines of `a` come first, then those of `b`.
    of_a, of_b = (most.curvature, most.curvature) if pushed else _curvature_bounds(a, b)
    curvatures = (of_a, of_a, of_a, of_a, of_b, of_b, of_b, of_b)
    slides = floor - least >= 2 * MIN_OVERLAP_MM
    tries, level = 0 if pushed else _MAX_FALSE_POSITIONS, least if slides else floor
    parts = _gap_function(a, b, hulls, end)
    stack = [(since, at_since, 1.0, boxes.edge_gaps(*end))]
    while stack:
        low, at_low, high, at_high = stack.pop()
        width = high - low
        if _surely_stay_apart(at_low, at_high, curvatures, width * width, least) and (
            not pushed
            or max(map(add, at_low, at_high)) - most.rate * width >= 2 * least
            or (a.is_smooth(low, high) and b.is_smooth(low, high))
        ):
            continue
        deep = max(at_high)
        if width < MIN_INTERVAL:
            if deep < least:
                return (
                    _last_instant_apart(parts, low, high, floor)
                    if max(at_low) >= floor
                    else _last_slide_instant((a, b), parts, since, low, floor)
                )
            continue
        if tries and deep < least <= (apart := max(at_low)):
            likely = (apart - level) * curvatures[at_low.index(apart)] < ((apart - deep) / width) ** 2
            first = (
                _first_crossing(parts, curvatures, (low, at_low), (high, at_high), (level, least)) if likely else None
            )
            if first and slides:
                return _last_slide_steady((a, b), parts, (since, at_since), first, floor)
            if first:
                return _last_instant_apart(parts, first.low, first.high, floor, first)
            tries -= likely
        between = (low + high) / 2
        at_between = parts(between)
        stack.extend(((between, at_between, high, at_high), (low, at_low, between, at_between)))
    return None


def _curvature_bounds(a: Path, b: Path) -> tuple[float, float]:
    """Bounds on the second derivative, in mm per step², of how far the lines of each part these two free hulls.

    Of a line that turns by ω about its middle: 2ω times how far the prows draw apart, and ω² times how far they are
    apart. Of both: the turn of one against the other, squared, times how far the other's middle and its farthest
    corner are off its prow and its middle.
    """
    turn_a, turn_b = _radians(a.turn_deg), _radians(b.turn_deg)
    x, y = b.start.x_mm - a.start.x_mm, b.start.y_mm - a.start.y_mm
    then_x, then_y = b.end.x_mm - a.end.x_mm, b.end.y_mm - a.end.y_mm
    way = 2 * math.hypot(then_x - x, then_y - y)
    off = max(math.hypot(x, y), math.hypot(then_x, then_y))
    twist = (turn_a - turn_b) ** 2
    return (
        _BOUND_MARGIN * (way * abs(turn_a) + off * turn_a * turn_a + (b.kind.half_length_mm + b.kind.reach_mm) * twist),
        _BOUND_MARGIN * (way * abs(turn_b) + off * turn_b * turn_b + (a.kind.half_length_mm + a.kind.reach_mm) * twist),
    )


def _last_slide_instant(of: tuple[Path, Path], parts: _GapFunction, since: float, until: float, floor: float) -> float:
    """The last instant before `until` at which hulls that slide were no deeper in each other than `floor`.

    By the same bracketing, the later half first; `since` if there is none.
    """
    a, b = of
    most = rate_bounds(a.kind, b.kind)
    stack = [(since, parts(since), until, parts(until))]
    while stack:
        low, at_low, high, at_high = stack.pop()
        width = high - low
        smooth = a.is_smooth(low, high) and b.is_smooth(low, high)
        rise = most.curvature * width * width / 8 if smooth else most.rate * width / 2
        if max(map(max, at_low, at_high)) + rise < floor:
            continue
        if width < MIN_INTERVAL:
            if max(at_low) >= floor:
                return _last_instant_apart(parts, low, high, floor)
            continue
        between = (low + high) / 2
        at_between = parts(between)
        stack.extend(((low, at_low, between, at_between), (between, at_between, high, at_high)))
    return since


def _surely_stay_apart(
    at_low: Sequence[float], at_high: Sequence[float], curvatures: Sequence[float], square: float, least: float
) -> bool:
    """Whether some line is sure to part two hulls far enough from one instant to another, `square` being their gap's.

    Between two instants it may bend as a parabola does whose middle is an eighth of its bend below its chord.
    """
    for low, high, curvature in zip(at_low, at_high, curvatures, strict=True):
        if low >= least and high >= least:
            rise, bend = abs(high - low), curvature * square
            if 2 * rise >= bend or (low + high) / 2 - bend / 8 - rise * rise / (2 * bend) >= least:
                return True
    return False


# Worth writing out: this is where a step's time goes. The lengths are those of `geometry.edge_gaps` to the last digit.


def _gap_function(a: Path, b: Path, start: tuple[Box, Box], end: tuple[Box, Box]) -> _GapFunction:
    if a.sea or b.sea:
        return lambda t: boxes.edge_gaps(a.hull_at(t), b.hull_at(t))
    (_, _, fixed_ux, fixed_uy, length_a, width_a), (_, _, fixed_vx, fixed_vy, length_b, width_b) = start
    ax, ay, heading_a, turn_a = a.start.x_mm, a.start.y_mm, a.start.heading_deg, a.turn_deg
    bx, by, heading_b, turn_b = b.start.x_mm, b.start.y_mm, b.start.heading_deg, b.turn_deg
    way_ax, way_ay, way_bx, way_by = a.end.x_mm - ax, a.end.y_mm - ay, b.end.x_mm - bx, b.end.y_mm - by
    alike = a.kind is b.kind

    def parts(t: float) -> tuple[float, ...]:
        if t >= 1:
            return boxes.edge_gaps(*end)
        ux, uy, vx, vy = fixed_ux, fixed_uy, fixed_vx, fixed_vy
        if turn_a:
            angle = _radians((heading_a + t * turn_a) % 360)
            ux, uy = _sin(angle), _cos(angle)
        if turn_b:
            angle = _radians((heading_b + t * turn_b) % 360)
            vx, vy = _sin(angle), _cos(angle)
        dx = bx + t * way_bx - length_b * vx - (ax + t * way_ax - length_a * ux)
        dy = by + t * way_by - length_b * vy - (ay + t * way_ay - length_a * uy)
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

    return parts


# --- false position --------------------------------------------------------------------------------------------------


def _first_crossing(
    parts: _GapFunction, curvatures: Sequence[float], low: _InstantGaps, high: _InstantGaps, limits: tuple[float, float]
) -> _LimitCrossing | None:
    """The same stretch as the search by halves finds, far sooner, where a line parts the hulls ever less until then.

    Takes two instants: the hulls parted by `level` or more at the first, by less than `least` at the second. If the two
    are one limit, the instant is found only as finely as the stretch needs. None: not sure that it is the first.
    """
    level, least = limits
    (begin, at_begin), (end, at_end) = low, high
    noise = _ROUGH_TOLERANCE_MM if level == least else _SUM_TOLERANCE_MM
    above, met = max(at_begin) - level, begin
    if above > noise:
        found = _false_position(parts, level, (begin, above), (end, max(at_end) - level), noise)
        if found is None:
            return None
        met, at_met = found
        line = at_met.index(max(at_met))
        if (at_met[line] - at_begin[line]) / (met - begin) + curvatures[line] * (met - begin) / 2 >= 0:
            return None
    crossing = _locate_crossing(parts, (begin, end), met, level, noise)
    return crossing if crossing and crossing.parted < least else None


def _last_slide_steady(
    of: tuple[Path, Path], parts: _GapFunction, start: _InstantGaps, first: _LimitCrossing, floor: float
) -> float:
    """Return what `_last_slide_instant` does, but sooner: each line keeps below `floor`, or falls after the last."""
    since, at_since = start
    until = first.low
    at_until = parts(until)
    if max(at_until) >= floor:
        return _last_instant_apart(parts, until, first.high, floor)
    above, met, at_met = max(at_since) - floor, since, at_since
    if above > _SUM_TOLERANCE_MM:
        found = _false_position(parts, floor, (since, above), (until, max(at_until) - floor), _SUM_TOLERANCE_MM)
        if found is None:
            return _last_slide_instant(of, parts, since, until, floor)
        met, at_met = found
    if not _surely_keep_below(at_met, at_until, until - met, floor, rate_bounds(of[0].kind, of[1].kind).curvature):
        return _last_slide_instant(of, parts, since, until, floor)
    if above < 0:
        return since
    crossing = _locate_crossing(parts, (since, until), met, floor, _SUM_TOLERANCE_MM)
    if crossing is None:
        return _last_slide_instant(of, parts, since, until, floor)
    return _last_instant_apart(parts, crossing.low, crossing.high, floor, crossing)


def _surely_keep_below(
    at_low: Sequence[float], at_high: Sequence[float], width: float, floor: float, curvature: float
) -> bool:
    """Whether no line parts two hulls by `floor` again once they are parted by no more, to the end of a stretch."""
    bend = curvature * width * width
    for low, high in zip(at_low, at_high, strict=True):
        falls = high - low + bend / 2 < 0
        if not falls and max(low, high) + bend / 8 >= floor:
            return False
    return True


def _locate_crossing(
    parts: _GapFunction, within: tuple[float, float], met: float, level: float, noise: float
) -> _LimitCrossing | None:
    """The stretch, `MIN_INTERVAL` long, of those that halving makes of a longer one, in which hulls come below `level`.

    None where they do so too slowly, or too near to one of its ends, to tell which it is.
    """
    low, high = within
    while high - low >= MIN_INTERVAL:
        between = (low + high) / 2
        if met < between:
            high = between
        else:
            low = between
    if not high > met:
        return None
    parted = max(parts(high))
    rate = (level - parted) / (high - met)
    doubt = 4 * max(noise, _SUM_TOLERANCE_MM) / rate if rate >= _MIN_CLOSING_RATE_MM else math.inf
    if met + doubt >= high or (met != within[0] and met - doubt <= low):
        return None
    return _LimitCrossing(low, high, parted, met, doubt)


def _false_position(
    parts: _GapFunction, level: float, low: tuple[float, float], high: tuple[float, float], noise: float
) -> _InstantGaps | None:
    """When two hulls are parted by `level`, give or take the noise, by false position; None: not soon found.

    Takes two instants and by how much more they are parted then.
    """
    (a, at_a), (b, at_b) = low, high
    for _ in range(12):
        t = (a * at_b - b * at_a) / (at_b - at_a)
        parted = parts(t)
        at_t = max(parted) - level
        if abs(at_t) < noise:
            return t, parted
        if (at_t > 0) == (at_b > 0):
            left = 1 - at_t / at_b
            at_a *= left if left > 0 else 0.5
        else:
            a, at_a = b, at_b
        b, at_b = t, at_t
    return None


def _last_instant_apart(
    parts: _GapFunction, low: float, high: float, floor: float, known: _LimitCrossing | None = None
) -> float:
    """The last instant before `high` at which the hulls are parted by `floor`, as they are at `low`.

    By halves, which is what its last digit stands on; near which instant that is may be known before.
    """
    before, after = (known.met - known.doubt, known.met + known.doubt) if known else (low, high)
    while high - low > _INSTANT_TOLERANCE:
        between = (low + high) / 2
        if between < before:
            low = between
        elif between > after or max(parts(between)) < floor:
            high = between
        else:
            low = between
    return low
