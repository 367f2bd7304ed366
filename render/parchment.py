"""An old sea chart: parchment, tinted water, coasts with their hatching, hexes, and the letters around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import ceil
from typing import Final

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from render.canvas import Box
from render.hexmap import HIGH, Grid, centre, outline
from render.style import FULL_WIDTH, Colour, font
from rules import hexes
from rules.hexes import Hex

PAPER: Final[Colour] = (226, 207, 166)
_BORDER: Final[Colour] = (210, 192, 154)
SEA: Final[Colour] = (128, 166, 166)
LAND: Final[Colour] = (205, 180, 118)
INK: Final[Colour] = (58, 38, 24)
MARGIN: Final = 50
"""Pixels at full width of the edge with the letters."""
LETTER: Final = 44
"""Letters of that edge: 11 pixels on a phone that shows the picture 400 wide."""
NAME_DOWN: Final = 0.06
"""Edges from the upper side of a hex down to its name."""
_TILE: Final = (1024, 1024)


def margin(full_width: int) -> int:
    """Pixels of the edge with the letters in a picture of a width."""
    return round(MARGIN * full_width / FULL_WIDTH)


@lru_cache(maxsize=1)
def _clouds() -> Image.Image:
    """A tile of slow and fine noise in levels about 128, and mirrored copies of it, so that no seam shows."""
    chance = np.random.default_rng(1588)
    out = np.zeros(_TILE[::-1], dtype=np.float32)
    for cells, strength in ((5, 0.5), (14, 0.3), (60, 0.18), (400, 0.1)):
        coarse = chance.standard_normal((cells, cells)).astype(np.float32)
        layer = np.asarray(Image.fromarray(coarse).resize(_TILE, Image.Resampling.BICUBIC), dtype=np.float32)
        out += layer * (strength / float(layer.std()) * 0.5)
    levels = (np.clip(out, -1.0, 1.0) * 127.0 + 128.0).astype(np.uint8)
    wide = np.concatenate((levels, levels[:, ::-1]), axis=1)
    return Image.fromarray(np.concatenate((wide, wide[::-1]), axis=0))


def _noise(size: tuple[int, int], shift: int) -> Image.Image:
    """Noise of a size, from another place for each shift."""
    tile = _clouds()
    out = Image.new("L", size)
    for left in range(-shift, size[0], tile.width):
        for top in range(-shift, size[1], tile.height):
            out.paste(tile, (left, top))
    return out


def _dyed(colour: Colour, rough: float, size: tuple[int, int], shift: int) -> Image.Image:
    """A sheet of a colour, lighter and darker by so large a part."""
    noise = _noise(size, shift)
    shades = [(1.0 + rough * (level - 128) / 127) for level in range(256)]
    return Image.merge("RGB", [noise.point([min(255, round(part * shade)) for shade in shades]) for part in colour])


@lru_cache(maxsize=8)
def sheet(size: tuple[int, int], window: Box, grid: Grid, full_width: int) -> Image.Image:
    """The bare chart seen through a window, as an image of a size in pixels. Copy before drawing."""
    scale = size[0] / (window[2] - window[0])
    image = _dyed(PAPER, 0.05, size, 0)
    water = _mask(size, window, grid.hexes, 1.03, 0.04 * scale)
    image.paste(_dyed(SEA, 0.06, size, 97), None, water.point(_levels(lambda part: 0.93 * part)))
    image.paste(INK, None, ImageChops.multiply(_hatching(size, window, grid), water))
    ragged = _noise(size, 311).point(_levels(lambda part: 0.24 * part))
    shore = ImageChops.add(_mask(size, window, grid.land, 1.0, 0.2 * scale), ragged, 1, -31)
    steep = 0.23 * scale
    land = shore.point(_levels(lambda part: (part - 0.47) * steep))
    image.paste(_dyed(LAND, 0.09, size, 0), None, land)
    image.paste(INK, None, shore.point(_levels(lambda part: 0.9 - 0.9 * abs(part - 0.47) * steep * 1.4)))
    faint = land.point(_levels(lambda part: 0.34 - 0.16 * part))
    image.paste(INK, None, ImageChops.multiply(_lines(size, window, grid), faint))
    _hills(image, window, scale, grid)
    _labels(image, window, scale, grid, full_width)
    return image


def _levels(shape: Callable[[float], float]) -> list[int]:
    """A table for the levels of a mask from a function of parts of 0 to 1."""
    return [round(255 * min(1.0, max(0.0, shape(level / 255)))) for level in range(256)]


def _mask(size: tuple[int, int], window: Box, some: Iterable[Hex], part: float, blur: float) -> Image.Image:
    """Hexes with soft edges."""
    # What is much blurred needs no fine pixels.
    coarse = 4 if blur > 12 else 1
    small = (ceil(size[0] / coarse), ceil(size[1] / coarse))
    mask = Image.new("L", small)
    draw = ImageDraw.Draw(mask)
    scale = size[0] / (window[2] - window[0]) / coarse
    for here in some:
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in outline(here, part)], fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(blur / coarse))
    box = (0, 0, size[0] / coarse, size[1] / coarse)
    return mask if coarse == 1 else mask.resize(size, Image.Resampling.BICUBIC, box=box)


def _hatching(size: tuple[int, int], window: Box, grid: Grid) -> Image.Image:
    """Level strokes off every coast, fading out to sea."""
    scale = size[0] / (window[2] - window[0])
    wavy = _noise(size, 501).point(_levels(lambda part: 0.1 * part))
    near = ImageChops.add(_mask(size, window, grid.land, 1.0, 0.42 * scale), wavy, 1, -13)
    near = near.point(_levels(lambda part: min(0.62, (part - 0.1) * 3.2)))
    pitch = max(3.0, 0.13 * scale)
    strokes = Image.new("L", size)
    draw = ImageDraw.Draw(strokes)
    for number in range(ceil(size[1] / pitch)):
        top = round(number * pitch)
        draw.rectangle((0, top, size[0], top + max(1, round(0.3 * pitch)) - 1), fill=255)
    return ImageChops.multiply(near, strokes)


def _lines(size: tuple[int, int], window: Box, grid: Grid) -> Image.Image:
    """The edges of all hexes."""
    fine = 2
    scale = fine * size[0] / (window[2] - window[0])
    mask = Image.new("L", (size[0] * fine, size[1] * fine))
    draw = ImageDraw.Draw(mask)
    thick = max(2, round(0.035 * scale))
    for here in grid.hexes:
        ring = [((x - window[0]) * scale, (window[3] - y) * scale) for x, y in outline(here)]
        draw.line([*ring, ring[0]], fill=255, width=thick)
    return mask.reduce(fine)


def _hills(image: Image.Image, window: Box, scale: float, grid: Grid) -> None:
    """Little hills on the land, shaded on the right."""
    draw = ImageDraw.Draw(image)
    thick = max(1, round(0.045 * scale))
    for here in sorted(grid.land):
        x, y = centre(here)
        across, down = (x - window[0]) * scale, (window[3] - y) * scale
        sway = 0.12 * ((here.q * 7 + here.r * 3) % 5 - 2)
        for dx, dy, r in ((-0.3 + sway, 0.12, 0.26), (0.28 + sway, 0.3, 0.32)):
            left, top = across + (dx - r) * scale, down + (dy - r * 0.5) * scale
            right, bottom = across + (dx + r) * scale, down + (dy + r * 1.1) * scale
            draw.chord((left, top, right, bottom), 180, 360, fill=(188, 158, 96))
            draw.pieslice((left, top, right, bottom), 290, 360, fill=(150, 118, 70))
            draw.arc((left, top, right, bottom), 180, 360, fill=INK, width=thick)


def letters(scale: float, unit: float) -> int:
    """Pixels of the letters of hexes' names, in a picture of this unit with so many pixels an edge."""
    return round(min(0.5 * scale, LETTER * unit))


