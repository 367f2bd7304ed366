"""Tell which migrations exist and which of them a database has."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

VERSIONS_FOLDER: Final = Path(__file__).parents[1] / "migrations" / "versions"


OLDEST_COMPATIBLE: Final = "0001"
"""Bots whose newest migration is this one or later can work with the tables of this version.

This lets bots of two versions run side by side during an upgrade. Raise it to a new migration that such bots could not
work with, for example because it drops a column or adds one that every insert must fill. A new edition of a game's
rules (`Ruleset.edition`) needs an empty migration and the same change, because older bots can't read games
that begin with it.
"""
COMPATIBILITY_KEY: Final = "tables:serve_from"
"""Key in `leases` whose token is the `OLDEST_COMPATIBLE` of the newest bot that has run."""


def newest_revision() -> str:
    return max(file.name for file in VERSIONS_FOLDER.glob("[0-9]*.py")).partition("_")[0]


def database_revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def is_foreign(connection: Connection) -> bool:
    # Read before the revision, because another process may create our tables meanwhile, all at once.
    tables = inspect(connection).get_table_names()
    revision = database_revision(connection)
    return not _is_ours(revision) if revision else bool(tables)


def _is_ours(revision: str) -> bool:
    return len(revision) == len(newest_revision()) and revision.isdecimal()


def is_compatible(connection: Connection) -> bool:
    # Returns whether a newer version has made the tables, but this one can work with them.
    if (last := database_revision(connection)) is None or not _is_ours(last) or last <= newest_revision():
        return False
    oldest: int | None = connection.execute(
        text("SELECT token FROM leases WHERE key = :key"), {"key": COMPATIBILITY_KEY}
    ).scalar()
    return oldest is not None and oldest <= int(newest_revision())


def store_compatibility(connection: Connection) -> None:
    connection.execute(text("DELETE FROM leases WHERE key = :key"), {"key": COMPATIBILITY_KEY})
    new = {"key": COMPATIBILITY_KEY, "oldest": int(OLDEST_COMPATIBLE)}
    connection.execute(text("INSERT INTO leases (key, token, until) VALUES (:key, :oldest, 0)"), new)
