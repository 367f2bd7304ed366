"""A fine raster of places where a dropped match may lie, and its chances there (MB-6.6 to 6.9).

A place is a quarter of a 5 mm cell. Headings are counted in 90 bins of 2°, half a circle, because a match touches the
same things with its head forward or backward. A set of bins is stored as bits of two words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.geometry import boxes
from rules.geometry.boxes import Box
from rules.matchbox.engine import laying
from rules.matchbox.engine.state import MATCH_MM, LaidMatch

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
BinWords = npt.NDArray[np.uint64]

CELL_MM: Final = 5.0

_HALF_MATCH_MM: Final = MATCH_MM / 2
_BIN_COUNT: Final = 90  # headings of a match are sorted into this many bins of a half circle
_BINS_PER_DEG: Final = _BIN_COUNT / 180.0
_BINS_PER_WORD: Final = _BIN_COUNT // 2
_ALL_BINS: Final = np.uint64(2**_BINS_PER_WORD - 1)
_NEAR_FLAG: Final = np.uint64(2**63)  # set in the first word of places within half a match of something
_MIN_BIN: Final = -2 * _BIN_COUNT
_MIN_RATE: Final = 1e-9  # replaces 0 as a divisor


# Freed at once. It raises glibc malloc's dynamic threshold. Otherwise nearly every array here would be returned to the
# system and fetched again page by page, which takes as long as all the arithmetic.
np.empty(2**19)


def _prefix_bits(word: int) -> BinWords:
    """Return cumulative bits of the bins up to each index. Bits toggle with each further half circle."""
    bins = np.arange(_MIN_BIN, 3 * _BIN_COUNT) % _BIN_COUNT
    bits = np.where(
        bins // _BINS_PER_WORD == word, np.uint64(1) << (bins % _BINS_PER_WORD).astype(np.uint64), np.uint64(0)
    )
    return np.bitwise_xor.accumulate(np.concatenate((np.zeros(1, np.uint64), bits)))


_PREFIX_BITS: Final = (_prefix_bits(0), _prefix_bits(1))


def cell_chances(
    target: Box, hulls: Sequence[Box], lying: Sequence[LaidMatch], xs: Floats, ys: Floats
) -> tuple[Floats, Floats]:
    """Return, for a match in each cell [x, y], the chances that its head hits without touching, and that it touches.

    `xs` and `ys` are the middles of the cells in mm. Near hulls and matches, where chances change fast, a cell is the
    average of its four places. Elsewhere its middle represents it.
    """
    # The four places of a cell form a raster with twice as many columns and rows.
    quarter = np.array((-CELL_MM / 4, CELL_MM / 4))
    fine_x, fine_y = (xs[:, None] + quarter).ravel(), (ys[:, None] + quarter).ravel()
    spoiling = _touching_bins(hulls, lying, fine_x, fine_y)
    (near_places,) = (spoiling[0] != 0).nonzero()
    at_x, at_y = np.divmod(near_places, len(fine_y))
    cells = (at_x // 2) * len(ys) + at_y // 2  # the cell of each place
    # Of each place: the bins in which a match touches something, those that point at the target, and how many of them.
    blocked = [word[near_places] & _ALL_BINS for word in spoiling]
    (free_places,) = (blocked[0] & blocked[1] != _ALL_BINS).nonzero()
    aimed = _hull_bins(target, fine_x[at_x[free_places]], fine_y[at_y[free_places]])
    hits = [
        np.bitwise_count(aimed_bits & ~blocked_bits[free_places])
        for aimed_bits, blocked_bits in zip(aimed, blocked, strict=True)
    ]
    touches = [np.bitwise_count(blocked_bits) for blocked_bits in blocked]

    counts = (cells, None), (cells[free_places], hits[0] + hits[1]), (cells, touches[0] + touches[1])
    near_counts, hit, touch = (
        np.bincount(cell, weight, len(xs) * len(ys)).reshape(len(xs), len(ys)) for cell, weight in counts
    )
    subtended = _subtended_deg(target, xs[:, None], ys[None, :])
    # A cell has four places. A match touches by its bin, but only one of a bin's two headings points at the target.
    return (1.0 - near_counts / 4.0) * subtended / 360.0 + hit / (8.0 * _BIN_COUNT), touch / (4.0 * _BIN_COUNT)


# --- touching --------------------------------------------------------------------------------------------------------


class _ColumnStretches(NamedTuple):
    """Stretches of raster columns, each beside or across a shape, with the shape's number."""

    shape: Ints  # index of the shape
    column: Ints  # index of the raster column
    low: Floats  # y of the southern end in mm
    high: Floats  # y of the northern end in mm


