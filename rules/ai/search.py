"""How a computer captain searches for orders: candidates are carried out by the rules, with dice of the captain's own.

The number of trials is limited, so that orders don't vary unless somebody says that it is enough (`rules.ai.thinking`).
All candidates meet the same samples of luck: dice are drawn by what they are thrown for. A game says how a candidate is
carried out, and what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Final, Generic, TypeVar

import numpy as np

from rules.ai.thinking import is_enough
from rules.chance.dice import derive_seed

O = TypeVar("O", bound=Hashable)  # noqa: E741 - orders
"""A candidate: all that a captain orders."""

_MAX_FINALISTS: Final = 3
"""Candidates that meet all samples: the best after the first half of them."""
_DIE_FACES: Final = range(1, 7)
_TWO_DICE_ROLLS: Final = sorted(
    ((one, other) for one, other in product(_DIE_FACES, _DIE_FACES)), key=lambda dice: (sum(dice), dice)
)
"""All rolls of two dice, the lowest first."""


class Search(Generic[O]):
    """The values of candidates, found by trials of which there is a limited number."""

    def __init__(
        self,
        carry_out: Callable[[O, Sequence[int]], Iterable[float]],
        *,
        budget: int,
        samples: int,
        slack: float = 0.0,
        margin: float = 0.0,
    ) -> None:
        """Begin a search.

        `carry_out` gives the value of a candidate in each of some samples; `budget`: how many it may carry out;
        `slack`: by how much a candidate may be behind the best in the first half of the samples; `margin`: by how much
        it must be better in all of them. Values are in the game's own points.
        """
        self._carry_out = carry_out
        self._samples = samples
        self._slack = slack
        self._margin = margin
        self._values: dict[O, list[float]] = {}
        self.trials_left = budget
        """Trials that may still be made."""

    def mean_value(self, candidate: O) -> float:
        """The mean value of a candidate in all samples."""
        return self._mean(candidate, self._samples)

    def rank(self, candidates: Iterable[O]) -> list[O]:
        """The finalists among candidates, the best first, as far as there is time; a single one is not tried."""
        tried: dict[O, None] = {}
        for one in candidates:
            tried[one] = None
            if is_enough():  # to think of the next takes its time, too
                break
        if len(tried) == 1:
            return [*tried]
        found = {one: self._first_estimate(one) for one in tried if not is_enough()} or dict.fromkeys(tried, 0.0)
        good = sorted(found, key=lambda one: -found[one])[:_MAX_FINALISTS]
        return good if is_enough() else sorted(good, key=lambda one: -self.mean_value(one))

    def improve(self, best: O, candidates: Iterable[O]) -> O:
        """The best of some candidates if it is better than the best so far, as far as trials are left to find out."""
        found = [(self._first_estimate(one), one) for one in dict.fromkeys(candidates) if self._has_budget]
        level = self._first_estimate(best) - self._slack if found else 0.0
        good = [one for first, one in sorted(found, key=lambda found: -found[0]) if first >= level]
        for one in good[:_MAX_FINALISTS]:
            if self._has_budget and self.mean_value(one) > self.mean_value(best) + self._margin:
                best = one
        return best

    @property
    def _has_budget(self) -> bool:
        return self.trials_left > 0 and not is_enough()

    def _first_estimate(self, candidate: O) -> float:
        return self._mean(candidate, self._samples // 2)

    def _mean(self, candidate: O, samples: int) -> float:
        known = self._values.setdefault(candidate, [])
        new = range(len(known), samples)
        self.trials_left -= len(new)
        known += self._carry_out(candidate, new) if new else ()
        return sum(known[:samples]) / samples


class DiceSamples:
    """The dice of so many samples, drawn as they are asked for.

    Samples are dealt in turn to some ways in which things may go. Of those of each way the first half meets with luck
    from every part of the range of rolls, and so does the second, from the parts between.
    """

    def __init__(self, samples: int, ways: int, seed: str) -> None:
        """Draw from this seed (hex); there are twice as many samples as ways, or a multiple of that."""
        self._scenario_count = ways
        self._half = samples // ways // 2
        self._seed = seed
        self._rolls_by_purpose: dict[str, list[tuple[int, int]]] = {}

    def rolls_for(self, purpose: str) -> list[tuple[int, int]]:
        """Two dice for each sample."""
        if purpose not in self._rolls_by_purpose:
            rng = np.random.default_rng(int(derive_seed(self._seed, purpose), 16))
            spread = np.empty((2 * self._half, self._scenario_count))
            for way in range(self._scenario_count):
                within, parts = rng.random(), (rng.permutation(self._half), rng.permutation(self._half))
                lower = rng.integers(2, size=self._half)
                spread[: self._half, way] = parts[0] + (lower[parts[0]] + within) / 2
                spread[self._half :, way] = parts[1] + (1 - lower[parts[1]] + within) / 2
            places = (spread.ravel() * len(_TWO_DICE_ROLLS) / self._half).astype(np.intp)
            self._rolls_by_purpose[purpose] = [_TWO_DICE_ROLLS[place] for place in places.tolist()]
        return self._rolls_by_purpose[purpose]


class SampleDice:
    """The dice of one sample, as a cup (`rules.chance.cup.DiceSource`)."""

    def __init__(self, luck: DiceSamples, sample: int, thrown: Mapping[str, int] | None = None) -> None:
        self._samples = luck
        self._sample = sample
        self._thrown_counts = thrown or {}
        """How many dice by what they were thrown for."""

    def throw_die(self, what: str) -> tuple[int, SampleDice]:
        """The next die for a purpose."""
        count = self._thrown_counts.get(what, 0)
        number, second = divmod(count, 2)
        face = self._samples.rolls_for(f"{what} {number}")[self._sample][second]
        return face, SampleDice(self._samples, self._sample, {**self._thrown_counts, what: count + 1})
