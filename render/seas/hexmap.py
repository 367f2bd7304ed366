"""A map of hexes: where each hex lies in a picture, and how much of the map is visible.

Lengths are in edges of a hex, so that the centres of neighbours are √3 apart. x points east, y north. The centre of the
first hex of the first column is the origin. The scale of a canvas is pixels for each edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt
from typing import Final

from PIL import Image

from render.drawing.canvas import Canvas, Point, Rect
from render.drawing.viewport import bounds_of
from rules.geometry import hexes
from rules.geometry.hexes import Hex, LowerColumns

HEX_HEIGHT: Final = sqrt(3)
HEX_CORNERS: Final = (
    (1.0, 0.0),
    (0.5, HEX_HEIGHT / 2),
    (-0.5, HEX_HEIGHT / 2),
    (-1.0, 0.0),
    (-0.5, -HEX_HEIGHT / 2),
    (0.5, -HEX_HEIGHT / 2),
)


@dataclass(frozen=True)
class HexGrid:
    columns: int
    rows: tuple[int, int]
    """Rows of even columns (counted from 0) and of odd ones."""
    lower: LowerColumns
    land: frozenset[Hex] = frozenset()
    has_letters: bool = True
    """Whether columns are named by letters, as `C12`, or by numbers, as `0312`."""

    @cached_property
    def hexes(self) -> tuple[Hex, ...]:
        return tuple(
            hexes.hex_at(column, row, self.lower)
            for column in range(self.columns)
            for row in range(self.rows[column % 2])
        )

    def name_parts(self, here: Hex) -> tuple[str, str]:
        """Return the names of a hex's column and row, which together are the hex's name."""
        column, row = hexes.column_and_row(here, self.lower)
        return (chr(65 + column), str(row + 1)) if self.has_letters else (f"{column + 1:02}", f"{row + 1:02}")

    @cached_property
    def bounds(self) -> Rect:
        return hexes_box(self.hexes)

    @cached_property
    def whole_window(self) -> Rect:
        west, south, east, north = self.bounds
        return west - 0.12, south - 0.12, east + 0.12, north + 0.12

    @cached_property
    def inner_bounds(self) -> Rect:
        """Return the largest box (west, south, east, north) that contains nothing outside the hexes."""
        west, south, east, north = self.bounds
        return west + 0.5, south + HEX_HEIGHT / 2, east - 0.5, north - HEX_HEIGHT / 2

    def is_filled_by_hexes(self, window: Rect) -> bool:
        west, south, east, north = self.inner_bounds
        return window[0] >= west and window[1] >= south and window[2] <= east and window[3] <= north


@cache
def hex_centre(here: Hex) -> Point:
    x, y = hexes.hex_centre(here, 1.0)
    return x, -y


def hex_outline(here: Hex, part: float = 1.0) -> tuple[Point, ...]:
    """Return the corners of a hex, scaled by `part` around its centre."""
    x, y = hex_centre(here)
    return tuple((x + part * dx, y + part * dy) for dx, dy in HEX_CORNERS)


def hexes_box(covered: Iterable[Hex]) -> Rect:
    """Return west, south, east and north of hexes."""
    west, south, east, north = bounds_of(map(hex_centre, covered))
    return west - 1, south - HEX_HEIGHT / 2, east + 1, north + HEX_HEIGHT / 2


class HexCanvas(Canvas):
    def __init__(self, ground: Image.Image, window: Rect, full_width: int) -> None:
        super().__init__(ground, window, full_width)

    def hex_pixel(self, here: Hex, dx: float = 0.0, dy: float = 0.0) -> Point:
        """Return the pixel of a point that lies `dx` edges right of and `dy` below a hex's centre."""
        x, y = hex_centre(here)
        return self.to_pixels((x + dx, y - dy))

    def hex_corners(self, here: Hex, part: float = 1.0) -> list[Point]:
        return [self.to_pixels(point) for point in hex_outline(here, part)]

    def is_in_window(self, here: Hex) -> bool:
        (x, y), (west, south, east, north) = hex_centre(here), self.window
        return west < x < east and south < y < north
