"""Define the job that summarises a closed question: late answers, and how the game ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from bot.jobs.play import BattleParent, judge_battle, keepsakes_after
from bot.jobs.stored import read_state
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import Draft, Request, Result, Seat
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.outcomes import ShipHolder, ship_holders


class LateAnswer(NamedTuple):
    state: str  # state in which the question was asked, as JSON
    request: Request  # the question that was answered late
    answer: Draft  # as the rules or standing orders gave it


class ClosingSummary(Struct, frozen=True, kw_only=True):
    result: Result | None = None  # None while the game is played
    answer_lines: tuple[Text, ...] = ()  # the late answers in words
    ships: tuple[ShipHolder, ...] = ()  # who commands each ship at the end
    score: Text | None = None  # None: the game is played, or has no goals
    handed_on: dict[Seat, tuple[KeepsakeUpdate, ...]] = {}  # what the captains take home, such as crews
    verdict: tuple[Text, ...] = ()  # what a battle means for its parent game


def summarise_closing(
    system: str,
    state: str | None,
    late: Sequence[LateAnswer],
    seat: Seat | None,
    *,
    taught: bool | None = None,
    parent: BattleParent | None = None,
) -> ClosingSummary:
    """Return the result of a game for a seat, and the late answers in words.

    `state` is the last state of a finished game; None while it is played. `taught` says whether the game counts for the
    captains' keepsakes (see `keepsakes_after`).
    """
    rules = RULESETS[system]
    lines = [
        line
        for answer_state, request, draft in late
        for line in rules.draft_lines(read_state(rules, answer_state), request, draft)
    ]
    if state is None:
        return ClosingSummary(answer_lines=tuple(lines))
    last_state = read_state(rules, state)
    updates = keepsakes_after(rules, last_state, taught=taught)
    view = rules.view(last_state, seat)
    score = view.score if view.goal else None
    return ClosingSummary(
        result=rules.result(last_state),
        answer_lines=tuple(lines),
        ships=ship_holders(view),
        score=score,
        handed_on=updates,
        verdict=judge_battle(rules, last_state, parent) if rules.result(last_state) else (),
    )
