"""The job that finds how a game ended and where it turned, out of what is stored of it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.work.play import handed_on
from bot.work.stored import read_state
from rules.keepsakes import HandedOn
from rules.protocol import Result, Seat
from rules.registry import RULESETS
from rules.turning import Stage, turning_point


class Passed(Struct, frozen=True):
    """A step of a game."""

    round: int
    fought: bool
    """Whether orders led to this step."""
    state: str


class Turned(Struct, frozen=True, kw_only=True):
    """How a game stands after its last step."""

    result: Result | None = None
    round: int | None = None
    """In which it turned; None if it did not, or is not over."""
    handed: dict[Seat, tuple[HandedOn, ...]] = {}
    """What captains bring home."""


def turned(system: str, teams: Sequence[int], steps: Sequence[Passed], *, taught: bool | None = None) -> Turned:
    """How a game has ended, and in which round it turned, by all its steps; with what it hands on, if it has `taught`.

    None: it hands on nothing.
    """
    rules = RULESETS[system]
    states = [read_state(rules, step.state) for step in steps]
    result = rules.result(states[-1]) if states else None
    if result is None:
        return Turned()
    stages = [
        Stage(round=step.round, strength=rules.strength(state), fought=step.fought)
        for step, state in zip(steps, states, strict=True)
    ]
    handed = handed_on(rules, states[-1], taught=taught)
    return Turned(result=result, round=turning_point(stages, teams, result.winners), handed=handed)
