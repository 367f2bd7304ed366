"""Order jobs by priority, and limit the jobs of one user and of one host's games.

A job may be overtaken by a limited number of later jobs, which depends on its kind and on whether somebody waits for
it. Counts are in jobs instead of seconds, so that the order is the same on any machine.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Final, Literal
from weakref import WeakValueDictionary

from msgspec import Struct

from bot import urgency
from bot.errors import Refusal

JobKind = Literal["rules", "hint", "step", "suggestions", "picture", "illustration", "film"]
"""The kind of a job's result. An `illustration` is a picture for a message whose text is shown without it.

A picture takes about ten times as long as an answer of the rules, and a film ten times as long as a picture. A step
takes as long as an answer in a duel, but seconds with large fleets and computer captains. A hint takes as long as a
computer captain thinks, which is up to a second.
"""

MAX_PICTURES_PER_USER: Final = 2

MAX_OVERTAKINGS: Final[dict[tuple[bool, JobKind], int]] = {
    (False, "rules"): 0,
    (False, "hint"): 20,
    (False, "step"): 20,
    (False, "suggestions"): 40,
    (False, "picture"): 40,
    (False, "illustration"): 40,
    (True, "rules"): 80,
    (True, "hint"): 80,
    (True, "step"): 80,
    (True, "suggestions"): 80,
    (True, "picture"): 120,
    (True, "illustration"): 120,
    (False, "film"): 200,
    (True, "film"): 200,
}
"""Number of later jobs that may overtake a job, by whether it is in the background, and by its kind.

A press is three jobs, so a picture lets a dozen presses pass before it is first, and a step half as many.
"""

MAX_STEPS_PER_ROUND: Final = 12
"""Steps started in a round, at most one of each host, so that new hosts cannot keep others waiting for ever."""

OVERLOAD_LENGTH: Final = 12
"""With more waiting jobs (without illustrations), messages are sent without waiting for their pictures."""


def mark_background() -> None:
    """Mark this task as background work. Jobs that a user waits for overtake its jobs."""
    urgency.mark_unhurried()
    _current_request.set(None)


def mark_unowned() -> None:
    """Mark this task as the game's own, so that its jobs do not count towards the user who started it."""
    _current_request.set(None)


class _UserJobs:
    def __init__(self) -> None:
        self.picture_requests: set[_UserRequest] = set()
        self.slots = {kind: asyncio.Lock() for kind in ("quick", "slow", "hint", "suggestions", "illustration")}
        """Locks that admit one job of each sort per user to the queue."""
        self.typing_token: object = None  # identifies the last input that asked for suggestions


class _UserRequest:
    def __init__(self, user_jobs: _UserJobs) -> None:
        self.user_jobs = user_jobs
        self.is_over = False


_current_request: ContextVar[_UserRequest | None] = ContextVar("asking", default=None)


class WorkerSlot(Struct, frozen=True):
    kind: JobKind  # of the job that holds the worker
    host: int | None  # host of the game whose step it is; None: no step of a game
    is_for_presses: bool  # whether the worker is reserved for jobs of the rules that somebody waits for


class _QueuedJob(Struct, eq=False):
    kind: JobKind
    host: int | None  # host of the game whose step it is; None: no step of a game
    is_for_press: bool  # whether it is a job of the rules that somebody waits for
    round: int  # for a step: hosts take turns, and each round starts one step of each host
    overtaking_limit: int  # number of the first later job that may not overtake this one
    number: int  # in order of arrival
    admitted: asyncio.Future[WorkerSlot]  # done when the job has a worker


