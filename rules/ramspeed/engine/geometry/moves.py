"""Moves and pivots among the obstacles of a position (RS-05, RS-06).

Nothing here rolls dice or adds events, so that plans and the turn itself can both use this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs

from rules.ramspeed.engine import orders
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS

PAIR_MOVE_SHARE: Final = 0.5  # the part of its allowance that a bireme may move in an activation with a turn (RS-05.7)


class MoveStop(NamedTuple):
    distance_in: float  # inches to contact with an obstacle, less the gap, cut to 0.01 inch and at least 0
    ship: str  # the id of the ship in the way; empty: land


def place_ship(ship: Ship, x: float, y: float, heading: int | None = None) -> Ship:
    """Return the ship at another place, with rounded coordinates (RS-01.4)."""
    return structs.replace(
        ship, x=hulls.round_place(x), y=hulls.round_place(y), heading=ship.heading if heading is None else heading % 360
    )


def shift_ship(ship: Ship, way: hulls.UnitVector, inches: float) -> Ship:
    return place_ship(ship, ship.x + way.x * inches, ship.y + way.y * inches)


def opposite_vector(way: hulls.UnitVector) -> hulls.UnitVector:
    return hulls.UnitVector(-way.x, -way.y)


def room_to_edge(position: Position, ship: Ship, way: hulls.UnitVector) -> float:
    return float(
        hulls.room_to_edge(hulls.hull_of(ship), hulls.stack_vectors([way]), position.width, position.height)[0]
    )


def find_stops(position: Position, ship: Ship, way: hulls.UnitVector, inches: float) -> tuple[MoveStop, ...]:
    """Return all obstacles that a ship would meet within `inches` in a direction; ships by id, then land (RS-06.1)."""
    hull = hulls.hull_of(ship)
    obstacles = hulls.find_obstacles(position, without=[ship.id], near=hull, reach=inches + CONSTANTS.gap)
    if not len(obstacles.shapes.corners):
        return ()
    contacts = hulls.contact_distances(hull, obstacles.shapes, hulls.stack_vectors([way]))[0]
    return tuple(
        MoveStop(
            max(0.0, hulls.floor_inches(float(contacts[number]) - CONSTANTS.gap)),
            obstacles.names[number] if number < len(obstacles.names) else "",
        )
        for number in np.flatnonzero(np.isfinite(contacts))
    )


def distance_covered(position: Position, ship: Ship, way: hulls.UnitVector, inches: float) -> float:
    """Return how many of the given inches a ship can go (RS-06.1)."""
    inches_to_edge = hulls.floor_inches(room_to_edge(position, ship, way))
    stops = find_stops(position, ship, way, inches)
    return max(0.0, min([inches, inches_to_edge, *(stop.distance_in for stop in stops)]))


def sail_ship(position: Position, ship: Ship, inches: float, *, astern: bool = False) -> Ship:
    """Return the ship after a plain move of at most `inches`, ignoring its allowance (RS-06.1)."""
    way = opposite_vector(hulls.forward_vector(ship.heading)) if astern else hulls.forward_vector(ship.heading)
    return shift_ship(ship, way, distance_covered(position, ship, way, inches))


def first_stop_ahead(position: Position, ship: Ship) -> MoveStop | None:
    """Return the first obstacle straight ahead within the allowance, or None. The edge counts as land."""
    forward = hulls.forward_vector(ship.heading)
    inches_to_edge = hulls.floor_inches(room_to_edge(position, ship, forward))
    stops = list(find_stops(position, ship, forward, ship.forward_allowance))
    if inches_to_edge < ship.forward_allowance:
        stops.append(MoveStop(max(0.0, inches_to_edge), ""))
    return min(stops, default=None)


def possible_pivot(position: Position, ship: Ship, degrees: int) -> int:
    """Return how many degrees of a pivot can be made; starboard is positive (RS-06.3)."""
    left, right = pivot_range(position, ship, min(0, degrees), max(0, degrees))
    return right if degrees > 0 else left


def pivot_range(position: Position, ship: Ship, left: int, right: int) -> tuple[int, int]:
    """Return how far a ship can pivot to port (negative) and to starboard, within these limits (RS-06.3)."""
    radius = hulls.RADIUS_BY_CODE[ship.code]
    room_x = min(ship.x, position.width - ship.x)
    room_y = min(ship.y, position.height - ship.y)
    circle = hulls.turning_extent(ship)
    obstacles = hulls.find_obstacles(position, without=[ship.id], near=circle).shapes
    if not len(obstacles.corners) and min(room_x, room_y) >= radius:
        return left, right
    turned_hulls = hulls.hulls_at(ship.code, ship.x, ship.y, range(ship.heading + left, ship.heading + right + 1))
    barred = ~(
        hulls.is_free(turned_hulls, obstacles) & hulls.is_on_table(turned_hulls, position.width, position.height)
    )
    # the ship's present heading is always possible
    barred[-left] = False
    stops_left = np.flatnonzero(barred[:-left])
    stops_right = np.flatnonzero(barred[-left:])
    return (
        int(stops_left[-1]) + 1 + left if len(stops_left) else left,
        int(stops_right[0]) - 1 if len(stops_right) else right,
    )


def pivot_ship(position: Position, ship: Ship, degrees: int) -> Ship:
    return structs.replace(ship, heading=(ship.heading + possible_pivot(position, ship, degrees)) % 360)


def to_starboard_deg(degrees: int, side: orders.PivotSide) -> int:
    return degrees if side == "R" else -degrees


def degrees_towards(ship: Ship, other: Ship) -> int:
    """Return the degrees to starboard from a ship's heading to another's middle; exactly astern is 180 (RS-21)."""
    return hulls.signed_degrees(hulls.bearing_deg(ship.x, ship.y, other.x, other.y) - ship.heading)


def _clamp_degrees(degrees: int, limit: int) -> int:
    return max(-limit, min(limit, degrees))


def _veer_ship(position: Position, ship: Ship, degrees: int, inches: float) -> Ship:
    turned_ship = pivot_ship(position, ship, degrees)
    is_whole_pivot = (turned_ship.heading - ship.heading - degrees) % 360 == 0
    return sail_ship(position, turned_ship, inches) if is_whole_pivot else turned_ship


class ManoeuvreResult(NamedTuple):
    ship: Ship  # afterwards
    is_move: bool  # whether the manoeuvre moves or turns the ship, even if obstacles cut it to nothing


def can_leave(position: Position, ship: Ship) -> bool:
    """Return whether `exit` takes the ship off the table (RS-06.2)."""
    forward = hulls.forward_vector(ship.heading)
    inches_to_edge = hulls.floor_inches(room_to_edge(position, ship, forward))
    if not position.exit or inches_to_edge > ship.forward_allowance:
        return False
    return all(
        stop.distance_in >= inches_to_edge for stop in find_stops(position, ship, forward, ship.forward_allowance)
    )


def carry_out_manoeuvre(position: Position, ship: Ship, steps: Sequence[orders.Manoeuvre]) -> ManoeuvreResult:
    """Carry out a manoeuvre or a bireme's pair (RS-05). An immobile ship stays (RS-21.2).

    A ship goes no farther than its allowance (RS-04.2). Raises `KeyError` for an unknown ship.
    """
    moving = [step for step in steps if not isinstance(step, orders.StayOrder | orders.LaunchOrder)]
    if not moving or position.is_immobile(ship):
        return ManoeuvreResult(ship, is_move=False)
    if len(moving) == 2:
        return ManoeuvreResult(_carry_out_pair(position, ship, moving), is_move=True)
    match moving[0]:
        case orders.ExitOrder():
            if can_leave(position, ship):
                return ManoeuvreResult(structs.replace(ship, status="withdrawn"), is_move=True)
            after = sail_ship(position, ship, ship.forward_allowance)
        case orders.ForwardOrder(inches):
            max_inches = ship.forward_allowance if inches is None else min(inches, ship.forward_allowance)
            after = sail_ship(position, ship, max_inches)
        case orders.BackOrder(inches):
            after = sail_ship(position, ship, min(inches, ship.reverse_allowance), astern=True)
        case orders.TurnOrder(degrees, side):
            after = pivot_ship(position, ship, to_starboard_deg(degrees, side))
        case orders.VeerOrder(degrees, side, inches):
            max_inches = ship.forward_allowance if inches is None else min(inches, ship.forward_allowance)
            after = _veer_ship(position, ship, to_starboard_deg(degrees, side), max_inches)
        case orders.SteerOrder(target, inches):
            degrees = _clamp_degrees(degrees_towards(ship, position.ship_by_id(target)), CONSTANTS.veer_max)
            after = _veer_ship(position, ship, degrees, min(inches, ship.forward_allowance))
        case orders.FaceOrder(target):
            degrees = _clamp_degrees(degrees_towards(ship, position.ship_by_id(target)), ship.ship_class.turn)
            after = pivot_ship(position, ship, degrees)
    return ManoeuvreResult(after, is_move=True)


def _carry_out_pair(position: Position, ship: Ship, steps: Sequence[orders.Manoeuvre]) -> Ship:
    """Carry out a bireme's turn and half move, in either order; a first turn that is cut short ends the pair."""
    for number, step in enumerate(steps):
        match step:
            case orders.TurnOrder(degrees, side):
                pivot = to_starboard_deg(degrees, side)
                turned_ship = pivot_ship(position, ship, pivot)
                is_cut_short = (turned_ship.heading - ship.heading - pivot) % 360 != 0
                ship = turned_ship
                if is_cut_short and number == 0:
                    return ship
            case orders.ForwardOrder(inches):
                max_inches = PAIR_MOVE_SHARE * ship.forward_allowance
                ship = sail_ship(position, ship, max_inches if inches is None else min(inches, max_inches))
            case orders.BackOrder(inches):
                ship = sail_ship(position, ship, min(inches, PAIR_MOVE_SHARE * ship.reverse_allowance), astern=True)
    return ship


def carry_out_slip(position: Position, ship: Ship, slip: str) -> ManoeuvreResult:
    """Carry out the `slip` word of a doctrine (RS-10.5). An immobile ship stays.

    Raises `ValueError` for an unknown word.
    """
    if slip == "hold" or position.is_immobile(ship):
        return ManoeuvreResult(ship, is_move=False)
    if slip in ("fwd", "back"):
        return ManoeuvreResult(sail_ship(position, ship, CONSTANTS.slip, astern=slip == "back"), is_move=True)
    degrees = _clamp_degrees(int(slip[4:-1]), CONSTANTS.slip_turn_max)  # of a word such as `turn45L`
    return ManoeuvreResult(pivot_ship(position, ship, degrees if slip.endswith("R") else -degrees), is_move=True)


def dodge(position: Position, target: Ship, attacker_side: int) -> Ship:
    """Return the target after a quick turn away from the attacker's side, +1 for starboard (RS-09.10)."""
    return pivot_ship(position, target, -attacker_side * CONSTANTS.dodge_pivot)
