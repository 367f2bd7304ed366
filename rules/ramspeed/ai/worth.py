"""Values of attacks in victory points, and the likely end of a melee (RS-11, RS-20.3). Nothing here rolls dice."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from rules.ramspeed.engine.geometry.hulls import Floats
from rules.ramspeed.engine.phases.melee import count_casualties
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.engine.tables import CLASSES, TABLES, ClassCode, Nation

_DIE_FACES: Final = range(1, 7)
_MAX_MEN: Final = 50  # limit to which larger crews are scaled down in proportion, which hardly changes the odds


class MeleeOdds(NamedTuple):
    """The end of a melee: chances between 0 and 1; the remainder is that nobody is left."""

    win_chance: float
    loss_chance: float


def odds_of_crews(own_men: int, enemy_men: int, own_bonus: int = 0, enemy_bonus: int = 0) -> MeleeOdds:
    """Return how a melee ends, given crews and the bonuses of their nations (RS-11.5)."""
    larger = max(own_men, enemy_men)
    if larger > _MAX_MEN:  # scaled, rounded up
        own_men, enemy_men = -(-own_men * _MAX_MEN // larger), -(-enemy_men * _MAX_MEN // larger)
    return _scaled_melee_odds(own_men, enemy_men, own_bonus, enemy_bonus)


@lru_cache(maxsize=512)
def _loss_distribution(strength: int, bonus: int) -> tuple[tuple[int, float], ...]:
    # possible losses that a crew inflicts in a round, with their probabilities
    dice = next(row for row in TABLES.melee if strength >= row.least).dice
    ways_by_losses = Counter(count_casualties(strength, thrown, bonus) for thrown in product(_DIE_FACES, repeat=dice))
    return tuple((losses, ways / 6**dice) for losses, ways in ways_by_losses.items())


@lru_cache(maxsize=50_000)
def _scaled_melee_odds(own_men: int, enemy_men: int, own_bonus: int, enemy_bonus: int) -> MeleeOdds:
    """Return how a melee between small crews ends, by trying all results of each round."""
    if own_men == 0 or enemy_men == 0:
        return MeleeOdds(float(own_men > 0), float(enemy_men > 0))
    win_chance = loss_chance = idle_chance = 0.0
    for (inflicted, own_chance), (suffered, enemy_chance) in product(
        _loss_distribution(own_men, own_bonus), _loss_distribution(enemy_men, enemy_bonus)
    ):
        chance = own_chance * enemy_chance
        if not inflicted and not suffered:
            idle_chance += chance
            continue
        after = _scaled_melee_odds(max(0, own_men - suffered), max(0, enemy_men - inflicted), own_bonus, enemy_bonus)
        win_chance += chance * after.win_chance
        loss_chance += chance * after.loss_chance
    # rounds without casualties are rolled again
    return MeleeOdds(win_chance / (1 - idle_chance), loss_chance / (1 - idle_chance))


DEAD_WORTH: Final = 0.6
"""The value of an enemy dead in the water in parts of its own, as it can easily be rammed and boarded."""
_IMMOBILISED_WORTH: Final = 0.3
_BANK_WORTH: Final = 0.3
_ESCAPE_CHANCE: Final = 1 / 3  # the chance that a quick turn, or drawing in the oars, succeeds (T8)
MODIFIER_SUMS: Final = range(-6, 9)  # sums of a ram's modifiers; values beyond count as the last
_TWO_DICE_TOTALS: Final = Counter(first + second for first, second in product(_DIE_FACES, repeat=2))  # of 36 throws


def nation_bonus(nation: Nation, enemy: Nation) -> int:
    """Return the bonus of a nation in a melee against another (RS-11.5)."""
    traits = TABLES.nations[nation]
    return traits.melee if not traits.melee_against or traits.melee_against == enemy else 0


def melee_odds(ship: Ship, enemy: Ship) -> MeleeOdds:
    return odds_of_crews(
        ship.crew, enemy.crew, nation_bonus(ship.nation, enemy.nation), nation_bonus(enemy.nation, ship.nation)
    )


def ram_values(ship: Ship, target: Ship) -> Floats:
    # a stuck ship sinks however the melee ends (RS-12.5, RS-12.6), but its crew may capture the rammer.
    expected_loss = TABLES.score.captured * ship.ship_class.value * melee_odds(ship, target).loss_chance
    return _ram_values(target.ship_class.value, target.ship_class.value - expected_loss)


@lru_cache(maxsize=20_000)
def _ram_values(value: int, stuck_value: float) -> Floats:
    """Return the expected worth of a ram for each of `MODIFIER_SUMS`, in victory points.

    `value` is the target's, `stuck_value` the worth of getting stuck in it.
    """
    table = TABLES.ram
    values = []
    for modifier in MODIFIER_SUMS:
        value_sum = 0.0
        for total, ways in _TWO_DICE_TOTALS.items():
            rolled = total + modifier
            if rolled >= table.sunk:
                value_sum += ways * value
            elif rolled >= table.stuck:
                value_sum += ways * stuck_value
            elif rolled >= table.dead:
                value_sum += ways * value * DEAD_WORTH
            elif rolled >= table.immobilised:
                value_sum += ways * value * _IMMOBILISED_WORTH
        values.append(value_sum / 36)
    return np.array(values)


def grapple_value(ship: Ship, target: Ship, *, automatic: bool) -> float:
    odds = melee_odds(ship, target)
    value = TABLES.score.captured * (
        target.ship_class.value * odds.win_chance - ship.ship_class.value * odds.loss_chance
    )
    return value if automatic else value * _hook_chance(ship.code, target.code, ship.corvus) * (1 - _ESCAPE_CHANCE)


@lru_cache(maxsize=64)
def _hook_chance(code: ClassCode, target_code: ClassCode, corvus: bool) -> float:  # noqa: FBT001 - a key of the cache
    """Return the chance that a grapple holds once the ship is alongside (RS-10.4)."""
    table, size_difference = TABLES.grapple, CLASSES[target_code].rank - CLASSES[code].rank
    modifier = table.target_larger if size_difference > 0 else table.target_smaller if size_difference < 0 else 0
    modifier += table.corvus if corvus else 0
    pairs = product(_DIE_FACES, repeat=2)
    return sum(own_die + modifier >= opponents_die for own_die, opponents_die in pairs) / 36


def swipe_value(ship: Ship, target: Ship) -> float:
    table, size_difference = TABLES.swipe, ship.ship_class.rank - target.ship_class.rank
    modifier = table.modifiers.larger if size_difference > 0 else table.modifiers.smaller if size_difference < 0 else 0
    modifier += TABLES.nations[ship.nation].swipe
    share_sum = 0.0
    for total, ways in _TWO_DICE_TOTALS.items():
        if total + modifier >= table.bank:
            share_sum += ways * (DEAD_WORTH if target.halved else _BANK_WORTH)
        elif total + modifier >= table.immobilised:
            share_sum += ways * _IMMOBILISED_WORTH
    return share_sum / 36 * (1 - _ESCAPE_CHANCE) * target.ship_class.value
