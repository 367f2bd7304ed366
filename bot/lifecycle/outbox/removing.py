"""Delete obsolete direct messages, one after another, independently of the outbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from bot import logs
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.store import NotWritten, Store
from bot.store.models.records import Removal

log = logging.getLogger(__name__)

MAX_BATCH: Final = 20
RETRY_PAUSE_S: Final = 60  # seconds until a deletion is tried again, unless Discord names a time


class DeletionDeferred(Exception):
    """Discord could not delete a message now. Not raised if it never will: the removal then counts as done."""

    def __init__(self, reason: str, *, pause_s: int = RETRY_PAUSE_S) -> None:
        super().__init__(reason)
        self.pause_s = max(1, pause_s)


class MessageDeleter:
    def __init__(
        self,
        store: Store,
        now: Callable[[], int],
        delete: Callable[[Removal], Awaitable[None]],
        on_postponed: Callable[[], None],
    ) -> None:
        """Create a deleter. If `delete` raises `DeletionDeferred`, it calls `on_postponed`."""
        self._store = store
        self._own_tasks = OwnTasks()
        self._clock = now
        self._delete = delete
        self._task: asyncio.Task[None] | None = None
        self._must_read = False
        self._closed = False
        self._on_postponed = on_postponed

    def wake(self) -> None:
        self._must_read = not self._closed
        if self._must_read and (self._task is None or self._task.done()):
            self._task = self._own_tasks.start_task(self._drain(), "removing")

    async def settle(self) -> None:
        while self._task and not self._task.done():
            await asyncio.shield(self._task)

    async def close(self) -> None:
        self._closed = True
        if self._task and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _drain(self) -> None:
        try:
            while self._must_read and not self._closed:
                self._must_read = False
                async with self._store.read() as tx:
                    due_removals = await tx.removals.due_now(now=self._clock(), most=MAX_BATCH)
                if not due_removals:
                    return
                if not await self._remove_all(due_removals):
                    self._on_postponed()
                    return  # Discord limits the rate or is away
                self._must_read = self._must_read or len(due_removals) == MAX_BATCH
        except NotWritten:
            # Messages already deleted are deleted again, which Discord accepts.
            log.exception("deletions wait for room to be written down")

    async def _remove_all(self, due: Sequence[Removal]) -> bool:
        """Return False if Discord takes no more deletions now."""
        deleted: list[Removal] = []
        try:
            for removal in due:
                if self._closed or not await self._remove(removal):
                    return self._closed  # to stop for closing is no refusal
                deleted.append(removal)
        finally:
            # After a crash, messages already deleted are deleted again, which Discord accepts.
            if deleted:
                async with self._store.write() as tx:
                    await tx.removals.delete_done(deleted)
        return True

    async def _remove(self, removal: Removal) -> bool:
        with logs.bind_values(game=removal.game_id):
            try:
                await self._delete(removal)
            except DeletionDeferred as reason:
                log.warning("deletion waits", extra={"seconds": reason.pause_s, "why": str(reason)})
                async with self._store.write() as tx:
                    await tx.removals.postpone(removal, self._clock() + reason.pause_s)
                return False
        return True
