"""Plane geometry of boxes, segments and rays in closed form.

Bearings are compass degrees, clockwise from north. x runs east and y north. Lengths are in the game's own unit.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

TOUCH_DISTANCE: Final = 1e-9
"""Things nearer than this touch. It is far below any measure of a game, and far above floating-point noise."""
COMPASS: Final = ("n", "ne", "e", "se", "s", "sw", "w", "nw")


class Point(NamedTuple):
    """A point, or a vector from one point to another."""

    x: float  # distance to the east, in mm or another unit of the caller
    y: float  # distance to the north, in the same unit as `x`


Extent = tuple[float, float, float, float]  # west, south, east and north bounds
Pair = tuple[float, float]  # a `Point`, or a plain tuple where many are made
Outline = tuple[Pair, Pair, Pair, Pair]  # the corners of a box, clockwise from the port bow corner


class Box(NamedTuple):
    """A rectangle at any angle: its middle, the unit vector of its heading, and half its length and width."""

    x: float  # easting of the middle
    y: float  # northing of the middle
    ux: float  # unit vector of the heading, east
    uy: float  # unit vector of the heading, north
    half_length: float  # from the middle to the bow or the stern
    half_width: float  # from the middle to either side


BoxTuple = tuple[float, float, float, float, float, float]  # a `Box`, or a plain tuple where many are made


@lru_cache(maxsize=2048)
def unit_vector(bearing_deg: float) -> Point:
    angle = math.radians(bearing_deg)
    return Point(math.sin(angle), math.cos(angle))


def box_corners(box: Box | BoxTuple) -> Outline:
    x, y, ux, uy, along, across = box
    # From the middle to the bow edge, and from the middle to the starboard side.
    bow_x, bow_y, side_x, side_y = along * ux, along * uy, across * uy, -across * ux
    return (
        (x + bow_x - side_x, y + bow_y - side_y),
        (x + bow_x + side_x, y + bow_y + side_y),
        (x - bow_x + side_x, y - bow_y + side_y),
        (x - bow_x - side_x, y - bow_y - side_y),
    )


def axis_gaps(a: Box, b: Box) -> tuple[float, float, float, float]:
    """Return the gaps of two boxes along the length and width of `a`, then of `b`; negative: they overlap."""
    ax, ay, ux, uy, along_a, across_a = a
    bx, by, vx, vy, along_b, across_b = b
    dx, dy = bx - ax, by - ay
    cos = abs(ux * vx + uy * vy)
    sin = abs(ux * vy - uy * vx)
    return (
        abs(dx * ux + dy * uy) - along_a - along_b * cos - across_b * sin,
        abs(dx * uy - dy * ux) - across_a - along_b * sin - across_b * cos,
        abs(dx * vx + dy * vy) - along_b - along_a * cos - across_a * sin,
        abs(dx * vy - dy * vx) - across_b - along_a * sin - across_a * cos,
    )


def edge_gaps(a: BoxTuple, b: BoxTuple) -> tuple[float, ...]:
    """Return the gaps of two boxes beyond each edge line of `a`, then of `b`; negative: they overlap.

    Edges are in the order bow, stern, starboard, port.
    """
    ax, ay, ux, uy, along_a, across_a = a
    bx, by, vx, vy, along_b, across_b = b
    dx, dy = bx - ax, by - ay
    cos = abs(ux * vx + uy * vy)
    sin = abs(ux * vy - uy * vx)
    reach_a, reach_b = along_a + along_b * cos + across_b * sin, along_b + along_a * cos + across_a * sin
    side_a, side_b = across_a + along_b * sin + across_b * cos, across_b + along_a * sin + across_a * cos
    ahead_a, abeam_a = dx * ux + dy * uy, dx * uy - dy * ux
    ahead_b, abeam_b = -dx * vx - dy * vy, dy * vx - dx * vy
    return (
        ahead_a - reach_a,
        -ahead_a - reach_a,
        abeam_a - side_a,
        -abeam_a - side_a,
        ahead_b - reach_b,
        -ahead_b - reach_b,
        abeam_b - side_b,
        -abeam_b - side_b,
    )


def separation(a: Box, b: Box) -> float:
    """Return the width of the widest strip along an edge that separates two boxes; negative: the least overlap."""
    return max(axis_gaps(a, b))


def box_gap(a: Box, b: Box) -> float:
    """Return the shortest distance between two boxes; 0 if they touch or overlap."""
    if separation(a, b) <= 0:
        return 0.0
    return min(_nearest_corner_distance(a, b), _nearest_corner_distance(b, a))


def is_near(a: Box, b: Box, most: float) -> bool:
    """Return whether the gap between two boxes that do not overlap is at most `most`."""
    return _nearest_corner_distance(a, b) <= most or _nearest_corner_distance(b, a) <= most


def _nearest_corner_distance(box: Box, other: Box) -> float:
    # The distance from a box to the nearest corner of another.
    x, y, ux, uy, along, across = box
    nearest = math.inf
    for corner_x, corner_y in box_corners(other):
        dx, dy = corner_x - x, corner_y - y
        ahead, abeam = abs(dx * ux + dy * uy) - along, abs(dx * uy - dy * ux) - across
        if ahead < nearest and abeam < nearest:
            nearest = min(nearest, math.hypot(ahead, abeam) if ahead > 0 < abeam else max(ahead, abeam, 0.0))
    return nearest


def to_box_frame(point: Pair, box: Box) -> Point:
    """Return how far a point is ahead and to starboard of a box's middle."""
    x, y, ux, uy, _, _ = box
    dx, dy = point[0] - x, point[1] - y
    return Point(dx * ux + dy * uy, dx * uy - dy * ux)


