"""All that is peculiar to PostgreSQL: its driver, one bot per database, snapshots, and a server that is away."""

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
"""How a URL may call it; which driver speaks with it is settled here."""
DRIVER: Final = "postgresql+psycopg"

_LOCK_CLASS: Final = 0x57474C59
"""The first half of the numbers of our advisory locks, which other programs on the server do not take."""
_RUNNING_LOCK: Final = 1
"""Held by the bot that uses the database."""
_MIGRATING_LOCK: Final = 2
"""Held while the tables are brought up to date."""
_CLAIM_TIMEOUT_S: Final = 3.0
"""How long a bot that starts waits for the server to notice that the one before is gone."""
_CLAIM_POLL_INTERVAL_S: Final = 0.1
"""Between two attempts."""

_HOLDER_QUERY: Final = """
SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
WHERE d.datname = current_database() AND l.granted AND l.locktype = 'advisory'
AND l.classid = %s AND l.objid = %s AND l.objsubid = 2
"""

_SESSION_SETTINGS: Final = {
    # What waits longer for another transaction, or computes for longer, is given up, and tried again or refused.
    "lock_timeout": "15s",
    "statement_timeout": "60s",
    # A process that stands still in a transaction keeps no game from the others for longer.
    "idle_in_transaction_session_timeout": "30s",
    # So soon the server notices that our machine is gone, and gives free what we hold.
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
"""How each connection is made, unless the URL says otherwise."""

READ_OPTIONS: Final[dict[str, Any]] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
"""All statements of such a transaction see the database as it was at the first."""


_FINAL_REFUSAL_PATTERN: Final = re.compile(
    r"password authentication failed|no password supplied|does not exist|no pg_hba\.conf entry|not permitted to log in"
    r"|invalid port number|is not currently accepting connections"
)
"""How a server or its driver refuses a connection for good; a connection that fails has no error code."""


class PostgresInUse(RuntimeError):
    """Another process uses this database."""


def is_postgres(url: URL) -> bool:
    """Whether a URL names a PostgreSQL database."""
    return url.get_backend_name() in BACKEND_NAMES


def with_driver(url: URL) -> URL:
    """The URL with the driver that is used here. Raises `ImportError` if it is another, or isn't installed."""
    if url.drivername not in (*BACKEND_NAMES, DRIVER):
        raise ImportError(f"PostgreSQL is spoken with as {DRIVER}://, not {url.drivername}://")
    try:
        import psycopg  # noqa: F401, PLC0415 - an extra, which a bot on SQLite does without
    except ImportError as lacking:
        raise ImportError("PostgreSQL needs the packages of requirements/postgres.txt") from lacking
    return url.set(drivername=DRIVER)


def connect_arguments(url: URL) -> dict[str, Any]:
    """What a connection is made with, besides what its URL says."""
    return {name: value for name, value in CONNECT_OPTIONS.items() if name not in url.query}


def claim_database(engine: AsyncEngine, *, shared: bool = False) -> None:
    """Let one process alone use the database: each new connection raises `PostgresInUse` while another process does.

    Those that use it `shared` keep out only who wants it alone.

    The lock goes with the connection that holds it. A server that was away gives it to whose next connection comes
    first: so every one asks for it, and who finds it with somebody else stays out.
    """
    ours: set[int] = set()
    ask = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"

    @event.listens_for(engine.sync_engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:  # noqa: ANN401 - the driver's own object
        cursor = connection.cursor()
        try:
            cursor.execute(f"SELECT {ask}({_LOCK_CLASS}, {_RUNNING_LOCK}), pg_backend_pid()")
            (held, own) = cursor.fetchone()
            if not held:
                cursor.execute(_HOLDER_QUERY, (_LOCK_CLASS, _RUNNING_LOCK))
                held = any(pid in ours for (pid,) in cursor.fetchall())
            connection.commit()
        finally:
            cursor.close()
        if not held:
            raise PostgresInUse
        ours.add(own)


def is_claimed(connection: Connection) -> bool:
    """Whether a bot uses the database of a connection that is not a bot's."""
    return connection.exec_driver_sql(_HOLDER_QUERY, (_LOCK_CLASS, _RUNNING_LOCK)).first() is not None


async def connect_when_free(connect: Callable[[], Awaitable[None]]) -> None:
    """Connect, again and again if the one before has only just gone. Raises `PostgresInUse` if it stays."""
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
    """Wait until no other process brings the tables up to date, until the transaction ends."""
    connection.execute(text("SET LOCAL lock_timeout = 0"))
    connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_CLASS}, {_MIGRATING_LOCK})"))


def is_unreachable(error: SQLAlchemyError | PostgresInUse) -> bool:
    """Whether an error means that the server takes nothing just now, neither this nor anything else."""
    if isinstance(error, DBAPIError):
        # A statement that waited too long for another transaction has an error with a code; a lost connection has none.
        code = getattr(error.orig, "sqlstate", None)
        lost = error.connection_invalidated or (isinstance(error, OperationalError) and code is None)
        return lost or ((code or "")[:2] in ("08", "57") and code != "57014") or code == "25006"
    return isinstance(error, PostgresInUse | NoneFree)


def is_transient(error: SQLAlchemyError | PostgresInUse) -> bool:
    """Return whether a database that could not be opened may be opened later without a change to its URL."""
    without_room = (getattr(getattr(error, "orig", None), "sqlstate", None) or "").startswith("53")
    return without_room or (is_unreachable(error) and not _FINAL_REFUSAL_PATTERN.search(str(error)))
