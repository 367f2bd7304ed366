"""Land and many hulls at once: where it stops them, and what it hides (MX-1.8 to 1.15).

A chart of how far off land the water is says of most hulls, at once, that no land is near. Of the others each different
move is tried once, by the same distances as in `shore`. Only where a hull turns may the simulator miss what the rules
find: land that a corner grazes by less than a millimetre between two of `_CHECK_FRACTIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely

from rules.core.blows import BlowSide
from rules.geometry.boxes import Box, Pair
from rules.geometry.plane import Land
from rules.matchbox.ai.many_hulls import GALLEY_SIZE, Bools, Floats, HullBoxes, HullSizes, Ints
from rules.matchbox.ai.many_meetings import HullPaths
from rules.matchbox.engine import shore
from rules.matchbox.engine.boarding import MAX_LAND_MM
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley
from rules.matchbox.engine.volley import MAX_HIDDEN_MM

CHART_PITCH_MM: Final = 10.0
"""Between the points of a chart."""
_CHART_ERROR_MM: Final = 8.0
"""More than what a chart errs by between its points."""
_OUTLINE_MM: Final = 4.0
"""A point of a hull's outline so near to land touches it, as far as the chart tells."""
_TOLERANCE_MM: Final = 1e-6
_ASTERN_STEP_MM: Final = 0.1
"""MB-5.13."""
_ASTERN_MM: Final = 32.0
"""Land farther than this from the middle of a stern does not stop it within 12 mm."""
_TURN_CHECKS: Final = 16
_CHECK_FRACTIONS: Final = np.array([0.0, 1 / 1024, *np.linspace(0.0, 1.0, _TURN_CHECKS + 1)[1:]])
"""Of a step, at which a turn is looked at. Who is pressed against land may be nearer to it only at the very first."""
_HALF_WAY: Final = 0.25
"""Of a step: between two looks and the nearer of them."""
_HALVINGS: Final = 26
_ADVANCES: Final = 12
_SAMPLE_FRACTIONS: Final = (np.array([[0.5]]), np.array([[0.125], [0.375], [0.625], [0.875]]))
"""The middles of a line, and of its quarters: land is near the line only if it is as near to one of them."""
_SAME_INSTANT: Final = 1e-9
"""A part of a step in which nobody goes a millionth of a millimetre."""
_FACINGS: Final[dict[BlowSide, int]] = {"port": 0, "starboard": 1, "either": 2}
_OUTLINE_POINTS: Final = np.array(
    [
        *((along, side) for along in (-1.0, -0.5, 0.0, 0.5, 1.0) for side in (-1.0, 1.0)),
        (1.0, 0.0),
        (-1.0, 0.0),
    ]
)
"""Points of a hull's outline, in half lengths ahead of her middle and half widths to starboard of it."""


class ShoreDistanceChart:
    """How far points of a table are off some land."""

    def __init__(self, land: Land, size: Pair) -> None:
        self.xs, self.ys = (np.arange(0.0, length + 2 * CHART_PITCH_MM, CHART_PITCH_MM) for length in size)
        points = shapely.points(*np.meshgrid(self.xs, self.ys, indexing="ij"))
        self.off_mm: Floats = np.asarray(shapely.distance(land.shape, points))
        self._off_mm = self.off_mm.ravel()

    def distance_at(self, x: Floats, y: Floats) -> Floats:
        """How far off they are, in mm: more or less, between the chart's points."""
        across = np.clip(np.asarray(x) / CHART_PITCH_MM, 0.0, len(self.xs) - 1.001)
        along = np.clip(np.asarray(y) / CHART_PITCH_MM, 0.0, len(self.ys) - 1.001)
        i, j = across.astype(np.int64), along.astype(np.int64)
        u, v = across - i, along - j
        # By one index, as numpy finds many places of a row sooner than of a table.
        here = i * len(self.ys) + j
        east = here + len(self.ys)
        south = self._off_mm.take(here) * (1 - u) + self._off_mm.take(east) * u
        north = self._off_mm.take(here + 1) * (1 - u) + self._off_mm.take(east + 1) * u
        return np.asarray(south * (1 - v) + north * v)


def land_chart(sea: Sea) -> ShoreDistanceChart:
    """The chart of islands and moles."""
    return _distance_chart(sea.terrain.land, sea.size_mm)


def _island_chart(sea: Sea) -> ShoreDistanceChart:
    return _distance_chart(sea.terrain.islands, sea.size_mm)