class JobQueue:
    """A queue for a number of workers. If there are several, one is kept free of films, which are slow.

    Some additional workers may be reserved for presses, that is, for jobs of the rules that somebody waits for. While
    other jobs wait, the steps of one host's games are done one after another, and hosts take turns. An illustration
    starts only if nothing else except films waits that could be done, so pictures are the first to be left out under
    overload.
    """

    def __init__(self, worker_count: int, for_presses: int = 0) -> None:
        self._free_slots = worker_count
        self._free_film_slots = max(1, worker_count - 1)
        self._free_press_slots = for_presses
        self._running_hosts: Counter[int | None] = Counter()  # running steps by host of their game
        self._round = 0
        self._started_in_round = 0  # number of steps started in this round, including steps of earlier rounds
        self._next_rounds: dict[int, int] = {}  # by host, the round of the step that it adds next
        self._waiting: list[_QueuedJob] = []
        self._job_count = 0
        self._users: WeakValueDictionary[int, _UserJobs] = WeakValueDictionary()

    # --- people ------------------------------------------------------------------------------------------------

    @contextmanager
    def requested_by(self, user_id: int) -> Iterator[None]:
        """Count all jobs in this block as one request of this user."""
        user_jobs = self._users.setdefault(user_id, _UserJobs())
        request = _UserRequest(user_jobs)
        token = _current_request.set(request)
        try:
            yield
        finally:
            request.is_over = True
            user_jobs.picture_requests.discard(request)
            _current_request.reset(token)

    def count_picture_request(self) -> None:
        """Count the current request as a picture request until it ends. Raises `Refusal` if there are too many."""
        request = _current_request.get()
        if request is None or request.is_over or request in request.user_jobs.picture_requests:
            return
        if len(request.user_jobs.picture_requests) >= MAX_PICTURES_PER_USER:
            raise Refusal("pictures_waiting")
        request.user_jobs.picture_requests.add(request)

    def note_typing(self) -> Callable[[], bool]:
        """Note that the current user has typed on. Returns a function that tells whether it was their last input."""
        request = _current_request.get()
        typing_token = object()
        if request is None or request.is_over:
            return lambda: True
        user_jobs = request.user_jobs
        user_jobs.typing_token = typing_token
        return lambda: user_jobs.typing_token is typing_token

    @asynccontextmanager
    async def per_user_slot(self, kind: JobKind) -> AsyncIterator[None]:
        """Hold the current user's slot for this kind of job. Steps and jobs without a user need no slot."""
        request = _current_request.get()
        if request is None or request.is_over or kind == "step":
            yield
            return
        if kind == "rules":
            lock_name = "quick"
        elif kind in ("hint", "suggestions", "illustration"):
            lock_name = kind
        else:
            lock_name = "slow"
        async with request.user_jobs.slots[lock_name]:
            yield

    # --- workers ----------------------------------------------------------------------------------------------------

    @property
    def waiting_count(self) -> int:
        """Return the number of jobs that wait for a worker, without illustrations."""
        return len(self._waiting) - self.waiting_illustrations

    @property
    def waiting_illustrations(self) -> int:
        return sum(job.kind == "illustration" for job in self._waiting)

    @property
    def is_overloaded(self) -> bool:
        return self.waiting_count > OVERLOAD_LENGTH

    async def acquire_slot(self, kind: JobKind, host: int | None = None) -> WorkerSlot:
        """Wait for a free worker, which `release_slot` returns. `host` is that of the game whose step it is."""
        self._job_count += 1
        is_background = not urgency.is_awaited()
        admitted: asyncio.Future[WorkerSlot] = asyncio.get_running_loop().create_future()
        job = _QueuedJob(
            kind=kind,
            host=host,
            is_for_press=kind == "rules" and not is_background,
            round=self._next_round(host),
            overtaking_limit=self._job_count + MAX_OVERTAKINGS[is_background, kind],
            number=self._job_count,
            admitted=admitted,
        )
        self._waiting.append(job)
        self._admit_next()
        try:
            return await admitted
        except asyncio.CancelledError:
            if job in self._waiting:
                self._waiting.remove(job)
            else:
                self.release_slot(admitted.result())  # it had just been admitted
            raise

    def _next_round(self, host: int | None) -> int:
        """Reserve and return the round in which a host's next step starts. Each round has one step of each host."""
        if host is None:
            return 0
        self._next_rounds = {other: round_no for other, round_no in self._next_rounds.items() if round_no > self._round}
        round_no = self._next_rounds.get(host, self._round)
        self._next_rounds[host] = round_no + 1
        return round_no

    def _count_round(self, round_no: int) -> None:
        # Counts a step that starts, and begins the next round after `MAX_STEPS_PER_ROUND`.
        if round_no > self._round:
            self._round = round_no
            self._started_in_round = 0
        self._started_in_round += 1
        if self._started_in_round >= MAX_STEPS_PER_ROUND:
            self._round += 1
            self._started_in_round = 0

    def release_slot(self, slot: WorkerSlot) -> None:
        self._count_started(slot, -1)
        self._admit_next()

    def _admit_next(self) -> None:
        while job := self._next_job():
            self._waiting.remove(job)
            if job.kind == "step":
                self._count_round(job.round)
            slot = WorkerSlot(job.kind, job.host, job.is_for_press and self._free_press_slots > 0)
            self._count_started(slot, 1)
            job.admitted.set_result(slot)

    def _next_job(self) -> _QueuedJob | None:
        pending = [job for job in self._waiting if not job.admitted.done()]  # without jobs that were just cancelled
        startable = [job for job in pending if self._can_start(job)]
        first_job = min(startable, key=self._sort_key, default=None)
        if first_job is None or first_job.kind != "step":
            return first_job
        # Of several steps, those of hosts without a running step go first, then those of an earlier round.
        steps = [job for job in startable if job.kind == "step"]
        return min(steps, key=lambda job: (self._running_hosts[job.host] > 0, job.round, *self._sort_key(job)))

    def _sort_key(self, job: _QueuedJob) -> tuple[bool, bool, int, int]:
        can_wait = job.kind == "illustration" or (job.kind == "film" and job.overtaking_limit > self._job_count)
        return self._running_hosts[job.host] > 0, can_wait, job.overtaking_limit, job.number

    def _can_start(self, job: _QueuedJob) -> bool:
        if job.is_for_press and self._free_press_slots:
            return True
        return self._free_slots > 0 and (job.kind != "film" or self._free_film_slots > 0)

    def _count_started(self, slot: WorkerSlot, change: int) -> None:
        """Count a worker as taken (`change` 1) or as free again (-1)."""
        if slot.host is not None:
            self._running_hosts[slot.host] += change
            if not self._running_hosts[slot.host]:
                del self._running_hosts[slot.host]
        if slot.is_for_presses:
            self._free_press_slots -= change
        else:
            self._free_slots -= change
            self._free_film_slots -= change * (slot.kind == "film")
