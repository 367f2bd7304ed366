"""A bright sea of hexes with land on it, and the border that numbers its columns and rows."""

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
"""The open sea, on the whole."""
FOAM: Final[Colour] = (228, 244, 246)
SAND: Final[Colour] = (226, 204, 150)
_DEPTH_COLOURS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (16, 70, 122)),
    (0.25, (30, 96, 142)),
    (0.5, (50, 126, 162)),
    (0.75, (98, 168, 184)),
    (1.0, (190, 222, 206)),
)
"""Colours of water, from the deep to the beach."""
_LAND_COLOURS: Final[tuple[tuple[float, Colour], ...]] = (
    (0.0, (150, 138, 80)),
    (0.5, (120, 124, 66)),
    (1.0, (172, 160, 112)),
)
_MARBLE_COLOUR: Final[Colour] = (226, 216, 196)
_LINE_COLOUR: Final[Colour] = (30, 44, 70)
_FLOOR_COLOUR: Final[Colour] = (18, 30, 44)
"""What lies beyond the map."""
MARGIN_PX: Final = 54
"""Pixels of the border at full width."""
_SLIM_MARGIN_PX: Final = 10
"""The same of one without numbers."""
LETTER_PX: Final = 44
"""Of its numbers: 11 pixels on a phone that shows the picture 400 wide."""
_SEA_DEPTH: Final = 0.4
"""Of the open sea, on the whole."""
_CLOUD_STRENGTH: Final = 0.08
"""How much it differs from place to place."""
_SWELL_STRENGTH: Final = 0.03
"""How much the swell is seen: of a rougher sea the pictures would weigh too much."""
_LOWER_SIDES: Final = (2, 3, 4)
"""Directions across a hex's lower sides."""
_MIN_NUMBER_PX: Final = 9.0
"""Pixels, at least, of hexes' own numbers; smaller ones are left out."""


def margin_px(full_width: int, *, slim: bool = False) -> int:
    """Pixels of the border in a picture of a width, or of a slim one."""
    return round((_SLIM_MARGIN_PX if slim else MARGIN_PX) * full_width / FULL_WIDTH)


@lru_cache(maxsize=12)
def draw_water(
    size: tuple[int, int], window: Rect, of: HexGrid, full_width: int, *, numbered: bool = True
) -> Image.Image:
    """The bare sea seen through a window, as an image of a size in pixels. Copy before drawing."""
    unit, scale = round(full_width / FULL_WIDTH, 3), size[0] / (window[2] - window[0])
    image = _shallows_image(size, window, of, unit) if of.land else pave_image(_open_sea_tile(unit), size)
    image.paste(FOAM, None, _hex_lines_image(size, window, of))
    if of.land:
        _draw_coast(image, window, of, pave_levels(swell_tiles(unit)[0], size))
    if not of.is_filled_by_hexes(window):
        _darken_outside(image, window, of)
    if numbered:
        _draw_numbers(image, window, scale, of)
    return image


def _water_colours(depth: Floats32, crests: Floats32) -> Image.Image:
    """Water of a depth, 0 the deepest and 1 the beach, with its swell."""
    lit = np.clip(depth + _SWELL_STRENGTH * crests, 0.0, 1.0)
    return Image.fromarray(np.take(colour_ramp(_DEPTH_COLOURS), (lit * 255).astype(np.uint8), axis=0))


@lru_cache(maxsize=4)
def _open_sea_tile(unit: float) -> Image.Image:
    """A tile of the open sea."""
    clouds, crests = swell_tiles(unit)
    return _water_colours(_SEA_DEPTH + _CLOUD_STRENGTH * clouds, crests)


def _shallows_image(size: tuple[int, int], window: Rect, of: HexGrid, unit: float) -> Image.Image:
    """The sea, brighter off its coasts."""
    clouds, crests = (pave_levels(tile, size) for tile in swell_tiles(unit))
    depth = _SEA_DEPTH + _CLOUD_STRENGTH * clouds
    scale = size[0] / (window[2] - window[0])
    for blur, part in ((1.5, 0.3), (0.6, 0.34)):
        depth = depth + part * _soft_mask(size, window, of.land, blur * scale)
    return _water_colours(depth, crests)


