"""Courses round land: their length, and the first point to steer for.

The sea is a grid of points, spaced by a ship's length or wider on large tables, at a distance from land.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely

from rules.geometry.plane import land_of
from rules.ramspeed.engine.geometry.hulls import Floats, bearing_deg, signed_degrees
from rules.ramspeed.engine.state import Position, Ring, Ship
from rules.ramspeed.engine.tables import CONSTANTS

_BERTH_INCHES: Final = 0.8
_EDGE_INCHES: Final = 1.0
_SPACING_INCHES: Final = 1.6
_MAX_POINTS: Final = 600
_JOINED_SPACINGS: Final = 2.3
_HEADING_INCHES: Final = 8.0
_CLOSE_INCHES: Final = 3.0  # distance within which a ship is the nearest by any course
_MAX_GOALS: Final = 2

_WHOLE_MOVE_DEGREES: Final = 90  # degrees off the bow from which a turn costs a whole move


TablePoint = tuple[float, float]


class SeaNet(NamedTuple):
    points: Floats  # shape (n, 2)
    distances: Floats  # Inches, shape (n, n); infinite if there is no way


class SeaCourse(NamedTuple):
    length_in: float
    first_point: tuple[float, float]


def shortest_course(position: Position, here: TablePoint, there: TablePoint) -> SeaCourse:
    return _find_course(position.width, position.height, position.land, here, there)


@lru_cache(maxsize=4096)
def _find_course(
    width: float, height: float, rings: tuple[Ring, ...], here: TablePoint, there: TablePoint
) -> SeaCourse:
    straight = SeaCourse(math.dist(here, there), there)
    land = _land_with_berth(rings)
    if land is None or not _is_barred(land, here, np.array([there]))[0]:
        return straight
    net = _sea_net(width, height, rings)
    last = int(np.argmin(np.hypot(*(net.points - there).T)))
    away = np.hypot(*(net.points - here).T)
    # Leave out the point where the ship already is.
    near = np.flatnonzero((away >= _SPACING_INCHES) & (away <= _HEADING_INCHES))
    seen = near[~_is_barred(land, here, net.points[near])]
    ways = away[seen] + net.distances[seen, last] + math.dist(net.points[last], there)
    if not np.isfinite(ways).any():
        return straight
    best = int(np.argmin(ways))
    x, y = net.points[seen[best]].tolist()
    return SeaCourse(float(ways[best]), (x, y))


def rowing_distance(position: Position, ship: Ship, goals: Iterable[Ship]) -> float:
    """Return about how many inches a ship must row to the nearest goal, including the cost of a turn before."""
    here = (ship.x, ship.y)
    nearest = sorted(goals, key=lambda goal: math.dist(here, (goal.x, goal.y)))
    if math.dist(here, (nearest[0].x, nearest[0].y)) < _CLOSE_INCHES:
        nearest = nearest[:1]
    return min(_course_cost(ship, shortest_course(position, here, (goal.x, goal.y))) for goal in nearest[:_MAX_GOALS])


def _course_cost(ship: Ship, way: SeaCourse) -> float:
    off = abs(signed_degrees(bearing_deg(ship.x, ship.y, *way.first_point) - ship.heading))
    turning = (off - CONSTANTS.veer_max) / (_WHOLE_MOVE_DEGREES - CONSTANTS.veer_max)
    return way.length_in + ship.ship_class.fwd * min(1.0, max(0.0, turning))


@lru_cache(maxsize=16)
def _land_with_berth(rings: tuple[Ring, ...]) -> shapely.Geometry | None:
    if not rings:
        return None
    land = land_of(rings).shape.buffer(_BERTH_INCHES, quad_segs=4)
    shapely.prepare(land)
    return land


def _is_barred(land: shapely.Geometry, here: TablePoint, points: Floats) -> np.ndarray:
    """Return to which points land blocks the way. Land's margin around the start itself is ignored."""
    ends = np.empty((len(points), 2, 2))
    ends[:, 0], ends[:, 1] = here, points
    lines = shapely.linestrings(ends)
    if shapely.intersects_xy(land, *here):
        lines = shapely.difference(lines, shapely.Point(here).buffer(2 * _BERTH_INCHES))
    return np.asarray(shapely.intersects(land, lines))


@lru_cache(maxsize=8)
def _sea_net(width: float, height: float, rings: tuple[Ring, ...]) -> SeaNet:
    apart = max(_SPACING_INCHES, math.sqrt(width * height / _MAX_POINTS))
    grid = np.stack(
        np.meshgrid(np.arange(_EDGE_INCHES, width, apart), np.arange(_EDGE_INCHES, height, apart)), axis=-1
    ).reshape(-1, 2)
    land = _land_with_berth(rings)
    points = grid[~shapely.intersects_xy(land, grid[:, 0], grid[:, 1])]
    away = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    first, second = np.nonzero(np.triu((away > 0) & (away <= _JOINED_SPACINGS * apart)))
    free = ~shapely.intersects(land, shapely.linestrings(np.stack((points[first], points[second]), axis=1)))
    ways = np.full(away.shape, np.inf)
    np.fill_diagonal(ways, 0.0)
    first, second = first[free], second[free]
    ways[first, second] = ways[second, first] = away[first, second]
    for middle in range(len(points)):
        np.minimum(ways, ways[:, middle, None] + ways[None, middle], out=ways)
    return SeaNet(points, ways)
