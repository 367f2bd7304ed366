"""Sources of dice for the rules: the game's seed, a test case, or the samples of a search."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.errors import UnreadableOrder


class DiceSource(Protocol):
    """Six-sided dice, thrown one after another."""

    def throw_die(self, what: str) -> tuple[int, DiceSource]:
        """Return a die for a purpose such as `ram A1>S1`, and the source after it."""
        ...


class SeededDice(Struct, frozen=True):
    """The dice of a game. The purpose of a throw does not affect them."""

    dice: Dice

    def throw_die(self, what: str) -> tuple[int, SeededDice]:  # noqa: ARG002 - the protocol has it
        face, after = self.dice.throw_die(6)
        return face, SeededDice(after)


class ListedDice(Struct, frozen=True):
    dice_left: tuple[int, ...]

    def throw_die(self, what: str) -> tuple[int, DiceSource]:
        """Return the next die. Raises `UnreadableOrder` for the field `dice` if none is left."""
        if not self.dice_left:
            raise UnreadableOrder("dice_spent", piece="dice", throw=what)
        return self.dice_left[0], ListedDice(self.dice_left[1:])
