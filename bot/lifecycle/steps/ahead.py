"""Early answers: sealed before the game waits for them, then carried out if still possible.

Until then the request's row counts as optional.
"""

from __future__ import annotations

from bot.store.models.records import RequestRow
from rules.core.protocol import Request


def is_first_answer(row: RequestRow | None, request: Request) -> bool:
    """Return whether the request is asked now for the first time; it may have been answerable early."""
    return row is None or (row.body.ahead and not request.ahead)
