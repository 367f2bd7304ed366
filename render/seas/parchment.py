"""An old sea chart: parchment, tinted water, hatched coasts, hexes, and an edge with letters and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from math import ceil, floor
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.drawing.canvas import Point, Rect
from render.drawing.style import FULL_WIDTH, Colour
from render.seas.hexmap import (
    HEX_HEIGHT,
    LETTER_PX,
    EdgeStyle,
    HexGrid,
    hex_centre,
    hex_outline,
    mask_lines,
    write_hex_names,
)
from render.seas.swell import Patch, pave_image, separate_patches
from rules.geometry.hexes import Hex

PAPER: Final[Colour] = (226, 207, 166)
_BORDER_COLOUR: Final[Colour] = (210, 192, 154)
SEA: Final[Colour] = (128, 166, 166)
LAND: Final[Colour] = (205, 180, 118)
INK: Final[Colour] = (58, 38, 24)
MARGIN_PX: Final = 50
NAME_OFFSET: Final = 0.06
"""Distance from the upper side of a hex down to its name, in edges of a hex."""
_TILE_SIZE: Final = (1024, 1024)
_TINT_OPACITY: Final = 0.93
_LINE_OPACITY: Final = 0.34
_LAND_LINE_OPACITY: Final = 0.18
_SHORE_WIDTH: Final = 0.2
_HATCHING_WIDTH: Final = 0.42


def _level_table(shape: Callable[[float], float]) -> list[int]:
    return [round(255 * min(1.0, max(0.0, shape(level / 255)))) for level in range(256)]


_RAGGED_LEVELS: Final = _level_table(lambda level: 0.24 * level)
_WAVY_LEVELS: Final = _level_table(lambda level: 0.1 * level)
_STROKE_LEVELS: Final = _level_table(lambda level: _TINT_OPACITY * min(0.62, (level - 0.1) * 3.2))
_FAINTER_LEVELS: Final = _level_table(lambda level: 1.0 - (1 - _LAND_LINE_OPACITY / _LINE_OPACITY) * level)


@lru_cache(maxsize=8)
def _shore_levels(scale: float) -> tuple[list[int], list[int]]:
    steep = 0.23 * scale
    land = _level_table(lambda level: (level - 0.47) * steep)
    return land, _level_table(lambda level: 0.9 - 0.9 * abs(level - 0.47) * steep * 1.4)


@lru_cache(maxsize=1)
def _noise_tile() -> Image.Image:
    rng = np.random.default_rng(1588)
    out = np.zeros(_TILE_SIZE[::-1], dtype=np.float32)
    for cells, strength in ((5, 0.5), (14, 0.3), (60, 0.18), (400, 0.1)):
        coarse = rng.standard_normal((cells, cells)).astype(np.float32)
        layer = np.asarray(Image.fromarray(coarse).resize(_TILE_SIZE, Image.Resampling.BICUBIC), dtype=np.float32)
        out += layer * (strength / float(layer.std()) * 0.5)
    levels = (np.clip(out, -1.0, 1.0) * 127.0 + 128.0).astype(np.uint8)
    width = np.concatenate((levels, levels[:, ::-1]), axis=1)
    return Image.fromarray(np.concatenate((width, width[::-1]), axis=0))


class _ChartPart(NamedTuple):
    """A rectangle of a chart's image: `corner` and `size` are in pixels, `map_corner` is its place on the map.

    Methods that return parts are called on the part that is the whole image.
    """

    corner: tuple[int, int]
    size: tuple[int, int]
    map_corner: Point
    scale: float

    def cut_to(self, patch: Patch) -> _ChartPart:
        left, top, right, low = patch
        spot = (self.map_corner[0] + left / self.scale, self.map_corner[1] - top / self.scale)
        return _ChartPart((left, top), (right - left, low - top), spot, self.scale)

    def parts_about(self, shown_hexes: Iterable[Hex], spare: float) -> list[_ChartPart]:
        """Return disjoint parts that show these hexes and `spare` edges around them."""
        boxes = []
        for here in shown_hexes:
            x, y = self.to_pixels(hex_centre(here), self.scale)
            width, height = (1 + spare) * self.scale + 1, (HEX_HEIGHT / 2 + spare) * self.scale + 1
            boxes.append((floor(x - width), floor(y - height), ceil(x + width), ceil(y + height)))
        return [self.cut_to(patch) for patch in separate_patches(boxes, self.size)]

    def to_pixels(self, point: Point, scale: float) -> Point:
        """Return a point of the map in pixels of a picture of this part with `scale` pixels for each edge."""
        return (point[0] - self.map_corner[0]) * scale, (self.map_corner[1] - point[1]) * scale

    def hex_corners(self, here: Hex, part: float, scale: float) -> list[Point]:
        return [self.to_pixels(point, scale) for point in hex_outline(here, part)]

    def visible_hexes(self, candidates: Iterable[Hex]) -> Iterator[Hex]:
        """Yield the hexes that may be visible in this part, or lie near its edge."""
        near = 2.2 * self.scale
        for here in candidates:
            x, y = self.to_pixels(hex_centre(here), self.scale)
            if -near < x < self.size[0] + near and -near < y < self.size[1] + near:
                yield here

    def parts_outside(self, inner: Rect) -> list[_ChartPart]:
        """Return the parts outside a box of the map."""
        (width, height), (left, top) = self.size, self.to_pixels((inner[0], inner[3]), self.scale)
        right, low = self.to_pixels((inner[2], inner[1]), self.scale)
        west, east = min(width, max(0, ceil(left))), min(width, max(0, floor(right)))
        north, south = min(height, max(0, ceil(top))), min(height, max(0, floor(low)))
        strips = ((0, 0, width, north), (0, south, width, height), (0, north, west, south), (east, north, width, south))
        return [self.cut_to(strip) for strip in strips if strip[0] < strip[2] and strip[1] < strip[3]]


def _part_noise(part: _ChartPart, shift: int) -> Image.Image:
    return pave_image(_noise_tile(), part.size, (part.corner[0] + shift, part.corner[1] + shift))


def _dyed_sheet(colour: Colour, rough: float, part: _ChartPart, shift: int) -> Image.Image:
    noise = _part_noise(part, shift)
    shades = [(1.0 + rough * (level - 128) / 127) for level in range(256)]
    return Image.merge("RGB", [noise.point([min(255, round(level * shade)) for shade in shades]) for level in colour])


@lru_cache(maxsize=1)
def _land_tile() -> Image.Image:
    return _dyed_sheet(LAND, 0.09, _ChartPart((0, 0), _noise_tile().size, (0.0, 0.0), 1.0), 0)


@lru_cache(maxsize=1)
def _sea_tile() -> Image.Image:
    whole = _ChartPart((0, 0), _noise_tile().size, (0.0, 0.0), 1.0)
    return Image.blend(_dyed_sheet(PAPER, 0.05, whole, 0), _dyed_sheet(SEA, 0.06, whole, 97), _TINT_OPACITY)


@lru_cache(maxsize=8)
def draw_sheet(size: tuple[int, int], window: Rect, grid: HexGrid, full_width: int) -> Image.Image:
    """Draw the bare chart in a window, as an image of a size in pixels. Copy the result before drawing on it."""
    whole = _ChartPart((0, 0), size, (window[0], window[3]), size[0] / (window[2] - window[0]))
    image, lines = pave_image(_sea_tile(), size), mask_lines(size, window, grid, _LINE_OPACITY, 0.035)
    for part in whole.parts_about(grid.land, 2 * _HATCHING_WIDTH):
        image.paste(INK, part.corner, _hatching_image(part, grid))
    for part in whole.parts_outside(grid.inner_bounds):
        blank = ImageChops.invert(_hex_mask(part, grid.hexes, 1.03, 0.04))
        image.paste(_dyed_sheet(PAPER, 0.05, part, 0), part.corner, blank)
    for part in whole.parts_about(grid.land, 1.5 * _SHORE_WIDTH):
        _draw_land(image, lines, part, grid)
    image.paste(INK, None, lines)
    _draw_hills(image, whole, grid)
    letter = name_letter_px(whole.scale, full_width / FULL_WIDTH)
    below = NAME_OFFSET + 0.42 * letter / whole.scale
    write_hex_names(image, window, grid, size=letter, ink=INK, level=185, below_top=below)
    return image


def _draw_land(image: Image.Image, lines: Image.Image, part: _ChartPart, grid: HexGrid) -> None:
    ragged = _part_noise(part, 311).point(_RAGGED_LEVELS)
    shore = ImageChops.add(_hex_mask(part, grid.land, 1.0, _SHORE_WIDTH), ragged, 1, -31)
    inside, edge = _shore_levels(part.scale)
    land = shore.point(inside)
    image.paste(pave_image(_land_tile(), part.size, part.corner), part.corner, land)
    image.paste(INK, part.corner, shore.point(edge))
    (left, top), (width, height) = part.corner, part.size
    here = (left, top, left + width, top + height)
    lines.paste(ImageChops.multiply(lines.crop(here), land.point(_FAINTER_LEVELS)), here)


def _hex_mask(part: _ChartPart, hexes_to_fill: Iterable[Hex], large: float, blur: float) -> Image.Image:
    """Return a mask of hexes scaled by `large`, with edges blurred over `blur` edges of a hex."""
    # A strongly blurred mask needs no full resolution.
    coarse = 4 if blur * part.scale > 12 else 1
    small = (ceil(part.size[0] / coarse), ceil(part.size[1] / coarse))
    mask = Image.new("L", small)
    draw = ImageDraw.Draw(mask)
    scale = part.scale / coarse
    for here in part.visible_hexes(hexes_to_fill):
        draw.polygon(part.hex_corners(here, large, scale), fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(blur * scale))
    box = (0, 0, part.size[0] / coarse, part.size[1] / coarse)
    return mask if coarse == 1 else mask.resize(part.size, Image.Resampling.BICUBIC, box=box)


def _hatching_image(part: _ChartPart, grid: HexGrid) -> Image.Image:
    wavy = _part_noise(part, 501).point(_WAVY_LEVELS)
    near = ImageChops.add(_hex_mask(part, grid.land, 1.0, _HATCHING_WIDTH), wavy, 1, -13)
    near = near.point(_STROKE_LEVELS)
    pitch = max(3.0, 0.13 * part.scale)
    strokes = Image.new("L", part.size)
    draw = ImageDraw.Draw(strokes)
    above, thickness = part.corner[1], max(1, round(0.3 * pitch))
    for number in range(floor(above / pitch) - 1, ceil((above + part.size[1]) / pitch)):
        top = round(number * pitch) - above
        draw.rectangle((0, top, part.size[0], top + thickness - 1), fill=255)
    return ImageChops.multiply(near, strokes)


def _draw_hills(image: Image.Image, part: _ChartPart, grid: HexGrid) -> None:
    draw, scale = ImageDraw.Draw(image), part.scale
    thickness = max(1, round(0.045 * scale))
    for here in part.visible_hexes(sorted(grid.land)):
        across, down = part.to_pixels(hex_centre(here), scale)
        sway = 0.12 * ((here.q * 7 + here.r * 3) % 5 - 2)
        for dx, dy, r in ((-0.3 + sway, 0.12, 0.26), (0.28 + sway, 0.3, 0.32)):
            left, top = across + (dx - r) * scale, down + (dy - r * 0.5) * scale
            right, bottom = across + (dx + r) * scale, down + (dy + r * 1.1) * scale
            draw.chord((left, top, right, bottom), 180, 360, fill=(188, 158, 96))
            draw.pieslice((left, top, right, bottom), 290, 360, fill=(150, 118, 70))
            draw.arc((left, top, right, bottom), 180, 360, fill=INK, width=thickness)


def name_letter_px(scale: float, unit: float) -> int:
    return round(min(0.5 * scale, LETTER_PX * unit))


def _paint_edge(size: tuple[int, int], margin: int) -> Image.Image:
    image, right, low = Image.new("RGB", size), size[0] - margin, size[1] - margin
    for box in ((0, 0, size[0], margin), (0, low, *size), (0, margin, margin, low), (right, margin, size[0], low)):
        part = _ChartPart(box[:2], (box[2] - box[0], box[3] - box[1]), (0.0, 0.0), 1.0)
        image.paste(_dyed_sheet(_BORDER_COLOUR, 0.06, part, 40), part.corner)
    return image


EDGE: Final = EdgeStyle(MARGIN_PX, _paint_edge, INK, ((2, 3), (3, 4)), level_column=0)
