"""An old sea chart: parchment, tinted water, hatched coasts, hexes, and an edge with letters and numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor
from typing import Final

import numpy as np
import shapely
from PIL import Image, ImageChops, ImageDraw
from shapely.geometry.base import BaseGeometry

from render.drawing.backgrounds import cache_background
from render.drawing.canvas import Rect
from render.drawing.style import FULL_WIDTH, Colour
from render.seas.hexmap import LETTER_PX, EdgeStyle, HexGrid, hex_centre, hex_outline, mask_lines, write_hex_names
from render.seas.swell import pave_image
from render.seas.water import MapPart

PAPER: Final[Colour] = (226, 207, 166)
_BORDER_COLOUR: Final[Colour] = (210, 192, 154)
SEA: Final[Colour] = (128, 166, 166)
LAND: Final[Colour] = (205, 180, 118)
INK: Final[Colour] = (58, 38, 24)
MARGIN_PX: Final = 50
NAME_OFFSET: Final = 0.06
"""Distance from the upper side of a hex down to its name, in edges of a hex."""
_TILE_SIZE: Final = (1024, 1024)
_TINT_OPACITY: Final = 0.93  # of the sea's colour on the paper
_LINE_OPACITY: Final = 0.34  # of the grid
_LAND_LINE_OPACITY: Final = 0.18  # of the grid on land
_SHORE_WIDTH: Final = 0.2  # in edges of a hex
_HATCHING_WIDTH: Final = 0.42  # in edges of a hex


def _level_table(shape: Callable[[float], float]) -> list[int]:
    """Return a function of levels from 0 to 1 as a table for `Image.point`, whose levels go from 0 to 255."""
    return [round(255 * min(1.0, max(0.0, shape(level / 255)))) for level in range(256)]


_RAGGED_LEVELS: Final = _level_table(lambda level: 0.24 * level)
_WAVY_LEVELS: Final = _level_table(lambda level: 0.1 * level)
_STROKE_LEVELS: Final = _level_table(lambda level: _TINT_OPACITY * min(0.62, (level - 0.1) * 3.2))
_FAINTER_LEVELS: Final = _level_table(lambda level: 1.0 - (1 - _LAND_LINE_OPACITY / _LINE_OPACITY) * level)


@lru_cache(maxsize=8)
def _shore_levels(scale: float) -> tuple[list[int], list[int]]:
    """Return two tables for a blurred mask of the land: one for the land itself, and one for the line of its coast."""
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
    mirrored = np.concatenate((levels, levels[:, ::-1]), axis=1)  # mirrored both ways, it repeats without seams
    return Image.fromarray(np.concatenate((mirrored, mirrored[::-1]), axis=0))


def _part_noise(part: MapPart, shift: int) -> Image.Image:
    return pave_image(_noise_tile(), part.size, (part.corner[0] + shift, part.corner[1] + shift))


def _dyed_sheet(colour: Colour, rough: float, size: tuple[int, int], corner: tuple[int, int]) -> Image.Image:
    noise = pave_image(_noise_tile(), size, corner)  # `rough` is by how much it changes the brightness
    shades = [(1.0 + rough * (level - 128) / 127) for level in range(256)]
    return Image.merge("RGB", [noise.point([min(255, round(level * shade)) for shade in shades]) for level in colour])


@lru_cache(maxsize=1)
def _land_tile() -> Image.Image:
    return _dyed_sheet(LAND, 0.09, _noise_tile().size, (0, 0))


@lru_cache(maxsize=1)
def _sea_tile() -> Image.Image:
    size = _noise_tile().size
    return Image.blend(_dyed_sheet(PAPER, 0.05, size, (0, 0)), _dyed_sheet(SEA, 0.06, size, (97, 97)), _TINT_OPACITY)


@cache_background
def draw_sheet(size: tuple[int, int], window: Rect, grid: HexGrid, full_width: int) -> Image.Image:
    """Draw the bare chart in a window, as an image of a size in pixels. Copy the result before drawing on it."""
    whole = MapPart(size, window)
    land, all_hexes = _join_hexes(grid)
    image = pave_image(_sea_tile(), size)
    lines = mask_lines(size, window, grid, _LINE_OPACITY, 0.035)
    for part in whole.parts_about(land, 2 * _HATCHING_WIDTH):
        image.paste(INK, part.corner, _hatching_image(part, land))
    outside = shapely.box(*window).difference(shapely.box(*grid.inner_bounds))
    for part in whole.parts_about(outside, 0.0):
        blank = ImageChops.invert(_mask_image(part, all_hexes, 0.04))
        image.paste(_dyed_sheet(PAPER, 0.05, part.size, part.corner), part.corner, blank)
    for part in whole.parts_about(land, 1.5 * _SHORE_WIDTH):
        _draw_land(image, lines, part, land)
    image.paste(INK, None, lines)
    _draw_hills(image, window, grid)
    letter = name_letter_px(whole.scale, full_width / FULL_WIDTH)
    below = NAME_OFFSET + 0.42 * letter / whole.scale
    write_hex_names(image, window, grid, size=letter, ink=INK, level=185, below_top=below)
    return image


@lru_cache(maxsize=8)
def _join_hexes(grid: HexGrid) -> tuple[BaseGeometry, BaseGeometry]:
    """Return the shapes of the land and, slightly larger, of all hexes."""
    land_hexes = [shapely.Polygon(hex_outline(here)) for here in sorted(grid.land)]
    all_hexes = [shapely.Polygon(hex_outline(here, 1.03)) for here in grid.hexes]
    return shapely.union_all(land_hexes), shapely.union_all(all_hexes)


def _mask_image(part: MapPart, shape: BaseGeometry, blur: float) -> Image.Image:
    return Image.fromarray((part.soft_mask(shape, blur) * 255).astype(np.uint8))


def _draw_land(image: Image.Image, lines: Image.Image, part: MapPart, land_shape: BaseGeometry) -> None:
    # Draws a part of the land, and makes `lines`, the mask of the grid, fainter there.
    ragged = _part_noise(part, 311).point(_RAGGED_LEVELS)
    shore = ImageChops.add(_mask_image(part, land_shape, _SHORE_WIDTH), ragged, 1, -31)
    inside, edge = _shore_levels(part.scale)
    land = shore.point(inside)
    image.paste(pave_image(_land_tile(), part.size, part.corner), part.corner, land)
    image.paste(INK, part.corner, shore.point(edge))
    left, top = part.corner
    width, height = part.size
    box = (left, top, left + width, top + height)
    lines.paste(ImageChops.multiply(lines.crop(box), land.point(_FAINTER_LEVELS)), box)


def _hatching_image(part: MapPart, land: BaseGeometry) -> Image.Image:
    """Return a mask of level strokes on the water along coasts, as on old charts."""
    wavy = _part_noise(part, 501).point(_WAVY_LEVELS)
    coast_mask = ImageChops.add(_mask_image(part, land, _HATCHING_WIDTH), wavy, 1, -13)
    coast_mask = coast_mask.point(_STROKE_LEVELS)
    pitch = max(3.0, 0.13 * part.scale)
    strokes = Image.new("L", part.size)
    draw = ImageDraw.Draw(strokes)
    part_top = part.corner[1]
    thickness = max(1, round(0.3 * pitch))
    for number in range(floor(part_top / pitch) - 1, ceil((part_top + part.size[1]) / pitch)):
        top = round(number * pitch) - part_top
        draw.rectangle((0, top, part.size[0], top + thickness - 1), fill=255)
    return ImageChops.multiply(coast_mask, strokes)


def _draw_hills(image: Image.Image, window: Rect, grid: HexGrid) -> None:
    draw = ImageDraw.Draw(image)
    scale = image.width / (window[2] - window[0])
    thickness = max(1, round(0.045 * scale))
    for here in sorted(grid.land):
        x, y = hex_centre(here)
        across, down = (x - window[0]) * scale, (window[3] - y) * scale
        sway = 0.12 * ((here.q * 7 + here.r * 3) % 5 - 2)
        for dx, dy, r in ((-0.3 + sway, 0.12, 0.26), (0.28 + sway, 0.3, 0.32)):
            left, top = across + (dx - r) * scale, down + (dy - r * 0.5) * scale
            right, bottom = across + (dx + r) * scale, down + (dy + r * 1.1) * scale
            draw.chord((left, top, right, bottom), 180, 360, fill=(188, 158, 96))
            draw.pieslice((left, top, right, bottom), 290, 360, fill=(150, 118, 70))
            draw.arc((left, top, right, bottom), 180, 360, fill=INK, width=thickness)


def name_letter_px(edge_px: float, px: float) -> int:
    return round(min(0.5 * edge_px, LETTER_PX * px))


def _paint_edge(size: tuple[int, int], margin: int) -> Image.Image:
    image = Image.new("RGB", size)
    right, bottom = size[0] - margin, size[1] - margin
    upper, lower = (0, 0, size[0], margin), (0, bottom, *size)
    for box in (upper, lower, (0, margin, margin, bottom), (right, margin, size[0], bottom)):
        noise_corner = (box[0] + 40, box[1] + 40)
        image.paste(_dyed_sheet(_BORDER_COLOUR, 0.06, (box[2] - box[0], box[3] - box[1]), noise_corner), box[:2])
    return image


EDGE: Final = EdgeStyle(MARGIN_PX, _paint_edge, INK, ((2, 3), (3, 4)), level_column=0)
