"""What may come of an attack, and how likely: for those who plan (part 8.4). No dice are rolled here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final, Literal, cast

from msgspec import Struct

from rules.ramspeed.engine.tables import TABLES

AttackResult = Literal["sunk", "stuck", "dead", "immobilised", "glanced", "bank", "none", "linked", "crew", "fire"]
"""Of a ram, of an oar swipe, of hooks, of a shot."""
NAMED_CHANCES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "ram": {"best": ("sunk",), "hope": ("sunk", "stuck", "dead")},
    "swipe": {"best": ("bank",)},
    "grapple": {"best": ("linked",)},
}
"""The chances named with an attack: under each name, the chance of any of these results."""
_DIE_FACES: Final = range(1, 7)
_TWO_DICE_TOTALS: Final = tuple(one + other for one, other in product(_DIE_FACES, repeat=2))


class ResultChance(Struct, frozen=True, kw_only=True):
    """One thing that may come of an attack."""

    result: AttackResult
    min_roll: int
    """The lowest roll of the dice themselves that brings it or better; 0: no roll is needed."""
    dice_count: int = 2
    """How many dice are rolled."""
    percent: int = 0
    """Chance of just this."""


def ram_chances(modifier: int) -> tuple[ResultChance, ...]:
    """What may come of a ram with this sum of modifiers, the best first (T2)."""
    table = TABLES.ram
    return _two_dice_chances(
        modifier,
        ("sunk", table.sunk),
        ("stuck", table.stuck),
        ("dead", table.dead),
        ("immobilised", table.immobilised),
    )


def swipe_chances(modifier: int) -> tuple[ResultChance, ...]:
    """What may come of an oar swipe against which nobody defends herself, the best first (T4)."""
    return _two_dice_chances(modifier, ("bank", TABLES.swipe.bank), ("immobilised", TABLES.swipe.immobilised))


def grapple_chances(modifier: int, *, automatic: bool) -> tuple[ResultChance, ...]:
    """How likely hooks hold once she is alongside (RS-10.2, RS-10.4)."""
    wins = sum(one + modifier >= other for one, other in product(_DIE_FACES, repeat=2))
    return (
        ResultChance(result="linked", min_roll=0, dice_count=0, percent=100 if automatic else round(100 * wins / 36)),
    )


def shot_chances(kind: str) -> tuple[ResultChance, ...]:
    """What may come of a shot (RS-14.4)."""
    if kind == "crew":
        return (ResultChance(result="crew", min_roll=1, dice_count=1, percent=100),)
    return (
        ResultChance(
            result="fire", min_roll=TABLES.need.ignite, dice_count=1, percent=round(100 * (7 - TABLES.need.ignite) / 6)
        ),
    )


def chance_of_any(odds: Sequence[ResultChance], *results: str) -> float:
    """The chance that one of these comes of it, as a part of 1."""
    return sum(odd.percent for odd in odds if odd.result in results) / 100


def harm_chance(found: Sequence[ResultChance]) -> float:
    """The chance that an attack does real harm, as a part of 1."""
    return chance_of_any(found, "sunk", "stuck", "dead", "bank", "linked")


def named_chances(kind: str, found: Sequence[ResultChance]) -> dict[str, float]:
    """The chances that are told of an attack, by name."""
    return {name: chance_of_any(found, *results) for name, results in NAMED_CHANCES[kind].items()}


@lru_cache
def _two_dice_chances(modifier: int, *rows: tuple[str, int]) -> tuple[ResultChance, ...]:
    found, above = [], 13
    for result, least in rows:
        need = max(2, min(above, least - modifier))
        ways = sum(need <= total < above for total in _TWO_DICE_TOTALS)
        if ways:
            percent = round(100 * ways / len(_TWO_DICE_TOTALS))
            found.append(
                ResultChance(result=cast("AttackResult", result), min_roll=need, dice_count=2, percent=percent)
            )
        above = need
    return tuple(found)
