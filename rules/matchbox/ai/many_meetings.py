"""When hulls meet in a step, for many pairs at once: what `meeting.find_meeting` says of one pair (MB-5.5).

The method, its bounds and the order of the search are those of `meeting`, where they are explained, so that both find
the same instants; only where hulls that slid were last no deeper than before is looked for on a grid
(`_after_sliding`).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from rules.matchbox.ai import many_hulls
from rules.matchbox.ai.many_hulls import (
    GALLEY_SIZE,
    AxisIndex,
    Bools,
    Floats,
    HullBoxes,
    HullSizes,
    Ints,
    PairBearings,
)
from rules.matchbox.engine.hull import MAX_SLIDE_MM
from rules.matchbox.engine.meeting import MAX_CURVATURE_MM, MAX_RATE_MM, MIN_INTERVAL, MIN_OVERLAP_MM
from rules.matchbox.engine.path import MAX_EDGE_CURVATURE_MM
from rules.matchbox.engine.sea import Sea

_TOLERANCE: Final = 1e-12
"""Of instants as parts of a step, and of lengths in mm: the search ends here."""
_MAX_FALSE_POSITIONS: Final = 12
"""False positions that find the instant to the noise of floating point; as a rule four do."""
_SLIDE_CHECKS: Final = 64
"""How many moments of a slide are checked; a legal position that lasts less than one interval is missed."""


def gap_limits(touching: Bools, parted: Floats) -> tuple[Floats, Floats]:
    """Distances in mm as in `meeting.sliding_limits`: at a stop, and from which a pair isn't stopped."""
    floor = np.where(touching, np.minimum(0.0, parted), 0.0)
    return floor, np.where(touching, np.minimum(-MAX_SLIDE_MM, floor - MIN_OVERLAP_MM), -MIN_OVERLAP_MM)


class HullPaths(NamedTuple):
    """How galleys go through a step, from t = 0 to t = 1; arrays of one shape."""

    x: Floats
    """Prows at the start."""
    y: Floats
    heading: Floats
    dx: Floats
    """The straight way of the prow."""
    dy: Floats
    turn: Floats
    """Of the heading, positive to starboard."""
    may_swing_over_edge: Bools
    """Whether corners might swing over the table's edge on the way."""
    size: HullSizes = GALLEY_SIZE

    def pick_rows(self, *where: AxisIndex) -> HullPaths:
        """Some of the paths."""
        return HullPaths._make((*(column[where] for column in self[:7]), self.size.pick_rows(*where)))

    @property
    def distinct_columns(self) -> tuple[Floats | Bools, ...]:
        """What tells one from another."""
        return (*self[:7], *self.size.distinct_columns)

    def boxes_at(self, t: Floats, sea: Sea) -> HullBoxes:
        """Where the hulls are at fractions t of the step (MB-5.3)."""
        there = self._free_boxes(t)
        out = self.may_swing_over_edge & (t > 0.0) & (t < 1.0)
        if out.any():
            push_x, push_y = many_hulls.edge_pushes(there, sea)
            return there._replace(x=there.x + out * push_x, y=there.y + out * push_y)
        return there

    def is_smooth(self, low: Floats, high: Floats, sea: Sea) -> Bools:
        """Whether each way surely has no kink from one instant to another: no edge begins or ceases to push."""
        begin, end = (np.array(many_hulls.edge_overhangs(self._free_boxes(t), sea)) for t in (low, high))
        doubt = MAX_EDGE_CURVATURE_MM * (high - low) ** 2 / 8
        sure = ((np.minimum(begin, end) > doubt) | (np.maximum(begin, end) < -doubt)).all(axis=0)
        quarters = (np.floor((self.heading + t * self.turn) / 90.0) for t in (low, high))
        return ~self.may_swing_over_edge | (sure & np.equal(*quarters) & (low > 0.0) & (high < 1.0))

    def _free_boxes(self, t: Floats) -> HullBoxes:
        return many_hulls.hull_boxes(
            self.x + t * self.dx, self.y + t * self.dy, self.heading + t * self.turn, self.size
        )


class PathPairs(NamedTuple):
    """Pairs of galleys on their ways."""

    a: HullPaths
    b: HullPaths
    stop_gap: Floats
    """How far each pair must be parted where it stops, in mm."""
    min_gap: Floats
    """From how far a pair isn't stopped, in mm."""
    sea: Sea
    rate: Floats | float = MAX_RATE_MM
    """Bounds on how fast, and how much faster, lines part them, as `meeting.rate_bounds` has them."""
    curvature: Floats | float = MAX_CURVATURE_MM

    def pick_rows(self, which: AxisIndex) -> PathPairs:
        """Some of the pairs."""
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
        """How each sees the other at fractions t of the step."""
        return many_hulls.pair_bearings(self.a.boxes_at(t, self.sea), self.b.boxes_at(t, self.sea))

    def is_smooth(self, low: Floats, high: Floats) -> Bools:
        """Whether the ways of both surely have none."""
        return self.a.is_smooth(low, high, self.sea) & self.b.is_smooth(low, high, self.sea)


