"""Which edges of hulls touch, on which side others lie, who can back: as `contact` has it, for many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.geometry import TOUCH
from rules.matchbox import hulls
from rules.matchbox.hull import CONTACT_MM, GRAIN_MM, NOISE_MM
from rules.matchbox.hulls import Bools, Boxes, Floats, Ints
from rules.matchbox.state import MATCH_MM, Edge

EDGES: Final[tuple[Edge, ...]] = ("bow", "stern", "starboard", "port")
"""By their numbers here, as `geometry.edge_spans` orders them."""
BOW, STERN, STARBOARD, PORT = range(4)
TO_PORT, TO_STARBOARD, EITHER = range(3)
"""Sides on which another hull lies (MB-5.12)."""

_NORMALS_DEG: Final = np.array([0.0, 180.0, 90.0, 270.0])
_TIED: Final = (BOW, STARBOARD, PORT, STERN)
"""The order that settles ties of MB-5.7."""
_EQUALLY_MM: Final = 0.01
_BACKING_MM: Final = 0.1
_STRIDE: Final = 10**6


class Neighbour(NamedTuple):
    """What may be in the way of hulls that back."""

    hull: Boxes
    touched: Bools
    """Whether it was touched when they began: then it may be left sliding."""
    afloat: Bools


def touched(a: Boxes, b: Boxes, turned: Floats) -> tuple[Ints, Ints]:
    """Find the touched edges of hulls in contact (MB-5.7); `turned` is how far to the right of a's b's heading is."""
    spans = hulls.edge_spans(hulls.bearings(a, b))
    named = spans >= spans.max(axis=0) - _EQUALLY_MM - NOISE_MM
    lines = np.arange(4)[:, None] + np.zeros(len(turned), np.int64)
    edge_a = np.concatenate((lines, _opposed(-turned)))
    edge_b = np.concatenate((_opposed(turned), lines))
    bow_a, bow_b = edge_a == BOW, edge_b == BOW
    frontal = (named & bow_a).any(axis=0) & (named & bow_b).any(axis=0)
    with_side = (edge_a >= STARBOARD) | (edge_b >= STARBOARD)
    rank = np.where(bow_a | bow_b, np.where(with_side, 0, 1), 2)
    best = np.where(named, rank, 3).argmin(axis=0)
    pair = np.arange(len(turned))
    return np.where(frontal, BOW, edge_a[best, pair]), np.where(frontal, BOW, edge_b[best, pair])


def _opposed(turned: Floats) -> Ints:
    """Find the edge of the other hull most opposed to each edge of this: [edge, pair]."""
    along = np.cos(np.radians(_NORMALS_DEG[None, :, None] - _NORMALS_DEG[:, None, None] + turned))
    best = np.full(along.shape[::2], BOW)
    least = np.full(best.shape, 2.0)
    for edge in _TIED:
        nearer = along[:, edge] < least - TOUCH
        best, least = np.where(nearer, edge, best), np.where(nearer, along[:, edge], least)
    return best


def facing(of: Boxes, other: Boxes) -> Ints:
    """Find the side of hulls on which the middles of others lie; `EITHER` if exactly fore and aft (MB-5.12)."""
    abreast = (other.x - of.x) * of.uy - (other.y - of.y) * of.ux
    sides = np.where(abreast > 0, TO_STARBOARD, TO_PORT)
    return np.where(np.abs(abreast) <= GRAIN_MM + NOISE_MM, EITHER, sides)


def room_astern(start: Boxes, others: Sequence[Neighbour], table: tuple[float, float]) -> Floats:
    """How far hulls can back, up to a match, in steps of 0.1 mm (MB-5.13)."""
    most = ((np.minimum(MATCH_MM, _table_astern(start, table)) + NOISE_MM) / _BACKING_MM).astype(np.int64)
    # An overlap that is there already is the rounding's, and may not grow.
    floors = [np.minimum(0.0, hulls.separation(hulls.bearings(start, other.hull))) - NOISE_MM for other in others]
    gone = np.zeros(len(most), np.int64)
    left = np.flatnonzero(gone < most)
    while len(left):
        # No room shrinks faster than a galley backs, so that as many steps as fit into the narrowest are free.
        spare = _spare(start, others, floors, left, gone[left])
        free = np.clip((spare - NOISE_MM) / _BACKING_MM, 1, _STRIDE).astype(np.int64)
        step = np.minimum(most[left] - gone[left], free)
        stuck = step == 1
        stuck[stuck] = _spare(start, others, floors, left[stuck], gone[left[stuck]] + 1) < 0
        gone[left[~stuck]] += step[~stuck]
        left = left[~stuck & (gone[left] < most[left])]
    return np.asarray(np.round(gone * _BACKING_MM, 1))


def _spare(start: Boxes, others: Sequence[Neighbour], floors: Sequence[Floats], which: Ints, steps: Ints) -> Floats:
    """How much nearer the nearest hulls may come after so many steps astern; below 0: they are too near."""
    back, own = steps * _BACKING_MM, start.pick(which)
    own = own._replace(x=own.x - back * own.ux, y=own.y - back * own.uy)
    spare = np.full(len(which), MATCH_MM)
    for other, floor in zip(others, floors, strict=True):
        there = other.hull.pick(which)
        parted = hulls.separation(hulls.bearings(own, there)) - floor[which]
        clear = hulls.gap(own, there) - CONTACT_MM - 2 * NOISE_MM
        room = np.where(other.touched[which], parted, clear)
        spare = np.minimum(spare, np.where(other.afloat[which], room, MATCH_MM))
    return spare


def _table_astern(of: Boxes, table: tuple[float, float]) -> Floats:
    """How far hulls can back before they would leave the table."""
    east, north = hulls.reach(of)
    room = np.full(len(of.x), np.inf)
    for place, rate in (
        (of.x - east, of.ux),
        (of.y - north, of.uy),
        (table[0] - of.x - east, -of.ux),
        (table[1] - of.y - north, -of.uy),
    ):
        backs = rate > TOUCH
        room = np.minimum(room, np.where(backs, np.maximum(0.0, place) / np.where(backs, rate, 1.0), np.inf))
    return room
