"""aiosqlite, with one turn of its thread for a statement and all that it finds, where there would be four.

A turn wakes the thread, and then the event loop, which takes longer than most of our statements do, and the longer the
more the event loop has to do. So a transaction also begins in the turn of its first statement, and nobody waits for the
end of one that only read. All other writers wait for one that writes: it begins, and its statements are carried out, at
once in the event loop, for as long as that can spare. To commit takes long, and is left to the thread; so is to begin
while another process writes.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

import aiosqlite

P = ParamSpec("P")
T = TypeVar("T")

BEGIN_READ: Final = "BEGIN"
"""Begins a transaction that only reads, when it first does."""
BEGIN_WRITE: Final = "BEGIN IMMEDIATE"
"""Begins one that may write: it waits until no other does."""
BUSY_TIMEOUT_S: Final = 15
"""How long a writer waits for another process that holds the file."""
MAX_LOOP_HOLD_S: Final = 0.005
"""For so long a transaction that writes holds the event loop; then all else there has its turn."""
BUSY_TIMEOUT_PRAGMA: Final = f"PRAGMA busy_timeout={1000 * BUSY_TIMEOUT_S}"
"""Lets a connection wait for as long."""
_FETCH_SIZE: Final = 64
"""aiosqlite's own default; nothing is read piece by piece here."""


class Statement:
    """A cursor as SQLAlchemy uses it: executes one statement, and hands out what that has found."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.rows: list[Any] = []
        """All that it has found."""
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> Statement:
        return self

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Execute it with these values; a transaction begins with the next statement."""
        if sql.startswith("BEGIN"):
            self._connection.begin(sql)
            return
        await self._connection.run_in_order(self._carry_out, sqlite3.Cursor.execute, sql, parameters)

    async def executemany(self, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Execute it with each of these."""
        await self._connection.run_in_order(self._carry_out, sqlite3.Cursor.executemany, sql, parameters)

    async def fetchall(self) -> list[Any]:
        """All rows that it has found."""
        return self.rows

    async def close(self) -> None:
        """Nothing of it is left open."""

    def _carry_out(self, plain: sqlite3.Connection, how: Callable[..., object], sql: str, parameters: Any) -> None:  # noqa: ANN401 - whatever the statement takes
        cursor = plain.cursor()
        try:
            how(cursor, sql, parameters)
            self.rows = cursor.fetchall()
            self.description, self.rowcount, self.lastrowid = cursor.description, cursor.rowcount, cursor.lastrowid
        finally:
            cursor.close()


class Connection(aiosqlite.Connection):
    """A connection whose cursors are `Statement`s, and that goes back only if there is something to go back from."""

    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, _FETCH_SIZE)
        # Each is changed by one thread alone.
        self._queued_count = self._done_count = 0
        self._pending_begin = ""
        """What begins the transaction in which the next statement is, unless it has begun."""
        self._is_reading = False
        """Whether the transaction was begun as one that only reads."""
        self._is_ended = False
        """Whether the end of a transaction was handed in, and nothing after it."""
        self._inline_since_s = 0.0
        """When the event loop last had its turn between statements (seconds of a clock of its own)."""

    def cursor(self) -> Statement:  # type: ignore[override]
        """A statement that is not sent to the database yet."""
        return Statement(self)

    def begin(self, sql: str) -> None:
        """Begin a transaction by this statement, together with the next one."""
        self._pending_begin, self._is_reading = sql, sql == BEGIN_READ

    async def commit(self) -> None:
        """Commit. Of a transaction that has only read there is nothing to wait for."""
        if self._pending_begin:
            self._pending_begin = ""
        elif self._is_reading:
            self._queued_count += 1
            self._is_ended = True
            self._tx.put_nowait((None, partial(self._execute_counted, self._conn.commit)))
        else:
            await super().commit()

    async def rollback(self) -> None:
        """Roll back. A cancelled task may have left a statement behind that has yet to begin the transaction."""
        self._pending_begin = ""
        if not self._is_ended and (self._queued_count != self._done_count or self.in_transaction):
            await super().rollback()

    async def run_in_order(self, act: Callable[..., T], *given: Any) -> T:  # noqa: ANN401 - of any act
        """Do something with SQLite's own connection, after all that was handed in before: in its thread, or at once."""
        self._is_ended = False
        if self._should_run_inline():
            return act(self._conn, *given)
        if self._pending_begin:
            beginning, self._pending_begin = self._pending_begin, ""
            return await self._execute(_run_after_begin, beginning, act, self._conn, *given)
        return await self._execute(act, self._conn, *given)

    def _should_run_inline(self) -> bool:
        """Whether to carry a statement out where it is asked for: others wait for the end of its transaction."""
        if self._is_reading or self._queued_count != self._done_count:
            return False
        if self._pending_begin == BEGIN_WRITE and self._try_begin_now():
            self._pending_begin, self._inline_since_s = "", time.perf_counter()
        writes = not self._pending_begin and self.in_transaction
        return writes and time.perf_counter() - self._inline_since_s < MAX_LOOP_HOLD_S

    def _try_begin_now(self) -> bool:
        """Begin to write, unless another process does just now; whether that was possible."""
        self._conn.execute("PRAGMA busy_timeout=0")
        try:
            self._conn.execute(BEGIN_WRITE)
        except sqlite3.OperationalError:
            return False  # to be waited for, or said, in the thread
        finally:
            self._conn.execute(BUSY_TIMEOUT_PRAGMA)
        return True

    async def _execute(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self._queued_count += 1
        done: T = await super()._execute(self._execute_counted, fn, *args, **kwargs)  # type: ignore[no-untyped-call]
        self._inline_since_s = time.perf_counter()
        return done

    def _execute_counted(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return fn(*args, **kwargs)
        finally:
            self._done_count += 1


def _run_after_begin(beginning: str, act: Callable[..., T], plain: sqlite3.Connection, *given: Any) -> T:  # noqa: ANN401 - of any act
    plain.execute(beginning)
    return act(plain, *given)


def connect(database: str, **given: Any) -> Connection:  # noqa: ANN401 - what sqlite3 takes
    """Make a connection, to be awaited, as `aiosqlite.connect` does."""
    # Never used by two threads at a time: see `Connection.in_turn`.
    connection = Connection(lambda: sqlite3.connect(database, **{**given, "check_same_thread": False}))
    connection._thread.daemon = True  # noqa: SLF001 - as SQLAlchemy does with aiosqlite's own
    return connection
