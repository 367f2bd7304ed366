"""Marks on the table: tracks, ghosts, ranges, volleys, rams, wrecks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from math import atan2, cos, dist, inf, pi, radians, sin
from typing import Final

import shapely
from msgspec.structs import replace
from shapely import LineString

from render.drawing.canvas import Canvas, Point
from render.drawing.marking import marking, shows
from render.drawing.outlines import note_outline
from render.drawing.style import CHALK, EMBER, FLAME, SOOT, WARM, Colour
from render.marks.labels import Obstacle
from render.marks.strikes import arrow_head, circle_points, draw_edged_line, point_between, star_points
from render.matchbox import ashore, sticks
from render.matchbox.hull import galley_sprite, is_small, oar_hull
from render.matchbox.liveries import LIVERIES
from rules.geometry import boxes
from rules.matchbox.engine import volley as volley_rules
from rules.matchbox.engine.events import DroppedMatch, MeleeFought, ReefStruck, ShipGrounded, VolleyDropped, VolleyHeld
from rules.matchbox.engine.hull import hull_corners, hull_middle, hull_of
from rules.matchbox.engine.kinds import VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, Galley, LaidMatch
from rules.matchbox.interface.view import Reach
from rules.matchbox.retelling import StoryMoment

_GRAPPLE_OFFSET_MM: Final = 13.0  # of two ropes from the hulls' middles, fore and aft
WRECK_RADIUS_MM: Final = 38.0


def draw_hulls(canvas: Canvas, ships: Iterable[Galley], selected: str = "") -> None:
    """Draw galleys, near ones above far ones, the selected one on top. Small ones get an arrow with their heading."""
    bold = is_small(canvas.scale, canvas.px)
    by_nearness = sorted(ships, key=lambda ship: canvas.to_pixels(hull_middle(ship.pose, ship.kind))[1])
    for ship in sorted(by_nearness, key=lambda ship: ship.id == selected):
        turned_ship = replace(
            ship, pose=replace(ship.pose, heading_deg=canvas.to_picture_heading(ship.pose.heading_deg))
        )
        note_outline(ship.id, map(canvas.to_pixels, oar_hull(ship)))
        with marking(canvas, "galley"):
            canvas.place_sprite(
                galley_sprite(turned_ship, canvas.scale, bold=bold), canvas.to_pixels(hull_middle(ship.pose, ship.kind))
            )
        if bold:
            with marking(canvas, "heading"):
                canvas.fill_polygon(heading_arrow(canvas, ship.pose, 4.0 * canvas.px), SOOT)
                canvas.fill_polygon(heading_arrow(canvas, ship.pose), LIVERIES[ship.side].letter)


def heading_arrow(canvas: Canvas, pose: Pose, grow: float = 0.0) -> list[Point]:
    """Return an arrowhead before a small hull, in pixels, enlarged by `grow` for its halo."""
    x, y = canvas.to_pixels((pose.x_mm, pose.y_mm))
    ahead, across = map(canvas.to_picture_direction, _unit_axes(pose))
    px = canvas.px
    tip = 34 * px + grow * 1.6
    tail = 9 * px - grow
    half = 14 * px + grow * 1.4
    return [
        (x + fore * ahead[0] + beam * across[0], y + fore * ahead[1] + beam * across[1])
        for fore, beam in ((tip, 0.0), (tail, half), (tail + 5 * px, 0.0), (tail, -half))
    ]


def draw_ghost(canvas: Canvas, ship: Galley, pose: Pose, opacity: float = 0.5, *, mark: str = "start") -> None:
    with marking(canvas, mark):
        _draw_outline(canvas, ship, pose, opacity)


def _draw_outline(canvas: Canvas, ship: Galley, pose: Pose, opacity: float) -> None:
    points = [canvas.to_pixels(p) for p in hull_corners(pose, ship.kind)]
    tint = LIVERIES[ship.side].letter
    width = max(2.0, 3.5 * canvas.px)
    canvas.fill_polygon(points, tint, opacity * 0.3, chalk=True)
    canvas.draw_line([*points, points[0]], tint, width, opacity)
    bow_port, bow_starboard, stern_starboard, stern_port = points
    bow = ((bow_port[0] + bow_starboard[0]) / 2, (bow_port[1] + bow_starboard[1]) / 2)
    prow = [point_between(bow_port, stern_port, 0.4), bow, point_between(bow_starboard, stern_starboard, 0.4)]
    canvas.fill_polygon(prow, tint, opacity, chalk=True)


def draw_order_matches(canvas: Canvas, matches: Iterable[LaidMatch], ships: Mapping[str, Galley]) -> None:
    """Draw order matches with heads in their side's colour. Matches that fire or grapple have no head."""
    for match in matches:
        ship = ships.get(match.galley)
        head = None if match.is_headless or ship is None else LIVERIES[ship.side].match_head
        ends = (match.tail_x_mm, match.tail_y_mm), (match.head_x_mm, match.head_y_mm)
        with marking(canvas, "match" if head else "headless_match"):
            sticks.lay_match(canvas, *ends, "order", head)


