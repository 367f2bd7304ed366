"""Which migrations there are, and which of them a database has seen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

VERSIONS_FOLDER: Final = Path(__file__).parents[1] / "migrations" / "versions"


OLDEST_COMPATIBLE: Final = "0008"
"""Bots whose newest migration is this one, or a later one, can still work with tables as ours leave them.

So bots of two versions play side by side while a host brings one after the other up to date. Who adds a migration that
such a bot could not work with, because a column or a table of its own is gone or must be filled by everybody who adds a
row, sets this to that migration. Who adds an edition of a game's rules (`rules.core.protocol.Edition`) adds one that
changes nothing, and does the same: older bots can't read games that begin by it.
"""
COMPATIBILITY_KEY: Final = "tables:serve_from"
"""Under this key the newest of those who play keep it in `leases`, as a number in place of a token."""


def newest_revision() -> str:
    """The last of our migrations; each is a file `NNNN_what_it_does.py`."""
    return max(file.name for file in VERSIONS_FOLDER.glob("[0-9]*.py")).partition("_")[0]


def database_revision(connection: Connection) -> str | None:
    """The last migration that a database has seen; None if it has seen none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def is_foreign(connection: Connection) -> bool:
    """Return whether a database holds tables of another program."""
    tables = inspect(connection).get_table_names()  # first: another process may make ours meanwhile, all at once
    revision = database_revision(connection)
    return not _is_ours(revision) if revision else bool(tables)


def _is_ours(revision: str) -> bool:
    return len(revision) == len(newest_revision()) and revision.isdecimal()


def is_compatible(connection: Connection) -> bool:
    """Whether a database that a newer version has brought up to date is still one with which ours can work."""
    if (last := database_revision(connection)) is None or not _is_ours(last) or last <= newest_revision():
        return False
    oldest: int | None = connection.execute(
        text("SELECT token FROM leases WHERE key = :key"), {"key": COMPATIBILITY_KEY}
    ).scalar()
    return oldest is not None and oldest <= int(newest_revision())


def store_compatibility(connection: Connection) -> None:
    """Keep in the database which older versions can work with it as we leave it."""
    connection.execute(text("DELETE FROM leases WHERE key = :key"), {"key": COMPATIBILITY_KEY})
    new = {"key": COMPATIBILITY_KEY, "oldest": int(OLDEST_COMPATIBLE)}
    connection.execute(text("INSERT INTO leases (key, token, until) VALUES (:key, :oldest, 0)"), new)
