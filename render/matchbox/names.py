"""Names upon the table, each beside what it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from render import labels
from render.canvas import Box, Canvas, Point, text_size
from render.matchbox import marks
from render.matchbox.hull import is_small, oars_reach
from render.matchbox.liveries import LIVERIES
from render.style import EMBER, NAME_SIZE, Colour
from rules.matchbox.table.hull import corners, middle
from rules.matchbox.table.state import Galley, LaidMatch

_NONE: Mapping[str, Point] = MappingProxyType({})


@dataclass(frozen=True)
class Name:
    """A label to be placed: what it says, in which colour, and beside which point in mm."""

    words: str
    colour: Colour
    beside: Point
    reach_mm: float = 33.0
    loss: str = ""
    """Written after it in the colour of embers."""


def name_of(ship: Galley, lost: int = 0) -> Name:
    """A galley's name, and how many oars and masts she has just lost."""
    return Name(ship.id, LIVERIES[ship.side].letter, middle(ship.pose), loss=f"−{lost}" if lost else "")


def layout(
    canvas: Canvas,
    names: Sequence[Name],
    ships: Iterable[Galley],
    lying: Iterable[LaidMatch],
    *,
    wishes: Mapping[str, Point] = _NONE,
    others: Iterable[labels.Obstacle] = (),
) -> list[tuple[Name, Box]]:
    """Where each name goes, in pixels; those of things out of sight are left out.

    `wishes` are, by name, how far in pixels its middle should be from what it stands beside.
    """
    size = round(NAME_SIZE * canvas.unit)
    west, south, east, north = canvas.window
    seen = [name for name in names if west < name.beside[0] < east and south < name.beside[1] < north]
    wanted: list[labels.Label] = []
    for name in seen:
        wide, high = text_size(name.words, size)
        if name.loss:
            wide += text_size(name.loss, size)[0]
        near, wish = canvas.at(name.beside), wishes.get(name.words)
        at = (near[0] + wish[0], near[1] + wish[1]) if wish else None
        wanted.append(labels.Label(name.words, near, wide, high, name.reach_mm * canvas.scale, at))
    boxes = labels.place(wanted, [*_obstacles(canvas, ships, lying), *others], canvas.image.size)
    return [(name, box) for name, box in zip(seen, boxes, strict=True) if box is not None]


def write(
    canvas: Canvas,
    names: Sequence[Name],
    ships: Iterable[Galley],
    lying: Iterable[LaidMatch],
    *,
    others: Iterable[labels.Obstacle] = (),
) -> None:
    """Place all names, keeping off ships, order matches and whatever else is in the way, and write them."""
    for name, box in layout(canvas, names, ships, lying, others=others):
        scribe(canvas, name, box)


def scribe(canvas: Canvas, name: Name, box: Box) -> None:
    """Write a name into its box."""
    size = round(NAME_SIZE * canvas.unit)
    canvas.text((box[0], box[1]), name.words, size, name.colour)
    if name.loss:
        canvas.text((box[0] + text_size(name.words, size)[0], box[1]), name.loss, size, EMBER)


def _obstacles(canvas: Canvas, ships: Iterable[Galley], lying: Iterable[LaidMatch]) -> Iterable[labels.Obstacle]:
    for ship in ships:
        yield labels.Obstacle(tuple(canvas.at(p) for p in corners(ship.pose)), 100)
        yield labels.Obstacle(tuple(canvas.at(p) for p in oars_reach(ship.pose)), 25)
        if is_small(canvas.scale, canvas.unit):
            yield labels.Obstacle(tuple(marks.arrow(canvas, ship.pose, 4.0 * canvas.unit)), 60)
    for match in lying:
        ends = ((match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm))
        yield labels.Obstacle(tuple(canvas.at(p) for p in ends), 4)
