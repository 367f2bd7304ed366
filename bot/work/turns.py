"""The order in which jobs are done, and how many one person may ask for at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Final, Literal
from weakref import WeakValueDictionary

from msgspec import Struct

from bot.errors import Refusal

Kind = Literal["rules", "picture", "film"]
"""What a job makes. A picture takes about ten times as long as a job of the rules, a film ten times as long as that."""

PICTURES_MOST: Final = 2
"""Pictures and films that one person may have requested at a time: one is being made, one waits."""

AGING: Final[dict[tuple[bool, Kind], int]] = {
    (False, "rules"): 0,
    (False, "picture"): 40,
    (True, "rules"): 80,
    (True, "picture"): 120,
    (False, "film"): 200,
    (True, "film"): 200,
}
"""How many later jobs may overtake a job, by whether it is in the `background`, and by its kind.

A press is three jobs, so a picture lets a dozen presses pass before it is first. Counted in jobs, not in seconds, so
the order is the same on any machine.
"""

_in_background: ContextVar[bool] = ContextVar("in_background", default=False)


def background() -> None:
    """Mark this task as one that nobody asked for or waits for: jobs that somebody waits for overtake its jobs."""
    _in_background.set(True)
    _asking.set(None)


@contextmanager
def interactive() -> Iterator[None]:
    """Mark the jobs of this block as waited for, although nobody asked for them."""
    token = _in_background.set(False)
    try:
        yield
    finally:
        _in_background.reset(token)


def unowned() -> None:
    """Mark this task as the game's: its jobs count towards no person, no matter who started it."""
    _asking.set(None)


class _Person:
    """A person with requests under way."""

    def __init__(self) -> None:
        self.pictures: set[_Asking] = set()
        """Their requests for which pictures are being made."""
        self.slots: dict[bool, asyncio.Lock] = {False: asyncio.Lock(), True: asyncio.Lock()}
        """Each person has one quick job (False) and one slow job (True) in the queue at a time."""


class _Asking:
    """One press, command or message of a person."""

    def __init__(self, person: _Person) -> None:
        self.person = person
        self.over = False


_asking: ContextVar[_Asking | None] = ContextVar("asking", default=None)


class _Turn(Struct, eq=False):
    """A job in the queue."""

    kind: Kind
    last: int
    """The number of the first later job that may not overtake it."""
    number: int
    admitted: asyncio.Future[None]


class Turns:
    """A queue for a number of workers. If there are several, one is kept free of films, which are slow."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._films_free = max(1, places - 1)
        self._waiting: list[_Turn] = []
        self._count = 0
        self._people: WeakValueDictionary[int, _Person] = WeakValueDictionary()

    # --- people ------------------------------------------------------------------------------------------------

    @contextmanager
    def asked_by(self, user_id: int) -> Iterator[None]:
        """Count what is done in this block as one request of this user."""
        person = self._people.setdefault(user_id, _Person())
        asking = _Asking(person)
        token = _asking.set(asking)
        try:
            yield
        finally:
            asking.over = True
            person.pictures.discard(asking)
            _asking.reset(token)

    def admit(self) -> None:
        """Count this request as one for a picture until it is answered. Raises `Refusal` if there are too many."""
        asking = _asking.get()
        if asking is None or asking.over or asking in asking.person.pictures:
            return
        if len(asking.person.pictures) >= PICTURES_MOST:
            raise Refusal("pictures_waiting")
        asking.person.pictures.add(asking)

    @asynccontextmanager
    async def per_user_slot(self, kind: Kind) -> AsyncIterator[None]:
        """Hold the slot of the person who asks, if there is one."""
        asking = _asking.get()
        if asking is None or asking.over:
            yield
            return
        async with asking.person.slots[kind != "rules"]:
            yield

    # --- workers ----------------------------------------------------------------------------------------------------

    async def acquire(self, kind: Kind) -> None:
        """Wait for a free worker; `release` gives it back."""
        self._count += 1
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn = _Turn(kind, self._count + AGING[_in_background.get(), kind], self._count, admitted)
        self._waiting.append(turn)
        self._admit_next()
        try:
            await admitted
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            else:
                self.release(kind)  # it had just been admitted
            raise

    def release(self, kind: Kind) -> None:
        """Give a worker back, for the next job."""
        self._free += 1
        self._films_free += kind == "film"
        self._admit_next()

    def _admit_next(self) -> None:
        """Admit jobs while there are free workers."""
        while self._free:
            there = [turn for turn in self._waiting if not turn.admitted.done()]  # not one that was just cancelled
            fit = [turn for turn in there if turn.kind != "film" or self._films_free]
            if not fit:
                return
            turn = min(fit, key=lambda turn: (turn.last, turn.number))
            self._waiting.remove(turn)
            self._free -= 1
            self._films_free -= turn.kind == "film"
            turn.admitted.set_result(None)
