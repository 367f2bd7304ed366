"""Build statements once and cache them, because building one takes longer than executing it."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Insert, Select, Table, Update, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.base import ReadOnlyColumnCollection


def match_values(**columns: Any) -> dict[str, Any]:  # noqa: ANN401 - what the columns hold
    """Return parameters for `select_rows` and `update_rows`: the values by which they find rows."""
    return {f"by_{name}": value for name, value in columns.items()}


@cache
def select_rows(table: Table, *names: str, order: tuple[str, ...] = ()) -> Select[Any]:
    """Select all columns of the rows whose named columns equal `match_values`, sorted by other columns."""
    query = select(table).where(*(table.c[name] == bindparam(f"by_{name}") for name in names))
    return query.order_by(*(table.c[name] for name in order))


@cache
def insert_row(table: Table) -> Insert:
    """Insert a row for each set of parameters."""
    return insert(table)


@cache
def update_rows(table: Table, *names: str) -> Update:
    """Update the given columns of the rows whose other columns equal `match_values`."""
    return update(table).where(*(table.c[name] == bindparam(f"by_{name}") for name in names))


@cache
def upsert_row(dialect: str, table: Table, names: tuple[str, ...]) -> Insert:
    """Insert a row with the named columns, or update these columns of the row with its primary key."""
    new = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    excluded: ReadOnlyColumnCollection[str, Any] = new.excluded
    key = [column.name for column in table.primary_key]
    changed = {name: excluded[name] for name in names if name not in key}
    return new.on_conflict_do_update(index_elements=key, set_=changed)  # type: ignore[no-any-return]  # two dialects, one interface
