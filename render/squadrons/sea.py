"""A bright sea of hexes with land, and the border that numbers its columns and rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import ceil
from typing import Final, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import Rect
from render.drawing.style import FULL_WIDTH, Colour, load_font
from render.seas.hexmap import HEX_HEIGHT, HexGrid, hex_centre, hex_outline
from render.seas.swell import Floats32, colour_ramp, pave_image, pave_levels, swell_tiles
from render.squadrons.liveries import LIVERIES
from rules.geometry.hexes import Hex
from rules.squadrons.engine.sea import grid

SEA: Final[Colour] = (46, 120, 160)
FOAM: Final[Colour] = (228, 244, 246)
SAND: Final[Colour] = (226, 204, 150)
_DEPTH_COLOURS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (16, 70, 122)),
    (0.25, (30, 96, 142)),
    (0.5, (50, 126, 162)),
    (0.75, (98, 168, 184)),
    (1.0, (190, 222, 206)),
)
_LAND_COLOURS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (150, 138, 80)),
    (0.5, (120, 124, 66)),
    (1.0, (172, 160, 112)),
)
_MARBLE_COLOUR: Final[Colour] = (226, 216, 196)
_LINE_COLOUR: Final[Colour] = (30, 44, 70)
_FLOOR_COLOUR: Final[Colour] = (18, 30, 44)
MARGIN_PX: Final = 54
_SLIM_MARGIN_PX: Final = 10
LETTER_PX: Final = 44
"""Letters of the border: 11 px on a phone that shows the picture 400 wide."""
_SEA_DEPTH: Final = 0.4
_CLOUD_STRENGTH: Final = 0.08
_SWELL_STRENGTH: Final = 0.03
"""A stronger swell would make the pictures' files too large."""
_LOWER_SIDES: Final = (2, 3, 4)
"""Directions across a hex's lower sides."""
_MIN_NUMBER_PX: Final = 9.0


def margin_px(full_width: int, *, slim: bool = False) -> int:
    return round((_SLIM_MARGIN_PX if slim else MARGIN_PX) * full_width / FULL_WIDTH)


@lru_cache(maxsize=12)
def draw_water(
    size: tuple[int, int], window: Rect, hex_grid: HexGrid, full_width: int, *, numbered: bool = True
) -> Image.Image:
    """Draw the bare sea in a window, as an image of a size in pixels. Copy the result before drawing on it."""
    unit, scale = round(full_width / FULL_WIDTH, 3), size[0] / (window[2] - window[0])
    image = _shallows_image(size, window, hex_grid, unit) if hex_grid.land else pave_image(_open_sea_tile(unit), size)
    image.paste(FOAM, None, _hex_lines_image(size, window, hex_grid))
    if hex_grid.land:
        _draw_coast(image, window, hex_grid, pave_levels(swell_tiles(unit)[0], size))
    if not hex_grid.is_filled_by_hexes(window):
        _darken_outside(image, window, hex_grid)
    if numbered:
        _draw_numbers(image, window, scale, hex_grid)
    return image


def _water_colours(depth: Floats32, crests: Floats32) -> Image.Image:
    """Return water with its swell; depth 0 is the deepest, 1 the beach."""
    lit = np.clip(depth + _SWELL_STRENGTH * crests, 0.0, 1.0)
    return Image.fromarray(np.take(colour_ramp(_DEPTH_COLOURS), (lit * 255).astype(np.uint8), axis=0))


@lru_cache(maxsize=4)
def _open_sea_tile(unit: float) -> Image.Image:
    clouds, crests = swell_tiles(unit)
    return _water_colours(_SEA_DEPTH + _CLOUD_STRENGTH * clouds, crests)


def _shallows_image(size: tuple[int, int], window: Rect, hex_grid: HexGrid, unit: float) -> Image.Image:
    clouds, crests = (pave_levels(tile, size) for tile in swell_tiles(unit))
    depth = _SEA_DEPTH + _CLOUD_STRENGTH * clouds
    scale = size[0] / (window[2] - window[0])
    for blur, part in ((1.5, 0.3), (0.6, 0.34)):
        depth = depth + part * _soft_mask(size, window, hex_grid.land, blur * scale)
    return _water_colours(depth, crests)