@shows("track")
def draw_track(canvas: Canvas, poses: Sequence[Pose], ship: Galley, opacity: float) -> None:
    colour = LIVERIES[ship.side].letter
    points = [canvas.to_pixels(hull_middle(pose, ship.kind)) for pose in poses]
    points = [point for index, point in enumerate(points) if index == 0 or dist(point, points[index - 1]) > 1.0]
    if len(points) < 2:
        return
    width = max(2.5, 5.0 * canvas.px)
    canvas.draw_line(points, colour, width, opacity, dash=(3.4 * width, 2.2 * width))
    for a, b in itertools.pairwise(points):
        if dist(a, b) < 14 * canvas.px:  # no room for an arrowhead
            continue
        angle = atan2(b[1] - a[1], b[0] - a[0])
        at = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        barb = 15 * canvas.px
        wings = [(at[0] - barb * cos(angle + s), at[1] - barb * sin(angle + s)) for s in (0.6, -0.6)]
        canvas.draw_line([wings[0], at, wings[1]], colour, width, min(1.0, opacity * 1.3))


@shows("abeam")
def _draw_broadside_zones(canvas: Canvas, pose: Pose, kind: VesselKind, table: Point) -> None:
    # A broadside's zone lies abeam of the hull, on either side.
    abeam = kind.half_width_mm + volley_rules.RANGE_MM
    ahead, across = _unit_axes(pose)
    x, y = hull_middle(pose, kind)
    for side in (-1, 1):  # -1: port
        zone = [
            (x + fore * ahead[0] + starboard * side * across[0], y + fore * ahead[1] + starboard * side * across[1])
            for fore, starboard in (
                (kind.half_length_mm, kind.half_width_mm),
                (kind.half_length_mm, abeam),
                (-kind.half_length_mm, abeam),
                (-kind.half_length_mm, kind.half_width_mm),
            )
        ]
        canvas.fill_polygon([canvas.to_pixels(p) for p in clip_to_table(zone, table)], WARM, 0.2)


def draw_ranges(canvas: Canvas, pose: Pose, kind: VesselKind, table: Point) -> list[tuple[float, Point]]:
    """Draw rings at the ranges of a volley, and the broadside's zones, clipped to the table.

    Returns each ring's range in mm and a point on it, in mm, where that can be written.
    """
    _draw_broadside_zones(canvas, pose, kind, table)
    ahead, across = _unit_axes(pose)
    x, y = hull_middle(pose, kind)
    range_points: list[tuple[float, Point]] = []
    for match_count in (3, 2, 1):  # three matches is the greatest range
        range_mm = match_count * MATCH_MM
        ring = [canvas.to_pixels(p) for p in clip_to_table(grow_hull(pose, kind, range_mm), table)]
        width = max(2.0, (5.0 if match_count == 3 else 3.0) * canvas.px)
        opacity = 0.85 if match_count == 3 else 0.45
        dash = (5 * width, 3 * width)
        with marking(canvas, "range"):
            if match_count == 3:
                canvas.fill_polygon(ring, CHALK, 0.08)
            canvas.draw_line([*ring, ring[0]], CHALK, width, opacity, dash=dash, chalk=match_count == 3)
        ends = [
            (x + direction[0] * (half_hull + range_mm), y + direction[1] * (half_hull + range_mm))
            for direction, half_hull in (
                (ahead, kind.half_length_mm),
                (across, kind.half_width_mm),
                ((-across[0], -across[1]), kind.half_width_mm),
                ((-ahead[0], -ahead[1]), kind.half_length_mm),
            )
        ]
        ends_on_table = [end for end in ends if clip_to_table([end], table) == [end]]
        range_points += [(range_mm, end) for end in ends_on_table[:1]]  # none if all are off the table
    return range_points


