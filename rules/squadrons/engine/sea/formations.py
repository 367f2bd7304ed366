"""Where a fleet is proposed to lie: lines, columns, a wing ahead, or beyond its edge to come in later (SQ-23.4).

All is laid out for the side whose edge is below, its left wing first; the other side sees the same from its own edge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.fleets import MAX_DEPTH_HEXES, facing_of_side, with_lines_abreast
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship

Formation = Literal["line", "close", "lines", "columns", "left", "right"]
"""One line abreast; the same with ships side by side; two lines; columns of four; the left or the right wing ahead."""
FORMATIONS: Final[tuple[Formation, ...]] = get_args(Formation)
_FRONT_DEPTH, _BACK_DEPTH = 6, 2
"""Hexes from the own edge to the sterns of two lines."""
_MAX_COLUMN_SHIPS: Final = 4
"""Ships of a column: each takes two hexes, and no more lie within reach of the edge."""


def ships_built_by(position: Position, side: str) -> tuple[Ship, ...]:
    """The ships that a side built, by id: its line from left to right, as it looks at the enemy."""
    ships = tuple(ship for ship in position.ships if ship.builder == side)
    return ships if side == "B" else ships[::-1]


def formation_places(position: Position, side: str, name: Formation) -> Mapping[str, HexPose]:
    """Where each ship of a side lies in a formation; no two in one hex, none too far in."""
    if name == "line":
        laid = with_lines_abreast(position, side)
        return {ship.id: ship.place for ship in laid.ships if ship.builder == side}
    ships = ships_built_by(position, side)
    match name:
        case "close":
            spots = _row_spots(position, len(ships), 3, step=1)
        case "lines":
            front = (len(ships) + 1) // 2
            spots = [*_row_spots(position, front, _FRONT_DEPTH), *_row_spots(position, len(ships) - front, _BACK_DEPTH)]
            spots = [spot for number in range(front) for spot in spots[number::front]]
        case "columns":
            spots = _column_spots(position, len(ships))
        case _:
            spots = _echelon_spots(position, len(ships), left=name == "left")
    return {ship.id: _spot_place(position, side, ship, spot) for ship, spot in zip(ships, spots, strict=True)}


def entry_places(position: Position, side: str) -> Mapping[str, HexPose]:
    """The hex of the edge over which each ship comes in, in line (SQ-23.5)."""
    ships = ships_built_by(position, side)
    spots = _row_spots(position, len(ships), 0)
    return {
        ship.id: HexPose(
            grid.hex_at(_mirror_column(position, side, column), _row_from_edge(position, side, far)),
            facing_of_side(side),
        )
        for ship, (column, far) in zip(ships, spots, strict=True)
    }


def waiting_place(place: HexPose) -> HexPose:
    """Where a ship waits that comes in at a place: before it, beyond the edge."""
    return HexPose(grid.next_hex(place.bow, place.facing + 3), place.facing)


# --- by column from the left and hexes from the edge to the stern ---------------------------------------------------


def _row_spots(position: Position, count: int, far: int, *, step: int = 2) -> list[tuple[int, int]]:
    step = step if step * count <= position.width else 1
    first = (position.width - step * (count - 1) + 1) // 2
    return [(first + step * number, far) for number in range(count)]


def _column_spots(position: Position, count: int) -> list[tuple[int, int]]:
    """As many columns as are needed, the first ship of each ahead."""
    files = -(-count // _MAX_COLUMN_SHIPS)
    across = _row_spots(position, files, 0, step=3)
    return [
        (across[number // _MAX_COLUMN_SHIPS][0], MAX_DEPTH_HEXES - 1 - 2 * (number % _MAX_COLUMN_SHIPS))
        for number in range(count)
    ]


def _echelon_spots(position: Position, count: int, *, left: bool) -> list[tuple[int, int]]:
    """A line of which one wing lies ahead as far as may be, and the other at the edge."""
    spots = _row_spots(position, count, 0)
    most, last = MAX_DEPTH_HEXES - 2, max(1, count - 1)
    return [(column, most * (last - number if left else number) // last) for number, (column, _) in enumerate(spots)]


def _mirror_column(position: Position, side: str, column: int) -> int:
    """Red's left is on the right of the map."""
    return column if side == "B" else position.width + 1 - column


def _row_from_edge(position: Position, side: str, far: int) -> int:
    return position.height - far if side == "B" else far + 1


def _spot_place(position: Position, side: str, ship: Ship, spot: tuple[int, int]) -> HexPose:
    column, far = spot
    stern = grid.hex_at(_mirror_column(position, side, column), _row_from_edge(position, side, far))
    return HexPose(grid.next_hex(stern, facing_of_side(side)) if ship.size == 2 else stern, facing_of_side(side))


def formation_of(position: Position, side: str, places: Mapping[str, HexPose]) -> Formation | None:
    """The formation in which ships lie, if it is one of these."""
    return next((name for name in FORMATIONS if dict(formation_places(position, side, name)) == dict(places)), None)


def shift_places(places: Mapping[str, HexPose], ships: Sequence[str], way: int) -> dict[str, HexPose]:
    """The places with some ships one hex further in a direction."""
    return {
        name: HexPose(grid.next_hex(place.bow, way), place.facing) if name in ships else place
        for name, place in places.items()
    }


def turn_places(places: Mapping[str, HexPose], ships: Sequence[str], by: int) -> dict[str, HexPose]:
    """The places with some ships turned about their bows by sixths of a circle, clockwise."""
    return {
        name: HexPose(place.bow, (place.facing + by) % 6) if name in ships else place for name, place in places.items()
    }


def shift_along_edge(places: Mapping[str, HexPose], ships: Sequence[str], by: int) -> dict[str, HexPose]:
    """The places with some ships so many columns further along the edge."""
    found = dict(places)
    for name in ships:
        column, row = grid.column_and_row(places[name].bow)
        found[name] = HexPose(grid.hex_at(column + by, row), places[name].facing)
    return found
