"""Names on the table, each beside what it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from types import MappingProxyType
from typing import Final

from PIL import ImageDraw

from render.drawing.canvas import Canvas, Point, Rect, text_size
from render.drawing.style import CHALK, EMBER, NAME_SIZE, Colour, load_font
from render.marks import labels
from render.matchbox import badge as plates
from render.matchbox import marks
from render.matchbox.hull import is_small, oar_hull
from render.matchbox.liveries import LIVERIES
from rules.matchbox.engine.hull import hull_corners, hull_middle
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley, LaidMatch

_COIN_LETTER_PX: Final = 44
_LEAD_DISTANCE_PX: Final = 60
"""A name farther than this from its desired place gets a line to what it names; in pixels at full width."""
_TAKEN_WEIGHT: Final = 10**9
_NO_WISHES: Mapping[str, Point] = MappingProxyType({})


@dataclass(frozen=True)
class NameLabel:
    """A label to be placed beside a point in mm, or centred on it.

    `size` is in pixels at full width. `coin_colour` None: the text has no coin behind it.
    """

    words: str
    colour: Colour
    point: Point
    reach_mm: float = 33.0
    loss_text: str = ""
    ship: Galley | None = None
    """The galley whose state is shown below the name; None for a name alone."""
    coin_colour: Colour | None = None
    size: int = NAME_SIZE
    is_centred: bool = False
    is_crossed_out: bool = False


def ship_label(ship: Galley, lost: int = 0, *, badge: bool = False) -> NameLabel:
    """Return a label with a galley's name, the oars and masts it just lost, and with `badge` its state."""
    loss = f"−{lost}" if lost else ""
    return NameLabel(
        ship.id,
        LIVERIES[ship.side].letter,
        hull_middle(ship.pose, ship.kind),
        loss_text=loss,
        ship=ship if badge else None,
    )


def lost_ship_label(ship: Galley) -> NameLabel:
    return NameLabel(
        ship.id,
        LIVERIES[ship.side].letter,
        hull_middle(ship.pose, ship.kind),
        reach_mm=marks.WRECK_RADIUS_MM,
        is_crossed_out=True,
    )


def order_number_label(words: str, ship: Galley, pose: Pose) -> NameLabel:
    livery = LIVERIES[ship.side]
    return NameLabel(
        words,
        livery.on_base,
        hull_middle(pose, ship.kind),
        reach_mm=0.0,
        coin_colour=livery.base,
        size=_COIN_LETTER_PX,
        is_centred=True,
    )


def lay_out_labels(
    canvas: Canvas,
    names: Sequence[NameLabel],
    ships: Iterable[Galley],
    lying: Iterable[LaidMatch],
    *,
    wishes: Mapping[str, Point] = _NO_WISHES,
    others: Iterable[labels.Obstacle] = (),
) -> list[tuple[NameLabel, Rect]]:
    """Return a box in pixels for each name; names of things outside the window are omitted.

    `wishes` maps names to the desired offset in pixels of a label's middle from its point. If a name has no room
    together with its badge, it is placed without it.
    """
    west, south, east, north = canvas.window
    visible = [name for name in names if west < name.point[0] < east and south < name.point[1] < north]
    hulls = list(ships)
    placed: list[tuple[NameLabel, Rect]] = []

    def put(new_labels: Sequence[NameLabel], matches: Iterable[LaidMatch]) -> list[NameLabel]:
        if not new_labels:
            return []
        before = [labels.Obstacle(_rect_corners(box), _TAKEN_WEIGHT) for _, box in placed]
        results = _place_labels(
            canvas, new_labels, [*label_obstacles(canvas, hulls, matches), *others, *before], wishes
        )
        placed.extend((name, box) for name, box in results if box is not None)
        return [name for name, box in results if box is None]

    put([name for name in visible if name.coin_colour], ())
    crowded = put([name for name in visible if not name.coin_colour], lying)
    put([replace(name, ship=None) for name in crowded if name.ship], lying)
    return placed


def _place_labels(
    canvas: Canvas, names: Sequence[NameLabel], obstacles: Sequence[labels.Obstacle], wishes: Mapping[str, Point]
) -> list[tuple[NameLabel, Rect | None]]:
    requests: list[labels.Label] = []
    for name in names:
        width, height = _label_size(name, canvas.unit)
        near, offset = canvas.to_pixels(name.point), (0.0, 0.0) if name.is_centred else wishes.get(name.words)
        at = (near[0] + offset[0], near[1] + offset[1]) if offset else None
        requests.append(labels.Label(name.words, near, width, height, name.reach_mm * canvas.scale, at))
    return list(zip(names, labels.place_labels(requests, obstacles, canvas.image.size), strict=True))