def outer_range(pose: Pose, kind: VesselKind, table: Point) -> list[Point]:
    return clip_to_table(grow_hull(pose, kind, volley_rules.RANGE_MM), table)


def clip_to_table(shape: Iterable[Point], table: Point) -> list[Point]:
    """Return a convex shape that contains a point of the table, cut off at the table's edges; all in mm."""
    return [(min(max(x, 0.0), table[0]), min(max(y, 0.0), table[1])) for x, y in shape]


@shows("strip")
def draw_zone(canvas: Canvas, across: tuple[float, float], strip: tuple[float, float], colour: Colour) -> None:
    """Draw the strip of the table in which a captain may place galleys (MB-2.2); all in mm."""
    west, east = across
    south, north = strip
    corners = [canvas.to_pixels(p) for p in ((west, south), (east, south), (east, north), (west, north))]
    canvas.fill_polygon(corners, colour, 0.34, chalk=True)
    for y in strip:
        ends = [canvas.to_pixels((west, y)), canvas.to_pixels((east, y))]
        canvas.draw_line(ends, CHALK, max(2.0, 4 * canvas.px), 0.8, dash=(30 * canvas.px, 16 * canvas.px))


@shows("spacing")
def draw_spacing(canvas: Canvas, ship: Galley, table: Point) -> None:
    """Draw where no hull of the same side may be placed (MB-2.3)."""
    ring = [canvas.to_pixels(p) for p in clip_to_table(grow_hull(ship.pose, ship.kind, 2 * MATCH_MM), table)]
    width = max(2.0, 4.0 * canvas.px)
    canvas.fill_polygon(ring, EMBER, 0.16, chalk=True)
    canvas.draw_line([*ring, ring[0]], EMBER, width, 0.8, dash=(4 * width, 3 * width))


@shows("threats")
def draw_threats(canvas: Canvas, reaches: Iterable[Reach], ships: dict[str, Galley]) -> None:
    # Enemies' reaches, in the colours of their sides.
    shapes = {reach.galley: [canvas.to_pixels(corner) for corner in reach.outline] for reach in reaches}
    canvas.draw_haze(list(shapes.values()), EMBER, 0.26, 12 * canvas.px)
    width = max(1.5, 3.0 * canvas.px)
    for name, shape in shapes.items():
        tint = LIVERIES[ships[name].side].letter if name in ships else CHALK
        canvas.draw_line([*shape, shape[0]], tint, width, 0.6, dash=(width, 4 * width), chalk=False)


@shows("line_of_fire")
def draw_line_of_fire(canvas: Canvas, start: Point, end: Point, opacity: float) -> None:
    """Draw an arrow from a galley that is ordered to fire to her target; points in mm."""
    a, b = canvas.to_pixels(start), canvas.to_pixels(end)
    width = max(3.0, 6.0 * canvas.px)
    draw_edged_line(canvas, [a, b], EMBER, width, 2.0 * width, edge=SOOT, edge_opacity=0.8 * opacity, opacity=opacity)
    for size, colour in ((5.2 * width, SOOT), (3.8 * width, EMBER)):
        canvas.fill_polygon(arrow_head(a, b, size), colour, opacity)


@shows("target")
def mark_target(canvas: Canvas, ship: Galley) -> None:
    canvas.draw_ring(canvas.to_pixels(hull_middle(ship.pose, ship.kind)), 46 * canvas.scale, EMBER, 7 * canvas.px)


def draw_volley(canvas: Canvas, shot: VolleyDropped, target: Galley | None, *, faint: bool) -> None:
    """Draw dropped matches: hits bright with a ray, misses dim, a touch that spoiled the volley with a ring."""
    for drop in shot.drops:
        if not drop.on_table:
            continue
        is_hit = bool(drop.hit) and not shot.misfire
        with marking(canvas, "hit" if is_hit else "spoiled" if shot.misfire else "miss"):
            _draw_drop(canvas, shot, drop, target, faint=faint)


