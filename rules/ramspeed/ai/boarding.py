"""How a melee between two crews is likely to end, round after round (RS-11)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from rules.ramspeed.engine.phases.melee import count_casualties
from rules.ramspeed.engine.tables import TABLES

_MAX_MEN: Final = 50
"""Men; of larger crews both sides are scaled down alike, which changes next to nothing."""
_DIE_FACES: Final = range(1, 7)


class MeleeOdds(NamedTuple):
    """The end of a melee: chances as parts of 1; the rest is that nobody is left."""

    win_chance: float
    loss_chance: float


def melee_odds(mine: int, theirs: int, bonus: int = 0, their_bonus: int = 0) -> MeleeOdds:
    """How a melee of so many men ends, with what nations add on either side (RS-11.5)."""
    larger = max(mine, theirs)
    if larger > _MAX_MEN:
        mine, theirs = -(-mine * _MAX_MEN // larger), -(-theirs * _MAX_MEN // larger)
    return _scaled_melee_odds(mine, theirs, bonus, their_bonus)


@lru_cache(maxsize=512)
def _loss_distribution(strength: int, bonus: int) -> tuple[tuple[int, float], ...]:
    """What a side of a strength inflicts in a round, and how likely."""
    dice = next(row for row in TABLES.melee if strength >= row.least).dice
    found = Counter(count_casualties(strength, thrown, bonus) for thrown in product(_DIE_FACES, repeat=dice))
    return tuple((losses, ways / 6**dice) for losses, ways in found.items())


@lru_cache(maxsize=50_000)
def _scaled_melee_odds(mine: int, theirs: int, bonus: int, their_bonus: int) -> MeleeOdds:
    if mine == 0 or theirs == 0:
        return MeleeOdds(float(mine > 0), float(theirs > 0))
    won = lost = idle = 0.0
    for (dealt, one), (suffered, other) in product(
        _loss_distribution(mine, bonus), _loss_distribution(theirs, their_bonus)
    ):
        if not dealt and not suffered:
            idle += one * other
            continue
        after = _scaled_melee_odds(max(0, mine - suffered), max(0, theirs - dealt), bonus, their_bonus)
        won += one * other * after.win_chance
        lost += one * other * after.loss_chance
    # Rounds in which nobody falls are thrown again.
    return MeleeOdds(won / (1 - idle), lost / (1 - idle))