def _reef_chart(sea: Sea) -> ShoreDistanceChart:
    return _distance_chart(sea.terrain.reefs, sea.size_mm)


@lru_cache(maxsize=24)
def _distance_chart(land: Land, size: Pair) -> ShoreDistanceChart:
    # By the land itself, which all who ask share: seas are told apart by all their corners.
    return ShoreDistanceChart(land, size)


def touches_land(sea: Sea, x: Floats, y: Floats, sin: Floats, cos: Floats, *, size: HullSizes = GALLEY_SIZE) -> Bools:
    """Whether hulls with these middles and headings lie on land, or next to it, as far as the chart tells.

    All are as large: `size` is two numbers.
    """
    chart = land_chart(sea)
    near = chart.distance_at(x, y) <= size.reach_mm + _CHART_ERROR_MM
    found = np.zeros(near.shape, bool)
    if near.any():
        x, y, sin, cos = (column[near] for column in np.broadcast_arrays(x, y, sin, cos))
        fore, aside = (_OUTLINE_POINTS * np.array(size)).T[:, :, None]
        rim = chart.distance_at(x + fore * sin + aside * cos, y + fore * cos - aside * sin)
        found[near] = rim.min(axis=0) <= _OUTLINE_MM
    return found


def stop_fractions(paths: HullPaths, moving: Bools, sea: Sea) -> Floats:
    """The part of its way at which land stops each hull that moves; infinite if nothing does (MX-1.8)."""
    found = np.full(moving.shape, np.inf)
    length = np.hypot(paths.dx, paths.dy)
    sweep = (length + paths.size.half_length * np.radians(np.abs(paths.turn))) * (1.0 + paths.may_swing_over_edge)
    midway = paths.boxes_at(np.full(moving.shape, 0.5), sea)
    near = moving & (
        land_chart(sea).distance_at(midway.x, midway.y) <= paths.size.reach_mm + sweep / 2 + _CHART_ERROR_MM
    )
    if not near.any():
        return found
    of = paths.pick_rows(near)
    one, stands_for = _distinct_rows(of.distinct_columns)
    found[near] = _stop_each(of.pick_rows(one), sea, sea.terrain.land)[stands_for]
    return found


def _distinct_rows(columns: Sequence[Floats | Bools]) -> tuple[Ints, Ints]:
    """Pick from rows those of which no two are the same, and say for every row which of these it is."""
    _, one, stands_for = np.unique(np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True)
    return one, stands_for.ravel()


def _stop_each(of: HullPaths, sea: Sea, land: Land) -> Floats:
    found = np.full(len(of.x), np.inf)
    start = _hull_corners(of.boxes_at(np.zeros(len(of.x)), sea))
    gap = land.hull_gaps(start)
    keep = np.minimum(shore.MIN_SHORE_GAP_MM, gap) - np.minimum(shore.ROUNDING_TOLERANCE_MM, gap / 2)
    end = _hull_corners(of.boxes_at(np.ones(len(of.x)), sea))
    swept = land.hull_gaps(np.concatenate((end[:, :2], start[:, 2:]), axis=1)) < keep
    straight = np.flatnonzero((of.turn == 0.0) & swept)
    if len(straight):
        found[straight] = _stop_on_line(of.pick_rows(straight), land, start[straight], keep[straight])
    rate = np.hypot(of.dx, of.dy) + np.radians(np.abs(of.turn)) * of.size.prow_reach_mm
    rate *= 1.0 + of.may_swing_over_edge
    turns = np.flatnonzero((of.turn != 0.0) & (gap - rate < keep))
    if len(turns):
        turns = turns[_may_stop(of.pick_rows(turns), sea, land, keep[turns] + rate[turns] * _HALF_WAY)]
    if len(turns):
        found[turns] = _stop_in_turn(of.pick_rows(turns), sea, land, keep[turns])
    return found


def _may_stop(of: HullPaths, sea: Sea, land: Land, near: Floats) -> Bools:
    """In which turns land is nearer than that at one of two moments, none of the others more than `_HALF_WAY` off."""
    moments = (np.full(len(of.x), moment) for moment in (_HALF_WAY, 1.0 - _HALF_WAY))
    first, then = (land.hull_gaps(_hull_corners(of.boxes_at(moment, sea))) for moment in moments)
    return np.asarray(np.minimum(first, then) < near)


