"""How many games that are due go on at a time, so that no host's take all places."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class GroupSemaphore:
    """So many places, of which whatever belongs together takes a few at most."""

    def __init__(self, most: int, *, each: int) -> None:
        self._slots = asyncio.Semaphore(most)
        self._limit_per_group = each
        self._groups: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def slot(self, lane: Hashable) -> AsyncIterator[None]:
        """Hold a place in a lane; wait until there is one. Who waits for their lane takes no place."""
        few = self._groups.setdefault(lane, asyncio.Semaphore(self._limit_per_group))
        async with few, self._slots:
            yield
