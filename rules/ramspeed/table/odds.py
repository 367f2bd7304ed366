"""What may come of an attack, and how likely: for those who plan (part 8.4). No dice are rolled here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Final, Literal, cast

from msgspec import Struct

from rules.ramspeed.table.tables import TABLES

Result = Literal["sunk", "stuck", "dead", "immobilised", "glanced", "bank", "none", "linked", "crew", "fire"]
"""Of a ram, of an oar swipe, of hooks, of a shot."""
HOPES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "ram": {"best": ("sunk",), "hope": ("sunk", "stuck", "dead")},
    "swipe": {"best": ("bank",)},
    "grapple": {"best": ("linked",)},
}
"""The chances named with an attack: under each name, the chance of any of these results."""
_FACES: Final = range(1, 7)
_TWO_DICE: Final = tuple(one + other for one, other in product(_FACES, repeat=2))


class Odd(Struct, frozen=True, kw_only=True):
    """One thing that may come of an attack."""

    result: Result
    need: int
    """The lowest roll of the dice themselves that brings it or better; 0: no roll is needed."""
    dice: int = 2
    """How many dice are rolled."""
    percent: int = 0
    """Chance of just this."""


def of_ram(modifier: int) -> tuple[Odd, ...]:
    """What may come of a ram with this sum of modifiers, the best first (T2)."""
    table = TABLES.ram
    return _two_dice(
        modifier,
        ("sunk", table.sunk),
        ("stuck", table.stuck),
        ("dead", table.dead),
        ("immobilised", table.immobilised),
    )


def of_swipe(modifier: int) -> tuple[Odd, ...]:
    """What may come of an oar swipe against which nobody defends herself, the best first (T4)."""
    return _two_dice(modifier, ("bank", TABLES.swipe.bank), ("immobilised", TABLES.swipe.immobilised))


def of_grapple(modifier: int, *, automatic: bool) -> tuple[Odd, ...]:
    """How likely hooks hold once she is alongside (RS-10.2, RS-10.4)."""
    wins = sum(one + modifier >= other for one, other in product(_FACES, repeat=2))
    return (Odd(result="linked", need=0, dice=0, percent=100 if automatic else round(100 * wins / 36)),)


def of_shot(kind: str) -> tuple[Odd, ...]:
    """What may come of a shot (RS-14.4)."""
    if kind == "crew":
        return (Odd(result="crew", need=1, dice=1, percent=100),)
    return (Odd(result="fire", need=TABLES.need.ignite, dice=1, percent=round(100 * (7 - TABLES.need.ignite) / 6)),)


def chance(odds: Sequence[Odd], *results: str) -> float:
    """The chance that one of these comes of it, as a part of 1."""
    return sum(odd.percent for odd in odds if odd.result in results) / 100


def harm(found: Sequence[Odd]) -> float:
    """The chance that an attack does real harm, as a part of 1."""
    return chance(found, "sunk", "stuck", "dead", "bank", "linked")


def hopes(kind: str, found: Sequence[Odd]) -> dict[str, float]:
    """The chances that are told of an attack, by name."""
    return {name: chance(found, *results) for name, results in HOPES[kind].items()}


@lru_cache
def _two_dice(modifier: int, *rows: tuple[str, int]) -> tuple[Odd, ...]:
    found, above = [], 13
    for result, least in rows:
        need = max(2, min(above, least - modifier))
        ways = sum(need <= total < above for total in _TWO_DICE)
        if ways:
            percent = round(100 * ways / len(_TWO_DICE))
            found.append(Odd(result=cast("Result", result), need=need, dice=2, percent=percent))
        above = need
    return tuple(found)