def _stop_on_line(of: HullPaths, land: Land, start: Floats, keep: Floats) -> Floats:
    """By going on as far as land is off, again and again; in closed form for those who go along a shore."""
    shift = np.stack((of.dx, of.dy), axis=1)
    length = np.hypot(of.dx, of.dy)
    t, found = np.zeros(len(length)), np.full(len(length), np.inf)
    left = np.arange(len(length))
    for _ in range(_ADVANCES):
        gone = (land.hull_gaps(start[left] + t[left, None, None] * shift[left, None]) - keep[left]) / length[left]
        there = gone < _SAME_INSTANT
        found[left[there]] = t[left[there]]
        t[left] += gone
        left = left[~there & (t[left] < 1.0)]
        if not len(left):
            return found
    for k in left.tolist():
        stop = land.fraction_to_land(start[k], (float(shift[k, 0]), float(shift[k, 1])), float(keep[k]))
        found[k] = np.inf if stop is None else stop
    return found


def _stop_in_turn(of: HullPaths, sea: Sea, land: Land, keep: Floats) -> Floats:
    """By looking at some moments of each turn, and halving the time before the first at which land is too near."""
    times = _CHECK_FRACTIONS[1:]
    looks = of.pick_rows(np.repeat(np.arange(len(of.x)), len(times)))
    gaps = land.hull_gaps(_hull_corners(looks.boxes_at(np.tile(times, len(of.x)), sea))).reshape(len(of.x), -1)
    too_near = gaps < keep[:, None]
    stopped = np.flatnonzero(too_near.any(axis=1))
    found = np.full(len(of.x), np.inf)
    if not len(stopped):
        return found
    of, keep = of.pick_rows(stopped), keep[stopped]
    first = too_near[stopped].argmax(axis=1)
    low, high = _CHECK_FRACTIONS[first], times[first]
    for _ in range(_HALVINGS):
        between = (low + high) / 2
        near = land.hull_gaps(_hull_corners(of.boxes_at(between, sea))) < keep
        low, high = np.where(near, low, between), np.where(near, between, high)
    found[stopped] = low
    return found


class Groundings(NamedTuple):
    """Hulls with land at the bow, by number of those asked about."""

    hull_numbers: Ints
    facing: Ints
    """The side that a grounding hurts, as `touching.facing` numbers them (MX-1.10)."""


def with_land_at_bow(hulls: HullBoxes, sea: Sea) -> Ints:
    """Which of the hulls have land at the bow, by number (MX-1.10, 1.11)."""
    land, half = sea.terrain.land, hulls.size.half_length
    off = land_chart(sea).distance_at(hulls.x + half * hulls.ux, hulls.y + half * hulls.uy)
    near = np.flatnonzero(off <= hulls.size.half_width + _CHART_ERROR_MM)
    if not len(near):
        return near
    corners = _hull_corners(hulls.pick_rows(near))
    return near[land.edge_gaps(corners[:, 0], corners[:, 1]) <= shore.BOW_CONTACT_MM + _TOLERANCE_MM]


def new_groundings(before: HullBoxes, hulls: HullBoxes, sea: Sea) -> Groundings:
    """Which of the hulls have land at the bow after a step, and had not before it, with the sides that this hurts."""
    land, at = sea.terrain.land, with_land_at_bow(hulls, sea)
    if len(at):
        at = np.delete(at, with_land_at_bow(before.pick_rows(at), sea))
    if not len(at):
        return Groundings(at, at)
    hulls = hulls.pick_rows(at)
    one, stands_for = _distinct_rows(hulls.distinct_columns)
    facings = [_FACINGS[shore.grounded_side(box, land)] for box in _as_boxes(hulls.pick_rows(one))]
    return Groundings(at, np.array(facings, np.int64)[stands_for])


def costly_reef_run(galley: Galley) -> float:
    """From which forward of an unbroken run on a reef costs her (MX-1.15, 4.5)."""
    return shore.REEF_RUN_BY_DRAUGHT["light" if "p" in galley.crew else galley.kind.draught]


def meets_reef(hulls: HullBoxes, sea: Sea) -> Bools:
    """Which of the hulls meet a reef (MX-1.15)."""
    found = np.zeros(len(hulls.x), bool)
    reefs = sea.terrain.reefs
    near = np.flatnonzero(_reef_chart(sea).distance_at(hulls.x, hulls.y) <= hulls.size.reach_mm + _CHART_ERROR_MM)
    if len(near):
        found[near] = reefs.hull_gaps(_hull_corners(hulls.pick_rows(near), smaller=shore.REEF_SHRINK_MM)) == 0
    return found


