"""Flat-top hexes in columns: neighbours, distances, and the hexes that a straight line crosses, in exact integers.

A hex has axial coordinates `(q, r)`. q is the column. r counts down the column and decreases by a half with each column
to the right. The third cube coordinate is -q - r. Either the odd or the even columns of a grid lie half a hex lower.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from math import lcm, sqrt
from typing import Final, Literal, NamedTuple

LowerColumns = Literal["odd", "even"]  # which columns, counted from 0, lie half a hex lower

_LABEL: Final = re.compile(r"([A-Z])([1-9][0-9]?)")


class Hex(NamedTuple):
    q: int  # number of the column, increasing to the right
    r: int  # position down the column, a half less with each column to the right


class HexLine(NamedTuple):
    """The hexes between two others, in order. Neither end is included."""

    crossed: tuple[Hex, ...]  # hexes whose interior the line between the centres crosses
    pairs: tuple[tuple[Hex, Hex], ...]  # pairs of hexes on both sides of an edge along which the line runs


DIRECTIONS: Final = (Hex(1, 0), Hex(1, -1), Hex(0, -1), Hex(-1, 0), Hex(-1, 1), Hex(0, 1))
"""Offsets to neighbours, counter-clockwise: south-east, north-east, north, north-west, south-west, south."""


def add_offset(a: Hex, b: Hex) -> Hex:
    return Hex(a.q + b.q, a.r + b.r)


@lru_cache(maxsize=4096)
def neighbours(here: Hex) -> tuple[Hex, ...]:
    return tuple(add_offset(here, step) for step in DIRECTIONS)


def hex_distance(a: Hex, b: Hex) -> int:
    """Return the number of steps from one hex to another."""
    dq, dr = a[0] - b[0], a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def hex_at(column: int, row: int, lower: LowerColumns) -> Hex:
    return Hex(column, row - _row_offset(column, lower))


def column_and_row(here: Hex, lower: LowerColumns) -> tuple[int, int]:
    return here.q, here.r + _row_offset(here.q, lower)


def parse_label(label: str, lower: LowerColumns) -> Hex:
    """Return the hex of a label such as `D5`, column letter and row from 1. Raises `ValueError`."""
    match = _LABEL.fullmatch(label)
    if not match:
        raise ValueError(f"no hex: {label!r}")
    return hex_at(ord(match[1]) - ord("A"), int(match[2]) - 1, lower)


def format_label(here: Hex, lower: LowerColumns) -> str:
    """Return the label of a hex. Raises `ValueError` outside columns A to Z or rows 1 to 99."""
    column, row = column_and_row(here, lower)
    if not (0 <= column < 26 and 0 <= row < 99):
        raise ValueError(f"no label: {here}")
    return f"{chr(ord('A') + column)}{row + 1}"


def hex_centre(here: Hex, size: float) -> tuple[float, float]:
    """Return the centre of a hex with edges of length `size`. y points down, and hex (0, 0) is at the origin."""
    return 1.5 * size * here.q, sqrt(3) * size * (here.r + here.q / 2)


def line_between(a: Hex, b: Hex) -> HexLine:
    """Return the hexes that the line between two centres runs through. Touching a corner does not count."""
    crossed, pairs = _line_of_offset(b.q - a.q, b.r - a.r)
    return HexLine(
        tuple(add_offset(a, between) for between in crossed),
        tuple((add_offset(a, between), add_offset(a, beside)) for between, beside in pairs),
    )


def _row_offset(column: int, lower: LowerColumns) -> int:
    return (column - column % 2) // 2 if lower == "odd" else (column + column % 2) // 2


@cache
def _line_of_offset(dq: int, dr: int) -> HexLine:
    """Return the hexes between (0, 0) and (dq, dr): those that the line crosses, and pairs that it runs between."""
    crossed: list[tuple[int, Hex]] = []  # hexes with twice the place of their middle along the line
    edges: dict[tuple[int, int], list[Hex]] = {}  # hexes that the line only runs along, by the span of that edge
    for q in range(min(0, dq) - 1, max(0, dq) + 2):
        for r in range(min(0, dr) - 1, max(0, dr) + 2):
            candidate = Hex(q, r)
            if candidate in {(0, 0), (dq, dr)}:
                continue
            inside, span = _span_in_hex(dq, dr, candidate)
            if span and inside:
                crossed.append((sum(span), candidate))
            elif span:
                edges.setdefault(span, []).append(candidate)
    pairs = [(span, candidate, other_hex) for span, (candidate, other_hex) in edges.items()]
    return HexLine(
        tuple(candidate for _, candidate in sorted(crossed)),
        tuple((candidate, other_hex) for _, candidate, other_hex in sorted(pairs)),
    )


def _span_in_hex(dq: int, dr: int, here: Hex) -> tuple[bool, tuple[int, int] | None]:
    """Return whether the line from (0, 0) to (dq, dr) runs inside a hex, not along its edge, and the part of it there.

    The part is given by its first and last point, as numbers of equal parts of the line; None: no common part.
    The line is divided into equal parts such that all bounds are whole numbers. A point is inside a hex if each
    difference of two cube coordinates is less than 1 from that of the hex's centre. Each difference is linear along the
    line.
    """
    ds, s = -dq - dr, -here.q - here.r
    rates = ((dq - dr, here.q - here.r), (dr - ds, here.r - s), (ds - dq, s - here.q))
    part_count = lcm(*(abs(rate) for rate, _ in rates if rate))
    low, high, inside = 0, part_count, True
    for rate, centre in rates:
        if rate:
            bounds = sorted(((centre - 1) * part_count // rate, (centre + 1) * part_count // rate))
            low, high = max(low, bounds[0]), min(high, bounds[1])
        elif abs(centre) == 1:
            inside = False
        elif abs(centre) > 1:
            return False, None
    return inside, (low, high) if low < high else None
