"""When hulls meet in a step, for many pairs at once: like `meeting.find_meeting` for one pair (MB-5.5).

Method, bounds and order of search are those of `meeting`, which explains them, so both find the same instants. The only
difference is that the last legal instant of hulls that slid is searched on a grid (`_after_sliding`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.geometry.boxes import TOUCH_DISTANCE
from rules.matchbox.ai import many_hulls
from rules.matchbox.ai.many_hulls import GALLEY_SIZE, AxisIndex, Bools, Floats, HullBoxes, HullSizes, Ints, PairBearings
from rules.matchbox.engine.hull import CONTACT_MM, LENGTH_TOLERANCE_MM, MAX_SLIDE_MM, POSE_PRECISION_MM
from rules.matchbox.engine.meeting import MAX_CURVATURE_MM, MAX_RATE_MM, MIN_INTERVAL, MIN_OVERLAP_MM
from rules.matchbox.engine.path import MAX_EDGE_CURVATURE_MM
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, HullEdge

EDGES: Final[tuple[HullEdge, ...]] = ("bow", "stern", "starboard", "port")
"""In the order of `boxes.edge_gaps`. The index is the number used here."""
BOW, STERN, STARBOARD, PORT = range(4)
TO_PORT, TO_STARBOARD, EITHER = range(3)  # sides on which another hull lies (MB-5.12)

_NORMALS_DEG: Final = np.array([0.0, 180.0, 90.0, 270.0])
_TIE_ORDER: Final = (BOW, STARBOARD, PORT, STERN)  # the order that settles ties (MB-5.7)
_EQUAL_MM: Final = 0.01
_BACKING_STEP_MM: Final = 0.1
_MAX_BACKING_STEPS: Final = round(MATCH_MM / _BACKING_STEP_MM)
_MAX_STRIDES: Final = 6


class Neighbour(NamedTuple):
    hull: HullBoxes  # the other hulls
    was_touched: Bools  # whether they were in contact at the start, and so may slide apart
    afloat: Bools  # whether the neighbour is afloat


def touched_edges(a: HullBoxes, b: HullBoxes, turned: Floats) -> tuple[Ints, Ints]:
    """Return the touched edges of hulls in contact (MB-5.7). `turned` is the heading of b minus that of a."""
    gaps = many_hulls.edge_gaps(many_hulls.pair_bearings(a, b))
    is_best_line = gaps >= gaps.max(axis=0) - _EQUAL_MM - LENGTH_TOLERANCE_MM
    # Eight candidates: each edge of a with the edge of b that faces it most, and the other way round.
    lines = np.arange(4)[:, None] + np.zeros(len(turned), np.int64)
    edge_a = np.concatenate((lines, _opposed_edges(-turned)))
    edge_b = np.concatenate((_opposed_edges(turned), lines))
    bow_a, bow_b = edge_a == BOW, edge_b == BOW
    frontal = (is_best_line & bow_a).any(axis=0) & (is_best_line & bow_b).any(axis=0)
    with_side = (edge_a >= STARBOARD) | (edge_b >= STARBOARD)
    # Of several best lines, a bow at a side comes first (0), then a bow at an end (1), then lines without a bow (2).
    rank = np.where(bow_a | bow_b, np.where(with_side, 0, 1), 2)
    best = np.where(is_best_line, rank, 3).argmin(axis=0)  # 3: not a best line
    pair = np.arange(len(turned))
    return np.where(frontal, BOW, edge_a[best, pair]), np.where(frontal, BOW, edge_b[best, pair])


def _opposed_edges(turned: Floats) -> Ints:  # other hull's edge that is most opposed to each edge, [edge, pair]
    # Cosines between the normals of both edges; -1: exactly opposed. [edge, other edge, pair]
    cosines = np.cos(np.radians(_NORMALS_DEG[None, :, None] - _NORMALS_DEG[:, None, None] + turned))
    best = np.full(cosines.shape[::2], BOW)
    least = np.full(best.shape, 2.0)
    for edge in _TIE_ORDER:
        is_less = cosines[:, edge] < least - TOUCH_DISTANCE
        best, least = np.where(is_less, edge, best), np.where(is_less, cosines[:, edge], least)
    return best


def facing_sides(hulls: HullBoxes, other: HullBoxes) -> Ints:
    """Return the side on which the middle of another hull lies; `EITHER`: exactly fore or aft (MB-5.12)."""
    to_starboard_mm = (other.x - hulls.x) * hulls.uy - (other.y - hulls.y) * hulls.ux
    sides = np.where(to_starboard_mm > 0, TO_STARBOARD, TO_PORT)
    return np.where(np.abs(to_starboard_mm) <= POSE_PRECISION_MM + LENGTH_TOLERANCE_MM, EITHER, sides)


def backing_room(start: HullBoxes, others: Sequence[Neighbour], sea: Sea) -> Floats:
    """Return how far hulls can back, up to a match, in steps of 0.1 mm (MB-5.13)."""
    room_mm = np.minimum(MATCH_MM, _table_room_astern(start, sea)) + LENGTH_TOLERANCE_MM
    steps = (room_mm / _BACKING_STEP_MM).astype(np.int64)
    for other in others:
        reach = start.size.reach_mm + other.hull.size.reach_mm
        is_near = np.hypot(other.hull.x - start.x, other.hull.y - start.y) < reach + MATCH_MM + 1.0
        # Hulls that touched at the start may slide apart, and others must keep clear.
        for count_steps, which in ((_steps_along, other.was_touched), (_steps_clear, ~other.was_touched)):
            rows = np.flatnonzero(which & other.afloat & is_near)
            if len(rows):
                free = count_steps(start.pick_rows(rows), other.hull.pick_rows(rows), steps[rows])
                steps[rows] = np.minimum(steps[rows], free)
    return np.asarray(np.round(steps * _BACKING_STEP_MM, 1))


def _steps_along(own: HullBoxes, other: HullBoxes, most: Ints) -> Ints:
    """Return the steps before backing hulls overlap others in contact. An existing overlap may not grow."""
    depth = np.minimum(0.0, many_hulls.pair_separation(many_hulls.pair_bearings(own, other))) - LENGTH_TOLERANCE_MM
    # As fractions of one match backed, in which the other hull moves ahead relative to the own one.
    begins, ends = overlap_interval(own, other, MATCH_MM * own.ux, MATCH_MM * own.uy, depth=depth)
    free = np.floor(np.minimum(begins, 1.0) * _MAX_BACKING_STEPS).astype(np.int64)
    return np.where(free + 1 < np.minimum(ends, 2.0) * _MAX_BACKING_STEPS, free, most)


def _steps_clear(own: HullBoxes, other: HullBoxes, most: Ints) -> Ints:
    """Return how many steps of 0.1 mm, up to `most`, each backing hull can take without touching the other."""

    def spare(which: Ints, steps: Ints) -> Floats:
        # How much wider than a contact the gap is after these steps, in mm.
        back, hulls = steps * _BACKING_STEP_MM, own.pick_rows(which)
        hulls_after = hulls._replace(x=hulls.x - back * hulls.ux, y=hulls.y - back * hulls.uy)
        return np.asarray(
            many_hulls.pair_gap(hulls_after, other.pick_rows(which)) - CONTACT_MM - 2 * LENGTH_TOLERANCE_MM
        )

    # The gap is at least the separation along an edge, so hulls are clear until that becomes too small.
    depth = np.full(len(most), CONTACT_MM + 3 * LENGTH_TOLERANCE_MM)
    begins, _ = overlap_interval(own, other, MATCH_MM * own.ux, MATCH_MM * own.uy, depth=depth)
    clear_steps = np.floor(np.minimum(begins, 2.0) * _MAX_BACKING_STEPS).astype(np.int64) - 1
    steps_done: Ints = np.minimum(most, np.maximum(0, clear_steps))
    rows_left = np.flatnonzero(steps_done < most)
    for _ in range(_MAX_STRIDES):
        if not len(rows_left):
            break
        # A gap shrinks at most by the distance moved, so all steps that fit into it are free.
        free_steps = np.maximum(
            1, (spare(rows_left, steps_done[rows_left]) - LENGTH_TOLERANCE_MM) / _BACKING_STEP_MM
        ).astype(np.int64)
        step = np.minimum(most[rows_left] - steps_done[rows_left], free_steps)
        is_stuck = step == 1
        is_stuck[is_stuck] = spare(rows_left[is_stuck], steps_done[rows_left[is_stuck]] + 1) < 0
        steps_done[rows_left[~is_stuck]] += step[~is_stuck]
        rows_left = rows_left[~is_stuck & (steps_done[rows_left] < most[rows_left])]
    if len(rows_left):  # hulls that slide past each other in tiny strides: test all steps at once
        steps = np.arange(1, _MAX_BACKING_STEPS + 1)
        gaps = spare(np.repeat(rows_left, _MAX_BACKING_STEPS), np.tile(steps, len(rows_left)))
        is_too_near = gaps.reshape(len(rows_left), _MAX_BACKING_STEPS) < 0
        is_too_near &= steps > steps_done[rows_left, None]
        steps_done[rows_left] = np.where(is_too_near.any(axis=1), is_too_near.argmax(axis=1), most[rows_left])
    return steps_done


def _table_room_astern(hulls: HullBoxes, sea: Sea) -> Floats:
    # How far a hull can back before one of its corners reaches an edge of the table, in mm.
    east, north = many_hulls.box_reaches(hulls)
    room = np.full(len(hulls.x), np.inf)
    # For each edge: the room before it, and how fast backing uses that up.
    for edge_room, rate in (
        (hulls.x - east, hulls.ux),
        (hulls.y - north, hulls.uy),
        (sea.width_mm - hulls.x - east, -hulls.ux),
        (sea.height_mm - hulls.y - north, -hulls.uy),
    ):
        backs = rate > TOUCH_DISTANCE
        room = np.minimum(room, np.where(backs, np.maximum(0.0, edge_room) / np.where(backs, rate, 1.0), np.inf))
    return room


_TOLERANCE: Final = 1e-12  # precision of the search, for instants in steps and for lengths in mm
_MAX_FALSE_POSITIONS: Final = 12  # enough to reach the precision of floating point. Usually four suffice.
_SLIDE_CHECKS: Final = 64  # grid points of a slide. A legal position shorter than one interval is missed.


def gap_limits(touching: Bools, separation: Floats) -> tuple[Floats, Floats]:
    """Return stop gap and minimum gap in mm, as in `meeting.sliding_limits`."""
    stop_gap = np.where(touching, np.minimum(0.0, separation), 0.0)
    return stop_gap, np.where(touching, np.minimum(-MAX_SLIDE_MM, stop_gap - MIN_OVERLAP_MM), -MIN_OVERLAP_MM)


class HullPaths(NamedTuple):
    """Ways of galleys through a step, from t = 0 to t = 1. All arrays have one shape."""

    x: Floats  # easting of the prow at the start, in mm
    y: Floats  # northing of the prow at the start, in mm
    heading: Floats  # heading at the start, in degrees
    dx: Floats  # distance moved east in the step, in mm
    dy: Floats  # distance moved north in the step, in mm
    turn: Floats  # degrees turned in the step, positive to starboard
    may_swing_over_edge: Bools  # whether corners might swing over the table's edge on the way
    size: HullSizes = GALLEY_SIZE  # half lengths and half widths of hulls

    def pick_rows(self, *where: AxisIndex) -> HullPaths:
        return HullPaths._make((*(column[where] for column in self[:7]), self.size.pick_rows(*where)))

    @property
    def distinct_columns(self) -> tuple[Floats | Bools, ...]:
        return (*self[:7], *self.size.distinct_columns)

    def boxes_at(self, t: Floats, sea: Sea) -> HullBoxes:  # at fractions t of the step (MB-5.3)
        free_boxes = self._free_boxes(t)
        pushed = self.may_swing_over_edge & (t > 0.0) & (t < 1.0)
        if pushed.any():
            push_x, push_y = many_hulls.edge_pushes(free_boxes, sea)
            return free_boxes._replace(x=free_boxes.x + pushed * push_x, y=free_boxes.y + pushed * push_y)
        return free_boxes

    def is_smooth(self, low: Floats, high: Floats, sea: Sea) -> Bools:
        """Return whether each way surely has no kink, where an edge starts or stops to push, between two instants."""
        begin, end = (np.array(many_hulls.edge_overhangs(self._free_boxes(t), sea)) for t in (low, high))
        doubt = MAX_EDGE_CURVATURE_MM * (high - low) ** 2 / 8
        keeps_sign = ((np.minimum(begin, end) > doubt) | (np.maximum(begin, end) < -doubt)).all(axis=0)
        quarters = (np.floor((self.heading + t * self.turn) / 90.0) for t in (low, high))
        return ~self.may_swing_over_edge | (keeps_sign & np.equal(*quarters) & (low > 0.0) & (high < 1.0))

    def _free_boxes(self, t: Floats) -> HullBoxes:
        # Without pushes by the table's edge.
        x, y = self.x + t * self.dx, self.y + t * self.dy
        return many_hulls.hull_boxes(x, y, self.heading + t * self.turn, self.size)


class PathPairs(NamedTuple):
    a: HullPaths  # paths of the first hulls
    b: HullPaths  # paths of the second hulls
    stop_gap: Floats  # the gap in mm at which a pair stops
    min_gap: Floats  # the gap in mm that a pair may not fall below
    sea: Sea  # the table with its land
    rate: Floats | float = MAX_RATE_MM  # bounds on the derivatives of gaps, as in `meeting.rate_bounds`
    curvature: Floats | float = MAX_CURVATURE_MM  # bound on the second derivative of gaps

    def pick_rows(self, which: AxisIndex) -> PathPairs:
        bounds = (many_hulls.pick_rows(bound, which) for bound in (self.rate, self.curvature))
        return PathPairs(
            self.a.pick_rows(which),
            self.b.pick_rows(which),
            self.stop_gap[which],
            self.min_gap[which],
            self.sea,
            *bounds,
        )

    def bearings_at(self, t: Floats) -> PairBearings:
        return many_hulls.pair_bearings(self.a.boxes_at(t, self.sea), self.b.boxes_at(t, self.sea))

    def is_smooth(self, low: Floats, high: Floats) -> Bools:
        return self.a.is_smooth(low, high, self.sea) & self.b.is_smooth(low, high, self.sea)


def first_overlap(pairs: PathPairs, since: Floats) -> Floats:
    """Return the first instant from `since` at which each pair would overlap; infinite: never (MB-5.5)."""
    instants = np.full(len(since), np.inf)
    a, b, sea = pairs.a, pairs.b, pairs.sea
    from_a, from_b = a.boxes_at(since, sea), b.boxes_at(since, sea)
    reach = _sweep_length(a) + _sweep_length(b) + (a.size.reach_mm + b.size.reach_mm)
    is_near = np.hypot(from_a.x - from_b.x, from_a.y - from_b.y) <= reach
    turning = (a.turn != 0.0) | (b.turn != 0.0)
    straight, turned = np.flatnonzero(is_near & ~turning), np.flatnonzero(is_near & turning)  # numbers of pairs
    if len(straight):
        instants[straight] = _straight_overlap(pairs.pick_rows(straight), since[straight])
    if len(turned):
        # Equal pairs are computed once, because turns take long.
        representatives, stands_for = _distinct_pairs(pairs.pick_rows(turned), since[turned])
        chosen = turned[representatives]
        instants[turned] = _turning_overlap(pairs.pick_rows(chosen), since[chosen])[stands_for]
    return instants


def _distinct_pairs(pairs: PathPairs, since: Floats) -> tuple[Ints, Ints]:
    """Return rows of distinct pairs, and for every pair the index of its equal among these rows.

    A search that tries all orders against all repeats the same two moves very often.
    """
    rows = np.stack(
        [*pairs.a.distinct_columns, *pairs.b.distinct_columns, pairs.stop_gap, pairs.min_gap, since], axis=1
    )
    whole = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, representatives, stands_for = np.unique(whole, return_index=True, return_inverse=True)
    return representatives, stands_for


def _sweep_length(paths: HullPaths) -> Floats:
    # The farthest that any point of a hull may move in the step, in mm.
    return np.asarray(np.hypot(paths.dx, paths.dy) + paths.size.half_length * np.radians(np.abs(paths.turn)))


def _straight_overlap(pairs: PathPairs, since: Floats) -> Floats:
    a, b = pairs.a.boxes_at(since, pairs.sea), pairs.b.boxes_at(since, pairs.sea)
    time_left = 1.0 - since
    vx, vy = time_left * (pairs.b.dx - pairs.a.dx), time_left * (pairs.b.dy - pairs.a.dy)
    too_deep, _ = overlap_interval(a, b, vx, vy, depth=pairs.min_gap)
    stops, _ = overlap_interval(a, b, vx, vy, depth=pairs.stop_gap)
    t = np.where(np.isfinite(stops), stops, too_deep)
    return np.where(np.isfinite(too_deep), since + t * time_left, np.inf)


def overlap_interval(a: HullBoxes, b: HullBoxes, vx: Floats, vy: Floats, *, depth: Floats) -> tuple[Floats, Floats]:
    """Return when each b that moves straight by (vx, vy) relative to a overlaps it by more than `depth`.

    `depth` is in mm and negative for overlaps. The motion takes from 0 to 1. Both ends are infinite if it never does.
    """
    bearings = many_hulls.pair_bearings(a, b)
    low, high = np.zeros(len(depth)), np.ones(len(depth))
    never = np.zeros(len(depth), bool)
    # Along each axis: the distance of b's middle, its rate of change, and the distance at which the hulls touch.
    for distance, rate, touching_distance in (
        (bearings.ahead_a, vx * a.ux + vy * a.uy, bearings.reach_a),
        (bearings.abeam_a, vx * a.uy - vy * a.ux, bearings.girth_a),
        (-bearings.ahead_b, vx * b.ux + vy * b.uy, bearings.reach_b),
        (-bearings.abeam_b, vx * b.uy - vy * b.ux, bearings.girth_b),
    ):
        limit = touching_distance + depth
        is_constant = np.abs(rate) < MIN_OVERLAP_MM
        never |= is_constant & (np.abs(distance) >= limit)
        divisor = np.where(is_constant, 1.0, rate)
        first_time, second_time = (-limit - distance) / divisor, (limit - distance) / divisor
        low = np.where(is_constant, low, np.maximum(low, np.minimum(first_time, second_time)))
        high = np.where(is_constant, high, np.minimum(high, np.maximum(first_time, second_time)))
        never |= low >= high
    return np.where(never, np.inf, low), np.where(never, np.inf, high)


class _OverlapIntervals(NamedTuple):
    pair: Ints  # index of the pair
    low: Floats  # instant at which the interval begins
    high: Floats  # instant at which the interval ends
    at_low: Floats  # mm between the two hulls along each of their edge lines at `low`, [line, interval]
    at_high: Floats  # the same at `high`

    def pick_rows(self, which: AxisIndex) -> _OverlapIntervals:
        return _OverlapIntervals._make(column[..., which] for column in self)


def _turning_overlap(pairs: PathPairs, since: Floats) -> Floats:
    """Return the first instants of overlaps, by bisecting each step until every part is free or ends in an overlap.

    Later parts are dropped once an earlier one ends in an overlap.
    """
    count = len(since)
    # Paths that the table's edge may bend, so that the bound on the curvature does not hold everywhere.
    pushed = pairs.a.may_swing_over_edge | pairs.b.may_swing_over_edge
    step_end = np.ones(count)
    left = _OverlapIntervals(
        np.arange(count), since, step_end, *(many_hulls.edge_gaps(pairs.bearings_at(t)) for t in (since, step_end))
    )
    # By pair: the earliest instant known to overlap, and the short interval in which its overlap begins.
    known_overlap, begin, end = (np.full(count, np.inf) for _ in range(3))
    while True:
        width = left.high - left.low
        limit = pairs.min_gap[left.pair]
        # How much wider than the limit the gap along the best line is at both ends of the interval.
        spare = np.minimum(left.at_low, left.at_high).max(axis=0) - limit
        rate, curvature = (many_hulls.pick_rows(bound, left.pair) for bound in (pairs.rate, pairs.curvature))
        may_overlap = spare < curvature * width * width / 8
        doubtful = np.flatnonzero(pushed[left.pair] & ~may_overlap & (spare < rate * width / 2))
        if len(doubtful):
            some = left.pick_rows(doubtful)
            may_overlap[doubtful] = ~pairs.pick_rows(some.pair).is_smooth(some.low, some.high)
        may_overlap &= left.low < known_overlap[left.pair]
        is_short = width < MIN_INTERVAL
        if is_short.any():
            overlapping = left.pick_rows(may_overlap & is_short & (left.at_high.max(axis=0) < limit))
            # The earliest of a pair comes last and stays.
            overlapping = overlapping.pick_rows(np.argsort(-overlapping.low, kind="stable"))
            begin[overlapping.pair], end[overlapping.pair] = overlapping.low, overlapping.high
            may_overlap &= ~is_short
        left = left if may_overlap.all() else left.pick_rows(may_overlap)
        if not len(left.pair):
            break
        between = (left.low + left.high) / 2
        at_between = many_hulls.edge_gaps(pairs.pick_rows(left.pair).bearings_at(between))
        overlaps = at_between.max(axis=0) < pairs.min_gap[left.pair]
        np.minimum.at(known_overlap, left.pair[overlaps], between[overlaps])
        early, late = left._replace(high=between, at_high=at_between), left._replace(low=between, at_low=at_between)
        both = zip(early, late.pick_rows(~overlaps), strict=True)
        left = _OverlapIntervals._make(np.concatenate(columns, axis=-1) for columns in both)
    instants = np.full(count, np.inf)
    meeting_pairs = np.flatnonzero(np.isfinite(begin))
    if len(meeting_pairs):
        pairs, since = pairs.pick_rows(meeting_pairs), since[meeting_pairs]
        begin, end = _after_sliding(pairs, since, begin[meeting_pairs], end[meeting_pairs])
        instants[meeting_pairs] = _last_instant_apart(pairs, begin, end)
    return instants


def _after_sliding(pairs: PathPairs, since: Floats, begin: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Return intervals, moved back to the last instant with a gap of at least `stop_gap` for hulls that slid deeper."""
    deep_rows = np.flatnonzero(many_hulls.pair_separation(pairs.bearings_at(begin)) < pairs.stop_gap)
    if not len(deep_rows):
        return begin, end
    grid = np.linspace(since[deep_rows], begin[deep_rows], _SLIDE_CHECKS + 1)
    apart = many_hulls.pair_separation(pairs.pick_rows(deep_rows).bearings_at(grid)) >= pairs.stop_gap[deep_rows]
    last = np.where(apart.any(axis=0), _SLIDE_CHECKS - apart[::-1].argmax(axis=0), 0)
    columns = np.arange(len(deep_rows))
    begin, end = begin.copy(), end.copy()
    # A pair that is always deeper stops at once.
    begin[deep_rows], end[deep_rows] = (
        grid[last, columns],
        np.where(apart.any(axis=0), grid[np.minimum(last + 1, _SLIDE_CHECKS), columns], grid[0]),
    )
    return begin, end


