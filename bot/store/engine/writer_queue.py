"""Queue writers by urgency, because SQLite has one writer at a time."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Final

from bot.urgency import Urgency, current_urgency

MAX_PASSES: Final = 5  # a waiter goes next after this many more urgent ones have passed it


class WriterQueue:
    """A lock whose waiters take turns in order of arrival, more urgent ones first."""

    def __init__(self) -> None:
        self._is_held = False
        self._waiters: dict[Urgency, deque[asyncio.Future[None]]] = {urgency: deque() for urgency in Urgency}
        self._pass_count = dict.fromkeys(Urgency, 0)
        """By urgency: the number of more urgent waiters that have passed since the last turn."""

    async def __aenter__(self) -> None:
        if not self._is_held:
            self._is_held = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters[current_urgency()].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release_to_next()  # the lock had just been handed over
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release_to_next()

    def _release_to_next(self) -> None:
        if turn := self._next_waiter():
            turn.set_result(None)
        else:
            self._is_held = False

    def _next_waiter(self) -> asyncio.Future[None] | None:
        """Remove and return the most urgent waiter, or one whose urgency was passed over `MAX_PASSES` times."""
        for waiting in self._waiters.values():
            while waiting and waiting[0].done():  # the waiter was cancelled
                waiting.popleft()
        waiting_urgencies = [urgency for urgency, waiting in self._waiters.items() if waiting]
        if not waiting_urgencies:
            return None
        chosen = next(
            (urgency for urgency in waiting_urgencies if self._pass_count[urgency] >= MAX_PASSES), waiting_urgencies[0]
        )
        self._pass_count = {
            urgency: self._pass_count[urgency] + 1 if urgency > chosen and urgency in waiting_urgencies else 0
            for urgency in Urgency
        }
        return self._waiters[chosen].popleft()
