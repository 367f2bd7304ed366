"""Marks on the chart: reachable hexes, tracks, lines of fire, shots with dice, sieges, the wind."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import ceil, hypot, sin
from typing import Final

from PIL import Image, ImageChops, ImageDraw

from render.drawing.canvas import OVERSAMPLING, Canvas, Point, Sprite, text_size
from render.drawing.marking import marking, shows
from render.drawing.style import CARD, CHALK, FLAME, FULL_WIDTH, SOOT, Colour, load_font
from render.forts.ships import GOLD, LIVERIES
from render.marks.labels import Label, Obstacle, PlacedLabels, place_labels
from render.marks.strikes import arrow_head, draw_edged_line, point_between, star_points
from render.seas import parchment
from render.seas.hexmap import HEX_HEIGHT, HexCanvas, hex_sprite
from render.seas.parchment import INK, PAPER
from rules.forts.engine.boards import LOWER_COLUMNS
from rules.forts.engine.state import WindState
from rules.geometry import hexes
from rules.geometry.hexes import Hex

REACH_COLOUR: Final[Colour] = (255, 232, 140)
START_COLOUR: Final[Colour] = (176, 232, 150)
THREAT_COLOUR: Final[Colour] = (214, 74, 40)
BLOCKER_COLOUR: Final[Colour] = (120, 20, 90)
OPEN_FIRE_COLOUR: Final[Colour] = (222, 62, 14)
SPRAY_COLOUR: Final[Colour] = (236, 246, 250)
_PATH_STEPS: Final = 20  # parts in which a ball's way is drawn


def hex_of_label(label: str) -> Hex:
    return hexes.parse_label(label, LOWER_COLUMNS)


def tint_hexes(canvas: HexCanvas, hex_labels: Iterable[str], colour: Colour, opacity: float, mark: str) -> None:
    fill = (*colour, round(255 * opacity))
    sprite = hex_sprite(round(canvas.edge_px, 1), fill, 0.92, rim=(*INK, 150), rim_part=0.85, rim_width=0.045)
    for label in hex_labels:
        with marking(canvas, mark):
            canvas.place_sprite(sprite, canvas.hex_pixel(hex_of_label(label)))


@shows("threats")
def mark_threats(canvas: HexCanvas, threatened: Iterable[str]) -> None:
    fill = (*THREAT_COLOUR, 40)
    rim = (*THREAT_COLOUR, 200)
    sprite = hex_sprite(round(canvas.edge_px, 1), fill, 0.88, rim=rim, rim_part=0.88, rim_width=0.075)
    for label in threatened:
        canvas.place_sprite(sprite, canvas.hex_pixel(hex_of_label(label)))


@shows("fire_threats")
def mark_fire_threats(canvas: HexCanvas, under_fire: Iterable[str]) -> None:
    sprite = _hatched_sprite(round(canvas.edge_px, 1))
    for label in under_fire:
        canvas.place_sprite(sprite, canvas.hex_pixel(hex_of_label(label)))


@lru_cache(maxsize=32)
def _hatched_sprite(edge_px: float) -> Sprite:
    """Return a hexagon of slanting lines."""
    shape = hex_sprite(edge_px, (*THREAT_COLOUR, 255), 0.88)
    width, height = (side * OVERSAMPLING for side in shape.image.size)
    lines = Image.new("L", (width, height))
    draw = ImageDraw.Draw(lines)
    gap, thickness = 0.42 * edge_px * OVERSAMPLING, max(OVERSAMPLING, round(0.075 * edge_px * OVERSAMPLING))
    for number in range(ceil((width + height) / gap)):
        draw.line((number * gap - height, height, number * gap, 0), fill=190, width=thickness)
    image = shape.image.copy()
    image.putalpha(ImageChops.multiply(lines.reduce(OVERSAMPLING), shape.image.getchannel("A")))
    return Sprite(image, shape.anchor)


@shows("hex_name")
def write_tinted_names(canvas: HexCanvas, tinted: Iterable[str]) -> None:
    size = tinted_name_px(canvas)
    for label in tinted:
        canvas.place_sprite(
            _letter_sprite(label, size), canvas.hex_pixel(hex_of_label(label), 0.0, -HEX_HEIGHT / 2 + 0.36)
        )


def tinted_name_px(canvas: HexCanvas) -> int:
    """Return the height of letters in pixels of the picture: about 9 px on a phone where hexes are small."""
    small = min(0.78 * canvas.edge_px, 37 * canvas.px)
    large = min(0.62 * canvas.edge_px, 44 * canvas.px)
    return round(max(0.5 * canvas.edge_px, small, large))


@shows("hex_name")
def write_covered_names(canvas: HexCanvas, covered: Iterable[str]) -> None:
    """Write the names of hexes over the pieces on them, where the chart has the names."""
    size = parchment.name_letter_px(canvas.edge_px, canvas.px)
    for label in covered:
        x, y = canvas.hex_pixel(hex_of_label(label), 0.0, -HEX_HEIGHT / 2 + parchment.NAME_OFFSET)
        canvas.draw_centred_text((x, y + 0.42 * size), label, size, INK, rim=PAPER)


@lru_cache(maxsize=512)
def _letter_sprite(text: str, size: int) -> Sprite:
    width, height = text_size(text, size)
    image = Image.new("RGBA", (width, height), (*INK, 0))
    ImageDraw.Draw(image).text((width / 2, height / 2), text, fill=INK, font=load_font(size), anchor="mm")
    return Sprite(image, (width / 2, height / 2))


@shows("track")
def draw_track(canvas: HexCanvas, path: Sequence[str], colour: str, opacity: float = 1.0) -> None:
    """Draw a dashed arrow along hexes (labels), which ends a little before the middle of the last."""
    points = [canvas.hex_pixel(hex_of_label(label)) for label in path]
    if len(points) < 2:
        return
    ink = LIVERIES[colour].base
    points[-1] = _point_towards(points[-1], points[-2], 0.5 * canvas.edge_px)
    width = max(3.0, 0.13 * canvas.edge_px)
    for tone, thickness in ((SOOT, width * 1.7), (ink, width)):
        canvas.draw_line(
            points, tone, thickness, opacity, dash=(0.42 * canvas.edge_px, 0.3 * canvas.edge_px), chalk=False
        )
        canvas.fill_polygon(
            arrow_head(points[-2], points[-1], (0.34 if tone == ink else 0.44) * canvas.edge_px), tone, opacity
        )


@shows("start")
def mark_start(canvas: HexCanvas, label: str, colour: str) -> None:
    canvas.draw_ring(
        canvas.hex_pixel(hex_of_label(label)),
        0.3 * canvas.edge_px,
        LIVERIES[colour].base,
        max(3.0, 0.1 * canvas.edge_px),
        0.9,
    )


def draw_fire_line(canvas: HexCanvas, start: str, end: str, fire: str) -> None:
    """Draw a line of fire: solid if open, broken if blocked, an arc if the shot would plunge."""
    with marking(canvas, f"fire.{fire}"):
        _draw_aimed_line(canvas, start, end, fire)


def _draw_aimed_line(canvas: HexCanvas, start: str, end: str, fire: str) -> None:
    a, b = canvas.hex_pixel(hex_of_label(start)), canvas.hex_pixel(hex_of_label(end))
    a, b = _point_towards(a, b, 0.55 * canvas.edge_px), _point_towards(b, a, 0.85 * canvas.edge_px)
    width = max(3.5, 0.13 * canvas.edge_px)
    if fire == "blocked":
        dash = (0.24 * canvas.edge_px, 0.26 * canvas.edge_px)
        draw_edged_line(canvas, [a, b], BLOCKER_COLOUR, width, width * 2.1, edge=CARD, edge_opacity=1.0, dash=dash)
        return
    path = arc_points(a, b) if fire == "plunging" else [a, b]
    colour = OPEN_FIRE_COLOUR if fire == "open" else GOLD
    draw_edged_line(canvas, path, colour, width, width * 1.8, edge=SOOT)
    for size, tone in ((0.46, SOOT), (0.36, colour)):
        canvas.fill_polygon(arrow_head(path[-2], path[-1], size * canvas.edge_px), tone)


@shows("blocker")
def mark_blocker(canvas: HexCanvas, label: str) -> None:
    where = hex_of_label(label)
    ring = canvas.hex_corners(where, 0.92)
    canvas.draw_line([*ring, ring[0]], BLOCKER_COLOUR, max(3.0, 0.12 * canvas.edge_px), 0.95, chalk=False)
    for colour, width in ((CARD, max(4.0, 0.24 * canvas.edge_px)), (BLOCKER_COLOUR, max(2.5, 0.14 * canvas.edge_px))):
        for sign in (-1, 1):
            ends = [canvas.hex_pixel(where, -0.34, -0.34 * sign), canvas.hex_pixel(where, 0.34, 0.34 * sign)]
            canvas.draw_line(ends, colour, width, chalk=False)


@shows("target")
def mark_target(canvas: HexCanvas, label: str) -> None:
    canvas.draw_ring(
        canvas.hex_pixel(hex_of_label(label)), 0.95 * canvas.edge_px, OPEN_FIRE_COLOUR, max(3.5, 0.12 * canvas.edge_px)
    )


@shows("current")
def mark_current(canvas: HexCanvas, label: str) -> None:
    ring = canvas.hex_corners(hex_of_label(label), 0.96)
    widths = max(3.0, 0.12 * canvas.edge_px), max(5.0, 0.2 * canvas.edge_px)
    draw_edged_line(canvas, [*ring, ring[0]], GOLD, *widths, edge=SOOT, edge_opacity=1.0)


def draw_shot(canvas: HexCanvas, start: str, end: str, *, hit: bool, plunging: bool) -> None:
    """Draw the way of a ball: solid and red for a hit, thin and pale for a miss."""
    a, b = canvas.hex_pixel(hex_of_label(start)), canvas.hex_pixel(hex_of_label(end))
    a, b = _point_towards(a, b, 0.55 * canvas.edge_px), _point_towards(b, a, 0.35 * canvas.edge_px)
    path = _ball_path(a, b, plunging=plunging)
    width = max(3.0, (0.13 if hit else 0.08) * canvas.edge_px)
    colour = OPEN_FIRE_COLOUR if hit else CARD
    with marking(canvas, "shot_hit" if hit else "shot_miss"):
        draw_edged_line(canvas, path, colour, width, width * 1.8, edge=SOOT, edge_opacity=0.75)


def draw_ball(canvas: HexCanvas, start: str, end: str, *, plunging: bool, part: float) -> None:
    """Draw a ball after a part of its way, and the smoke where it was fired."""
    a, b = canvas.hex_pixel(hex_of_label(start)), canvas.hex_pixel(hex_of_label(end))
    canvas.draw_glow(
        _point_towards(a, b, 0.7 * canvas.edge_px),
        0.9 * canvas.edge_px * (0.5 + part / 2),
        SPRAY_COLOUR,
        0.8 * (1 - part / 2),
    )
    path = _ball_path(a, b, plunging=plunging)
    x, y = path[min(_PATH_STEPS, round(_PATH_STEPS * part))]
    canvas.fill_polygon(star_points((x, y), 0.26 * canvas.edge_px, 0.24 * canvas.edge_px, 8), FLAME)
    canvas.fill_polygon(star_points((x, y), 0.19 * canvas.edge_px, 0.18 * canvas.edge_px, 8), SOOT)


@shows("hit")
def draw_hit(canvas: HexCanvas, label: str) -> None:
    spot = canvas.hex_pixel(hex_of_label(label), 0.42, -0.44)
    r = 0.46 * canvas.edge_px
    canvas.draw_glow(spot, r * 1.6, OPEN_FIRE_COLOUR, 0.7)
    for outer, inner, colour, opacity in (
        (1.14, 0.52, SOOT, 0.85),
        (1.0, 0.46, OPEN_FIRE_COLOUR, 1.0),
        (0.6, 0.28, FLAME, 1.0),
    ):
        canvas.fill_polygon(star_points(spot, r * outer, r * inner, 8), colour, opacity)


@shows("splash")
def draw_splash(canvas: HexCanvas, label: str) -> None:
    x, y = canvas.hex_pixel(hex_of_label(label), -0.98, 0.34)
    edge = canvas.edge_px
    for dx, height in ((-0.24, 0.4), (0.0, 0.66), (0.22, 0.46)):
        drop = [(x + (dx - 0.1) * edge, y), (x + dx * 1.3 * edge, y - height * edge), (x + (dx + 0.1) * edge, y)]
        canvas.draw_line([*drop, drop[0]], (52, 92, 108), max(1.5, 0.07 * edge), chalk=False)
        canvas.fill_polygon(drop, SPRAY_COLOUR)


@shows("siege")
def draw_siege(canvas: HexCanvas, fort: str, ship: str | None) -> None:
    """Draw a dashed ring around a besieged fort's hex, and a star between it and the besieging ship's hex."""
    spot = canvas.hex_pixel(hex_of_label(fort))
    ring = canvas.hex_corners(hex_of_label(fort), 1.0)
    width = max(4.0, 0.17 * canvas.edge_px)
    dash = (0.3 * canvas.edge_px, 0.22 * canvas.edge_px)
    draw_edged_line(canvas, [*ring, ring[0]], GOLD, width, width * 1.6, edge=SOOT, edge_opacity=1.0, dash=dash)
    if ship is not None:
        ship_at = canvas.hex_pixel(hex_of_label(ship))
        middle = point_between(spot, ship_at, 0.5)
        r = 0.42 * canvas.edge_px
        for outer, inner, colour in ((1.2, 0.6, SOOT), (1.0, 0.5, OPEN_FIRE_COLOUR), (0.55, 0.3, FLAME)):
            canvas.fill_polygon(star_points(middle, r * outer, r * inner, 6), colour)


# --- dice --------------------------------------------------------------------------------------------------------


def die_label(canvas: HexCanvas, key: str, text: str, label: str, *, hit: bool | None) -> Label:
    """Return a die to be placed near a hex.

    It is red for a hit, grey for a miss, and cream if `hit` is None: its number is the roll that is needed.
    """
    image = _die_image(text, round(canvas.px, 4), hit=hit)
    mark = {None: "need", True: "die_hit", False: "die_miss"}[hit]
    return Label(key, image, canvas.hex_pixel(hex_of_label(label)), 0.8 * canvas.edge_px, has_lead=False, mark=mark)


def place_dice(
    canvas: HexCanvas, dice: Iterable[Label], ships: Iterable[str], others: Iterable[Obstacle] = ()
) -> PlacedLabels:
    """Return a box for each die, without overlaps and off ships where possible; dice outside the window are omitted."""
    width, height = canvas.image.size
    obstacles = [*(ship_obstacle(canvas, label) for label in ships), *others]
    visible = [die for die in dice if 0 < die.near[0] < width and 0 < die.near[1] < height]
    return place_labels(canvas, visible, obstacles)


def ship_obstacle(canvas: HexCanvas, label: str) -> Obstacle:
    return Obstacle(tuple(canvas.hex_corners(hex_of_label(label), 0.95)), 100)


@lru_cache(maxsize=64)
def _die_image(text: str, px: float, *, hit: bool | None) -> Image.Image:
    size = ceil(44 * px)
    edge = max(1, round(4 * px))
    face, ink = {None: ((255, 244, 206), INK), True: (OPEN_FIRE_COLOUR, CHALK), False: ((212, 224, 228), INK)}[hit]
    width, height = max(round(size * 1.16), text_size(text, size)[0] + round(0.24 * size)), round(size * 1.16)
    canvas = Canvas(Image.new("RGBA", (width, height), (*SOOT, 0)), (0.0, 0.0, width, height), round(px * FULL_WIDTH))
    box = (0, 0, width - 1, height - 1)
    ImageDraw.Draw(canvas.image).rounded_rectangle(box, radius=9 * px, fill=face, outline=SOOT, width=edge)
    canvas.draw_centred_text((width / 2, height / 2), text, size, ink, rim=face)
    return canvas.image


# --- the wind ----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def wind_sign(wind: WindState, size: int) -> Image.Image:
    """Draw a flag that flies over waves, or for a calm, one that hangs over flat water."""
    large_size = size * OVERSAMPLING
    image = Image.new("RGBA", (round(large_size * 1.5), large_size))
    draw = ImageDraw.Draw(image)
    pole = max(2, round(0.07 * large_size))
    draw.line((0.16 * large_size, 0.06 * large_size, 0.16 * large_size, 0.96 * large_size), fill=CARD, width=pole)
    if wind == "wind":
        cloth = [(0.2, 0.1), (0.55, 0.2), (0.8, 0.1), (1.12, 0.26), (0.8, 0.34), (0.5, 0.52), (0.2, 0.46)]
        for y, start, end in ((0.66, 0.4, 1.3), (0.82, 0.62, 1.46)):
            wave = [
                ((start + (end - start) * i / 20) * large_size, (y + 0.035 * sin(i * 0.63)) * large_size)
                for i in range(21)
            ]
            draw.line(wave, fill=(150, 206, 220), width=max(2, round(0.055 * large_size)), joint="curve")
    else:
        cloth = [(0.2, 0.1), (0.34, 0.2), (0.3, 0.44), (0.38, 0.7), (0.28, 0.82), (0.2, 0.46)]
        for start in (0.62, 0.94, 1.26):
            draw.line(
                (start * large_size, 0.8 * large_size, (start + 0.2) * large_size, 0.8 * large_size),
                fill=(150, 206, 220),
                width=pole,
            )
    draw.polygon([(x * large_size, y * large_size) for x, y in cloth], fill=GOLD)
    return image.reduce(OVERSAMPLING)


@lru_cache(maxsize=16)
def die_sign(die: int, size: int) -> Image.Image:
    image = Image.new("RGBA", (size, size))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle(
        (0, 0, size - 1, size - 1), radius=size * 0.18, fill=CARD, outline=GOLD, width=max(1, size // 16)
    )
    draw.text((size / 2, size / 2), str(die), fill=INK, font=load_font(round(size * 0.78)), anchor="mm")
    return image


# --- shapes ------------------------------------------------------------------------------------------------------


def _ball_path(a: Point, b: Point, *, plunging: bool) -> list[Point]:
    straight = [point_between(a, b, i / _PATH_STEPS) for i in range(_PATH_STEPS + 1)]
    return arc_points(a, b) if plunging else straight


def arc_points(a: Point, b: Point) -> list[Point]:
    height = 0.42 * hypot(b[0] - a[0], b[1] - a[1])
    # A shot straight up or down the picture curves to the side instead of upwards.
    lift_height = height if abs(b[0] - a[0]) >= 0.3 * abs(b[1] - a[1]) else 0.0
    side_height = 0.0 if lift_height else height
    points: list[Point] = []
    for i in range(_PATH_STEPS + 1):
        x, y = point_between(a, b, i / _PATH_STEPS)
        rise = 4 * (i / _PATH_STEPS) * (1 - i / _PATH_STEPS)  # a parabola, 1 in the middle
        points.append((x + side_height * rise, y - lift_height * rise))
    return points


def point_along(path: Sequence[Point], part: float) -> Point:
    leg_lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in itertools.pairwise(path)]
    remaining = part * sum(leg_lengths)
    for (a, b), leg_length in zip(itertools.pairwise(path), leg_lengths, strict=True):
        if remaining <= leg_length:
            return point_between(a, b, remaining / leg_length if leg_length else 0.0)
        remaining -= leg_length
    return path[-1]


def _point_towards(a: Point, b: Point, pixels: float) -> Point:
    """Return the point `pixels` from a towards b, but not beyond the middle between them."""
    distance = hypot(b[0] - a[0], b[1] - a[1])
    return point_between(a, b, min(0.45, pixels / distance)) if distance else a
