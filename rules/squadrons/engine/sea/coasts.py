"""Land on the map, if an option asks for it (opt.land). The layouts are ours, not the rule book's (H).

The land looks the same from both sides. None lies in a deployment zone or next to a ship of a historical battle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, get_args

from rules.geometry.hexes import Hex
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.fleets import MAX_DEPTH_HEXES
from rules.squadrons.engine.sea.state import Position

Coast = Literal["none", "isles", "strait"]
COASTS: Final[tuple[Coast, ...]] = get_args(Coast)
_STRAIT_DIVISOR: Final = 8
_ISLES_DIVISOR: Final = 4


def land_hexes(position: Position, coast: Coast) -> tuple[Hex, ...]:
    near = {there for here in position.ships_by_hex for there in (here, *grid.neighbours(here))}
    candidates = {here for each in _half_of_land(position, coast) for here in (each, opposite_hex(position, each))}
    return tuple(sorted(here for here in candidates - near if _is_free_for_land(position, here)))


def _half_of_land(position: Position, coast: Coast) -> Iterator[Hex]:
    middle = (position.height + 1) // 2
    if coast == "isles":
        heart = grid.hex_at(max(2, position.width // _ISLES_DIVISOR), middle)
        yield from (heart, *grid.neighbours(heart))
    if coast == "strait":
        for column in range(1, position.width // _STRAIT_DIVISOR + 1):
            # the shore is farthest out in the middle
            reach = position.width // _STRAIT_DIVISOR - column + 1
            yield from (grid.hex_at(column, row) for row in range(middle - reach, middle + reach + 1))


def opposite_hex(position: Position, here: Hex) -> Hex:
    column, row = grid.column_and_row(here)
    return grid.hex_at(position.width + 1 - column, position.height + 1 - row)


def _is_free_for_land(position: Position, here: Hex) -> bool:
    column, row = grid.column_and_row(here)
    on_map = 1 <= column <= position.width and 1 <= row <= position.height
    return on_map and position.height - row > MAX_DEPTH_HEXES and row - 1 > MAX_DEPTH_HEXES
