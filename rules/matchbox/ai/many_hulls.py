"""Many hulls at once: what `hull` and `geometry` say of one pair, said of whole arrays of pairs.

All arrays of one call have one shape, or shapes that broadcast. Lengths are mm, bearings compass degrees.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.matchbox.engine.kinds import GALLEY
from rules.matchbox.engine.sea import Sea

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_OUTLINE = ((1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))
"""Corners, in half lengths ahead and half widths to starboard."""


AxisIndex = int | slice | Ints | Bools | None
"""What picks from one axis of an array; None adds one."""


class HullSizes(NamedTuple):
    """How large hulls are: numbers, if all are alike, or arrays of the shape that their places have."""

    half_length: Floats | float
    half_width: Floats | float

    @property
    def reach_mm(self) -> Floats | float:
        """From the middles of hulls to their corners."""
        return _diagonal(self.half_length, self.half_width)

    @property
    def prow_reach_mm(self) -> Floats | float:
        """From prows to the farthest corners."""
        return _diagonal(2 * self.half_length, self.half_width)

    @property
    def distinct_columns(self) -> tuple[Floats, ...]:
        """What tells hulls from others of the same place; nothing, if all are alike."""
        return tuple(of for of in self if not isinstance(of, float))

    def pick_rows(self, *where: AxisIndex) -> HullSizes:
        """Those of some of them."""
        if isinstance(self.half_length, float):
            return self
        return HullSizes(self.half_length[where], pick_rows(self.half_width, *where))


GALLEY_SIZE: Final = HullSizes(GALLEY.half_length_mm, GALLEY.half_width_mm)


def pick_rows(of: Floats | float, *where: AxisIndex) -> Floats | float:
    """Some of what is given for each, or what is the same of all."""
    return of if isinstance(of, float) else np.asarray(of[where])


def _diagonal(along: Floats | float, across: Floats | float) -> Floats | float:
    if isinstance(along, float) and isinstance(across, float):
        return math.hypot(along, across)
    return np.asarray(np.hypot(along, across))


class HullBoxes(NamedTuple):
    """Hulls as boxes."""

    x: Floats
    """Middles."""
    y: Floats
    ux: Floats
    """Unit vectors of the headings."""
    uy: Floats
    size: HullSizes = GALLEY_SIZE

    def pick_rows(self, *where: AxisIndex) -> HullBoxes:
        """Some of them."""
        return HullBoxes(self.x[where], self.y[where], self.ux[where], self.uy[where], self.size.pick_rows(*where))

    @property
    def distinct_columns(self) -> tuple[Floats, ...]:
        """What tells one from another."""
        return (self.x, self.y, self.ux, self.uy, *self.size.distinct_columns)


def hull_boxes(x: Floats, y: Floats, heading: Floats, size: HullSizes = GALLEY_SIZE) -> HullBoxes:
    """Hulls by their prows and headings (MB-1.2)."""
    angle = np.radians(heading)
    ux, uy = np.sin(angle), np.cos(angle)
    return HullBoxes(x - size.half_length * ux, y - size.half_length * uy, ux, uy, size)


def box_reaches(of: HullBoxes) -> tuple[Floats, Floats]:
    """How far hulls reach from their middles to the east, or west, and to the north, or south."""
    abs_x, abs_y = np.abs(of.ux), np.abs(of.uy)
    long, broad = of.size
    return long * abs_x + broad * abs_y, long * abs_y + broad * abs_x


def edge_overhangs(of: HullBoxes, sea: Sea) -> tuple[Floats, Floats, Floats, Floats]:
    """How far hulls reach over the west, south, east and north edge; negative: how far off it they lie."""
    east, north = box_reaches(of)
    return east - of.x, north - of.y, of.x + east - sea.width_mm, of.y + north - sea.height_mm


def edge_pushes(of: HullBoxes, sea: Sea) -> tuple[Floats, Floats]:
    """How far east and north hulls must be pushed to lie on the table (MB-5.4)."""
    west, south, east, north = edge_overhangs(of, sea)
    push_x = np.maximum(0.0, west) - np.maximum(0.0, east)
    push_y = np.maximum(0.0, south) - np.maximum(0.0, north)
    return push_x, push_y


class PairBearings(NamedTuple):
    """Where the hulls of pairs lie, each as seen from the other, and how far they reach."""

    ahead_a: Floats
    """The middle of b, ahead of the middle of a and to starboard of it."""
    abeam_a: Floats
    ahead_b: Floats
    abeam_b: Floats
    reach_a: Floats
    """The sum of the reaches of both along the length of a."""
    girth_a: Floats
    """And along its breadth."""
    reach_b: Floats
    """The same along b: the same arrays, if both are as large."""
    girth_b: Floats


def pair_bearings(a: HullBoxes, b: HullBoxes) -> PairBearings:
    """See each hull of a pair from the other."""
    dx, dy = b.x - a.x, b.y - a.y
    same, cross = np.abs(a.ux * b.ux + a.uy * b.uy), np.abs(a.ux * b.uy - a.uy * b.ux)
    (long_a, broad_a), (long_b, broad_b) = a.size, b.size
    reach_a = reach_b = long_a + long_b * same + broad_b * cross
    girth_a = girth_b = broad_a + long_b * cross + broad_b * same
    if a.size is not b.size:
        reach_b = long_b + long_a * same + broad_a * cross
        girth_b = broad_b + long_a * cross + broad_a * same
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


def edge_gaps(seen: PairBearings) -> Floats:
    """How far pairs are parted by the line through each edge: [edge, pair], as `geometry.edge_gaps` orders them."""
    ahead_a, abeam_a, ahead_b, abeam_b, reach_a, girth_a, reach_b, girth_b = seen
    spans = np.empty((8, *np.shape(reach_a)))
    for first, along, most in (
        (0, ahead_a, reach_a),
        (2, abeam_a, girth_a),
        (4, ahead_b, reach_b),
        (6, abeam_b, girth_b),
    ):
        np.subtract(along, most, out=spans[first])
        np.subtract(-along, most, out=spans[first + 1])
    return spans


def pair_separation(seen: PairBearings) -> Floats:
    """Width of the widest strip along an edge that parts each pair; negative: the least overlap."""
    ahead_a, abeam_a, ahead_b, abeam_b, reach_a, girth_a, reach_b, girth_b = seen
    if reach_a is reach_b:
        along = np.maximum(np.abs(ahead_a), np.abs(ahead_b)) - reach_a
        return np.maximum(along, np.maximum(np.abs(abeam_a), np.abs(abeam_b)) - girth_a)
    along = np.maximum(np.abs(ahead_a) - reach_a, np.abs(ahead_b) - reach_b)
    return np.maximum(along, np.maximum(np.abs(abeam_a) - girth_a, np.abs(abeam_b) - girth_b))


def pair_gap(a: HullBoxes, b: HullBoxes) -> Floats:
    """Shortest distance between the hulls of each pair; 0 if they touch or overlap."""
    seen = pair_bearings(a, b)
    same, cross = a.ux * b.ux + a.uy * b.uy, a.ux * b.uy - a.uy * b.ux
    nearest = np.full(np.shape(seen.reach_a), np.inf)
    for ahead, abeam, turned, own, other in (
        (seen.ahead_a, seen.abeam_a, -cross, a.size, b.size),
        (seen.ahead_b, seen.abeam_b, cross, b.size, a.size),
    ):
        for along, across in _OUTLINE:
            fore, aside = along * other.half_length, across * other.half_width
            off_ahead = np.abs(ahead + fore * same - aside * turned) - own.half_length
            off_abeam = np.abs(abeam + fore * turned + aside * same) - own.half_width
            np.minimum(nearest, np.maximum(off_ahead, 0.0) ** 2 + np.maximum(off_abeam, 0.0) ** 2, out=nearest)
    return np.where(pair_separation(seen) <= 0, 0.0, np.sqrt(nearest))
