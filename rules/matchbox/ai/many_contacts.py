"""Contacts of many pairs at once, like `contact` and `backing`: touched edges, facing sides, and room to back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.geometry.boxes import TOUCH_DISTANCE
from rules.matchbox.ai import many_hulls, many_meetings
from rules.matchbox.ai.many_hulls import Bools, Floats, HullBoxes, Ints
from rules.matchbox.engine.hull import CONTACT_MM, LENGTH_TOLERANCE_MM, POSE_PRECISION_MM
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, HullEdge

EDGES: Final[tuple[HullEdge, ...]] = ("bow", "stern", "starboard", "port")
"""In the order of `boxes.edge_gaps`. The index is the number used here."""
BOW, STERN, STARBOARD, PORT = range(4)
TO_PORT, TO_STARBOARD, EITHER = range(3)  # sides on which another hull lies (MB-5.12)

_NORMALS_DEG: Final = np.array([0.0, 180.0, 90.0, 270.0])
_TIE_ORDER: Final = (BOW, STARBOARD, PORT, STERN)  # the order that settles ties (MB-5.7)
_EQUAL_MM: Final = 0.01
_BACKING_STEP_MM: Final = 0.1
_MAX_BACKING_STEPS: Final = round(MATCH_MM / _BACKING_STEP_MM)
_MAX_STRIDES: Final = 6


class Neighbour(NamedTuple):
    hull: HullBoxes
    was_touched: Bools  # whether they were in contact at the start, and so may slide apart
    afloat: Bools


def touched_edges(a: HullBoxes, b: HullBoxes, turned: Floats) -> tuple[Ints, Ints]:
    """Return the touched edges of hulls in contact (MB-5.7). `turned` is the heading of b minus that of a."""
    spans = many_hulls.edge_gaps(many_hulls.pair_bearings(a, b))
    is_best_line = spans >= spans.max(axis=0) - _EQUAL_MM - LENGTH_TOLERANCE_MM
    lines = np.arange(4)[:, None] + np.zeros(len(turned), np.int64)
    edge_a = np.concatenate((lines, _opposed_edges(-turned)))
    edge_b = np.concatenate((_opposed_edges(turned), lines))
    bow_a, bow_b = edge_a == BOW, edge_b == BOW
    frontal = (is_best_line & bow_a).any(axis=0) & (is_best_line & bow_b).any(axis=0)
    with_side = (edge_a >= STARBOARD) | (edge_b >= STARBOARD)
    rank = np.where(bow_a | bow_b, np.where(with_side, 0, 1), 2)
    best = np.where(is_best_line, rank, 3).argmin(axis=0)
    pair = np.arange(len(turned))
    return np.where(frontal, BOW, edge_a[best, pair]), np.where(frontal, BOW, edge_b[best, pair])


def _opposed_edges(turned: Floats) -> Ints:
    """Return the other hull's edge that is most opposed to each edge, [edge, pair]."""
    along = np.cos(np.radians(_NORMALS_DEG[None, :, None] - _NORMALS_DEG[:, None, None] + turned))
    best = np.full(along.shape[::2], BOW)
    least = np.full(best.shape, 2.0)
    for edge in _TIE_ORDER:
        nearer = along[:, edge] < least - TOUCH_DISTANCE
        best, least = np.where(nearer, edge, best), np.where(nearer, along[:, edge], least)
    return best


def facing_sides(of: HullBoxes, other: HullBoxes) -> Ints:
    """Return the side on which the middle of another hull lies; `EITHER`: exactly fore or aft (MB-5.12)."""
    abreast = (other.x - of.x) * of.uy - (other.y - of.y) * of.ux
    sides = np.where(abreast > 0, TO_STARBOARD, TO_PORT)
    return np.where(np.abs(abreast) <= POSE_PRECISION_MM + LENGTH_TOLERANCE_MM, EITHER, sides)


