"""Marks on the hexes: ships, squadrons' waters, links, fire, tracks, reach, attacks, ghosts of planned poses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil, cos, floor, hypot, pi, radians, sin
from typing import Final

from PIL import Image, ImageDraw, ImageFilter

from render.drawing.canvas import Point, Sprite, fade_sprite
from render.drawing.marking import marking, shows
from render.drawing.outlines import note_outline
from render.drawing.style import CHALK, FULL_WIDTH, INK, MIN_SELECTED_PART, Colour
from render.marks import signs, strikes
from render.marks.labels import Obstacle
from render.marks.signs import GOLD, WOUND
from render.marks.strikes import point_between
from render.seas.hexmap import HexCanvas, hex_centre, hex_sprite
from render.squadrons.hull import HULL_LENGTHS, ShipAppearance, hull_sprite, nearest_scale
from render.squadrons.liveries import OAR, squadron_colour
from render.squadrons.sea import FOAM
from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import SIDES
from rules.squadrons.engine.sea.grid import HexPose, next_hex
from rules.squadrons.engine.sea.state import Position, Ship

REACH_COLOUR: Final[Colour] = (255, 232, 140)
START_COLOUR: Final[Colour] = (176, 232, 150)
THREAT_COLOUR: Final[Colour] = (226, 70, 44)
_COURSE_COLOURS: Final[tuple[Colour, Colour]] = ((120, 196, 255), (255, 176, 120))
"""Courses of Blue and of Red. The colours differ from the ships' because courses are drawn over ghosts."""
_MAX_JOIN_DISTANCE: Final = 12.0
"""Ships farther apart than this, in edges of a hex, are not joined."""
_HAZE_LEVEL: Final = 102  # opacity of a squadron's colour around its ships, of 255
_HALF_BEAM: Final = 0.6  # of a box around a ship with her oars, in edges of a hex
_STRIP_ROWS: Final = 48  # height of a strip of a soft mask, in pixels
BARRED_COLOUR: Final[Colour] = (244, 110, 96)


def side_of(ship: Ship) -> int:
    """Return 0 if Blue holds the ship now, 1 if Red does."""
    return SIDES.index(ship.side)


def ship_appearance(ship: Ship) -> ShipAppearance:
    return ShipAppearance(
        side=side_of(ship),
        first_side=SIDES.index(ship.builder),
        size=ship.size,
        weight=ship.ram_defence,
        has_towers=ship.has_towers,
        is_fast=ship.speed == "M",
        is_rammed=bool(ship.rammed),
        is_port_shorn=ship.crippled_port,
        is_starboard_shorn=ship.crippled_starboard,
        squadron=ship.squadron or None,
        has_sails_up=ship.sails,
    )


def ship_pixel(canvas: HexCanvas, ship: Ship) -> Point:
    return middle_pixel(canvas, ship.place, ship.size)


def middle_pixel(canvas: HexCanvas, place: HexPose, size: int) -> Point:  # of a ship `size` hexes long
    return canvas.to_pixels(middle_point(place, size))


@lru_cache(maxsize=4096)
def middle_point(place: HexPose, size: int) -> Point:
    spots = [hex_centre(here) for here in place.covered_hexes(size)]
    return sum(x for x, _ in spots) / len(spots), sum(y for _, y in spots) / len(spots)


def ship_sprite(canvas: HexCanvas, appearance: ShipAppearance, heading: float) -> Sprite:
    """Return a ship's sprite; `heading` is a compass bearing in degrees."""
    return hull_sprite(appearance, round(heading) % 360, nearest_scale(canvas.edge_px))


