"""The round in which a game turned: its effect on the balance of strength was never undone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from rules.core.protocol import Seat

_MIN_SWING: Final = 1e-9  # smaller changes are floating-point noise


class StepStrength(Struct, frozen=True, kw_only=True):
    """The balance of a game after one of its steps."""

    round: int  # the round in which the step was taken; 0: before the first
    strength: Mapping[Seat, float]  # each seat's remaining strength (`Ruleset.seat_strengths`)
    had_orders: bool = True
    """Whether orders led to the step. Actions without a request, such as a concession, turn no game."""


def turning_point(stages: Sequence[StepStrength], teams: Sequence[int], winners: Sequence[Seat]) -> int | None:
    """Return the round whose swing towards the winners was the largest that was never undone, or None.

    No round counts that ended before the winners took the lead for the last time. `teams` lists the team of each seat.
    In a draw, swings to either side count. The last of equal rounds wins. The round that ended the game counts only if
    it brought the lead; otherwise everyone sees its effect. None also if the game measures no strength.
    """
    if not any(stage.strength for stage in stages):
        return None
    team = teams[winners[0]] if winners else 0  # the team whose gains count as positive; in a draw, the first
    balances = [_balance(stage, teams, team) for stage in stages]
    last_behind = max((index for index, balance in enumerate(balances) if balance <= _MIN_SWING), default=0)
    ends_ahead = bool(winners) and last_behind < len(stages) - 1
    last_round = stages[-1].round if stages[-1].had_orders else 0
    if ends_ahead and stages[last_behind + 1].round == last_round:
        last_round = 0  # it brought the lead, so it counts
    indices_by_round: dict[int, list[int]] = {}  # stages in which a round's orders were carried out
    for index, stage in enumerate(stages):
        if index and stage.round and stage.had_orders:
            indices_by_round.setdefault(stage.round, []).append(index)
    best_round: int | None = None
    largest_swing = _MIN_SWING
    for round_no, indices in indices_by_round.items():
        swing = sum(balances[index] - balances[index - 1] for index in indices)
        sign = 1 if winners or swing > 0 else -1
        balance_before = balances[indices[0] - 1]
        was_never_undone = all((balance - balance_before) * sign > _MIN_SWING for balance in balances[indices[-1] :])
        is_early = ends_ahead and indices[-1] <= last_behind  # the winners were behind or level once more after it
        if round_no != last_round and not is_early and was_never_undone and swing * sign >= largest_swing:
            best_round, largest_swing = round_no, swing * sign
    return best_round


def _balance(stage: StepStrength, teams: Sequence[int], team: int) -> float:
    """Return by how much a team is stronger than the strongest of the others."""
    strength_by_team = dict.fromkeys((team, *teams), 0.0)
    for seat, strength in stage.strength.items():
        strength_by_team[teams[seat]] += strength
    return strength_by_team.pop(team) - max(strength_by_team.values(), default=0.0)
