"""Where a game turned: the round whose blow to the balance of what both sides had left was never made good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from rules.core.protocol import Seat

_MIN_SWING: Final = 1e-9
"""Less is no swing, but the noise of floating point."""


class StepStrength(Struct, frozen=True, kw_only=True):
    """How a game stood after one of its steps."""

    round: int
    strength: Mapping[Seat, float]
    """What each seat had left (`Ruleset.strength`)."""
    had_orders: bool = True
    """Whether orders led to it: what captains do unasked, such as giving up, turns no game."""


def turning_point(stages: Sequence[StepStrength], teams: Sequence[int], winners: Sequence[Seat]) -> int | None:
    """The round in which the balance moved most towards the winners' side and never came back to what it was before.

    In a draw it is the one in which it moved so towards either. `teams` are those of the seats. Of equal rounds it is
    the last; never the one whose fighting ended the game, which everybody sees. None if there is no other, or a game
    measures nothing.
    """
    if not any(stage.strength for stage in stages):
        return None
    side = teams[winners[0]] if winners else 0
    balances = [_balance(stage, teams, side) for stage in stages]
    ended = stages[-1].round if stages[-1].had_orders else 0
    best, most = None, _MIN_SWING
    for round_no in dict.fromkeys(stage.round for stage in stages[1:] if stage.had_orders and stage.round):
        steps = [at for at, stage in enumerate(stages) if at and stage.round == round_no and stage.had_orders]
        swing = sum(balances[at] - balances[at - 1] for at in steps)
        way = 1 if winners or swing > 0 else -1
        before = balances[steps[0] - 1]
        kept = all((balance - before) * way > _MIN_SWING for balance in balances[steps[-1] :])
        if round_no != ended and kept and swing * way >= most:
            best, most = round_no, swing * way
    return best


def _balance(stage: StepStrength, teams: Sequence[int], side: int) -> float:
    """By how much a side is stronger than the other."""
    return sum(left if teams[seat] == side else -left for seat, left in stage.strength.items())
