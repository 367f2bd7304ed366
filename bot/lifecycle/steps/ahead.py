"""Answers given ahead: kept under seal until they are asked for, then carried out if they still can be.

Until then the row of such a request is one that nobody waits for.
"""

from __future__ import annotations

from bot.store.models.records import RequestRow
from rules.core.protocol import Request


def is_first_answer(row: RequestRow | None, request: Request) -> bool:
    """Whether something is asked that was not asked before, be it that it could be answered already."""
    return row is None or (row.body.ahead and not request.ahead)
