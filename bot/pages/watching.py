"""Look for changes of games for their readers: once a second for each game, however many readers it has."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

log = logging.getLogger(__name__)

WATCH_S: Final = 1.0


class Watch:
    """Content that readers of one game follow."""

    def __init__(self, content: bytes) -> None:
        self.content: bytes | None = content  # None: the game has no page any more
        self.reader_count = 0
        self._changed = asyncio.Event()  # replaced at each change

    async def wait_for_change(self, seen: bytes, timeout_s: float) -> None:
        """Wait until the content differs from what a reader has `seen`, or for `timeout_s` seconds at most."""
        if self.content == seen:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), timeout_s)

    def wake_readers(self) -> None:
        event, self._changed = self._changed, asyncio.Event()
        event.set()


class Watcher:
    def __init__(self, read: Callable[[str], Awaitable[bytes | None]]) -> None:
        """Create a watcher. `read` returns a game's content by its key; None: it has no page."""
        self._read = read
        self._watches: dict[str, Watch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def watch(self, key: str, content: bytes) -> AsyncIterator[Watch]:
        """Follow a game's content as long as the context lasts. `content` is what the reader has just found."""
        watch = self._watches.get(key)
        if watch is None:
            watch = self._watches[key] = Watch(content)
            self._tasks[key] = asyncio.create_task(self._look(key, watch), name="watches a page")
        watch.reader_count += 1
        try:
            yield watch
        finally:
            watch.reader_count -= 1
            if not watch.reader_count:
                self._watches.pop(key)
                self._tasks.pop(key).cancel()

    def wake_all(self) -> None:
        """Wake all readers, so that they notice that the site ends."""
        for watch in self._watches.values():
            watch.wake_readers()

    async def _look(self, key: str, watch: Watch) -> None:
        while True:
            await asyncio.sleep(WATCH_S)
            try:
                content = await self._read(key)
            except OSError as error:  # all readers of the game wait for this watch, so it goes on
                log.warning("a page could not be looked at", extra={"why": error.strerror})
                continue
            if content != watch.content:
                watch.content = content
                watch.wake_readers()
