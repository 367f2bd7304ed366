"""A small map of the whole in a corner of a picture that shows a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import Canvas, Point, Rect
from render.drawing.style import BRASS, CHALK, SOOT, WARM, WOOD, Colour
from render.marks.labels import Obstacle

_OVERSAMPLING: Final = 2
_WIDTH_PART: Final = 0.24
_MAX_HEIGHT_PART: Final = 0.3
_GAP_PX: Final = 16


@dataclass(frozen=True)
class MapDot:
    point: Point
    colour: Colour
    rim: Colour = SOOT


@dataclass(frozen=True)
class MapColours:
    """Colours of a small map: outside and inside the picture's window, land, and marked outlines."""

    around: Colour = WOOD[0]
    within: Colour = WOOD[2]
    land: Colour = WOOD[4]
    dot: int = 13
    """Radius of a dot in pixels at full width: 3 px on a phone that shows the picture 400 wide."""
    marked: Colour = WARM


_TABLE_COLOURS: Final = MapColours()


def lay_inset(
    canvas: Canvas,
    whole: Rect,
    dots: Sequence[MapDot],
    obstacles: Sequence[Obstacle],
    *,
    land: Sequence[Sequence[Point]] = (),
    marked: Sequence[Sequence[Point]] = (),
    colours: MapColours = _TABLE_COLOURS,
) -> list[Obstacle]:
    """Paste a map of the whole (west, south, east and north) into the corner where it covers least.

    `marked` outlines stand out on the map. Returns the obstacles that names must avoid: none if the picture already
    shows the whole, because no small map is drawn then.
    """
    west, south, east, north = canvas.window
    if west <= whole[0] and south <= whole[1] and east >= whole[2] and north >= whole[3]:
        return []
    gap = _GAP_PX * canvas.unit
    scale = min(
        _WIDTH_PART * canvas.image.width / (whole[2] - whole[0]),
        _MAX_HEIGHT_PART * canvas.image.height / (whole[3] - whole[1]),
    )
    width, height = round((whole[2] - whole[0]) * scale), round((whole[3] - whole[1]) * scale)
    right, bottom = canvas.image.width - gap - width, canvas.image.height - gap - height
    corners = [(left, top) for top in (gap, bottom) for left in (right, gap)]
    left, top = min(corners, key=lambda at: _cover_cost((at[0], at[1], at[0] + width, at[1] + height), obstacles))
    small = _InsetMap(canvas, whole, scale, (width, height), colours)
    canvas.image.paste(small.draw(land, marked, dots), (round(left), round(top)))
    box = ((left, top), (left + width, top), (left + width, top + height), (left, top + height))
    return [Obstacle(tuple((round(x), round(y)) for x, y in box), 1000)]


class _InsetMap:
    def __init__(self, canvas: Canvas, whole: Rect, scale: float, size: tuple[int, int], colours: MapColours) -> None:
        self.canvas, self.whole, self.scale, self.colours = canvas, whole, scale * _OVERSAMPLING, colours
        self.image = Image.new("RGB", (size[0] * _OVERSAMPLING, size[1] * _OVERSAMPLING), colours.around)

    def to_pixels(self, point: Point) -> Point:
        x, y = point[0] - self.whole[0], point[1] - self.whole[1]
        width, height = self.whole[2] - self.whole[0], self.whole[3] - self.whole[1]
        across, down = (width - x, y) if self.canvas.turned else (x, height - y)
        return across * self.scale, down * self.scale

    def draw(
        self, land: Sequence[Sequence[Point]], marked: Sequence[Sequence[Point]], dots: Sequence[MapDot]
    ) -> Image.Image:
        unit, part, draw = self.canvas.unit * _OVERSAMPLING, self.canvas.window, ImageDraw.Draw(self.image)
        (ax, ay), (bx, by) = self.to_pixels((part[0], part[1])), self.to_pixels((part[2], part[3]))
        box = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
        draw.rectangle(box, fill=self.colours.within)
        for ring in land:
            draw.polygon([self.to_pixels(point) for point in ring], fill=self.colours.land)
        for ring in marked:
            # The first two points are repeated, because Pillow rounds a joint only between two segments.
            shape = [self.to_pixels(point) for point in (*ring, *ring[:2])]
            draw.line(shape, fill=self.colours.marked, width=max(2, round(10 * unit)), joint="curve")
        draw.rectangle(box, outline=CHALK, width=max(1, round(5 * unit)))
        for dot in dots:
            x, y = self.to_pixels(dot.point)
            for radius, colour in ((self.colours.dot + 3, dot.rim), (self.colours.dot, dot.colour)):
                r = radius * unit
                draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)
        edge = (0, 0, self.image.width - 1, self.image.height - 1)
        draw.rectangle(edge, outline=BRASS, width=max(1, round(4 * unit)))
        return self.image.reduce(_OVERSAMPLING)


def _cover_cost(box: Rect, obstacles: Sequence[Obstacle]) -> float:
    left, top, right, bottom = box
    return sum(
        obstacle.weight
        * sum(left <= x <= right and top <= y <= bottom for x, y in obstacle.shape)
        / len(obstacle.shape)
        for obstacle in obstacles
    )
