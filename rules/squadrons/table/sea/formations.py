"""Where a fleet is proposed to lie: lines, columns, a wing ahead, or beyond its edge to come in later (SQ-23.4).

All is laid out for the side whose edge is below, its left wing first; the other side sees the same from its own edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.fleets import DEEP, abreast, facing
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship

Formation = Literal["line", "close", "lines", "columns", "left", "right"]
"""One line abreast; the same with ships side by side; two lines; columns of four; the left or the right wing ahead."""
FORMATIONS: Final[tuple[Formation, ...]] = get_args(Formation)
_FRONT, _BACK = 6, 2
"""Hexes from the own edge to the sterns of two lines."""
_DEEPEST: Final = 4
"""Ships of a column: each takes two hexes, and no more lie within reach of the edge."""


def own(position: Position, side: str) -> tuple[Ship, ...]:
    """The ships that a side built, by id: its line from left to right, as it looks at the enemy."""
    ships = tuple(ship for ship in position.ships if ship.builder == side)
    return ships if side == "B" else ships[::-1]


def proposed(position: Position, side: str, name: Formation) -> Mapping[str, Place]:
    """Where each ship of a side lies in a formation; no two in one hex, none too far in."""
    if name == "line":
        laid = abreast(position, side)
        return {ship.id: ship.place for ship in laid.ships if ship.builder == side}
    ships = own(position, side)
    match name:
        case "close":
            spots = _row(position, len(ships), 3, step=1)
        case "lines":
            front = (len(ships) + 1) // 2
            spots = [*_row(position, front, _FRONT), *_row(position, len(ships) - front, _BACK)]
            spots = [spot for number in range(front) for spot in spots[number::front]]
        case "columns":
            spots = _columns(position, len(ships))
        case _:
            spots = _echelon(position, len(ships), left=name == "left")
    return {ship.id: _place(position, side, ship, spot) for ship, spot in zip(ships, spots, strict=True)}


def entering(position: Position, side: str) -> Mapping[str, Place]:
    """The hex of the edge over which each ship comes in, in line (SQ-23.5)."""
    ships = own(position, side)
    spots = _row(position, len(ships), 0)
    return {
        ship.id: Place(grid.at(_column(position, side, column), _from_edge(position, side, far)), facing(side))
        for ship, (column, far) in zip(ships, spots, strict=True)
    }


def waiting(place: Place) -> Place:
    """Where a ship waits that comes in at a place: before it, beyond the edge."""
    return Place(grid.step(place.bow, place.facing + 3), place.facing)


# --- by column from the left and hexes from the edge to the stern ---------------------------------------------------


def _row(position: Position, count: int, far: int, *, step: int = 2) -> list[tuple[int, int]]:
    step = step if step * count <= position.width else 1
    first = (position.width - step * (count - 1) + 1) // 2
    return [(first + step * number, far) for number in range(count)]


def _columns(position: Position, count: int) -> list[tuple[int, int]]:
    """As many columns as are needed, the first ship of each ahead."""
    files = -(-count // _DEEPEST)
    across = _row(position, files, 0, step=3)
    return [(across[number // _DEEPEST][0], DEEP - 1 - 2 * (number % _DEEPEST)) for number in range(count)]


def _echelon(position: Position, count: int, *, left: bool) -> list[tuple[int, int]]:
    """A line of which one wing lies ahead as far as may be, and the other at the edge."""
    spots = _row(position, count, 0)
    most, last = DEEP - 2, max(1, count - 1)
    return [(column, most * (last - number if left else number) // last) for number, (column, _) in enumerate(spots)]


def _column(position: Position, side: str, column: int) -> int:
    """Red's left is on the right of the map."""
    return column if side == "B" else position.width + 1 - column


def _from_edge(position: Position, side: str, far: int) -> int:
    return position.height - far if side == "B" else far + 1


def _place(position: Position, side: str, ship: Ship, spot: tuple[int, int]) -> Place:
    column, far = spot
    stern = grid.at(_column(position, side, column), _from_edge(position, side, far))
    return Place(grid.step(stern, facing(side)) if ship.size == 2 else stern, facing(side))


def named(position: Position, side: str, places: Mapping[str, Place]) -> Formation | None:
    """The formation in which ships lie, if it is one of these."""
    return next((name for name in FORMATIONS if dict(proposed(position, side, name)) == dict(places)), None)


def moved(places: Mapping[str, Place], ships: Sequence[str], way: int) -> dict[str, Place]:
    """The places with some ships one hex further in a direction."""
    return {
        name: Place(grid.step(place.bow, way), place.facing) if name in ships else place
        for name, place in places.items()
    }


def turned(places: Mapping[str, Place], ships: Sequence[str], by: int) -> dict[str, Place]:
    """The places with some ships turned about their bows by sixths of a circle, clockwise."""
    return {
        name: Place(place.bow, (place.facing + by) % 6) if name in ships else place for name, place in places.items()
    }


def along(places: Mapping[str, Place], ships: Sequence[str], by: int) -> dict[str, Place]:
    """The places with some ships so many columns further along the edge."""
    found = dict(places)
    for name in ships:
        column, row = grid.column_and_row(places[name].bow)
        found[name] = Place(grid.at(column + by, row), places[name].facing)
    return found
