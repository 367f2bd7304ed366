"""Placement of small images near what they refer to, without overlaps, and lines to what they refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from types import MappingProxyType
from typing import Final

from PIL import Image

from render.drawing.canvas import Canvas, Point, Rect, Sprite
from render.drawing.style import CHALK
from render.marks import labels
from render.marks.signs import INK

_MAX_DICE_SHOWN: Final = 3
_NO_WISHES: Mapping[str, Point] = MappingProxyType({})


@dataclass(frozen=True)
class Tag:
    """An image to place near a point in pixels."""

    key: str
    image: Image.Image
    near: Point
    distance: float
    has_lead: bool = True
    """Whether a line connects the tag with its point if the tag is not close to it."""


def place_tags(
    canvas: Canvas, tags: Sequence[Tag], obstacles: Iterable[labels.Obstacle], wishes: Mapping[str, Point] = _NO_WISHES
) -> list[tuple[Tag, Rect]]:
    """Return a box for each tag, without overlaps. Tags for which no room is left are omitted.

    `wishes` maps keys to the desired offset in pixels of a tag's middle from its point.
    """
    requests = []
    for tag in tags:
        offset = wishes.get(tag.key)
        at = (tag.near[0] + offset[0], tag.near[1] + offset[1]) if offset else None
        requests.append(labels.Label(tag.key, tag.near, tag.image.width, tag.image.height, tag.distance, at))
    boxes = labels.place_labels(requests, list(obstacles), canvas.image.size)
    return [(tag, box) for tag, box in zip(tags, boxes, strict=True) if box is not None]


def add_tag(
    canvas: Canvas, placed: Sequence[tuple[Tag, Rect]], tag: Tag, obstacles: Iterable[labels.Obstacle]
) -> list[tuple[Tag, Rect]]:
    """Return the last of the placed tags and one more that overlaps none of them, if it finds room."""
    occupied = [*obstacles, *(labels.box_obstacle(box, 4000) for _, box in placed)]
    return [*placed, *place_tags(canvas, [tag], occupied)][-_MAX_DICE_SHOWN:]


def draw_leads(canvas: Canvas, placed: Iterable[tuple[Tag, Rect]]) -> None:
    for tag, (left, top, right, bottom) in placed:
        x, y = tag.near
        at = (min(max(x, left), right), min(max(y, top), bottom))
        if tag.has_lead and hypot(at[0] - x, at[1] - y) > tag.distance * 1.35 + 6 * canvas.unit:
            canvas.draw_line([at, (x, y)], INK, 7 * canvas.unit, 0.5, chalk=False)
            canvas.draw_line([at, (x, y)], CHALK, 3.4 * canvas.unit, 0.8, chalk=False)


def lay_tags(canvas: Canvas, placed: Iterable[tuple[Tag, Rect]]) -> None:
    for tag, (left, top, _, _) in placed:
        canvas.place_sprite(Sprite(tag.image, (0, 0)), (left, top))
