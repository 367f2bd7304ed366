"""A map of hexes: where each lies on a picture, and how much of the map is seen.

Lengths are in edges of a hex, so that neighbours' centres are √3 apart; x points east, y north, and the centre of the
first hex of the first column lies at the origin. A canvas's scale is then the pixels of an edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from math import ceil, floor, sqrt
from typing import Final

from PIL import Image

from render.drawing.canvas import Canvas, Point, Rect
from rules.geometry import hexes
from rules.geometry.hexes import Hex, LowerColumns

HEX_HEIGHT: Final = sqrt(3)
"""From one flat side of a hex to the other."""
HEX_CORNERS: Final = (
    (1.0, 0.0),
    (0.5, HEX_HEIGHT / 2),
    (-0.5, HEX_HEIGHT / 2),
    (-1.0, 0.0),
    (-0.5, -HEX_HEIGHT / 2),
    (0.5, -HEX_HEIGHT / 2),
)
"""Of a hex about the origin."""


@dataclass(frozen=True)
class HexGrid:
    """Flat-top hexes in columns, and which of them are land."""

    columns: int
    rows: tuple[int, int]
    """Of even columns, counted from 0, and of odd ones."""
    lower: LowerColumns
    land: frozenset[Hex] = frozenset()

    @cached_property
    def hexes(self) -> tuple[Hex, ...]:
        """All hexes, column by column."""
        return tuple(
            hexes.hex_at(column, row, self.lower)
            for column in range(self.columns)
            for row in range(self.rows[column % 2])
        )

    def label(self, here: Hex) -> str:
        """A hex's name: its letter and number."""
        return hexes.format_label(here, self.lower)

    @cached_property
    def bounds(self) -> Rect:
        """West, south, east and north of all hexes."""
        return bounds_around(map(hex_centre, self.hexes))

    @cached_property
    def whole_window(self) -> Rect:
        """The same with a narrow margin: the window that shows all of the map."""
        return bounds_around(map(hex_centre, self.hexes), 0.12)

    @cached_property
    def inner_bounds(self) -> Rect:
        """West, south, east and north of what lies between the edges' deepest notches: nothing but hexes."""
        west, south, east, north = self.bounds
        return west + 0.5, south + HEX_HEIGHT / 2, east - 0.5, north - HEX_HEIGHT / 2

    def is_filled_by_hexes(self, window: Rect) -> bool:
        """Whether a window shows nothing but hexes."""
        west, south, east, north = self.inner_bounds
        return window[0] >= west and window[1] >= south and window[2] <= east and window[3] <= north


@cache
def hex_centre(here: Hex) -> Point:
    """The middle of a hex."""
    x, y = hexes.hex_centre(here, 1.0)
    return x, -y


def hex_outline(here: Hex, part: float = 1.0) -> tuple[Point, ...]:
    """The corners of a hex, or of one so many times as large about the same middle."""
    x, y = hex_centre(here)
    return tuple((x + part * dx, y + part * dy) for dx, dy in HEX_CORNERS)


def bounds_around(middles: Iterable[Point], spare: float = 0.0) -> Rect:
    """West, south, east and north of hexes about these middles, and so much more on all sides."""
    points = list(middles)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    high = HEX_HEIGHT / 2 + spare
    return min(xs) - 1 - spare, min(ys) - high, max(xs) + 1 + spare, max(ys) + high


def fit_window(
    grid: HexGrid, seen: Iterable[Hex], *, least: float, flattest: float, tallest: float, step: float = 0.0
) -> Rect:
    """The part of a map that shows these hexes (none: all of them), no narrower than so many edges.

    Its height is between two parts of its width. It does not go beyond the map where it need not. With a step its
    edges lie at multiples of it, unless they are the map's: so neighbouring parts have the same window.
    """
    whole = grid.whole_window
    wanted = list(seen)
    if not wanted:
        return whole
    west, south, east, north = bounds_around(map(hex_centre, wanted), 0.9)
    if step:
        west, south, east, north = floor(west / step), floor(south / step), ceil(east / step), ceil(north / step)
        west, south, east, north = west * step, south * step, east * step, north * step
    widest, highest = whole[2] - whole[0], whole[3] - whole[1]
    wide = min(max(east - west, least, (north - south) / tallest), widest)
    high = max(north - south, wide * flattest)
    if high >= highest:
        return whole
    left = min(max((west + east - wide) / 2, whole[0]), whole[2] - wide)
    low = min(max((south + north - high) / 2, whole[1]), whole[3] - high)
    return round(left, 2), round(low, 2), round(left + wide, 2), round(low + high, 2)


class HexCanvas(Canvas):
    """An image that shows a window of a map of hexes."""

    def __init__(self, ground: Image.Image, window: Rect, full_width: int) -> None:
        super().__init__(ground, window, full_width)

    def hex_pixel(self, here: Hex, dx: float = 0.0, dy: float = 0.0) -> Point:
        """The pixel of a hex's middle, or of a point so many edges right of and below it."""
        x, y = hex_centre(here)
        return self.to_pixels((x + dx, y - dy))

    def hex_corners(self, here: Hex, part: float = 1.0) -> list[Point]:
        """The corners of a hex in pixels, or of one so many times as large."""
        return [self.to_pixels(point) for point in hex_outline(here, part)]

    def is_in_window(self, here: Hex) -> bool:
        """Whether a hex's middle is within the window."""
        (x, y), (west, south, east, north) = hex_centre(here), self.window
        return west < x < east and south < y < north
