"""What tables are worth to the sides: a guess at who will win, from oars, masts and how galleys lie to each other.

The weights were fitted to games that computer captains played (`python -m tests.arena.weights`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from rules.matchbox import hulls
from rules.matchbox.hulls import Bools, Floats
from rules.matchbox.simulator import Fleets

_FACING_HIT: Final = 0.65
"""What an expected hit costs the side that it comes from, the other side, and the masts (MB-7.1)."""
_OTHER_HIT: Final = 0.15
_MAST_HIT: Final = 0.2

AFLOAT: Final = 0.1
WEAKER: Final = 0.26
UNEVEN: Final = 0.3
BATTERY: Final = 0.33
"""A mast fires as long as the weaker side holds out: masts count by the oars of that side."""
MORE: Final = 0.8
"""Log odds for the difference of strengths, and for the logarithm of their ratio."""
TIMES: Final = 0.8
FACING: Final = 1.0
"""Log odds for having the enemy ahead or astern of oneself, the nearer the more."""
IN_LINE: Final = 0.4
NEAR_MM: Final = 250.0

_LEAST: Final = 0.05
_UPON_MM: Final = 60.0
_FAR_MM: Final = 1500.0


def strength(of: Fleets, hits: Floats) -> Floats:
    """What each galley is worth after what she may be expected to lose: [galley, round]."""
    port = of.port - _FACING_HIT * hits[0] - _OTHER_HIT * hits[1]
    starboard = of.starboard - _FACING_HIT * hits[1] - _OTHER_HIT * hits[0]
    masts = np.maximum(of.masts - _MAST_HIT * hits.sum(axis=0), 0.0)
    weaker, stronger = np.maximum(np.minimum(port, starboard), 0.0), np.maximum(port, starboard)
    whole = AFLOAT + WEAKER * weaker + UNEVEN * (stronger - weaker) + BATTERY * weaker * masts
    # With less than an oar left to be expected on one side she may have sunk already.
    return np.asarray(of.afloat * np.minimum(weaker, 1.0) * whole)


def chances(of: Fleets, hits: Floats, north: Bools) -> Floats:
    """How likely the southern side wins each table; `north` says which galleys are not its own."""
    each = strength(of, hits)
    south_has, north_has = each[~north].sum(axis=0), each[north].sum(axis=0)
    odds = MORE * (south_has - north_has) + TIMES * np.log((south_has + _LEAST) / (north_has + _LEAST))
    return np.asarray(1.0 / (1.0 + np.exp(-odds - _lie(of, north))))


def _lie(of: Fleets, north: Bools) -> Floats:
    """How much better the southern galleys lie to the northern ones than these to them."""
    boxes = hulls.boxes(of.x, of.y, of.heading)
    total = np.zeros(of.x.shape[1])
    for k in np.flatnonzero(~north).tolist():
        for j in np.flatnonzero(north).tolist():
            seen = hulls.bearings(boxes.pick(k), boxes.pick(j))
            distance = np.maximum(np.hypot(seen.ahead_a, seen.abeam_a), 1.0)
            facing, faced = seen.ahead_a / distance, seen.ahead_b / distance
            near = np.maximum(1.0 - (distance - _UPON_MM) / NEAR_MM, 0.0)
            lies = FACING * (facing - faced) + IN_LINE * (np.abs(facing) - np.abs(faced))
            total += lies * near * of.afloat[k] * of.afloat[j]
    return total


def nearness(of: Fleets, north: Bools) -> Floats:
    """How near each galley has come to her nearest enemy: 1 is upon him, 0 far off; [galley, round]."""
    boxes = hulls.boxes(of.x, of.y, of.heading)
    best = np.zeros(of.x.shape)
    for k, j in zip(*np.nonzero(north[:, None] != north), strict=True):
        far = np.hypot(boxes.x[k] - boxes.x[j], boxes.y[k] - boxes.y[j])
        best[k] = np.maximum(best[k], of.afloat[j] * (1.0 - np.maximum(far - _UPON_MM, 0.0) / _FAR_MM))
    return best


def settled(of: Fleets, hits: Floats) -> Fleets:
    """The tables with what galleys may be expected to lose taken from them, in whole oars and masts."""
    port = np.rint(of.port - _FACING_HIT * hits[0] - _OTHER_HIT * hits[1]).astype(np.int64)
    starboard = np.rint(of.starboard - _FACING_HIT * hits[1] - _OTHER_HIT * hits[0]).astype(np.int64)
    masts = np.maximum(np.rint(of.masts - _MAST_HIT * hits.sum(axis=0)), 0).astype(np.int64)
    afloat = of.afloat & (np.minimum(port, starboard) > 0)
    return of._replace(port=np.maximum(port, 0), starboard=np.maximum(starboard, 0), masts=masts, afloat=afloat)
