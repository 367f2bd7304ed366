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

from bot.errors import JobOutdated
from bot.jobs.turns import JobKind, JobQueue, WorkerSlot
from bot.jobs.worker import ProcessLimits, Worker

P = ParamSpec("P")
T = TypeVar("T")

IsWanted = Callable[[], bool]
"""Tells whether a picture is still wanted."""

MAX_MEMORY_BYTES: Final = 2 * 2**30
"""Bytes of address space for each worker."""
WORKER_NICENESS: Final = 5
"""How much workers that also draw, film and carry out steps yield to the bot and to those kept for presses."""


class JobLimits(Struct, frozen=True, kw_only=True):
    """Seconds of processor time that a job may take, by what it makes: as `Worker.do` counts."""

    rules_s: float = 60.0
    suggestions_s: float = 10.0
    picture_s: float = 60.0
    film_s: float = 120.0


class Workers:
    """A few processes and a queue of jobs, which are pure functions of values that can be pickled.

    Beyond `count` processes, as many as `for_presses` only do jobs of the rules that somebody waits for. Every job may
    raise `JobLimitExceeded` or `JobFailed`. A job that hangs is killed, and its process replaced.
    """

    def __init__(self, count: int = 1, *, for_presses: int = 0, limits: JobLimits | None = None) -> None:
        self._limits = limits or JobLimits()
        self.queue = JobQueue(count, for_presses)
        # The one that worked last gets the next job, so the others start only when there is more work than it can do.
        self._idle = [_WorkerThread(nice=WORKER_NICENESS if for_presses else 0) for _ in range(count)]
        self._idle_press_workers = [_WorkerThread() for _ in range(for_presses)]
        self._all = (*self._idle, *self._idle_press_workers)
        self._started_at: dict[int, float] = {}
        """When each unfinished job was handed in (monotonic seconds), by its number; an illustration, when begun."""
        self._numbers = itertools.count()
        self.requested_by = self.queue.requested_by
        self.count_picture_request = self.queue.count_picture_request

    @property
    def job_count(self) -> int:
        """How many jobs are running or waiting, illustrations too."""
        return len(self._started_at) + self.queue.waiting_illustrations

    @property
    def is_overloaded(self) -> bool:
        """Whether so many jobs wait that no message should wait for its picture."""
        return self.queue.is_overloaded

    @property
    def oldest_job_s(self) -> float:
        """The age of the oldest of them in seconds; 0 if there is none."""
        now = time.monotonic()
        return now - min(self._started_at.values(), default=now)

    @property
    def replaced_count(self) -> int:
        """How many processes have been killed or have died."""
        return sum(each.worker.replaced for each in self._all)

    def warm_up(self, job: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """Start a process now, with a job that loads what it will need, before anybody waits for it.

        So do those kept for presses, which need nothing else. The others start when there is more work than it can do.
        """
        self._idle[-1].submit(partial(job, *args, **kwargs), self._limits.film_s)
        for each in self._idle_press_workers:
            each.submit(_do_nothing, self._limits.film_s)

    async def run_rules(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a job of the rules returns."""
        return await self._run_queued(partial(job, *args, **kwargs), "rules", self._limits.rules_s)

    async def run_step(self, host: int, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a job of the rules returns that moves a game of this host on; presses go first.

        While other jobs wait, those of one host's games are done one at a time.
        """
        return await self._run_queued(partial(job, *args, **kwargs), "step", self._limits.rules_s, host)

    async def run_suggestion(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a job of the rules suggests while the person who asks is typing; presses go first.

        Raises `JobOutdated` if they have typed on before its turn comes.
        """
        made = partial(job, *args, **kwargs)
        return await self._run_queued(made, "suggestions", self._limits.suggestions_s, wanted=self.queue.note_typing())

    async def run_picture(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the picture that a job makes; jobs of the rules go first.

        Raises `DiscordError` if the person who asks has asked for too many.
        """
        self.count_picture_request()
        return await self._run_queued(partial(job, *args, **kwargs), "picture", self._limits.picture_s)

    async def run_illustration(self, wanted: IsWanted, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the picture that a job makes for a message whose words are shown without it until then.

        It waits until nothing else does. When its turn comes, and not before, it is asked whether it is still `wanted`.
        Raises `JobOutdated` if it isn't.
        """
        made = partial(job, *args, **kwargs)
        return await self._run_queued(made, "illustration", self._limits.picture_s, wanted=wanted)

    async def run_film(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return the film that a job makes; pictures go first. Raises `DiscordError` as `draw` does."""
        self.count_picture_request()
        return await self._run_queued(partial(job, *args, **kwargs), "film", self._limits.film_s)

    async def _run_queued(
        self,
        job: Callable[[], T],
        kind: JobKind,
        most_s: float,
        host: int | None = None,
        *,
        wanted: IsWanted = lambda: True,
    ) -> T:
        number = next(self._numbers)
        if kind != "illustration":  # one that waits is no sign that the workers hang
            self._started_at[number] = time.monotonic()
        begun = False
        try:
            async with self.queue.per_user_slot(kind):
                if kind == "suggestions" and not wanted():
                    raise JobOutdated  # those that were typed before had this person's slot until now
                place = await self.queue.acquire_slot(kind, host)
                if not wanted():
                    self.queue.release_slot(place)
                    raise JobOutdated
                self._started_at.setdefault(number, time.monotonic())
                idle = self._idle_press_workers if place.is_for_presses else self._idle
                each = idle.pop()
                done = each.submit(job, most_s)
                begun = True
                done.add_done_callback(self._release_when_done(each, idle, place, number))
                return await asyncio.wrap_future(done)
        finally:
            if not begun:
                self._started_at.pop(number, None)

    def _release_when_done(
        self, each: _WorkerThread, idle: list[_WorkerThread], place: WorkerSlot, number: int
    ) -> Callable[[object], None]:
        """Return what to do when a job is over. Until then its process is busy, even if nobody waits for the result."""
        loop = asyncio.get_running_loop()

        def leave() -> None:
            del self._started_at[number]
            idle.append(each)
            self.queue.release_slot(place)

        def over(_: object) -> None:
            try:
                loop.call_soon_threadsafe(leave)
            except RuntimeError:
                leave()  # the loop is closed, and nobody is waiting

        return over

    def close(self) -> None:
        """End the processes at once; whatever had to be finished has been waited for."""
        for each in self._all:
            each.close()


class _WorkerThread:
    """A worker, and the thread that waits for it."""

    def __init__(self, *, nice: int = 0) -> None:
        self.worker = Worker(ProcessLimits(memory_bytes=MAX_MEMORY_BYTES, nice=nice))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="worker")

    def submit(self, job: Callable[[], T], most_s: float) -> Future[T]:
        return self._thread.submit(self.worker.run, job, most_s)

    def close(self) -> None:
        self.worker.stop()
        self._thread.shutdown(wait=True, cancel_futures=True)


def _do_nothing() -> None:
    """A job for the sake of the process that it starts."""