def first_overlap(pairs: PathPairs, since: Floats) -> Floats:
    """The first instant from `since` on at which each pair would begin to overlap; infinite if never (MB-5.5)."""
    found = np.full(len(since), np.inf)
    a, b, sea = pairs.a, pairs.b, pairs.sea
    from_a, from_b = a.boxes_at(since, sea), b.boxes_at(since, sea)
    reach = _sweep_length(a) + _sweep_length(b) + (a.size.reach_mm + b.size.reach_mm)
    near = np.hypot(from_a.x - from_b.x, from_a.y - from_b.y) <= reach
    turning = (a.turn != 0.0) | (b.turn != 0.0)
    straight, turned = np.flatnonzero(near & ~turning), np.flatnonzero(near & turning)
    if len(straight):
        found[straight] = _straight_overlap(pairs.pick_rows(straight), since[straight])
    if len(turned):
        one, stands_for = _distinct_pairs(pairs.pick_rows(turned), since[turned])
        found[turned] = _turning_overlap(pairs.pick_rows(turned[one]), since[turned[one]])[stands_for]
    return found


def _distinct_pairs(pairs: PathPairs, since: Floats) -> tuple[Ints, Ints]:
    """Pick pairs of which no two are the same, and say for every pair which of these it is.

    Who tries all orders against all asks of the same two moves again and again.
    """
    rows = np.stack(
        [*pairs.a.distinct_columns, *pairs.b.distinct_columns, pairs.stop_gap, pairs.min_gap, since], axis=1
    )
    whole = rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
    _, one, stands_for = np.unique(whole, return_index=True, return_inverse=True)
    return one, stands_for


def _sweep_length(of: HullPaths) -> Floats:
    return np.asarray(np.hypot(of.dx, of.dy) + of.size.half_length * np.radians(np.abs(of.turn)))


def _straight_overlap(pairs: PathPairs, since: Floats) -> Floats:
    """In closed form: along each of the four axes the hulls overlap during one stretch of time."""
    a, b = pairs.a.boxes_at(since, pairs.sea), pairs.b.boxes_at(since, pairs.sea)
    left = 1.0 - since
    vx, vy = left * (pairs.b.dx - pairs.a.dx), left * (pairs.b.dy - pairs.a.dy)
    (certain, _), (begun, _) = (
        overlap_interval(a, b, vx, vy, depth=depth) for depth in (pairs.min_gap, pairs.stop_gap)
    )
    t = np.where(np.isfinite(begun), begun, certain)
    return np.where(np.isfinite(certain), since + t * left, np.inf)


def overlap_interval(a: HullBoxes, b: HullBoxes, vx: Floats, vy: Floats, *, depth: Floats) -> tuple[Floats, Floats]:
    """When each b, as seen from its a, goes its straight way (vx, vy), within which time they are deeper in each other.

    `depth` is how deep they may be, in mm and negative. The way takes from 0 to 1; both ends are infinite: never.
    """
    seen = many_hulls.pair_bearings(a, b)
    low, high = np.zeros(len(depth)), np.ones(len(depth))
    never = np.zeros(len(depth), bool)
    for place, rate, most in (
        (seen.ahead_a, vx * a.ux + vy * a.uy, seen.reach_a),
        (seen.abeam_a, vx * a.uy - vy * a.ux, seen.girth_a),
        (-seen.ahead_b, vx * b.ux + vy * b.uy, seen.reach_b),
        (-seen.abeam_b, vx * b.uy - vy * b.ux, seen.girth_b),
    ):
        limit = most + depth
        idle = np.abs(rate) < MIN_OVERLAP_MM
        never |= idle & (np.abs(place) >= limit)
        divisor = np.where(idle, 1.0, rate)
        one, other = (-limit - place) / divisor, (limit - place) / divisor
        low = np.where(idle, low, np.maximum(low, np.minimum(one, other)))
        high = np.where(idle, high, np.minimum(high, np.maximum(one, other)))
        never |= low >= high
    return np.where(never, np.inf, low), np.where(never, np.inf, high)


class _OverlapIntervals(NamedTuple):
    """Parts of steps that may hold an overlap."""

    pair: Ints
    low: Floats
    high: Floats
    at_low: Floats
    """How far each line through the hulls' edges parts them there: [line, stretch]."""
    at_high: Floats

    def pick_rows(self, which: AxisIndex) -> _OverlapIntervals:
        return _OverlapIntervals._make(column[..., which] for column in self)


