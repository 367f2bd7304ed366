"""Land on the map, where an option asks for it: the same as seen from either side (opt.land; its places are ours, H).

No land lies where fleets may be placed, nor beside a ship of a named battle.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal, get_args

from rules.hexes import Hex
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.fleets import DEEP
from rules.squadrons.table.sea.state import Position

Coast = Literal["none", "isles", "strait"]
COASTS: Final[tuple[Coast, ...]] = get_args(Coast)
_STRAIT: Final = 8
"""The part of the map's width that each shore of a strait takes: one of so many."""
_ISLES: Final = 4
"""Isles lie a quarter of the map's width from its sides."""


def land(position: Position, coast: Coast) -> tuple[Hex, ...]:
    """The hexes of land, in order."""
    near = {there for here in position.occupied for there in (here, *grid.neighbours(here))}
    found = {here for each in _half(position, coast) for here in (each, turned(position, each))}
    return tuple(sorted(here for here in found - near if _free(position, here)))


def _half(position: Position, coast: Coast) -> Iterator[Hex]:
    """One of the two pieces; the other is the same, turned by half a circle."""
    middle = (position.height + 1) // 2
    if coast == "isles":
        heart = grid.at(max(2, position.width // _ISLES), middle)
        yield from (heart, *grid.neighbours(heart))
    if coast == "strait":
        for column in range(1, position.width // _STRAIT + 1):
            # the shore is farthest out in the middle
            reach = position.width // _STRAIT - column + 1
            yield from (grid.at(column, row) for row in range(middle - reach, middle + reach + 1))


def turned(position: Position, here: Hex) -> Hex:
    """The hex on the other side of the map's middle; the map has an even number of columns."""
    column, row = grid.column_and_row(here)
    return grid.at(position.width + 1 - column, position.height + 1 - row)


def _free(position: Position, here: Hex) -> bool:
    """Whether no fleet may be placed there."""
    column, row = grid.column_and_row(here)
    on_map = 1 <= column <= position.width and 1 <= row <= position.height
    return on_map and position.height - row > DEEP and row - 1 > DEEP
