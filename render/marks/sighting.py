"""The surroundings of a plan: arrows to what is outside the picture, and a small map of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, radians, sin
from typing import Final

from PIL import Image, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Canvas, Point, Rect
from render.drawing.marking import marking, shows
from render.drawing.style import BRASS, CHALK, SOOT, WARM, WOOD, Colour, Livery
from render.drawing.viewport import Landmark
from render.marks import signs
from render.marks.labels import Label, Obstacle, box_obstacle, lay_labels, place_labels

LETTER_PX: Final = 50
"""Letters of an enemy's name and distance, in pixels at full width: 10 px on a phone that shows the picture 320
wide."""
_ARROW_LENGTH_PX, _ARROW_WIDTH_PX = 84, 76
_GAP_PX: Final = 14  # between an arrow's tip and the edge
_ARROW_WEIGHT: Final = 4000  # of an arrow and its plate as obstacles: labels never cover them
_INSET_GAP_PX: Final = 16  # between a small map and the corner


def edge_crossing(canvas: Canvas, landmark: Landmark) -> tuple[Point, Point]:
    """Return where the line to a landmark leaves the picture, in pixels, and its direction as a unit vector."""
    spare = _GAP_PX * canvas.px
    right, bottom = canvas.image.width - spare, canvas.image.height - spare
    x, y = canvas.to_pixels(landmark.start)
    x, y = min(max(x, spare), right), min(max(y, spare), bottom)
    to_x, to_y = canvas.to_pixels(landmark.middle)
    dx, dy = to_x - x, to_y - y
    parts = [1.0]  # parts of the line at which it reaches the landmark or an edge
    if dx:
        parts.append(((right if dx > 0 else spare) - x) / dx)
    if dy:
        parts.append(((bottom if dy > 0 else spare) - y) / dy)
    part = min(parts)
    distance = hypot(dx, dy) or 1.0
    return (x + dx * part, y + dy * part), (dx / distance, dy / distance)


@dataclass(frozen=True)
class Signpost:
    """An arrow at a picture's edge towards a landmark outside it, and a plate with its name and distance."""

    landmark: Landmark
    livery: Livery  # whose colours the arrow has
    words: tuple[str | Image.Image, ...]  # on the plate
    heading: float | None = None  # of a small hull on the plate, in degrees as seen in the picture; None: no hull


def draw_signposts(canvas: Canvas, posts: Sequence[Signpost], obstacles: Sequence[Obstacle]) -> list[Obstacle]:
    """Draw signposts, the most important first. Returns the obstacles that arrows and plates form.

    Landmarks in nearly the same direction share the first one's arrow.
    """
    drawn: list[Obstacle] = []
    tips: list[Point] = []
    for post in posts:
        tip, direction = edge_crossing(canvas, post.landmark)
        is_new = all(hypot(tip[0] - x, tip[1] - y) > _ARROW_WIDTH_PX * canvas.px for x, y in tips)
        if is_new:
            tips.append(tip)
            drawn.append(_draw_arrow(canvas, post.livery, tip, direction))
        drawn += _draw_plate(canvas, post, tip, direction, [*obstacles, *drawn])
    return drawn


@shows("signpost")
def _draw_arrow(canvas: Canvas, livery: Livery, tip: Point, direction: Point) -> Obstacle:
    px = canvas.px
    for grow, colour in ((9 * px, SOOT), (5 * px, CHALK), (0.0, livery.base)):
        canvas.fill_polygon(_arrow_corners(tip, direction, px, grow), colour)
    return Obstacle(tuple(_arrow_corners(tip, direction, px, 12 * px)), _ARROW_WEIGHT)


def _draw_plate(
    canvas: Canvas, post: Signpost, tip: Point, direction: Point, obstacles: Sequence[Obstacle]
) -> list[Obstacle]:
    px, (dx, dy) = canvas.px, direction
    size = round(LETTER_PX * px)
    hull = []
    if post.heading is not None:
        hull = [_hull_sign(round(post.heading) % 360, post.livery.base, round(size * 1.1))]
    plate = signs.draw_row([*hull, *post.words], size, edge=post.livery.letter)
    tail = (tip[0] - dx * _ARROW_LENGTH_PX * px, tip[1] - dy * _ARROW_LENGTH_PX * px)
    plate_distance = abs(dx) * plate.width / 2 + abs(dy) * plate.height / 2 + 12 * px
    label = Label(
        post.landmark.id,
        plate,
        tail,
        10 * px,
        has_lead=False,
        offset=(-dx * plate_distance, -dy * plate_distance),
        mark="signpost",
    )
    placed = place_labels(canvas, [label], obstacles)
    lay_labels(canvas, placed)
    return [box_obstacle(box, _ARROW_WEIGHT) for _, box in placed]


