"""The worth of tables for the sides: an estimate of the winner from oars, masts and the position of galleys.

The weights predict games of first mates nearly as well as the best fit (`python -m tests.arena.weights`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from rules.matchbox.ai import many_hulls
from rules.matchbox.ai.fairway import Detours
from rules.matchbox.ai.many_hulls import Bools, Floats
from rules.matchbox.ai.many_rounds import FleetTables

_FACING_HIT: Final = 0.65  # expected oars lost by a hit on the side that faces the enemy (MB-7.1)
_OTHER_HIT: Final = 0.15  # expected oars lost by a hit on the other side
_MAST_HIT: Final = 0.2  # expected masts lost by a hit
_SIDE_ROWS, _MELEE_ROW, _CAPTURE_ROW = 2, 2, 3
"""With boarding, `many_rounds.RoundsOutcome.hits` has more rows than the two sides of hulls."""
_LIKELY_CAPTURE: Final = 0.5  # from this chance on, a galley counts as captured

DetourFunction = Callable[[int, Floats, Floats], Detours]
"""Takes a galley's number and places (x, y) in mm, and returns the ways round land from there to it."""
_FIRE_OAR_LOSS: Final = 0.7  # expected losses of oars on each side until a fire is out
_AFLOAT_WORTH: Final = 0.1  # strength of a galley afloat, without its oars and masts
_WEAKER_SIDE_WORTH: Final = 0.26  # strength by each oar on the weaker side
_UNEVEN_COST: Final = 0.3  # strength by each oar more on the stronger side
_LAME_SHARE: Final = 0.5  # strength left to a galley that floats with an empty side, and can't move (MB-7.2)
_MAST_FACTOR: Final = 0.33
"""A mast fires as long as the weaker side holds out, so its worth is proportional to that side's oars."""
SIGN_WEIGHTS: Final = np.array([0.8, 0.8, 1.0, 0.4])
"""Log odds for the difference of strengths, for the logarithm of their ratio, for having the enemy ahead rather than
being ahead of it, and for showing bow or stern rather than a side."""
_CLOSE_MM: Final = 60.0  # middles of galleys at this distance nearly touch
_NEAR_MM: Final = 250.0  # beyond `_CLOSE_MM` plus this, galleys do not threaten each other
_MAX_DETOUR_MM: Final = 90.0  # a galley with a longer detour round land is not near an enemy
_MIN_STRENGTH: Final = 0.05  # keeps the ratio of strengths finite
_FAR_MM: Final = 1500.0  # enemies at this distance count as not near at all


def galley_strength(tables: FleetTables, hits: Floats) -> Floats:
    """Return each galley's strength after losses by expected `hits` (`RoundsOutcome.hits`), [galley, round]."""
    fire_losses = _FIRE_OAR_LOSS * tables.burning
    port = tables.port - _FACING_HIT * hits[0] - _OTHER_HIT * hits[1] - fire_losses
    starboard = tables.starboard - _FACING_HIT * hits[1] - _OTHER_HIT * hits[0] - fire_losses
    masts = np.maximum(tables.masts - _MAST_HIT * hits[:2].sum(axis=0), 0.0)
    if len(hits) > _SIDE_ROWS:  # with boarding
        masts = np.maximum(masts - hits[_MELEE_ROW], 0.0)
    weaker, stronger = np.maximum(np.minimum(port, starboard), 0.0), np.maximum(port, starboard)
    strength_if_afloat = (
        _AFLOAT_WORTH + _WEAKER_SIDE_WORTH * weaker + _UNEVEN_COST * (stronger - weaker) + _MAST_FACTOR * weaker * masts
    )
    # With less than one expected oar on a side, the galley may have sunk, or can hardly move.
    share_left = np.minimum(weaker, 1.0)
    if tables.floats_lame:
        share_left = np.maximum(share_left, _LAME_SHARE * np.minimum(stronger, 1.0))
    return np.asarray(tables.afloat * share_left * strength_if_afloat)


def win_chances(
    tables: FleetTables,
    hits: Floats,
    north: Bools,
    round_land: DetourFunction | None = None,
    goal_odds: Floats | float = 0.0,
) -> Floats:
    """Return the probability that the southern side wins each table. `north` marks the other side's galleys.

    Galleys with land between them neither threaten nor face each other, if `round_land` is given. `goal_odds` are log
    odds from other goals.
    """
    return np.asarray(1.0 / (1.0 + np.exp(-win_log_odds(tables, hits, north, round_land) - goal_odds)))


def side_lead(
    tables: FleetTables,
    hits: Floats,
    north: Bools,
    round_land: DetourFunction | None = None,
    goal_odds: Floats | float = 0.0,
) -> Floats:
    """Return the lead of the southern side, from 0 to 1. It saturates later than `win_chances`.

    If a captain has nearly won, hardly any order changes the chances, but orders still change this value.
    """
    return np.asarray(0.5 + np.arctan(np.pi / 4 * (win_log_odds(tables, hits, north, round_land) + goal_odds)) / np.pi)


def win_log_odds(tables: FleetTables, hits: Floats, north: Bools, round_land: DetourFunction | None) -> Floats:
    """Return the log odds that the southern side wins each table, from oars, masts and positions."""
    return np.asarray(np.tensordot(SIGN_WEIGHTS, win_signs(tables, hits, north, round_land), axes=1))


