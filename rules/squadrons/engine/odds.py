"""The odds of attacks: what a roll needs, each modifier with its reason, and the chance of success. No dice are rolled.

Planner, computer captain, pictures and resolver share these functions: each attack has one function that returns why
it is barred, and one that returns its odds.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from rules.core.errors import Fault, Scalar
from rules.core.view import Text

ModifierReason = Literal[
    "speed",
    "helpless",
    "slowed",
    "crew",
    "at_max",
    "towers",
    "rake_failed",
    "shaken",
    "faster",
    "opposite",
    "under_sail",
    "target_sail",
    "device",
    "engines",
    "height",
    "no_engines",
    "range",
    "repulsed",
    "own_side",
    "half_speed",
    "beyond_cruise",
    "rammed_too",
    "raked_too",
    "initiative",
    "behind",
]
"""Reasons of modifiers, `modifier.<reason>` in the catalogues. `helpless`: crippled, Fouled, Grappled or Rammed."""
MAX_TOTAL: Final = 12  # SQ-01.2
_WAYS_BY_TOTAL: Final = {total: 6 - abs(7 - total) for total in range(2, MAX_TOTAL + 1)}
"""Number of the 36 combinations of two dice for each total."""


class BarReason(NamedTuple):
    """Why an action is not allowed. Functions named `why_…_barred` return it, or None for an allowed action."""

    rule: str  # number of the rule, such as `SQ-13.2`
    code: str  # name of the reason, such as `too_far`
    expected: str = ""  # the legal value: a number, an id or a step; empty if the text says it

    def to_fault(self, piece: str = "", **params: Scalar) -> Fault:
        return Fault(kind="illegal", code=self.code, rule=self.rule, piece=piece or self.expected, params=params)


class RollModifier(NamedTuple):
    reason: ModifierReason
    amount: int  # added to the roll: a positive number helps the attacker

    @property
    def text(self) -> Text:
        """Return the amount and the reason, such as "+1 better crew"."""
        return Text(f"modifier.{self.reason}", {"amount": self.amount})


class RollOdds(NamedTuple):
    min_total: int  # lowest adjusted roll that succeeds; 0 if no attempt is possible
    dice_count: Literal[1, 2]  # of one roll
    modifiers: tuple[RollModifier, ...] = ()

    @property
    def total_modifier(self) -> int:  # SQ-01.3
        return sum(part.amount for part in self.modifiers)

    @property
    def natural_need(self) -> int:
        return max(self.dice_count, self.min_total - self.total_modifier)

    @property
    def chance(self) -> float:
        """Return the probability of success, 0 to 1."""
        if not self.min_total:
            return 0.0
        if self.dice_count == 1:
            return min(6, max(0, 7 - self.min_total + self.total_modifier)) / 6
        return sum(ways for total, ways in _WAYS_BY_TOTAL.items() if self.is_success(self.adjust(total))) / 36

    def adjust(self, total: int) -> int:
        """Return the modified roll; with two dice at most 12 (SQ-01.2)."""
        return min(MAX_TOTAL, total + self.total_modifier) if self.dice_count == 2 else total + self.total_modifier

    def is_success(self, adjusted: int) -> bool:  # SQ-01.1
        return 0 < self.min_total <= adjusted


def non_zero(*modifiers: tuple[ModifierReason, int]) -> tuple[RollModifier, ...]:
    return tuple(RollModifier(reason, amount) for reason, amount in modifiers if amount)


def compare(first: int, second: int) -> int:
    """Return 1 if the first number is greater, -1 if it is smaller, 0 if they are equal."""
    return (first > second) - (first < second)
