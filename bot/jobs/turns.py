"""The order in which jobs are done, and how many one person or one host's games may have done at once."""

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

JobKind = Literal["rules", "step", "suggestions", "picture", "illustration", "film"]
"""What a job makes: an answer of the rules, a game's step, suggestions while somebody types, a picture that somebody
asked for, one that belongs to a message whose words are shown without it, a film.

A picture takes about ten times as long as an answer of the rules, a film ten times as long as that. A step takes as
long as an answer in a duel, and seconds with large fleets and computer captains.
"""

MAX_PICTURES_PER_USER: Final = 2
"""Pictures and films that one person may have requested at a time: one is being made, one waits."""

MAX_OVERTAKINGS: Final[dict[tuple[bool, JobKind], int]] = {
    (False, "rules"): 0,
    (False, "step"): 20,
    (False, "suggestions"): 40,
    (False, "picture"): 40,
    (False, "illustration"): 40,
    (True, "rules"): 80,
    (True, "step"): 80,
    (True, "suggestions"): 80,
    (True, "picture"): 120,
    (True, "illustration"): 120,
    (False, "film"): 200,
    (True, "film"): 200,
}
"""How many later jobs may overtake a job, by whether it is in the `mark_background`, and by its kind.

A press is three jobs, so a picture lets a dozen presses pass before it is first, a step half as many. Counted in jobs,
not in seconds, so the order is the same on any machine.
"""

MAX_STEPS_PER_ROUND: Final = 12
"""Steps in a round, of which each host has one: so hosts who come keep none waiting for ever."""

OVERLOAD_LENGTH: Final = 12
"""Jobs that wait for a worker, illustrations aside; while there are more, no message waits for its picture."""


def mark_background() -> None:
    """Mark this task as one that nobody asked for or waits for: jobs that somebody waits for overtake its jobs."""
    urgency.mark_unhurried()
    _current_request.set(None)


def mark_unowned() -> None:
    """Mark this task as the game's: its jobs count towards no person, no matter who started it."""
    _current_request.set(None)


class _UserJobs:
    """A person with requests under way."""

    def __init__(self) -> None:
        self.picture_count: set[_UserRequest] = set()
        """Their requests for which pictures are being made."""
        self.slots = {kind: asyncio.Lock() for kind in ("quick", "slow", "suggestions", "illustration")}
        """Each person has one job of each of these sorts in the queue at a time."""
        self.typing_count: object = None
        """Stands for what they have typed last of a line for which there are suggestions."""


class _UserRequest:
    """One press, command or message of a person."""

    def __init__(self, person: _UserJobs) -> None:
        self.user = person
        self.is_over = False


_current_request: ContextVar[_UserRequest | None] = ContextVar("asking", default=None)


class WorkerSlot(Struct, frozen=True):
    """A worker that a job has been given."""

    kind: JobKind
    host: int | None
    is_for_presses: bool
    """Whether it is one of those that only do what somebody waits for."""


class _QueuedJob(Struct, eq=False):
    """A job in the queue."""

    kind: JobKind
    host: int | None
    """The host of the game whose step it is."""
    is_for_press: bool
    """Whether somebody waits for it, and it is quick."""
    round: int
    """Of a step: hosts take turns, and in each round one step of each is begun."""
    overtaking_limit: int
    """The number of the first later job that may not overtake it."""
    number: int
    admitted: asyncio.Future[WorkerSlot]


