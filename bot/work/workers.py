"""Processes that compute and draw, so that the event loop never waits for either."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final, ParamSpec, TypeVar

from msgspec import Struct

from bot.work.turns import Kind, Turns
from bot.work.worker import Bounds, Worker

P = ParamSpec("P")
T = TypeVar("T")

MEMORY_MOST: Final = 2 * 2**30
"""Bytes of addresses of a worker."""


class Limits(Struct, frozen=True, kw_only=True):
    """Seconds that jobs may take, by what they make, from when they are begun."""

    rules: float = 60.0
    picture: float = 60.0
    film: float = 120.0


class Workers:
    """A few processes, and the order in which they do jobs: pure functions of values that pickle.

    Every job may raise `TooMuch` or `Failed`. One that hangs is killed; a process that was killed or died is replaced.
    """

    def __init__(self, count: int = 1, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.turns = Turns(count)
        # Whoever has worked last is asked first, so that the others are started when there is more to do than it can.
        self._idle = [_Threaded() for _ in range(count)]
        self._all = tuple(self._idle)
        self._since: dict[int, float] = {}
        """When each job that is not done was handed in, by its number."""
        self._numbers = itertools.count()
        self.asked_by = self.turns.asked_by
        self.admit = self.turns.admit

    @property
    def jobs(self) -> int:
        """Jobs that are being done or wait for it."""
        return len(self._since)

    @property
    def oldest_s(self) -> float:
        """For how many seconds the oldest of them has been waiting or been done."""
        now = time.monotonic()
        return now - min(self._since.values(), default=now)

    @property
    def replaced(self) -> int:
        """Processes that were killed or died so far."""
        return sum(each.worker.replaced for each in self._all)

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes."""
        return [each.worker.pid for each in self._all if each.worker.pid]

    def warm(self, job: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Start a process now, with a job that loads what it will need, rather than when somebody waits for it.

        The others are started when there is more to do than it can.
        """
        self._idle[-1].submit(partial(job, *args, **kwargs), self._limits.film)

    async def run(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job elsewhere, in its turn."""
        return await self._in_turn(partial(job, *args, **kwargs), "rules", self._limits.rules)

    async def draw(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a job that makes a picture: the many that take a tenth of its time go first.

        Raises `Refusal` if whoever asks has asked for too many just now.
        """
        self.admit()
        return await self._in_turn(partial(job, *args, **kwargs), "picture", self._limits.picture)

    async def film(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a film."""
        self.admit()
        return await self._in_turn(partial(job, *args, **kwargs), "film", self._limits.film)

    async def _in_turn(self, job: Callable[[], T], kind: Kind, most_s: float) -> T:
        number = next(self._numbers)
        self._since[number] = time.monotonic()
        begun = False
        try:
            async with self.turns.lane(kind):
                await self.turns.enter(kind)
                each = self._idle.pop()
                done = each.submit(job, most_s)
                begun = True
                done.add_done_callback(self._leaving(each, kind, number))
                return await asyncio.wrap_future(done)
        finally:
            if not begun:
                del self._since[number]

    def _leaving(self, each: _Threaded, kind: Kind, number: int) -> Callable[[object], None]:
        """What to do when a job is over: its process is at it until then, also if whoever waited for it has gone."""
        loop = asyncio.get_running_loop()

        def leave() -> None:
            del self._since[number]
            self._idle.append(each)
            self.turns.leave(kind)

        def over(_: object) -> None:
            try:
                loop.call_soon_threadsafe(leave)
            except RuntimeError:
                leave()  # the loop is closed, and nobody is waiting

        return over

    def close(self) -> None:
        """End the processes, whatever they are at: what must be finished was waited for."""
        for each in self._all:
            each.close()


class _Threaded:
    """A worker with the thread that waits for it."""

    def __init__(self) -> None:
        self.worker = Worker(Bounds(memory=MEMORY_MOST))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="worker")

    def submit(self, job: Callable[[], T], most_s: float) -> Future[T]:
        return self._thread.submit(self.worker.do, job, most_s)

    def close(self) -> None:
        self.worker.stop()
        self._thread.shutdown(wait=True, cancel_futures=True)
