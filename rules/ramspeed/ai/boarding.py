"""The likely end of a melee between two crews, over all its rounds (RS-11)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

from rules.ramspeed.engine.phases.melee import count_casualties
from rules.ramspeed.engine.tables import TABLES

_MAX_MEN: Final = 50  # limit to which larger crews are scaled down in proportion, which hardly changes the odds
_DIE_FACES: Final = range(1, 7)


class MeleeOdds(NamedTuple):
    """The end of a melee: chances between 0 and 1; the remainder is that nobody is left."""

    win_chance: float
    loss_chance: float


def melee_odds(mine: int, theirs: int, bonus: int = 0, their_bonus: int = 0) -> MeleeOdds:
    """Return how a melee ends, given crews and the bonuses of their nations (RS-11.5)."""
    larger = max(mine, theirs)
    if larger > _MAX_MEN:
        mine, theirs = -(-mine * _MAX_MEN // larger), -(-theirs * _MAX_MEN // larger)
    return _scaled_melee_odds(mine, theirs, bonus, their_bonus)


@lru_cache(maxsize=512)
def _loss_distribution(strength: int, bonus: int) -> tuple[tuple[int, float], ...]:
    dice = next(row for row in TABLES.melee if strength >= row.least).dice
    ways_by_losses = Counter(count_casualties(strength, thrown, bonus) for thrown in product(_DIE_FACES, repeat=dice))
    return tuple((losses, ways / 6**dice) for losses, ways in ways_by_losses.items())


@lru_cache(maxsize=50_000)
def _scaled_melee_odds(mine: int, theirs: int, bonus: int, their_bonus: int) -> MeleeOdds:
    if mine == 0 or theirs == 0:
        return MeleeOdds(float(mine > 0), float(theirs > 0))
    won = lost = idle = 0.0
    for (dealt, my_chance), (suffered, their_chance) in product(
        _loss_distribution(mine, bonus), _loss_distribution(theirs, their_bonus)
    ):
        if not dealt and not suffered:
            idle += my_chance * their_chance
            continue
        after = _scaled_melee_odds(max(0, mine - suffered), max(0, theirs - dealt), bonus, their_bonus)
        won += my_chance * their_chance * after.win_chance
        lost += my_chance * their_chance * after.loss_chance
    # Rounds without casualties are rolled again.
    return MeleeOdds(won / (1 - idle), lost / (1 - idle))