def ship_outline(ship: Ship) -> tuple[Point, ...]:
    """Return the corners of a box around a ship, in edges of a hex."""
    x, y = middle_point(ship.place, ship.size)
    half_length, angle = HULL_LENGTHS[ship.size] / 2, radians(60 * ship.facing)
    ahead, aside = (
        (sin(angle) * half_length, cos(angle) * half_length),
        (cos(angle) * _HALF_BEAM, -sin(angle) * _HALF_BEAM),
    )
    return tuple(
        (x + along * ahead[0] + across * aside[0], y + along * ahead[1] + across * aside[1])
        for along, across in ((1, -1), (1, 1), (-1, 1), (-1, -1))
    )


def draw_ship(canvas: HexCanvas, ship: Ship) -> None:
    note_outline(ship.id, map(canvas.to_pixels, ship_outline(ship)))
    _draw_hull(canvas, ship)


@shows("ship")
def _draw_hull(canvas: HexCanvas, ship: Ship) -> None:
    canvas.place_sprite(ship_sprite(canvas, ship_appearance(ship), 60 * ship.facing), ship_pixel(canvas, ship))


@shows("ship")
def draw_selected(canvas: HexCanvas, ship: Ship) -> None:
    """Draw the selected ship above all others, at least as long as a phone needs to show her."""
    min_scale = MIN_SELECTED_PART * FULL_WIDTH * canvas.px / HULL_LENGTHS[ship.size]
    scale = nearest_scale(max(1.02 * min_scale, canvas.edge_px))
    canvas.place_sprite(hull_sprite(ship_appearance(ship), 60 * ship.facing % 360, scale), ship_pixel(canvas, ship))


def draw_ghost(canvas: HexCanvas, ship: Ship, place: HexPose, opacity: float, mark: str) -> None:
    """Draw a ship faintly where it was or would be."""
    sprite = fade_sprite(ship_sprite(canvas, ship_appearance(ship), 60 * place.facing), opacity)
    with marking(canvas, mark):
        canvas.place_sprite(sprite, middle_pixel(canvas, place, ship.size))


def ship_obstacle(canvas: HexCanvas, place: HexPose, size: int, weight: int = 100) -> Obstacle:
    x, y = middle_pixel(canvas, place, size)
    angle = pi / 3 * place.facing
    half_length = (0.5 if size == 1 else 1.35) * canvas.edge_px
    half_width = 0.45 * canvas.edge_px
    ahead = (half_length * sin(angle), -half_length * cos(angle))
    abeam = (half_width * cos(angle), half_width * sin(angle))
    corners = [
        (x + fore * ahead[0] + side * abeam[0], y + fore * ahead[1] + side * abeam[1])
        for fore, side in ((1, 1), (1, -1), (-1, -1), (-1, 1))
    ]
    return Obstacle(tuple(corners), weight)


# --- squadrons ----------------------------------------------------------------------------------------------------


def draw_squadrons(canvas: HexCanvas, position: Position) -> None:
    """Draw each squadron's colour around its ships and between neighbouring ones."""
    ships_by_squadron: dict[tuple[int, int], list[Ship]] = {}  # by side and squadron's number
    for ship in position.ships:
        if ship.is_afloat and ship.squadron and ship.side == ship.builder:  # prizes belong to no squadron
            ships_by_squadron.setdefault((side_of(ship), ship.squadron), []).append(ship)
    for (side, number), ships in ships_by_squadron.items():
        shapes = [canvas.hex_corners(here, 1.06) for ship in ships for here in ship.hexes]
        lines = _shortest_tree([ship_pixel(canvas, ship) for ship in ships])
        short_lines = [
            (a, b) for a, b in lines if hypot(a[0] - b[0], a[1] - b[1]) < _MAX_JOIN_DISTANCE * canvas.edge_px
        ]
        shapes += [_band_corners(canvas, a, b) for a, b in short_lines]
        colour = squadron_colour(side, number)
        _draw_haze(canvas, shapes, colour)


@shows("squadron")
def _draw_haze(canvas: HexCanvas, shapes: Sequence[Sequence[Point]], colour: Colour) -> None:
    outlines = tuple(tuple((round(x, 2), round(y, 2)) for x, y in shape) for shape in shapes)
    for corner, mask in _soft_masks(outlines, round(canvas.edge_px, 2), canvas.image.size):
        canvas.image.paste(colour, corner, mask)