def distance_to_box(point: Pair, box: Box) -> float:
    """Return the shortest distance from a point to a box; 0 inside it."""
    ahead, abeam = to_box_frame(point, box)
    return math.hypot(max(abs(ahead) - box.half_length, 0.0), max(abs(abeam) - box.half_width, 0.0))


def _path_meets_box(box: Box, start: Pair, direction: Pair, length: float) -> bool:
    """Return whether start + s × direction meets the box for some 0 <= s <= length."""
    x, y, ux, uy, along, across = box
    dx, dy = start[0] - x, start[1] - y
    low, high = _interval_within(dx * ux + dy * uy, direction[0] * ux + direction[1] * uy, along + TOUCH_DISTANCE)
    if low > length or high < 0:
        return False
    enter, leave = _interval_within(dx * uy - dy * ux, direction[0] * uy - direction[1] * ux, across + TOUCH_DISTANCE)
    return max(low, enter, 0.0) <= min(high, leave, length)


def _interval_within(place: float, rate: float, half: float) -> Pair:
    """Return the interval of s in which |place + s × rate| is at most `half`."""
    if abs(rate) < 1e-15:
        return (-math.inf, math.inf) if abs(place) <= half else (math.inf, -math.inf)
    enter, leave = (-half - place) / rate, (half - place) / rate
    return (enter, leave) if rate > 0 else (leave, enter)


def segment_meets_box(start: Pair, end: Pair, box: Box) -> bool:
    return _path_meets_box(box, start, (end[0] - start[0], end[1] - start[1]), 1.0)


def ray_meets_box(start: Pair, direction: Pair, box: Box) -> bool:
    """Return whether the ray from `start` along `direction` touches a box."""
    return _path_meets_box(box, start, direction, math.inf)


def _line_separates(a: Pair, b: Pair, c: Pair, d: Pair) -> bool:
    # Return whether the line through a and b has c and d on different sides, or touches one of them.
    way_x, way_y = b[0] - a[0], b[1] - a[1]
    length = math.hypot(way_x, way_y)
    c_to_port = (way_x * (c[1] - a[1]) - way_y * (c[0] - a[0])) / length
    d_to_port = (way_x * (d[1] - a[1]) - way_y * (d[0] - a[0])) / length
    return (c_to_port <= TOUCH_DISTANCE or d_to_port <= TOUCH_DISTANCE) and (
        c_to_port >= -TOUCH_DISTANCE or d_to_port >= -TOUCH_DISTANCE
    )


def segments_meet(a: Pair, b: Pair, c: Pair, d: Pair) -> bool:
    """Return whether segments a-b and c-d, both of positive length, have a common point."""
    if max(a[0], b[0]) + TOUCH_DISTANCE < min(c[0], d[0]) or max(c[0], d[0]) + TOUCH_DISTANCE < min(a[0], b[0]):
        return False
    if max(a[1], b[1]) + TOUCH_DISTANCE < min(c[1], d[1]) or max(c[1], d[1]) + TOUCH_DISTANCE < min(a[1], b[1]):
        return False
    return _line_separates(a, b, c, d) and _line_separates(c, d, a, b)


def compass_point(heading_deg: float) -> str:
    """Return the nearest of eight directions, such as `n` or `se`."""
    return COMPASS[round(heading_deg / 45) % 8]