def _labels(image: Image.Image, window: Box, scale: float, grid: Grid, full_width: int) -> None:
    """The name of every hex in its upper part: readable in a crop, faint where all is seen."""
    size = letters(scale, full_width / FULL_WIDTH)
    face = font(size, heavy=False)
    mask = Image.new("L", image.size)
    draw = ImageDraw.Draw(mask)
    for here in grid.hexes:
        x, y = centre(here)
        spot = ((x - window[0]) * scale, (window[3] - y - HIGH / 2 + NAME_DOWN) * scale + size * 0.42)
        left, top, right, bottom = draw.textbbox(spot, grid.label(here), font=face, anchor="mm")
        if left >= 0 and top >= 0 and right <= image.width and bottom <= image.height:
            draw.text(spot, grid.label(here), fill=185, font=face, anchor="mm")
    image.paste(INK, None, mask)


def frame(image: Image.Image, window: Box, grid: Grid, full_width: int) -> Image.Image:
    """A chart with an edge all around it: columns' letters above and below, rows' numbers left and right.

    Numbers stand level with the hexes of even columns.
    """
    edge = margin(full_width)
    out = _edge(image.size, window, grid, full_width).copy()
    out.paste(image, (edge, edge))
    return out


@lru_cache(maxsize=8)
def _edge(inner: tuple[int, int], window: Box, grid: Grid, full_width: int) -> Image.Image:
    """The edge about a chart of a size."""
    edge, unit = margin(full_width), full_width / FULL_WIDTH
    size = (inner[0] + 2 * edge, inner[1] + 2 * edge)
    image = _dyed(_BORDER, 0.06, size, 40)
    draw = ImageDraw.Draw(image)
    for inset, thick in ((2 * unit, 3), (edge - 3 * unit, 4)):
        box = (inset, inset, size[0] - 1 - inset, size[1] - 1 - inset)
        draw.rectangle(box, outline=INK, width=max(1, round(thick * unit)))
    scale = inner[0] / (window[2] - window[0])
    face = font(round(LETTER * unit))
    for column in range(grid.columns):
        x = (centre(hexes.at(column, 0, grid.lower))[0] - window[0]) * scale
        if 0.4 * scale < x < inner[0] - 0.4 * scale:
            for y in (edge * 0.5, size[1] - edge * 0.5):
                draw.text((edge + x, y), chr(65 + column), fill=INK, font=face, anchor="mm")
    for row in range(grid.rows[0]):
        y = (window[3] - centre(hexes.at(0, row, grid.lower))[1]) * scale
        if 0.4 * scale < y < inner[1] - 0.4 * scale:
            for x in (edge * 0.5, size[0] - edge * 0.5):
                draw.text((x, edge + y), str(row + 1), fill=INK, font=face, anchor="mm")
    return image
