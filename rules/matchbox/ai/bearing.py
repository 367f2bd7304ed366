"""Which orders to fire can bear: whether an enemy may be in range when their step comes (MB-6.2).

Enemies are taken to do what they are likely to do, hulls to pass through each other. So it is not forbidden to fire
at who is out of reach now, but comes on; it is to fire where nobody who does anything likely will be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.matchbox.ai import foresight, many_hulls, many_shores
from rules.matchbox.ai.foresight import HullTracks
from rules.matchbox.ai.many_hulls import Bools, HullBoxes, HullSizes
from rules.matchbox.engine import reach
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import SLOTS, Galley
from rules.matchbox.engine.volley import RANGE_MM

_GUESS_ROWS: Final = np.array([bool(letters) for letters, _ in foresight.ENEMY_GUESSES])
"""In which guesses the enemy rows."""
_GUESS_WEIGHTS: Final = np.array([weight for _, weight in foresight.ENEMY_GUESSES])
"""How much each guess counts."""
_BLOCKED_MM: Final = 1.0
"""Who is pushed back by the table's edge so far rows for nothing."""


def sensible_lists(
    galley: Galley, foes: Sequence[Galley], sea: Sea, *, certain: bool = False, beaches: bool = False
) -> tuple[str, ...]:
    """Her lists that neither fire at nothing while she could row, nor row against the table's edge.

    Where the rules ask for more orders than she has moves (MB-3.7), she fires last. `certain`: to fire is to bear on
    one who lies still and, more often than not, on one who rows. `beaches`: she may row on to land. Never empty.
    """
    orders = foresight.legal_lists(galley)
    track = foresight.pool_tracks(galley, orders, sea)
    letters = np.array([list(drawn.ljust(SLOTS)) for drawn in orders])
    fires, rows = letters == "X", np.isin(letters, ("F", "L", "R"))
    found = fire_bears(track, fires, [foresight.guessed_tracks(foe, sea) for foe in foes], sea)
    idle = fires & ~(_bears_likely(found) if certain else found.any(axis=2))
    moves = reach.max_moves(galley)
    # An order to fire that bears on nothing is forgiven where no move is left, after all the moves.
    left_over = (rows.sum(axis=1) >= moves)[:, None] & ~_precedes_row(rows)
    useful = ~(idle & ~left_over).any(axis=1)
    free = beaches | ~(track.pushed_back[:, 1:] > _BLOCKED_MM).any(axis=1)
    for fair in (useful & free, useful):
        if fair.any():
            return tuple(drawn for drawn, is_fair in zip(orders, fair, strict=True) if is_fair)
    return orders


class InRangeChance(NamedTuple):
    """The chance that an enemy is in range when an order to fire comes, by what enemies are likely to do."""

    chance: float
    includes_rowing: bool
    """An enemy who rows may be in range, not only one who lies still."""


def in_range_chances(galley: Galley, drawn: str, foes: Sequence[Galley], sea: Sea) -> dict[int, InRangeChance]:
    """For each step in which a list fires, from 1, the chance that an enemy is in range."""
    fires = np.array([[letter == "X" for letter in drawn.ljust(SLOTS)]])
    found = fire_bears(
        foresight.follow_tracks(galley, [drawn], sea), fires, [foresight.guessed_tracks(foe, sea) for foe in foes], sea
    )
    return {
        step + 1: InRangeChance(float(found[0, step] @ _GUESS_WEIGHTS), bool((found[0, step] & _GUESS_ROWS).any()))
        for step in np.flatnonzero(fires[0]).tolist()
    }


def fire_bears(
    mine: HullTracks, fires: Bools, foes: Sequence[HullTracks], sea: Sea, *, reach_mm: float = RANGE_MM
) -> Bools:
    """Which orders to fire find an enemy in range and in sight, in which of the guesses: [list, step, guess]."""
    guesses = foes[0].x.shape[0] if foes else 1
    found = np.zeros((*fires.shape, guesses), bool)
    of, step = np.nonzero(fires)
    own = _track_boxes(mine).pick_rows(of, step + 1, None)
    for foe in foes:
        theirs = _track_boxes(foe).pick_rows(np.arange(guesses), step[:, None] + 1)
        in_range = many_hulls.pair_gap(own, theirs) <= reach_mm
        if sea.terrain.islands.pieces and not (mine.kind.has_tower or foe.kind.has_tower) and in_range.any():
            at, guess = np.nonzero(in_range)
            in_range[at, guess] = ~many_shores.is_hidden(sea, own.pick_rows(at, 0), theirs.pick_rows(at, guess))
        found[of, step] |= in_range
    return found


def _bears_likely(found: Bools) -> Bools:
    """Which orders to fire bear on an enemy who lies still and, more often than not, on one who rows: [list, step]."""
    rowing = found[:, :, _GUESS_ROWS] @ _GUESS_WEIGHTS[_GUESS_ROWS]
    return np.asarray(found[:, :, ~_GUESS_ROWS].any(axis=2) & (rowing >= _GUESS_WEIGHTS[_GUESS_ROWS].sum() / 2))


def _precedes_row(rows: Bools) -> Bools:
    """Which steps come before one in which she rows."""
    later = np.cumsum(rows[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(later - rows > 0)


def _track_boxes(of: HullTracks) -> HullBoxes:
    """The hulls of a track: [list, step]."""
    size = HullSizes(of.kind.half_length_mm, of.kind.half_width_mm)
    return HullBoxes(of.x, of.y, np.sin(of.heading), np.cos(of.heading), size)
