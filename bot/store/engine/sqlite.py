"""Implement what is specific to SQLite: pragmas, immediate transactions and one process per file."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection

Error = sqlite3.Error
DRIVER: Final = "sqlite+aiosqlite"
BUSY_TIMEOUT_S: Final = 15
BUSY_TIMEOUT_PRAGMA: Final = f"PRAGMA busy_timeout={1000 * BUSY_TIMEOUT_S}"
PRAGMAS: Final = ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON", BUSY_TIMEOUT_PRAGMA)
_PRIMARY_CODE: Final = 0xFF  # mask of an error code without its extension
_TRANSIENT_CODES: Final = {
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR),
}


class FileInUse(RuntimeError):
    """Another process plays on this database file."""


def with_driver(url: URL) -> URL:
    """Return the URL with this project's driver. Raises `ImportError` for another driver, or `ArgumentError`."""
    if url.drivername not in ("sqlite", DRIVER):
        raise ImportError(f"SQLite is spoken with as {DRIVER}:///, not {url.drivername}:///")
    if url.query:
        raise ImportError(f"SQLite takes no {', '.join(url.query)} here")
    own_url = url.set(drivername=DRIVER)
    own_url.get_dialect()().create_connect_args(own_url)  # raises for two slashes, which make a file a host
    return own_url


def lock_file(url: URL) -> FileLock | None:
    """Claim a database file for this process and return the lock; None for a database in memory.

    Raises `FileInUse` or `OSError`.
    """
    if not url.database or url.database == ":memory:":
        return None
    try:
        database_file = Path(url.database).resolve()  # links to the same file share one lock
    except RuntimeError as loop:  # links that lead to each other
        raise OSError(str(loop)) from loop
    lock_path = database_file.with_name(f"{database_file.name}.lock")
    lock = FileLock(lock_path)
    try:
        lock.acquire(timeout=0)
    except Timeout as in_use:
        if not lock_path.exists():
            raise OSError(f"{lock_path} cannot be written") from in_use
        raise FileInUse(url.database) from in_use
    return lock


def is_claimed(url: URL) -> bool:
    try:
        claim = lock_file(url)
    except FileInUse:
        return True
    if claim:
        claim.release()
    return False


def read_only(url: URL) -> URL:
    return url.set(database=f"file:{url.database}", query={**url.query, "mode": "ro", "uri": "true"})


def refuse_unless_opened(url: URL) -> None:
    """Raise `Error` if the database file can't be opened.

    The driver opens it in a thread, which prints a traceback if the program ends first.
    """
    if url.get_backend_name() == "sqlite" and url.database:
        sqlite3.connect(url.database, uri="uri" in url.query).close()


def is_transient(error: BaseException) -> bool:
    """Return whether the error does not mean that the file itself is unusable."""
    if isinstance(error, Error):
        return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _TRANSIENT_CODES
    return isinstance(error, OSError)


def is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite" and url.database not in {None, "", ":memory:"}


def file_revision(url: URL) -> str | None:
    with closing(sqlite3.connect(url.database or "", timeout=BUSY_TIMEOUT_S)) as plain:
        if not plain.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
            return None
        revision: str | None = (plain.execute("SELECT version_num FROM alembic_version").fetchone() or [None])[0]
        return revision


def refuse_unless_there(url: URL) -> None:
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise FileNotFoundError("there is no such file")


@asynccontextmanager
async def allow_rebuilding(connection: AsyncConnection) -> AsyncIterator[None]:
    """Disable foreign keys on a connection without a transaction; the block must commit.

    A migration that rebuilds a table copies it and drops the old one. With foreign keys on, SQLite would then delete
    all rows that refer to it.
    """
    driver = (await connection.get_raw_connection()).driver_connection
    assert driver is not None  # noqa: S101 - it has just been opened
    await driver.execute("PRAGMA foreign_keys=OFF")
    yield
    await driver.execute("PRAGMA foreign_keys=ON")


def backup_database(url: URL, target: Path) -> None:
    """Copy a database consistently, even while it is in use. Raises `OSError` or `sqlite3.Error`."""
    refuse_unless_there(url)
    unfinished = target.with_name(f"{target.name}.part")
    unfinished.unlink(missing_ok=True)
    unfinished.touch()  # raises a clearer error than SQLite
    try:
        with (
            closing(sqlite3.connect(f"file:{url.database}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S)) as source,
            closing(sqlite3.connect(unfinished)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")  # a single file without a log beside it
            result = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if result != "ok":
            raise OSError(f"the copy is damaged: {result}")
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def refuse_damaged(file: Path) -> None:
    """Raise `OSError` if a file is damaged or not a database of this bot, `Error` if SQLite can't read it.

    No other process may use the file.
    """
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as plain:
        result = plain.execute("PRAGMA integrity_check").fetchone()[0]
        if result != "ok":
            raise OSError(f"it is damaged: {' '.join(str(result).split())}")
        if violation := plain.execute("PRAGMA foreign_key_check").fetchone():
            raise OSError(f"it is damaged: a row of {violation[0]} refers to one of {violation[2]} that is not there")
        if not plain.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
            raise OSError("it is no database of war-galley")


def prepare_engine(engine: Engine) -> None:
    """Set the pragmas of every connection. Transactions lock the file at once unless their connection is `reading`."""

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:  # noqa: ANN401 - the driver's own object
        connection.isolation_level = None  # we say BEGIN ourselves
        cursor = connection.cursor()
        for pragma in PRAGMAS:
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A transaction that first reads and then writes could fail because the file has changed, so writers lock it
        # first.
        connection.exec_driver_sql("BEGIN" if connection.get_execution_options().get("reading") else "BEGIN IMMEDIATE")
