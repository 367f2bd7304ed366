"""Work for pages that is done one thing after another, and tried again while it can't be written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable
from typing import Final, Generic, TypeVar

from bot.errors import Refusal
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.store import NotWritten

T = TypeVar("T", bound=Hashable)

log = logging.getLogger(__name__)

RETRY_S: Final = 60.0  # after the database or the folder could not be written


class PageQueue(Generic[T]):
    """Handles items one after another in a task of its own. Those that fail wait, and hold up no others."""

    def __init__(self, handle: Callable[[T], Awaitable[None]], *, name: str) -> None:
        """Create a queue. `handle` may raise anything; it's called again after `NotWritten` and `OSError`."""
        self._handle = handle
        self._name = name
        self._waiting: dict[T, None] = {}  # in order
        self._failed: dict[T, None] = {}  # until `_retry_at`
        self._handled: T | None = None  # at the moment
        self._dropped: dict[T, None] = {}  # whose work broke off; until `try_again`
        self._retry_at = 0.0
        self._added = asyncio.Event()
        self._own_tasks = OwnTasks()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def add(self, items: Iterable[T], *, first: bool = False) -> None:
        """Handle these soon; before all others if they come `first`."""
        added = dict.fromkeys(items)
        self._waiting = added | self._waiting if first else self._waiting | added
        self._added.set()
        if self._waiting and not self._closed and not self.is_busy:
            self._task = self._own_tasks.start_task(self._work(), self._name)

    def __contains__(self, item: T) -> bool:
        """Return whether an item waits or is being handled."""
        return item in self._waiting or item in self._failed or item == self._handled

    def try_again(self) -> None:
        """Handle soon what could not be handled."""
        self.add(self._dropped)

    @property
    def is_busy(self) -> bool:
        return self._task is not None and not self._task.done()

    async def settle(self) -> None:
        while self._task and not self._task.done():
            await asyncio.wait([self._task])

    async def close(self) -> None:
        self._closed = True
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting or self._failed:
            if self._failed and asyncio.get_running_loop().time() >= self._retry_at:
                self._waiting, self._failed = self._waiting | self._failed, {}
            if not self._waiting:
                await self._rest()
                continue
            item = next(iter(self._waiting))
            del self._waiting[item]
            self._failed.pop(item, None)
            self._dropped.pop(item, None)
            await self._try_to_handle(item)

    async def _rest(self) -> None:
        """Wait until something is added or what failed is tried again."""
        self._added.clear()
        try:
            async with asyncio.timeout_at(self._retry_at):
                await self._added.wait()
        except TimeoutError:
            return

    async def _try_to_handle(self, item: T) -> None:
        extra = {"what": self._name, "which": item}
        self._handled = item
        try:
            await self._handle(item)
        except Refusal:
            log.debug("a game without a page", extra=extra)  # it has been deleted, or has not begun
        except (NotWritten, OSError) as error:
            log.warning("a page waits", extra={**extra, "why": str(error), "seconds": RETRY_S})
            if not self._failed:
                self._retry_at = asyncio.get_running_loop().time() + RETRY_S
            self._failed[item] = None
            if isinstance(error, NotWritten):  # the others would only fail, too
                self._waiting, self._failed = {}, self._failed | self._waiting
        except Exception:
            log.exception("a page was not written", extra=extra)
            self._dropped[item] = None
        finally:
            self._handled = None
