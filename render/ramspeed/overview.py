"""All of the table in a corner of a picture that shows only a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import shapely
from PIL import Image

from render.canvas import Canvas, Sprite
from render.labels import Obstacle
from render.ramspeed.liveries import GOLD, INK, livery
from render.ramspeed.marks import corners, pose_of
from render.ramspeed.sea import SAND
from render.ramspeed.story import Fleet
from render.style import FULL_WIDTH, Colour
from rules.ramspeed.view import SeaView

_WIDE: Final = 0.2
"""Of the picture's width."""
_PART: Final = 0.6
"""A picture that shows more of the table than this has none."""
_WATER: Final[Colour] = (12, 46, 62)


def overview(canvas: Canvas, view: SeaView, fleet: Fleet, taken: Sequence[Obstacle]) -> list[Obstacle]:
    """Lay it in the corner where it covers least; gives what names must keep off."""
    position = view.position
    west, south, east, north = canvas.window
    if (east - west) * (north - south) > _PART * position.width * position.height:
        return []
    wide = round(_WIDE * canvas.image.width)
    high = round(wide * position.height / position.width)
    edge = max(2, round(5 * canvas.unit))
    small = Canvas(
        Image.new("RGB", (wide, high), _WATER),
        (0.0, 0.0, position.width, position.height),
        round(FULL_WIDTH * canvas.unit),
    )
    for ring in position.land:
        small.fill([small.at(point) for point in ring], SAND)
    a, b = small.at((west, north)), small.at((east, south))
    small.fill([a, (b[0], a[1]), b, (a[0], b[1])], GOLD, 0.16)
    small.line([a, (b[0], a[1]), b, (a[0], b[1]), a], GOLD, 3.4 * canvas.unit, chalk=False)
    for ship in fleet.afloat:
        colours = livery(fleet.side(ship), ship.nation)
        at, r = small.at((ship.x, ship.y)), 8.5 * canvas.unit
        shape = _square(at, r) if fleet.side(ship) else _diamond(at, r * 1.3)
        small.fill(shape, INK)
        inner = _square(at, r * 0.74) if fleet.side(ship) else _diamond(at, r * 0.98)
        small.fill(inner, colours.mark if fleet.side(ship) else colours.base)
    image = Image.new("RGBA", (wide + 2 * edge, high + 2 * edge), (*INK, 255))
    image.paste(small.image, (edge, edge))
    x, y = _corner(canvas, image.size, fleet, taken)
    canvas.place(Sprite(image, (0, 0)), (x, y))
    ends = (x + image.width, y + image.height)
    return [Obstacle(((x, y), (ends[0], y), ends, (x, ends[1])), 400)]


def _corner(canvas: Canvas, size: tuple[int, int], fleet: Fleet, taken: Sequence[Obstacle]) -> tuple[int, int]:
    """The corner of the picture with the least in it, in pixels."""
    hulls = [[canvas.at(point) for point in corners(ship.code, pose_of(ship))] for ship in fleet.afloat]
    shapes = [shapely.Polygon(ring).buffer(40 * canvas.unit) for ring in hulls]
    shapes += [shapely.Polygon(one.shape) for one in taken]
    covered = shapely.union_all(shapes)
    right, low = canvas.image.width - size[0], canvas.image.height - size[1]
    places = [(right, low), (0, low), (right, 0), (0, 0)]
    return min(places, key=lambda at: shapely.box(*at, at[0] + size[0], at[1] + size[1]).intersection(covered).area)


def _square(at: tuple[float, float], r: float) -> list[tuple[float, float]]:
    return [(at[0] + dx * r, at[1] + dy * r) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def _diamond(at: tuple[float, float], r: float) -> list[tuple[float, float]]:
    return [(at[0] + dx * r, at[1] + dy * r) for dx, dy in ((0, -1), (1, 0), (0, 1), (-1, 0))]
