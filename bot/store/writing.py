"""Who writes next: SQLite has one writer at a time, and what somebody waits for goes first."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType
from typing import Final

from bot.urgency import is_hurried

IN_A_ROW: Final = 5
"""Transactions for which somebody waits that may pass one for which nobody does: then it has its turn."""


class WritersTurn:
    """A lock whose waiters take turns in the order in which they come, those for which somebody waits before others."""

    def __init__(self) -> None:
        self._held = False
        self._waiting: dict[bool, deque[asyncio.Future[None]]] = {False: deque(), True: deque()}
        """By whether somebody waits for what they write."""
        self._in_a_row = 0

    async def __aenter__(self) -> None:
        if not self._held:
            self._held = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[is_hurried()].append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._hand_over()  # it was just this one's turn
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hand_over()

    def _hand_over(self) -> None:
        if turn := self._next():
            turn.set_result(None)
        else:
            self._held = False

    def _next(self) -> asyncio.Future[None] | None:
        hurried, others = self._waiting[True], self._waiting[False]
        for waiting in (hurried, others):
            while waiting and waiting[0].done():  # nobody waits for it any more
                waiting.popleft()
        if hurried and not (others and self._in_a_row >= IN_A_ROW):
            self._in_a_row += 1
            return hurried.popleft()
        self._in_a_row = 0
        return others.popleft() if others else None