def _draw_coast(image: Image.Image, window: Rect, of: HexGrid, clouds: Floats32) -> None:
    """Surf, sand and hills."""
    size, scale = image.size, image.width / (window[2] - window[0])
    shore = _soft_mask(size, window, of.land, 0.22 * scale) + 0.07 * clouds
    for level, colour in ((0.4, FOAM), (0.47, SAND)):
        image.paste(colour, None, Image.fromarray((np.clip((shore - level) * 9, 0, 1) * 255).astype(np.uint8)))
    high = np.clip((shore - 0.6) * 1.6 + 0.3 * clouds, 0.0, 1.0)
    hills = Image.fromarray(np.take(colour_ramp(_LAND_COLOURS), (high * 255).astype(np.uint8), axis=0))
    image.paste(hills, None, Image.fromarray((np.clip((shore - 0.62) * 7, 0, 1) * 255).astype(np.uint8)))


def _soft_mask(size: tuple[int, int], window: Rect, some: Iterable[Hex], blur: float) -> Floats32:
    """Hexes with edges blurred over so many pixels, 0 to 1."""
    coarse = max(1, int(blur / 6))
    small = (ceil(size[0] / coarse), ceil(size[1] / coarse))
    mask, scale = Image.new("L", small), size[0] / (window[2] - window[0]) / coarse
    draw = ImageDraw.Draw(mask)
    for here in some:
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here, 1.02)], fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(blur / coarse))
    if coarse == 1:
        return np.asarray(mask, dtype=np.float32) / np.float32(255)
    seen = (0.0, 0.0, size[0] / coarse, size[1] / coarse)
    smooth: Floats32 = np.asarray(mask.convert("F").resize(size, Image.Resampling.BICUBIC, box=seen))
    part: Floats32 = np.clip(smooth / np.float32(255), 0.0, 1.0)
    return part


def _hex_lines_image(size: tuple[int, int], window: Rect, of: HexGrid) -> Image.Image:
    """The edges of all hexes that are seen, as faint as they are shown."""
    fine = 2
    scale = fine * size[0] / (window[2] - window[0])
    mask = Image.new("L", (size[0] * fine, size[1] * fine))
    draw = ImageDraw.Draw(mask)
    thick = max(2, round(0.045 * scale))
    there = frozenset(of.hexes)
    for here in _visible_hexes(window, of):
        ring = [((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here)]
        # The lower three edges are the upper ones of hexes below.
        whole = any(grid.next_hex(here, below) not in there for below in _LOWER_SIDES)
        way = [*ring, ring[0]] if whole else ring[:4]
        # Pillow draws lines of an even width a little to one side of their way: there and back is even on both.
        draw.line(way if thick % 2 else [*way, *way[::-1]], fill=round(255 * 0.3), width=thick)
    return mask.reduce(fine)


def _visible_hexes(window: Rect, of: HexGrid) -> Iterable[Hex]:
    west, south, east, north = window
    for here in of.hexes:
        x, y = hex_centre(here)
        if west - 1 < x < east + 1 and south - 1 < y < north + 1:
            yield here


def _darken_outside(image: Image.Image, window: Rect, of: HexGrid) -> None:
    """Darken what lies outside the map."""
    scale = image.width / (window[2] - window[0])
    mask = Image.new("L", image.size, round(255 * 0.72))
    draw = ImageDraw.Draw(mask)
    for here in _visible_hexes(window, of):
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here, 1.03)], fill=0)
    image.paste(_FLOOR_COLOUR, None, mask)


def _draw_numbers(image: Image.Image, window: Rect, scale: float, of: HexGrid) -> None:
    """The number of every hex at its upper side, where there is room for it."""
    size = round(0.36 * scale)
    if size < _MIN_NUMBER_PX:
        return
    for here in _visible_hexes(window, of):
        x, y = hex_centre(here)
        number = _draw_number(grid.hex_label(here), size)
        across, down = (x - window[0]) * scale, (window[3] - y - HEX_HEIGHT / 2 + 0.26) * scale
        image.paste(FOAM, (round(across - number.width / 2), round(down - number.height / 2)), number)


@lru_cache(maxsize=4096)
def _draw_number(label: str, size: int) -> Image.Image:
    """A hex's number, as faint as it is shown, about the middle of the image; letters of so many pixels."""
    column, row = _draw_digits(label[:2], size), _draw_digits(label[2:], size)
    mask = Image.new("L", (2 * ceil((column.advance + row.advance) / 2 + 1), 2 * size))
    left = (mask.width - column.advance - row.advance) / 2
    mask.paste(column.image, (round(left), 0))
    mask.paste(row.image, (round(left + column.advance), 0))
    return mask


