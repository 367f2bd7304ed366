"""Land and many hulls at once: where it stops them, and what it hides (MX-1.8 to 1.15).

A chart of distances from land shows for most hulls that no land is near. For the others each distinct move is simulated
once, with the same distances as in `shore`. Only in turns may the simulation miss what the rules find: land that a
corner grazes by less than a millimetre between two of `_CHECK_FRACTIONS`.
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

CHART_PITCH_MM: Final = 10.0  # distance between points of a chart
_CHART_ERROR_MM: Final = 8.0  # more than the error of a chart between its points
_OUTLINE_MM: Final = 4.0  # a point of a hull's outline this near to land touches it, by the chart
_TOLERANCE_MM: Final = 1e-6
_ASTERN_STEP_MM: Final = 0.1  # MB-5.13
_ASTERN_MM: Final = 32.0  # land farther than this from the middle of a stern does not stop it
_TURN_CHECKS: Final = 16
_CHECK_FRACTIONS: Final = np.array([0.0, 1 / 1024, *np.linspace(0.0, 1.0, _TURN_CHECKS + 1)[1:]])
"""Fractions of a step at which a turn is checked. A hull pressed against land may be too near only at the start."""
_QUARTER_STEP: Final = 0.25  # every instant of a step is this near to 0.25 or 0.75
_HALVINGS: Final = 26  # bisections that find the instant at which a turn stops
_ADVANCES: Final = 12  # advances along a straight way before land stops a hull
_SAMPLE_FRACTIONS: Final = (np.array([[0.5]]), np.array([[0.125], [0.375], [0.625], [0.875]]))
"""The middles of a line and of its quarters. Land is near the line only if it is near one of them."""
_SAME_INSTANT: Final = 1e-9  # a part of a step in which no hull moves a millionth of a millimetre
_FACINGS: Final[dict[BlowSide, int]] = {"port": 0, "starboard": 1, "either": 2}
_OUTLINE_POINTS: Final = np.array(
    [*((along, side) for along in (-1.0, -0.5, 0.0, 0.5, 1.0) for side in (-1.0, 1.0)), (1.0, 0.0), (-1.0, 0.0)]
)
"""Points of a hull's outline, in half lengths ahead and half widths to starboard of its middle."""


class ShoreDistanceChart:
    def __init__(self, land: Land, size: Pair) -> None:
        self.xs, self.ys = (np.arange(0.0, length + 2 * CHART_PITCH_MM, CHART_PITCH_MM) for length in size)
        points = shapely.points(*np.meshgrid(self.xs, self.ys, indexing="ij"))
        self._off_mm: Floats = np.asarray(shapely.distance(land.shape, points)).ravel()  # from land, column by column

    def distance_at(self, x: Floats, y: Floats) -> Floats:
        """Return interpolated distances from land, in mm."""
        # Points of the chart west and south of each place (i, j), and the place between them, from 0 to 1 (u, v).
        across = np.clip(np.asarray(x) / CHART_PITCH_MM, 0.0, len(self.xs) - 1.001)
        along = np.clip(np.asarray(y) / CHART_PITCH_MM, 0.0, len(self.ys) - 1.001)
        i, j = across.astype(np.int64), along.astype(np.int64)
        u, v = across - i, along - j
        # One flat index is faster in numpy than two.
        index = i * len(self.ys) + j
        east_index = index + len(self.ys)
        south = self._off_mm.take(index) * (1 - u) + self._off_mm.take(east_index) * u
        north = self._off_mm.take(index + 1) * (1 - u) + self._off_mm.take(east_index + 1) * u
        return np.asarray(south * (1 - v) + north * v)


def land_chart(sea: Sea) -> ShoreDistanceChart:
    return _distance_chart(sea.terrain.land, sea.size_mm)


@lru_cache(maxsize=24)
def _distance_chart(land: Land, size: Pair) -> ShoreDistanceChart:
    # The key is the shared land object, because comparing seas would compare all corners.
    return ShoreDistanceChart(land, size)


def touches_land(sea: Sea, x: Floats, y: Floats, sin: Floats, cos: Floats, *, size: HullSizes = GALLEY_SIZE) -> Bools:
    """Return whether hulls of one size touch land, by the chart. `x` and `y` are middles, `sin` and `cos` headings."""
    chart = land_chart(sea)
    is_near = chart.distance_at(x, y) <= size.reach_mm + _CHART_ERROR_MM
    touches = np.zeros(is_near.shape, bool)
    if is_near.any():
        x, y, sin, cos = (column[is_near] for column in np.broadcast_arrays(x, y, sin, cos))
        fore, aside = (_OUTLINE_POINTS * np.array(size)).T[:, :, None]
        outline_distances = chart.distance_at(x + fore * sin + aside * cos, y + fore * cos - aside * sin)
        touches[is_near] = outline_distances.min(axis=0) <= _OUTLINE_MM
    return touches


