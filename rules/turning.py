"""Where a game turned: the round in which the balance of what both sides had left moved most towards who won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from rules.protocol import Seat

_LEAST: Final = 1e-9
"""Less is no swing, but the noise of floating point."""


class Stage(Struct, frozen=True, kw_only=True):
    """How a game stood after one of its steps."""

    round: int
    strength: Mapping[Seat, float]
    """What each seat had left (`Ruleset.strength`)."""
    fought: bool = True
    """Whether orders led to it: what captains do unasked, such as giving up, turns no game."""


def turning_point(stages: Sequence[Stage], teams: Sequence[int], winners: Sequence[Seat]) -> int | None:
    """The round in which the balance moved most towards the winners' side, or, in a draw, most towards either.

    `teams` are those of the seats. Of equal rounds it is the last. None if nothing moved, or a game measures nothing.
    """
    if not any(stage.strength for stage in stages):
        return None
    side = teams[winners[0]] if winners else 0
    swings: dict[int, float] = {}
    for before, after in pairwise(stages):
        if after.fought and after.round:
            swing = _balance(after, teams, side) - _balance(before, teams, side)
            swings[after.round] = swings.get(after.round, 0.0) + swing
    by_size = {round_no: swing if winners else abs(swing) for round_no, swing in swings.items()}
    best = max(reversed(by_size), key=lambda round_no: by_size[round_no], default=None)
    return best if best is not None and by_size[best] > _LEAST else None


def _balance(stage: Stage, teams: Sequence[int], side: int) -> float:
    """By how much a side is stronger than the other."""
    return sum(left if teams[seat] == side else -left for seat, left in stage.strength.items())
