"""Run transactions on a SQLite file without blocking the event loop for long.

Waking a thread and then the event loop takes longer than most statements. So a writing transaction, for which all other
writers wait, runs its statements in the event loop until it has held the loop for `MAX_LOOP_HOLD_S`. Threads run the
rest: statements of reading transactions, which may find many rows, commits, which wait for the disk, and waiting for
another process that writes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, Executable, create_engine
from sqlalchemy.engine import CursorResult
from sqlalchemy.exc import OperationalError

from bot.store.engine import sqlite

T = TypeVar("T")
Parameters = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

SYNC_DRIVER: Final = "sqlite+pysqlite"
MAX_LOOP_HOLD_S: Final = 0.005


class SqliteConnection:
    """A connection with an open transaction. Its methods are those of an `AsyncConnection` that queries use."""

    def __init__(self, connection: Connection, threads: ThreadPoolExecutor, *, reading: bool) -> None:
        self._connection = connection
        self._threads = threads
        self._is_reading = reading
        self._thread_work: asyncio.Future[Any] | None = None  # last work given to a thread
        self._loop_held_since_s = 0.0  # seconds of `time.perf_counter`

    @property
    def dialect(self) -> Any:  # noqa: ANN401 - SQLAlchemy's dialects differ in type
        return self._connection.dialect

    async def execute(self, statement: Executable, parameters: Parameters = None) -> CursorResult[*tuple[Any, ...]]:
        if self._is_reading or time.perf_counter() - self._loop_held_since_s > MAX_LOOP_HOLD_S:
            return await self._run_in_thread(lambda: _fetch_rows(self._connection.execute(statement, parameters)))
        return self._connection.execute(statement, parameters)

    async def begin(self) -> None:
        """Begin the transaction. Raises `OperationalError` if another process writes for `BUSY_TIMEOUT_S`."""
        if self._is_reading:
            self._connection.begin()
        elif not self._try_begin():
            await self._run_in_thread(self._connection.begin)
        self._loop_held_since_s = time.perf_counter()

    def _try_begin(self) -> bool:
        """Begin to write, unless another process is writing. Returns whether the transaction has begun."""
        plain: Any = self._connection.connection.driver_connection
        plain.execute("PRAGMA busy_timeout=0")  # fail at once instead of waiting
        try:
            self._connection.begin()
        except OperationalError:
            return False
        finally:
            plain.execute(sqlite.BUSY_TIMEOUT_PRAGMA)
        return True

    async def commit(self) -> None:
        await self._run_in_thread(self._connection.commit)

    async def close(self) -> None:
        """Roll back what is not committed, and return the connection to its pool.

        Waits for the thread even if the task is cancelled: nobody else may get a connection that is in use.
        """
        cancelled: asyncio.CancelledError | None = None
        while self._thread_work and not self._thread_work.done():
            try:
                await asyncio.wait([self._thread_work])
            except asyncio.CancelledError as error:
                cancelled = error
        self._connection.close()
        if cancelled:
            raise cancelled

    async def _run_in_thread(self, act: Callable[[], T]) -> T:
        work: asyncio.Future[T] = asyncio.get_running_loop().run_in_executor(self._threads, act)
        self._thread_work = work
        result = await asyncio.shield(work)
        self._loop_held_since_s = time.perf_counter()
        return result


class SqlitePool:
    """The connections to a database file. They are kept open, because opening one takes longer than using it."""

    def __init__(self, url: URL, max_connections: int) -> None:
        self._engine = create_engine(
            url.set(drivername=SYNC_DRIVER), hide_parameters=True, pool_size=max_connections, max_overflow=0
        )
        sqlite.prepare_engine(self._engine)
        self._reading_engine = self._engine.execution_options(reading=True)
        self._places = asyncio.Semaphore(max_connections)
        self._threads = ThreadPoolExecutor(max_connections, thread_name_prefix="database")

    def read_transaction(self) -> AbstractAsyncContextManager[SqliteConnection]:
        """Open a transaction that sees one moment of the database."""
        return self._transaction(self._reading_engine, reading=True)

    def write_transaction(self) -> AbstractAsyncContextManager[SqliteConnection]:
        """Open a transaction that may change the database. It is committed if its block doesn't raise."""
        return self._transaction(self._engine, reading=False)

    async def close(self) -> None:
        self._engine.dispose()
        self._threads.shutdown()

    @asynccontextmanager
    async def _transaction(self, engine: Engine, *, reading: bool) -> AsyncIterator[SqliteConnection]:
        async with self._places:
            connection = SqliteConnection(engine.connect(), self._threads, reading=reading)
            try:
                await connection.begin()
                yield connection
                if not reading:
                    await connection.commit()
            finally:
                await connection.close()


def _fetch_rows(result: CursorResult[*tuple[Any, ...]]) -> CursorResult[*tuple[Any, ...]]:
    """Fetch all rows of a query now, in the thread that runs it."""
    return cast("CursorResult[*tuple[Any, ...]]", result.freeze()()) if result.returns_rows else result