def stop_fractions(paths: HullPaths, moving: Bools, sea: Sea) -> Floats:
    """Return the part of its way after which land stops each moving hull; infinite: it does not (MX-1.8)."""
    fractions = np.full(moving.shape, np.inf)
    length = np.hypot(paths.dx, paths.dy)
    sweep = (length + paths.size.half_length * np.radians(np.abs(paths.turn))) * (1.0 + paths.may_swing_over_edge)
    boxes_half_way = paths.boxes_at(np.full(moving.shape, 0.5), sea)
    is_near = moving & (
        land_chart(sea).distance_at(boxes_half_way.x, boxes_half_way.y)
        <= paths.size.reach_mm + sweep / 2 + _CHART_ERROR_MM
    )
    if not is_near.any():
        return fractions
    near_paths = paths.pick_rows(is_near)
    representatives, stands_for = _distinct_rows(near_paths.distinct_columns)
    fractions[is_near] = _stop_each(near_paths.pick_rows(representatives), sea, sea.terrain.land)[stands_for]
    return fractions


def _distinct_rows(columns: Sequence[Floats | Bools]) -> tuple[Ints, Ints]:
    """Return one row for each set of equal rows, and for every row the index of its representative."""
    _, representatives, stands_for = np.unique(
        np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True
    )
    return representatives, stands_for.ravel()


def _stop_each(paths: HullPaths, sea: Sea, land: Land) -> Floats:
    """Return the part of its way after which land stops each hull; infinite: it does not."""
    fractions = np.full(len(paths.x), np.inf)
    start = _hull_corners(paths.boxes_at(np.zeros(len(paths.x)), sea))
    gap = land.hull_gaps(start)
    # A hull that begins nearer than the least gap may go on at the gap that it has.
    min_gap = np.minimum(shore.MIN_SHORE_GAP_MM, gap) - np.minimum(shore.ROUNDING_TOLERANCE_MM, gap / 2)
    end = _hull_corners(paths.boxes_at(np.ones(len(paths.x)), sea))
    # The area that a straight move sweeps: from the stern at the start to the bow at the end.
    sweeps_land = land.hull_gaps(np.concatenate((end[:, :2], start[:, 2:]), axis=1)) < min_gap
    straight = np.flatnonzero((paths.turn == 0.0) & sweeps_land)
    if len(straight):
        fractions[straight] = _stop_on_line(paths.pick_rows(straight), land, start[straight], min_gap[straight])
    # The farthest that any point of a hull may move in the step, in mm.
    max_move = np.hypot(paths.dx, paths.dy) + np.radians(np.abs(paths.turn)) * paths.size.prow_reach_mm
    max_move *= 1.0 + paths.may_swing_over_edge
    turns = np.flatnonzero((paths.turn != 0.0) & (gap - max_move < min_gap))
    if len(turns):
        turns = turns[_may_stop(paths.pick_rows(turns), sea, land, min_gap[turns] + max_move[turns] * _QUARTER_STEP)]
    if len(turns):
        fractions[turns] = _stop_in_turn(paths.pick_rows(turns), sea, land, min_gap[turns])
    return fractions


def _may_stop(paths: HullPaths, sea: Sea, land: Land, near_mm: Floats) -> Bools:
    """Return for which turns land is nearer than `near_mm` at a quarter or three quarters of the step."""
    moments = (np.full(len(paths.x), moment) for moment in (_QUARTER_STEP, 1.0 - _QUARTER_STEP))
    first, second = (land.hull_gaps(_hull_corners(paths.boxes_at(moment, sea))) for moment in moments)
    return np.asarray(np.minimum(first, second) < near_mm)


def _stop_on_line(paths: HullPaths, land: Land, start: Floats, min_gap: Floats) -> Floats:
    # Advance each hull by its gap to land, which is always safe, until it is as near as allowed.
    shift = np.stack((paths.dx, paths.dy), axis=1)
    length = np.hypot(paths.dx, paths.dy)
    t, fractions = np.zeros(len(length)), np.full(len(length), np.inf)
    rows_left = np.arange(len(length))
    for _ in range(_ADVANCES):
        advance = (
            land.hull_gaps(start[rows_left] + t[rows_left, None, None] * shift[rows_left, None]) - min_gap[rows_left]
        ) / length[rows_left]
        has_arrived = advance < _SAME_INSTANT
        fractions[rows_left[has_arrived]] = t[rows_left[has_arrived]]
        t[rows_left] += advance
        rows_left = rows_left[~has_arrived & (t[rows_left] < 1.0)]
        if not len(rows_left):
            return fractions
    for k in rows_left.tolist():  # the few that are still on their way are computed exactly
        stop = land.fraction_to_land(start[k], (float(shift[k, 0]), float(shift[k, 1])), float(min_gap[k]))
        fractions[k] = np.inf if stop is None else stop
    return fractions


