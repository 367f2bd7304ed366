"""Possible results of attacks and their chances, for those who plan. Nothing here rolls dice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final, Literal, cast

from msgspec import Struct

from rules.ramspeed.engine.tables import TABLES

AttackResult = Literal["sunk", "stuck", "dead", "immobilised", "glanced", "bank", "none", "linked", "crew", "fire"]
NAMED_CHANCES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "ram": {"best": ("sunk",), "stuck": ("stuck",), "hope": ("sunk", "stuck", "dead")},
    "swipe": {"best": ("bank",)},
    "grapple": {"best": ("linked",)},
}
"""Named chances of each attack: a name stands for the chance of any of its results."""
_DIE_FACES: Final = range(1, 7)
_TWO_DICE_TOTALS: Final = tuple(first + second for first, second in product(_DIE_FACES, repeat=2))


class ResultChance(Struct, frozen=True, kw_only=True):
    result: AttackResult
    min_roll: int  # the lowest unmodified roll for this result or a better one; 0: no roll is needed
    dice_count: int = 2  # 0: no roll is needed
    percent: int = 0  # the chance of exactly this result


def ram_chances(modifier: int) -> tuple[ResultChance, ...]:
    """Return the possible results of a ram with this modifier, best first (T2)."""
    table = TABLES.ram
    return _two_dice_chances(
        modifier, ("sunk", table.sunk), ("stuck", table.stuck), ("dead", table.dead), ("immobilised", table.immobilised)
    )


def swipe_chances(modifier: int) -> tuple[ResultChance, ...]:
    """Return the possible results of an undefended oar swipe, best first (T4)."""
    return _two_dice_chances(modifier, ("bank", TABLES.swipe.bank), ("immobilised", TABLES.swipe.immobilised))


def grapple_chances(modifier: int, *, automatic: bool) -> tuple[ResultChance, ...]:
    """Return the chance that a grapple holds once the ship is alongside (RS-10.2, RS-10.4)."""
    pairs = product(_DIE_FACES, repeat=2)
    winning_pairs = sum(own_die + modifier >= opponents_die for own_die, opponents_die in pairs)
    percent = 100 if automatic else round(100 * winning_pairs / 36)
    return (ResultChance(result="linked", min_roll=0, dice_count=0, percent=percent),)


def shot_chances(kind: str) -> tuple[ResultChance, ...]:
    """Return the possible results of a shot (RS-14.4)."""
    if kind == "crew":
        return (ResultChance(result="crew", min_roll=1, dice_count=1, percent=100),)
    min_roll = TABLES.need.ignite
    percent = round(100 * (7 - min_roll) / 6)
    return (ResultChance(result="fire", min_roll=min_roll, dice_count=1, percent=percent),)


def chance_of_any(odds: Sequence[ResultChance], *results: str) -> float:
    """Return the chance of any of these results, between 0 and 1."""
    return sum(odd.percent for odd in odds if odd.result in results) / 100


def harm_chance(odds: Sequence[ResultChance]) -> float:
    return chance_of_any(odds, "sunk", "stuck", "dead", "bank", "linked")


def named_chances(kind: str, odds: Sequence[ResultChance]) -> dict[str, float]:
    return {name: chance_of_any(odds, *results) for name, results in NAMED_CHANCES[kind].items()}


@lru_cache
def _two_dice_chances(modifier: int, *rows: tuple[str, int]) -> tuple[ResultChance, ...]:
    """Return the chance of each result of two dice; impossible results are left out.

    `rows` are results with their least totals, best first.
    """
    chances = []
    upper_limit = 13  # totals from this on have a better result; no total of two dice at first
    for result, min_total in rows:
        min_roll = max(2, min(upper_limit, min_total - modifier))
        ways = sum(min_roll <= total < upper_limit for total in _TWO_DICE_TOTALS)
        if ways:
            percent = round(100 * ways / len(_TWO_DICE_TOTALS))
            chances.append(
                ResultChance(result=cast("AttackResult", result), min_roll=min_roll, dice_count=2, percent=percent)
            )
        upper_limit = min_roll
    return tuple(chances)
