"""Suggested deployments: lines, columns, one wing ahead, or waiting beyond the edge to enter later (SQ-23.4).

Spots are laid out for the side at the lower edge, its left wing first. They are mirrored for the other side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.fleets import MAX_DEPTH_HEXES, facing_of_side, with_lines_abreast
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship

Formation = Literal["line", "close", "lines", "columns", "left", "right"]
"""A line abreast; a line without gaps; two lines; columns of at most four; the left or the right wing ahead."""
FORMATIONS: Final[tuple[Formation, ...]] = get_args(Formation)
_FRONT_DEPTH, _BACK_DEPTH = 6, 2
_MAX_COLUMN_SHIPS: Final = 4
"""Ships in a column. Each takes two hexes, so a longer column would leave the deployment zone."""


def ships_built_by(position: Position, side: str) -> tuple[Ship, ...]:
    """Return the ships that a side built, as it sees its line from left to right."""
    ships = tuple(ship for ship in position.ships if ship.builder == side)
    return ships if side == "B" else ships[::-1]


def formation_places(position: Position, side: str, name: Formation) -> Mapping[str, HexPose]:
    if name == "line":
        placed = with_lines_abreast(position, side)
        return {ship.id: ship.place for ship in placed.ships if ship.builder == side}
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
    """Return the edge hex over which each ship enters, in a line along the edge (SQ-23.5)."""
    ships = ships_built_by(position, side)
    spots = _row_spots(position, len(ships), 0)
    return {
        ship.id: HexPose(
            grid.hex_at(_mirror_column(position, side, column), _row_from_edge(position, side, depth)),
            facing_of_side(side),
        )
        for ship, (column, depth) in zip(ships, spots, strict=True)
    }


def waiting_place(place: HexPose) -> HexPose:
    return HexPose(grid.next_hex(place.bow, place.facing + 3), place.facing)


# --- by column from the left and hexes from the edge to the stern ---------------------------------------------------


def _row_spots(position: Position, count: int, depth: int, *, step: int = 2) -> list[tuple[int, int]]:
    step = step if step * count <= position.width else 1
    first = (position.width - step * (count - 1) + 1) // 2
    return [(first + step * number, depth) for number in range(count)]


def _column_spots(position: Position, count: int) -> list[tuple[int, int]]:
    files = -(-count // _MAX_COLUMN_SHIPS)
    across = _row_spots(position, files, 0, step=3)
    return [
        (across[number // _MAX_COLUMN_SHIPS][0], MAX_DEPTH_HEXES - 1 - 2 * (number % _MAX_COLUMN_SHIPS))
        for number in range(count)
    ]


def _echelon_spots(position: Position, count: int, *, left: bool) -> list[tuple[int, int]]:
    spots = _row_spots(position, count, 0)
    max_depth, last = MAX_DEPTH_HEXES - 2, max(1, count - 1)
    return [
        (column, max_depth * (last - number if left else number) // last) for number, (column, _) in enumerate(spots)
    ]


def _mirror_column(position: Position, side: str, column: int) -> int:
    return column if side == "B" else position.width + 1 - column


def _row_from_edge(position: Position, side: str, depth: int) -> int:
    return position.height - depth if side == "B" else depth + 1


def _spot_place(position: Position, side: str, ship: Ship, spot: tuple[int, int]) -> HexPose:
    column, depth = spot
    stern = grid.hex_at(_mirror_column(position, side, column), _row_from_edge(position, side, depth))
    return HexPose(grid.next_hex(stern, facing_of_side(side)) if ship.size == 2 else stern, facing_of_side(side))


def formation_of(position: Position, side: str, places: Mapping[str, HexPose]) -> Formation | None:
    return next((name for name in FORMATIONS if dict(formation_places(position, side, name)) == dict(places)), None)


def shift_places(places: Mapping[str, HexPose], ships: Sequence[str], way: int) -> dict[str, HexPose]:
    return {
        name: HexPose(grid.next_hex(place.bow, way), place.facing) if name in ships else place
        for name, place in places.items()
    }


def turn_places(places: Mapping[str, HexPose], ships: Sequence[str], by: int) -> dict[str, HexPose]:
    return {
        name: HexPose(place.bow, (place.facing + by) % 6) if name in ships else place for name, place in places.items()
    }


def shift_along_edge(places: Mapping[str, HexPose], ships: Sequence[str], by: int) -> dict[str, HexPose]:
    shifted = dict(places)
    for name in ships:
        column, row = grid.column_and_row(places[name].bow)
        shifted[name] = HexPose(grid.hex_at(column + by, row), places[name].facing)
    return shifted
