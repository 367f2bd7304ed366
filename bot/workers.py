"""Processes that compute and draw, so that the event loop never waits for either."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import os
import resource
import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextvars import ContextVar
from functools import partial
from multiprocessing import get_context, parent_process
from typing import Final, ParamSpec, TypeVar

from bot import logs

P = ParamSpec("P")
T = TypeVar("T")


_NICE: Final = 10
_MEMORY_MOST: Final = 2 * 2**30
"""Bytes of addresses, of which a process that has loaded the rules takes some without using them."""

_patient: ContextVar[bool] = ContextVar("patient", default=False)


def give_way() -> None:
    """Nobody watches what this task does: from now on its jobs let those pass for which somebody waits."""
    _patient.set(True)


class Failed(RuntimeError):
    """A job met a fault of ours: of which kind, and where; not with what values, for jobs hold secrets."""


class TooMuch(Exception):
    """A job took more time or memory than it may."""


class Workers:
    """A small pool of processes. Jobs are pure functions of values that pickle."""

    def __init__(self, count: int = 1, *, ahead: int = 0) -> None:
        """Hand over only so many jobs `ahead` of what is being done: what is handed over can be overtaken no more."""
        self._count = count
        self._pool = self._start()
        self._free = count + ahead
        self._queue: list[tuple[bool, bool, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self.jobs = 0
        """Jobs that are being done or wait for it."""

    def _start(self) -> ProcessPoolExecutor:
        # Spawned, not forked: a fork would copy the event loop's threads in the middle of whatever they hold.
        return ProcessPoolExecutor(self._count, mp_context=get_context("spawn"), initializer=_begin)

    def warm(self, job: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Start a process now, with a job that loads what it will need, rather than when somebody waits for it.

        The others are started when there is more to do than it can.
        """
        self._pool.submit(job, *args, **kwargs)

    async def run(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job elsewhere, in its turn. A process that died is replaced and the job tried once more."""
        return await self._in_turn(partial(job, *args, **kwargs), slow=False)

    async def draw(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a job that makes a picture: the many that take a tenth of its time go first."""
        return await self._in_turn(partial(job, *args, **kwargs), slow=True)

    async def _in_turn(self, job: Callable[[], T], *, slow: bool) -> T:
        self.jobs += 1
        try:
            await self._enter(slow=slow)
            try:
                return await self._try_twice(job)
            finally:
                self._leave()
        finally:
            self.jobs -= 1

    async def _enter(self, *, slow: bool) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (_patient.get(), slow, next(self._order), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()  # it had just come
            raise

    def _leave(self) -> None:
        """Give the place to whoever is next, if anybody still waits."""
        while self._queue:
            *_, turn = heapq.heappop(self._queue)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    async def _try_twice(self, job: Callable[[], T]) -> T:
        pool = self._pool
        try:
            return await asyncio.wrap_future(pool.submit(_carry_out, job))
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = self._start()
            return await asyncio.wrap_future(self._pool.submit(_carry_out, job))

    def close(self) -> None:
        """Let the processes go, when they have done what they are at; Python would wait for them at its end anyway.

        Not to wait would leave the pool's thread to close its pipes while Python, at its end, still writes to them.
        """
        self._pool.shutdown(wait=True, cancel_futures=True)


def _carry_out(job: Callable[[], T]) -> T:
    """Do a job, in a worker. What it raises to say something passes as it is; a fault becomes a `Failed`."""
    try:
        return job()
    except MemoryError:
        raise TooMuch from None
    except Exception as error:
        if type(error).__module__.partition(".")[0] in logs.OURS:
            raise
        where = "".join(traceback.format_tb(error.__traceback__)[1:])
        raise Failed(f"{type(error).__qualname__}, at\n{where}") from None


def _begin() -> None:
    """Make a process ready, before its first job loads what it needs."""
    # Ctrl-C in a terminal reaches workers too; the bot still needs them to finish the step in hand.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Our matrices are small: threads would cost more than they bring, and fight for the other worker's core.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    # A bot that is killed takes nobody along; without it a worker would wait for jobs for ever.
    threading.Thread(target=_end_with_the_bot, name="end with the bot", daemon=True).start()


async def alone(most_s: int, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Do a job that a stranger has given us in a process of its own, which gives way to everything else.

    Raises `TooMuch` when it has taken so many seconds of processor time, or a gigabyte or two.
    """
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin_alone, initargs=(most_s,))
    try:
        return await asyncio.wrap_future(pool.submit(_carry_out, partial(job, *args, **kwargs)))
    except BrokenProcessPool:
        raise TooMuch from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _begin_alone(most_s: int) -> None:
    _begin()
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_MOST, _MEMORY_MOST))
    # The kernel ends it, whatever it is at.
    resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s))


def _end_with_the_bot() -> None:
    if bot := parent_process():
        bot.join()
        os._exit(1)
