"""What tables are worth to the sides: a guess at who will win, from oars, masts and how galleys lie to each other.

The weights foretell games of first mates nearly as well as those that fit best (`python -m tests.arena.weights`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from rules.matchbox.ai import many_hulls
from rules.matchbox.ai.fairway import Detours
from rules.matchbox.ai.many_hulls import Bools, Floats
from rules.matchbox.ai.many_rounds import FleetTables

_FACING_HIT: Final = 0.65
"""What an expected hit costs the side that it comes from, the other side, and the masts (MB-7.1)."""
_OTHER_HIT: Final = 0.15
_MAST_HIT: Final = 0.2
_SIDE_ROWS, _MELEE_ROWS, _CAPTURE_ROW = 2, 2, 3
"""With boarding, what may be expected has rows more than the two sides of hulls (`many_rounds.RoundsOutcome.hits`)."""
_LIKELY_CAPTURE: Final = 0.5

DetourFunction = Callable[[int, Floats, Floats], Detours]
"""The ways round land to a galley, by her number, from places."""
_FIRE_OAR_LOSS: Final = 0.7
"""Oars of each side that a fire is taken to cost before it is out."""
_AFLOAT_WORTH: Final = 0.1
_WEAKER_SIDE_WORTH: Final = 0.26
_UNEVEN_COST: Final = 0.3
_MAST_FACTOR: Final = 0.33
"""A mast fires as long as the weaker side holds out: masts count by the oars of that side."""
SIGN_WEIGHTS: Final = np.array([0.8, 0.8, 1.0, 0.4])
"""Log odds for the difference of strengths, for the logarithm of their ratio, for having the enemy ahead of the bow
rather than being ahead of the enemy's, and for showing bow or stern rather than a side."""
_NEAR_MM: Final = 250.0
_MAX_DETOUR_MM: Final = 90.0
"""Who must go so much farther to an enemy, round land, is not near her."""
_MIN_STRENGTH: Final = 0.05
_CLOSE_MM: Final = 60.0
_FAR_MM: Final = 1500.0


def galley_strength(of: FleetTables, hits: Floats) -> Floats:
    """What each galley is worth after what she may be expected to lose: [galley, round]."""
    burning = _FIRE_OAR_LOSS * of.burning
    port = of.port - _FACING_HIT * hits[0] - _OTHER_HIT * hits[1] - burning
    starboard = of.starboard - _FACING_HIT * hits[1] - _OTHER_HIT * hits[0] - burning
    masts = np.maximum(of.masts - _MAST_HIT * hits[:2].sum(axis=0), 0.0)
    if len(hits) > _SIDE_ROWS:
        masts = np.maximum(masts - hits[_MELEE_ROWS], 0.0)
    weaker, stronger = np.maximum(np.minimum(port, starboard), 0.0), np.maximum(port, starboard)
    whole = (
        _AFLOAT_WORTH + _WEAKER_SIDE_WORTH * weaker + _UNEVEN_COST * (stronger - weaker) + _MAST_FACTOR * weaker * masts
    )
    # With less than an oar left to be expected on one side she may have sunk already.
    return np.asarray(of.afloat * np.minimum(weaker, 1.0) * whole)


def win_chances(
    of: FleetTables, hits: Floats, north: Bools, round_land: DetourFunction | None = None, more: Floats | float = 0.0
) -> Floats:
    """How likely the southern side wins each table; `north` says which galleys are not its own.

    Galleys with land between them neither threaten nor face each other; `round_land` knows it, if there is any. `more`
    are log odds of what else is played for.
    """
    return np.asarray(1.0 / (1.0 + np.exp(-win_log_odds(of, hits, north, round_land) - more)))


def side_lead(
    of: FleetTables, hits: Floats, north: Bools, round_land: DetourFunction | None = None, more: Floats | float = 0.0
) -> Floats:
    """How far the southern side is ahead, from 0 to 1: as `win_chances` near the middle, but further from the ends.

    To a captain who has nearly won, hardly any order changes the chances; it still changes this.
    """
    return np.asarray(0.5 + np.arctan(np.pi / 4 * (win_log_odds(of, hits, north, round_land) + more)) / np.pi)


def win_log_odds(of: FleetTables, hits: Floats, north: Bools, round_land: DetourFunction | None) -> Floats:
    """The log odds that the southern side wins each table, by oars, masts and how galleys lie to each other."""
    return np.asarray(np.tensordot(SIGN_WEIGHTS, win_signs(of, hits, north, round_land), axes=1))


