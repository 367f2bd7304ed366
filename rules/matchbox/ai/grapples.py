"""Boarding for computer captains: what melees may be expected to bring, and lists that grapple (MX part 3)."""

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
_MAX_GRAPPLE_MM: Final = 2 * SLOTS * MATCH_MM + GRAPPLE_REACH_MM
"""Galleys farther apart cannot grapple each other within a round."""


class MeleeOddsTable(NamedTuple):
    """What melees may be expected to bring, by the masts of the boarder and of the other."""

    capture_chance: Floats
    """The chance that the boarder takes the other."""
    captured_chance: Floats
    """The chance that the other takes the boarder."""
    own_losses: Floats
    """Masts that the boarder loses."""
    enemy_losses: Floats


@cache
def melee_odds(*, both: bool, more: tuple[int, int] = (0, 0)) -> MeleeOddsTable:
    """Of a melee; `both`: they board each other, so that nobody's rowers throw (MX-3.4 to 3.6).

    `more` are the matches that promotions add to the boarder's and to the other's (MX-4.5).
    """
    found = np.zeros((4, _MAST_COUNTS, _MAST_COUNTS))
    rowers = 0 if both else ROWER_MATCHES
    for own, other in np.ndindex(_MAST_COUNTS, _MAST_COUNTS):
        thrown, back = own + more[0], other + more[1] + rowers
        for hits, suffered in product(range(thrown + 1), range(back + 1)):
            likely = comb(thrown, hits) * comb(back, suffered) / 2 ** (thrown + back)
            takes = hits > other and suffered < own
            taken = both and not takes and suffered > own and hits < other
            found[:, own, other] += likely * np.array((takes, taken, min(suffered, own), min(hits, other)))
    found.setflags(write=False)
    return MeleeOddsTable(*found)


def grappling_variants(galley: Galley, orders: Sequence[str], foes: Sequence[Galley], sea: Sea) -> tuple[str, ...]:
    """Lists that grapple where these fire at one who may be within reach of grapples then; the best orders first."""
    near = [
        foe
        for foe in foes
        if hull.hull_gap_mm(galley, foe) <= _MAX_GRAPPLE_MM and not foe.burning and not galley.burning
    ]
    firing = [drawn for drawn in orders if "X" in drawn]
    if not near or not firing:
        return ()
    track = foresight.pool_tracks(galley, firing, sea)
    fires = np.array([[letter == "X" for letter in drawn.ljust(SLOTS)] for drawn in firing])
    guesses = [foresight.guessed_tracks(foe, sea) for foe in near]
    reached = np.asarray(bearing.fire_bears(track, fires, guesses, sea, reach_mm=GRAPPLE_REACH_MM).any(axis=2))
    found: list[str] = []
    value = foresight.list_worth(galley, firing, track, guesses)
    for k in np.argsort(-np.round(value, 6), kind="stable").tolist():
        steps = np.flatnonzero(reached[k]).tolist()
        found += [
            "".join("G" if step in kept else letter for step, letter in enumerate(firing[k]))
            for kept in ((steps[:1], steps) if steps and "ZZ" not in firing[k] else ())
        ]
    return tuple(dict.fromkeys(found))


def replace_fire_by_grapple(galley: Galley, drawn: str, foes: Sequence[Galley]) -> str:
    """The list with its first fire turned into a grapple, if an enemy with fewer masts lies within reach now."""
    open_to_it = [foe for foe in foes if not foe.burning and not galley.burning]
    weak = any(foe.masts < galley.masts and hull.hull_gap_mm(galley, foe) <= GRAPPLE_REACH_MM for foe in open_to_it)
    return drawn.replace("X", "G", 1) if weak else drawn


def best_to_board(boarder: Galley, choices: Sequence[Galley]) -> Galley:
    """The enemy that is likeliest to be taken; of equals the first."""

    def promises(one: Galley) -> tuple[float, int]:
        more = int("b" in boarder.crew), int("b" in one.crew)
        return round(
            float(melee_odds(both=False, more=more).capture_chance[boarder.masts, one.masts]), 9
        ), one.port + one.starboard

    return max(choices, key=promises)
