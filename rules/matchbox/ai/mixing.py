"""Simultaneous games: mixed strategies from which neither side gains by departing, found by regret matching.

Gains are indexed by [game, first's choice, second's choice]. Mixtures are [game, choice] and sum to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rules.matchbox.ai.many_hulls import Floats


class Mixtures(NamedTuple):
    first: Floats
    second: Floats


def find_mixtures(first: Floats, second: Floats, turns: int) -> Mixtures:
    """Return mixtures for the gains of the first and the second side.

    Each turn, both sides choose by their regrets at not having made other choices, which never fall below 0. The result
    is the average of these choices, with later turns weighted more.
    """
    games, first_choices, second_choices = first.shape
    regrets = [np.zeros((games, first_choices)), np.zeros((games, second_choices))]
    totals = [np.zeros((games, first_choices)), np.zeros((games, second_choices))]
    for turn in range(1, turns + 1):
        mixtures = [_match_regrets(regret) for regret in regrets]
        gains = (first @ mixtures[1][:, :, None])[:, :, 0], (mixtures[0][:, None, :] @ second)[:, 0]
        for side, gain in enumerate(gains):
            regrets[side] = np.maximum(regrets[side] + gain - (gain * mixtures[side]).sum(axis=1, keepdims=True), 0.0)
            totals[side] += turn * mixtures[side]
    return Mixtures(*(total / total.sum(axis=1, keepdims=True) for total in totals))


def game_values(first: Floats, turns: int) -> Floats:
    mix = find_mixtures(first, -first, turns)
    return np.asarray(np.einsum("gij,gi,gj->g", first, mix.first, mix.second))


def _match_regrets(regrets: Floats) -> Floats:
    """Choose in proportion to regrets, or evenly if there are none."""
    total = regrets.sum(axis=1, keepdims=True)
    return np.where(total > 0, regrets / np.where(total > 0, total, 1.0), 1.0 / regrets.shape[1])
