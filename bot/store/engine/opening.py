"""Open the database: claim it, upgrade its tables, and run each change in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from filelock import FileLock
from sqlalchemy import URL, Connection, make_url
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.conflicts import retries_conflicts
from bot.store.engine import postgres, revisions, sqlite
from bot.store.engine.leases import BOT_PREFIX
from bot.store.engine.shard import HeldShards
from bot.store.engine.sqlite_pool import SqlitePool
from bot.store.engine.writer_queue import WriterQueue
from bot.store.errors import (
    DatabaseAway,
    DatabaseInUse,
    NotWritten,
    StoreTemporarilyUnavailable,
    StoreUnavailable,
    WriteConflict,
)
from bot.store.queries import locks
from bot.store.queries.transaction import Transaction
from bot.urgency import is_awaited

if TYPE_CHECKING:
    from bot.store.engine.listening import Listener
    from bot.store.engine.transfer import CopyReport

T = TypeVar("T")

MAX_CONNECTIONS: Final = 15
MAX_SHARED_WRITES: Final = 8
"""Changes in one shared transaction. More would delay urgent writers."""


class _QueuedWrite(NamedTuple):
    write: Callable[[Transaction], Awaitable[Any]]  # a change that waits for a transaction
    future: asyncio.Future[Any]  # gets the result of the change

    def set_result(self, result: object) -> None:
        if not self.future.done():
            self.future.set_result(result)


class Store:
    def __init__(self, engine: AsyncEngine, claim: FileLock | None, file_pool: SqlitePool | None = None) -> None:
        """Use `file_pool` for transactions on a database file, else `engine`."""
        self._engine = engine
        self._file_pool = file_pool
        self._file_lock = claim
        # SQLite has one writer at a time. Its own lock polls in no order, so some would wait long.
        self._has_one_writer = engine.dialect.name == "sqlite"
        self._writer_queue: AbstractAsyncContextManager[object] = (
            WriterQueue() if self._has_one_writer else nullcontext()
        )
        self._read_options: dict[str, Any] = {"reading": True} if self._has_one_writer else postgres.READ_OPTIONS
        self._queued_writes: dict[bool, list[_QueuedWrite]] = {False: [], True: []}  # True: a user waits for them
        self._write_tasks: set[asyncio.Task[None]] = set()
        self.current_share: Callable[[], HeldShards | None] = lambda: None
        """Returns the shards of this bot; None if it is the only bot."""

    @classmethod
    async def open(cls, url: str, *, shared: bool = False) -> Store:
        """Open the database and upgrade its tables. `shared` allows several bots on a PostgreSQL.

        Raises `StoreUnavailable`, or its subclass `StoreTemporarilyUnavailable` if trying again may help.
        """
        parsed = _parse_url(url)
        if shared and _is_sqlite(parsed):
            raise StoreUnavailable(f"{parsed.render_as_string()}: several bots share a PostgreSQL, and no file")
        engine = _create_engine(parsed)
        claim: FileLock | None = None
        try:
            if not _is_sqlite(parsed):
                postgres.claim_database(engine, shared=shared)
                await postgres.connect_when_free(lambda: _upgrade_schema(engine))
            else:
                claim = sqlite.lock_file(parsed)
                sqlite.refuse_unless_opened(parsed)
                sqlite.prepare_engine(engine.sync_engine)
                if not sqlite.is_file(parsed):
                    await _upgrade_schema(engine)
                elif sqlite.file_revision(parsed) != revisions.newest_revision():
                    await _upgrade_schema(engine)
                    await engine.dispose()
        except (sqlite.FileInUse, postgres.PostgresInUse) as error:
            await engine.dispose()
            where = str(error) or parsed.render_as_string()
            what = "this database file" if _is_sqlite(parsed) else "this database"
            raise DatabaseInUse(f"{where}: another war-galley is running on {what}") from error
        except (SQLAlchemyError, sqlite.Error, OSError, StoreUnavailable) as error:
            await engine.dispose()
            if claim:
                claim.release()
            if isinstance(error, StoreUnavailable):
                raise
            cause = getattr(error, "orig", None) or error
            error_type = StoreTemporarilyUnavailable if _is_transient(error) else StoreUnavailable
            raise error_type(f"{parsed.render_as_string()}: {cause}") from error
        return cls(engine, claim, SqlitePool(parsed, MAX_CONNECTIONS) if sqlite.is_file(parsed) else None)

    @classmethod
    async def open_for_reading(cls, url: str) -> Store:
        """Open a database for reading that a bot may be using. Neither claims nor upgrades it.

        SQLite rejects writes, PostgreSQL does not. Raises `StoreUnavailable`, also if the tables are of another
        version.
        """
        parsed = _parse_url(url)
        return cls(await _unclaimed_engine(parsed, sqlite.read_only(parsed) if _is_sqlite(parsed) else parsed), None)

    @classmethod
    async def open_unclaimed(cls, url: str) -> Store:
        """Open a database that a bot is using, without claiming it, to store a host request.

        Several processes may write, one after another. Change only rows that no bot keeps in memory. Raises
        `StoreUnavailable`.
        """
        parsed = _parse_url(url)
        engine = await _unclaimed_engine(parsed, parsed)
        return cls(engine, None, SqlitePool(parsed, 1) if _is_sqlite(parsed) else None)

    @property
    def kind(self) -> str:
        return "SQLite" if self._has_one_writer else "PostgreSQL"

    async def close(self) -> None:
        if self._write_tasks:
            await asyncio.wait(self._write_tasks)
        if self._file_pool:
            await self._file_pool.close()
        await self._engine.dispose()
        if self._file_lock:
            self._file_lock.release()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """Open a transaction that reads one consistent state. Raises `DatabaseAway`."""
        if self._file_pool:
            async with self._file_pool.read_transaction() as file_connection:
                yield Transaction(file_connection, self.current_share())
            return
        try:
            async with self._engine.connect() as plain:
                connection = await plain.execution_options(**self._read_options)
                async with connection.begin():
                    yield Transaction(connection, self.current_share())
        except (SQLAlchemyError, postgres.PostgresInUse) as error:
            if not self._has_one_writer and postgres.is_unreachable(error):
                raise DatabaseAway(_error_text(error)) from error
            raise

    @asynccontextmanager
    async def write(self, *, of_many: bool = False) -> AsyncIterator[Transaction]:
        """Open a transaction that is committed when the block ends, or rolled back if it raises.

        Raises `NotWritten` or its subclasses. On SQLite, writers take turns, urgent ones first. On PostgreSQL, only
        writers about the same game wait for each other; `of_many` locks all games.
        """
        try:
            if self._has_one_writer:
                async with (
                    self._writer_queue,
                    self._file_pool.write_transaction() if self._file_pool else self._engine.begin() as connection,
                ):
                    yield Transaction(connection, self.current_share())
            else:
                async with self._engine.begin() as plain:
                    connection_with_locks = await plain.execution_options(**{locks.HELD_OPTION: set()})
                    if of_many:
                        await locks.lock_all_games(connection_with_locks)
                    yield Transaction(connection_with_locks, self.current_share())
        except (SQLAlchemyError, postgres.PostgresInUse) as error:
            if not self._has_one_writer and postgres.is_unreachable(error):
                raise DatabaseAway(_error_text(error)) from error
            if isinstance(error, DBAPIError) and postgres.is_conflict(error):
                raise WriteConflict(_error_text(error)) from error
            if isinstance(error, OperationalError):
                raise NotWritten(_error_text(error)) from error
            raise

    async def count_bots(self) -> int:
        """Return the number of bots that run on the database. Only processes that are no bots may ask."""
        if self._has_one_writer:
            return int(sqlite.is_claimed(self._engine.url.set(database=_file_path(self._engine.url))))
        async with self._engine.connect() as connection:
            claimed = await connection.run_sync(postgres.is_claimed)
        async with self.read() as tx:
            live_bots = sum(
                lease.is_live and lease.key.startswith(BOT_PREFIX) for lease in await tx.leases.all_leases()
            )
        # Bots hold the claim together. It may be older than the first lease, and leases may outlive it.
        return max(live_bots, 1) if claimed else 0

    async def revision(self) -> str:
        async with self._engine.connect() as connection:
            return await connection.run_sync(revisions.database_revision) or "none"

    def listener(self) -> Listener:
        from bot.store.engine.listening import Listener  # noqa: PLC0415 - its driver is an extra

        return Listener(self._engine.url)

    async def move_to(self, other: Store) -> CopyReport:
        """Copy everything into another, empty database in one transaction.

        Raises `TargetNotEmpty`, `NotWritten`, or `RuntimeError` if the copy differs.
        """
        from bot.store.engine import transfer  # noqa: PLC0415 - once in the life of a bot

        async with self._engine.connect() as plain:
            source = await plain.execution_options(**self._read_options)
            try:
                async with other._engine.begin() as target:
                    return await transfer.copy_database(source, target)
            except OperationalError as error:
                raise NotWritten(_error_text(error)) from error

    async def write_shared(self, change: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run a change in a transaction that it may share with other waiting changes, and return its result.

        If any change in the transaction raises, all are rolled back and run again one by one, so a change must have no
        effects outside the database. Raises what the change raises, and `NotWritten`. PostgreSQL has several writers,
        so there each change has its own transaction.
        """
        if not self._has_one_writer:
            return await self.write_alone(change)
        awaited = is_awaited()
        future = asyncio.get_running_loop().create_future()
        self._queued_writes[awaited].append(_QueuedWrite(change, future))
        if len(self._queued_writes[awaited]) == 1:
            self._write_waiting(awaited=awaited)
        return cast("T", await future)

    @retries_conflicts
    async def write_alone(self, change: Callable[[Transaction], Awaitable[T]]) -> T:
        """Run a change in a transaction of its own, and again after a write conflict."""
        async with self.write() as tx:
            return await change(tx)

    def _write_waiting(self, *, awaited: bool) -> None:
        writing = asyncio.create_task(self._write_batch(awaited=awaited), name="write together")
        self._write_tasks.add(writing)
        writing.add_done_callback(self._write_tasks.discard)

    async def _write_batch(self, *, awaited: bool) -> None:
        """Write waiting changes in one transaction; if one of them raises, write each by itself."""
        batch: list[_QueuedWrite] = []
        try:
            async with self.write() as tx:
                batch = self._take_queued(MAX_SHARED_WRITES, awaited=awaited)
                results = [(queued, await queued.write(tx)) for queued in batch]
        except Exception:  # noqa: BLE001 - the change that raised it raises it again when it runs alone
            # The batch is empty if the transaction could not begin.
            for queued in batch or self._take_queued(None, awaited=awaited):
                await self._write_single(queued)
            return
        for queued, result in results:
            queued.set_result(result)

    def _take_queued(self, most: int | None, *, awaited: bool) -> list[_QueuedWrite]:
        # Removes and returns up to `most` writes (None: all), and starts another task for the rest.
        waiting = [queued for queued in self._queued_writes[awaited] if not queued.future.done()]
        self._queued_writes[awaited] = [] if most is None else waiting[most:]
        if self._queued_writes[awaited]:
            self._write_waiting(awaited=awaited)
        return waiting[:most]

    async def _write_single(self, queued: _QueuedWrite) -> None:
        try:
            result = await self.write_alone(queued.write)
        except Exception as error:  # noqa: BLE001 - the caller that waits raises it
            if not queued.future.done():
                queued.future.set_exception(error)
        else:
            queued.set_result(result)


