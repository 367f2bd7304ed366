"""An old sea chart: parchment, tinted water, coasts with their hatching, hexes, and the letters around it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from render.canvas import Box
from render.hexmap import HIGH, Grid, centre, outline
from render.style import FULL_WIDTH, Colour, font
from rules import hexes
from rules.hexes import Hex

Floats = NDArray[np.float32]

PAPER: Final[Colour] = (226, 207, 166)
SEA: Final[Colour] = (128, 166, 166)
LAND: Final[Colour] = (205, 180, 118)
INK: Final[Colour] = (58, 38, 24)
MARGIN: Final = 50
"""Pixels at full width of the edge with the letters."""
LETTER: Final = 44
"""Letters of that edge: 11 pixels on a phone that shows the picture 400 wide."""
_TILE: Final = (1024, 1024)


def margin(full_width: int) -> int:
    """Pixels of the edge with the letters in a picture of a width."""
    return round(MARGIN * full_width / FULL_WIDTH)


@lru_cache(maxsize=1)
def _clouds() -> Floats:
    """A tile of slow and fine noise, about -1 to 1."""
    chance = np.random.default_rng(1588)
    out = np.zeros(_TILE[::-1], dtype=np.float32)
    for cells, strength in ((5, 0.5), (14, 0.3), (60, 0.18), (500, 0.16)):
        coarse = chance.standard_normal((cells, cells)).astype(np.float32)
        layer = np.asarray(Image.fromarray(coarse).resize(_TILE, Image.Resampling.BICUBIC), dtype=np.float32)
        out += layer * (strength / float(np.abs(layer).std() + 1e-6) * 0.5)
    return np.clip(out, -1.0, 1.0)


def _noise(width: int, height: int, shift: int = 0) -> Floats:
    rows = np.arange(shift, shift + height) % _TILE[1]
    columns = np.arange(shift, shift + width) % _TILE[0]
    # Every other copy of the tile is mirrored, so that no seam shows.
    rows = np.where((np.arange(shift, shift + height) // _TILE[1]) % 2, _TILE[1] - 1 - rows, rows)
    columns = np.where((np.arange(shift, shift + width) // _TILE[0]) % 2, _TILE[0] - 1 - columns, columns)
    return _clouds()[rows][:, columns]


@lru_cache(maxsize=8)
def sheet(size: tuple[int, int], window: Box, grid: Grid, full_width: int) -> Image.Image:
    """The bare chart seen through a window, as an image of a size in pixels. Copy before drawing."""
    width, height = size
    scale = width / (window[2] - window[0])
    rough = _noise(width, height)
    paper = np.asarray(PAPER, dtype=np.float32) * (1.0 + 0.05 * rough[..., None])
    water = _mask(size, window, grid.hexes, 1.03, 0.04 * scale)
    shore = _mask(size, window, grid.land, 1.0, 0.2 * scale) + 0.12 * _noise(width, height, 311)
    land = np.clip((shore - 0.47) * (0.55 * scale / 2.4), 0.0, 1.0)
    colours = paper.copy()
    wash = np.asarray(SEA, dtype=np.float32) * (1.0 + 0.06 * _noise(width, height, 97)[..., None])
    colours += (wash - colours) * (water * 0.93)[..., None]
    _hatch(colours, size, window, grid, water)
    ground = np.asarray(LAND, dtype=np.float32) * (1.0 + 0.09 * rough[..., None])
    colours += (ground - colours) * land[..., None]
    coast = np.clip(1.0 - np.abs(shore - 0.47) * (0.55 * scale / 1.7), 0.0, 1.0)
    _ink(colours, coast * 0.9)
    _ink(colours, _lines(size, window, grid) * (0.34 - 0.16 * land))
    image = Image.fromarray(np.clip(colours, 0, 255).astype(np.uint8))
    _hills(image, window, scale, grid)
    _labels(image, window, scale, grid, full_width)
    return image


def _ink(colours: Floats, opacity: NDArray[np.floating[Any]]) -> None:
    colours += (np.asarray(INK, dtype=np.float32) - colours) * opacity[..., None]


def _mask(
    size: tuple[int, int], window: Box, some: tuple[Hex, ...] | frozenset[Hex], part: float, blur: float
) -> Floats:
    """Hexes as levels of 0 to 1, with soft edges."""
    mask = Image.new("L", size)
    draw = ImageDraw.Draw(mask)
    scale = size[0] / (window[2] - window[0])
    for here in some:
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in outline(here, part)], fill=255)
    return np.asarray(mask.filter(ImageFilter.GaussianBlur(blur)), dtype=np.float32) / 255.0


def _hatch(colours: Floats, size: tuple[int, int], window: Box, grid: Grid, water: Floats) -> None:
    """Level strokes off every coast, fading out to sea."""
    scale = size[0] / (window[2] - window[0])
    near = _mask(size, window, grid.land, 1.0, 0.42 * scale) + 0.05 * _noise(*size, 501)
    pitch = max(3.0, 0.13 * scale)
    rows = (np.arange(size[1], dtype=np.float32) % pitch) < max(1.0, 0.3 * pitch)
    strength = np.clip((near - 0.1) * 3.2, 0.0, 0.62) * water
    _ink(colours, strength * rows[:, None])


def _lines(size: tuple[int, int], window: Box, grid: Grid) -> Floats:
    """The edges of all hexes."""
    fine = 2
    scale = fine * size[0] / (window[2] - window[0])
    mask = Image.new("L", (size[0] * fine, size[1] * fine))
    draw = ImageDraw.Draw(mask)
    thick = max(2, round(0.035 * scale))
    for here in grid.hexes:
        ring = [((x - window[0]) * scale, (window[3] - y) * scale) for x, y in outline(here)]
        draw.line([*ring, ring[0]], fill=255, width=thick)
    return np.asarray(mask.reduce(fine), dtype=np.float32) / 255.0


def _hills(image: Image.Image, window: Box, scale: float, grid: Grid) -> None:
    """Little hills upon the land, shaded on the right."""
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


def _labels(image: Image.Image, window: Box, scale: float, grid: Grid, full_width: int) -> None:
    """The name of every hex in its upper part: readable in a crop, faint where all is seen."""
    most = LETTER * full_width / FULL_WIDTH
    size = round(min(0.5 * scale, most))
    face = font(size, heavy=False)
    mask = Image.new("L", image.size)
    draw = ImageDraw.Draw(mask)
    for here in grid.hexes:
        x, y = centre(here)
        spot = ((x - window[0]) * scale, (window[3] - y - HIGH / 2 + 0.06) * scale + size * 0.42)
        left, top, right, bottom = draw.textbbox(spot, grid.label(here), font=face, anchor="mm")
        if left >= 0 and top >= 0 and right <= image.width and bottom <= image.height:
            draw.text(spot, grid.label(here), fill=185, font=face, anchor="mm")
    image.paste(INK, None, mask)


def frame(image: Image.Image, window: Box, grid: Grid, full_width: int) -> Image.Image:
    """A chart with an edge all around it: columns' letters above and below, rows' numbers left and right.

    Numbers stand level with the hexes of even columns.
    """
    edge = margin(full_width)
    unit = full_width / FULL_WIDTH
    out = _edge((image.width + 2 * edge, image.height + 2 * edge), edge, unit).copy()
    out.paste(image, (edge, edge))
    draw = ImageDraw.Draw(out)
    scale = image.width / (window[2] - window[0])
    face = font(round(LETTER * unit))
    for column in range(grid.columns):
        x = (centre(hexes.at(column, 0, grid.lower))[0] - window[0]) * scale
        if 0.4 * scale < x < image.width - 0.4 * scale:
            for y in (edge * 0.5, out.height - edge * 0.5):
                draw.text((edge + x, y), chr(65 + column), fill=INK, font=face, anchor="mm")
    for row in range(grid.rows[0]):
        y = (window[3] - centre(hexes.at(0, row, grid.lower))[1]) * scale
        if 0.4 * scale < y < image.height - 0.4 * scale:
            for x in (edge * 0.5, out.width - edge * 0.5):
                draw.text((x, edge + y), str(row + 1), fill=INK, font=face, anchor="mm")
    return out


@lru_cache(maxsize=8)
def _edge(size: tuple[int, int], edge: int, unit: float) -> Image.Image:
    rough = _noise(*size, 40)
    image = Image.fromarray(np.clip(np.asarray(PAPER) * (0.93 + 0.06 * rough[..., None]), 0, 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    for inset, thick in ((2 * unit, 3), (edge - 3 * unit, 4)):
        box = (inset, inset, size[0] - 1 - inset, size[1] - 1 - inset)
        draw.rectangle(box, outline=INK, width=max(1, round(thick * unit)))
    return image