def _draw_drop(canvas: Canvas, shot: VolleyDropped, drop: DroppedMatch, target: Galley | None, *, faint: bool) -> None:
    tail, head = sticks.match_ends(drop.x_mm, drop.y_mm, drop.bearing_deg)
    is_hit = bool(drop.hit) and not shot.misfire
    if faint:
        middle = (drop.x_mm, drop.y_mm)
        tail = point_between(middle, tail, 0.62)
        head = point_between(middle, head, 0.62)
    if is_hit:
        _draw_ray(canvas, drop, head if drop.hit == "head" else tail, target, opacity=0.4 if faint else 0.95)
        if not faint:
            sticks.draw_flame(canvas, head if drop.hit == "head" else tail)
        sticks.lay_match(canvas, tail, head, "hit", EMBER, thickness_scale=0.75 if faint else 1.0)
    elif faint:
        sticks.lay_match(canvas, tail, head, "small", (90, 62, 46), thickness_scale=0.75)
    else:
        sticks.lay_match(canvas, tail, head, "spoiled" if shot.misfire else "miss", (86, 60, 46))
    if shot.misfire and drop.touches and not faint:
        canvas.draw_ring(canvas.to_pixels((drop.x_mm, drop.y_mm)), 0.62 * MATCH_MM * canvas.scale, EMBER, 7 * canvas.px)


def draw_sight_lines(canvas: Canvas, moment: StoryMoment, sea: Sea) -> None:
    """Draw volleys' lines of sight on a table with islands (MX-1.13), with a cross where an island blocks one."""
    islands = sea.terrain.islands
    if not islands.pieces:
        return
    ships = moment.after_movement.galleys
    for shot in moment.events_of(VolleyDropped):
        if shot.by in ships and shot.to in ships:
            start, end = (hull_middle(ship.pose, ship.kind) for ship in (ships[shot.by], ships[shot.to]))
            ashore.draw_sight_line(canvas, start, end, None)
    for held_volley in moment.events_of(VolleyHeld):
        if held_volley.reason == "sight" and held_volley.by in ships:
            for foe, _ in volley_rules.enemies_in_range(ships[held_volley.by], ships.values()):
                start = hull_middle(ships[held_volley.by].pose, ships[held_volley.by].kind)
                end = hull_middle(foe.pose, foe.kind)
                hidden = shapely.intersection(LineString((start, end)), islands.shape)
                ashore.draw_sight_line(canvas, start, end, hidden.interpolate(0.5, normalized=True).coords[0])


@shows("grapple")
def draw_grapples(canvas: Canvas, pairs: Iterable[tuple[str, str]], ships: Mapping[str, Galley]) -> None:
    """Draw ropes from boarders to grappled galleys, if both are afloat and on different sides."""
    width = max(2.0, 3.6 * canvas.px)
    for boarder, grappled in pairs:
        if boarder not in ships or grappled not in ships or ships[boarder].side == ships[grappled].side:
            continue
        for start, end in _rope_lines(ships[boarder], ships[grappled]):
            a, b = canvas.to_pixels(start), canvas.to_pixels(end)
            canvas.draw_line([a, b], SOOT, 2.0 * width, 0.8, chalk=False)
            canvas.draw_line([a, b], CHALK, width, 1.0, dash=(1.6 * width, 0.8 * width), chalk=False)
            angle = atan2(b[1] - a[1], b[0] - a[0])
            barb = 9 * canvas.px
            hook = [(b[0] - barb * cos(angle + s), b[1] - barb * sin(angle + s)) for s in (0.8, -0.8)]
            draw_edged_line(canvas, [hook[0], b, hook[1]], CHALK, width, 2.0 * width, edge=SOOT)


def _rope_lines(boarder: Galley, grappled: Galley) -> list[tuple[Point, Point]]:
    """Return two ropes, fore and aft, between the middles of the hulls, in mm."""
    (ax, ay), (bx, by) = (hull_middle(ship.pose, ship.kind) for ship in (boarder, grappled))
    (a_east, a_north), (b_east, b_north) = (_unit_axes(ship.pose)[0] for ship in (boarder, grappled))
    sign = 1.0 if (a_east * b_east + a_north * b_north) >= 0 else -1.0  # -1: the hulls head in opposite directions
    lines: list[tuple[Point, Point]] = []
    for offset in (-_GRAPPLE_OFFSET_MM, _GRAPPLE_OFFSET_MM):
        start = (ax + offset * a_east, ay + offset * a_north)
        end = (bx + sign * offset * b_east, by + sign * offset * b_north)
        lines.append((point_between(start, end, 0.16), point_between(end, start, 0.16)))
    return lines


