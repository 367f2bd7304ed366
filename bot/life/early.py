"""When a round ends before its deadline."""

from __future__ import annotations

from collections.abc import Iterable

from bot.store.records import RequestRow


def ends_early(rows: Iterable[RequestRow], *, early: bool) -> bool:
    """Whether a round ends as soon as all have sealed: not while a battle goes on, from which they may learn."""
    return early and not any(row.body.battle for row in rows if row.body.optional)
