"""The wind on the sea: an arrow that points where it blows, with its strength."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Point
from render.drawing.marking import marking
from render.drawing.style import CHALK, INK, Colour, load_font
from render.marks.labels import Obstacle, box_obstacle
from render.marks.sighting import best_corner
from render.marks.signs import GOLD
from render.seas.hexmap import HexCanvas
from rules.squadrons.engine.sea.state import Position, Wind

_SIGN_PX: Final = 176  # 44 px on a phone that shows the picture 400 wide
LEGEND_SIGN_PX: Final = 90
_SIGN_WEIGHT: Final = 4000  # as an obstacle: labels never cover it
_DISC_COLOUR: Final[Colour] = (12, 44, 84)
_CALM_COLOUR: Final[Colour] = (176, 206, 218)
_ARROW: Final = ((0.0, 0.47), (0.32, 0.1), (0.12, 0.1), (0.12, -0.41), (-0.12, -0.41), (-0.12, 0.1), (-0.32, 0.1))
"""Outline of the arrow to the north, in parts of the sign's size from its middle."""


def lay_wind(canvas: HexCanvas, position: Position, obstacles: Sequence[Obstacle]) -> list[Obstacle]:
    """Paste the wind's sign into the corner where it covers least. Return it as an obstacle; nothing without wind."""
    if position.wind is None:
        return []
    sign = draw_wind(position.wind, round(_SIGN_PX * canvas.px))
    left, top = best_corner(canvas, sign.size, obstacles)
    with marking(canvas, "wind"):
        canvas.image.paste(sign, (round(left), round(top)), sign)
    return [box_obstacle((left, top, left + sign.width, top + sign.height), _SIGN_WEIGHT)]


@lru_cache(maxsize=32)
def draw_wind(wind: Wind, size: int) -> Image.Image:
    """Draw a disc with an arrow and the strength; in a dead calm, with the strength 0 alone."""
    large_size = size * OVERSAMPLING
    image = Image.new("RGBA", (large_size, large_size))
    draw = ImageDraw.Draw(image)
    middle = large_size / 2
    rim = max(2, round(0.035 * large_size))
    draw.ellipse((0, 0, large_size - 1, large_size - 1), fill=(*_DISC_COLOUR, 225), outline=CHALK, width=rim)
    colour = GOLD if wind.strength else _CALM_COLOUR
    if wind.strength:
        angle = pi / 3 * wind.direction
        draw.polygon([_turned(point, angle, large_size) for point in _ARROW], fill=GOLD, outline=INK, width=rim)
    hub = 0.185 * large_size
    draw.ellipse((middle - hub, middle - hub, middle + hub, middle + hub), fill=INK, outline=colour, width=rim)
    font = load_font(round(0.33 * large_size))
    draw.text((middle, middle), str(wind.strength), fill=colour, font=font, anchor="mm")
    return image.reduce(OVERSAMPLING)


def _turned(point: Point, angle: float, size: int) -> Point:
    east, north = point
    return (
        size * (0.5 + east * cos(angle) + north * sin(angle)),
        size * (0.5 + east * sin(angle) - north * cos(angle)),
    )
