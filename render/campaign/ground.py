"""The chart's ground: water, land with its coasts, and the legs that galleys row."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from render.canvas import Canvas, Point
from render.parchment import INK, LAND, SEA
from render.style import FULL_WIDTH, Colour
from rules.campaign.table.sea.maps import Place, SeaMap, sea_map

EDGE: Final = 0.06
"""Part of the map's larger side that is left free around its places."""
_NAME: Final = 40 / FULL_WIDTH
"""More below them, where names stand, as a part of the picture's width."""
_WIDE: Final = 1.45
"""Times its height that a chart is wide at least: a phone shows it together with the buttons below it."""
ABREAST: Final = 4
"""Captains in a row of the legend."""
_SHALLOW: Final[Colour] = (150, 184, 178)
_ISLES: Final = frozenset({"ring"})
"""Maps of islands in open water; on others land is all that is far from the ways of galleys."""
_OPEN: Final = 0.062
"""Half the width of the water along a leg between seas, as a part of the map's larger side."""
_NARROW: Final = 0.03
"""The same of the water before a port, and how large an island is for each point of its port's worth."""


def rows_of(captains: int) -> int:
    """Rows of the legend."""
    return -(-captains // ABREAST)


def legend_high(captains: int) -> float:
    """How high the legend below the map is, as a part of the picture's width."""
    return (8 + 62 * rows_of(captains)) / FULL_WIDTH


@lru_cache(maxsize=4)
def ground(name: str, captains: int, width: int) -> tuple[Image.Image, tuple[float, float, float, float]]:
    """The empty chart so many pixels wide, and the window of the map that it shows (west, south, east, north)."""
    sea = sea_map(name, captains)
    xs, ys = ([getattr(place, axis) for place in sea.places.values()] for axis in "xy")
    wide, tall = max(xs) - min(xs), max(ys) - min(ys)
    spare = EDGE * max(wide, tall)
    across, down, below = wide + 2 * spare, tall + 2 * spare, legend_high(captains) + _NAME
    across = max(across, _WIDE * down / (1 - _WIDE * below))
    beside = (across - wide) / 2
    window = (min(xs) - beside, min(ys) - spare - below * across, max(xs) + beside, max(ys) + spare)
    high = round(width * (window[3] - window[1]) / (window[2] - window[0]))
    canvas = Canvas(Image.new("RGB", (width, high), SEA), window, width)
    land = _land(canvas, sea)
    shore = land.filter(ImageFilter.GaussianBlur(14 * canvas.unit))
    canvas.image.paste(_SHALLOW, (0, 0), shore.point([min(255, level * 2) for level in range(256)]))
    edge = land.filter(ImageFilter.MaxFilter(2 * max(1, round(2 * canvas.unit)) + 1))
    canvas.image.paste(INK, (0, 0), edge)
    canvas.image.paste(LAND, (0, 0), land)
    _legs(canvas, sea)
    return canvas.image, window


def _land(canvas: Canvas, sea: SeaMap) -> Image.Image:
    """A mask of the land, its coasts as rough as a fixed chance makes them."""
    rng = np.random.default_rng(7)
    width, high = canvas.image.size
    rough = Image.fromarray((rng.random((high // 12 + 2, width // 12 + 2)) * 255).astype(np.uint8))
    noise = np.asarray(rough.resize((width, high), Image.Resampling.BICUBIC), dtype=np.float32) / 255 - 0.5
    mask = Image.new("L", (width, high))
    draw = ImageDraw.Draw(mask)
    unit = max(sea.size) * canvas.scale
    isles = sea.name in _ISLES
    for place in sea.places.values():
        at = canvas.at((place.x, place.y))
        if isles and place.port:
            _disc(draw, at, _NARROW * unit * (0.55 + 0.3 * place.worth))
        elif not isles:
            for other in place.legs:
                to = sea.places[other]
                wide = _NARROW if place.port or to.port else _OPEN
                draw.line((*at, *canvas.at((to.x, to.y))), fill=255, width=round(2 * wide * unit))
            _disc(draw, at, (_NARROW * 0.6 if place.port else _OPEN * 1.15) * unit)
    soft = mask.filter(ImageFilter.GaussianBlur(0.012 * unit))
    level = np.asarray(soft, dtype=np.float32) / 255 + 0.5 * noise
    land = level > 0.5 if isles else level < 0.45
    return Image.fromarray((land * 255).astype(np.uint8))


def _disc(draw: ImageDraw.ImageDraw, at: Point, radius: float) -> None:
    draw.ellipse((at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius), fill=255)


def _legs(canvas: Canvas, sea: SeaMap) -> None:
    """Dotted lines along the legs, fainter to ports."""
    for place in sea.places.values():
        for other in place.legs:
            if place.code < other:
                _leg(canvas, place, sea.places[other])


def _leg(canvas: Canvas, one: Place, other: Place) -> None:
    faint = one.port or other.port
    ends = [canvas.at((one.x, one.y)), canvas.at((other.x, other.y))]
    dash = (6 * canvas.unit, 10 * canvas.unit)
    canvas.line(ends, INK, 2.4 * canvas.unit, 0.35 if faint else 0.6, dash=dash, chalk=False)
