"""A semaphore with a limit per group, which keeps one host's games from taking all slots."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class GroupSemaphore:
    def __init__(self, limit: int, *, each: int) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._limit_per_group = each
        self._groups: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def slot(self, group: Hashable) -> AsyncIterator[None]:
        """Hold a slot for a group. While waiting for the group's limit, no shared slot is taken."""
        group_slots = self._groups.setdefault(group, asyncio.Semaphore(self._limit_per_group))
        async with group_slots, self._slots:
            yield
