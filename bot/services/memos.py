"""What the bot has told Discord once, so that it is not told again."""

from __future__ import annotations

from bot.store import Store


class MemoService:
    """Short texts that are kept by a key."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def find_memo(self, key: str) -> str | None:
        """What was kept under a key last; None if nothing was."""
        async with self._store.read() as tx:
            return await tx.facts.find(key)

    async def store_memo(self, key: str, value: str) -> None:
        """Keep something under a key, in place of what was kept there."""
        async with self._store.write() as tx:
            await tx.facts.store(key, value)