def win_signs(tables: FleetTables, hits: Floats, north: Bools, round_land: DetourFunction | None = None) -> Floats:
    """Return signs of a southern victory, [sign, round]. `SIGN_WEIGHTS` describes the four and weights them."""
    strengths = galley_strength(tables, hits)
    south_strength, north_strength = strengths[~north].sum(axis=0), strengths[north].sum(axis=0)
    if len(hits) > _SIDE_ROWS:  # with boarding, captured galleys change sides
        prizes = strengths * hits[_CAPTURE_ROW]
        south_lost, north_lost = prizes[~north].sum(axis=0), prizes[north].sum(axis=0)
        south_strength, north_strength = (
            south_strength - south_lost + north_lost,
            north_strength - north_lost + south_lost,
        )
    facing, in_line = np.zeros((2, tables.x.shape[1]))
    boxes = many_hulls.hull_boxes(tables.x, tables.y, tables.heading, tables.size)
    for own in np.flatnonzero(~north).tolist():
        for enemy in np.flatnonzero(north).tolist():
            bearings = many_hulls.pair_bearings(boxes.pick_rows(own), boxes.pick_rows(enemy))
            distance = np.maximum(np.hypot(bearings.ahead_a, bearings.abeam_a), 1.0)
            bow, other_bow = (many_hulls.pick_rows(tables.bow_danger, number) for number in (own, enemy))
            facing_enemy, faced_by_enemy = bearings.ahead_a / distance, bearings.ahead_b / distance
            nearness = (
                np.maximum(1.0 - (distance - _CLOSE_MM) / _NEAR_MM, 0.0) * tables.afloat[own] * tables.afloat[enemy]
            )
            if round_land:
                longer = round_land(enemy, boxes.x[own], boxes.y[own]).longer_mm
                nearness *= np.maximum(1.0 - longer / _MAX_DETOUR_MM, 0.0)
            facing += nearness * (bow * facing_enemy - other_bow * faced_by_enemy)
            in_line += nearness * (np.abs(facing_enemy) - np.abs(faced_by_enemy))
    return np.stack(
        (
            south_strength - north_strength,
            np.log((south_strength + _MIN_STRENGTH) / (north_strength + _MIN_STRENGTH)),
            facing,
            in_line,
        )
    )


def distance_to_enemy(
    tables: FleetTables, north: Bools, turning_mm: float, round_land: DetourFunction | None = None
) -> Floats:
    """Return how far each galley has to go to its nearest enemy, in mm, [galley, round]; infinite: there is none.

    `turning_mm` is added for a right-angle turn. `round_land` gives the ways round land; None: open water.
    """
    boxes = many_hulls.hull_boxes(tables.x, tables.y, tables.heading, tables.size)
    nearest = np.full(tables.x.shape, np.inf)
    for own, enemy in zip(*np.nonzero(north[:, None] != north), strict=True):
        bearings = many_hulls.pair_bearings(boxes.pick_rows(own), boxes.pick_rows(enemy))
        distance = np.maximum(np.hypot(bearings.ahead_a, bearings.abeam_a), 1.0)
        ahead = bearings.ahead_a / distance  # cosine of the bearing at which the way begins; 1: straight ahead
        if round_land:
            detours = round_land(int(enemy), boxes.x[own], boxes.y[own])
            ahead = np.where(detours.longer_mm > 0, detours.ux * boxes.ux[own] + detours.uy * boxes.uy[own], ahead)
            distance = distance + detours.longer_mm
        distance_left = np.maximum(distance - _CLOSE_MM, 0.0) + turning_mm * (1.0 - ahead)
        nearest[own] = np.minimum(nearest[own], np.where(tables.afloat[enemy], distance_left, np.inf))
    return nearest


def middle_distance(tables: FleetTables, north: Bools, number: int) -> Floats:
    """Return the distance of a galley's middle from the nearest enemy's, in mm, [round]; infinite: no enemy."""
    boxes = many_hulls.hull_boxes(tables.x, tables.y, tables.heading, tables.size)
    distances = np.hypot(boxes.x - boxes.x[number], boxes.y - boxes.y[number])
    return np.asarray(np.where(tables.afloat & (north != north[number])[:, None], distances, np.inf).min(axis=0))


def enemy_nearness(
    tables: FleetTables, north: Bools, turning_mm: float, round_land: DetourFunction | None = None
) -> Floats:
    """Return how near each galley is to its nearest enemy, from 0 (far) to 1 (touching), [galley, round]."""
    return np.maximum(1.0 - distance_to_enemy(tables, north, turning_mm, round_land) / _FAR_MM, 0.0)


def apply_expected_losses(tables: FleetTables, hits: Floats) -> FleetTables:
    """Return the tables with expected losses subtracted, in whole oars and masts."""
    port = np.rint(tables.port - _FACING_HIT * hits[0] - _OTHER_HIT * hits[1]).astype(np.int64)
    starboard = np.rint(tables.starboard - _FACING_HIT * hits[1] - _OTHER_HIT * hits[0]).astype(np.int64)
    mast_losses = _MAST_HIT * hits[:2].sum(axis=0) + (hits[_MELEE_ROW] if len(hits) > _SIDE_ROWS else 0.0)
    masts = np.maximum(np.rint(tables.masts - mast_losses), 0).astype(np.int64)
    deciding_oars = np.maximum(port, starboard) if tables.floats_lame else np.minimum(port, starboard)
    afloat = tables.afloat & (deciding_oars > 0)
    if len(hits) > _SIDE_ROWS:
        afloat &= hits[_CAPTURE_ROW] < _LIKELY_CAPTURE
    return tables._replace(port=np.maximum(port, 0), starboard=np.maximum(starboard, 0), masts=masts, afloat=afloat)
