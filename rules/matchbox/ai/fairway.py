"""Ways round land: how much longer they are than straight ones, and in which direction they begin.

The shortest way round land is straight from mark to mark. Marks are places off convex corners of the land, where ways
bend. Visibility between marks and the ways between them are computed once for each sea. For a goal, only its visibility
is added. Visibility is stored as the length of the line of sight in each of many directions.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray

from rules.geometry.boxes import Pair
from rules.geometry.plane import Land
from rules.matchbox.ai.many_hulls import Bools, Floats
from rules.matchbox.engine.kinds import KINDS
from rules.matchbox.engine.sea import Sea

_MARK_CLEARANCE_MM: Final = 35.0  # distance of marks from land
_MIN_CLEARANCE_MM: Final = min(kind.half_width_mm for kind in KINDS.values()) - 0.5
_SIGHT_SLACK_MM: Final = 10.0  # lines of sight reach this far into the grown land, which is thicker everywhere
_BEARING_COUNT: Final = 512
_BEARING_RAD: Final = np.arange(_BEARING_COUNT)[:, None] * (math.tau / _BEARING_COUNT)
_SIN: Final = np.sin(_BEARING_RAD)
_COS: Final = np.cos(_BEARING_RAD)
_CHART_PITCH_MM: Final = 20.0  # distance between points of a chart
_MITRE_LIMIT: Final = 1.5
"""Maximum distance of the corners of grown land, relative to that of its edges. Sharper ones are cut off."""
_MAX_MARKS: Final = 250  # land with more marks is simplified. A host's own map may have 1,600 corners.
_SIMPLIFICATION_MM: Final = (0.0, 2.0, 5.0, 10.0, 20.0)  # tolerances for simplified outlines, tried in order
_MIN_LENGTH_MM: Final = 1e-6
_NO_POINTS: Final = np.empty((0, 2))


class Detours(NamedTuple):  # the ways round land from many places to one goal
    longer_mm: Floats  # how much longer each is than the straight way; 0: no land lies between
    ux: Floats  # unit vectors of the first direction, east; undefined without a detour
    uy: Floats  # unit vectors of the first direction, north


class RemainingWay(NamedTuple):
    """Remaining distances from many places, with unit vectors of the first direction."""

    left_mm: Floats  # length of the way; infinite: there is none
    ux: Floats  # unit vector of the first direction, east
    uy: Floats  # unit vector of the first direction, north


class RouteChart(NamedTuple):
    """The ways to a zone from each square, [east, north]."""

    left_mm: Floats  # length of the way from each square
    ux: Floats  # unit vector of the first direction, east
    uy: Floats  # unit vector of the first direction, north

    def look_up(self, x: Floats, y: Floats) -> RemainingWay:
        """Return the ways from places. Distances are interpolated between squares."""
        across = np.clip(np.asarray(x) / _CHART_PITCH_MM - 0.5, 0.0, self.left_mm.shape[0] - 1.001)
        along = np.clip(np.asarray(y) / _CHART_PITCH_MM - 0.5, 0.0, self.left_mm.shape[1] - 1.001)
        i, j = across.astype(np.int64), along.astype(np.int64)
        u, v = across - i, along - j
        south = self.left_mm[i, j] * (1 - u) + self.left_mm[i + 1, j] * u
        north = self.left_mm[i, j + 1] * (1 - u) + self.left_mm[i + 1, j + 1] * u
        return RemainingWay(np.asarray(south * (1 - v) + north * v), self.ux[i, j], self.uy[i, j])


class _Obstacles(NamedTuple):
    """Edges of slightly grown land, which end lines of sight."""

    start_x: Floats  # easting of the start of each edge
    start_y: Floats  # northing of the start of each edge
    way_x: Floats  # from the start of each edge to its end, east
    way_y: Floats  # from the start of each edge to its end, north
    across: Floats  # reciprocal of each edge's extent across each bearing, [bearing, edge]


class _Viewpoints(NamedTuple):
    """Places, and the length of their lines of sight, [place, bearing]."""

    x: Floats  # eastings of the places, in mm
    y: Floats  # northings of the places, in mm
    sight_mm: Floats  # how far one can see in each direction, [place, bearing]

    def offsets_to(self, x: Floats, y: Floats) -> tuple[Floats, Floats, Floats, Bools]:
        """Return offsets east and north, distances, and visibility of other places, [place, other]."""
        east, north = x - self.x[:, None], y - self.y[:, None]
        distance = np.hypot(east, north)
        bearing = np.rint(np.arctan2(east, north) * (_BEARING_COUNT / math.tau)).astype(np.int64) % _BEARING_COUNT
        return east, north, distance, distance <= np.take_along_axis(self.sight_mm, bearing, axis=1) + _SIGHT_SLACK_MM

    def distances_to_marks(self, marks: _Viewpoints) -> Floats:
        """Return distances of marks, infinite if they or places just beside them are hidden."""
        narrowest_sight = np.minimum.reduce([np.roll(self.sight_mm, by, axis=1) for by in (-1, 0, 1)])
        _, _, distance, visible = self._replace(sight_mm=narrowest_sight).offsets_to(marks.x, marks.y)
        return np.where(visible, distance, np.inf)


class _SeaMarks(NamedTuple):
    obstacles: _Obstacles  # edges that end lines of sight
    lookouts: _Viewpoints  # the marks, with what can be seen from each
    apart_mm: Floats  # the shortest ways between marks, [mark, mark]


class _GoalApproach(NamedTuple):
    """The ways to one goal, with the remaining distance from each mark."""

    goal: _Viewpoints  # the goal, with what can be seen from it
    left_mm: Floats  # the remaining distance from each mark


def route_chart(sea: Sea, waters: shapely.Polygon) -> RouteChart:
    """Return the ways from each square of the table to the zone `waters`, or to its parts that have room for hulls.

    A square with its middle on land has the way from the nearest point on water.
    """
    land, marks = sea.terrain.land, _sea_marks(sea.terrain.land, sea.size_mm)
    water = shapely.box(0.0, 0.0, *sea.size_mm).difference(_grow_land(land, _MIN_CLEARANCE_MM))
    squares = np.meshgrid(
        *(np.arange(_CHART_PITCH_MM / 2, length, _CHART_PITCH_MM) for length in sea.size_mm), indexing="ij"
    )
    x, y = _line_ends(shapely.points(*(places.ravel() for places in squares)), water)[1]
    parts = shapely.get_parts(waters.intersection(water))
    # Narrow parts of the zone, which marks cannot reach, do not count.
    reachable = shapely.union_all(
        parts[shapely.intersects(parts, waters.difference(_grow_land(land, _MARK_CLEARANCE_MM)))]
    )
    way_left, ux, uy = _straight_ways(land, reachable, x, y)
    # Squares without a straight way to the zone go by way of marks.
    hidden = np.flatnonzero(np.isinf(way_left))
    straight_from_marks = _straight_ways(land, reachable, marks.lookouts.x, marks.lookouts.y).left_mm
    left_from_marks = _distance_from_marks(marks, straight_from_marks)
    way_left[hidden], ux[hidden], uy[hidden] = _ways_by_marks(marks.lookouts, left_from_marks, x[hidden], y[hidden])
    shape = squares[0].shape
    return RouteChart(np.minimum(way_left, sum(sea.size_mm)).reshape(shape), ux.reshape(shape), uy.reshape(shape))


def find_detours(sea: Sea, goal: Pair, x: Floats, y: Floats) -> Detours:
    """Return the ways round land from places (x, y) to a goal, without detour for places that can see the goal."""
    land, size = sea.terrain.land, sea.size_mm
    approach = _goal_approach(land, size, goal)
    _, _, [straight_distance], [visible] = approach.goal.offsets_to(x, y)
    extra_length, ux, uy = np.zeros((3, len(visible)))
    hidden = np.flatnonzero(~visible)
    if len(hidden):
        distance_by_marks, ux[hidden], uy[hidden] = _ways_by_marks(
            _sea_marks(land, size).lookouts, approach.left_mm, x[hidden], y[hidden]
        )
        extra_length[hidden] = np.minimum(distance_by_marks - straight_distance[hidden], sum(size))
    return Detours(extra_length, ux, uy)


def direction_to(sea: Sea, here: Pair, goal: Pair) -> Pair:
    """Return the direction from a place to a goal. If the way is straight, it is not normalized."""
    if sea.shore:
        detours = find_detours(sea, goal, np.array([here[0]]), np.array([here[1]]))
        if detours.longer_mm[0] > 0:
            return float(detours.ux[0]), float(detours.uy[0])
    return goal[0] - here[0], goal[1] - here[1]


@lru_cache(maxsize=256)
def _goal_approach(land: Land, size: Pair, goal: Pair) -> _GoalApproach:
    # The key is the shared land object, because comparing seas would compare all corners.
    marks = _sea_marks(land, size)
    here = _viewpoints(marks.obstacles, np.array([goal[0]]), np.array([goal[1]]))
    return _GoalApproach(here, _distance_from_marks(marks, here.distances_to_marks(marks.lookouts)[0]))


def _distance_from_marks(marks: _SeaMarks, straight: Floats) -> Floats:  # the shortest, by way of any other mark
    return np.asarray((marks.apart_mm + straight).min(axis=1, initial=np.inf))


def _ways_by_marks(marks: _Viewpoints, left_from_marks: Floats, x: Floats, y: Floats) -> RemainingWay:
    """Return the shortest ways from places to the goal that pass a mark; infinite if no mark is in sight."""
    if not len(marks.x):
        return RemainingWay(np.full(len(x), np.inf), np.zeros(len(x)), np.zeros(len(x)))
    east, north, distance, visible = marks.offsets_to(x, y)
    lengths = np.where(visible, distance + left_from_marks[:, None], np.inf)
    best_marks = lengths.argmin(axis=0), np.arange(len(x))
    first_leg = np.maximum(distance[best_marks], _MIN_LENGTH_MM)
    return RemainingWay(lengths[best_marks], -east[best_marks] / first_leg, -north[best_marks] / first_leg)


def _straight_ways(land: Land, waters: shapely.Geometry, x: Floats, y: Floats) -> RemainingWay:
    """Return the shortest straight ways from places to a zone, infinite if land lies between."""
    starts, ends = _line_ends(shapely.points(x, y), waters)
    distance = np.hypot(*(ends - starts))
    lines = shapely.linestrings(np.stack((starts.T, ends.T), axis=1))
    is_barred = shapely.intersects(_grow_land(land, _MIN_CLEARANCE_MM - _MIN_LENGTH_MM), lines)
    ux, uy = (ends - starts) / np.maximum(distance, _MIN_LENGTH_MM)
    return RemainingWay(np.where(is_barred, np.inf, distance), ux, uy)


def _line_ends(points: NDArray[np.object_], waters: shapely.Geometry) -> Floats:
    """Return the ends of the shortest lines from points to a zone, [end, east and north, point]."""
    lines = shapely.shortest_line(points, waters)
    return np.asarray(shapely.get_coordinates(lines).reshape(-1, 2, 2).transpose(1, 2, 0))


@lru_cache(maxsize=8)
def _sea_marks(land: Land, size: Pair) -> _SeaMarks:
    # Take the least simplified outlines that have few enough corners.
    for simpler in _SIMPLIFICATION_MM:
        corners = np.concatenate([_NO_POINTS, *map(_convex_corners, _outlines(land, _MARK_CLEARANCE_MM, simpler))])
        corners = corners[((corners >= 0) & (corners <= size)).all(axis=1)]
        if len(corners) <= _MAX_MARKS:
            break
    obstacles = _sight_obstacles(_outlines(land, _MIN_CLEARANCE_MM, simpler / 4))
    lookouts = _viewpoints(obstacles, *corners.T)
    distances = lookouts.distances_to_marks(lookouts)
    for to_mark, from_mark in zip(distances.T, distances, strict=True):  # the algorithm of Floyd and Warshall
        np.minimum(distances, to_mark[:, None] + from_mark, out=distances)
    return _SeaMarks(obstacles, lookouts, distances)


def _grow_land(land: Land, by_mm: float) -> shapely.Geometry:
    grown = shapely.buffer(land.shape, by_mm, join_style="mitre", mitre_limit=_MITRE_LIMIT)
    shapely.prepare(grown)
    return grown


def _outlines(land: Land, off_mm: float, simpler_mm: float) -> list[Floats]:  # counter-clockwise rings round land
    grown = _grow_land(land, off_mm)
    parts = shapely.orient_polygons(shapely.get_parts(shapely.simplify(grown, simpler_mm) if simpler_mm else grown))
    return [shapely.get_coordinates(ring) for ring in shapely.get_rings(parts)]


def _convex_corners(ring: Floats) -> Floats:
    edges = np.diff(ring, axis=0)
    previous_edges = np.roll(edges, 1, axis=0)
    return ring[:-1][previous_edges[:, 0] * edges[:, 1] > previous_edges[:, 1] * edges[:, 0]]


def _sight_obstacles(rings: list[Floats]) -> _Obstacles:
    start_x, start_y = np.concatenate([_NO_POINTS, *(ring[:-1] for ring in rings)]).T
    way_x, way_y = np.concatenate([_NO_POINTS, *(np.diff(ring, axis=0) for ring in rings)]).T
    across = _SIN * way_y - _COS * way_x  # how far each edge extends across each bearing, [bearing, edge]
    across[across == 0] = np.nan  # an edge along a line of sight does not end it
    return _Obstacles(start_x, start_y, way_x, way_y, 1.0 / across)


def _viewpoints(obstacles: _Obstacles, x: Floats, y: Floats) -> _Viewpoints:
    # For each place, the distance to the nearest obstacle in each direction; infinite: none.
    start_x, start_y, way_x, way_y, across = obstacles
    sights = np.empty((len(x), _BEARING_COUNT))
    for number in range(len(x)):
        offset_x, offset_y = start_x - x[number], start_y - y[number]
        # Where a line of sight crosses each edge: the fraction of the edge, and the distance along the line.
        fraction = (offset_x * _COS - offset_y * _SIN) * across
        distance = (offset_x * way_y - offset_y * way_x) * across
        meets = (fraction >= 0) & (fraction <= 1) & (distance >= 0)
        sights[number] = np.where(meets, distance, np.inf).min(axis=1, initial=np.inf)
    return _Viewpoints(x, y, sights)
