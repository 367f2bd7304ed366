"""How long a question may wait that shares its captain's time with others (`Request.budget`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from bot.store.records import ASIDE, Answer, RequestRow
from rules.protocol import Request

ASKED_LEAST_S: Final = 2 * 3600
"""Seconds that a captain who answered in time has at least when asked again after another's question: the two hours
that games give for questions in mid-turn."""


def on_budget(
    request: Request, closed: Iterable[RequestRow], answers: Mapping[str, Answer], *, began: int, fresh: int | None
) -> int | None:
    """The deadline (Unix time, s) of a question asked at `began` that would have until `fresh` if it were the first.

    `closed` is what its seat was asked last, with the `answers` to that.
    """
    if fresh is None or not request.budget:
        return fresh
    for row in closed:
        answer = answers.get(row.id) if row.body.budget == request.budget and ASIDE not in row.id else None
        if answer is None or row.deadline is None:
            continue
        if answer.given_by == "deadline":
            return began
        left = row.deadline - answer.sealed_at
        return min(fresh, began + max(left, ASKED_LEAST_S))
    return fresh