@lru_cache(maxsize=32)
def _soft_masks(
    shapes: tuple[tuple[Point, ...], ...], edge_px: float, size: tuple[int, int]
) -> tuple[tuple[tuple[int, int], Image.Image], ...]:
    """Return masks of shapes with soft edges, each with its upper left corner; all in pixels.

    A coarse mask is enough for soft shapes, and many times as fast.
    """
    xs, ys = zip(*(point for shape in shapes for point in shape), strict=True)
    soft_edge = 0.5 * edge_px
    left, top = max(0, floor(min(xs) - soft_edge)), max(0, floor(min(ys) - soft_edge))
    width, height = ceil(min(size[0], max(xs) + soft_edge)) - left, ceil(min(size[1], max(ys) + soft_edge)) - top
    if width <= 0 or height <= 0:
        return ()
    coarse_px = max(1.0, 0.16 * edge_px)
    small = Image.new("L", (ceil(width / coarse_px), ceil(height / coarse_px)))
    draw = ImageDraw.Draw(small)
    for shape in shapes:
        draw.polygon([((x - left) / coarse_px, (y - top) / coarse_px) for x, y in shape], fill=_HAZE_LEVEL)
    small = small.filter(ImageFilter.GaussianBlur(1.0))
    across, down = small.width / width, small.height / height  # coarse pixels for each pixel
    masks = []
    for row in range(0, height, _STRIP_ROWS):  # most of the rectangle around a line of ships is empty
        bottom = min(height, row + _STRIP_ROWS)
        strip = small.crop((0, max(0, floor(row * down) - 2), small.width, min(small.height, ceil(bottom * down) + 2)))
        if box := strip.getbbox():
            begin = max(0, floor((box[0] - 2) / across))  # the first column of the strip that is not empty
            end = min(width, ceil((box[2] + 2) / across))
            coarse_box = (begin * across, row * down, end * across, bottom * down)
            mask = small.resize((end - begin, bottom - row), Image.Resampling.BICUBIC, box=coarse_box)
            masks.append(((left + begin, top + row), mask))
    return tuple(masks)


def _shortest_tree(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """Return the lines of a minimum spanning tree of the points."""
    if not points:
        return []
    joined = [points[0]]
    unjoined = list(points[1:])
    lines: list[tuple[Point, Point]] = []
    while unjoined:  # join the point that is nearest to any joined one
        a, b = min(
            ((a, b) for a in joined for b in unjoined),
            key=lambda ends: hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]),
        )
        lines.append((a, b))
        joined.append(b)
        unjoined.remove(b)
    return lines


def _band_corners(canvas: HexCanvas, a: Point, b: Point) -> list[Point]:
    # (x, y) is half the band's width, at right angles to the line from a to b.
    distance = max(1.0, hypot(b[0] - a[0], b[1] - a[1]))
    width = 0.26 * canvas.edge_px
    x, y = -(b[1] - a[1]) / distance * width, (b[0] - a[0]) / distance * width
    return [(a[0] + x, a[1] + y), (b[0] + x, b[1] + y), (b[0] - x, b[1] - y), (a[0] - x, a[1] - y)]


# --- hexes --------------------------------------------------------------------------------------------------------


def tint_hexes(canvas: HexCanvas, tinted: Iterable[Hex], colour: Colour, opacity: float, mark: str) -> None:
    fill = (*colour, round(255 * opacity))
    rim = (*colour, min(255, round(255 * opacity * 1.9)))
    tile = hex_sprite(round(canvas.edge_px, 1), fill, 0.94, rim=rim, rim_part=0.94, rim_width=0.06)
    for here in tinted:
        with marking(canvas, mark):
            canvas.place_sprite(tile, canvas.hex_pixel(here))


