"""Plain moves and pivots: how far a ship really comes among the obstacles of a position (RS-05, RS-06).

Nothing here rolls dice or raises events: plans may ask it, and so does the turn itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import structs

from rules.ramspeed.table.geometry import hulls
from rules.ramspeed.table.geometry.measure import Way, ahead, bearing, floored, signed, stored
from rules.ramspeed.table.orders import Back, Exit, Face, Fwd, Manoeuvre, Side, Steer, Turn, Veer
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

HALF: Final = 0.5
"""Of her allowance is what a bireme that turns may move (RS-05.7)."""


class Stop(NamedTuple):
    """Where something in the way stops a ship."""

    inches: float
    """Of her way, GAP kept, cut to 0.01, not below 0."""
    ship: str
    """Empty: land."""


def placed(ship: Ship, x: float, y: float, heading: int | None = None) -> Ship:
    """The ship elsewhere, her place rounded as places are stored (RS-01.4)."""
    return structs.replace(ship, x=stored(x), y=stored(y), heading=ship.heading if heading is None else heading % 360)


def along(ship: Ship, way: Way, inches: float) -> Ship:
    """The ship so much farther along a way."""
    return placed(ship, ship.x + way.x * inches, ship.y + way.y * inches)


def backwards(way: Way) -> Way:
    """The opposite way."""
    return Way(-way.x, -way.y)


def room(position: Position, ship: Ship, way: Way) -> float:
    """How far she can go until a corner reaches the edge (RS-06.2)."""
    return float(hulls.rooms(hulls.of(ship), hulls.ways([way]), position.width, position.height)[0])


def stops(position: Position, ship: Ship, way: Way, inches: float) -> tuple[Stop, ...]:
    """Everything that could stop her within some inches of a way; ships by id, then land (RS-06.1)."""
    here = hulls.of(ship)
    there = hulls.obstacles(position, without=[ship.id], near=here, reach=inches + CONSTANTS.gap)
    if not len(there.shapes.corners):
        return ()
    contacts = hulls.contacts(here, there.shapes, hulls.ways([way]))[0]
    return tuple(
        Stop(
            max(0.0, floored(float(contacts[one]) - CONSTANTS.gap)), there.names[one] if one < len(there.names) else ""
        )
        for one in np.flatnonzero(np.isfinite(contacts))
    )


def reach(position: Position, ship: Ship, way: Way, inches: float) -> float:
    """How far of some inches she comes (RS-06.1)."""
    edge = floored(room(position, ship, way))
    return max(0.0, min([inches, edge, *(stop.inches for stop in stops(position, ship, way, inches))]))


def sailed(position: Position, ship: Ship, inches: float, *, astern: bool = False) -> Ship:
    """The ship after a plain move of at most so much; her allowance is not looked at (RS-06.1)."""
    way = backwards(ahead(ship.heading)) if astern else ahead(ship.heading)
    return along(ship, way, reach(position, ship, way, inches))


def ahead_stop(position: Position, ship: Ship) -> Stop | None:
    """What is first in her way straight ahead, within her allowance; the edge counts as land; None: nothing."""
    way = ahead(ship.heading)
    edge = floored(room(position, ship, way))
    found = [*stops(position, ship, way, ship.fwd), *([Stop(max(0.0, edge), "")] if edge < ship.fwd else [])]
    return min(found, default=None)


def pivot(position: Position, ship: Ship, degrees: int) -> int:
    """How many degrees of a pivot, starboard positive, can be made (RS-06.3)."""
    left, right = pivots(position, ship, min(0, degrees), max(0, degrees))
    return right if degrees > 0 else left


def pivots(position: Position, ship: Ship, left: int, right: int) -> tuple[int, int]:
    """How far she can pivot to port, as a negative number, and to starboard, within these limits (RS-06.3)."""
    radius = hulls.RADII[ship.code]
    room_x = min(ship.x, position.width - ship.x)
    room_y = min(ship.y, position.height - ship.y)
    circle = hulls.round_about(ship)
    there = hulls.obstacles(position, without=[ship.id], near=circle).shapes
    if not len(there.corners) and min(room_x, room_y) >= radius:
        return left, right
    turned = hulls.at(ship.code, ship.x, ship.y, range(ship.heading + left, ship.heading + right + 1))
    barred = ~(hulls.free(turned, there) & hulls.on_table(turned, position.width, position.height))
    # Where she lies already nothing is in the way.
    barred[-left] = False
    stops_left = np.flatnonzero(barred[:-left])
    stops_right = np.flatnonzero(barred[-left:])
    return (
        int(stops_left[-1]) + 1 + left if len(stops_left) else left,
        int(stops_right[0]) - 1 if len(stops_right) else right,
    )


def pivoted(position: Position, ship: Ship, degrees: int) -> Ship:
    """The ship after a pivot, perhaps cut."""
    return structs.replace(ship, heading=(ship.heading + pivot(position, ship, degrees)) % 360)


def starboard(degrees: int, side: Side) -> int:
    """Degrees to starboard of a pivot to a side."""
    return degrees if side == "R" else -degrees


def towards(ship: Ship, other: Ship) -> int:
    """Degrees to starboard from her heading to another's middle; exactly astern: 180 (part 8.2)."""
    return signed(bearing(ship.x, ship.y, other.x, other.y) - ship.heading)


