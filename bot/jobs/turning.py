"""Define the jobs about a finished game: its end, the round in which it turned, and its chronicle."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bot.jobs.play import BattleParent, judge_battle, keepsakes_after
from bot.jobs.stored import read_events, read_state
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import Result, Seat
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.chronicle import Chronicle
from rules.interface.statistics import Statistics
from rules.interface.turning_point import StepStrength, turning_point


class PlayedStep(Struct, frozen=True):
    round: int  # the round to which the step belongs
    had_orders: bool  # whether captains gave orders in it
    state: str  # after the step, as JSON
    events: str = ""  # of the step, as JSON; empty: nobody's statistics are counted


class EndAnalysis(Struct, frozen=True, kw_only=True):
    result: Result | None = None  # None while the game is played
    turning_round: int | None = None  # round in which the game turned; None if it did not, or is not over
    statistics: dict[Seat, Statistics] = {}
    """Statistics of all captains, computers too; empty: they are not counted (`PlayedStep.events`)."""
    handed_on: dict[Seat, tuple[KeepsakeUpdate, ...]] = {}  # what the captains take home, such as crews
    verdict: tuple[Text, ...] = ()  # what a battle means for its parent game


def analyse_end(
    system: str,
    teams: Sequence[int],
    steps: Sequence[PlayedStep],
    *,
    taught: bool | None = None,
    parent: BattleParent | None = None,
) -> EndAnalysis:
    """Return the result of a game and the round in which it turned, from all its steps.

    `taught` says whether the game counts for the captains' keepsakes (see `keepsakes_after`).
    """
    rules = RULESETS[system]
    states = [read_state(rules, step.state) for step in steps]
    result = rules.result(states[-1]) if states else None
    if result is None:
        return EndAnalysis()
    strengths_by_step = [
        StepStrength(round=step.round, strength=rules.seat_strengths(state), had_orders=step.had_orders)
        for step, state in zip(steps, states, strict=True)
    ]
    events = read_events(rules, *(step.events for step in steps if step.events))
    updates = keepsakes_after(rules, states[-1], taught=taught)
    return EndAnalysis(
        result=result,
        turning_round=turning_point(strengths_by_step, teams, result.winners),
        statistics=dict(rules.count_statistics(states[-1], events)) if events else {},
        handed_on=updates,
        verdict=judge_battle(rules, states[-1], parent),
    )


def compose_chronicle(
    system: str, first_state: str, last_state: str, rounds: Sequence[tuple[int, Sequence[str]]]
) -> Chronicle:
    """Return the chronicle of a finished game. `rounds`: number, and events of each step; all values are JSON."""
    rules = RULESETS[system]
    events_by_round = [(number, read_events(rules, *events)) for number, events in rounds]
    return rules.compose_chronicle(read_state(rules, first_state), read_state(rules, last_state), events_by_round)
