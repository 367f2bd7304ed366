"""An arrow at a plan's edge that points to the nearest enemy outside the picture."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import cos, hypot, radians, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Canvas, Point
from render.drawing.style import CHALK, SOOT, Colour, Livery
from render.drawing.viewport import Foe
from render.marks import signs
from render.marks.labels import Label, Obstacle, box_obstacle, lay_labels, place_labels

LETTER_PX: Final = 50
"""Letters of an enemy's name and distance, in pixels at full width: 10 px on a phone that shows the picture 320
wide."""
_ARROW_LENGTH_PX, _ARROW_WIDTH_PX = 84, 76
_GAP_PX: Final = 14


def edge_crossing(canvas: Canvas, foe: Foe) -> tuple[Point, Point]:
    """Return where the line to an enemy leaves the picture, in pixels, and its direction as a unit vector."""
    spare = _GAP_PX * canvas.unit
    right, bottom = canvas.image.width - spare, canvas.image.height - spare
    (x, y), (to_x, to_y) = canvas.to_pixels(foe.start), canvas.to_pixels(foe.middle)
    x, y = min(max(x, spare), right), min(max(y, spare), bottom)
    dx, dy = to_x - x, to_y - y
    parts = [((right if dx > 0 else spare) - x) / dx] if dx else []
    parts += [((bottom if dy > 0 else spare) - y) / dy] if dy else []
    part, distance = min([1.0, *parts]), hypot(dx, dy) or 1.0
    return (x + dx * part, y + dy * part), (dx / distance, dy / distance)


def point_out(
    canvas: Canvas, foe: Foe, livery: Livery, plate: Image.Image, obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    """Draw an arrow at the edge towards an enemy outside the picture, and a plate beside it.

    Returns the obstacles that arrow and plate form.
    """
    tip, (dx, dy) = edge_crossing(canvas, foe)
    unit = canvas.unit
    tail = (tip[0] - dx * _ARROW_LENGTH_PX * unit, tip[1] - dy * _ARROW_LENGTH_PX * unit)
    for grow, colour in ((9 * unit, SOOT), (5 * unit, CHALK), (0.0, livery.base)):
        canvas.fill_polygon(_arrow_head(tip, (dx, dy), unit, grow), colour)
    arrow = Obstacle(tuple(_arrow_head(tip, (dx, dy), unit, 12 * unit)), 4000)
    away = abs(dx) * plate.width / 2 + abs(dy) * plate.height / 2 + 12 * unit
    label = Label(foe.id, plate, tail, 10 * unit, has_lead=False, offset=(-dx * away, -dy * away))
    placed = place_labels(canvas, [label], [*obstacles, arrow])
    lay_labels(canvas, placed)
    return [arrow, *(box_obstacle(box, 4000) for _, box in placed)]


def draw_foe_plate(canvas: Canvas, livery: Livery, heading: float | None, *words: str | Image.Image) -> Image.Image:
    """Draw a plate with an enemy's name and distance, and a small hull that points as the ship heads.

    `heading` is in degrees as seen in the picture. None: no hull is drawn.
    """
    size = round(LETTER_PX * canvas.unit)
    hull = [] if heading is None else [_hull_sign(round(heading) % 360, livery.base, round(size * 1.1))]
    return signs.draw_row([*hull, *words], size, edge=livery.letter)


def _arrow_head(tip: Point, direction: Point, unit: float, grow: float) -> list[Point]:
    (dx, dy), length, half = direction, _ARROW_LENGTH_PX * unit, _ARROW_WIDTH_PX * unit / 2
    corners = (
        (0.9 * grow, 0.0),
        (-length - grow, half + grow),
        (-0.74 * length - grow, 0.0),
        (-length - grow, -half - grow),
    )
    return [(tip[0] + fore * dx - beam * dy, tip[1] + fore * dy + beam * dx) for fore, beam in corners]


@lru_cache(maxsize=128)
def _hull_sign(heading: int, colour: Colour, size: int) -> Image.Image:
    large_size = max(8, size) * OVERSAMPLING
    image = Image.new("RGBA", (large_size, large_size))
    angle = radians(heading)
    outline = ((0.0, 0.5), (0.24, 0.1), (0.24, -0.36), (0.12, -0.5), (-0.12, -0.5), (-0.24, -0.36), (-0.24, 0.1))
    points = [
        (large_size * (0.5 + x * cos(angle) + y * sin(angle)), large_size * (0.5 + x * sin(angle) - y * cos(angle)))
        for x, y in outline
    ]
    ImageDraw.Draw(image).polygon(points, fill=colour, outline=CHALK, width=max(1, large_size // 16))
    return image.reduce(OVERSAMPLING)
