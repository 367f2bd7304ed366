"""Run a transaction again that PostgreSQL has ended to resolve a deadlock.

Games are always locked in one order (`bot.store.queries.locks`), so this is for what else transactions lock, such as
rows of players. SQLite has one writer and no conflicts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from bot.store.errors import WriteConflict

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

MAX_TRIES: Final = 5


def retries_conflicts(write: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Decorate a coroutine function to run again after a `WriteConflict`.

    Whatever it has done before its transaction must be harmless if done twice.
    """

    @wraps(write)
    async def write_with_retries(*args: P.args, **named: P.kwargs) -> T:
        for _ in range(MAX_TRIES - 1):
            try:
                return await write(*args, **named)
            except WriteConflict as conflict:
                log.info("transaction is run again", extra={"why": str(conflict)})
        return await write(*args, **named)

    return write_with_retries
