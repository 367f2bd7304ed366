"""Search for good orders: the rules carry out candidates with simulated dice, and the best average wins.

The number of trials is fixed, so that orders are reproducible unless the caller stops the search early
(`rules.ai.thinking`). All candidates meet the same samples of luck, because dice are drawn by purpose. A game defines
how a candidate is carried out, and its value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Final, Generic, TypeVar

import numpy as np

from rules.ai.thinking import is_enough
from rules.chance.dice import derive_seed

O = TypeVar("O", bound=Hashable)  # noqa: E741 - stands for orders

_MAX_FINALISTS: Final = 3  # the number of candidates, best after half of the samples, that meet all samples
_DIE_FACES: Final = range(1, 7)
_TWO_DICE_ROLLS: Final = sorted(product(_DIE_FACES, repeat=2), key=lambda dice: (sum(dice), dice))


class Search(Generic[O]):
    """Values of candidates, found within a limited number of trials."""

    def __init__(
        self,
        carry_out: Callable[[O, Sequence[int]], Iterable[float]],
        *,
        budget: int,
        samples: int,
        slack: float = 0.0,
        margin: float = 0.0,
    ) -> None:
        """Prepare a search.

        `carry_out` returns the value of a candidate in each of the given samples. `budget` limits the number of trials.
        `slack` is how far a candidate may be behind the best in the first half of the samples, and `margin` by how much
        it must be better in all of them. Values are in the game's own points.
        """
        self._carry_out = carry_out
        self._samples = samples
        self._slack = slack
        self._margin = margin
        self._values: dict[O, list[float]] = {}
        self.trials_left = budget

    def mean_value(self, candidate: O) -> float:
        return self._mean(candidate, self._samples)

    def rank(self, candidates: Iterable[O]) -> list[O]:
        """Return the best candidates, best first, as far as time allows. A single candidate is not tried."""
        distinct: dict[O, None] = {}
        for candidate in candidates:
            distinct[candidate] = None
            if is_enough():  # producing the next candidate takes time, too
                break
        if len(distinct) == 1:
            return [*distinct]
        estimates = {candidate: self._first_estimate(candidate) for candidate in distinct if not is_enough()}
        if not estimates:  # no time to try any
            estimates = dict.fromkeys(distinct, 0.0)
        finalists = sorted(estimates, key=lambda candidate: -estimates[candidate])[:_MAX_FINALISTS]
        if is_enough():
            return finalists
        return sorted(finalists, key=lambda candidate: -self.mean_value(candidate))

    def improve(self, best: O, candidates: Iterable[O]) -> O:
        """Return the best candidate if it beats `best` by the margin, as far as the budget allows."""
        estimates = [
            (self._first_estimate(candidate), candidate) for candidate in dict.fromkeys(candidates) if self._has_budget
        ]
        if not estimates:
            return best
        threshold = self._first_estimate(best) - self._slack
        ranked = sorted(estimates, key=lambda pair: -pair[0])
        finalists = [candidate for estimate, candidate in ranked if estimate >= threshold]
        for candidate in finalists[:_MAX_FINALISTS]:
            if self._has_budget and self.mean_value(candidate) > self.mean_value(best) + self._margin:
                best = candidate
        return best

    @property
    def _has_budget(self) -> bool:
        return self.trials_left > 0 and not is_enough()

    def _first_estimate(self, candidate: O) -> float:
        return self._mean(candidate, self._samples // 2)

    def _mean(self, candidate: O, samples: int) -> float:
        """Return the mean value over the first samples. Those not tried yet are tried and use up the budget."""
        values = self._values.setdefault(candidate, [])
        new_samples = range(len(values), samples)
        self.trials_left -= len(new_samples)
        if new_samples:
            values += self._carry_out(candidate, new_samples)
        return sum(values[:samples]) / samples


class DiceSamples:
    """Dice for a number of samples, drawn on demand.

    Samples are assigned in turn to several scenarios. For each scenario, both halves of its samples are stratified:
    each half has rolls from every part of the range, and the second half uses the points between those of the first.
    """

    def __init__(self, samples: int, scenarios: int, seed: str) -> None:
        """Prepare samples from a seed (hex). Their number must be a multiple of twice that of the scenarios."""
        self._scenario_count = scenarios
        self._half = samples // scenarios // 2
        self._seed = seed
        self._rolls_by_purpose: dict[str, list[tuple[int, int]]] = {}

    def rolls_for(self, purpose: str) -> list[tuple[int, int]]:
        """Return a roll of two dice for each sample, the same at each call for a purpose."""
        if purpose not in self._rolls_by_purpose:
            rng = np.random.default_rng(int(derive_seed(self._seed, purpose), 16))
            # A sample is a point on a line that stands for all rolls in order, and that has `_half` equal parts.
            # In each part, one sample of the first half has one half of it, and one of the second half the other.
            points = np.empty((2 * self._half, self._scenario_count))
            for scenario in range(self._scenario_count):
                within = rng.random()  # from 0 to 1: where each point lies in its half of the part
                first_parts, second_parts = rng.permutation(self._half), rng.permutation(self._half)
                is_upper = rng.integers(2, size=self._half)  # by part: whether its point of the first half lies higher
                points[: self._half, scenario] = first_parts + (is_upper[first_parts] + within) / 2
                points[self._half :, scenario] = second_parts + (1 - is_upper[second_parts] + within) / 2
            places = (points.ravel() * len(_TWO_DICE_ROLLS) / self._half).astype(np.intp)
            self._rolls_by_purpose[purpose] = [_TWO_DICE_ROLLS[place] for place in places.tolist()]
        return self._rolls_by_purpose[purpose]


class SampleDice:
    """The dice of one sample, as a `rules.chance.dice.DiceSource`."""

    def __init__(self, samples: DiceSamples, sample: int, thrown_counts: Mapping[str, int] | None = None) -> None:
        self._samples = samples
        self._sample = sample  # index of the sample
        self._thrown_counts = thrown_counts or {}  # how many dice were thrown, by purpose

    def throw_die(self, what: str) -> tuple[int, SampleDice]:
        count = self._thrown_counts.get(what, 0)
        roll_number, die_index = divmod(count, 2)  # each roll has two dice
        face = self._samples.rolls_for(f"{what} {roll_number}")[self._sample][die_index]
        return face, SampleDice(self._samples, self._sample, {**self._thrown_counts, what: count + 1})
