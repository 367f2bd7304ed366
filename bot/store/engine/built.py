"""Statements that are built once, and carried out with other values each time: to build them takes longer than that."""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Insert, Select, Table, Update, bindparam, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.base import ReadOnlyColumnCollection


def match_values(**columns: Any) -> dict[str, Any]:  # noqa: ANN401 - what the columns hold
    """By which values of columns rows are found, as `select_rows` and `update_rows` take them."""
    return {f"by_{name}": value for name, value in columns.items()}


@cache
def select_rows(table: Table, *names: str, order: tuple[str, ...] = ()) -> Select[Any]:
    """Select all columns of the rows whose named columns equal `match_values`, sorted by other columns."""
    query = select(table).where(*(table.c[name] == bindparam(f"by_{name}") for name in names))
    return query.order_by(*(table.c[name] for name in order))


@cache
def insert_row(table: Table) -> Insert:
    """Adds a row with the columns that are given; given several sets of them, a row with each."""
    return insert(table)


@cache
def update_rows(table: Table, *names: str) -> Update:
    """Update the given columns of the rows whose other columns equal `match_values`."""
    return update(table).where(*(table.c[name] == bindparam(f"by_{name}") for name in names))


@cache
def upsert_row(dialect: str, table: Table, names: tuple[str, ...]) -> Insert:
    """Stores a row of the columns of these names, or, if there is one with its primary key, these columns of it."""
    new = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    excluded: ReadOnlyColumnCollection[str, Any] = new.excluded
    key = [column.name for column in table.primary_key]
    changed = {name: excluded[name] for name in names if name not in key}
    return new.on_conflict_do_update(index_elements=key, set_=changed)  # type: ignore[no-any-return]  # two dialects, one interface
