"""Marks of attacks that several games share: rams, splinters, missiles, obstacles. Points are in pixels."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin
from typing import Final

from render.drawing.canvas import Canvas, Point
from render.drawing.style import CHALK, Colour
from render.marks.signs import EMBER, FLAME, INK, WOUND

SPLINTER: Final[Colour] = (236, 212, 160)


def draw_disc(canvas: Canvas, at: Point, radius: float, colour: Colour, edge: Colour) -> None:
    for r, tone in ((radius, edge), (radius * 0.86, colour)):
        canvas.fill_polygon([(at[0] + r * cos(i * pi / 16), at[1] + r * sin(i * pi / 16)) for i in range(32)], tone)


def draw_burst(canvas: Canvas, at: Point, opacity: float = 1.0, size: float = 1.0) -> None:
    r = size * max(0.55 * canvas.scale, 30 * canvas.unit)
    canvas.draw_glow(at, r * 1.5, FLAME, 0.6 * opacity)
    for outer, colour in ((1.15, INK), (1.0, EMBER), (0.62, FLAME), (0.3, CHALK)):
        canvas.fill_polygon(star_points(at, r * outer, r * outer * 0.46, 9), colour, opacity)


def draw_splinters(canvas: Canvas, at: Point, part: float) -> None:
    """Draw oars and planks that fly off; `part` from 0 to 1 is how far they have flown."""
    unit = max(0.5 * canvas.scale, 26 * canvas.unit)
    for i in range(9):
        angle = i * 2.4 + 0.4
        distance = unit * (0.4 + (0.7 + 0.25 * (i % 3)) * part)
        x, y = at[0] + distance * cos(angle), at[1] + distance * sin(angle)
        spin = angle + 2.2 * part + i
        length = unit * 0.24
        ends = [(x - length * cos(spin), y - length * sin(spin)), (x + length * cos(spin), y + length * sin(spin))]
        canvas.draw_line(ends, INK, 6 * canvas.unit, 0.8 * (1 - part * 0.5), chalk=False)
        canvas.draw_line(ends, SPLINTER, 3.4 * canvas.unit, 1 - part * 0.5, chalk=False)


def draw_missiles(canvas: Canvas, a: Point, b: Point, *, fire: bool, part: float = 1.0) -> None:
    """Draw missiles on their way between two points, up to the part of it that they have flown."""
    height = 0.3 * hypot(b[0] - a[0], b[1] - a[1])
    for shift in (-0.5, 0.0, 0.5):
        trail = []
        for i in range(13):
            t = i / 12 * part
            x, y = point_between(a, b, t)
            trail.append((x + shift * 14 * canvas.unit, y - 4 * height * t * (1 - t) + shift * 12 * canvas.unit))
        canvas.draw_line(trail, FLAME if fire else CHALK, 2.8 * canvas.unit, 0.9, chalk=False)
        canvas.fill_polygon(arrow_head(trail[-2], trail[-1], 9 * canvas.unit), EMBER if fire else CHALK)


def draw_cross(canvas: Canvas, at: Point) -> None:
    r = 17 * canvas.unit
    for colour, width in ((INK, 12), (WOUND, 7)):
        for sign in (-1, 1):
            ends = [(at[0] - r, at[1] - r * sign), (at[0] + r, at[1] + r * sign)]
            canvas.draw_line(ends, colour, width * canvas.unit, chalk=False)


def point_between(a: Point, b: Point, part: float) -> Point:
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def arrow_head(a: Point, b: Point, size: float) -> list[Point]:
    angle = atan2(b[1] - a[1], b[0] - a[0])
    return [
        (b[0] + size * r * cos(angle + s), b[1] + size * r * sin(angle + s))
        for r, s in ((0.7, 0.0), (0.9, 2.45), (0.9, -2.45))
    ]


def star_points(at: Point, outer: float, inner: float, points: int) -> list[Point]:
    return [
        (at[0] + r * cos(pi * i / points + 0.2), at[1] + r * sin(pi * i / points + 0.2))
        for i, r in enumerate((outer, inner) * points)
    ]