def draw_melees(canvas: Canvas, moment: StoryMoment, opacity: float = 1.0) -> list[Point]:
    """Draw crossed weapons where crews fight, and return the points in mm."""
    points: list[Point] = []
    for fight in moment.events_of(MeleeFought):
        fighters = (moment.after_movement.galleys[name] for name in (fight.by, fight.galley))
        (ax, ay), (bx, by) = (hull_middle(ship.pose, ship.kind) for ship in fighters)
        points.append(((ax + bx) / 2, (ay + by) / 2))
        _draw_crossed_arms(canvas, points[-1], opacity)
    return points


@shows("capture")
def mark_capture(canvas: Canvas, ship: Galley) -> None:
    radius = max(WRECK_RADIUS_MM * canvas.scale, 26 * canvas.px)
    width = max(3.0, 8 * canvas.px)
    canvas.draw_ring(canvas.to_pixels(hull_middle(ship.pose, ship.kind)), radius, LIVERIES[ship.side].letter, width)


@shows("melee")
def _draw_crossed_arms(canvas: Canvas, point_mm: Point, opacity: float) -> None:
    x, y = canvas.to_pixels(point_mm)
    size = max(15 * canvas.scale, 17 * canvas.px)
    canvas.draw_glow((x, y), size * 1.4, EMBER, 0.6 * opacity)
    for width, colour in ((11 * canvas.px, SOOT), (5 * canvas.px, FLAME)):
        for across in (-size, size):
            canvas.draw_line([(x - across, y - size), (x + across, y + size)], colour, width, opacity, chalk=False)


def rock_points(moment: StoryMoment) -> list[Point]:
    """Return the points, in mm, where galleys were damaged by land or reefs."""
    damaged = [event.galley for event in moment.events_of(ShipGrounded) if event.damage]
    damaged += [event.galley for event in moment.events_of(ReefStruck)]
    poses = [moment.after_movement.galleys[name].pose for name in damaged if name in moment.after_movement.galleys]
    return [(pose.x_mm, pose.y_mm) for pose in poses]


def _draw_ray(canvas: Canvas, drop: DroppedMatch, start: Point, target: Galley | None, *, opacity: float) -> None:
    # From the end of a match that points at the target, on to the hull.
    if target is None:
        return
    sign = 1 if drop.hit == "head" else -1
    angle = radians(drop.bearing_deg)
    direction = (sign * sin(angle), sign * cos(angle))
    distance = _ray_distance(start, direction, hull_corners(target.pose, target.kind))
    if distance is None:
        return
    end = (start[0] + direction[0] * distance, start[1] + direction[1] * distance)
    width = max(2.5, 5 * canvas.px)
    ends = [canvas.to_pixels(start), canvas.to_pixels(end)]
    canvas.draw_line(ends, FLAME, width, opacity, dash=(3 * width, 2 * width), shadow=True)
    draw_spark(canvas, end, opacity)


def draw_spark(canvas: Canvas, point_mm: Point, opacity: float = 1.0) -> None:
    at = canvas.to_pixels(point_mm)
    size = min(15 * canvas.px, max(8 * canvas.px, 11 * canvas.scale))
    canvas.draw_glow(at, size * 2.2, EMBER, opacity * 0.8)
    canvas.fill_polygon(star_points(at, size, size * 0.36, 4), FLAME, opacity)


@shows("ram")
def draw_ram_burst(canvas: Canvas, point_mm: Point, opacity: float = 1.0) -> None:
    at = canvas.to_pixels(point_mm)
    size = max(27 * canvas.scale, 28 * canvas.px)
    canvas.draw_glow(at, size * 1.5, EMBER, 0.7 * opacity)
    edge = size + 3 * canvas.px
    for outer, inner, colour, part in (
        (edge, 0.55, SOOT, 0.8),
        (size, 0.5, EMBER, 1.0),
        (0.72 * size, 0.34, FLAME, 1.0),
    ):
        canvas.fill_polygon(star_points(at, outer, size * inner, 9), colour, part * opacity)


