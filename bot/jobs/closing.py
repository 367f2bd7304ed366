"""The job about a question that is closed: what was answered for a captain who was late, and how the game ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from bot.jobs.play import keepsakes_after
from bot.jobs.stored import read_state
from rules.core.keepsakes import KeepsakeUpdate
from rules.core.protocol import Draft, Request, Result, Seat
from rules.core.registry import RULESETS
from rules.core.view import Text
from rules.interface.outcomes import ShipHolder, ship_holders


class LateAnswer(NamedTuple):
    """An answer that was given for a captain."""

    state: str
    """In which it was asked."""
    request: Request
    answer: Draft


class ClosingSummary(Struct, frozen=True, kw_only=True):
    """What there is to say of a closed question, besides what happened."""

    result: Result | None = None
    answer_lines: tuple[Text, ...] = ()
    """What was answered, in order."""
    ships: tuple[ShipHolder, ...] = ()
    """Who holds which ship after the last step, as far as the captain may know."""
    score: Text | None = None
    """How it stood at the end, where the seat had a goal of its own."""
    handed_on: dict[Seat, tuple[KeepsakeUpdate, ...]] = {}
    """What captains bring home."""


def summarise_closing(
    system: str, state: str | None, late: Sequence[LateAnswer], seat: Seat | None, *, taught: bool | None = None
) -> ClosingSummary:
    """How a game stands after its last `state`, for a seat, and what was answered for captains who were `late`.

    With what it hands on, if it is over and has `taught`; None: nothing.
    """
    rules = RULESETS[system]
    lines = [
        line for body, request, given in late for line in rules.draft_lines(read_state(rules, body), request, given)
    ]
    if state is None:
        return ClosingSummary(answer_lines=tuple(lines))
    last = read_state(rules, state)
    handed = keepsakes_after(rules, last, taught=taught)
    seen = rules.view(last, seat)
    score = seen.score if seen.goal else None
    return ClosingSummary(
        result=rules.result(last), answer_lines=tuple(lines), ships=ship_holders(seen), score=score, handed_on=handed
    )
