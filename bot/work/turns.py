"""Whose job is next: in what order jobs are done, and how much of it one person may ask for at once."""

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
"""What a job makes. Pictures take some ten times as long as what the rules work out, films ten times longer still."""

PICTURES_MOST: Final = 2
"""Requests of one person for pictures or films at a time: one is being made, one waits."""

_LAG: Final[dict[tuple[bool, Kind], int]] = {
    (False, "rules"): 0,
    (False, "picture"): 40,
    (True, "rules"): 80,
    (True, "picture"): 120,
    (False, "film"): 200,
    (True, "film"): 200,
}
"""How many jobs that came later may overtake one, by whether nobody watches (`give_way`), and its kind.

A press is three jobs, so a picture lets a dozen presses pass, and then ages into the first place. Counted in jobs,
not in seconds, so that the order is the same on any machine.
"""

_patient: ContextVar[bool] = ContextVar("patient", default=False)


def give_way() -> None:
    """Nobody watches what this task does, nor asked for it: its jobs let those pass for which somebody waits."""
    _patient.set(True)
    _asking.set(None)


@contextmanager
def watched() -> Iterator[None]:
    """What is made in this block somebody waits for, although nobody asked for it."""
    token = _patient.set(False)
    try:
        yield
    finally:
        _patient.reset(token)


def on_its_own() -> None:
    """What this task does is the game's: it counts as nobody's, whoever has set it going."""
    _asking.set(None)


class _Person:
    """Somebody for whom something is being done just now."""

    def __init__(self) -> None:
        self.pictures: set[_Asking] = set()
        """For which of his requests pictures are made."""
        self.lanes: dict[bool, asyncio.Lock] = {False: asyncio.Lock(), True: asyncio.Lock()}
        """One job of his at a time, and one that is slow; the next has its turn only then, after the others'."""


class _Asking:
    """One press, command or message of somebody."""

    def __init__(self, person: _Person) -> None:
        self.person = person
        self.over = False


_asking: ContextVar[_Asking | None] = ContextVar("asking", default=None)


class _Turn(Struct, eq=False):
    """A job that waits."""

    kind: Kind
    last: int
    """The number of the first job after it that may not overtake it."""
    number: int
    come: asyncio.Future[None]


class Turns:
    """Lets jobs into so many places. Of several, one is kept free of films, which would hold up everybody."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._films_free = max(1, places - 1)
        self._waiting: list[_Turn] = []
        self._count = 0
        self._people: WeakValueDictionary[int, _Person] = WeakValueDictionary()

    # --- people ------------------------------------------------------------------------------------------------

    @contextmanager
    def asked_by(self, user_id: int) -> Iterator[None]:
        """What is done in this block is one request of somebody."""
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
        """Count this request as one for a picture, until it is answered. Raises `Refusal` if there are enough."""
        asking = _asking.get()
        if asking is None or asking.over or asking in asking.person.pictures:
            return
        if len(asking.person.pictures) >= PICTURES_MOST:
            raise Refusal("pictures_waiting")
        asking.person.pictures.add(asking)

    @asynccontextmanager
    async def lane(self, kind: Kind) -> AsyncIterator[None]:
        """Hold the lane of whoever asks, if somebody does."""
        asking = _asking.get()
        if asking is None or asking.over:
            yield
            return
        async with asking.person.lanes[kind != "rules"]:
            yield

    # --- places ------------------------------------------------------------------------------------------------

    async def enter(self, kind: Kind) -> None:
        """Wait for a place; `leave` gives it back."""
        self._count += 1
        come: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        turn = _Turn(kind, self._count + _LAG[_patient.get(), kind], self._count, come)
        self._waiting.append(turn)
        self._call()
        try:
            await come
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            else:
                self.leave(kind)  # it had just come
            raise

    def leave(self, kind: Kind) -> None:
        """Give a place to whoever is next."""
        self._free += 1
        self._films_free += kind == "film"
        self._call()

    def _call(self) -> None:
        """Let in whoever may come."""
        while self._free:
            there = [turn for turn in self._waiting if not turn.come.done()]  # not one that is just going away
            fit = [turn for turn in there if turn.kind != "film" or self._films_free]
            if not fit:
                return
            turn = min(fit, key=lambda turn: (turn.last, turn.number))
            self._waiting.remove(turn)
            self._free -= 1
            self._films_free -= turn.kind == "film"
            turn.come.set_result(None)
