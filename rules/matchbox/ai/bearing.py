"""Find orders to fire that may have an enemy in range when their step comes (MB-6.2).

Enemies follow the guesses of `foresight`, and hulls pass through each other. So firing at an enemy that approaches is
allowed, but firing where no likely move brings an enemy is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.matchbox.ai import foresight, many_hulls, many_shores
from rules.matchbox.ai.foresight import HullTracks
from rules.matchbox.ai.many_hulls import Bools
from rules.matchbox.engine import reach
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley
from rules.matchbox.engine.volley import RANGE_MM

_GUESS_ROWS: Final = np.array([bool(letters) for letters, _ in foresight.ENEMY_GUESSES])  # guesses that the enemy moves
_GUESS_WEIGHTS: Final = np.array([weight for _, weight in foresight.ENEMY_GUESSES])


def sensible_lists(
    galley: Galley, foes: Sequence[Galley], sea: Sea, *, certain: bool = False, beaches: bool = False
) -> tuple[str, ...]:
    """Return lists that neither fire at nothing instead of rowing, nor row against the table's edge. Never empty.

    If more orders are required than moves are available (MB-3.7), firing at nothing must come last. With `certain`, a
    shot must reach an enemy that does not move and, more often than not, one that rows. With `beaches`, the galley may
    row on to land.
    """
    orders = foresight.legal_lists(galley)
    track = foresight.pool_tracks(galley, orders, sea)
    letters = foresight.step_letters(orders)
    fires, moves_hull = letters == "X", np.isin(letters, ("F", "L", "R"))
    has_target = fire_bears(track, fires, [foresight.guessed_tracks(foe, sea) for foe in foes], sea)
    fires_in_vain = fires & ~(_bears_likely(has_target) if certain else has_target.any(axis=2))
    moves = reach.max_moves(galley)
    # Firing at nothing is accepted after all moves if none is left.
    is_unavoidable = (moves_hull.sum(axis=1) >= moves)[:, None] & ~_precedes_row(moves_hull)
    is_useful = ~(fires_in_vain & ~is_unavoidable).any(axis=1)
    is_clear = beaches | ~(track.pushed_back[:, 1:] > foresight.PUSHED_MM).any(axis=1)
    # If no useful list stays clear of the edge, accept one that does not.
    for is_sensible in (is_useful & is_clear, is_useful):
        if is_sensible.any():
            return tuple(orders[k] for k in np.flatnonzero(is_sensible))
    return orders


class InRangeChance(NamedTuple):
    """The chance that an enemy is in range of a shot, given likely enemy moves."""

    chance: float  # that an enemy is in range, from 0 to 1
    includes_rowing: bool  # whether an enemy that rows may be in range, not only one that does not move


def in_range_chances(galley: Galley, order_letters: str, foes: Sequence[Galley], sea: Sea) -> dict[int, InRangeChance]:
    """Return, for each step (from 1) in which a list fires, the chance that an enemy is in range."""
    fires = foresight.step_letters([order_letters]) == "X"
    has_target = fire_bears(
        foresight.follow_tracks(galley, [order_letters], sea),
        fires,
        [foresight.guessed_tracks(foe, sea) for foe in foes],
        sea,
    )
    return {
        step + 1: InRangeChance(
            float(has_target[0, step] @ _GUESS_WEIGHTS), bool((has_target[0, step] & _GUESS_ROWS).any())
        )
        for step in np.flatnonzero(fires[0]).tolist()
    }


def fire_bears(
    own_tracks: HullTracks, fires: Bools, foes: Sequence[HullTracks], sea: Sea, *, reach_mm: float = RANGE_MM
) -> Bools:
    """Return which shots have an enemy in range and in sight, [list, step, guess of the enemies' orders].

    `fires` says in which steps each list fires, [list, step]. `foes` are the guessed tracks of each enemy.
    """
    guesses = foes[0].x.shape[0] if foes else 1
    has_target = np.zeros((*fires.shape, guesses), bool)
    list_numbers, step = np.nonzero(fires)
    own_hulls = own_tracks.boxes_at(list_numbers, step + 1, None)
    for foe in foes:
        enemy_hulls = foe.boxes_at(np.arange(guesses), step[:, None] + 1)
        in_range = many_hulls.pair_gap(own_hulls, enemy_hulls) <= reach_mm
        islands_may_hide = bool(sea.terrain.islands.pieces) and not (own_tracks.kind.has_tower or foe.kind.has_tower)
        if islands_may_hide and in_range.any():
            rows, guess = np.nonzero(in_range)
            in_range[rows, guess] = ~many_shores.is_hidden(
                sea, own_hulls.pick_rows(rows, 0), enemy_hulls.pick_rows(rows, guess)
            )
        has_target[list_numbers, step] |= in_range
    return has_target


def _bears_likely(has_target: Bools) -> Bools:
    """Return which shots reach an enemy that does not move and, mostly, one that rows: [list, step]."""
    rowing = has_target[:, :, _GUESS_ROWS] @ _GUESS_WEIGHTS[_GUESS_ROWS]
    return np.asarray(has_target[:, :, ~_GUESS_ROWS].any(axis=2) & (rowing >= _GUESS_WEIGHTS[_GUESS_ROWS].sum() / 2))


def _precedes_row(rows: Bools) -> Bools:  # which steps have a later one in which the galley rows, [list, step]
    rows_from_here = np.cumsum(rows[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(rows_from_here - rows > 0)