@shows("threats")
def mark_threats(canvas: HexCanvas, threatened_hexes: Iterable[Hex]) -> None:
    all_threatened = frozenset(threatened_hexes)
    tile = hex_sprite(round(canvas.edge_px, 1), (*THREAT_COLOUR, round(255 * 0.1)))
    for here in sorted(all_threatened):
        if canvas.is_in_window(here):
            canvas.place_sprite(tile, canvas.hex_pixel(here))
    width = max(1.6, 0.1 * canvas.edge_px)
    for here in sorted(all_threatened):
        ring = canvas.hex_corners(here)
        for number, direction in enumerate(_SIDE_DIRECTIONS):  # draw sides that no other threatened hex shares
            if next_hex(here, direction) not in all_threatened and canvas.is_in_window(here):
                canvas.draw_line([ring[number], ring[(number + 1) % 6]], THREAT_COLOUR, width, 0.85, chalk=False)


_SIDE_DIRECTIONS: Final = (1, 0, 5, 4, 3, 2)
"""Directions across a hex's sides, in the order of its corners."""


@shows("cost")
def write_numbers(canvas: HexCanvas, numbered: Iterable[tuple[Hex, int]], colour: Colour) -> None:
    size = max(8, round(min(0.72 * canvas.edge_px, 44 * canvas.px)))
    for here, number in numbered:
        canvas.draw_centred_text(canvas.hex_pixel(here), str(number), size, colour, rim=INK)


@shows("current")
def mark_current(canvas: HexCanvas, place: HexPose, size: int) -> None:
    for here in place.covered_hexes(size):
        ring = canvas.hex_corners(here, 0.98)
        canvas.draw_line([*ring, ring[0]], INK, max(3.0, 0.2 * canvas.edge_px), 0.8, chalk=False)
    for here in place.covered_hexes(size):
        ring = canvas.hex_corners(here, 0.98)
        canvas.draw_line([*ring, ring[0]], GOLD, max(2.0, 0.11 * canvas.edge_px), chalk=False)


@shows("target")
def mark_target(canvas: HexCanvas, ship: Ship, colour: Colour) -> None:
    # Draws a broken ellipse around the ship.
    x, y = ship_pixel(canvas, ship)
    angle = pi / 3 * ship.facing
    length = (0.95 if ship.size == 1 else 1.8) * canvas.edge_px
    width = 0.92 * canvas.edge_px
    ring = []
    for i in range(41):
        fore, abeam = length * cos(i * pi / 20), width * sin(i * pi / 20)
        ring.append((x + fore * sin(angle) + abeam * cos(angle), y - fore * cos(angle) + abeam * sin(angle)))
    dash = (0.5 * canvas.edge_px, 0.3 * canvas.edge_px)
    widths = max(2.0, 0.14 * canvas.edge_px), max(3.0, 0.24 * canvas.edge_px)
    strikes.draw_edged_line(canvas, ring, colour, *widths, edge_opacity=0.7, dash=dash)


# --- ways ---------------------------------------------------------------------------------------------------------


@shows("wake")
def draw_wake(canvas: HexCanvas, bows: Sequence[Hex], opacity: float = 1.0) -> None:
    points = _course_pixels(canvas, bows)
    if len(points) < 2:
        return
    canvas.draw_line(points, FOAM, max(2.0, 0.34 * canvas.edge_px), 0.22 * opacity, chalk=False)
    gap = max(3.0, 0.26 * canvas.edge_px)
    canvas.draw_line(points, CHALK, max(1.2, 0.1 * canvas.edge_px), 0.85 * opacity, dash=(gap, gap), chalk=False)


def draw_course(canvas: HexCanvas, bows: Sequence[Hex], side: int, opacity: float = 1.0, *, thin: bool = False) -> None:
    width = max(1.6, (0.1 if thin else 0.17) * canvas.edge_px)
    dash = (2.6 * width, 2.2 * width) if thin else None
    with marking(canvas, "course_alternative" if thin else "course"):
        strikes.draw_course(canvas, _course_pixels(canvas, bows), _COURSE_COLOURS[side], width, opacity, dash=dash)


