"""Copy all rows of a database into another one, possibly of another kind."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Select, Table, func, insert, literal, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.models.tables import leases, metadata

COPIED_TABLES: Final = [table for table in metadata.sorted_tables if table is not leases]
BATCH_ROWS: Final = 500


class TargetNotEmpty(RuntimeError):
    """The target database already contains rows."""


class CopyReport(Struct, frozen=True):
    """The result of copying a database."""

    rows_by_table: dict[str, int]  # number of copied rows


async def copy_database(source: AsyncConnection, target: AsyncConnection) -> CopyReport:
    """Copy all rows of all tables and compare them with the originals. The caller commits.

    Raises `TargetNotEmpty`, or `RuntimeError` if the copy differs.
    """
    rows: dict[str, int] = {}
    for table in COPIED_TABLES:
        if (await target.execute(select(func.count()).select_from(table))).scalar_one():
            raise TargetNotEmpty(table.name)
    for table in COPIED_TABLES:
        rows[table.name] = await _copy_table(table, source, target)
        await _advance_sequence(table, target)
    return CopyReport(rows)


async def _copy_table(table: Table, source: AsyncConnection, target: AsyncConnection) -> int:
    count = 0
    key_columns = [*table.primary_key]
    query: Select[Any] = select(table).order_by(*key_columns).limit(BATCH_ROWS)
    rows = (await source.execute(query)).all()
    while rows:
        row_values = [dict(zip(table.c.keys(), row, strict=True)) for row in rows]
        await target.execute(insert(table), row_values)
        keys = [tuple(row[column.name] for column in key_columns) for row in row_values]
        copied = (await target.execute(select(table).where(tuple_(*key_columns).in_(keys)))).all()
        if {tuple(row) for row in copied} != {tuple(row) for row in rows}:
            raise RuntimeError(f"{table.name}: what was copied is not what was read")
        count += len(rows)
        last_key = tuple_(*(literal(value, column.type) for value, column in zip(keys[-1], key_columns, strict=True)))
        rows = (await source.execute(query.where(tuple_(*key_columns) > last_key))).all()
    return count


async def _advance_sequence(table: Table, target: AsyncConnection) -> None:
    column = table.autoincrement_column
    if target.dialect.name != "postgresql" or column is None or column.foreign_keys or column.autoincrement is not True:
        return
    last = (await target.execute(select(func.max(column)))).scalar()
    if last is not None:
        await target.execute(select(func.setval(func.pg_get_serial_sequence(table.name, column.name), last)))