async def _unclaimed_engine(parsed: URL, open_url: URL) -> AsyncEngine:
    # `open_url` opens the database of `parsed`, perhaps for reading only.
    engine = _create_engine(open_url)
    try:
        sqlite.refuse_unless_there(parsed)
        sqlite.refuse_unless_opened(open_url)
        async with engine.connect() as connection:
            revision = await connection.run_sync(revisions.database_revision)
            is_usable = revision == revisions.newest_revision() or await connection.run_sync(revisions.is_compatible)
    except (SQLAlchemyError, sqlite.Error, OSError) as error:
        await engine.dispose()
        raise StoreUnavailable(f"{parsed.render_as_string()}: {getattr(error, 'orig', None) or error}") from error
    if not is_usable:
        await engine.dispose()
        raise StoreUnavailable(f"{parsed.render_as_string()}: its tables are of another war-galley ({revision})")
    return engine


async def _upgrade_schema(engine: AsyncEngine) -> None:
    """Bring the tables to the newest revision. Raises `StoreUnavailable` if they are foreign or newer."""
    async with engine.connect() as connection:
        revision = await connection.run_sync(revisions.database_revision)
        is_usable = revision == revisions.newest_revision() or await connection.run_sync(revisions.is_compatible)
        foreign = await connection.run_sync(revisions.is_foreign)
    if is_usable:
        return
    if foreign:
        raise StoreUnavailable(f"{engine.url.render_as_string()}: it holds tables of another program")
    if revision and revision > revisions.newest_revision():
        raise StoreUnavailable(f"{engine.url.render_as_string()}: its tables are of a newer war-galley ({revision})")
    from bot.store.engine import upgrading  # noqa: PLC0415 - importing Alembic is slow

    def upgrade_in_turn(connection: Connection) -> None:
        postgres.lock_migrations(connection)
        if revisions.database_revision(connection) == revision:  # not upgraded by another process meanwhile
            upgrading.upgrade_tables(connection)
            revisions.store_compatibility(connection)

    on_sqlite = engine.dialect.name == "sqlite"
    async with engine.connect() as connection, sqlite.allow_rebuilding(connection) if on_sqlite else nullcontext():
        await connection.run_sync(upgrading.upgrade_tables if on_sqlite else upgrade_in_turn)
        await connection.commit()