def _course_pixels(canvas: HexCanvas, bows: Sequence[Hex]) -> list[Point]:
    """Return the pixels of a ship's bow on its way, without hexes in which it only turns."""
    if not bows:
        return []
    changes = [canvas.hex_pixel(b) for a, b in pairwise(bows) if a != b]
    return [canvas.hex_pixel(bows[0]), *changes]


@shows("stop")
def mark_stop(canvas: HexCanvas, at: Point) -> None:
    """Draw a sign where orders cannot be carried out any further; a point in pixels."""
    size = round(max(1.1 * canvas.edge_px, 40 * canvas.px))
    canvas.place_sprite(Sprite(signs.draw_sign("blocked", size), (size / 2, size / 2)), at)


# --- what holds and burns -----------------------------------------------------------------------------------------


def draw_links(canvas: HexCanvas, position: Position) -> None:
    for kind, pairs in (("linked", position.grapples), ("stuck", position.fouls)):
        for names in pairs:
            a, b = (position.ships_by_id.get(name) for name in names)
            if a is not None and b is not None and a.is_afloat and b.is_afloat:
                with marking(canvas, f"sign.{kind}"):
                    _draw_link(canvas, a, b, kind)


def _draw_link(canvas: HexCanvas, a: Ship, b: Ship, kind: str) -> None:
    pairs = [(canvas.hex_pixel(start_hex), canvas.hex_pixel(end_hex)) for start_hex in a.hexes for end_hex in b.hexes]
    start, end = min(pairs, key=lambda pair: hypot(pair[0][0] - pair[1][0], pair[0][1] - pair[1][1]))
    if kind == "linked":
        distance = max(1.0, hypot(end[0] - start[0], end[1] - start[1]))
        x, y = -(end[1] - start[1]) / distance, (end[0] - start[0]) / distance  # a unit vector across the rope
        for shift in (-0.42, 0.0, 0.42):
            dx, dy = x * shift * canvas.edge_px, y * shift * canvas.edge_px
            rope = [point_between(start, end, part) for part in (0.2, 0.8)]
            line = [(px + dx, py + dy) for px, py in rope]
            widths = max(1.3, 0.08 * canvas.edge_px), max(2.4, 0.16 * canvas.edge_px)
            strikes.draw_edged_line(canvas, line, OAR, *widths)
    size = round(max(0.68 * canvas.edge_px, 18 * canvas.px))
    strikes.draw_link_sign(canvas, point_between(start, end, 0.5), kind, round(size * 0.94), size * 0.62)


def draw_flames(canvas: HexCanvas, ship: Ship) -> None:
    spots = [canvas.hex_pixel(here) for here in ship.hexes]
    strikes.draw_flames(canvas, spots, round(max(0.95 * canvas.edge_px, 22 * canvas.px)), 0.9)


@shows("wreck")
def draw_wreck(canvas: HexCanvas, ship: Ship) -> None:
    draw_ghost(canvas, ship, ship.place, 0.3, mark="")
    at = ship_pixel(canvas, ship)
    for r, opacity in ((0.5, 0.8), (0.9, 0.55), (1.3, 0.3)):
        round_points = [(x, at[1] + 0.7 * (y - at[1])) for x, y in strikes.circle_points(at, r * canvas.edge_px)]
        canvas.draw_line([*round_points, round_points[0]], FOAM, max(1.2, 0.08 * canvas.edge_px), opacity, chalk=False)
    for sign in (-1, 1):
        ends = [
            (at[0] - 0.5 * canvas.edge_px, at[1] - 0.5 * sign * canvas.edge_px),
            (at[0] + 0.5 * canvas.edge_px, at[1] + 0.5 * sign * canvas.edge_px),
        ]
        canvas.draw_line(ends, WOUND, max(2.0, 0.16 * canvas.edge_px), chalk=False)