def _last_instant_apart(pairs: PathPairs, low: Floats, high: Floats) -> Floats:
    """Return the last instant before `high` at which each pair has its stop gap, by false position."""

    def spare(t: Floats) -> Floats:
        return np.asarray(many_hulls.pair_separation(pairs.bearings_at(t)) - pairs.stop_gap)

    at_low, at_high = spare(low), spare(high)
    last_moved, between, gap_left = np.zeros(len(low), np.int64), low, at_low
    for _ in range(_MAX_FALSE_POSITIONS):
        rise = at_low - at_high
        between = np.clip(low + (high - low) * at_low / np.where(rise > 0, rise, np.inf), low, high)
        gap_left = spare(between)
        apart = gap_left >= 0
        # Illinois rule: the value of an end that stays a second time is halved.
        halves_low, halves_high = ~apart & (last_moved == -1), apart & (last_moved == 1)
        low, at_low = np.where(apart, between, low), np.where(apart, gap_left, at_low / (1 + halves_low))
        high, at_high = np.where(apart, high, between), np.where(apart, at_high / (1 + halves_high), gap_left)
        last_moved = np.where(apart, 1, -1)
        if np.all(np.minimum(high - low, np.abs(gap_left)) < _TOLERANCE):
            break
    # At the table's edge hulls may jump from apart to too deep.
    return np.where(np.abs(gap_left) < MIN_OVERLAP_MM, between, low)
