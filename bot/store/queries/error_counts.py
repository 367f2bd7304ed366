"""Count logged errors by hour and kind, without names or secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from sqlalchemy import delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from bot.store.models.tables import error_counts
from bot.store.queries.base import QueryGroup

HOUR_S: Final = 3_600
RETENTION_S: Final = 7 * 86_400


class ErrorCount(Struct, frozen=True):
    kind: str  # constant text of the log line, without values
    count: int  # lines of this kind since a time
    last_at: int  # Unix seconds


class ErrorCountQueries(QueryGroup):
    async def add(self, counts: Mapping[str, int], *, now: int) -> None:
        insert = (sqlite if self._connection.dialect.name == "sqlite" else postgresql).insert
        for kind, count in counts.items():
            row = {"hour": now - now % HOUR_S, "kind": kind, "count": count, "last_at": now}
            insertion = insert(error_counts).values(row)
            added_columns = {
                "count": error_counts.c.count + insertion.excluded.count,
                "last_at": insertion.excluded.last_at,
            }
            await self._connection.execute(
                insertion.on_conflict_do_update(index_elements=["hour", "kind"], set_=added_columns)
            )
        await self._connection.execute(delete(error_counts).where(error_counts.c.hour < now - RETENTION_S))

    async def counts_since(self, when: int) -> list[ErrorCount]:
        """Return the counts since a time in whole hours, most frequent kinds first."""
        total = func.sum(error_counts.c.count).label("total")
        last_at = func.max(error_counts.c.last_at).label("last_at")
        query = select(error_counts.c.kind, total, last_at).where(error_counts.c.hour > when - HOUR_S)
        query = query.group_by(error_counts.c.kind).order_by(total.desc(), error_counts.c.kind)
        return [ErrorCount(row.kind, int(row.total), row.last_at) for row in await self._connection.execute(query)]
