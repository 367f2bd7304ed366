"""A bright sea of hexes with land, and the edge that numbers its columns and rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import shapely
from PIL import Image, ImageDraw

from render.drawing.backgrounds import cache_background
from render.drawing.canvas import Rect
from render.drawing.style import Colour
from render.seas.hexmap import EdgeStyle, HexGrid, hex_outline, mask_lines, visible_hexes, write_hex_names
from render.seas.water import SeaStyle, draw_sea
from render.squadrons.liveries import BLUE_LIVERY, RED_LIVERY

SEA: Final[Colour] = (46, 120, 160)
FOAM: Final[Colour] = (228, 244, 246)
SAND: Final[Colour] = (226, 204, 150)
_STYLE: Final = SeaStyle(
    depths=(
        (0.0, (16, 70, 122)),
        (0.25, (30, 96, 142)),
        (0.5, (50, 126, 162)),
        (0.75, (98, 168, 184)),
        (1.0, (190, 222, 206)),
    ),
    heights=((0.0, (150, 138, 80)), (0.5, (120, 124, 66)), (1.0, (172, 160, 112))),
    depth=0.4,
    clouds=0.08,
    swell=(0.03, 0.0),  # a stronger swell would make the pictures' files too large
    shallows=((1.5, 0.3), (0.6, 0.34)),
    foam=FOAM,
    sand=SAND,
)
_MARBLE_COLOUR: Final[Colour] = (226, 216, 196)
_LINE_COLOUR: Final[Colour] = (30, 44, 70)
_FLOOR_COLOUR: Final[Colour] = (18, 30, 44)
_END_INK: Final[Colour] = (255, 246, 228)
SLIM_MARGIN_PX: Final = 10
_MIN_NUMBER_PX: Final = 9.0  # smaller numbers of hexes are left out
_ROUND_COAST: Final = 0.3  # radius of coasts' corners, in edges of a hex


def _paint_marble(size: tuple[int, int], _: int) -> Image.Image:
    return Image.new("RGB", size, _MARBLE_COLOUR)


EDGE: Final = EdgeStyle(
    54,
    _paint_marble,
    _LINE_COLOUR,
    ((1, 3), (3, 5)),
    level_column=1,
    ends=((RED_LIVERY.base, _END_INK), (BLUE_LIVERY.mark, _END_INK)),
)


@cache_background
def draw_water(
    size: tuple[int, int], window: Rect, grid: HexGrid, full_width: int, *, numbered: bool = True
) -> Image.Image:
    """Draw the bare sea in a window, as an image of a size in pixels. Copy the result before drawing on it."""
    image = draw_sea(size, window, _join_land(grid), full_width, _STYLE)
    number_px = round(0.36 * size[0] / (window[2] - window[0]))
    image.paste(FOAM, None, mask_lines(size, window, grid, 0.3, 0.045))
    if not grid.is_filled_by_hexes(window):
        _darken_outside(image, window, grid)
    if numbered and number_px >= _MIN_NUMBER_PX:
        write_hex_names(image, window, grid, size=number_px, ink=FOAM, level=150, below_top=0.26)
    return image


@lru_cache(maxsize=8)
def _join_land(grid: HexGrid) -> shapely.Geometry:
    land = shapely.union_all([shapely.Polygon(hex_outline(here, 1.02)) for here in sorted(grid.land)])
    for distance in (-_ROUND_COAST, 2 * _ROUND_COAST, -_ROUND_COAST):
        land = land.buffer(distance, quad_segs=3)
    return land


def _darken_outside(image: Image.Image, window: Rect, grid: HexGrid) -> None:
    scale = image.width / (window[2] - window[0])
    mask = Image.new("L", image.size, round(255 * 0.72))
    draw = ImageDraw.Draw(mask)
    for here in visible_hexes(window, grid):
        draw.polygon([((x - window[0]) * scale, (window[3] - y) * scale) for x, y in hex_outline(here, 1.03)], fill=0)
    image.paste(_FLOOR_COLOUR, None, mask)


def add_slim_edge(image: Image.Image, margin: int) -> Image.Image:
    out = Image.new("RGB", (image.width + 2 * margin, image.height + 2 * margin), _MARBLE_COLOUR)
    out.paste(image, (margin, margin))
    return out
