"""The turn carried out by the rules themselves, over and over, with dice of the captain's own.

Dice are drawn by what they are thrown for, so that orders compared with each other meet with the same luck, and so that
all luck comes up as often as it should.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np

from rules.dice import subseed
from rules.ramspeed.table.orders import Line, Sheet
from rules.ramspeed.table.phases import turn
from rules.ramspeed.table.phases.play import Cup
from rules.ramspeed.table.phases.turn import Progress
from rules.ramspeed.table.state import Position

_FACES: Final = range(1, 7)
_ROLLS: Final = sorted(((one, other) for one, other in product(_FACES, _FACES)), key=lambda dice: (sum(dice), dice))
"""All rolls of two dice, the lowest first."""


class DiceSamples:
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


class SampleCup:
    """The dice of one sample, as a cup (`rules.ramspeed.table.phases.play.Cup`)."""

    def __init__(self, luck: DiceSamples, sample: int, thrown: Mapping[str, int] | None = None) -> None:
        self._luck = luck
        self._sample = sample
        self._thrown = thrown or {}
        """How many dice by what they were thrown for."""

    def throw(self, what: str) -> tuple[int, SampleCup]:
        """The next die for a purpose."""
        count = self._thrown.get(what, 0)
        number, second = divmod(count, 2)
        face = self._luck.rolls(f"{what} {number}")[self._sample][second]
        return face, SampleCup(self._luck, self._sample, {**self._thrown, what: count + 1})


class _Moment:
    """A turn as it stands after some lines; what comes of each further one is found once."""

    def __init__(self, progress: Progress, cup: Cup) -> None:
        self.progress = progress
        self._cup = cup
        self._next: dict[Line | None, _Moment] = {}
        self._end: Position | None = None

    def after(self, line: Line | None) -> _Moment:
        """After a line of the active player, or with None after that player-turn, when the next one has begun."""
        if line not in self._next:
            if line:
                done = turn.activate(self.progress, line, self._cup, {})
            else:
                done = turn.close_player(self.progress, self._cup, {})
            self._next[line] = _Moment.of(done.progress, done.cup, opens=line is None)
        return self._next[line]

    @staticmethod
    def of(progress: Progress, cup: Cup, *, opens: bool) -> _Moment:
        """A moment; the player-turn of the first player in the order begins, if `opens`."""
        if opens and progress.order:
            done = turn.open_player(progress, cup, {})
            return _Moment(done.progress, done.cup)
        return _Moment(progress, cup)

    def end(self) -> Position:
        """What the turn leads to, after the last player-turn."""
        if self._end is None:
            self._end = turn.close(self.progress, self._cup, {}).position
        return self._end


class Foresight:
    """What the rest of a turn leads to, sheet by sheet and sample by sample, in one of some orders of play.

    Nobody's doctrine is known, so all defend themselves as captains do who say nothing. What two sheets begin alike is
    carried out once.
    """

    def __init__(self, begun: Sequence[Progress], samples: int, seed: str) -> None:
        luck = DiceSamples(samples, len(begun), seed)
        ways = [begun[sample % len(begun)] for sample in range(samples)]
        self._begun = [_Moment.of(way, SampleCup(luck, sample), opens=not way.named) for sample, way in enumerate(ways)]

    def carried_out(self, sheets: Mapping[str, Sheet], sample: int) -> Position:
        """The end of a turn, with the dice of a sample; who has no sheet lets all ships stay."""
        moment = self._begun[sample]
        while moment.progress.order:
            for line in sheets.get(moment.progress.order[0], Sheet()).lines:
                moment = moment.after(line)
            moment = moment.after(None)
        return moment.end()
