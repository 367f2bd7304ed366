"""Geometry of many hulls at once, like `hull` and `rules.geometry.boxes` for single pairs.

All arrays of one call have one shape or broadcast. Lengths are in mm, and bearings are compass degrees.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.sea import Sea

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_OUTLINE = ((1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))  # corners, in half lengths ahead and half widths

AxisIndex = int | slice | Ints | Bools | None  # an index for one axis of an array. None adds an axis.


class HullSizes(NamedTuple):
    """Sizes of hulls: numbers if all are equal, else arrays with the shape of the positions."""

    half_length: Floats | float  # from a hull's middle to its bow, in mm
    half_width: Floats | float  # from a hull's middle to its side, in mm

    @property
    def reach_mm(self) -> Floats | float:  # from a hull's middle to its corners
        return _diagonal(self.half_length, self.half_width)

    @property
    def prow_reach_mm(self) -> Floats | float:  # from the prow to the corners of the stern
        return _diagonal(2 * self.half_length, self.half_width)

    @property
    def distinct_columns(self) -> tuple[Floats, ...]:
        """The arrays that distinguish hulls; empty: all are equal."""
        return tuple(half for half in self if not isinstance(half, float))

    def pick_rows(self, *where: AxisIndex) -> HullSizes:
        if isinstance(self.half_length, float):
            return self
        return HullSizes(self.half_length[where], pick_rows(self.half_width, *where))


def size_of(kind: VesselKind) -> HullSizes:
    return HullSizes(kind.half_length_mm, kind.half_width_mm)


GALLEY_SIZE: Final = size_of(GALLEY)


def pick_rows(values: Floats | float, *where: AxisIndex) -> Floats | float:  # a number stands for equal rows
    return values if isinstance(values, float) else np.asarray(values[where])


def _diagonal(along: Floats | float, across: Floats | float) -> Floats | float:
    if isinstance(along, float) and isinstance(across, float):
        return math.hypot(along, across)
    return np.asarray(np.hypot(along, across))


class HullBoxes(NamedTuple):
    """Hulls as boxes: their middles, and unit vectors of their headings."""

    x: Floats  # middles, in mm from the western edge
    y: Floats  # middles, in mm from the southern edge
    ux: Floats  # unit vectors of headings, east
    uy: Floats  # unit vectors of headings, north
    size: HullSizes = GALLEY_SIZE  # half lengths and half widths

    def pick_rows(self, *where: AxisIndex) -> HullBoxes:
        return HullBoxes(self.x[where], self.y[where], self.ux[where], self.uy[where], self.size.pick_rows(*where))

    @property
    def distinct_columns(self) -> tuple[Floats, ...]:
        return (self.x, self.y, self.ux, self.uy, *self.size.distinct_columns)


def hull_boxes(x: Floats, y: Floats, heading: Floats, size: HullSizes = GALLEY_SIZE) -> HullBoxes:
    """Return hulls from their prows and headings (MB-1.2)."""
    angle = np.radians(heading)
    ux, uy = np.sin(angle), np.cos(angle)
    return HullBoxes(x - size.half_length * ux, y - size.half_length * uy, ux, uy, size)


def box_reaches(hulls: HullBoxes) -> tuple[Floats, Floats]:
    """Return how far hulls extend from their middles to the east (or west), and to the north (or south)."""
    abs_x, abs_y = np.abs(hulls.ux), np.abs(hulls.uy)
    long, broad = hulls.size
    return long * abs_x + broad * abs_y, long * abs_y + broad * abs_x


def edge_overhangs(hulls: HullBoxes, sea: Sea) -> tuple[Floats, Floats, Floats, Floats]:
    # How far hulls extend over the western, southern, eastern and northern edge, in mm; negative: the distance from it.
    east, north = box_reaches(hulls)
    return east - hulls.x, north - hulls.y, hulls.x + east - sea.width_mm, hulls.y + north - sea.height_mm


def edge_pushes(hulls: HullBoxes, sea: Sea) -> tuple[Floats, Floats]:
    """Return how far east and north hulls must be pushed to be on the table (MB-5.4)."""
    west, south, east, north = edge_overhangs(hulls, sea)
    push_x = np.maximum(0.0, west) - np.maximum(0.0, east)
    push_y = np.maximum(0.0, south) - np.maximum(0.0, north)
    return push_x, push_y


class PairBearings(NamedTuple):
    """The relative places of pairs of hulls, each seen from the other, and how far both extend."""

    ahead_a: Floats  # the middle of b, ahead of the middle of a
    abeam_a: Floats  # the middle of b, to starboard of the middle of a
    ahead_b: Floats  # the middle of a, ahead of the middle of b
    abeam_b: Floats  # the middle of a, to starboard of the middle of b
    reach_a: Floats  # the sum of both extents along the length of a
    girth_a: Floats  # the sum of both extents along the width of a
    reach_b: Floats  # the sum of both extents along the length of b; the same array as `reach_a` for equal sizes
    girth_b: Floats  # the sum of both extents along the width of b


def pair_bearings(a: HullBoxes, b: HullBoxes) -> PairBearings:
    """Return where the hulls of each pair lie as seen from each other. Every test for contact begins with this."""
    dx, dy = b.x - a.x, b.y - a.y
    # Of the angle between both headings.
    cos, sin = np.abs(a.ux * b.ux + a.uy * b.uy), np.abs(a.ux * b.uy - a.uy * b.ux)
    (long_a, broad_a), (long_b, broad_b) = a.size, b.size  # half lengths and half widths
    reach_a = reach_b = long_a + long_b * cos + broad_b * sin
    girth_a = girth_b = broad_a + long_b * sin + broad_b * cos
    if a.size is not b.size:
        reach_b = long_b + long_a * cos + broad_a * sin
        girth_b = broad_b + long_a * sin + broad_a * cos
    return PairBearings(
        dx * a.ux + dy * a.uy,
        dx * a.uy - dy * a.ux,
        -dx * b.ux - dy * b.uy,
        dy * b.ux - dx * b.uy,
        reach_a,
        girth_a,
        reach_b,
        girth_b,
    )


def edge_gaps(bearings: PairBearings) -> Floats:
    """Return the gaps of pairs along each edge line, [edge, pair], in the order of `boxes.edge_gaps`."""
    ahead_a, abeam_a, ahead_b, abeam_b, reach_a, girth_a, reach_b, girth_b = bearings
    gaps = np.empty((8, *np.shape(reach_a)))
    axes = (0, ahead_a, reach_a), (2, abeam_a, girth_a), (4, ahead_b, reach_b), (6, abeam_b, girth_b)
    for first_edge, distance, touching_distance in axes:
        np.subtract(distance, touching_distance, out=gaps[first_edge])
        np.subtract(-distance, touching_distance, out=gaps[first_edge + 1])
    return gaps


def pair_separation(bearings: PairBearings) -> Floats:
    """Return the width of the widest strip along an edge that separates each pair; negative: the overlap."""
    ahead_a, abeam_a, ahead_b, abeam_b, reach_a, girth_a, reach_b, girth_b = bearings
    if reach_a is reach_b:
        along = np.maximum(np.abs(ahead_a), np.abs(ahead_b)) - reach_a
        return np.maximum(along, np.maximum(np.abs(abeam_a), np.abs(abeam_b)) - girth_a)
    along = np.maximum(np.abs(ahead_a) - reach_a, np.abs(ahead_b) - reach_b)
    return np.maximum(along, np.maximum(np.abs(abeam_a) - girth_a, np.abs(abeam_b) - girth_b))


def pair_gap(a: HullBoxes, b: HullBoxes) -> Floats:
    """Return the distance between the hulls of each pair in mm; 0 if they overlap."""
    # One of the two nearest points is a corner, so each corner of either hull is compared with the other hull.
    bearings = pair_bearings(a, b)
    cos, sin = a.ux * b.ux + a.uy * b.uy, a.ux * b.uy - a.uy * b.ux
    nearest = np.full(np.shape(bearings.reach_a), np.inf)  # squared
    for ahead, abeam, turn_sin, own, other in (
        (bearings.ahead_a, bearings.abeam_a, -sin, a.size, b.size),
        (bearings.ahead_b, bearings.abeam_b, sin, b.size, a.size),
    ):
        for along, across in _OUTLINE:
            fore, aside = along * other.half_length, across * other.half_width  # a corner, as seen from its own hull
            off_ahead = np.abs(ahead + fore * cos - aside * turn_sin) - own.half_length
            off_abeam = np.abs(abeam + fore * turn_sin + aside * cos) - own.half_width
            np.minimum(nearest, np.maximum(off_ahead, 0.0) ** 2 + np.maximum(off_abeam, 0.0) ** 2, out=nearest)
    return np.where(pair_separation(bearings) <= 0, 0.0, np.sqrt(nearest))
