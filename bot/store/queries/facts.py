"""What the bot itself must remember."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, select

from bot.store.engine.built import match_values, select_rows
from bot.store.models.tables import kept_facts
from bot.store.queries.base import QueryGroup


class FactQueries(QueryGroup):
    """Queries and changes of what the bot keeps."""

    async def find(self, key: str) -> str | None:
        """What the bot itself keeps under a name; None if that is nothing."""
        row = (await self._connection.execute(select_rows(kept_facts, "key"), match_values(key=key))).first()
        return row.value if row else None

    async def store(self, key: str, value: str) -> None:
        """Keep it from now on."""
        await self._upsert(kept_facts, {"key": key, "value": value})

    async def with_prefix(self, prefix: str) -> dict[str, str]:
        """All that is kept under names that begin so, by name."""
        query = select(kept_facts.c.key, kept_facts.c.value).where(kept_facts.c.key.startswith(prefix, autoescape=True))
        return {row.key: row.value for row in await self._connection.execute(query)}

    async def delete(self, keys: Collection[str]) -> None:
        """Keep nothing more under these names."""
        if keys:
            await self._connection.execute(delete(kept_facts).where(kept_facts.c.key.in_(list(keys))))
