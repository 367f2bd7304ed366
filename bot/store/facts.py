"""What the bot itself must remember."""

from __future__ import annotations

from sqlalchemy import insert, select, update

from bot.store.rows import Queries
from bot.store.tables import kept_facts


class Facts(Queries):
    """Queries and changes of what the bot keeps."""

    async def find(self, key: str) -> str | None:
        """What the bot itself keeps under a name; None if that is nothing."""
        kept: str | None = (
            await self._connection.execute(select(kept_facts.c.value).where(kept_facts.c.key == key))
        ).scalar()
        return kept

    async def keep(self, key: str, value: str) -> None:
        """Keep it from now on."""
        changed = await self._connection.execute(update(kept_facts).where(kept_facts.c.key == key).values(value=value))
        if changed.rowcount == 0:
            await self._connection.execute(insert(kept_facts).values(key=key, value=value))
