"""Obstacles to an attack, for the picture of a plan only (part 8.4)."""

from __future__ import annotations

import numpy as np
import shapely

from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.geometry.hulls import Hulls
from rules.ramspeed.engine.geometry.measure import forward_vector
from rules.ramspeed.engine.state import Position, Ship

Point = tuple[float, float]


def find_blocker(position: Position, ship: Ship, target: Ship, most: float) -> Point | None:
    """Return a point of what blocks a straight run of at most `most` inches, else of what lies nearest to the target.

    None: neither a ship, land nor the edge is near.
    """
    hull, target_hull = hulls.hull_of(ship), hulls.hull_of(target)
    way = forward_vector(ship.heading)
    third = hulls.find_obstacles(position, without=[ship.id, target.id]).shapes
    run = min(most, float(hulls.contact_distances(hull, target_hull, hulls.stack_vectors([way]))[0, 0]))
    room = float(hulls.room_to_edge(hull, hulls.stack_vectors([way]), position.width, position.height)[0])
    if len(third.corners):
        contacts = hulls.contact_distances(hull, third, hulls.stack_vectors([way]))[0]
        first = int(np.argmin(contacts))
        if contacts[first] <= min(run, room):
            return _nearest_point(hull.corners[0] + np.array(way) * contacts[first], third, first)
    if room < run:
        tip = ship.ship_class.length / 2 + room
        return ship.x + way.x * tip, ship.y + way.y * tip
    if not len(third.corners):
        return None
    away = [
        shapely.distance(shapely.Polygon(target_hull.corners[0]), shapely.Polygon(corners)) for corners in third.corners
    ]
    beside = int(np.argmin(away))
    return _nearest_point(target_hull.corners[0], third, beside) if away[beside] <= ship.ship_class.length else None


def _nearest_point(corners: hulls.Floats, others: Hulls, number: int) -> Point:
    line = shapely.shortest_line(shapely.Polygon(corners), shapely.Polygon(others.corners[number]))
    x, y = shapely.get_coordinates(line)[1]
    return float(x), float(y)