def _bounded(degrees: int, most: int) -> int:
    return max(-most, min(most, degrees))


def _veered(position: Position, ship: Ship, degrees: int, inches: float) -> Ship:
    """Pivot, then ahead unless the pivot was cut (RS-06.3)."""
    turned = pivoted(position, ship, degrees)
    whole = (turned.heading - ship.heading - degrees) % 360 == 0
    return sailed(position, turned, inches) if whole else turned


class Sailed(NamedTuple):
    """Where a manoeuvre takes a ship."""

    ship: Ship
    moves: bool
    """It is one that moves or turns her, even if obstacles cut it to nothing."""


def leaves(position: Position, ship: Ship) -> bool:
    """Whether `exit` takes her off the table (RS-06.2)."""
    way = ahead(ship.heading)
    edge = floored(room(position, ship, way))
    return (
        position.exit and edge <= ship.fwd and all(stop.inches >= edge for stop in stops(position, ship, way, ship.fwd))
    )


def manoeuvred(position: Position, ship: Ship, steps: Sequence[Manoeuvre]) -> Sailed:
    """Where a manoeuvre, or a bireme's pair, takes a ship (RS-05); an immobile ship stays (RS-21.2).

    She goes as far as ordered, at most her allowance (RS-04.2).
    Raises `KeyError` for a ship that there is not.
    """
    moving = [step for step in steps if isinstance(step, Exit | Fwd | Back | Turn | Veer | Steer | Face)]
    if not moving or position.immobile(ship):
        return Sailed(ship, moves=False)
    if len(moving) == 2:
        return Sailed(_pair(position, ship, moving), moves=True)
    match moving[0]:
        case Exit():
            if leaves(position, ship):
                return Sailed(structs.replace(ship, status="withdrawn"), moves=True)
            after = sailed(position, ship, ship.fwd)
        case Fwd(inches):
            after = sailed(position, ship, ship.fwd if inches is None else min(inches, ship.fwd))
        case Back(inches):
            after = sailed(position, ship, min(inches, ship.back), astern=True)
        case Turn(degrees, side):
            after = pivoted(position, ship, starboard(degrees, side))
        case Veer(degrees, side, inches):
            most = ship.fwd if inches is None else min(inches, ship.fwd)
            after = _veered(position, ship, starboard(degrees, side), most)
        case Steer(target, inches):
            degrees = _bounded(towards(ship, position.ship(target)), CONSTANTS.veer_max)
            after = _veered(position, ship, degrees, min(inches, ship.fwd))
        case Face(target):
            degrees = _bounded(towards(ship, position.ship(target)), ship.kind.turn)
            after = pivoted(position, ship, degrees)
    return Sailed(after, moves=True)


def _pair(position: Position, ship: Ship, steps: Sequence[Manoeuvre]) -> Ship:
    """A bireme's turn and move, in either order (RS-05.7)."""
    for number, step in enumerate(steps):
        match step:
            case Turn(degrees, side):
                turned = pivoted(position, ship, starboard(degrees, side))
                cut = (turned.heading - ship.heading - starboard(degrees, side)) % 360 != 0
                ship = turned
                if cut and number == 0:
                    return ship
            case Fwd(inches):
                half = HALF * ship.fwd
                ship = sailed(position, ship, half if inches is None else min(inches, half))
            case Back(inches):
                ship = sailed(position, ship, min(inches, HALF * ship.back), astern=True)
    return ship


def slipped(position: Position, ship: Ship, slip: str) -> Sailed:
    """Where the `slip` word of a doctrine takes a ship (RS-10.5); an immobile ship stays.

    Raises `ValueError` for no such word.
    """
    if slip == "hold" or position.immobile(ship):
        return Sailed(ship, moves=False)
    if slip in ("fwd", "back"):
        return Sailed(sailed(position, ship, CONSTANTS.slip, astern=slip == "back"), moves=True)
    degrees = _bounded(int(slip[4:-1]), CONSTANTS.slip_turn_max)
    return Sailed(pivoted(position, ship, degrees if slip.endswith("R") else -degrees), moves=True)


def dodged(position: Position, target: Ship, sigma: int) -> Ship:
    """The target after a quick turn away from an attacker on a side: +1 starboard (RS-09.10)."""
    return pivoted(position, target, -sigma * CONSTANTS.dodge_pivot)
