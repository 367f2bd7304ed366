"""Which migrations there are, and which of them a database has seen."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, inspect, text

FOLDER: Final = Path(__file__).with_name("migrations") / "versions"


def newest() -> str:
    """The last of our migrations; each is a file `NNNN_what_it_does.py`."""
    return max(file.name for file in FOLDER.glob("[0-9]*.py")).partition("_")[0]


def found(connection: Connection) -> str | None:
    """The last migration that a database has seen; None if it has seen none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision
