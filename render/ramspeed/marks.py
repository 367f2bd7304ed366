"""Marks on the water: wakes, courses, lanes of attacks, reach, links, fire, and ghosts of planned poses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import atan2, cos, hypot, radians, sin
from typing import Final

import numpy as np
import shapely

from render.drawing.canvas import Canvas, Point, Sprite, fade_sprite
from render.drawing.marking import marking, shows
from render.drawing.style import CHALK, INK, Colour, Livery
from render.marks import strikes
from render.marks.labels import Obstacle
from render.marks.signs import GOLD
from render.marks.strikes import arrow_head, draw_disc, point_between
from render.ramspeed.hull import ShipAppearance, hull_sprite, is_bold, wreck_sprite
from render.ramspeed.liveries import FOAM, IVORY, OAR, livery_of
from rules.geometry.plane import hull_corners
from rules.ramspeed.engine.state import Link, Ship
from rules.ramspeed.engine.tables import CLASSES, ClassCode
from rules.ramspeed.interface.view import Pose, Reach, ViewZone, pose_of
from rules.ramspeed.retelling import VisibleState

LANE_COLOUR: Final[Colour] = (255, 168, 60)
REACH_COLOUR: Final[Colour] = (255, 232, 140)
STRIKE_COLOUR: Final[Colour] = (255, 92, 60)
BARRED_COLOUR: Final[Colour] = (236, 96, 84)


def ship_appearance(ship: Ship, fleet: VisibleState) -> ShipAppearance:
    return ShipAppearance(
        name=ship.id,
        code=ship.code,
        nation=ship.nation,
        side=fleet.side_of(ship),
        first_side=fleet.side_numbers[ship.side0],
        derelict=ship.crew == 0,
        halved=ship.halved,
        dead=ship.dead,
        immobilised=ship.immob,
        fireship=ship.fireship,
        beached=ship.beached,
        corvus=ship.corvus,
    )


@lru_cache(maxsize=512)
def ship_corners(code: ClassCode, pose: Pose) -> tuple[Point, ...]:
    """Return a hull's corners in inches, starting at the ram's tip."""
    kind = CLASSES[code]
    corners = hull_corners(kind.length, kind.beam, pose.x, pose.y, pose.heading, taper=kind.taper)
    return tuple((float(x), float(y)) for x, y in corners)


def point_ahead(pose: Pose, inches: float, aside: float = 0.0) -> Point:
    """Return the point `inches` ahead of a pose and `aside` to starboard."""
    angle = radians(pose.heading)
    return pose.x + inches * sin(angle) + aside * cos(angle), pose.y + inches * cos(angle) - aside * sin(angle)


def swept_area(code: ClassCode, start: Pose, end: Pose) -> list[Point]:
    """Return the outline, in inches, of the area that a hull covers on a straight way."""
    points = [*ship_corners(code, start._replace(heading=end.heading)), *ship_corners(code, end)]
    return [(float(x), float(y)) for x, y in shapely.get_coordinates(shapely.MultiPoint(points).convex_hull)]


def hull_obstacle(canvas: Canvas, code: ClassCode, pose: Pose, weight: int = 100) -> Obstacle:
    return Obstacle(tuple(canvas.to_pixels(point) for point in ship_corners(code, pose)), weight)


# --- ships -------------------------------------------------------------------------------------------------------


def ship_sprite(canvas: Canvas, appearance: ShipAppearance, heading: int) -> Sprite:
    return hull_sprite(
        appearance,
        round(canvas.to_picture_heading(heading)) % 360,
        round(canvas.scale, 2),
        small=is_bold(canvas.scale, canvas.px),
    )


@shows("wreck")
def draw_wreck(canvas: Canvas, appearance: ShipAppearance, pose: Pose) -> None:
    sprite = wreck_sprite(
        appearance,
        round(canvas.to_picture_heading(pose.heading)),
        round(canvas.scale, 2),
        small=is_bold(canvas.scale, canvas.px),
    )
    canvas.place_sprite(sprite, canvas.to_pixels((pose.x, pose.y)))


@shows("ghost")
def draw_ghost(canvas: Canvas, appearance: ShipAppearance, pose: Pose, opacity: float) -> None:
    sprite = fade_sprite(ship_sprite(canvas, appearance, pose.heading), opacity)
    canvas.place_sprite(sprite, canvas.to_pixels((pose.x, pose.y)))
    ring = [canvas.to_pixels(point) for point in ship_corners(appearance.code, pose)]
    colour = IVORY if appearance.side == 0 else livery_of(1, appearance.nation).mark
    canvas.draw_line([*ring, ring[0]], colour, max(1.5, 2.6 * canvas.px), min(1.0, opacity + 0.25), chalk=False)


def draw_flames(canvas: Canvas, ship: Ship) -> None:
    size = round(max(0.5 * canvas.scale, 26 * canvas.px))
    kind, pose = ship.ship_class, pose_of(ship)
    count = max(1, ship.fire)  # a flame for each fire marker, in a row along the deck
    distances = [0.0] if count == 1 else [kind.length * (0.32 - 0.64 * i / (count - 1)) for i in range(count)]
    strikes.draw_flames(canvas, [canvas.to_pixels(point_ahead(pose, ahead)) for ahead in distances], size, 1.1)


# --- what happened -----------------------------------------------------------------------------------------------


@shows("wake")
def draw_wake(canvas: Canvas, code: ClassCode, start: Pose, end: Pose, opacity: float = 1.0) -> None:
    """Draw the wake of a ship that came straight from `start`. A ship that was pulled sideways leaves none."""
    kind = CLASSES[code]
    dx, dy = end.x - start.x, end.y - start.y
    # How far the ship came along its heading before the move or after it, whichever is more.
    headway = max(abs(dx * sin(radians(h)) + dy * cos(radians(h))) for h in (start.heading, end.heading))
    if headway < max(0.08, 0.8 * hypot(dx, dy)):
        return
    a, b = (start.x, start.y), (end.x, end.y)
    angle = atan2(b[0] - a[0], b[1] - a[1])
    across = (cos(angle) * kind.beam, -sin(angle) * kind.beam)  # to starboard, as long as the beam

    def point_beside(part: float, beams: float) -> Point:
        x, y = point_between(a, b, part)
        return x + across[0] * beams, y + across[1] * beams

    parts = 5
    for number in range(parts):
        # The wake grows broader and brighter towards the ship.
        start_part, end_part = number / parts, (number + 1) / parts
        start_beams, end_beams = 0.22 + 0.2 * start_part, 0.22 + 0.2 * end_part
        corners = ((start_part, start_beams), (end_part, end_beams), (end_part, -end_beams), (start_part, -start_beams))
        shape = [point_beside(*corner) for corner in corners]
        canvas.fill_polygon([canvas.to_pixels(point) for point in shape], FOAM, opacity * (0.08 + 0.26 * start_part))
    for side in (-1, 1):
        ends = [
            canvas.to_pixels((p[0] + across[0] * part * side, p[1] + across[1] * part * side))
            for p, part in ((a, 0.22), (b, 0.44))
        ]
        canvas.draw_line(ends, FOAM, max(1.2, 2.4 * canvas.px), 0.55 * opacity, chalk=False)
    gap = max(4.0, 11 * canvas.px)
    canvas.draw_line(
        [canvas.to_pixels(a), canvas.to_pixels(b)], CHALK, max(1.2, 3 * canvas.px), 0.8 * opacity, dash=(gap, gap)
    )


def draw_link(canvas: Canvas, link: Link, fleet: VisibleState) -> None:
    """Draw ropes and a chain between grappled hulls, or the ram of the first ship, which is stuck in the second."""
    a, b = fleet.ships.get(link.a), fleet.ships.get(link.b)
    if a is None or b is None:
        return
    hulls = [shapely.Polygon(ship_corners(ship.code, pose_of(ship))) for ship in (a, b)]
    if link.kind == "grapple":
        # The sign stands where the hulls, slightly enlarged, overlap, else in the middle of the gap between them.
        overlap = hulls[0].buffer(0.12).intersection(hulls[1].buffer(0.12))
        place = shapely.shortest_line(*hulls) if overlap.is_empty else overlap.centroid
        sign_point = shapely.get_coordinates(place).mean(axis=0)
        angle = radians(a.heading)
        along = np.array([sin(angle), cos(angle)])
        across = np.array([cos(angle), -sin(angle)])
        for shift in (-0.55, -0.28, 0.28, 0.55):
            ends = [tuple(sign_point + along * shift + across * side) for side in (-0.3, 0.3)]
            path = [canvas.to_pixels((float(x), float(y))) for x, y in ends]
            widths = max(1.6, 0.055 * canvas.scale), max(3.0, 0.11 * canvas.scale)
            strikes.draw_edged_line(canvas, path, OAR, *widths)
    else:
        sign_point = np.array(ship_corners(a.code, pose_of(a))[0])  # the ram's tip
    at = canvas.to_pixels((float(sign_point[0]), float(sign_point[1])))
    size = round(max(0.44 * canvas.scale, 34 * canvas.px))
    strikes.draw_link_sign(canvas, at, "linked" if link.kind == "grapple" else "stuck", size, size * 0.68)


# --- what is planned ---------------------------------------------------------------------------------------------


def veered_point(start: Pose, veer: int, distance: float) -> Point:
    """Return the point that a ship reaches if it turns by `veer` degrees and goes straight on, in inches."""
    return point_ahead(start._replace(heading=start.heading + veer), distance)


_ZONE_COLOURS: Final = (IVORY, (255, 168, 144))  # of the first and the second side's zones


def draw_zone(canvas: Canvas, zone: ViewZone) -> None:
    """Mark the water in which ships are placed; the viewer's own is brighter."""
    west, south, east, north = zone.box
    corners = [canvas.to_pixels(corner) for corner in ((west, south), (west, north), (east, north), (east, south))]
    colour = _ZONE_COLOURS[zone.side]
    dash = (14 * canvas.px, 10 * canvas.px)
    width = max(1.5, (4.5 if zone.is_own else 3) * canvas.px)
    with marking(canvas, "own_zone" if zone.is_own else "zone"):
        canvas.fill_polygon(corners, colour, 0.26 if zone.is_own else 0.12)
        canvas.draw_line([*corners, corners[0]], colour, width, 0.9, dash=dash, chalk=False)


@shows("reach")
def draw_reach(canvas: Canvas, reach: Reach, code: ClassCode) -> list[Point]:
    """Draw where a ship may go: a fan ahead, a strip astern, and how far it may turn on the spot.

    Returns the outline of the fan in pixels.
    """
    start = reach.start
    rim = [veered_point(start, veer, distance) for veer, distance in sorted(reach.fan)]
    fan = [canvas.to_pixels(point) for point in ((start.x, start.y), *rim)]
    canvas.fill_polygon(fan, REACH_COLOUR, 0.2)
    canvas.draw_line([*fan, fan[0]], REACH_COLOUR, max(1.5, 3.4 * canvas.px), 0.85, chalk=False)
    straight_distance = next((distance for veer, distance in reach.fan if veer == 0), 0.0)
    inch = 1.0  # an arc shows each whole inch
    while inch < straight_distance + 0.01:
        arc = [veered_point(start, veer, inch) for veer, distance in sorted(reach.fan) if distance >= inch]
        if len(arc) > 1 and inch < straight_distance - 0.05:
            canvas.draw_line(
                [canvas.to_pixels(p) for p in arc], REACH_COLOUR, max(1.0, 1.8 * canvas.px), 0.5, chalk=False
            )
        inch += 1.0
    if reach.astern > 0:
        half = CLASSES[code].beam / 2
        corners = ((0.0, -half), (0.0, half), (-reach.astern, half), (-reach.astern, -half))  # ahead, to starboard
        box = [canvas.to_pixels(point_ahead(start, *corner)) for corner in corners]
        canvas.draw_line(
            [*box, box[0]], REACH_COLOUR, max(1.2, 2.6 * canvas.px), 0.7, dash=(9 * canvas.px,) * 2, chalk=False
        )
    if reach.max_turn_deg:
        _draw_turn_arcs(canvas, start, reach.max_turn_deg, CLASSES[code].length * 0.62)
    return fan


def _draw_turn_arcs(canvas: Canvas, pose: Pose, max_turn_deg: float, radius: float) -> None:
    """Draw an arc with an arrowhead to each side of a ship's bow, up to the greatest turn; `radius` is in inches."""
    for side in (-1, 1):  # -1: to port
        headings = [radians(pose.heading + side * max_turn_deg * i / 24) for i in range(5, 25)]
        arc = [canvas.to_pixels((pose.x + radius * sin(h), pose.y + radius * cos(h))) for h in headings]
        canvas.draw_line(arc, REACH_COLOUR, max(1.2, 3 * canvas.px), 0.75, dash=(10 * canvas.px,) * 2, chalk=False)
        canvas.fill_polygon(arrow_head(arc[-2], arc[-1], 15 * canvas.px), REACH_COLOUR, 0.85)


@shows("threats")
def draw_strikes(canvas: Canvas, outlines: Sequence[Sequence[Point]]) -> None:
    """Draw where enemies can strike, in inches."""
    shapes = [[canvas.to_pixels(point) for point in outline] for outline in outlines]
    canvas.draw_haze(shapes, STRIKE_COLOUR, 0.3, 8 * canvas.px)
    width = max(1.5, 3.2 * canvas.px)
    for shape in shapes:
        canvas.draw_line([*shape, shape[0]], STRIKE_COLOUR, width, 0.8, dash=(2 * width, 3 * width), chalk=False)


