"""What an attack needs, each modifier with its reason, and how likely it succeeds. No dice are rolled here.

The planner, the computer captain, the pictures and the resolver all use the same: each attack has one function that
says why it is barred, and one that says its odds.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from rules.core.errors import Fault, Scalar

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
]
"""Why a roll is modified, as `drm.<reason>` in the catalogues; `helpless`: crippled, fouled, grappled or rammed."""
MAX_TOTAL: Final = 12
"""What an adjusted total of two dice is cut to (SQ-01.2)."""
_WAYS_BY_TOTAL: Final = {total: 6 - abs(7 - total) for total in range(2, MAX_TOTAL + 1)}
"""Of 36, by the total of two dice."""


class BarReason(NamedTuple):
    """Why something may not be done."""

    rule: str
    """Its number, such as `SQ-13.2`."""
    code: str
    """Its words, as `fault.<code>`."""
    expected: str = ""
    """What would be right: a number, an id or a step; empty where the words say it."""

    def to_fault(self, piece: str = "", **params: Scalar) -> Fault:
        """The refusal that says so, of a piece of a captain's text or else of what was expected."""
        return Fault(kind="illegal", code=self.code, rule=self.rule, piece=piece or self.expected, params=params)


class RollModifier(NamedTuple):
    """One die-roll modifier, by name."""

    reason: ModifierReason
    drm: int


class RollOdds(NamedTuple):
    """One roll before it is made."""

    min_total: int
    """Least adjusted roll; 0: no attempt is possible."""
    dice_count: Literal[1, 2]
    modifiers: tuple[RollModifier, ...] = ()
    """Those that are not 0, in the order of the rules."""

    @property
    def total_modifier(self) -> int:
        """The sum of all modifiers (SQ-01.3)."""
        return sum(part.drm for part in self.modifiers)

    @property
    def natural_need(self) -> int:
        """The least natural roll that succeeds."""
        return max(self.dice_count, self.min_total - self.total_modifier)

    @property
    def chance(self) -> float:
        """How likely it succeeds, as a part of 1."""
        if not self.min_total:
            return 0.0
        if self.dice_count == 1:
            return min(6, max(0, 7 - self.min_total + self.total_modifier)) / 6
        return sum(ways for total, ways in _WAYS_BY_TOTAL.items() if self.is_success(self.adjust(total))) / 36

    def adjust(self, total: int) -> int:
        """A natural roll, modified; of two dice at most 12 (SQ-01.2)."""
        return min(MAX_TOTAL, total + self.total_modifier) if self.dice_count == 2 else total + self.total_modifier

    def is_success(self, adjusted: int) -> bool:
        """Whether an adjusted roll lies in the range (SQ-01.1)."""
        return 0 < self.min_total <= adjusted


def non_zero(*found: tuple[ModifierReason, int]) -> tuple[RollModifier, ...]:
    """The modifiers that are not 0."""
    return tuple(RollModifier(reason, drm) for reason, drm in found if drm)


def compare(one: int, other: int) -> int:
    """+1 for the greater, -1 for the smaller, 0 for equals."""
    return (one > other) - (one < other)
