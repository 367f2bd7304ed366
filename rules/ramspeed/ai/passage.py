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

_BERTH_INCHES: Final = 0.8  # distance kept from land
_EDGE_INCHES: Final = 1.0  # distance of the first points from the table's edge
_SPACING_INCHES: Final = 1.6
_MAX_POINTS: Final = 600  # of the grid
_JOINED_SPACINGS: Final = 2.3  # points at most this many spacings apart are joined if no land is between them
_HEADING_INCHES: Final = 8.0  # distance within which the first point to steer for is chosen
_CLOSE_INCHES: Final = 3.0  # distance within which a ship is the nearest by any course
_MAX_GOALS: Final = 2  # nearest ships to which a course is measured

_WHOLE_MOVE_DEGREES: Final = 90  # degrees off the bow from which a turn costs a whole move


TablePoint = tuple[float, float]  # x east and y north, in inches


class SeaNet(NamedTuple):
    points: Floats  # inches, shape (n, 2)
    distances: Floats  # inches by sea between points, shape (n, n); infinite if there is no way


class SeaCourse(NamedTuple):
    length_in: float  # inches
    first_point: TablePoint  # the goal itself, or the first point to steer for round land


def shortest_course(position: Position, here: TablePoint, there: TablePoint) -> SeaCourse:
    return _find_course(position.width, position.height, position.land, here, there)


@lru_cache(maxsize=4096)
def _find_course(
    width: float, height: float, rings: tuple[Ring, ...], here: TablePoint, there: TablePoint
) -> SeaCourse:
    """Return the shortest course round land, or the straight one if no land is between or no way round is known."""
    straight = SeaCourse(math.dist(here, there), there)
    land = _land_with_berth(rings)
    if land is None or not _is_barred(land, here, np.array([there]))[0]:
        return straight
    net = _sea_net(width, height, rings)
    last_point = int(np.argmin(np.hypot(*(net.points - there).T)))  # index of the point nearest to the goal
    distances = np.hypot(*(net.points - here).T)
    # Leave out the point where the ship already is.
    near_points = np.flatnonzero((distances >= _SPACING_INCHES) & (distances <= _HEADING_INCHES))
    first_points = near_points[~_is_barred(land, here, net.points[near_points])]
    last_inches = math.dist(net.points[last_point], there)
    lengths = distances[first_points] + net.distances[first_points, last_point] + last_inches
    if not np.isfinite(lengths).any():
        return straight
    best = int(np.argmin(lengths))
    x, y = net.points[first_points[best]].tolist()
    return SeaCourse(float(lengths[best]), (x, y))


def rowing_distance(position: Position, ship: Ship, goals: Iterable[Ship]) -> float:
    """Return about how many inches a ship must row to the nearest goal, including the cost of a turn before."""
    here = (ship.x, ship.y)
    nearest = sorted(goals, key=lambda goal: math.dist(here, (goal.x, goal.y)))
    if math.dist(here, (nearest[0].x, nearest[0].y)) < _CLOSE_INCHES:
        nearest = nearest[:1]
    courses = [shortest_course(position, here, (goal.x, goal.y)) for goal in nearest[:_MAX_GOALS]]
    return min(_course_cost(ship, course) for course in courses)


def _course_cost(ship: Ship, course: SeaCourse) -> float:
    """Return the length of a course in inches, plus the part of a move that the turn to its first point costs."""
    degrees = abs(signed_degrees(bearing_deg(ship.x, ship.y, *course.first_point) - ship.heading))
    turn_share = (degrees - CONSTANTS.veer_max) / (_WHOLE_MOVE_DEGREES - CONSTANTS.veer_max)
    return course.length_in + ship.ship_class.fwd * min(1.0, max(0.0, turn_share))


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
    """Return the points of the grid off land, with the shortest distances between them (Floyd and Warshall)."""
    spacing = max(_SPACING_INCHES, math.sqrt(width * height / _MAX_POINTS))
    columns = np.arange(_EDGE_INCHES, width, spacing)
    rows = np.arange(_EDGE_INCHES, height, spacing)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    land = _land_with_berth(rings)
    points = grid[~shapely.intersects_xy(land, grid[:, 0], grid[:, 1])]
    straight = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))  # straight distances, shape (n, n)
    first, second = np.nonzero(np.triu((straight > 0) & (straight <= _JOINED_SPACINGS * spacing)))
    is_open = ~shapely.intersects(land, shapely.linestrings(np.stack((points[first], points[second]), axis=1)))
    distances = np.full(straight.shape, np.inf)
    np.fill_diagonal(distances, 0.0)
    first, second = first[is_open], second[is_open]
    distances[first, second] = distances[second, first] = straight[first, second]
    for middle in range(len(points)):
        np.minimum(distances, distances[:, middle, None] + distances[None, middle], out=distances)
    return SeaNet(points, distances)
