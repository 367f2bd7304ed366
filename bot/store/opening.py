"""Opens the database: files are claimed, tables brought up to date, and each change is one transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path

from filelock import FileLock
from sqlalchemy import URL, make_url
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store import revisions, sqlite
from bot.store.driver import connect
from bot.store.queries import Transaction
from bot.store.writing import WritersTurn


class StoreUnavailable(RuntimeError):
    """The database cannot be opened; the message says which and why."""


class NotWritten(RuntimeError):
    """The database takes nothing just now: its disk is full, or another process holds it. Nothing was changed."""


class Store:
    """An open database. `open` it, `close` it; `read` and `write` give transactions."""

    def __init__(self, engine: AsyncEngine, claim: FileLock | None) -> None:
        self._engine = engine
        self._claim = claim
        # SQLite has one writer at a time. Who waits for it looks again and again, in no order, and some wait long.
        one_writer = engine.dialect.name == "sqlite"
        self._turn: AbstractAsyncContextManager[object] = WritersTurn() if one_writer else nullcontext()

    @classmethod
    async def open(cls, url: str) -> Store:
        """Open the database and bring its tables up to date. Raises `StoreUnavailable`."""
        try:
            parsed = make_url(url)
            engine = _engine(parsed)
        except (SQLAlchemyError, ImportError) as error:
            raise StoreUnavailable(f"DATABASE_URL is of no use: {error}") from error
        claim: FileLock | None = None
        try:
            if parsed.get_backend_name() == "sqlite":
                claim = sqlite.lock(parsed)
                sqlite.prepare(engine)
            await _bring_up_to_date(engine)
        except sqlite.FileInUse as error:
            await engine.dispose()
            raise StoreUnavailable(f"{error}: another war-galley is running on this database file") from error
        except (SQLAlchemyError, OSError, StoreUnavailable) as error:
            await engine.dispose()
            if claim:
                claim.release()
            if isinstance(error, StoreUnavailable):
                raise
            cause = getattr(error, "orig", None) or error
            raise StoreUnavailable(f"{parsed.render_as_string()}: {cause}") from error
        return cls(engine, claim)

    @classmethod
    async def look(cls, url: str) -> Store:
        """Open a database to look only, beside another process that may be playing. Raises `StoreUnavailable`."""
        try:
            parsed = make_url(url)
            aside = sqlite.read_only(parsed) if parsed.get_backend_name() == "sqlite" else parsed
            engine = _engine(aside)
        except (SQLAlchemyError, ImportError) as error:
            raise StoreUnavailable(f"DATABASE_URL is of no use: {error}") from error
        try:
            sqlite.refuse_unless_there(parsed)
            async with engine.connect() as connection:
                found = await connection.run_sync(revisions.found)
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            raise StoreUnavailable(f"{parsed.render_as_string()}: {getattr(error, 'orig', None) or error}") from error
        if found != revisions.newest():
            await engine.dispose()
            raise StoreUnavailable(f"{parsed.render_as_string()}: its tables are of another war-galley ({found})")
        return cls(engine, None)

    async def close(self) -> None:
        """Close all connections and give the file free."""
        await self._engine.dispose()
        if self._claim:
            self._claim.release()

    @asynccontextmanager
    async def read(self) -> AsyncIterator[Transaction]:
        """See one consistent moment of the database."""
        async with self._engine.connect() as plain:
            connection = await plain.execution_options(reading=True)
            async with connection.begin():
                yield Transaction(connection)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """Change the database: all of it when the block ends, or nothing if it raises. Raises `NotWritten`.

        On SQLite writers take turns: those for which somebody waits before others, else as they come.
        """
        try:
            async with self._turn, self._engine.begin() as connection:
                yield Transaction(connection)
        except OperationalError as error:
            raise NotWritten(str(error.orig)) from error


async def _bring_up_to_date(engine: AsyncEngine) -> None:
    async with engine.connect() as connection:
        found = await connection.run_sync(revisions.found)
    if found == revisions.newest():
        return
    if found and found > revisions.newest():
        raise StoreUnavailable(f"{engine.url.render_as_string()}: its tables are of a newer war-galley ({found})")
    from bot.store import upgrading  # noqa: PLC0415 - it says itself why

    on_sqlite = engine.dialect.name == "sqlite"
    async with engine.connect() as connection, sqlite.rebuilding(connection) if on_sqlite else nullcontext():
        await connection.run_sync(upgrading.upgrade)
        await connection.commit()


def _engine(url: URL) -> AsyncEngine:
    # An error of the database names its statement, but never the values in it: orders, nonces and seeds are among them.
    driver = {"async_creator_fn": connect} if url.get_backend_name() == "sqlite" else {}
    return create_async_engine(url, hide_parameters=True, connect_args=driver)


def backup_to(url: str, target: Path) -> None:
    """Copy a database file to another, also while a bot plays on it. Raises `StoreUnavailable`."""
    try:
        parsed = make_url(url)
    except SQLAlchemyError as error:
        raise StoreUnavailable(f"DATABASE_URL is of no use: {error}") from error
    if parsed.get_backend_name() != "sqlite":
        raise StoreUnavailable(f"{parsed.get_backend_name()} has tools of its own for that")
    try:
        sqlite.backup(parsed, target)
    except (sqlite.Error, OSError) as error:
        raise StoreUnavailable(f"{parsed.render_as_string()}: {error}") from error