def _stop_in_turn(paths: HullPaths, sea: Sea, land: Land, min_gap: Floats) -> Floats:
    """Return when turning hulls stop: test fixed instants, then halve the interval before the first one too near."""
    times = _CHECK_FRACTIONS[1:]
    checked_paths = paths.pick_rows(np.repeat(np.arange(len(paths.x)), len(times)))
    gaps = land.hull_gaps(_hull_corners(checked_paths.boxes_at(np.tile(times, len(paths.x)), sea)))
    too_near = gaps.reshape(len(paths.x), -1) < min_gap[:, None]  # [path, time]
    stopped = np.flatnonzero(too_near.any(axis=1))
    fractions = np.full(len(paths.x), np.inf)
    if not len(stopped):
        return fractions
    paths, min_gap = paths.pick_rows(stopped), min_gap[stopped]
    first = too_near[stopped].argmax(axis=1)
    low, high = _CHECK_FRACTIONS[first], times[first]
    for _ in range(_HALVINGS):
        between = (low + high) / 2
        is_near = land.hull_gaps(_hull_corners(paths.boxes_at(between, sea))) < min_gap
        low, high = np.where(is_near, low, between), np.where(is_near, between, high)
    fractions[stopped] = low
    return fractions


class Groundings(NamedTuple):
    hull_numbers: Ints  # indices of the hulls that ran aground
    facing: Ints  # the side that a grounding damages, as numbered in `many_meetings` (MX-1.10)


def with_land_at_bow(hulls: HullBoxes, sea: Sea) -> Ints:
    """Return the numbers of hulls with land at the bow (MX-1.10, 1.11)."""
    land, half_length = sea.terrain.land, hulls.size.half_length
    distance = land_chart(sea).distance_at(hulls.x + half_length * hulls.ux, hulls.y + half_length * hulls.uy)
    near_rows = np.flatnonzero(distance <= hulls.size.half_width + _CHART_ERROR_MM)
    if not len(near_rows):
        return near_rows
    corners = _hull_corners(hulls.pick_rows(near_rows))
    return near_rows[land.edge_gaps(corners[:, 0], corners[:, 1]) <= shore.BOW_CONTACT_MM + _TOLERANCE_MM]


def new_groundings(before: HullBoxes, hulls: HullBoxes, sea: Sea) -> Groundings:
    """Return the hulls with land at the bow after a step but not before it, with the damaged sides."""
    land, aground = sea.terrain.land, with_land_at_bow(hulls, sea)
    if len(aground):
        aground = np.delete(aground, with_land_at_bow(before.pick_rows(aground), sea))
    if not len(aground):
        return Groundings(aground, aground)
    hulls = hulls.pick_rows(aground)
    representatives, stands_for = _distinct_rows(hulls.distinct_columns)
    facings = [_FACINGS[shore.grounded_side(box, land)] for box in _as_boxes(hulls.pick_rows(representatives))]
    return Groundings(aground, np.array(facings, np.int64)[stands_for])


def costly_reef_run(galley: Galley) -> float:
    """Return the length of a forward run from which a reef does damage (MX-1.15, 4.5)."""
    return shore.REEF_RUN_BY_DRAUGHT["light" if "p" in galley.crew else galley.kind.draught]


def meets_reef(hulls: HullBoxes, sea: Sea) -> Bools:
    """Return which hulls meet a reef (MX-1.15)."""
    meets = np.zeros(len(hulls.x), bool)
    reefs = sea.terrain.reefs
    distances = _distance_chart(reefs, sea.size_mm).distance_at(hulls.x, hulls.y)
    near = np.flatnonzero(distances <= hulls.size.reach_mm + _CHART_ERROR_MM)
    if len(near):
        meets[near] = reefs.hull_gaps(_hull_corners(hulls.pick_rows(near), smaller=shore.REEF_SHRINK_MM)) == 0
    return meets


def is_hidden(sea: Sea, viewer: HullBoxes, other: HullBoxes) -> Bools:
    """Return which pairs of hulls are hidden from each other by islands (MX-1.13). Arrays are one-dimensional."""
    return _land_between(sea, sea.terrain.islands, viewer, other, MAX_HIDDEN_MM)


