"""Small images laid near what they speak of, none on another, with lines to what they stand away from."""

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
"""Most dice, or other outcomes, that a film shows at once."""
_NO_WISHES: Mapping[str, Point] = MappingProxyType({})


@dataclass(frozen=True)
class Tag:
    """An image to be laid near a point of the map, with the point in pixels."""

    key: str
    image: Image.Image
    near: Point
    distance: float
    """Pixels by which it should keep off."""
    has_lead: bool = True
    """Whether a line leads to what it speaks of, if it stands away from it."""


def place_tags(
    canvas: Canvas, tags: Sequence[Tag], obstacles: Iterable[labels.Obstacle], wishes: Mapping[str, Point] = _NO_WISHES
) -> list[tuple[Tag, Rect]]:
    """Where tags go, none on another; those for which there is no room are left out.

    `wishes` are, by key, how far in pixels a tag's middle should be from what it stands beside.
    """
    wanted = []
    for tag in tags:
        wish = wishes.get(tag.key)
        at = (tag.near[0] + wish[0], tag.near[1] + wish[1]) if wish else None
        wanted.append(labels.Label(tag.key, tag.near, tag.image.width, tag.image.height, tag.distance, at))
    boxes = labels.place_labels(wanted, list(obstacles), canvas.image.size)
    return [(tag, box) for tag, box in zip(tags, boxes, strict=True) if box is not None]


def add_tag(
    canvas: Canvas, placed: Sequence[tuple[Tag, Rect]], tag: Tag, obstacles: Iterable[labels.Obstacle]
) -> list[tuple[Tag, Rect]]:
    """The last of some tags, and one more that lies on none of them, if there is room for it."""
    taken = [*obstacles, *(labels.box_obstacle(box, 4000) for _, box in placed)]
    return [*placed, *place_tags(canvas, [tag], taken)][-_MAX_DICE_SHOWN:]


def draw_leads(canvas: Canvas, placed: Iterable[tuple[Tag, Rect]]) -> None:
    """Lines from tags that stand away to what they speak of."""
    for tag, (left, top, right, bottom) in placed:
        x, y = tag.near
        at = (min(max(x, left), right), min(max(y, top), bottom))
        if tag.has_lead and hypot(at[0] - x, at[1] - y) > tag.distance * 1.35 + 6 * canvas.unit:
            canvas.draw_line([at, (x, y)], INK, 7 * canvas.unit, 0.5, chalk=False)
            canvas.draw_line([at, (x, y)], CHALK, 3.4 * canvas.unit, 0.8, chalk=False)


def lay_tags(canvas: Canvas, placed: Iterable[tuple[Tag, Rect]]) -> None:
    """Lay tags where they go."""
    for tag, (left, top, _, _) in placed:
        canvas.place_sprite(Sprite(tag.image, (0, 0)), (left, top))