@shows("command")
def draw_command_area(canvas: Canvas, outline: Sequence[Point]) -> None:
    """Draw how far a flagship's command reaches, in inches."""
    width = max(1.5, 3.2 * canvas.px)
    points = [canvas.to_pixels(point) for point in outline]
    canvas.draw_line(points, GOLD, width, 0.8, dash=(2 * width, 3 * width), chalk=False)


@shows("current")
def mark_current(canvas: Canvas, code: ClassCode, pose: Pose) -> None:
    ring = shapely.Polygon(ship_corners(code, pose)).buffer(0.16)
    points = [canvas.to_pixels((float(x), float(y))) for x, y in shapely.get_coordinates(ring)]
    strikes.draw_edged_line(canvas, points, GOLD, 5.4 * canvas.px, 9 * canvas.px)


@shows("lane")
def draw_lane(canvas: Canvas, shape: Sequence[Point], colour: Colour, strength: float) -> None:
    ring = [canvas.to_pixels(point) for point in shape]
    canvas.fill_polygon(ring, colour, 0.26 * strength)
    canvas.draw_line(ring, colour, max(1.2, 2.4 * canvas.px), 0.8 * strength, chalk=False)


def draw_course(
    canvas: Canvas, path: Sequence[Pose], colour: Colour, opacity: float = 1.0, *, thin: bool = False
) -> None:
    points = [canvas.to_pixels((pose.x, pose.y)) for pose in path]
    spots = [points[0], *(b for a, b in pairwise(points) if hypot(b[0] - a[0], b[1] - a[1]) > 2)]
    width = (3.6 if thin else 6.4) * canvas.px
    dash = (16 * canvas.px, 12 * canvas.px) if thin else None
    with marking(canvas, "course_alternative" if thin else "course"):
        strikes.draw_course(canvas, spots, colour, width, opacity, dash=dash, tip=3.2)


@shows("target")
def mark_target(canvas: Canvas, code: ClassCode, pose: Pose, colour: Colour) -> None:
    ring = shapely.Polygon(ship_corners(code, pose)).buffer(0.24)
    points = [canvas.to_pixels((float(x), float(y))) for x, y in shapely.get_coordinates(ring)]
    dash = (22 * canvas.px, 13 * canvas.px)
    strikes.draw_edged_line(canvas, points, colour, 5.4 * canvas.px, 9 * canvas.px, edge_opacity=0.7, dash=dash)


@shows("number")
def draw_number(canvas: Canvas, at: Point, text: str, colours: Livery, size: int) -> None:
    draw_disc(canvas, at, size * 0.62, colours.base, INK)
    canvas.draw_centred_text(at, text, round(size * 0.94), colours.on_base, rim=colours.base)