class _StretchPlaces(NamedTuple):
    """All places of many stretches, with each stretch's shape number and its count of places."""

    number: Ints  # index in the flattened raster
    x: Floats  # easting of each place in mm
    y: Floats  # northing of each place in mm
    shape: Ints  # each stretch's shape
    counts: Ints  # each stretch's number of places


def _touching_bins(
    hulls: Sequence[Box], lying: Sequence[LaidMatch], xs: Floats, ys: Floats
) -> tuple[BinWords, BinWords]:
    """Return, for each place [x, y] of the flattened raster, the bins in which a match touches something."""
    outlines = _reachable_shapes(np.array([boxes.box_corners(hull) for hull in hulls]), xs, ys)
    sides = np.stack((outlines, outlines[:, (1, 2, 3, 0)]), axis=2).reshape(-1, 2, 2)
    matches = _reachable_shapes(np.array([laying.match_ends(match) for match in lying]).reshape(-1, 2, 2), xs, ys)
    edges = np.concatenate((sides, matches))
    bin_words = np.zeros(len(xs) * len(ys), np.uint64), np.zeros(len(xs) * len(ys), np.uint64)

    # Near an edge of a hull or a laid match, some bins touch.
    places = _list_places(_cut_hulls(_stretches_beside(edges, xs), outlines, xs), xs, ys)
    first_bin, end_bin, is_near = _edge_bins(edges, places)
    for word, up_to, mark in zip(bin_words, _PREFIX_BITS, (_NEAR_FLAG, np.uint64(0)), strict=True):
        np.bitwise_or.at(word, places.number, up_to[end_bin] ^ up_to[first_bin] | is_near * mark)

    # Inside a hull, all bins touch.
    places = _list_places(_stretches_across(outlines, *_columns_in_reach(outlines, 0.0, xs), xs), xs, ys)
    inside = places.number[_is_inside(outlines, places)]
    bin_words[0][inside] = _ALL_BINS | _NEAR_FLAG
    bin_words[1][inside] = _ALL_BINS
    return bin_words


def _reachable_shapes(shapes: Floats, xs: Floats, ys: Floats) -> Floats:
    """Return shapes [shape, corner, axis] that a match somewhere in the raster can touch."""
    low, high = (xs[0] - _HALF_MATCH_MM, ys[0] - _HALF_MATCH_MM), (xs[-1] + _HALF_MATCH_MM, ys[-1] + _HALF_MATCH_MM)
    return np.asarray(shapes[((shapes.max(axis=1) > low) & (shapes.min(axis=1) < high)).all(axis=1)])


def _stretches_beside(edges: Floats, xs: Floats) -> _ColumnStretches:
    """Return stretches of raster columns that cover everything within half a match of edges [edge, end, axis]."""
    shape, column = _columns_in_reach(edges, _HALF_MATCH_MM, xs)
    (tail_x, tail_y), (way_x, way_y) = edges[shape, 0].T, (edges[:, 1] - edges[:, 0])[shape].T
    slope = _safe_divisor(way_x)
    offset = xs[column] - tail_x
    # Intersect the neighbourhood of the edge part within reach of the column with the strip along the edge.
    edge_part = [
        tail_y + np.clip((offset + reach) / slope, 0.0, 1.0) * way_y for reach in (-_HALF_MATCH_MM, _HALF_MATCH_MM)
    ]
    strip, width = tail_y + offset * way_y / slope, _HALF_MATCH_MM * np.hypot(way_x, way_y) / np.abs(slope)
    low = np.maximum(np.minimum(*edge_part) - _HALF_MATCH_MM, strip - width)
    high = np.minimum(np.maximum(*edge_part) + _HALF_MATCH_MM, strip + width)
    return _ColumnStretches(shape, column, low, high)