class JobQueue:
    """A queue for a number of workers. If there are several, one is kept free of films, which are slow.

    Beyond them some may be kept for presses: they do jobs of the rules that somebody waits for, and nothing else. While
    other jobs wait, the steps of one host's games are done one at a time, and hosts take turns: who has many games due
    keeps another's waiting for one step. No illustration is begun while anything else
    waits that could be done, except films: under overload pictures are the first to be left out.
    """

    def __init__(self, places: int, for_presses: int = 0) -> None:
        self._free_slots = places
        self._free_film_slots = max(1, places - 1)
        self._free_press_slots = for_presses
        self._running_hosts: Counter[int | None] = Counter()
        """How many steps of each host's games are being done."""
        self._round = 0
        """In which steps are begun."""
        self._started_in_round = 0
        """How many steps of this round, or of earlier ones, were begun in it."""
        self._last_rounds: dict[int, int] = {}
        """In which the next step of a host may be begun, where that is no earlier one than others'."""
        self._waiting: list[_QueuedJob] = []
        self._job_count = 0
        self._users: WeakValueDictionary[int, _UserJobs] = WeakValueDictionary()

    # --- people ------------------------------------------------------------------------------------------------

    @contextmanager
    def requested_by(self, user_id: int) -> Iterator[None]:
        """Count what is done in this block as one request of this user."""
        person = self._users.setdefault(user_id, _UserJobs())
        asking = _UserRequest(person)
        token = _current_request.set(asking)
        try:
            yield
        finally:
            asking.is_over = True
            person.picture_count.discard(asking)
            _current_request.reset(token)

    def count_picture_request(self) -> None:
        """Count this request as one for a picture until it is answered. Raises `Refusal` if there are too many."""
        asking = _current_request.get()
        if asking is None or asking.is_over or asking in asking.user.picture_count:
            return
        if len(asking.user.picture_count) >= MAX_PICTURES_PER_USER:
            raise Refusal("pictures_waiting")
        asking.user.picture_count.add(asking)

    def note_typing(self) -> Callable[[], bool]:
        """Note that the person who asks has typed on. Returns what tells whether they have typed nothing since."""
        asking, typed = _current_request.get(), object()
        if asking is None or asking.is_over:
            return lambda: True
        person = asking.user
        person.typing_count = typed
        return lambda: person.typing_count is typed

    @asynccontextmanager
    async def per_user_slot(self, kind: JobKind) -> AsyncIterator[None]:
        """Hold the slot of the person who asks, if there is one; steps are the game's, and hold up nobody's presses."""
        asking = _current_request.get()
        if asking is None or asking.is_over or kind == "step":
            yield
            return
        slot = "quick" if kind == "rules" else kind if kind in ("suggestions", "illustration") else "slow"
        async with asking.user.slots[slot]:
            yield

    # --- workers ----------------------------------------------------------------------------------------------------

    @property
    def waiting_count(self) -> int:
        """How many jobs wait for a worker, illustrations aside."""
        return len(self._waiting) - self.waiting_illustrations

    @property
    def waiting_illustrations(self) -> int:
        """How many illustrations wait for a worker."""
        return sum(turn.kind == "illustration" for turn in self._waiting)

    @property
    def is_overloaded(self) -> bool:
        """Whether so many jobs wait that no message should wait for its picture."""
        return self.waiting_count > OVERLOAD_LENGTH

    async def acquire_slot(self, kind: JobKind, lane: int | None = None) -> WorkerSlot:
        """Wait for a free worker; `release` gives it back. `lane`: the host of the game whose step it is."""
        self._job_count += 1
        behind = not urgency.is_awaited()
        admitted: asyncio.Future[WorkerSlot] = asyncio.get_running_loop().create_future()
        turn = _QueuedJob(
            kind=kind,
            host=lane,
            is_for_press=kind == "rules" and not behind,
            round=self._next_round(lane),
            overtaking_limit=self._job_count + MAX_OVERTAKINGS[behind, kind],
            number=self._job_count,
            admitted=admitted,
        )
        self._waiting.append(turn)
        self._admit_next()
        try:
            return await admitted
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            else:
                self.release_slot(admitted.result())  # it had just been admitted
            raise

    def _next_round(self, lane: int | None) -> int:
        """In which round a host's new step is: the one after that of their last, or this one."""
        if lane is None:
            return 0
        self._last_rounds = {host: then for host, then in self._last_rounds.items() if then > self._round}
        its = self._last_rounds.get(lane, self._round)
        self._last_rounds[lane] = its + 1
        return its

    def _count_round(self, its: int) -> None:
        """Count a step of a round that is begun; after the last one of it the next round begins."""
        if its > self._round:
            self._round, self._started_in_round = its, 0
        self._started_in_round += 1
        if self._started_in_round >= MAX_STEPS_PER_ROUND:
            self._round, self._started_in_round = self._round + 1, 0

    def release_slot(self, place: WorkerSlot) -> None:
        """Give a worker back, for the next job."""
        self._count_started(place, -1)
        self._admit_next()

    def _admit_next(self) -> None:
        """Admit jobs while there are free workers."""
        while turn := self._next_job():
            self._waiting.remove(turn)
            if turn.kind == "step":
                self._count_round(turn.round)
            place = WorkerSlot(turn.kind, turn.host, turn.is_for_press and self._free_press_slots > 0)
            self._count_started(place, 1)
            turn.admitted.set_result(place)

    def _next_job(self) -> _QueuedJob | None:
        """The job that is next, if there is a worker for it."""
        there = [turn for turn in self._waiting if not turn.admitted.done()]  # not one that was just cancelled
        fit = [turn for turn in there if self._fits(turn)]
        first = min(fit, key=self._sort_key, default=None)
        if first is None or first.kind != "step":
            return first
        steps = [turn for turn in fit if turn.kind == "step"]
        return min(steps, key=lambda turn: (self._running_hosts[turn.host] > 0, turn.round, *self._sort_key(turn)))

    def _sort_key(self, turn: _QueuedJob) -> tuple[bool, bool, int, int]:
        """Of what fits, that with the least is next."""
        in_time = turn.kind == "illustration" or (turn.kind == "film" and turn.overtaking_limit > self._job_count)
        return self._running_hosts[turn.host] > 0, in_time, turn.overtaking_limit, turn.number

    def _fits(self, turn: _QueuedJob) -> bool:
        if turn.is_for_press and self._free_press_slots:
            return True
        return self._free_slots > 0 and (turn.kind != "film" or self._free_film_slots > 0)

    def _count_started(self, place: WorkerSlot, more: int) -> None:
        if place.host is not None:
            self._running_hosts[place.host] += more
            if not self._running_hosts[place.host]:
                del self._running_hosts[place.host]
        if place.is_for_presses:
            self._free_press_slots -= more
        else:
            self._free_slots -= more
            self._free_film_slots -= more * (place.kind == "film")
