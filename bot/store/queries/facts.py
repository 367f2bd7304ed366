"""Query and change key-value pairs that the bot needs after a restart."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, select

from bot.store.engine.built import match_values, select_rows
from bot.store.models.tables import kept_facts
from bot.store.queries.base import QueryGroup


class FactQueries(QueryGroup):
    async def find(self, key: str) -> str | None:
        row = (await self._connection.execute(select_rows(kept_facts, "key"), match_values(key=key))).first()
        return row.value if row else None

    async def store(self, key: str, value: str) -> None:
        await self._upsert(kept_facts, {"key": key, "value": value})

    async def with_prefix(self, prefix: str) -> dict[str, str]:
        query = select(kept_facts.c.key, kept_facts.c.value).where(kept_facts.c.key.startswith(prefix, autoescape=True))
        return {row.key: row.value for row in await self._connection.execute(query)}

    async def delete(self, keys: Collection[str]) -> None:
        if keys:
            await self._connection.execute(delete(kept_facts).where(kept_facts.c.key.in_(list(keys))))
