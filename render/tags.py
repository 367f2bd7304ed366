"""Small images laid near what they speak of, none on another, with lines to what they stand away from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from types import MappingProxyType
from typing import Final

from PIL import Image

from render import labels
from render.canvas import Box, Canvas, Point, Sprite
from render.signs import INK
from render.style import CHALK

_SHOWN: Final = 3
"""Most dice, or other outcomes, that a film shows at once."""
_NONE: Mapping[str, Point] = MappingProxyType({})


@dataclass(frozen=True)
class Tag:
    """An image to be laid near a point of the map, with the point in pixels."""

    key: str
    image: Image.Image
    near: Point
    reach: float
    """Pixels by which it should keep off."""
    lead: bool = True
    """Whether a line leads to what it speaks of, if it stands away from it."""


def spots(
    canvas: Canvas, tags: Sequence[Tag], obstacles: Iterable[labels.Obstacle], wishes: Mapping[str, Point] = _NONE
) -> list[tuple[Tag, Box]]:
    """Where tags go, none on another; those for which there is no room are left out.

    `wishes` are, by key, how far in pixels a tag's middle should be from what it stands beside.
    """
    wanted = []
    for tag in tags:
        wish = wishes.get(tag.key)
        at = (tag.near[0] + wish[0], tag.near[1] + wish[1]) if wish else None
        wanted.append(labels.Label(tag.key, tag.near, tag.image.width, tag.image.height, tag.reach, at))
    boxes = labels.place(wanted, list(obstacles), canvas.image.size)
    return [(tag, box) for tag, box in zip(tags, boxes, strict=True) if box is not None]


def with_one_more(
    canvas: Canvas, placed: Sequence[tuple[Tag, Box]], tag: Tag, obstacles: Iterable[labels.Obstacle]
) -> list[tuple[Tag, Box]]:
    """The last of some tags, and one more that lies on none of them, if there is room for it."""
    taken = [*obstacles, *(labels.boxed(box, 4000) for _, box in placed)]
    return [*placed, *spots(canvas, [tag], taken)][-_SHOWN:]


def lead(canvas: Canvas, placed: Iterable[tuple[Tag, Box]]) -> None:
    """Lines from tags that stand away to what they speak of."""
    for tag, (left, top, right, bottom) in placed:
        x, y = tag.near
        at = (min(max(x, left), right), min(max(y, top), bottom))
        if tag.lead and hypot(at[0] - x, at[1] - y) > tag.reach * 1.35 + 6 * canvas.unit:
            canvas.line([at, (x, y)], INK, 7 * canvas.unit, 0.5, chalk=False)
            canvas.line([at, (x, y)], CHALK, 3.4 * canvas.unit, 0.8, chalk=False)


def lay(canvas: Canvas, placed: Iterable[tuple[Tag, Box]]) -> None:
    """Lay tags where they go."""
    for tag, (left, top, _, _) in placed:
        canvas.place(Sprite(tag.image, (0, 0)), (left, top))
