"""A small map of the whole in a corner of a picture that shows a part: where the part lies, and who is where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from render.canvas import FINE, Box, Canvas, Point
from render.labels import Obstacle
from render.style import BRASS, CHALK, SOOT, WOOD, Colour

_WIDE: Final = 0.24
"""Its width as a part of the picture's."""
_HIGH: Final = 0.3
"""Its height as a part of the picture's, at most."""
_GAP: Final = 16
"""Pixels at full width between it and the picture's edges."""
_DOT: Final = 13
"""Radius of a dot in pixels at full width: three on a phone that shows the picture 400 wide."""


@dataclass(frozen=True)
class Dot:
    """Something upon the small map."""

    point: Point
    """In the map's unit."""
    colour: Colour
    rim: Colour = SOOT


def lay(canvas: Canvas, whole: Box, dots: Sequence[Dot], taken: Sequence[Obstacle]) -> list[Obstacle]:
    """Lay a map of the whole (west, south, east and north) into the corner where it covers least.

    Gives what names must keep off: nothing if the picture shows the whole already.
    """
    west, south, east, north = canvas.window
    if west <= whole[0] and south <= whole[1] and east >= whole[2] and north >= whole[3]:
        return []
    gap = _GAP * canvas.unit
    scale = min(_WIDE * canvas.image.width / (whole[2] - whole[0]), _HIGH * canvas.image.height / (whole[3] - whole[1]))
    wide, high = round((whole[2] - whole[0]) * scale), round((whole[3] - whole[1]) * scale)
    right, bottom = canvas.image.width - gap - wide, canvas.image.height - gap - high
    corners = [(left, top) for top in (gap, bottom) for left in (right, gap)]
    left, top = min(corners, key=lambda at: _covered((at[0], at[1], at[0] + wide, at[1] + high), taken))
    canvas.image.paste(_map(canvas, whole, scale, dots, (wide, high)), (round(left), round(top)))
    box = ((left, top), (left + wide, top), (left + wide, top + high), (left, top + high))
    return [Obstacle(tuple((round(x), round(y)) for x, y in box), 1000)]


def _map(canvas: Canvas, whole: Box, scale: float, dots: Sequence[Dot], size: tuple[int, int]) -> Image.Image:
    unit = canvas.unit * FINE
    image = Image.new("RGB", (size[0] * FINE, size[1] * FINE), WOOD[0])
    draw = ImageDraw.Draw(image)

    def at(point: Point) -> Point:
        x, y = point[0] - whole[0], point[1] - whole[1]
        across, down = (whole[2] - whole[0] - x, y) if canvas.turned else (x, whole[3] - whole[1] - y)
        return across * scale * FINE, down * scale * FINE

    def box(part: Box) -> Box:
        (ax, ay), (bx, by) = at((part[0], part[1])), at((part[2], part[3]))
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    draw.rectangle(box(canvas.window), fill=WOOD[2], outline=CHALK, width=max(1, round(5 * unit)))
    for dot in dots:
        x, y = at(dot.point)
        for radius, colour in ((_DOT + 3, dot.rim), (_DOT, dot.colour)):
            r = radius * unit
            draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)
    draw.rectangle((0, 0, image.width - 1, image.height - 1), outline=BRASS, width=max(1, round(4 * unit)))
    return image.reduce(FINE)


def _covered(box: Box, taken: Sequence[Obstacle]) -> float:
    """How bad it is to cover a box: by how much of what is in the way lies within it."""
    left, top, right, bottom = box
    return sum(
        obstacle.weight
        * sum(left <= x <= right and top <= y <= bottom for x, y in obstacle.shape)
        / len(obstacle.shape)
        for obstacle in taken
    )