def _draw_coast(image: Image.Image, window: Rect, hex_grid: HexGrid, clouds: Floats32) -> None:
    size, scale = image.size, image.width / (window[2] - window[0])
    shore = _soft_mask(size, window, hex_grid.land, 0.22 * scale) + 0.07 * clouds
    for level, colour in ((0.4, FOAM), (0.47, SAND)):
        image.paste(colour, None, Image.fromarray((np.clip((shore - level) * 9, 0, 1) * 255).astype(np.uint8)))
    height = np.clip((shore - 0.6) * 1.6 + 0.3 * clouds, 0.0, 1.0)
    hills = Image.fromarray(np.take(colour_ramp(_LAND_COLOURS), (height * 255).astype(np.uint8), axis=0))
    image.paste(hills, None, Image.fromarray((np.clip((shore - 0.62) * 7, 0, 1) * 255).astype(np.uint8)))


def _soft_mask(size: tuple[int, int], window: Rect, hexes_to_fill: Iterable[Hex], blur: float) -> Floats32:
    """Return a mask from 0 to 1 of hexes with edges blurred over `blur` pixels."""
    coarse = max(1, int(blur / 6))
    small = (ceil(size[0] / coarse), ceil(size[1] / coarse))
    mask, scale = Image.new("L", small), size[0] / (window[2] - window[0]) / coarse
    draw = ImageDraw.Draw(mask)
    for here in hexes_to_fill:
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here, 1.02)], fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(blur / coarse))
    if coarse == 1:
        return np.asarray(mask, dtype=np.float32) / np.float32(255)
    box = (0.0, 0.0, size[0] / coarse, size[1] / coarse)
    smooth: Floats32 = np.asarray(mask.convert("F").resize(size, Image.Resampling.BICUBIC, box=box))
    part: Floats32 = np.clip(smooth / np.float32(255), 0.0, 1.0)
    return part


def _hex_lines_image(size: tuple[int, int], window: Rect, hex_grid: HexGrid) -> Image.Image:
    fine = 2
    scale = fine * size[0] / (window[2] - window[0])
    mask = Image.new("L", (size[0] * fine, size[1] * fine))
    draw = ImageDraw.Draw(mask)
    thickness = max(2, round(0.045 * scale))
    all_hexes = frozenset(hex_grid.hexes)
    for here in _visible_hexes(window, hex_grid):
        ring = [((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here)]
        # The lower three edges are drawn as upper edges of the hexes below, if there are any.
        whole = any(grid.next_hex(here, below) not in all_hexes for below in _LOWER_SIDES)
        path = [*ring, ring[0]] if whole else ring[:4]
        # Pillow draws lines of an even width off-centre. Drawing them in both directions centres them.
        draw.line(path if thickness % 2 else [*path, *path[::-1]], fill=round(255 * 0.3), width=thickness)
    return mask.reduce(fine)


def _visible_hexes(window: Rect, hex_grid: HexGrid) -> Iterable[Hex]:
    west, south, east, north = window
    for here in hex_grid.hexes:
        x, y = hex_centre(here)
        if west - 1 < x < east + 1 and south - 1 < y < north + 1:
            yield here


def _darken_outside(image: Image.Image, window: Rect, hex_grid: HexGrid) -> None:
    scale = image.width / (window[2] - window[0])
    mask = Image.new("L", image.size, round(255 * 0.72))
    draw = ImageDraw.Draw(mask)
    for here in _visible_hexes(window, hex_grid):
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here, 1.03)], fill=0)
    image.paste(_FLOOR_COLOUR, None, mask)


def _draw_numbers(image: Image.Image, window: Rect, scale: float, hex_grid: HexGrid) -> None:
    size = round(0.36 * scale)
    if size < _MIN_NUMBER_PX:
        return
    for here in _visible_hexes(window, hex_grid):
        x, y = hex_centre(here)
        number = _draw_number(grid.hex_label(here), size)
        across, down = (x - window[0]) * scale, (window[3] - y - HEX_HEIGHT / 2 + 0.26) * scale
        image.paste(FOAM, (round(across - number.width / 2), round(down - number.height / 2)), number)


@lru_cache(maxsize=4096)
def _draw_number(label: str, size: int) -> Image.Image:
    """Return a mask of a hex's number at its final opacity, centred in the image."""
    column, row = _draw_digits(label[:2], size), _draw_digits(label[2:], size)
    mask = Image.new("L", (2 * ceil((column.advance + row.advance) / 2 + 1), 2 * size))
    left = (mask.width - column.advance - row.advance) / 2
    mask.paste(column.image, (round(left), 0))
    mask.paste(row.image, (round(left + column.advance), 0))
    return mask


