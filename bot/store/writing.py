"""Who writes next: SQLite has one writer at a time, and what somebody waits for goes first."""

from __future__ import annotations

import asyncio
import heapq
from types import TracebackType
from typing import Final

from bot.urgency import is_hurried

PATIENCE: Final = 20
"""How many later transactions for which somebody waits may overtake one for which nobody does."""


class WritersTurn:
    """A lock whose waiters take turns in the order in which they come, those for which somebody waits before others."""

    def __init__(self) -> None:
        self._held = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    async def __aenter__(self) -> None:
        self._count += 1
        if not self._held:
            self._held = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        last = self._count + (0 if is_hurried() else PATIENCE)
        heapq.heappush(self._waiting, (last, self._count, turn))
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
        while self._waiting:
            *_, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._held = False
