"""How long a question may wait that shares its captain's time with others (`Request.budget`)."""

from __future__ import annotations

from typing import Final

from bot.store.queries import Transaction
from bot.store.records import ASIDE
from rules.protocol import Request

ASKED_LEAST_S: Final = 2 * 3600
"""Seconds that a captain who answered in time has at least when asked again after another's question: the two hours
that games give for questions in mid-turn."""


async def on_budget(tx: Transaction, game_id: int, request: Request, *, began: int, fresh: int | None) -> int | None:
    """The deadline (Unix time, s) of a question asked at `began` that would have until `fresh` if it were the first."""
    if fresh is None or not request.budget:
        return fresh
    rows = [row for row in await tx.requests.last_closed(game_id, request.seat) if row.body.budget == request.budget]
    answers = await tx.answers.to(game_id, [row.id for row in rows if ASIDE not in row.id])
    for row in rows:
        answer = answers.get(row.id)
        if answer is None or row.deadline is None:
            continue
        if answer.given_by == "deadline":
            return began
        left = row.deadline - answer.sealed_at
        return min(fresh, began + max(left, ASKED_LEAST_S))
    return fresh
