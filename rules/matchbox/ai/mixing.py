"""Games in which both sides choose at once: mixtures that neither would depart from, by regret matching.

Tables of gains are [game, first's choice, second's choice]; mixtures are [game, choice] and sum to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rules.matchbox.ai.many_hulls import Floats


class Mixtures(NamedTuple):
    """How often each side should choose what."""

    first: Floats
    second: Floats


def find_mixtures(first: Floats, second: Floats, turns: int) -> Mixtures:
    """Mixtures by what each choice gains the first side and the second.

    Each side regrets, turn by turn, what it did not choose, and chooses by its regrets; what both have chosen on the
    average, later turns counting more, is the mixture. Regrets never fall below nothing.
    """
    games, mine, theirs = first.shape
    regrets = [np.zeros((games, mine)), np.zeros((games, theirs))]
    chosen = [np.zeros((games, mine)), np.zeros((games, theirs))]
    for turn in range(1, turns + 1):
        now = [_match_regrets(regret) for regret in regrets]
        gains = (first @ now[1][:, :, None])[:, :, 0], (now[0][:, None, :] @ second)[:, 0]
        for side, gain in enumerate(gains):
            regrets[side] = np.maximum(regrets[side] + gain - (gain * now[side]).sum(axis=1, keepdims=True), 0.0)
            chosen[side] += turn * now[side]
    return Mixtures(*(total / total.sum(axis=1, keepdims=True) for total in chosen))


def game_values(first: Floats, turns: int) -> Floats:
    """What each game is worth to the first side, if the second loses what it gains."""
    mix = find_mixtures(first, -first, turns)
    return np.asarray(np.einsum("gij,gi,gj->g", first, mix.first, mix.second))


def _match_regrets(regrets: Floats) -> Floats:
    """Choose by regrets; evenly, where there are none."""
    total = regrets.sum(axis=1, keepdims=True)
    return np.where(total > 0, regrets / np.where(total > 0, total, 1.0), 1.0 / regrets.shape[1])
