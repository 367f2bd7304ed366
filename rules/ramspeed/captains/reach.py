"""Rams and grapples judged for many pairs of ships at once, as if no third ship were in the way.

It agrees with `table.geometry.aim` about rams in open water; of land it looks only whether it lies between two
middles, and of grapples it is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely

from rules.ramspeed.captains import worth
from rules.ramspeed.table.geometry.hulls import Floats
from rules.ramspeed.table.state import Ring, Ship
from rules.ramspeed.table.tables import CODES, CONSTANTS, TABLES

_STEP: Final = 3
"""Degrees between the pivots that are tried."""
_VEERS: Final = np.arange(-24, CONSTANTS.veer_max, _STEP)
_TURNS: Final = np.linspace(30, CONSTANTS.opening_turn_max, 9)
_OPENINGS: Final = np.concatenate((-_TURNS[::-1][:8], [0.0], _TURNS[:8]))
"""Of a bireme, of as many as there are veers."""
_BESIDE: Final = 1.9
"""Inches between the middles of two ships alongside, about, that are no part of the run (RS-09.1)."""
_AHEAD: Final = 45.0
"""Degrees off the bow within which a veer brings her alongside, about."""


class Pair(NamedTuple):
    """Who might strike whom, from where both lie."""

    ship: Ship
    target: Ship
    held: bool
    """The target is immobile (RS-08.7)."""


def strikes(pairs: Sequence[Pair], land: tuple[Ring, ...]) -> Floats:
    """What the best attack of each pair promises, in victory points; 0: there is none."""
    if not pairs:
        return np.zeros(0)
    found = _rams(pairs, opening=False)
    turning = [number for number, pair in enumerate(pairs) if pair.ship.kind.turn_and_move]
    if turning:
        found[turning] = np.maximum(found[turning], _rams([pairs[one] for one in turning], opening=True))
    found = np.maximum(found, _grapples(pairs))
    some = np.flatnonzero(found)
    if land and len(some):
        lines = [
            ((pairs[one].ship.x, pairs[one].ship.y), (pairs[one].target.x, pairs[one].target.y))
            for one in some.tolist()
        ]
        found[some[shapely.intersects(_ashore(land), shapely.linestrings(lines))]] = 0.0
    return found


@lru_cache(maxsize=16)
def _ashore(rings: tuple[Ring, ...]) -> shapely.Geometry:
    land = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    shapely.prepare(land)
    return land


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)[:, None]


def _rams(pairs: Sequence[Pair], *, opening: bool) -> Floats:
    pivots = _OPENINGS if opening else _VEERS
    rows = [
        (
            one.x,
            one.y,
            one.heading,
            one.kind.length / 2,
            one.kind.ram_min,
            (one.fwd / 2 if opening else one.fwd) + one.ram_bonus,
            other.x,
            other.y,
            other.heading,
            other.kind.length / 2,
            other.kind.beam / 2,
            other.kind.taper,
            TABLES.ram.matrix[one.code][CODES.index(other.code)]
            + TABLES.nations[one.nation].ram
            + (TABLES.ram.modifiers.immobile if held else 0),
        )
        for one, other, held in pairs
    ]
    x, y, course, bow, least, most, tx, ty, their, half, beam, taper, base = (
        column[:, None] for column in np.array(rows, dtype=np.float64).T
    )
    heading = course + pivots[None, :]
    angle, there = np.radians(heading), np.radians(their)
    ux, uy, fx, fy = np.sin(angle), np.cos(angle), np.sin(there), np.cos(there)
    # The ram's tip and its way in the target's frame (RS-01.3): along her, and across to starboard.
    dx, dy = x + ux * bow - tx, y + uy * bow - ty
    f, s = dx * fx + dy * fy, dx * fy - dy * fx
    vf, vs = ux * fx + uy * fy, ux * fy - uy * fx
    first, last, missed = np.zeros_like(f), np.full_like(f, np.inf), np.zeros(f.shape, dtype=np.bool_)
    slant = np.hypot(taper, beam)
    bows = (beam / slant, taper / slant, beam * half / slant)
    sides = ((-1.0, 0.0, half), (0.0, 1.0, beam), (0.0, -1.0, beam), bows, (bows[0], -bows[1], bows[2]))
    for nf, ns, support in sides:
        left, rate = support - (nf * f + ns * s), nf * vf + ns * vs
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = left / rate
        last = np.where(rate > 1e-9, np.minimum(last, cut), last)
        first = np.where(rate < -1e-9, np.maximum(first, cut), first)
        missed |= (np.abs(rate) <= 1e-9) & (left < 0)
    hit = ~missed & (first <= last) & (first >= least) & (first <= most)
    hit &= np.abs(f + vf * first) <= half - CONSTANTS.flank_margin
    rel = np.abs((heading - their + 180) % 360 - 180)
    theta = np.where(rel <= 90, rel, 180 - rel)
    hit &= theta > CONSTANTS.bow_on_max + 0.5
    other = TABLES.ram.modifiers
    sums = base + np.where(theta <= CONSTANTS.oblique_max + 0.5, other.oblique, 0)
    sums = sums + np.where(first <= other.short_run, other.short, np.where(first >= other.long_run, other.long, 0))
    lowest, highest = worth.SUMS[0], worth.SUMS[-1]
    places = np.clip(sums, lowest, highest).astype(np.intp) - lowest
    hopes = np.stack([worth.of_rams(one, target) for one, target, _ in pairs])
    return np.asarray(np.where(hit, np.take_along_axis(hopes, places, axis=1), 0.0).max(axis=1))


def _grapples(pairs: Sequence[Pair]) -> Floats:
    x, y, heading, most, tx, ty, their = np.array(
        [(a.x, a.y, a.heading, a.fwd, b.x, b.y, b.heading) for a, b, _ in pairs], dtype=np.float64
    ).T
    away = np.hypot(x - tx, y - ty)
    off = np.abs((np.degrees(np.arctan2(tx - x, ty - y)) - heading + 180) % 360 - 180)
    rel = np.abs((heading - their + 180) % 360 - 180)
    theta = np.where(rel <= 90, rel, 180 - rel)
    near = (away <= most + _BESIDE) & (off <= _AHEAD) & (theta <= CONSTANTS.oblique_max + CONSTANTS.veer_max)
    found = np.zeros(len(pairs))
    for number in np.flatnonzero(near).tolist():
        one, other, held = pairs[number]
        found[number] = max(0.0, worth.of_grapple(one, other, automatic=held))
    return found
