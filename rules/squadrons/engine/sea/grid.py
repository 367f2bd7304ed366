"""The hex grid as fleets use it: labels, directions, the hexes of ships and the hexes next to them (SQ-04).

A hex is a `rules.geometry.hexes.Hex`. Its label is its column and row, both from 1, such as `2319`. Even columns
stand half a hex higher. Directions and facings are numbers from 0 (north), clockwise.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from rules.geometry import hexes
from rules.geometry.hexes import Hex, LowerColumns

FACING_NAMES: Final = ("N", "NE", "SE", "S", "SW", "NW")
LOWER_COLUMNS: Final[LowerColumns] = "even"  # columns whose index, counted from 0, is even stand lower (SQ-04.1)

_DIRECTION_STEPS: Final = (Hex(0, -1), Hex(1, -1), Hex(1, 0), Hex(0, 1), Hex(-1, 1), Hex(-1, 0))  # by direction
_PLACE_PATTERN: Final = re.compile("([0-9]{2})([0-9]{2})(N|NE|SE|S|SW|NW)")  # `1512N`


class HexPose(NamedTuple):
    """The hex of a ship's bow, and her facing (SQ-04.2)."""

    bow: Hex
    facing: int  # 0 north, clockwise to 5

    def __str__(self) -> str:
        return f"{hex_label(self.bow)}{FACING_NAMES[self.facing]}"

    @property
    def hex_ahead(self) -> Hex:
        return next_hex(self.bow, self.facing)

    def stern_hex(self, size: int) -> Hex:
        return next_hex(self.bow, self.facing + 3) if size == 2 else self.bow

    def covered_hexes(self, size: int) -> tuple[Hex, ...]:
        return (self.bow, next_hex(self.bow, self.facing + 3)) if size == 2 else (self.bow,)


class AdjacentHexes(NamedTuple):
    """The hexes next to a ship (SQ-04.1). A ship of one hex has no midship hexes. Pairs are port, starboard."""

    bow: Hex  # ahead of her bow
    stern: Hex  # behind her stern
    bow_flanks: tuple[Hex, Hex]
    stern_flanks: tuple[Hex, Hex]
    midships: tuple[Hex, ...]  # beside her middle

    @property
    def all_flanks(self) -> tuple[Hex, ...]:
        return (*self.bow_flanks, *self.midships, *self.stern_flanks)

    @property
    def all_neighbours(self) -> tuple[Hex, ...]:
        return (self.bow, *self.all_flanks, self.stern)


def next_hex(here: Hex, direction: int) -> Hex:
    return neighbours(here)[direction % 6]


def direction_to(here: Hex, there: Hex) -> int | None:
    """Return the direction from a hex to an adjacent one; None if they are not adjacent."""
    try:
        return _DIRECTION_STEPS.index(Hex(there[0] - here[0], there[1] - here[1]))
    except ValueError:
        return None


@lru_cache(maxsize=8192)
def neighbours(here: Hex) -> tuple[Hex, ...]:
    q, r = here
    return tuple(Hex(q + dq, r + dr) for dq, dr in _DIRECTION_STEPS)


def hex_at(column: int, row: int) -> Hex:
    return hexes.hex_at(column - 1, row - 1, LOWER_COLUMNS)


def column_and_row(here: Hex) -> tuple[int, int]:
    column, row = hexes.column_and_row(here, LOWER_COLUMNS)
    return column + 1, row + 1


@lru_cache(maxsize=8192)
def hex_label(here: Hex) -> str:
    column, row = column_and_row(here)
    return f"{column:02}{row:02}"


def parse_hex(text: str) -> Hex:
    """Parse a label such as `2319`. Raises `ValueError`."""
    if not re.fullmatch("[0-9]{4}", text):
        raise ValueError(f"no hex: {text!r}")
    return hex_at(int(text[:2]), int(text[2:]))


def parse_place(text: str) -> HexPose:
    """Parse a place such as `1512N`. Raises `ValueError`."""
    match = _PLACE_PATTERN.fullmatch(text)
    if not match:
        raise ValueError(f"no place: {text!r}")
    return HexPose(hex_at(int(match[1]), int(match[2])), FACING_NAMES.index(match[3]))


def hex_distance(a: tuple[Hex, ...], b: tuple[Hex, ...]) -> int:  # SQ-04.1
    return min([hexes.hex_distance(hex_a, hex_b) for hex_a in a for hex_b in b])


@lru_cache(maxsize=16384)
def adjacent_hexes(bow: Hex, facing: int, size: int) -> AdjacentHexes:  # SQ-04.1
    stern = next_hex(bow, facing + 3) if size == 2 else bow
    return AdjacentHexes(
        bow=next_hex(bow, facing),
        stern=next_hex(stern, facing + 3),
        bow_flanks=(next_hex(bow, facing - 1), next_hex(bow, facing + 1)),
        stern_flanks=(next_hex(stern, facing - 2), next_hex(stern, facing + 2)),
        midships=(next_hex(bow, facing - 2), next_hex(bow, facing + 2)) if size == 2 else (),
    )


def flank_hexsides(bow: Hex, facing: int, size: int) -> frozenset[tuple[Hex, Hex]]:  # SQ-04.1
    """Return the hexsides of a ship's flanks, each as a hex of the ship and the hex outside."""
    around = set(adjacent_hexes(bow, facing, size).all_flanks)
    own = HexPose(bow, facing).covered_hexes(size)
    return frozenset((here, there) for here in own for there in neighbours(here) if there in around)