def draw_lost_galley(canvas: Canvas, ship: Galley, *, struck: bool = False, just_sunk: bool = False) -> None:
    """Draw the outline of a struck galley with a white flag, or the whirl where a galley sank."""
    if struck:
        with marking(canvas, "struck"):
            _draw_outline(canvas, ship, ship.pose, 0.6)
            _draw_white_flag(canvas, ship)
        return
    with marking(canvas, "sunk" if just_sunk else "wreck"):
        _draw_whirl(canvas, ship, just_sunk=just_sunk)


def _draw_white_flag(canvas: Canvas, ship: Galley) -> None:
    x, y = canvas.to_pixels(hull_middle(ship.pose, ship.kind))
    size = max(22 * canvas.scale, 16 * canvas.px)
    width = max(2.0, 3.5 * canvas.px)
    pole = [(x, y), (x, y - 1.5 * size)]
    cloth = [(x, y - 1.5 * size), (x + size, y - 1.4 * size), (x + 0.9 * size, y - 0.8 * size), (x, y - 0.75 * size)]
    canvas.fill_polygon(cloth, CHALK)
    canvas.draw_line([*cloth, cloth[0]], SOOT, width)
    canvas.draw_line(pole, SOOT, width)


def _draw_whirl(canvas: Canvas, ship: Galley, *, just_sunk: bool) -> None:
    x, y = canvas.to_pixels(hull_middle(ship.pose, ship.kind))
    size = 30 * canvas.scale
    tint = LIVERIES[ship.side].letter
    canvas.draw_glow((x, y), size * 1.4, SOOT, 0.6)
    for arm in range(3):
        curl = []
        for i in range(26):
            angle = arm * 2 * pi / 3 + i * 0.19
            radius = size * (0.12 + 0.88 * i / 25)
            curl.append((x + radius * cos(angle), y + 0.9 * radius * sin(angle)))
        canvas.draw_line(curl, tint, max(2.0, 4 * canvas.px), 0.8 if just_sunk else 0.55)
    if just_sunk:
        canvas.draw_ring((x, y), max(WRECK_RADIUS_MM * canvas.scale, 26 * canvas.px), EMBER, max(3.0, 8 * canvas.px))


def circle_obstacle(canvas: Canvas, at_mm: Point, radius_mm: float, weight: int) -> Obstacle:
    return Obstacle(tuple(circle_points(canvas.to_pixels(at_mm), radius_mm * canvas.scale, 12)), weight)


def strike_point(rammer: Galley, rammed: Galley) -> Point:
    """Return the point of the rammer's bow edge, in mm, that is nearest to the rammed hull."""
    port, starboard, *_ = hull_corners(rammer.pose, rammer.kind)
    prow = boxes.Point(rammer.pose.x_mm, rammer.pose.y_mm)
    return min((prow, port, starboard), key=lambda p: boxes.distance_to_box(p, hull_of(rammed)))


def _unit_axes(pose: Pose) -> tuple[Point, Point]:
    """Return unit vectors ahead and to starboard, each as east and north."""
    x, y = boxes.unit_vector(pose.heading_deg)
    return (x, y), (y, -x)


def grow_hull(pose: Pose, kind: VesselKind, distance_mm: float) -> list[Point]:
    """Return the outline of all points within a distance of a hull, with round corners."""
    ring: list[Point] = []
    for i, (x, y) in enumerate(hull_corners(pose, kind)):
        first_angle = -radians(pose.heading_deg) + pi - i * pi / 2  # of a quarter circle in ten parts
        angles = [first_angle - part * pi / 20 for part in range(11)]
        ring += [(x + distance_mm * cos(angle), y + distance_mm * sin(angle)) for angle in angles]
    return ring


def _ray_distance(start: Point, direction: Point, shape: Sequence[Point]) -> float | None:
    """Return how far a ray goes until it meets the outline of a shape; None if it misses it."""
    nearest = inf
    for (ax, ay), (bx, by) in zip(shape, [*shape[1:], shape[0]], strict=True):
        ex, ey = bx - ax, by - ay  # along the edge
        cross = direction[0] * ey - direction[1] * ex
        if abs(cross) < 1e-9:  # ray and edge are parallel
            continue
        dx, dy = ax - start[0], ay - start[1]
        distance = (dx * ey - dy * ex) / cross
        along = (dx * direction[1] - dy * direction[0]) / cross  # where on the edge they meet, 0 to 1
        if distance >= 0 and 0 <= along <= 1:
            nearest = min(nearest, distance)
    return None if nearest == inf else nearest
