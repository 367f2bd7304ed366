"""Opens the database: files are claimed, tables brought up to date, and each change is one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from filelock import FileLock
from sqlalchemy import URL, Connection, make_url
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.engine import postgres, revisions, sqlite
from bot.store.engine.direct import ConnectionPool
from bot.store.engine.driver import connect
from bot.store.engine.leases import BOT_PREFIX
from bot.store.engine.shard import HeldShards
from bot.store.engine.writer_queue import WriterQueue
from bot.store.errors import DatabaseAway, DatabaseInUse, NotWritten, StoreTemporarilyUnavailable, StoreUnavailable
from bot.store.queries import locks
from bot.store.queries.transaction import Transaction
from bot.urgency import is_awaited

if TYPE_CHECKING:
    from bot.store.engine.listening import Listener
    from bot.store.engine.transfer import CopyReport

T = TypeVar("T")

MAX_CONNECTIONS: Final = 15
"""Of one process with a database; all are kept, as opening one takes longer than a transaction."""
MAX_SHARED_WRITES: Final = 8
"""Changes that share a transaction: more would keep who is in a hurry waiting for long."""


class _QueuedWrite(NamedTuple):
    """Something to be done in a transaction with others."""

    write: Callable[[Transaction], Awaitable[Any]]
    future: asyncio.Future[Any]

    def set_result(self, result: object) -> None:
        """Give its result to who waits for it, if they still do."""
        if not self.future.done():
            self.future.set_result(result)


class Store:
    """An open database. `open` it, `close` it; `read` and `write` give transactions."""

    def __init__(self, engine: AsyncEngine, claim: FileLock | None, direct: ConnectionPool | None = None) -> None:
        """`direct`: by what a database file is asked; other databases are asked by SQLAlchemy's engine."""
        self._engine = engine
        self._direct = direct
        self._file_lock = claim
        # SQLite has one writer at a time. Who waits for it looks again and again, in no order, and some wait long.
        self._has_one_writer = engine.dialect.name == "sqlite"
        self._writer_queue: AbstractAsyncContextManager[object] = (
            WriterQueue() if self._has_one_writer else nullcontext()
        )
        self._read_options: dict[str, Any] = {"reading": True} if self._has_one_writer else postgres.READ_OPTIONS
        self._queued_writes: dict[bool, list[_QueuedWrite]] = {False: [], True: []}
        """What is to be done in one transaction, by whether somebody waits for it."""
        self._write_tasks: set[asyncio.Task[None]] = set()
        self.current_share: Callable[[], HeldShards | None] = lambda: None
        """Which part of all games is this bot's own; None: it plays alone."""

    @classmethod
    async def open(cls, url: str, *, shared: bool = False) -> Store:
        """Open the database and bring its tables up to date; `shared` with other bots, if it is PostgreSQL.

        Raises `StoreUnavailable`; `StoreTemporarilyUnavailable` if trying again may help.
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
                sqlite.prepare_engine(engine)
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
            kind = StoreTemporarilyUnavailable if _is_transient(error) else StoreUnavailable
            raise kind(f"{parsed.render_as_string()}: {cause}") from error
        direct = ConnectionPool(parsed, sqlite.prepare_connection, MAX_CONNECTIONS) if sqlite.is_file(parsed) else None
        return cls(engine, claim, direct)

    @classmethod
    async def open_for_reading(cls, url: str) -> Store:
        """Open a database that a bot may be using, to read only. Neither claims nor upgrades it.

        SQLite rejects writes, PostgreSQL does not. Raises `StoreUnavailable`, also if the tables are of another
        version.
        """
        parsed = _parse_url(url)
        return cls(await _unclaimed_engine(parsed, sqlite.read_only(parsed) if _is_sqlite(parsed) else parsed), None)

    @classmethod
    async def open_unclaimed(cls, url: str) -> Store:
        """Open a database that a bot is using, without claiming it, to store a request. Raises `StoreUnavailable`.

        SQLite and PostgreSQL let several processes write, one after the other. Change only rows that no bot keeps in
        memory.
        """
        parsed = _parse_url(url)
        engine = await _unclaimed_engine(parsed, parsed)
        return cls(engine, None, ConnectionPool(parsed, sqlite.prepare_connection, 1) if _is_sqlite(parsed) else None)

    @property
    def kind(self) -> str:
        """The name of the database system: `SQLite` or `PostgreSQL`."""
        return "SQLite" if self._has_one_writer else "PostgreSQL"

    async def close(self) -> None:
        """Close all connections and give the file free."""
        if self._write_tasks:
            await asyncio.wait(self._write_tasks)
        if self._direct:
            await self._direct.close()
        await self._engine.dispose()
        if self._file_lock:
            self._file_lock.release()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """See one consistent moment of the database. Raises `DatabaseAway`."""
        if self._direct:
            async with self._direct.read_transaction() as direct:
                yield Transaction(direct, self.current_share())
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
        """Change the database: all of it when the block ends, or nothing if it raises. Raises `NotWritten`.

        On SQLite writers take turns: those for which somebody waits before others, else as they come. Elsewhere those
        wait for each other that are about the same game; one about many games says so, and has them all to itself.
        """
        try:
            if self._has_one_writer:
                async with (
                    self._writer_queue,
                    self._direct.write_transaction() if self._direct else self._engine.begin() as connection,
                ):
                    yield Transaction(connection, self.current_share())
            else:
                async with self._engine.begin() as plain:
                    own = await plain.execution_options(**{locks.HELD_OPTION: set()})
                    if of_many:
                        await locks.lock_all_games(own)
                    yield Transaction(own, self.current_share())
        except (SQLAlchemyError, postgres.PostgresInUse) as error:
            if not self._has_one_writer and postgres.is_unreachable(error):
                raise DatabaseAway(_error_text(error)) from error
            if isinstance(error, OperationalError):
                raise NotWritten(_error_text(error)) from error
            raise

    async def count_bots(self) -> int:
        """Return how many bots run on the database, which this process only looks at."""
        if self._has_one_writer:
            return int(sqlite.is_claimed(self._engine.url.set(database=_file_path(self._engine.url))))
        async with self._engine.connect() as connection:
            claimed = await connection.run_sync(postgres.is_claimed)
        async with self.read() as tx:
            several = sum(lease.is_live and lease.key.startswith(BOT_PREFIX) for lease in await tx.leases.all_leases())
        return several if claimed and several else int(claimed)

    async def revision(self) -> str:
        """Return the number of the last migration that the tables have seen."""
        async with self._engine.connect() as connection:
            return await connection.run_sync(revisions.database_revision) or "none"

    def listener(self) -> Listener:
        """Make what hears when another bot on the same PostgreSQL has changed something."""
        from bot.store.engine.listening import Listener  # noqa: PLC0415 - its driver is an extra

        return Listener(self._engine.url)

    async def move_to(self, other: Store) -> CopyReport:
        """Copy everything into another database, which holds nothing yet: all of it or nothing.

        Raises `TargetNotEmpty`, `NotWritten`, or `RuntimeError` if the copy is not the same.
        """
        from bot.store.engine import transfer  # noqa: PLC0415 - once in the life of a bot

        async with self._engine.connect() as plain:
            source = await plain.execution_options(**self._read_options)
            try:
                async with other._engine.begin() as target:
                    return await transfer.copy_database(source, target)
            except OperationalError as error:
                raise NotWritten(_error_text(error)) from error

    async def write_shared(self, act: Callable[[Transaction], Awaitable[T]]) -> T:
        """Change the database in a transaction that is shared by a few who wait for their turn at the same time.

        Returns what the act returns. If one of those in the transaction raises, none of them is stored, and each is
        tried alone: an act must leave nothing behind but in the database. Raises what it raises, and `NotWritten`.
        Where the database has many writers, nobody waits for a turn, and each has a transaction of its own.
        """
        if not self._has_one_writer:
            async with self.write() as tx:
                return await act(tx)
        hurried, done = is_awaited(), asyncio.get_running_loop().create_future()
        self._queued_writes[hurried].append(_QueuedWrite(act, done))
        if len(self._queued_writes[hurried]) == 1:
            self._write_waiting(hurried=hurried)
        return cast("T", await done)

    def _write_waiting(self, *, hurried: bool) -> None:
        writing = asyncio.create_task(self._write_batch(hurried=hurried), name="write together")
        self._write_tasks.add(writing)
        writing.add_done_callback(self._write_tasks.discard)

    async def _write_batch(self, *, hurried: bool) -> None:
        acts: list[_QueuedWrite] = []
        try:
            async with self.write() as tx:
                acts = self._take_queued(MAX_SHARED_WRITES, hurried=hurried)
                done = [(one, await one.write(tx)) for one in acts]
        except Exception:  # noqa: BLE001 - anyone who has raised it hears of it when it is tried alone
            for one in acts or self._take_queued(None, hurried=hurried):
                await self._write_single(one)
            return
        for one, result in done:
            one.set_result(result)

    def _take_queued(self, most: int | None, *, hurried: bool) -> list[_QueuedWrite]:
        """Take the first so many of those that wait, all for None; the rest has a transaction of its own."""
        waiting = [one for one in self._queued_writes[hurried] if not one.future.done()]
        self._queued_writes[hurried] = [] if most is None else waiting[most:]
        if self._queued_writes[hurried]:
            self._write_waiting(hurried=hurried)
        return waiting[:most]

    async def _write_single(self, one: _QueuedWrite) -> None:
        try:
            async with self.write() as tx:
                result = await one.write(tx)
        except Exception as error:  # noqa: BLE001 - told to the one who waits
            if not one.future.done():
                one.future.set_exception(error)
        else:
            one.set_result(result)


async def _unclaimed_engine(parsed: URL, aside: URL) -> AsyncEngine:
    """Open a database beside another process, at another URL perhaps. Raises `StoreUnavailable`."""
    engine = _create_engine(aside)
    try:
        sqlite.refuse_unless_there(parsed)
        sqlite.refuse_unless_opened(aside)
        async with engine.connect() as connection:
            found = await connection.run_sync(revisions.database_revision)
            served = found == revisions.newest_revision() or await connection.run_sync(revisions.is_compatible)
    except (SQLAlchemyError, sqlite.Error, OSError) as error:
        await engine.dispose()
        raise StoreUnavailable(f"{parsed.render_as_string()}: {getattr(error, 'orig', None) or error}") from error
    if not served:
        await engine.dispose()
        raise StoreUnavailable(f"{parsed.render_as_string()}: its tables are of another war-galley ({found})")
    return engine


async def _upgrade_schema(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        found = await connection.run_sync(revisions.database_revision)
        served = found == revisions.newest_revision() or await connection.run_sync(revisions.is_compatible)
        foreign = await connection.run_sync(revisions.is_foreign)
    if served:
        return
    if foreign:
        raise StoreUnavailable(f"{engine.url.render_as_string()}: it holds tables of another program")
    if found and found > revisions.newest_revision():
        raise StoreUnavailable(f"{engine.url.render_as_string()}: its tables are of a newer war-galley ({found})")
    from bot.store.engine import upgrading  # noqa: PLC0415 - it says itself why

    def upgrade_in_turn(connection: Connection) -> None:
        postgres.lock_migrations(connection)
        if revisions.database_revision(connection) == found:  # else another process has done it meanwhile
            upgrading.upgrade_tables(connection)
            revisions.store_compatibility(connection)

    on_sqlite = engine.dialect.name == "sqlite"
    async with engine.connect() as connection, sqlite.allow_rebuilding(connection) if on_sqlite else nullcontext():
        await connection.run_sync(upgrading.upgrade_tables if on_sqlite else upgrade_in_turn)
        await connection.commit()


def _parse_url(url: str) -> URL:
    """The address of a database that can be used here. Raises `StoreUnavailable`."""
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
    """The path of the database file that a URL names, be it as a URI."""
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
    # An error of the database names its statement, but never the values in it: orders, nonces and seeds are among them.
    if _is_sqlite(url):
        return create_async_engine(url, hide_parameters=True, connect_args={"async_creator_fn": connect})
    pool: dict[str, Any] = {"pool_size": MAX_CONNECTIONS, "max_overflow": 0, "pool_pre_ping": True}
    return create_async_engine(url, hide_parameters=True, connect_args=postgres.connect_arguments(url), **pool)


def backup_to(url: str, target: Path) -> None:
    """Copy a database file to another, also while a bot plays on it. Raises `StoreUnavailable`."""
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
    """Make sure that a copy of a database file, which nobody else uses, is whole. Raises `StoreUnavailable`."""
    try:
        sqlite.refuse_damaged(file)
    except (sqlite.Error, OSError) as error:
        raise StoreUnavailable(str(error)) from error
