"""The ground of the chart: water, land with coasts, and the legs between places."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from render.campaign.layout import MapLayout, lay_out
from render.drawing.canvas import Canvas, Point
from render.drawing.style import Colour
from render.seas.parchment import INK, LAND, SEA
from rules.campaign.engine.sea.maps import Place

_SHALLOW_COLOUR: Final[Colour] = (150, 184, 178)
_ISLAND_MAPS: Final = frozenset({"ring"})
"""Maps of islands in open water. On other maps, everything far from the legs is land. The widths below are parts of the
map's larger side."""
_SEA_LEG_HALF_WIDTH: Final = 0.062
_PORT_LEG_HALF_WIDTH: Final = 0.03


@lru_cache(maxsize=4)
def draw_ground(name: str, captains: int, width: int, *, low: bool) -> Image.Image:
    """Draw the empty chart; `low`: it stands above a panel's buttons. Copy the result before drawing on it."""
    layout = lay_out(name, captains, low=low)
    window = layout.window
    height = round(width * (window[3] - window[1]) / (window[2] - window[0]))
    canvas = Canvas(Image.new("RGB", (width, height), SEA), window, width)
    land = _land_mask(canvas, layout)
    shore = land.filter(ImageFilter.GaussianBlur(14 * canvas.unit))
    canvas.image.paste(_SHALLOW_COLOUR, (0, 0), shore.point([min(255, level * 2) for level in range(256)]))
    edge = land.filter(ImageFilter.MaxFilter(2 * max(1, round(2 * canvas.unit)) + 1))
    canvas.image.paste(INK, (0, 0), edge)
    canvas.image.paste(LAND, (0, 0), land)
    _draw_legs(canvas, layout.places)
    return canvas.image


def _land_mask(canvas: Canvas, layout: MapLayout) -> Image.Image:
    rng = np.random.default_rng(7)
    width, height = canvas.image.size
    rough = Image.fromarray((rng.random((height // 12 + 2, width // 12 + 2)) * 255).astype(np.uint8))
    noise = np.asarray(rough.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float32) / 255 - 0.5
    mask = Image.new("L", (width, height))
    draw = ImageDraw.Draw(mask)
    unit = layout.larger_side * canvas.scale
    isles = layout.name in _ISLAND_MAPS
    for place in layout.places.values():
        at = canvas.to_pixels((place.x, place.y))
        if isles and place.is_port:
            _draw_disc(draw, at, _PORT_LEG_HALF_WIDTH * unit * (0.55 + 0.3 * place.worth))
        elif not isles:
            for other in place.legs:
                to = layout.places[other]
                half_width = _PORT_LEG_HALF_WIDTH if place.is_port or to.is_port else _SEA_LEG_HALF_WIDTH
                draw.line((*at, *canvas.to_pixels((to.x, to.y))), fill=255, width=round(2 * half_width * unit))
            _draw_disc(draw, at, (_PORT_LEG_HALF_WIDTH * 0.6 if place.is_port else _SEA_LEG_HALF_WIDTH * 1.15) * unit)
    soft = mask.filter(ImageFilter.GaussianBlur(0.012 * unit))
    level = np.asarray(soft, dtype=np.float32) / 255 + 0.5 * noise
    land = level > 0.5 if isles else level < 0.45
    return Image.fromarray((land * 255).astype(np.uint8))


def _draw_disc(draw: ImageDraw.ImageDraw, at: Point, radius: float) -> None:
    draw.ellipse((at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius), fill=255)


def _draw_legs(canvas: Canvas, places: dict[str, Place]) -> None:
    for place in places.values():
        for other in place.legs:
            if place.code < other:
                _draw_leg(canvas, place, places[other])


def _draw_leg(canvas: Canvas, first: Place, second: Place) -> None:
    faint = first.is_port or second.is_port
    ends = [canvas.to_pixels((first.x, first.y)), canvas.to_pixels((second.x, second.y))]
    dash = (6 * canvas.unit, 10 * canvas.unit)
    canvas.draw_line(ends, INK, 2.4 * canvas.unit, 0.35 if faint else 0.6, dash=dash, chalk=False)