class _Digits(NamedTuple):
    """Half of a hex's number: of its column or of its row, which it shares with many others."""

    image: Image.Image
    advance: float
    """Pixels to what follows."""


@lru_cache(maxsize=2048)
def _draw_digits(digits: str, size: int) -> _Digits:
    face = load_font(size, heavy=False)
    wide = face.getlength(digits)
    image = Image.new("L", (ceil(wide), 2 * size))
    ImageDraw.Draw(image).text((0, size), digits, fill=150, font=face, anchor="lm")
    return _Digits(image, wide)


def add_border(image: Image.Image, window: Rect, of: HexGrid, full_width: int) -> Image.Image:
    """A picture of the sea with its border."""
    edge = margin_px(full_width)
    out = _draw_border(image.size, window, of, full_width).copy()
    out.paste(image, (edge, edge))
    return out


def add_slim_border(image: Image.Image, full_width: int) -> Image.Image:
    """A picture of the sea with a slim border."""
    edge = margin_px(full_width, slim=True)
    out = Image.new("RGB", (image.width + 2 * edge, image.height + 2 * edge), _MARBLE_COLOUR)
    out.paste(image, (edge, edge))
    return out


@lru_cache(maxsize=8)
def _draw_border(inner: tuple[int, int], window: Rect, of: HexGrid, full_width: int) -> Image.Image:
    """Marble with numbers of columns above and below, of rows left and right; a fleet's own edge in its colour."""
    edge, unit = margin_px(full_width), full_width / FULL_WIDTH
    size = (inner[0] + 2 * edge, inner[1] + 2 * edge)
    image = Image.new("RGB", size, _MARBLE_COLOUR)
    draw = ImageDraw.Draw(image)
    letters, scale = round(LETTER_PX * unit), inner[0] / (window[2] - window[0])
    room = load_font(letters).getlength("00") + 16 * unit
    _, south, _, north = of.bounds
    for side, top, ends in ((1, 0, window[3] >= north - 0.3), (0, size[1] - edge, window[1] <= south + 0.3)):
        if ends:
            draw.rectangle((0, top, size[0], top + edge), fill=LIVERIES[side].mark if not side else LIVERIES[side].base)
    step = next(n for n in (1, 2, 3, 5, 10, 20) if n * 1.5 * scale > room)
    for column in range(step, of.columns + 1, step):
        x = (hex_centre(grid.hex_at(column, 1))[0] - window[0]) * scale
        if 0.3 * room < x < inner[0] - 0.3 * room:
            for y, ends in ((edge * 0.5, window[3] >= north - 0.3), (size[1] - edge * 0.5, window[1] <= south + 0.3)):
                _write_number(image, (edge + x, y), f"{column:02}", letters, (255, 246, 228) if ends else _LINE_COLOUR)
    step = next(n for n in (1, 2, 3, 5, 10, 20) if n * HEX_HEIGHT * scale > LETTER_PX * unit * 1.1)
    for row in range(step, max(of.rows) + 1, step):
        y = (window[3] - hex_centre(grid.hex_at(2, row))[1]) * scale
        if 0.5 * LETTER_PX * unit < y < inner[1] - 0.5 * LETTER_PX * unit:
            for x in (edge * 0.5, size[0] - edge * 0.5):
                _write_number(image, (x, edge + y), f"{row:02}", letters, _LINE_COLOUR)
    for inset, thick in ((1 * unit, 3), (edge - 3 * unit, 5)):
        box = (inset, inset, size[0] - 1 - inset, size[1] - 1 - inset)
        draw.rectangle(box, outline=_LINE_COLOUR, width=max(1, ceil(thick * unit)))
    return image


def _write_number(image: Image.Image, middle: tuple[float, float], digits: str, size: int, colour: Colour) -> None:
    """A number of the border about a point, in letters of so many pixels."""
    mask = _draw_numeral(digits, size)
    image.paste(colour, (round(middle[0] - mask.width / 2), round(middle[1] - mask.height / 2)), mask)


@lru_cache(maxsize=256)
def _draw_numeral(digits: str, size: int) -> Image.Image:
    face = load_font(size)
    mask = Image.new("L", (2 * ceil(face.getlength(digits) / 2 + 1), 2 * size))
    ImageDraw.Draw(mask).text((mask.width / 2, size), digits, fill=255, font=face, anchor="mm")
    return mask