def _turning_overlap(pairs: PathPairs, since: Floats) -> Floats:
    """By halving the time until each part either cannot hold an overlap or ends in one.

    Parts after one that ends in an overlap are dropped: what is found in it is earlier.
    """
    count = len(since)
    pushed = pairs.a.may_swing_over_edge | pairs.b.may_swing_over_edge
    over = np.ones(count)
    left = _OverlapIntervals(
        np.arange(count), since, over, *(many_hulls.edge_gaps(pairs.bearings_at(t)) for t in (since, over))
    )
    cut, begin, end = (np.full(count, np.inf) for _ in range(3))
    while True:
        width = left.high - left.low
        limit = pairs.min_gap[left.pair]
        spare = np.minimum(left.at_low, left.at_high).max(axis=0) - limit
        rate, curvature = (many_hulls.pick_rows(bound, left.pair) for bound in (pairs.rate, pairs.curvature))
        keep = spare < curvature * width * width / 8
        doubtful = np.flatnonzero(pushed[left.pair] & ~keep & (spare < rate * width / 2))
        if len(doubtful):
            some = left.pick_rows(doubtful)
            keep[doubtful] = ~pairs.pick_rows(some.pair).is_smooth(some.low, some.high)
        keep &= left.low < cut[left.pair]
        fine = width < MIN_INTERVAL
        if fine.any():
            met = left.pick_rows(keep & fine & (left.at_high.max(axis=0) < limit))
            met = met.pick_rows(
                np.argsort(-met.low, kind="stable")
            )  # of one pair's the earliest last, so that it stays
            begin[met.pair], end[met.pair] = met.low, met.high
            keep &= ~fine
        left = left if keep.all() else left.pick_rows(keep)
        if not len(left.pair):
            break
        between = (left.low + left.high) / 2
        at_between = many_hulls.edge_gaps(pairs.pick_rows(left.pair).bearings_at(between))
        overlaps = at_between.max(axis=0) < pairs.min_gap[left.pair]
        np.minimum.at(cut, left.pair[overlaps], between[overlaps])
        early, late = left._replace(high=between, at_high=at_between), left._replace(low=between, at_low=at_between)
        both = zip(early, late.pick_rows(~overlaps), strict=True)
        left = _OverlapIntervals._make(np.concatenate(columns, axis=-1) for columns in both)
    found = np.full(count, np.inf)
    met_at = np.flatnonzero(np.isfinite(begin))
    if len(met_at):
        begin, end = _after_sliding(pairs.pick_rows(met_at), since[met_at], begin[met_at], end[met_at])
        found[met_at] = _last_instant_apart(pairs.pick_rows(met_at), begin, end)
    return found


def _after_sliding(pairs: PathPairs, since: Floats, begin: Floats, end: Floats) -> tuple[Floats, Floats]:
    """Stretches at whose beginning hulls that slid were last no deeper than `floor`; other stretches stay."""
    deep = np.flatnonzero(many_hulls.pair_separation(pairs.bearings_at(begin)) < pairs.stop_gap)
    if not len(deep):
        return begin, end
    grid = np.linspace(since[deep], begin[deep], _SLIDE_CHECKS + 1)
    apart = many_hulls.pair_separation(pairs.pick_rows(deep).bearings_at(grid)) >= pairs.stop_gap[deep]
    last = np.where(apart.any(axis=0), _SLIDE_CHECKS - apart[::-1].argmax(axis=0), 0)
    here = np.arange(len(deep))
    begin, end = begin.copy(), end.copy()
    # Who is deeper all the time stops at once.
    begin[deep], end[deep] = (
        grid[last, here],
        np.where(apart.any(axis=0), grid[np.minimum(last + 1, _SLIDE_CHECKS), here], grid[0]),
    )
    return begin, end


def _last_instant_apart(pairs: PathPairs, low: Floats, high: Floats) -> Floats:
    """The last instant before `high` at which each pair is parted by `floor`, to the noise."""

    def spare(t: Floats) -> Floats:
        return np.asarray(many_hulls.pair_separation(pairs.bearings_at(t)) - pairs.stop_gap)

    at_low, at_high = spare(low), spare(high)
    stayed, between, there = np.zeros(len(low), np.int64), low, at_low
    for _ in range(_MAX_FALSE_POSITIONS):
        rise = at_low - at_high
        between = np.clip(low + (high - low) * at_low / np.where(rise > 0, rise, np.inf), low, high)
        there = spare(between)
        apart = there >= 0
        # An end that stays a second time counts half from then on, so that it can't stay for ever (Illinois).
        halves_low, halves_high = ~apart & (stayed == -1), apart & (stayed == 1)
        low, at_low = np.where(apart, between, low), np.where(apart, there, at_low / (1 + halves_low))
        high, at_high = np.where(apart, high, between), np.where(apart, at_high / (1 + halves_high), there)
        stayed = np.where(apart, 1, -1)
        if np.all(np.minimum(high - low, np.abs(there)) < _TOLERANCE):
            break
    # At the table's edge hulls may jump from apart to too deep.
    return np.where(np.abs(there) < MIN_OVERLAP_MM, between, low)