def is_hidden(sea: Sea, one: HullBoxes, other: HullBoxes) -> Bools:
    """From which hulls islands hide which others (MX-1.13): arrays of one dimension."""
    return _land_between(_island_chart(sea), sea.terrain.islands, one, other, MAX_HIDDEN_MM)


def is_grapple_barred(sea: Sea, one: HullBoxes, other: HullBoxes) -> Bools:
    """From which hulls land keeps the grapples of which others (MX-3.2): arrays of one dimension."""
    return _land_between(land_chart(sea), sea.terrain.land, one, other, MAX_LAND_MM)


def _land_between(chart: ShoreDistanceChart, land: Land, one: HullBoxes, other: HullBoxes, most_mm: float) -> Bools:
    found = np.zeros(len(one.x), bool)
    far = np.hypot(other.x - one.x, other.y - one.y)
    near = np.arange(len(far))
    for parts in _SAMPLE_FRACTIONS:
        x, y = one.x[near], one.y[near]
        to_x, to_y = other.x[near] - x, other.y[near] - y
        off = chart.distance_at(x + parts * to_x, y + parts * to_y)
        near = near[(off <= far[near] * parts[0] + _CHART_ERROR_MM).any(axis=0)]
        if not len(near):
            break
    else:
        a, b = one.pick_rows(near), other.pick_rows(near)
        lines = shapely.linestrings(np.stack((np.stack((a.x, a.y), -1), np.stack((b.x, b.y), -1)), axis=1))
        meets = np.flatnonzero(shapely.intersects(land.shape, lines))
        within = shapely.length(shapely.intersection(land.shape, lines[meets]))
        found[near[meets]] = within > most_mm
    return found


def backing_room(hulls: HullBoxes, gone: Floats, sea: Sea) -> Floats:
    """How far of a way astern hulls can go before land is at their sterns (MX-1.11)."""
    land, chart = sea.terrain.land, land_chart(sea)
    near = np.zeros(len(gone), bool)
    for part in (0.0, 0.5, 1.0):
        off = hulls.size.half_length + part * gone
        near |= chart.distance_at(hulls.x - off * hulls.ux, hulls.y - off * hulls.uy) <= _ASTERN_MM
    near &= gone > 0
    left = gone.copy()
    if not near.any():
        return left
    hulls, far = hulls.pick_rows(near), gone[near]
    one, stands_for = _distinct_rows((*hulls.distinct_columns, far))
    left[near] = _backing_room_each(hulls.pick_rows(one), far[one], land)[stands_for]
    return left


def _backing_room_each(hulls: HullBoxes, gone: Floats, land: Land) -> Floats:
    corners = _hull_corners(hulls)
    keep = np.maximum(0.0, np.minimum(shore.BOW_CONTACT_MM, land.hull_gaps(corners) - _TOLERANCE_MM))
    shift = -gone[:, None] * np.stack((hulls.ux, hulls.uy), axis=1)
    stern = corners[:, 2:]
    swept = land.hull_gaps(np.concatenate((stern[:, ::-1], stern + shift[:, None]), axis=1)) < keep
    left = gone.copy()
    for k in np.flatnonzero(swept).tolist():
        stop = land.fraction_to_land(corners[k], (float(shift[k, 0]), float(shift[k, 1])), float(keep[k]))
        if stop is not None:
            left[k] = math.floor(gone[k] * stop / _ASTERN_STEP_MM + _TOLERANCE_MM) * _ASTERN_STEP_MM
    return left


def _as_boxes(hulls: HullBoxes) -> list[Box]:
    """The hulls, one by one."""
    columns = np.broadcast_arrays(*hulls[:4], *hulls.size)
    return [Box(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _hull_corners(hulls: HullBoxes, *, smaller: float = 0.0) -> Floats:
    """Corners as `geometry.box_corners` orders them: [hull, corner, east and north]."""
    long, broad = (half - smaller for half in hulls.size)
    shape = ((long, -broad), (long, broad), (-long, broad), (-long, -broad))
    x = np.stack([hulls.x + fore * hulls.ux + aside * hulls.uy for fore, aside in shape], axis=-1)
    y = np.stack([hulls.y + fore * hulls.uy - aside * hulls.ux for fore, aside in shape], axis=-1)
    return np.stack((x, y), axis=-1)
