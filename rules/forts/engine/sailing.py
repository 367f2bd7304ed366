"""Movement of ships (NB-03, NB-04)."""

from __future__ import annotations

from msgspec import Struct, structs

from rules.forts.engine.boards import all_hexes, sea_hexes
from rules.forts.engine.state import Position, Ship, ShipId, WindState
from rules.geometry import hexes


class Reach(Struct, frozen=True, kw_only=True):
    ship: ShipId  # id of the ship
    hexes: tuple[str, ...]  # labels that the ship can reach, nearest first; empty if the ship has moved or may not move
    steps: tuple[int, ...]  # the number of moves to each hex


def move_allowance(ship: Ship, wind: WindState | None) -> int:
    """Return the hexes that a ship may sail in this wind (NB-03.2)."""
    return ship.ship_class.calm if wind == "calm" else ship.ship_class.wind


def shortest_ways(position: Position, ship: Ship) -> dict[str, tuple[str, ...]]:
    """Return one of the shortest ways to each hex within the allowance, nearest first (NB-04.2, NB-04.4).

    A way includes both ends. Whether the ship has moved already is not checked.
    """
    sea = sea_hexes(position.board)
    start = all_hexes(position.board)[ship.hex]
    occupied = {all_hexes(position.board)[other.hex] for other in position.ships}
    ways: dict[hexes.Hex, tuple[str, ...]] = {start: (ship.hex,)}
    outermost = [start]  # hexes reached with the last move; each round of the loop is one move
    for _ in range(move_allowance(ship, position.wind)):
        next_hexes = []
        for sea_hex in outermost:
            for neighbour in hexes.neighbours(sea_hex):
                if neighbour in sea and neighbour not in ways and neighbour not in occupied:
                    ways[neighbour] = (*ways[sea_hex], sea[neighbour])
                    next_hexes.append(neighbour)
        outermost = next_hexes
    return {way[-1]: way for sea_hex, way in ways.items() if sea_hex != start}


def max_reach(position: Position, ship: Ship) -> tuple[str, ...]:
    """Return the hexes that a ship might reach in its next player-turn, in wind and with no other ships in the way."""
    windy = structs.replace(position, wind="wind", ships=())
    return tuple(shortest_ways(windy, ship))


def current_reach(position: Position, ship: Ship) -> Reach:
    """Return the reach in this player-turn; empty if the ship has moved (NB-04.3)."""
    ways = {} if ship.moved else shortest_ways(position, ship)
    return Reach(ship=ship.id, hexes=tuple(ways), steps=tuple(len(way) - 1 for way in ways.values()))
