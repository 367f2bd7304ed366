"""Many hulls at once: what `hull` and `geometry` say of one pair, said of whole arrays of pairs.

All arrays of one call have one shape, or shapes that broadcast. Lengths are mm, bearings compass degrees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rules.matchbox.table.kinds import GALLEY
from rules.matchbox.table.sea import Sea

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_OUTLINE = ((1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0))
"""Corners, in half lengths ahead and half widths to starboard."""


Where = int | slice | Ints | Bools
"""What picks from one axis of an array."""


class Boxes(NamedTuple):
    """Hulls as boxes."""

    x: Floats
    """Middles."""
    y: Floats
    ux: Floats
    """Unit vectors of the headings."""
    uy: Floats

    def pick(self, *where: Where) -> Boxes:
        """Some of them."""
        return Boxes._make(column[where] for column in self)


def boxes(x: Floats, y: Floats, heading: Floats) -> Boxes:
    """Hulls by their prows and headings (MB-1.2)."""
    angle = np.radians(heading)
    ux, uy = np.sin(angle), np.cos(angle)
    return Boxes(x - GALLEY.half_length_mm * ux, y - GALLEY.half_length_mm * uy, ux, uy)


def reach(of: Boxes) -> tuple[Floats, Floats]:
    """How far hulls reach from their middles to the east, or west, and to the north, or south."""
    abs_x, abs_y = np.abs(of.ux), np.abs(of.uy)
    return (
        GALLEY.half_length_mm * abs_x + GALLEY.half_width_mm * abs_y,
        GALLEY.half_length_mm * abs_y + GALLEY.half_width_mm * abs_x,
    )


def overhangs(of: Boxes, sea: Sea) -> tuple[Floats, Floats, Floats, Floats]:
    """How far hulls reach over the west, south, east and north edge; negative: how far off it they lie."""
    east, north = reach(of)
    return east - of.x, north - of.y, of.x + east - sea.width_mm, of.y + north - sea.height_mm


def over_edge(of: Boxes, sea: Sea) -> tuple[Floats, Floats]:
    """How far east and north hulls must be pushed to lie on the table (MB-5.4)."""
    west, south, east, north = overhangs(of, sea)
    push_x = np.maximum(0.0, west) - np.maximum(0.0, east)
    push_y = np.maximum(0.0, south) - np.maximum(0.0, north)
    return push_x, push_y


class Bearings(NamedTuple):
    """Where the hulls of pairs lie, each as seen from the other, and how far they reach."""

    ahead_a: Floats
    """The middle of b, ahead of the middle of a and to starboard of it."""
    abeam_a: Floats
    ahead_b: Floats
    abeam_b: Floats
    reach: Floats
    """The sum of the reaches of both along the length of either: it is the same."""
    girth: Floats
    """And along the breadth of either."""


def bearings(a: Boxes, b: Boxes) -> Bearings:
    """See each hull of a pair from the other."""
    dx, dy = b.x - a.x, b.y - a.y
    same, cross = np.abs(a.ux * b.ux + a.uy * b.uy), np.abs(a.ux * b.uy - a.uy * b.ux)
    return Bearings(
        dx * a.ux + dy * a.uy,
        dx * a.uy - dy * a.ux,
        -dx * b.ux - dy * b.uy,
        dy * b.ux - dx * b.uy,
        GALLEY.half_length_mm + GALLEY.half_length_mm * same + GALLEY.half_width_mm * cross,
        GALLEY.half_width_mm + GALLEY.half_length_mm * cross + GALLEY.half_width_mm * same,
    )


def edge_spans(seen: Bearings) -> Floats:
    """How far pairs are parted by the line through each edge: [edge, pair], as `geometry.edge_spans` orders them."""
    ahead_a, abeam_a, ahead_b, abeam_b, reach, girth = seen
    spans = np.empty((8, *np.shape(reach)))
    for first, along, most in ((0, ahead_a, reach), (2, abeam_a, girth), (4, ahead_b, reach), (6, abeam_b, girth)):
        np.subtract(along, most, out=spans[first])
        np.subtract(-along, most, out=spans[first + 1])
    return spans


def separation(seen: Bearings) -> Floats:
    """Width of the widest strip along an edge that parts each pair; negative: the least overlap."""
    ahead_a, abeam_a, ahead_b, abeam_b, reach, girth = seen
    along = np.maximum(np.abs(ahead_a), np.abs(ahead_b)) - reach
    return np.maximum(along, np.maximum(np.abs(abeam_a), np.abs(abeam_b)) - girth)


def gap(a: Boxes, b: Boxes) -> Floats:
    """Shortest distance between the hulls of each pair; 0 if they touch or overlap."""
    seen = bearings(a, b)
    same, cross = a.ux * b.ux + a.uy * b.uy, a.ux * b.uy - a.uy * b.ux
    nearest = np.full(np.shape(seen.reach), np.inf)
    for ahead, abeam, turned in ((seen.ahead_a, seen.abeam_a, -cross), (seen.ahead_b, seen.abeam_b, cross)):
        for along, across in _OUTLINE:
            fore, aside = along * GALLEY.half_length_mm, across * GALLEY.half_width_mm
            off_ahead = np.abs(ahead + fore * same - aside * turned) - GALLEY.half_length_mm
            off_abeam = np.abs(abeam + fore * turned + aside * same) - GALLEY.half_width_mm
            np.minimum(nearest, np.maximum(off_ahead, 0.0) ** 2 + np.maximum(off_abeam, 0.0) ** 2, out=nearest)
    return np.where(separation(seen) <= 0, 0.0, np.sqrt(nearest))