def backing_room(start: HullBoxes, others: Sequence[Neighbour], sea: Sea) -> Floats:
    """Return how far hulls can back, up to a match, in steps of 0.1 mm (MB-5.13)."""
    steps = ((np.minimum(MATCH_MM, _table_room_astern(start, sea)) + LENGTH_TOLERANCE_MM) / _BACKING_STEP_MM).astype(
        np.int64
    )
    for other in others:
        reach = start.size.reach_mm + other.hull.size.reach_mm
        near = np.hypot(other.hull.x - start.x, other.hull.y - start.y) < reach + MATCH_MM + 1.0
        for way, which in ((_steps_along, other.was_touched), (_steps_clear, ~other.was_touched)):
            at = np.flatnonzero(which & other.afloat & near)
            if len(at):
                steps[at] = np.minimum(steps[at], way(start.pick_rows(at), other.hull.pick_rows(at), steps[at]))
    return np.asarray(np.round(steps * _BACKING_STEP_MM, 1))


def _steps_along(own: HullBoxes, other: HullBoxes, most: Ints) -> Ints:
    """Return the steps before backing hulls overlap others in contact. An existing overlap may not grow."""
    depth = np.minimum(0.0, many_hulls.pair_separation(many_hulls.pair_bearings(own, other))) - LENGTH_TOLERANCE_MM
    begins, ends = many_meetings.overlap_interval(own, other, MATCH_MM * own.ux, MATCH_MM * own.uy, depth=depth)
    free = np.floor(np.minimum(begins, 1.0) * _MAX_BACKING_STEPS).astype(np.int64)
    return np.where(free + 1 < np.minimum(ends, 2.0) * _MAX_BACKING_STEPS, free, most)


def _steps_clear(own: HullBoxes, other: HullBoxes, most: Ints) -> Ints:
    def spare(which: Ints, steps: Ints) -> Floats:
        back, here = steps * _BACKING_STEP_MM, own.pick_rows(which)
        there = here._replace(x=here.x - back * here.ux, y=here.y - back * here.uy)
        return np.asarray(many_hulls.pair_gap(there, other.pick_rows(which)) - CONTACT_MM - 2 * LENGTH_TOLERANCE_MM)

    # The gap is at least the separation along an edge, so hulls are clear until that becomes too small.
    depth = np.full(len(most), CONTACT_MM + 3 * LENGTH_TOLERANCE_MM)
    begins, _ = many_meetings.overlap_interval(own, other, MATCH_MM * own.ux, MATCH_MM * own.uy, depth=depth)
    steps_done: Ints = np.minimum(
        most, np.maximum(0, np.floor(np.minimum(begins, 2.0) * _MAX_BACKING_STEPS).astype(np.int64) - 1)
    )
    left = np.flatnonzero(steps_done < most)
    for _ in range(_MAX_STRIDES):
        if not len(left):
            break
        # A gap shrinks at most by the distance moved, so all steps that fit into it are free.
        free = np.maximum(1, (spare(left, steps_done[left]) - LENGTH_TOLERANCE_MM) / _BACKING_STEP_MM).astype(np.int64)
        step = np.minimum(most[left] - steps_done[left], free)
        stuck = step == 1
        stuck[stuck] = spare(left[stuck], steps_done[left[stuck]] + 1) < 0
        steps_done[left[~stuck]] += step[~stuck]
        left = left[~stuck & (steps_done[left] < most[left])]
    if len(left):  # sliding past: all steps at once
        steps = np.arange(1, _MAX_BACKING_STEPS + 1)
        near = (
            spare(np.repeat(left, _MAX_BACKING_STEPS), np.tile(steps, len(left))).reshape(len(left), _MAX_BACKING_STEPS)
            < 0
        )
        near &= steps > steps_done[left, None]
        steps_done[left] = np.where(near.any(axis=1), near.argmax(axis=1), most[left])
    return steps_done


def _table_room_astern(of: HullBoxes, sea: Sea) -> Floats:
    east, north = many_hulls.box_reaches(of)
    room = np.full(len(of.x), np.inf)
    for place, rate in (
        (of.x - east, of.ux),
        (of.y - north, of.uy),
        (sea.width_mm - of.x - east, -of.ux),
        (sea.height_mm - of.y - north, -of.uy),
    ):
        backs = rate > TOUCH_DISTANCE
        room = np.minimum(room, np.where(backs, np.maximum(0.0, place) / np.where(backs, rate, 1.0), np.inf))
    return room
