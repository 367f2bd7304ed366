"""Run jobs in processes, so that the event loop never waits for rules or pictures."""

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
from bot.urgency import IsWanted

P = ParamSpec("P")
T = TypeVar("T")

MAX_MEMORY_BYTES: Final = 2 * 2**30
WORKER_NICENESS: Final = 5
"""Niceness of workers that also draw and resolve steps. Reserved workers and the bot have priority."""


class JobLimits(Struct, frozen=True, kw_only=True):
    rules_s: float = 60.0  # processor time of a job of the rules, such as a step
    suggestions_s: float = 10.0  # for what a user is typing
    picture_s: float = 60.0  # also of illustrations
    film_s: float = 120.0  # of a clip, or of joining clips


class Workers:
    """A few processes and a queue of jobs, which are pure functions of picklable values.

    Besides `count` processes, `for_presses` processes only run jobs of the rules that somebody waits for. Every job may
    raise `JobLimitExceeded` or `JobFailed`. A job that hangs is killed, and its process replaced.
    """

    def __init__(self, count: int = 1, *, for_presses: int = 0, limits: JobLimits | None = None) -> None:
        self._limits = limits or JobLimits()
        self.queue = JobQueue(count, for_presses)
        # The worker that was used last gets the next job, so the others start only when they are needed.
        self._idle = [_WorkerThread(nice=WORKER_NICENESS if for_presses else 0) for _ in range(count)]
        self._idle_press_workers = [_WorkerThread() for _ in range(for_presses)]
        self._all = (*self._idle, *self._idle_press_workers)
        self._started_at: dict[int, float] = {}
        """Start of each unfinished job by number (monotonic seconds). Other jobs than illustrations count when queued.
        """
        self._numbers = itertools.count()
        self.requested_by = self.queue.requested_by
        self.count_picture_request = self.queue.count_picture_request

    @property
    def job_count(self) -> int:
        return len(self._started_at) + self.queue.waiting_illustrations

    @property
    def is_overloaded(self) -> bool:
        return self.queue.is_overloaded

    @property
    def oldest_job_s(self) -> float:
        now = time.monotonic()
        return now - min(self._started_at.values(), default=now)

    @property
    def replaced_count(self) -> int:
        return sum(worker_thread.worker.replaced_count for worker_thread in self._all)

    def warm_up(self, job: Callable[P, object], /, *args: P.args, **kwargs: P.kwargs) -> None:
        self._idle[-1].submit(partial(job, *args, **kwargs), self._limits.film_s)
        for worker_thread in self._idle_press_workers:
            worker_thread.submit(_do_nothing, self._limits.film_s)

    async def run_rules(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run_queued(partial(job, *args, **kwargs), "rules", self._limits.rules_s)

    async def run_hint(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job in which a computer captain thinks for a person. Other presses have priority."""
        return await self._run_queued(partial(job, *args, **kwargs), "hint", self._limits.rules_s)

    async def run_step(self, host: int, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._run_queued(partial(job, *args, **kwargs), "step", self._limits.rules_s, host)

    async def run_suggestion(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job that suggests continuations while a user is typing. Presses have priority.

        Raises `JobOutdated` if the user has typed on before the job begins.
        """
        call = partial(job, *args, **kwargs)
        return await self._run_queued(call, "suggestions", self._limits.suggestions_s, wanted=self.queue.note_typing())

    async def run_picture(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job that draws a picture. Jobs of the rules have priority.

        Raises `Refusal` if the current user has requested too many pictures.
        """
        self.count_picture_request()
        return await self._run_queued(partial(job, *args, **kwargs), "picture", self._limits.picture_s)

    async def run_illustration(self, wanted: IsWanted, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job that draws a picture for a message whose text is shown without it until then.

        It waits until nothing else does. `wanted` is called when the job is about to begin. Raises `JobOutdated` if the
        picture is not wanted any more.
        """
        call = partial(job, *args, **kwargs)
        return await self._run_queued(call, "illustration", self._limits.picture_s, wanted=wanted)

    async def run_film(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job that makes a film. Pictures have priority. Raises `Refusal` like `run_picture`."""
        self.count_picture_request()
        return await self._run_queued(partial(job, *args, **kwargs), "film", self._limits.film_s)

    async def run_record(self, job: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a job that writes a game's record, which waits and counts like a film. Raises `Refusal` like it."""
        return await self.run_film(job, *args, **kwargs)

    async def _run_queued(
        self,
        job: Callable[[], T],
        kind: JobKind,
        most_s: float,
        host: int | None = None,
        *,
        wanted: IsWanted = lambda: True,
    ) -> T:
        """Run a job in a worker when it is its turn. Raises `JobOutdated` if it is not `wanted` any more."""
        number = next(self._numbers)  # of this job
        if kind != "illustration":  # a waiting illustration does not mean that the workers hang
            self._started_at[number] = time.monotonic()
        has_begun = False
        try:
            async with self.queue.per_user_slot(kind):
                if kind == "suggestions" and not wanted():
                    raise JobOutdated  # earlier suggestions had this user's slot until now
                slot = await self.queue.acquire_slot(kind, host)
                if not wanted():
                    self.queue.release_slot(slot)
                    raise JobOutdated
                self._started_at.setdefault(number, time.monotonic())
                idle = self._idle_press_workers if slot.is_for_presses else self._idle
                worker_thread = idle.pop()
                future = worker_thread.submit(job, most_s)
                has_begun = True
                future.add_done_callback(self._release_when_done(worker_thread, idle, slot, number))
                return await asyncio.wrap_future(future)
        finally:
            if not has_begun:
                self._started_at.pop(number, None)

    def _release_when_done(
        self, worker_thread: _WorkerThread, idle: list[_WorkerThread], slot: WorkerSlot, number: int
    ) -> Callable[[object], None]:
        """Return a callback for the end of a job. The process is busy until then, even if nobody awaits the result."""
        loop = asyncio.get_running_loop()

        def release() -> None:
            del self._started_at[number]
            idle.append(worker_thread)
            self.queue.release_slot(slot)

        def on_done(_: object) -> None:
            try:
                loop.call_soon_threadsafe(release)
            except RuntimeError:
                release()  # the loop is closed, and nobody is waiting

        return on_done

    def close(self) -> None:
        """End the processes at once, without waiting for jobs."""
        for worker_thread in self._all:
            worker_thread.close()


class _WorkerThread:
    def __init__(self, *, nice: int = 0) -> None:
        self.worker = Worker(ProcessLimits(memory_bytes=MAX_MEMORY_BYTES, nice=nice))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="worker")

    def submit(self, job: Callable[[], T], most_s: float) -> Future[T]:
        return self._thread.submit(self.worker.run, job, most_s)

    def close(self) -> None:
        self.worker.stop()
        self._thread.shutdown(wait=True, cancel_futures=True)


def _do_nothing() -> None:
    """Do nothing, so that submitting this job only starts the process."""