def _cut_hulls(beside: _ColumnStretches, outlines: Floats, xs: Floats) -> _ColumnStretches:
    # Remove the inside of hulls from stretches beside their edges, which leaves a part on either side.
    shape, column, low, high = beside
    # The sides of hulls come first, four of each, and then laid matches.
    side_count = np.searchsorted(shape, 4 * len(outlines))
    inside = _stretches_across(outlines, shape[:side_count] // 4, column[:side_count], xs)
    start, end = np.where(inside.low < inside.high, (inside.low, inside.high), math.inf)
    return _ColumnStretches(
        np.concatenate((shape, shape[:side_count])),
        np.concatenate((column, column[:side_count])),
        np.concatenate((low, np.maximum(low[:side_count], end))),
        np.concatenate((np.minimum(high[:side_count], start), high[side_count:], high[:side_count])),
    )


def _stretches_across(outlines: Floats, shape: Ints, column: Ints, xs: Floats) -> _ColumnStretches:
    """Return stretches through hulls [hull, corner, axis]. One that misses its hull ends before it begins."""
    middle = outlines.mean(axis=1)[shape]
    offset = xs[column] - middle[:, 0]
    low, high = np.full(len(offset), -math.inf), np.full(len(offset), math.inf)
    for i in range(2):
        half = ((outlines[:, i + 1] - outlines[:, i]) / 2)[shape]
        slope = _safe_divisor(half[:, 1])
        strip, width = middle[:, 1] - offset * half[:, 0] / slope, (half * half).sum(axis=1) / np.abs(slope)
        low, high = np.maximum(low, strip - width), np.minimum(high, strip + width)
    return _ColumnStretches(shape, column, low, high)


def _safe_divisor(rate: Floats) -> Floats:
    return np.where(np.abs(rate) < _MIN_RATE, _MIN_RATE, rate)


def _columns_in_reach(shapes: Floats, reach: float, xs: Floats) -> tuple[Ints, Ints]:
    """Return numbers of shapes [shape, corner, axis], ascending, and of the columns within reach of each."""
    first = np.searchsorted(xs, shapes[:, :, 0].min(axis=1) - reach)
    count = np.searchsorted(xs, shapes[:, :, 0].max(axis=1) + reach) - first
    return np.repeat(np.arange(len(shapes)), count), _expand_ranges(first, count)


def _expand_ranges(first: Ints, count: Ints) -> Ints:
    ends = np.cumsum(count)
    return np.arange(count.sum()) + np.repeat(first - ends + count, count)


def _list_places(stretches: _ColumnStretches, xs: Floats, ys: Floats) -> _StretchPlaces:
    """Return the places of stretches. One place too many at an end is harmless."""
    shape, column, low, high = stretches
    first = np.searchsorted(ys, low - _MIN_RATE)
    count = np.maximum(np.searchsorted(ys, high + _MIN_RATE) - first, 0)
    row = _expand_ranges(first, count)
    return _StretchPlaces(np.repeat(column * len(ys), count) + row, np.repeat(xs[column], count), ys[row], shape, count)


def _is_inside(outlines: Floats, places: _StretchPlaces) -> npt.NDArray[np.bool_]:
    """Return whether each place is inside the hull of its stretch. Hulls are rectangles [hull, corner, axis]."""
    middles = outlines.mean(axis=1)
    offset_x, offset_y = (
        at - np.repeat(middles[places.shape, axis], places.counts) for axis, at in enumerate((places.x, places.y))
    )
    inside = np.ones(len(offset_x), np.bool_)
    for i in range(2):
        halves = (outlines[:, i + 1] - outlines[:, i]) / 2  # half of one side of each hull, as a vector
        squares = np.array([half @ half for half in halves])
        half_x, half_y, half_squared = (
            np.repeat(values[places.shape], places.counts) for values in (halves[:, 0], halves[:, 1], squares)
        )
        inside &= np.abs(offset_x * half_x + offset_y * half_y) <= half_squared
    return inside


def _edge_bins(edges: Floats, places: _StretchPlaces) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return first and past-the-end bin, as in `_PREFIX_BITS`, of each edge's near part, and whether there is any."""
    directions = edges[:, 1] - edges[:, 0]
    by_edge = (
        directions[:, 0],
        directions[:, 1],
        (directions * directions).sum(axis=1),
        edges[:, 0, 0],
        edges[:, 0, 1],
    )
    way_x, way_y, a, tail_x, tail_y = (np.repeat(values[places.shape], places.counts) for values in by_edge)
    tail_x, tail_y = tail_x - places.x, tail_y - places.y
    # The part of the edge inside a circle around the place: |tail + t way| <= half a match, or a t² + 2 b t + c <= 0.
    b = tail_x * way_x + tail_y * way_y
    c = tail_x * tail_x + tail_y * tail_y - _HALF_MATCH_MM**2
    discriminant = b * b - a * c
    root = np.sqrt(np.maximum(discriminant, 0.0))
    begin_fraction, end_fraction = np.clip((-b - root) / a, 0.0, 1.0), np.clip((-b + root) / a, 0.0, 1.0)
    is_near = (discriminant > 0.0) & (end_fraction > begin_fraction)
    begin_x, begin_y = tail_x + begin_fraction * way_x, tail_y + begin_fraction * way_y
    end_x, end_y = tail_x + end_fraction * way_x, tail_y + end_fraction * way_y
    turn = np.degrees(np.arctan2(begin_x * end_y - begin_y * end_x, begin_x * end_x + begin_y * end_y))
    begin = np.degrees(np.arctan2(begin_y, begin_x))
    end = begin + turn * is_near
    return _bin_number(np.minimum(begin, end)) - _MIN_BIN, _bin_number(np.maximum(begin, end)) - _MIN_BIN, is_near


# --- aiming ----------------------------------------------------------------------------------------------------------


def _hull_bins(hull: Box, x: Floats, y: Floats) -> tuple[BinWords, BinWords]:
    """Return the bins of headings that point from each place at a hull or away from it. Meaningless inside the hull."""
    outline = np.array(boxes.box_corners(hull))
    middle = outline.mean(axis=0)
    to_x, to_y = middle[0] - x, middle[1] - y
    # Bearings of the corners relative to that of the middle, in radians counter-clockwise.
    sides = [
        np.arctan2(to_x * (corner_y - y) - to_y * (corner_x - x), to_x * (corner_x - x) + to_y * (corner_y - y))
        for corner_x, corner_y in outline
    ]
    leftmost, rightmost = np.minimum.reduce(sides), np.maximum.reduce(sides)
    start = _bin_number(np.degrees(np.arctan2(to_y, to_x) + leftmost)) % _BIN_COUNT - _MIN_BIN
    end = start + np.minimum(_bin_number(np.degrees(rightmost - leftmost)), _BIN_COUNT)
    return _PREFIX_BITS[0][end] ^ _PREFIX_BITS[0][start], _PREFIX_BITS[1][end] ^ _PREFIX_BITS[1][start]


def _subtended_deg(hull: Box, x: Floats, y: Floats) -> Floats:
    """Return the angle in degrees that a hull subtends at each point; 0 inside."""
    dx, dy = x - hull.x, y - hull.y
    ahead, abeam = np.abs(dx * hull.ux + dy * hull.uy), np.abs(dx * hull.uy - dy * hull.ux)
    long, wide = hull.half_length, hull.half_width
    # The two corners that are outermost as seen from a point ahead and abeam of the middle.
    a_x, a_y = long - ahead, np.where(ahead > long, -wide, wide) - abeam
    b_x, b_y = np.where(abeam > wide, -long, long) - ahead, wide - abeam
    return np.asarray(np.degrees(np.abs(np.arctan2(a_x * b_y - a_y * b_x, a_x * b_x + a_y * b_y))))


def _bin_number(angle_deg: Floats) -> Ints:
    return np.rint(angle_deg * _BINS_PER_DEG).astype(np.int64)