def is_grapple_barred(sea: Sea, boarder: HullBoxes, other: HullBoxes) -> Bools:
    """Return for which pairs of hulls land prevents grappling (MX-3.2). Arrays are one-dimensional."""
    return _land_between(sea, sea.terrain.land, boarder, other, MAX_LAND_MM)


def _land_between(sea: Sea, land: Land, first: HullBoxes, second: HullBoxes, min_mm: float) -> Bools:
    """Return for which pairs more than `min_mm` of the line between their middles is on land."""
    chart = _distance_chart(land, sea.size_mm)
    is_between = np.zeros(len(first.x), bool)
    distance = np.hypot(second.x - first.x, second.y - first.y)
    rows = np.arange(len(distance))
    for fractions in _SAMPLE_FRACTIONS:
        x, y = first.x[rows], first.y[rows]
        to_x, to_y = second.x[rows] - x, second.y[rows] - y
        distance_from_land = chart.distance_at(x + fractions * to_x, y + fractions * to_y)
        rows = rows[(distance_from_land <= distance[rows] * fractions[0] + _CHART_ERROR_MM).any(axis=0)]
        if not len(rows):
            break
    else:
        a, b = first.pick_rows(rows), second.pick_rows(rows)
        lines = shapely.linestrings(np.stack((np.stack((a.x, a.y), -1), np.stack((b.x, b.y), -1)), axis=1))
        meets = np.flatnonzero(shapely.intersects(land.shape, lines))
        within = shapely.length(shapely.intersection(land.shape, lines[meets]))
        is_between[rows[meets]] = within > min_mm
    return is_between


def backing_room(hulls: HullBoxes, wanted_mm: Floats, sea: Sea) -> Floats:
    """Return how far hulls can go astern, up to `wanted_mm`, before land is at their sterns (MX-1.11)."""
    land, chart = sea.terrain.land, land_chart(sea)
    is_near = np.zeros(len(wanted_mm), bool)
    for part in (0.0, 0.5, 1.0):  # the stern at the start, half-way and at the end
        offset = hulls.size.half_length + part * wanted_mm
        is_near |= chart.distance_at(hulls.x - offset * hulls.ux, hulls.y - offset * hulls.uy) <= _ASTERN_MM
    is_near &= wanted_mm > 0
    room = wanted_mm.copy()
    if not is_near.any():
        return room
    hulls, wanted = hulls.pick_rows(is_near), wanted_mm[is_near]
    representatives, stands_for = _distinct_rows((*hulls.distinct_columns, wanted))
    room[is_near] = _backing_room_each(hulls.pick_rows(representatives), wanted[representatives], land)[stands_for]
    return room


def _backing_room_each(hulls: HullBoxes, wanted_mm: Floats, land: Land) -> Floats:
    """Return how far each hull can go astern before land stops it, in whole steps of `_ASTERN_STEP_MM`."""
    corners = _hull_corners(hulls)
    min_gap = np.maximum(0.0, np.minimum(shore.BOW_CONTACT_MM, land.hull_gaps(corners) - _TOLERANCE_MM))
    shift = -wanted_mm[:, None] * np.stack((hulls.ux, hulls.uy), axis=1)
    stern = corners[:, 2:]
    sweeps_land = land.hull_gaps(np.concatenate((stern[:, ::-1], stern + shift[:, None]), axis=1)) < min_gap
    room_mm = wanted_mm.copy()
    for k in np.flatnonzero(sweeps_land).tolist():
        stop = land.fraction_to_land(corners[k], (float(shift[k, 0]), float(shift[k, 1])), float(min_gap[k]))
        if stop is not None:
            room_mm[k] = math.floor(wanted_mm[k] * stop / _ASTERN_STEP_MM + _TOLERANCE_MM) * _ASTERN_STEP_MM
    return room_mm


def _as_boxes(hulls: HullBoxes) -> list[Box]:
    columns = np.broadcast_arrays(*hulls[:4], *hulls.size)
    return [Box(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _hull_corners(hulls: HullBoxes, *, smaller: float = 0.0) -> Floats:
    """Return corners in the order of `boxes.box_corners`, [hull, corner, x and y], of hulls `smaller` mm all round."""
    long, broad = (half - smaller for half in hulls.size)
    offsets = ((long, -broad), (long, broad), (-long, broad), (-long, -broad))
    x = np.stack([hulls.x + fore * hulls.ux + aside * hulls.uy for fore, aside in offsets], axis=-1)
    y = np.stack([hulls.y + fore * hulls.uy - aside * hulls.ux for fore, aside in offsets], axis=-1)
    return np.stack((x, y), axis=-1)
