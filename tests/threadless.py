"""SQLite without a thread: a statement is carried out where it is asked for, and answered in the loop's next turn.

aiosqlite hands each statement to a thread, and its answer back. In a test nothing else is done meanwhile, and the two
wake-ups take longer than most statements: they were a fifth of the processor's time of the bot's tests. Statements,
files, and the order in which tasks go on are the same. The tests of the store, and all that start a
bot of their own, have aiosqlite's thread.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

from aiosqlite.core import set_exception, set_result

from bot.store import driver


class AtOnce:
    """Takes what is meant for a connection's thread, as its queue does."""

    def put_nowait(self, handed_in: tuple[asyncio.Future[Any] | None, Callable[[], Any]]) -> None:
        """Do it now; who waits for it goes on in the loop's next turn, as after a thread."""
        done, act = handed_in
        try:
            result = act()
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for, as by a thread
            if done:
                done.get_loop().call_soon(set_exception, done, error)
        else:
            if done:
                done.get_loop().call_soon(set_result, done, result)


class NoThread:
    """Stands where a connection has its thread."""

    daemon = True

    def start(self) -> None:
        """There is nothing to start."""


def connect(database: str, **given: Any) -> driver.Connection:
    """Make a connection, to be awaited, as `driver.connect` does."""
    connection = driver.Connection(lambda: sqlite3.connect(database, **given))
    connection._tx, connection._thread = AtOnce(), NoThread()  # type: ignore[assignment]
    return connection
