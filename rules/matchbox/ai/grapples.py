"""Boarding for computer captains: expected results of melees, and lists that grapple (MX-3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from math import comb
from typing import Final, NamedTuple

import numpy as np

from rules.matchbox.ai import bearing, foresight
from rules.matchbox.ai.many_hulls import Floats
from rules.matchbox.engine import hull
from rules.matchbox.engine.boarding import GRAPPLE_REACH_MM, ROWER_MATCHES
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MASTS_BY_HOLES, MATCH_MM, SLOTS, Galley

_MAST_COUNTS: Final = max(MASTS_BY_HOLES.values()) + 1
_MAX_GRAPPLE_MM: Final = 2 * SLOTS * MATCH_MM + GRAPPLE_REACH_MM  # galleys farther apart cannot grapple in this round


class MeleeOddsTable(NamedTuple):
    """Expected results of melees, by the masts of the boarder and of the other."""

    capture_chance: Floats  # the chance that the boarder captures the other
    captured_chance: Floats  # the chance that the other captures the boarder
    own_losses: Floats  # masts that the boarder loses
    enemy_losses: Floats  # masts that the other loses


@cache
def melee_odds(*, both: bool, more: tuple[int, int] = (0, 0)) -> MeleeOddsTable:
    """Return the odds of melees. If `both` board each other, no rowers take part (MX-3.4 to 3.6).

    `more` are additional matches of the boarder and of the other by promotions (MX-4.5).
    """
    odds = np.zeros((4, _MAST_COUNTS, _MAST_COUNTS))  # the fields of `MeleeOddsTable`
    rowers = 0 if both else ROWER_MATCHES
    for own, other in np.ndindex(_MAST_COUNTS, _MAST_COUNTS):
        own_matches, other_matches = own + more[0], other + more[1] + rowers
        for hits, suffered in product(range(own_matches + 1), range(other_matches + 1)):  # a match hits half the time
            chance = comb(own_matches, hits) * comb(other_matches, suffered) / 2 ** (own_matches + other_matches)
            captures = hits > other and suffered < own  # more hits than enemy masts, with a mast left to board
            is_captured = both and not captures and suffered > own and hits < other
            odds[:, own, other] += chance * np.array((captures, is_captured, min(suffered, own), min(hits, other)))
    odds.setflags(write=False)
    return MeleeOddsTable(*odds)


def grappling_variants(galley: Galley, orders: Sequence[str], foes: Sequence[Galley], sea: Sea) -> tuple[str, ...]:
    """Return variants of lists that grapple instead of firing while an enemy may be in reach, the best first."""
    near_enemies = [
        foe
        for foe in foes
        if hull.hull_gap_mm(galley, foe) <= _MAX_GRAPPLE_MM and not foe.burning and not galley.burning
    ]
    firing = [order_letters for order_letters in orders if "X" in order_letters]
    if not near_enemies or not firing:
        return ()
    track = foresight.pool_tracks(galley, firing, sea)
    is_fire = foresight.step_letters(firing) == "X"
    guesses = [foresight.guessed_tracks(foe, sea) for foe in near_enemies]
    in_reach = np.asarray(bearing.fire_bears(track, is_fire, guesses, sea, reach_mm=GRAPPLE_REACH_MM).any(axis=2))
    variants: list[str] = []
    value = foresight.list_worth(galley, firing, track, guesses)
    for k in np.argsort(-np.round(value, 6), kind="stable").tolist():
        steps = np.flatnonzero(in_reach[k]).tolist()
        if not steps or "ZZ" in firing[k]:
            continue
        variants += [
            "".join("G" if step in grapple_steps else letter for step, letter in enumerate(firing[k]))
            for grapple_steps in (steps[:1], steps)  # grapple in the first possible step, or in all
        ]
    return tuple(dict.fromkeys(variants))


def replace_fire_by_grapple(galley: Galley, order_letters: str, foes: Sequence[Galley]) -> str:
    """Return the list with its first shot replaced by a grapple if a weaker enemy is in reach now."""
    boardable = [foe for foe in foes if not foe.burning and not galley.burning]
    has_weaker = any(
        foe.masts < galley.masts and hull.hull_gap_mm(galley, foe) <= GRAPPLE_REACH_MM for foe in boardable
    )
    return order_letters.replace("X", "G", 1) if has_weaker else order_letters


def best_to_board(boarder: Galley, choices: Sequence[Galley]) -> Galley:
    """Return the enemy that is most likely to be captured. Ties go to the first."""

    def promise(enemy: Galley) -> tuple[float, int]:
        extra_matches = int("b" in boarder.crew), int("b" in enemy.crew)
        chance = melee_odds(both=False, more=extra_matches).capture_chance[boarder.masts, enemy.masts]
        return round(float(chance), 9), enemy.port + enemy.starboard

    return max(choices, key=promise)