def win_signs(of: FleetTables, hits: Floats, north: Bools, round_land: DetourFunction | None = None) -> Floats:
    """What speaks for the southern side, as `SIGN_WEIGHTS` weighs it: [sign, round]."""
    each = galley_strength(of, hits)
    south_has, north_has = each[~north].sum(axis=0), each[north].sum(axis=0)
    if len(hits) > _SIDE_ROWS:
        prizes = each * hits[_CAPTURE_ROW]
        south_lost, north_lost = prizes[~north].sum(axis=0), prizes[north].sum(axis=0)
        south_has, north_has = south_has - south_lost + north_lost, north_has - north_lost + south_lost
    facing, in_line = np.zeros((2, of.x.shape[1]))
    boxes = many_hulls.hull_boxes(of.x, of.y, of.heading, of.size)
    for k in np.flatnonzero(~north).tolist():
        for j in np.flatnonzero(north).tolist():
            seen = many_hulls.pair_bearings(boxes.pick_rows(k), boxes.pick_rows(j))
            distance = np.maximum(np.hypot(seen.ahead_a, seen.abeam_a), 1.0)
            bow, other_bow = (many_hulls.pick_rows(of.bow_danger, number) for number in (k, j))
            ours, theirs = seen.ahead_a / distance, seen.ahead_b / distance
            near = np.maximum(1.0 - (distance - _CLOSE_MM) / _NEAR_MM, 0.0) * of.afloat[k] * of.afloat[j]
            if round_land:
                longer = round_land(j, boxes.x[k], boxes.y[k]).longer_mm
                near *= np.maximum(1.0 - longer / _MAX_DETOUR_MM, 0.0)
            facing += near * (bow * ours - other_bow * theirs)
            in_line += near * (np.abs(ours) - np.abs(theirs))
    return np.stack(
        (south_has - north_has, np.log((south_has + _MIN_STRENGTH) / (north_has + _MIN_STRENGTH)), facing, in_line)
    )


def distance_to_enemy(
    of: FleetTables, north: Bools, turning_mm: float, round_land: DetourFunction | None = None
) -> Floats:
    """How far each galley has to go to her nearest enemy, in mm; infinite if there is none: [galley, round].

    `turning_mm` is added for a turn by a right angle; `round_land` knows the ways round land, if there is any.
    """
    boxes = many_hulls.hull_boxes(of.x, of.y, of.heading, of.size)
    least = np.full(of.x.shape, np.inf)
    for k, j in zip(*np.nonzero(north[:, None] != north), strict=True):
        seen = many_hulls.pair_bearings(boxes.pick_rows(k), boxes.pick_rows(j))
        far = np.maximum(np.hypot(seen.ahead_a, seen.abeam_a), 1.0)
        ahead = seen.ahead_a / far
        if round_land:
            found = round_land(int(j), boxes.x[k], boxes.y[k])
            ahead = np.where(found.longer_mm > 0, found.ux * boxes.ux[k] + found.uy * boxes.uy[k], ahead)
            far = far + found.longer_mm
        left = np.maximum(far - _CLOSE_MM, 0.0) + turning_mm * (1.0 - ahead)
        least[k] = np.minimum(least[k], np.where(of.afloat[j], left, np.inf))
    return least


def middle_distance(of: FleetTables, north: Bools, number: int) -> Floats:
    """How far the middle of one galley is from that of the nearest enemy, in mm; infinite if there is none: [round]."""
    boxes = many_hulls.hull_boxes(of.x, of.y, of.heading, of.size)
    far = np.hypot(boxes.x - boxes.x[number], boxes.y - boxes.y[number])
    return np.asarray(np.where(of.afloat & (north != north[number])[:, None], far, np.inf).min(axis=0))


def enemy_nearness(
    of: FleetTables, north: Bools, turning_mm: float, round_land: DetourFunction | None = None
) -> Floats:
    """How near each galley is to her nearest enemy: 1 is touching, 0 far off; [galley, round]."""
    return np.maximum(1.0 - distance_to_enemy(of, north, turning_mm, round_land) / _FAR_MM, 0.0)


def apply_expected_losses(of: FleetTables, hits: Floats) -> FleetTables:
    """The tables with what galleys may be expected to lose taken from them, in whole oars and masts."""
    port = np.rint(of.port - _FACING_HIT * hits[0] - _OTHER_HIT * hits[1]).astype(np.int64)
    starboard = np.rint(of.starboard - _FACING_HIT * hits[1] - _OTHER_HIT * hits[0]).astype(np.int64)
    spent = _MAST_HIT * hits[:2].sum(axis=0) + (hits[_MELEE_ROWS] if len(hits) > _SIDE_ROWS else 0.0)
    masts = np.maximum(np.rint(of.masts - spent), 0).astype(np.int64)
    afloat = of.afloat & (np.minimum(port, starboard) > 0)
    if len(hits) > _SIDE_ROWS:
        afloat &= hits[_CAPTURE_ROW] < _LIKELY_CAPTURE
    return of._replace(port=np.maximum(port, 0), starboard=np.maximum(starboard, 0), masts=masts, afloat=afloat)