def _label_size(name: NameLabel, unit: float) -> tuple[int, int]:
    size = round(name.size * unit)
    width, height = text_size(name.words, size)
    if name.coin_colour:
        return max(width, round(1.1 * size)) + round(0.3 * size), round(1.16 * size)
    width += text_size(name.loss_text, size)[0] if name.loss_text else 0
    if name.ship:
        across, down = plates.plate_size(name.ship, unit)
        return max(width, across), height + down
    return width, height


def write_labels(
    canvas: Canvas,
    names: Sequence[NameLabel],
    ships: Iterable[Galley],
    lying: Iterable[LaidMatch],
    *,
    others: Iterable[labels.Obstacle] = (),
) -> None:
    placed = lay_out_labels(canvas, names, ships, lying, others=others)
    for name, box in placed:
        _draw_lead(canvas, name, box)
    for name, box in placed:
        write_label(canvas, name, box)


def _draw_lead(canvas: Canvas, name: NameLabel, box: Rect) -> None:
    x, y = canvas.to_pixels(name.point)
    near = (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))
    distance, reach = hypot(x - near[0], y - near[1]), name.reach_mm * canvas.scale
    if name.is_centred or distance < reach + _LEAD_DISTANCE_PX * canvas.unit:
        return
    part = (distance - 0.6 * reach) / distance
    end = (near[0] + (x - near[0]) * part, near[1] + (y - near[1]) * part)
    canvas.draw_line([near, end], name.colour, max(2.0, 4 * canvas.unit), 0.9, chalk=False, shadow=True)


def write_label(canvas: Canvas, name: NameLabel, box: Rect) -> None:
    size = round(name.size * canvas.unit)
    if name.coin_colour:
        edge = max(1, round(3 * canvas.unit))
        width, height = _label_size(name, canvas.unit)
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        plate = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        draw = ImageDraw.Draw(canvas.image)
        draw.rounded_rectangle(plate, radius=height / 2, fill=name.coin_colour, outline=CHALK, width=edge)
        draw.text((x, y), name.words, fill=name.colour, font=load_font(size), anchor="mm")
        return
    width, height = text_size(name.words, size)
    whole = width + (text_size(name.loss_text, size)[0] if name.loss_text else 0)
    left = box[0] + (max(0.0, plates.plate_size(name.ship, canvas.unit)[0] - whole) / 2 if name.ship else 0.0)
    canvas.draw_text((left, box[1]), name.words, size, name.colour)
    if name.loss_text:
        canvas.draw_text((left + width, box[1]), name.loss_text, size, EMBER)
    if name.is_crossed_out:
        ends = [(left, box[1] + 0.62 * height), (left + width, box[1] + 0.42 * height)]
        canvas.draw_line(ends, EMBER, max(3.0, 7 * canvas.unit), chalk=False, shadow=True)
    if name.ship:
        across, _ = plates.plate_size(name.ship, canvas.unit)
        plates.draw_plate(canvas, (left + whole / 2 - across / 2, box[1] + height), name.ship)


def label_obstacles(canvas: Canvas, ships: Iterable[Galley], lying: Iterable[LaidMatch]) -> Iterable[labels.Obstacle]:
    """Yield what names should not cover: hulls, oars, heading arrows, order matches."""
    for ship in ships:
        yield labels.Obstacle(tuple(canvas.to_pixels(p) for p in hull_corners(ship.pose, ship.kind)), 100)
        yield labels.Obstacle(tuple(canvas.to_pixels(p) for p in oar_hull(ship)), 25)
        if is_small(canvas.scale, canvas.unit):
            yield labels.Obstacle(tuple(marks.heading_arrow(canvas, ship.pose, 4.0 * canvas.unit)), 60)
    for match in lying:
        ends = ((match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm))
        yield labels.Obstacle(tuple(canvas.to_pixels(p) for p in ends), 4)


def _rect_corners(box: Rect) -> tuple[Point, ...]:
    left, top, right, bottom = box
    return (left, top), (right, top), (right, bottom), (left, bottom)
