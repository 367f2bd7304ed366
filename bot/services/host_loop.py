"""Poll for requests of the host while the bot runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from bot.lifecycle.process.own_tasks import OwnTasks
from bot.logs import ErrorCounter
from bot.services.denials import DenialCache
from bot.services.host import RETRY_INTERVAL_S, HostService
from bot.store import NotWritten, Store

log = logging.getLogger(__name__)

POLL_INTERVAL_S: Final = 2.0
"""Seconds between two polls of two statements each; bots that share a PostgreSQL are notified at once."""
PAUSE_S: Final = 10.0


class HostLoop:
    def __init__(
        self,
        store: Store,
        *,
        host_service: HostService,
        denials: DenialCache,
        errors: ErrorCounter,
        now: Callable[[], int],
        on_denials_read: Callable[[], Awaitable[None]],
        poll_s: float | None = POLL_INTERVAL_S,
    ) -> None:
        """Create the loop. `on_denials_read` is called after each reload. Without `poll_s` it runs only when woken."""
        self._store = store
        self._host_service = host_service
        self._denials = denials
        self._errors = errors
        self._now = now
        self._on_denials_read = on_denials_read
        self._poll_s = poll_s
        self._tasks = OwnTasks()
        self._poll_task: asyncio.Task[None] | None = None
        self._sleep_task: asyncio.Task[None] | None = None
        self._is_woken = False
        self._run_lock = asyncio.Lock()

    def wake(self) -> None:
        self._is_woken = True
        if self._poll_task is None or self._poll_task.done():
            self._poll_task = self._tasks.start_task(self._poll_and_sleep(), "requests of the host")

    async def run_once(self) -> bool:
        """Carry out requests, read who is denied and store error counts. Return whether to poll again soon.

        Raises `NotWritten`.
        """
        async with self._run_lock:
            must_retry = await self._host_service.carry_out_all()
            await self._denials.reload()
            await self._on_denials_read()
            await self._store_errors()
        return must_retry

    async def close(self) -> None:
        for task in (self._sleep_task, self._poll_task):
            if task and not task.done():
                task.cancel()
                await asyncio.wait([task])
        with suppress(NotWritten):
            await self._store_errors()

    async def _poll_and_sleep(self) -> None:
        if self._sleep_task:
            self._sleep_task.cancel()
            self._sleep_task = None
        pause_s = self._poll_s
        while self._is_woken:
            self._is_woken = False
            pause_s = self._poll_s
            try:
                if await self.run_once():
                    pause_s = RETRY_INTERVAL_S
            except NotWritten as error:
                log.warning("requests of the host wait for the database", extra={"why": str(error)})
                pause_s = self._poll_s and PAUSE_S  # still None if it runs only when woken
            except Exception:
                log.exception("requests of the host could not be looked at")
                pause_s = self._poll_s and PAUSE_S
        if pause_s is not None:
            self._sleep_task = self._tasks.start_task(self._sleep(pause_s), "until the host may ask for something")

    async def _sleep(self, pause_s: float) -> None:
        await asyncio.sleep(pause_s)
        self._sleep_task = None  # it must not cancel itself
        self.wake()

    async def _store_errors(self) -> None:
        counts = self._errors.take()
        if not counts:
            return
        try:
            async with self._store.write() as tx:
                await tx.error_counts.add(counts, now=self._now())
        except NotWritten:
            self._errors.put_back(counts)
            raise
