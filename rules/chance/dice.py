"""Dice from HMAC-SHA-256 in counter mode, keyed with the game's secret seed.

A `Dice` is a value, so a state always gives the same throws. Python's `random` is not used because its streams may
change between versions.
"""

from __future__ import annotations

import hmac
from functools import lru_cache
from statistics import NormalDist
from struct import Struct as Words
from typing import Final, Protocol

from msgspec import Struct

from rules.core.errors import UnreadableOrder

_UINT64S: Final = Words(">4Q")
_UNIT_SCALE: Final = 2.0**-53
_STANDARD_NORMAL: Final = NormalDist()


class Dice(Struct, frozen=True, gc=False):
    """A seed and the number of blocks drawn from it."""

    seed: str  # the game's secret in lower-case hex, of any length
    blocks_drawn: int = 0  # blocks of four numbers drawn so far

    def draw_block(self) -> tuple[tuple[float, float, float, float], Dice]:
        """Draw four numbers, each uniform in the open interval (0, 1), and return them with the dice that follow."""
        digest = _keyed_hmac(self.seed).copy()
        digest.update(b"war-galley dice %d" % self.blocks_drawn)
        # Four numbers of 53 random bits each.
        a, b, c, d = [((word >> 11) + 0.5) * _UNIT_SCALE for word in _UINT64S.unpack(digest.digest())]
        return (a, b, c, d), Dice(self.seed, self.blocks_drawn + 1)

    def throw_die(self, sides: int) -> tuple[int, Dice]:
        """Return a number from 1 to `sides`, and the next dice. A throw takes a whole block."""
        (a, _, _, _), after = self.draw_block()
        return 1 + int(a * sides), after


@lru_cache(maxsize=64)
def _keyed_hmac(seed: str) -> hmac.HMAC:
    """Return an HMAC with this key, to be copied: setting the key takes about as long as the rest of a draw."""
    return hmac.new(bytes.fromhex(seed), digestmod="sha256")


def to_normal(uniform: float, *, deviation: float) -> float:
    """Turn a uniform number in (0, 1) into a normally distributed one with mean 0."""
    return deviation * _STANDARD_NORMAL.inv_cdf(uniform)


def derive_seed(seed: str, purpose: str) -> str:
    """Derive an independent seed (hex) for `purpose`, from which `seed` cannot be found."""
    return hmac.digest(bytes.fromhex(seed), f"war-galley {purpose}".encode(), "sha256").hex()


class DiceSource(Protocol):
    """Six-sided dice, thrown one after another."""

    def throw_die(self, what: str) -> tuple[int, DiceSource]:
        """Return a die for a purpose such as `ram A1>S1`, and the source after it."""
        ...


class DiceThrower:
    """Throws dice of a source that each throw replaces."""

    dice_source: DiceSource  # the dice that remain

    def throw_die(self, what: str) -> int:
        face, self.dice_source = self.dice_source.throw_die(what)
        return face

    def throw_two_dice(self, what: str) -> tuple[int, int]:
        return self.throw_die(what), self.throw_die(what)


class SeededDice(Struct, frozen=True):
    """The dice of a game. The purpose of a throw does not affect them."""

    dice: Dice  # the dice not thrown yet

    def throw_die(self, what: str) -> tuple[int, SeededDice]:  # noqa: ARG002 - the protocol has it
        face, after = self.dice.throw_die(6)
        return face, SeededDice(after)


class ListedDice(Struct, frozen=True):
    dice_left: tuple[int, ...]  # numbers of the dice still to be thrown

    def throw_die(self, what: str) -> tuple[int, DiceSource]:
        """Return the next die. Raises `UnreadableOrder` for the field `dice` if none is left."""
        if not self.dice_left:
            raise UnreadableOrder("dice_spent", piece="dice", throw=what)
        return self.dice_left[0], ListedDice(self.dice_left[1:])
