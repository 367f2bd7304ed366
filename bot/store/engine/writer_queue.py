"""Who writes next: SQLite has one writer at a time. What somebody waits for goes first, then come games' steps."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Final

from bot.urgency import Urgency, current_urgency

MAX_PASSES: Final = 5
"""Transactions that are more urgent and may pass one: then it has its turn."""


class WriterQueue:
    """A lock whose waiters take turns in the order in which they come, the more urgent ones first."""

    def __init__(self) -> None:
        self._is_held = False
        self._waiters: dict[Urgency, deque[asyncio.Future[None]]] = {how: deque() for how in Urgency}
        """By how urgent it is what they write."""
        self._pass_count = dict.fromkeys(Urgency, 0)
        """How many have passed those that wait, since one of these had its turn."""

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
                self._release_to_next()  # it was just this one's turn
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
        for waiting in self._waiters.values():
            while waiting and waiting[0].done():  # nobody waits for it any more
                waiting.popleft()
        there = [how for how, waiting in self._waiters.items() if waiting]
        if not there:
            return None
        first = next((how for how in there if self._pass_count[how] >= MAX_PASSES), there[0])
        self._pass_count = {how: self._pass_count[how] + 1 if how > first and how in there else 0 for how in Urgency}
        return self._waiters[first].popleft()
