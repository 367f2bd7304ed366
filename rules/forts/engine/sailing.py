"""Where ships may sail (NB-03, NB-04)."""

from __future__ import annotations

from msgspec import Struct, structs

from rules.forts.engine.boards import all_hexes, sea_hexes
from rules.forts.engine.state import Position, Ship, ShipId, WindState
from rules.geometry import hexes


class Reach(Struct, frozen=True, kw_only=True):
    """Where one of the viewer's ships may sail now (NB-04.4)."""

    ship: ShipId
    hexes: tuple[str, ...]
    """Nearest first; empty if she has moved or may not."""
    steps: tuple[int, ...]
    """The length of the shortest way to each."""


def move_allowance(ship: Ship, wind: WindState | None) -> int:
    """Hexes that a ship may sail in this wind (NB-03.2)."""
    return ship.ship_class.calm if wind == "calm" else ship.ship_class.wind


def shortest_ways(position: Position, ship: Ship) -> dict[str, tuple[str, ...]]:
    """One of the shortest ways to each hex that a ship has the allowance for, nearest first (NB-04.2, NB-04.4).

    A way holds both its ends. That she may have moved already is not asked here.
    """
    water = sea_hexes(position.board)
    start = all_hexes(position.board)[ship.hex]
    barred = {all_hexes(position.board)[other.hex] for other in position.ships}
    found: dict[hexes.Hex, tuple[str, ...]] = {start: (ship.hex,)}
    edge = [start]
    for _ in range(move_allowance(ship, position.wind)):
        beyond = []
        for here in edge:
            for beside in hexes.neighbours(here):
                if beside in water and beside not in found and beside not in barred:
                    found[beside] = (*found[here], water[beside])
                    beyond.append(beside)
        edge = beyond
    return {way[-1]: way for here, way in found.items() if here != start}


def max_reach(position: Position, ship: Ship) -> tuple[str, ...]:
    """Hexes that a ship may reach in her next player-turn, in any wind, whichever ships have made way."""
    windy = structs.replace(position, wind="wind", ships=())
    return tuple(shortest_ways(windy, ship))


def current_reach(position: Position, ship: Ship) -> Reach:
    """Where a ship may sail in this player-turn; nowhere if she has moved (NB-04.3)."""
    found = {} if ship.moved else shortest_ways(position, ship)
    return Reach(ship=ship.id, hexes=tuple(found), steps=tuple(len(way) - 1 for way in found.values()))
