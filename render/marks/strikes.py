"""Marks of attacks that several games share: rams, splinters, missiles, obstacles. Points are in pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import atan2, cos, hypot, pi, sin
from typing import Final

from render.drawing.canvas import Canvas, Point, Sprite
from render.drawing.marking import marking, shows
from render.drawing.style import CHALK, INK, Colour
from render.marks.signs import EMBER, FLAME, GOLD, PLATE, WOUND, draw_sign

SPLINTER: Final[Colour] = (236, 212, 160)


def draw_disc(canvas: Canvas, at: Point, radius: float, colour: Colour, edge: Colour) -> None:
    for r, tone in ((radius, edge), (radius * 0.86, colour)):
        canvas.fill_polygon(circle_points(at, r), tone)


def draw_course(
    canvas: Canvas,
    points: Sequence[Point],
    colour: Colour,
    width: float,
    opacity: float = 1.0,
    *,
    dash: tuple[float, float] | None = None,
    tip: float = 2.5,
) -> None:
    """Draw a line with a dark edge and an arrowhead of `tip` times the width; less than two points draw nothing."""
    if len(points) < 2:
        return
    for tone, thickness, size in ((INK, width * 1.9, tip * 1.32), (colour, width, tip)):
        tone_opacity = opacity * (0.7 if tone == INK else 1.0)
        canvas.draw_line(points, tone, thickness, tone_opacity, dash=dash, chalk=False)
        canvas.fill_polygon(arrow_head(points[-2], points[-1], size * width), tone, tone_opacity)


def draw_edged_line(
    canvas: Canvas,
    points: Sequence[Point],
    colour: Colour,
    width: float,
    edge_width: float,
    *,
    edge_opacity: float = 0.8,
    opacity: float = 1.0,
    edge: Colour = INK,
    dash: tuple[float, float] | None = None,
) -> None:
    """Draw a line over a broader dark one."""
    canvas.draw_line(points, edge, edge_width, edge_opacity, dash=dash, chalk=False)
    canvas.draw_line(points, colour, width, opacity, dash=dash, chalk=False)


@shows("sign.fire")
def draw_flames(canvas: Canvas, spots: Iterable[Point], size: int, glow: float) -> None:
    """Draw fires whose feet are at these points, the nearest last."""
    feet = sorted(spots, key=lambda spot: spot[1])
    for spot in feet:
        canvas.draw_glow(spot, glow * size, EMBER, 0.55)
    for spot in feet:
        canvas.place_sprite(Sprite(draw_sign("fire", size), (size / 2, size * 0.8)), spot)


def draw_link_sign(canvas: Canvas, at: Point, kind: str, size: int, radius: float) -> None:
    """Draw what holds two ships together: `linked` by grapples, or `stuck` by a ram."""
    with marking(canvas, f"sign.{kind}"):
        _draw_sign_on_disc(canvas, at, kind, size, radius)


def _draw_sign_on_disc(canvas: Canvas, at: Point, kind: str, size: int, radius: float) -> None:
    draw_disc(canvas, at, radius, PLATE, GOLD if kind == "linked" else EMBER)
    canvas.place_sprite(Sprite(draw_sign(kind, size), (size / 2, size / 2)), at)


@shows("burst")
def draw_burst(canvas: Canvas, at: Point, opacity: float = 1.0, size: float = 1.0) -> None:
    r = size * max(0.55 * canvas.scale, 30 * canvas.px)
    canvas.draw_glow(at, r * 1.5, FLAME, 0.6 * opacity)
    for outer, colour in ((1.15, INK), (1.0, EMBER), (0.62, FLAME), (0.3, CHALK)):
        canvas.fill_polygon(star_points(at, r * outer, r * outer * 0.46, 9), colour, opacity)


def draw_splinters(canvas: Canvas, at: Point, part: float) -> None:
    """Draw oars and planks that fly off; `part` from 0 to 1 is how far they have flown."""
    size = max(0.5 * canvas.scale, 26 * canvas.px)
    for i in range(9):
        angle = i * 2.4 + 0.4
        distance = size * (0.4 + (0.7 + 0.25 * (i % 3)) * part)
        x, y = at[0] + distance * cos(angle), at[1] + distance * sin(angle)
        spin = angle + 2.2 * part + i
        length = size * 0.24
        ends = [(x - length * cos(spin), y - length * sin(spin)), (x + length * cos(spin), y + length * sin(spin))]
        canvas.draw_line(ends, INK, 6 * canvas.px, 0.8 * (1 - part * 0.5), chalk=False)
        canvas.draw_line(ends, SPLINTER, 3.4 * canvas.px, 1 - part * 0.5, chalk=False)


def draw_ram(canvas: Canvas, at: Point, size: float, part: float) -> None:
    """Draw a burst and splinters that have flown a part of their way."""
    draw_burst(canvas, at, size=size)
    draw_splinters(canvas, at, part)


def draw_missiles(canvas: Canvas, a: Point, b: Point, *, fire: bool, part: float = 1.0) -> None:
    """Draw missiles on their way between two points, up to the part of it that they have flown."""
    with marking(canvas, "fire_missiles" if fire else "missiles"):
        _draw_trails(canvas, a, b, fire=fire, part=part)


def _draw_trails(canvas: Canvas, a: Point, b: Point, *, fire: bool, part: float) -> None:
    height = 0.3 * hypot(b[0] - a[0], b[1] - a[1])
    for shift in (-0.5, 0.0, 0.5):
        trail = []
        for i in range(13):
            way = i / 12 * part  # part of the way between the points, 0 to 1
            x, y = point_between(a, b, way)
            trail.append((x + shift * 14 * canvas.px, y - 4 * height * way * (1 - way) + shift * 12 * canvas.px))
        canvas.draw_line(trail, FLAME if fire else CHALK, 2.8 * canvas.px, 0.9, chalk=False)
        canvas.fill_polygon(arrow_head(trail[-2], trail[-1], 9 * canvas.px), EMBER if fire else CHALK)


@shows("cross")
def draw_cross(canvas: Canvas, at: Point) -> None:
    r = 17 * canvas.px
    for colour, width in ((INK, 12), (WOUND, 7)):
        for sign in (-1, 1):
            ends = [(at[0] - r, at[1] - r * sign), (at[0] + r, at[1] + r * sign)]
            canvas.draw_line(ends, colour, width * canvas.px, chalk=False)


def circle_points(at: Point, r: float, count: int = 32) -> list[Point]:
    return [(at[0] + r * cos(2 * pi * i / count), at[1] + r * sin(2 * pi * i / count)) for i in range(count)]


def point_between(a: Point, b: Point, part: float) -> Point:
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def arrow_head(a: Point, b: Point, size: float) -> list[Point]:
    """Return the corners of an arrowhead at b that points away from a."""
    angle = atan2(b[1] - a[1], b[0] - a[0])
    return [
        (b[0] + size * r * cos(angle + s), b[1] + size * r * sin(angle + s))
        for r, s in ((0.7, 0.0), (0.9, 2.45), (0.9, -2.45))
    ]


def star_points(at: Point, outer: float, inner: float, points: int) -> list[Point]:
    """Return the corners of a star whose rays, `points` of them, reach from the inner to the outer radius."""
    return [
        (at[0] + r * cos(pi * i / points + 0.2), at[1] + r * sin(pi * i / points + 0.2))
        for i, r in enumerate((outer, inner) * points)
    ]
