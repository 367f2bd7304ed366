"""Matches on the table: orders, volleys, and the scale bar."""

from __future__ import annotations

from functools import lru_cache
from math import atan2, ceil, cos, degrees, hypot, radians, sin
from typing import Final, Literal

from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import Canvas, Point, Sprite, fade_sprite
from render.drawing.style import BRASS, EMBER, FLAME, FULL_WIDTH, SOOT, Colour, mix_colours
from render.matchbox.liveries import MATCH_WOOD
from rules.matchbox.engine.state import MATCH_MM

_OVERSAMPLING: Final = 4
StickStyle = Literal["order", "hit", "miss", "spoiled", "small"]
_WOOD_BY_STYLE: Final[dict[StickStyle, tuple[Colour, float]]] = {  # colour and opacity
    "order": (MATCH_WOOD, 1.0),
    "hit": ((255, 226, 168), 1.0),
    "miss": ((150, 120, 90), 0.8),
    "spoiled": ((190, 150, 110), 0.95),
    "small": ((196, 162, 118), 0.85),
}


def match_thickness(canvas: Canvas) -> float:
    """Return a match's thickness in pixels: as thin as a real one, unless a phone would not show it."""
    return max(2.6 * canvas.scale, min(5.0 * canvas.px, MATCH_MM * 0.13 * canvas.scale))


def lay_match(
    canvas: Canvas, tail: Point, head: Point, style: StickStyle, colour: Colour | None, *, thickness_scale: float = 1.0
) -> None:
    """Draw a match between two points in mm, without a head if `colour` is None; `thickness_scale` makes it thinner."""
    ax, ay = canvas.to_pixels(tail)
    bx, by = canvas.to_pixels(head)
    thickness = match_thickness(canvas) * thickness_scale
    sprite = match_sprite(hypot(bx - ax, by - ay), thickness, degrees(atan2(by - ay, bx - ax)), style, colour)
    canvas.place_sprite(sprite, ((ax + bx) / 2, (ay + by) / 2))


def match_ends(x_mm: float, y_mm: float, bearing_deg: float) -> tuple[Point, Point]:  # tail and head, from the middle
    angle = radians(bearing_deg)
    dx, dy = MATCH_MM / 2 * sin(angle), MATCH_MM / 2 * cos(angle)
    return (x_mm - dx, y_mm - dy), (x_mm + dx, y_mm + dy)


def match_sprite(length: float, thickness: float, angle_deg: float, style: StickStyle, colour: Colour | None) -> Sprite:
    """Return a match whose head points at an angle clockwise from east; lengths are in pixels."""
    return _draw_match_sprite(round(length), round(thickness * 2) / 2, round(angle_deg) % 360, style, colour)


@lru_cache(maxsize=128)
def _draw_match_sprite(
    stick_length: int, thickness: float, angle: int, style: StickStyle, colour: Colour | None
) -> Sprite:
    half = stick_length / 2 + thickness * 3
    size = 2 * round(half) * _OVERSAMPLING
    middle = size / 2
    turn = radians(angle)
    ahead = (cos(turn), sin(turn))
    across = (-sin(turn), cos(turn))

    def to_pixels(fore: float, side: float) -> Point:
        return (
            middle + (ahead[0] * fore + across[0] * side) * _OVERSAMPLING,
            middle + (ahead[1] * fore + across[1] * side) * _OVERSAMPLING,
        )

    def bar_corners(start: float, end: float, half_width: float, off: float = 0.0) -> list[Point]:
        return [
            to_pixels(start, off - half_width),
            to_pixels(end, off - half_width),
            to_pixels(end, off + half_width),
            to_pixels(start, off + half_width),
        ]

    wood, opacity = _WOOD_BY_STYLE[style]
    half_thickness = thickness / 2
    mask = Image.new("L", (size, size))
    drop = thickness * 0.55 * _OVERSAMPLING
    ImageDraw.Draw(mask).polygon(
        [(x + drop * 0.8, y + drop) for x, y in bar_corners(-stick_length / 2, stick_length / 2, half_thickness)],
        fill=200,
    )
    image = Image.new("RGBA", (size, size))
    image.putalpha(mask.filter(ImageFilter.GaussianBlur(thickness * 0.3 * _OVERSAMPLING)))
    draw = ImageDraw.Draw(image)
    # The light comes from the upper left, so that side of the square stick is bright.
    lit_side = -1.0 if across[0] + across[1] * 1.4 > 0 else 1.0
    draw.polygon(bar_corners(-stick_length / 2, stick_length / 2, half_thickness + 0.5), fill=(52, 30, 14))
    draw.polygon(
        bar_corners(-stick_length / 2, stick_length / 2, half_thickness), fill=mix_colours(wood, (0, 0, 0), 0.3)
    )
    draw.polygon(
        bar_corners(-stick_length / 2, stick_length / 2, half_thickness * 0.62, lit_side * half_thickness * 0.38),
        fill=wood,
    )
    if colour is not None:
        length = thickness * 1.25
        width = half_thickness * 1.62
        centre = stick_length / 2 - length * 0.7
        for part, tint in ((1.18, SOOT), (1.0, mix_colours(colour, (0, 0, 0), 0.28)), (0.66, colour)):
            shift = 0.0 if part >= 1.0 else lit_side * width * 0.2
            draw.polygon(
                [
                    to_pixels(centre + cos(t * 0.2618) * length * part, shift + sin(t * 0.2618) * width * part)
                    for t in range(24)
                ],
                fill=tint,
            )
        if style == "hit":
            draw.polygon(
                [to_pixels(centre + cos(t * 0.524) * length * 0.4, sin(t * 0.524) * width * 0.4) for t in range(12)],
                fill=FLAME,
            )
    image = image.reduce(_OVERSAMPLING)
    sprite = Sprite(image, (image.width / 2, image.height / 2))
    return fade_sprite(sprite, opacity) if opacity < 1.0 else sprite


def draw_flame(canvas: Canvas, point_mm: Point) -> None:
    at = canvas.to_pixels(point_mm)
    size = match_thickness(canvas)
    canvas.draw_glow(at, size * 5.0, EMBER, 0.75)
    canvas.draw_glow(at, size * 2.6, FLAME, 0.9)


def draw_scale_bar(canvas: Canvas, colour: Colour) -> Image.Image:
    """Draw up to three matches in a row, between ticks."""
    length, px = MATCH_MM * canvas.scale, canvas.px
    count = max(1, min(3, int(300 * px / length)))
    height = round(38.4 * px)
    match = match_sprite(length, match_thickness(canvas), 0, "order", colour)
    bar = Canvas(Image.new("RGBA", (ceil(count * length + 4 * px), height)), (0, 0, 1, 1), round(px * FULL_WIDTH))
    for number in range(count):
        bar.place_sprite(match, (2 * px + (number + 0.5) * length, height / 2))
    draw = ImageDraw.Draw(bar.image)
    for number in range(count + 1):
        x = 2 * px + number * length
        draw.line((x, 0, x, height), fill=BRASS, width=max(1, round(3 * px)))
    return bar.image
