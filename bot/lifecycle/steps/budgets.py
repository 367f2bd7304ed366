"""Deadlines of requests that share their captain's time (`Request.budget`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.store.models.pace import Pace
from bot.store.models.records import SET_ASIDE_MARK, AnswerRow, RequestRow
from rules.core.protocol import Request


def budget_deadline(
    request: Request,
    closed_requests: Iterable[RequestRow],
    answers: Mapping[str, AnswerRow],
    *,
    began: int,
    own_deadline: int | None,
) -> int | None:
    """Return the deadline (Unix seconds) of a request asked at `began`; without a budget, `own_deadline`.

    The request has the time that the last answered request of its budget left over, and none if that answer was late.
    `closed_requests`: closed requests with budgets, oldest first. `answers`: their answers by request id.
    """
    if own_deadline is None or not request.budget:
        return own_deadline
    same_budget = [row for row in closed_requests if row.body.budget == request.budget and SET_ASIDE_MARK not in row.id]
    last_answered = next((row for row in reversed(same_budget) if row.id in answers and row.deadline is not None), None)
    if last_answered is None or last_answered.deadline is None:
        return own_deadline
    answer = answers[last_answered.id]
    time_left_s = 0 if answer.is_late else max(0, last_answered.deadline - answer.sealed_at)
    return min(own_deadline, began + time_left_s)


def has_short_budget(row: RequestRow, pace: Pace) -> bool:
    """Return whether a request had less than a phase's time because others had used it. Missing it is no absence."""
    return bool(row.body.budget) and row.deadline is not None and row.deadline < pace.phase_end(row.asked_at)
