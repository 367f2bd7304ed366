"""How long a question may wait that shares its captain's time with others (`Request.budget`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.store.models.pace import Pace
from bot.store.models.records import SET_ASIDE_MARK, AnswerRow, RequestRow
from rules.core.protocol import Request


def budget_deadline(
    request: Request, asked: Iterable[RequestRow], answers: Mapping[str, AnswerRow], *, began: int, fresh: int | None
) -> int | None:
    """The deadline (Unix time, s) of a question asked at `began` that would have until `fresh` if it were the first.

    It has what the last question of its budget has left of the time, and none if nobody answered that one. `asked` is
    what was asked on budgets and is asked no more, oldest first, with the `answers` to that.
    """
    if fresh is None or not request.budget:
        return fresh
    shared = [row for row in asked if row.body.budget == request.budget and SET_ASIDE_MARK not in row.id]
    last = next((row for row in reversed(shared) if row.id in answers and row.deadline is not None), None)
    if last is None or last.deadline is None:
        return fresh
    answer = answers[last.id]
    left = 0 if answer.is_late else max(0, last.deadline - answer.sealed_at)
    return min(fresh, began + left)


def has_short_budget(row: RequestRow, pace: Pace) -> bool:
    """Whether a question had less time than the game gives, as others had used some: missing it is no absence."""
    return bool(row.body.budget) and row.deadline is not None and row.deadline < pace.phase_end(row.asked_at)