def hexes_words(canvas: Canvas, name: str, landmark: Landmark) -> tuple[str | Image.Image, ...]:
    """Return a landmark's name and its distance in hexes."""
    return name, f"{landmark.distance:.0f}", signs.draw_sign("hex", round(LETTER_PX * canvas.px))


def _arrow_corners(tip: Point, direction: Point, px: float, grow: float) -> list[Point]:
    dx, dy = direction
    length = _ARROW_LENGTH_PX * px
    half = _ARROW_WIDTH_PX * px / 2
    corners = (  # ahead of the tip and to starboard
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


_OVERSAMPLING: Final = 2
_MAX_WIDTH_PART: Final = 0.24  # of the picture's width, for a small map
_MAX_HEIGHT_PART: Final = 0.3  # of its height


@dataclass(frozen=True)
class MapDot:
    point: Point  # in the map's unit
    colour: Colour  # of the dot
    rim: Colour = SOOT  # colour of the ring around the dot


@dataclass(frozen=True)
class MapColours:
    """Colours of a small map: outside and inside the picture's window, land, and marked outlines."""

    around: Colour = WOOD[0]  # outside the picture's window
    within: Colour = WOOD[2]  # inside it
    land: Colour = WOOD[4]
    dot: int = 13
    """Radius of a dot in pixels at full width: 3 px on a phone that shows the picture 400 wide."""
    marked: Colour = WARM  # of outlines that stand out


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
    scale = min(
        _MAX_WIDTH_PART * canvas.image.width / (whole[2] - whole[0]),
        _MAX_HEIGHT_PART * canvas.image.height / (whole[3] - whole[1]),
    )
    width, height = round((whole[2] - whole[0]) * scale), round((whole[3] - whole[1]) * scale)
    left, top = best_corner(canvas, (width, height), obstacles)
    small = Canvas(
        Image.new("RGB", (width * _OVERSAMPLING, height * _OVERSAMPLING), colours.around),
        whole,
        full_width=0,  # nothing on it has a size in pixels at full width
        turned=canvas.turned,
    )
    _draw_inset(small, canvas, land, marked, dots, colours=colours)
    with marking(canvas, "inset"):
        canvas.image.paste(small.image.reduce(_OVERSAMPLING), (round(left), round(top)))
    box = ((left, top), (left + width, top), (left + width, top + height), (left, top + height))
    return [Obstacle(tuple((round(x), round(y)) for x, y in box), 1000)]


def best_corner(canvas: Canvas, size: tuple[int, int], obstacles: Sequence[Obstacle]) -> Point:
    """Return where the upper left corner of a sign of this size goes to cover least in a corner of the picture."""
    width, height = size
    gap = _INSET_GAP_PX * canvas.px
    right, bottom = canvas.image.width - gap - width, canvas.image.height - gap - height
    corners = [(left, top) for top in (gap, bottom) for left in (right, gap)]
    return min(corners, key=lambda at: _cover_cost((at[0], at[1], at[0] + width, at[1] + height), obstacles))


def _draw_inset(
    small: Canvas,
    canvas: Canvas,
    land: Sequence[Sequence[Point]],
    marked: Sequence[Sequence[Point]],
    dots: Sequence[MapDot],
    *,
    colours: MapColours,
) -> None:
    # Draws the small map, with the window of the picture (`canvas`) as a bright rectangle.
    px = canvas.px * _OVERSAMPLING
    draw = ImageDraw.Draw(small.image)
    west, south, east, north = canvas.window
    ax, ay = small.to_pixels((west, south))
    bx, by = small.to_pixels((east, north))
    box = (min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
    draw.rectangle(box, fill=colours.within)
    for ring in land:
        draw.polygon([small.to_pixels(point) for point in ring], fill=colours.land)
    for ring in marked:
        # The first two points are repeated, because Pillow rounds a joint only between two segments.
        shape = [small.to_pixels(point) for point in (*ring, *ring[:2])]
        draw.line(shape, fill=colours.marked, width=max(2, round(10 * px)), joint="curve")
    draw.rectangle(box, outline=CHALK, width=max(1, round(5 * px)))
    for dot in dots:
        x, y = small.to_pixels(dot.point)
        for radius, colour in ((colours.dot + 3, dot.rim), (colours.dot, dot.colour)):
            r = radius * px
            draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)
    edge = (0, 0, small.image.width - 1, small.image.height - 1)
    draw.rectangle(edge, outline=BRASS, width=max(1, round(4 * px)))


def _cover_cost(box: Rect, obstacles: Sequence[Obstacle]) -> float:
    # An obstacle counts by the part of its corners that the box covers.
    left, top, right, bottom = box
    return sum(
        obstacle.weight
        * sum(left <= x <= right and top <= y <= bottom for x, y in obstacle.shape)
        / len(obstacle.shape)
        for obstacle in obstacles
    )
