"""Remember what has been sent to Discord once, to avoid sending it again."""

from __future__ import annotations

from bot.store import Store


class MemoService:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def find_memo(self, key: str) -> str | None:
        async with self._store.read() as tx:
            return await tx.facts.find(key)

    async def store_memo(self, key: str, value: str) -> None:
        async with self._store.write() as tx:
            await tx.facts.store(key, value)
