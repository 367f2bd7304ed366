"""Hexes as fleets use them: labels, directions, the hexes of ships and what lies beside them (SQ section 4).

A hex is that of `rules.geometry.hexes`; its label is its column and row, from 1, as `2319`. Columns of even number
stand half a hex higher. Directions and facings are numbers, 0 north, clockwise.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rules.geometry import hexes
from rules.geometry.hexes import Hex, LowerColumns

Facing = Literal[0, 1, 2, 3, 4, 5]
FACING_NAMES: Final = ("N", "NE", "SE", "S", "SW", "NW")
"""By number."""
LOWER_COLUMNS: Final[LowerColumns] = "even"
"""Counted from 0, columns of even number stand lower (4.1)."""

_DIRECTION_STEPS: Final = (Hex(0, -1), Hex(1, -1), Hex(1, 0), Hex(0, 1), Hex(-1, 1), Hex(-1, 0))
_PLACE_PATTERN: Final = re.compile("([0-9]{2})([0-9]{2})(N|NE|SE|S|SW|NW)")


class HexPose(NamedTuple):
    """Where a ship's bow is, and where she faces (SQ-04.2)."""

    bow: Hex
    facing: int

    def __str__(self) -> str:
        """As events and cases write it: `1512N`."""
        return f"{hex_label(self.bow)}{FACING_NAMES[self.facing]}"

    @property
    def hex_ahead(self) -> Hex:
        """The hex before the bow."""
        return next_hex(self.bow, self.facing)

    def stern_hex(self, size: int) -> Hex:
        """The sternmost hex of a ship of this size."""
        return next_hex(self.bow, self.facing + 3) if size == 2 else self.bow

    def covered_hexes(self, size: int) -> tuple[Hex, ...]:
        """The hexes of a ship of this size, the bow first."""
        return (self.bow, next_hex(self.bow, self.facing + 3)) if size == 2 else (self.bow,)


class AdjacentHexes(NamedTuple):
    """The hexes beside a ship, by name (4.2). A ship of one hex has no midship hexes."""

    bow: Hex
    stern: Hex
    bow_flanks: tuple[Hex, Hex]
    """Port, starboard; so are the others."""
    stern_flanks: tuple[Hex, Hex]
    midships: tuple[Hex, ...]

    @property
    def all_flanks(self) -> tuple[Hex, ...]:
        """All flank hexes."""
        return (*self.bow_flanks, *self.midships, *self.stern_flanks)

    @property
    def all_neighbours(self) -> tuple[Hex, ...]:
        """All neighbours."""
        return (self.bow, *self.all_flanks, self.stern)


def next_hex(here: Hex, direction: int) -> Hex:
    """Go one hex in a direction; any number is one, by what it leaves over six."""
    return neighbours(here)[direction % 6]


def direction_to(here: Hex, there: Hex) -> int | None:
    """The direction from a hex to one beside it; None if it is not beside it."""
    try:
        return _DIRECTION_STEPS.index(Hex(there[0] - here[0], there[1] - here[1]))
    except ValueError:
        return None


@lru_cache(maxsize=8192)
def neighbours(here: Hex) -> tuple[Hex, ...]:
    """The six hexes beside one, from the north clockwise."""
    q, r = here
    return tuple(Hex(q + dq, r + dr) for dq, dr in _DIRECTION_STEPS)


def hex_at(column: int, row: int) -> Hex:
    """The hex of a column and a row, both from 1."""
    return hexes.hex_at(column - 1, row - 1, LOWER_COLUMNS)


def column_and_row(here: Hex) -> tuple[int, int]:
    """The column and row of a hex, both from 1."""
    column, row = hexes.column_and_row(here, LOWER_COLUMNS)
    return column + 1, row + 1


@lru_cache(maxsize=8192)
def hex_label(here: Hex) -> str:
    """A hex as text, such as `2319`; a hex off the largest map by its bare numbers."""
    column, row = column_and_row(here)
    return f"{column:02}{row:02}"


def parse_hex(text: str) -> Hex:
    """The hex of a label such as `2319`. Raises `ValueError`."""
    if not re.fullmatch("[0-9]{4}", text):
        raise ValueError(f"no hex: {text!r}")
    return hex_at(int(text[:2]), int(text[2:]))


def parse_place(text: str) -> HexPose:
    """The place of a text such as `1512N`. Raises `ValueError`."""
    found = _PLACE_PATTERN.fullmatch(text)
    if not found:
        raise ValueError(f"no place: {text!r}")
    return HexPose(hex_at(int(found[1]), int(found[2])), FACING_NAMES.index(found[3]))


def hex_distance(a: tuple[Hex, ...], b: tuple[Hex, ...]) -> int:
    """The least distance between two ships, by their hexes (4.1)."""
    return min([hexes.hex_distance(one, other) for one in a for other in b])


@lru_cache(maxsize=16384)
def adjacent_hexes(bow: Hex, facing: int, size: int) -> AdjacentHexes:
    """The hexes beside a ship, by name (4.2; SQ-04.1)."""
    stern = next_hex(bow, facing + 3) if size == 2 else bow
    return AdjacentHexes(
        bow=next_hex(bow, facing),
        stern=next_hex(stern, facing + 3),
        bow_flanks=(next_hex(bow, facing - 1), next_hex(bow, facing + 1)),
        stern_flanks=(next_hex(stern, facing - 2), next_hex(stern, facing + 2)),
        midships=(next_hex(bow, facing - 2), next_hex(bow, facing + 2)) if size == 2 else (),
    )


def flank_hexsides(bow: Hex, facing: int, size: int) -> frozenset[tuple[Hex, Hex]]:
    """The flank hexsides of a ship: her hex, and the hex across (4.2)."""
    around = set(adjacent_hexes(bow, facing, size).all_flanks)
    own = HexPose(bow, facing).covered_hexes(size)
    return frozenset((here, there) for here in own for there in neighbours(here) if there in around)
