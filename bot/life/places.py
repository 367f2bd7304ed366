"""How many games that are due go on at a time, so that no host's take all places."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary


class GroupSemaphore:
    """So many places, of which whatever belongs together takes a few at most."""

    def __init__(self, most: int, *, each: int) -> None:
        self._places = asyncio.Semaphore(most)
        self._each = each
        self._lanes: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, lane: Hashable) -> AsyncIterator[None]:
        """Hold a place in a lane; wait until there is one. Who waits for their lane takes no place."""
        few = self._lanes.setdefault(lane, asyncio.Semaphore(self._each))
        async with few, self._places:
            yield
