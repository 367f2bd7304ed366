"""Movement of ships (NB-03, NB-04)."""

from __future__ import annotations

from msgspec import Struct, structs

from rules.forts.engine.boards import all_hexes, sea_hexes
from rules.forts.engine.state import Position, Ship, ShipId, WindState
from rules.geometry import hexes


class Reach(Struct, frozen=True, kw_only=True):
    ship: ShipId
    hexes: tuple[str, ...]  # Labels, nearest first; empty if the ship has moved or may not move
    steps: tuple[int, ...]


def move_allowance(ship: Ship, wind: WindState | None) -> int:
    """Return the hexes that a ship may sail in this wind (NB-03.2)."""
    return ship.ship_class.calm if wind == "calm" else ship.ship_class.wind


def shortest_ways(position: Position, ship: Ship) -> dict[str, tuple[str, ...]]:
    """Return one of the shortest ways to each hex within the allowance, nearest first (NB-04.2, NB-04.4).

    A way includes both ends. Whether the ship has moved already is not checked.
    """
    water = sea_hexes(position.board)
    start = all_hexes(position.board)[ship.hex]
    barred = {all_hexes(position.board)[other.hex] for other in position.ships}
    ways: dict[hexes.Hex, tuple[str, ...]] = {start: (ship.hex,)}
    edge = [start]
    for _ in range(move_allowance(ship, position.wind)):
        beyond = []
        for here in edge:
            for beside in hexes.neighbours(here):
                if beside in water and beside not in ways and beside not in barred:
                    ways[beside] = (*ways[here], water[beside])
                    beyond.append(beside)
        edge = beyond
    return {way[-1]: way for here, way in ways.items() if here != start}


def max_reach(position: Position, ship: Ship) -> tuple[str, ...]:
    """Return the hexes that a ship might reach in its next player-turn, in wind and with no other ships in the way."""
    windy = structs.replace(position, wind="wind", ships=())
    return tuple(shortest_ways(windy, ship))


def current_reach(position: Position, ship: Ship) -> Reach:
    """Return the reach in this player-turn; empty if the ship has moved (NB-04.3)."""
    ways = {} if ship.moved else shortest_ways(position, ship)
    return Reach(ship=ship.id, hexes=tuple(ways), steps=tuple(len(way) - 1 for way in ways.values()))