def _parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
        if postgres.is_postgres(parsed):
            return postgres.with_driver(parsed)
        if not _is_sqlite(parsed):
            raise ImportError(f"games are kept in SQLite or PostgreSQL, not in {parsed.get_backend_name()}")
        return sqlite.with_driver(parsed)
    except (SQLAlchemyError, ImportError, ValueError) as error:  # a port that is no number is a `ValueError`
        raise StoreUnavailable(f"DATABASE_URL is of no use: {error}") from error


def _file_path(url: URL) -> str:
    return (url.database or "").removeprefix("file:") if "uri" in url.query else url.database or ""


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _is_transient(error: Exception) -> bool:
    if isinstance(error, SQLAlchemyError) and not isinstance(getattr(error, "orig", None), sqlite.Error):
        return postgres.is_transient(error)
    return sqlite.is_transient(getattr(error, "orig", None) or error)


def _error_text(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error) or "another war-galley is running on this database"


def _create_engine(url: URL) -> AsyncEngine:
    # Database errors must not show values, which include orders, nonces and seeds.
    if _is_sqlite(url):
        return create_async_engine(url, hide_parameters=True)
    pool: dict[str, Any] = {"pool_size": MAX_CONNECTIONS, "max_overflow": 0, "pool_pre_ping": True}
    return create_async_engine(url, hide_parameters=True, connect_args=postgres.connect_arguments(url), **pool)


def backup_to(url: str, target: Path) -> None:
    """Copy a database file, even one in use. Raises `StoreUnavailable`, also for PostgreSQL."""
    parsed = _parse_url(url)
    if not _is_sqlite(parsed):
        plain = parsed.set(drivername="postgresql").render_as_string()
        raise StoreUnavailable(
            f"PostgreSQL has its own tool for that: pg_dump --format=custom --file={target} '{plain}'"
        )
    try:
        sqlite.backup_database(parsed, target)
    except (sqlite.Error, OSError) as error:
        raise StoreUnavailable(f"{parsed.render_as_string()}: {error}") from error


def check_copy(file: Path) -> None:
    """Raise `StoreUnavailable` if a copy of a database file is damaged. No other process may use the file."""
    try:
        sqlite.refuse_damaged(file)
    except (sqlite.Error, OSError) as error:
        raise StoreUnavailable(str(error)) from error
