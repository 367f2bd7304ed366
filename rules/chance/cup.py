"""Where the rules of a game get their dice from: the game's own, those of a case, or samples of a search."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from rules.chance.dice import Dice
from rules.core.errors import UnreadableOrder


class DiceSource(Protocol):
    """Six-sided dice, thrown one after the other."""

    def throw_die(self, what: str) -> tuple[int, DiceSource]:
        """One die for a purpose, such as `ram A1>S1`, and the cup after it."""
        ...


class SeededDice(Struct, frozen=True):
    """The dice of a game, which fall alike for all purposes."""

    dice: Dice

    def throw_die(self, what: str) -> tuple[int, SeededDice]:  # noqa: ARG002 - see above
        """Throw the next die."""
        face, after = self.dice.throw_die(6)
        return face, SeededDice(after)


class ListedDice(Struct, frozen=True):
    """The dice of a case."""

    dice_left: tuple[int, ...]

    def throw_die(self, what: str) -> tuple[int, DiceSource]:
        """Take the next die. Raises `UnreadableOrder` for the field `dice`, saying for what, if none is left."""
        if not self.dice_left:
            raise UnreadableOrder("dice_spent", piece="dice", throw=what)
        return self.dice_left[0], ListedDice(self.dice_left[1:])