class _Digits(NamedTuple):
    image: Image.Image
    advance: float


@lru_cache(maxsize=2048)
def _draw_digits(digits: str, size: int) -> _Digits:
    font = load_font(size, heavy=False)
    width = font.getlength(digits)
    image = Image.new("L", (ceil(width), 2 * size))
    ImageDraw.Draw(image).text((0, size), digits, fill=150, font=font, anchor="lm")
    return _Digits(image, width)


def add_border(image: Image.Image, window: Rect, hex_grid: HexGrid, full_width: int) -> Image.Image:
    edge = margin_px(full_width)
    out = _draw_border(image.size, window, hex_grid, full_width).copy()
    out.paste(image, (edge, edge))
    return out


def add_slim_border(image: Image.Image, full_width: int) -> Image.Image:
    edge = margin_px(full_width, slim=True)
    out = Image.new("RGB", (image.width + 2 * edge, image.height + 2 * edge), _MARBLE_COLOUR)
    out.paste(image, (edge, edge))
    return out


@lru_cache(maxsize=8)
def _draw_border(inner: tuple[int, int], window: Rect, hex_grid: HexGrid, full_width: int) -> Image.Image:
    """Draw the border with the numbers of columns and rows. A side's own edge of the map has its colour."""
    edge, unit = margin_px(full_width), full_width / FULL_WIDTH
    size = (inner[0] + 2 * edge, inner[1] + 2 * edge)
    image = Image.new("RGB", size, _MARBLE_COLOUR)
    draw = ImageDraw.Draw(image)
    letter_px, scale = round(LETTER_PX * unit), inner[0] / (window[2] - window[0])
    label_width = load_font(letter_px).getlength("00") + 16 * unit
    _, south, _, north = hex_grid.bounds
    for side, top, is_map_edge in ((1, 0, window[3] >= north - 0.3), (0, size[1] - edge, window[1] <= south + 0.3)):
        if is_map_edge:
            draw.rectangle((0, top, size[0], top + edge), fill=LIVERIES[side].mark if not side else LIVERIES[side].base)
    step = next(n for n in (1, 2, 3, 5, 10, 20) if n * 1.5 * scale > label_width)
    for column in range(step, hex_grid.columns + 1, step):
        x = (hex_centre(grid.hex_at(column, 1))[0] - window[0]) * scale
        if 0.3 * label_width < x < inner[0] - 0.3 * label_width:
            for y, is_map_edge in (
                (edge * 0.5, window[3] >= north - 0.3),
                (size[1] - edge * 0.5, window[1] <= south + 0.3),
            ):
                _write_number(
                    image, (edge + x, y), f"{column:02}", letter_px, (255, 246, 228) if is_map_edge else _LINE_COLOUR
                )
    step = next(n for n in (1, 2, 3, 5, 10, 20) if n * HEX_HEIGHT * scale > LETTER_PX * unit * 1.1)
    for row in range(step, max(hex_grid.rows) + 1, step):
        y = (window[3] - hex_centre(grid.hex_at(2, row))[1]) * scale
        if 0.5 * LETTER_PX * unit < y < inner[1] - 0.5 * LETTER_PX * unit:
            for x in (edge * 0.5, size[0] - edge * 0.5):
                _write_number(image, (x, edge + y), f"{row:02}", letter_px, _LINE_COLOUR)
    for inset, thickness in ((1 * unit, 3), (edge - 3 * unit, 5)):
        box = (inset, inset, size[0] - 1 - inset, size[1] - 1 - inset)
        draw.rectangle(box, outline=_LINE_COLOUR, width=max(1, ceil(thickness * unit)))
    return image


def _write_number(image: Image.Image, middle: tuple[float, float], digits: str, size: int, colour: Colour) -> None:
    mask = _draw_numeral(digits, size)
    image.paste(colour, (round(middle[0] - mask.width / 2), round(middle[1] - mask.height / 2)), mask)


@lru_cache(maxsize=256)
def _draw_numeral(digits: str, size: int) -> Image.Image:
    font = load_font(size)
    mask = Image.new("L", (2 * ceil(font.getlength(digits) / 2 + 1), 2 * size))
    ImageDraw.Draw(mask).text((mask.width / 2, size), digits, fill=255, font=font, anchor="mm")
    return mask
