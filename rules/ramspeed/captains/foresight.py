"""The turn carried out by the rules themselves, over and over, with dice of the captain's own.

Dice are drawn by what they are thrown for, so that orders compared with each other meet with the same luck, and so that
all luck comes up as often as it should.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final

import numpy as np

from rules.dice import subseed
from rules.ramspeed import turn
from rules.ramspeed.orders import Sheet
from rules.ramspeed.state import Position
from rules.ramspeed.turn import Progress

_FACES: Final = range(1, 7)
_ROLLS: Final = sorted(((one, other) for one, other in product(_FACES, _FACES)), key=lambda dice: (sum(dice), dice))
"""All rolls of two dice, the lowest first."""


class Luck:
    """The dice of so many samples, drawn as they are asked for.

    Samples are dealt in turn to some ways in which the turn may go. Of those of each way the first half meets with luck
    from every part of the range of rolls, and so does the second, from the parts between.
    """

    def __init__(self, samples: int, ways: int, seed: str) -> None:
        self._ways = ways
        self._half = samples // ways // 2
        self._seed = seed
        self._drawn: dict[str, list[tuple[int, int]]] = {}

    def rolls(self, purpose: str) -> list[tuple[int, int]]:
        """Two dice for each sample."""
        if purpose not in self._drawn:
            rng = np.random.default_rng(int(subseed(self._seed, purpose), 16))
            spread = np.empty((2 * self._half, self._ways))
            for way in range(self._ways):
                within, parts = rng.random(), (rng.permutation(self._half), rng.permutation(self._half))
                lower = rng.integers(2, size=self._half)
                spread[: self._half, way] = parts[0] + (lower[parts[0]] + within) / 2
                spread[self._half :, way] = parts[1] + (1 - lower[parts[1]] + within) / 2
            places = (spread.ravel() * len(_ROLLS) / self._half).astype(np.intp)
            self._drawn[purpose] = [_ROLLS[place] for place in places.tolist()]
        return self._drawn[purpose]


class Drawn:
    """The dice of one sample, as a cup (`rules.ramspeed.play.Cup`)."""

    def __init__(self, luck: Luck, sample: int) -> None:
        self._luck = luck
        self._sample = sample
        self._thrown: dict[str, int] = {}

    def throw(self, what: str) -> tuple[int, Drawn]:
        """The next die for a purpose."""
        number, second = divmod(self._thrown.get(what, 0), 2)
        self._thrown[what] = 2 * number + second + 1
        return self._luck.rolls(f"{what} {number}")[self._sample][second], self


def carried_out(progress: Progress, sheets: Mapping[str, Sheet], cup: Drawn) -> Position:
    """What the rest of a turn leads to, in the order of play that it has; who has no sheet lets all ships stay.

    Nobody's doctrine is known, so all defend themselves as captains do who say nothing.
    """
    begun = bool(progress.named)
    while progress.order:
        sheet = sheets.get(progress.order[0], Sheet())
        if begun:
            for line in sheet.lines:
                progress = turn.activate(progress, line, cup, {}).progress
            progress = turn.close_player(progress, cup, {}).progress
        else:
            progress = turn.player_turn(progress, sheet, cup, {}).progress
        begun = False
    return turn.close(progress, cup, {}).position
