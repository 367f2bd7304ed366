"""Implement what is specific to PostgreSQL: its driver, one bot per database, snapshots and lost connections."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from sqlalchemy import URL, Connection, event, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlalchemy.ext.asyncio import AsyncEngine

BACKEND_NAMES: Final = ("postgres", "postgresql")
DRIVER: Final = "postgresql+psycopg"

_LOCK_CLASS: Final = 0x57474C59  # "WGLY"
_RUNNING_LOCK: Final = 1
_MIGRATING_LOCK: Final = 2
_CLAIM_TIMEOUT_S: Final = 3.0
_CLAIM_POLL_INTERVAL_S: Final = 0.1

_HOLDER_QUERY: Final = """
SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
WHERE d.datname = current_database() AND l.granted AND l.locktype = 'advisory'
AND l.classid = %s AND l.objid = %s AND l.objsubid = 2
"""  # an `objsubid` of 2 is a lock with two keys

_SERIALIZATION_FAILURE: Final = "40001"
_DEADLOCK_DETECTED: Final = "40P01"

_SESSION_SETTINGS: Final = {
    # Statements that wait or run longer are cancelled, then retried or reported.
    "lock_timeout": "15s",
    "statement_timeout": "60s",
    # A process that hangs in a transaction must not block games for longer.
    "idle_in_transaction_session_timeout": "30s",
    # The server notices that this machine is gone after this time, and releases its locks.
    "tcp_keepalives_idle": "10s",
    "tcp_keepalives_interval": "5s",
    "tcp_keepalives_count": "3",
}
CONNECT_OPTIONS: Final[dict[str, Any]] = {
    "options": " ".join(f"-c {name}={value}" for name, value in _SESSION_SETTINGS.items()),
    "application_name": "war-galley",
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}

READ_OPTIONS: Final[dict[str, Any]] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


_FINAL_REFUSAL_PATTERN: Final = re.compile(
    r"password authentication failed|no password supplied|does not exist|no pg_hba\.conf entry|not permitted to log in"
    r"|invalid port number|is not currently accepting connections"
)
"""Messages of final connection failures. Failed connections have no error code."""


class PostgresInUse(RuntimeError):
    """Another process uses this database."""


def is_postgres(url: URL) -> bool:
    return url.get_backend_name() in BACKEND_NAMES


def with_driver(url: URL) -> URL:
    """Return the URL with this project's driver. Raises `ImportError` for another driver or a missing one."""
    if url.drivername not in (*BACKEND_NAMES, DRIVER):
        raise ImportError(f"PostgreSQL is spoken with as {DRIVER}://, not {url.drivername}://")
    try:
        import psycopg  # noqa: F401, PLC0415 - an optional package
    except ImportError as lacking:
        raise ImportError("PostgreSQL needs the packages of requirements/postgres.txt") from lacking
    return url.set(drivername=DRIVER)


def connect_arguments(url: URL) -> dict[str, Any]:
    return {name: value for name, value in CONNECT_OPTIONS.items() if name not in url.query}


def claim_database(engine: AsyncEngine, *, shared: bool = False) -> None:
    """Make each new connection raise `PostgresInUse` while another process uses the database.

    Processes with `shared` exclude only those without it. The lock belongs to a connection. After a server restart, the
    first process to connect gets it, so every new connection asks for the lock.
    """
    own_pids: set[int] = set()
    lock_function = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"

    @event.listens_for(engine.sync_engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:  # noqa: ANN401 - the driver's own object
        cursor = connection.cursor()
        try:
            cursor.execute(f"SELECT {lock_function}({_LOCK_CLASS}, {_RUNNING_LOCK}), pg_backend_pid()")
            (has_lock, own_pid) = cursor.fetchone()
            if not has_lock:
                cursor.execute(_HOLDER_QUERY, (_LOCK_CLASS, _RUNNING_LOCK))
                has_lock = any(pid in own_pids for (pid,) in cursor.fetchall())
            connection.commit()
        finally:
            cursor.close()
        if not has_lock:
            raise PostgresInUse
        own_pids.add(own_pid)


def is_claimed(connection: Connection) -> bool:
    return connection.exec_driver_sql(_HOLDER_QUERY, (_LOCK_CLASS, _RUNNING_LOCK)).first() is not None


async def connect_when_free(connect: Callable[[], Awaitable[None]]) -> None:
    """Connect, retrying while a previous bot's claim may still be released. Raises `PostgresInUse`."""
    clock = asyncio.get_running_loop()
    until = clock.time() + _CLAIM_TIMEOUT_S
    while True:
        try:
            return await connect()
        except PostgresInUse:
            if clock.time() > until:
                raise
        await asyncio.sleep(_CLAIM_POLL_INTERVAL_S)


def lock_migrations(connection: Connection) -> None:
    connection.execute(text("SET LOCAL lock_timeout = 0"))
    connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_CLASS}, {_MIGRATING_LOCK})"))


def is_unreachable(error: SQLAlchemyError | PostgresInUse) -> bool:
    """Return whether an error means that the server accepts no statements at present."""
    if isinstance(error, DBAPIError):
        # A statement that timed out has an error code (57014); a lost connection has none.
        code = getattr(error.orig, "sqlstate", None)
        is_connection_lost = error.connection_invalidated or (isinstance(error, OperationalError) and code is None)
        # 08: connection failures; 57: the operator intervened; 25006: the server takes no changes.
        return is_connection_lost or ((code or "")[:2] in ("08", "57") and code != "57014") or code == "25006"
    return isinstance(error, PostgresInUse | NoneFree)


def is_conflict(error: DBAPIError) -> bool:
    """Return whether the server ended a transaction so that others can go on, after which it may be run again."""
    return getattr(error.orig, "sqlstate", None) in (_SERIALIZATION_FAILURE, _DEADLOCK_DETECTED)


def is_transient(error: SQLAlchemyError | PostgresInUse) -> bool:
    """Return whether a database that could not be opened may be opened later without a change to its URL."""
    # Codes that begin with 53 mean that the server lacks room or connections.
    lacks_resources = (getattr(getattr(error, "orig", None), "sqlstate", None) or "").startswith("53")
    return lacks_resources or (is_unreachable(error) and not _FINAL_REFUSAL_PATTERN.search(str(error)))
