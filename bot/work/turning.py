"""The job that finds in which round a game turned, from its stored steps."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.work.stored import read_state
from rules.registry import RULESETS
from rules.turning import Stage
from rules.turning import turning_point as found


class Passed(Struct, frozen=True):
    """A step of a game."""

    round: int
    fought: bool
    """Whether orders led to this step."""
    state: str


def turning_point(system: str, teams: Sequence[int], steps: Sequence[Passed]) -> int | None:
    """Return the round in which a finished game turned; None if it didn't."""
    rules = RULESETS[system]
    states = [read_state(rules, step.state) for step in steps]
    result = rules.result(states[-1]) if states else None
    if result is None:
        return None
    stages = [
        Stage(round=step.round, strength=rules.strength(state), fought=step.fought)
        for step, state in zip(steps, states, strict=True)
    ]
    return found(stages, teams, result.winners)
