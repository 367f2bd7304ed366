"""Checks of records for many people: what one of them hands in keeps neither the bot nor the others busy."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final, Protocol

import msgspec

from bot.errors import Refusal, TooMuch
from bot.record import checking
from bot.record.checking import Checked
from bot.store.publications import Published
from rules.errors import OrderError

WAITING_MOST: Final = 8
"""Files that are checked or wait for it, at most; and as many games of ours."""
OF_A_PLACE_MOST: Final = 2
"""Of these files, those from one server: one crowd leaves room for others."""
DIRECT_MOST: Final = WAITING_MOST - OF_A_PLACE_MOST
"""Of these files, those from direct messages, where people have nothing to do with each other."""
KNOWN_MOST: Final = 32
"""Files that were handed in of which is remembered what came of them."""


class Check(Protocol):
    """Checks a record: `checking.checked`."""

    def __call__(
        self, data: bytes, published: str, kept: Sequence[Published], before: str, *, brief: bool
    ) -> Awaitable[Checked]:
        """Return what a file is. Raises `OrderError`, and `TooMuch` if it takes more than is allowed."""


class Checks:
    """Checks one record after the other, in turn; games of ours beside files that were handed in.

    A file may have been made up to keep us busy. So each gets a brief try first; one that takes longer goes on beside
    those that follow, one at a time. What came of a file that was handed in is remembered: nobody has it done again.
    """

    def __init__(self, check: Check = checking.checked) -> None:
        self._check = check
        self._users: set[int] = set()
        self._places: Counter[int | None] = Counter()
        """From where the files come that are checked or wait for it; None: from direct messages."""
        self._ours = 0
        """Games of ours that are checked or wait for it."""
        self._turns = {foreign: (asyncio.Lock(), asyncio.Lock()) for foreign in (False, True)}
        """Of brief tries and long ones, by whether it is a file that was handed in."""
        self._known: dict[bytes, asyncio.Task[Checked | None]] = {}
        """What comes of files that were handed in, by fingerprint, the newest last; None: they take too much."""

    async def check(
        self,
        user: int,
        data: bytes,
        published: str,
        kept: Sequence[Published],
        before: str,
        *,
        foreign: bool,
        place: int | None = None,
    ) -> Checked:
        """Check a record, as `checking.checked`; `foreign`: it was handed in, on this server or in direct messages.

        Raises `OrderError`, and `Refusal` if the user's last one is still being checked, or too many wait, or this one
        takes too much.
        """
        with self._counted(user, place, foreign=foreign):
            found = await (self._once if foreign else self._own)(data, published, kept, before)
        if found is None:
            raise Refusal("verify_too_much")
        return found

    async def unpacked(self, user: int, data: bytes, place: int | None = None) -> tuple[bytes, ...]:
        """Return the records in a file that was handed in, as `checking.unpacked`. Raises as `check`."""
        with self._counted(user, place, foreign=True):
            try:
                return await checking.unpacked(data)
            except TooMuch as endless:
                raise Refusal("verify_too_much") from endless

    @contextmanager
    def _counted(self, user: int, place: int | None, *, foreign: bool) -> Iterator[None]:
        """Count a check as long as it takes. Raises `Refusal` if there are too many."""
        if user in self._users:
            raise Refusal("verifying")
        if foreign and self._places[place] >= (most := DIRECT_MOST if place is None else OF_A_PLACE_MOST):
            raise Refusal("verifying_here", n=most)
        if (self._places.total() if foreign else self._ours) >= WAITING_MOST:
            raise Refusal("verifying_another")
        self._users.add(user)
        self._places[place] += foreign
        self._ours += not foreign
        try:
            yield
        finally:
            self._users.remove(user)
            self._places[place] -= foreign
            self._ours -= not foreign
            self._places = +self._places  # without the places that have none

    async def _once(self, data: bytes, published: str, kept: Sequence[Published], before: str) -> Checked | None:
        """What comes of a file, no matter who has handed it in first."""
        about = msgspec.json.encode((published, kept, before))
        key = hashlib.sha256(hashlib.sha256(data).digest() + about).digest()
        if key not in self._known:
            checking = self._whole(self._turns[True], data, published, kept, before)
            self._known[key] = asyncio.create_task(checking, name="check a file")
            self._known[key].add_done_callback(partial(self._checked, key))
            if len(self._known) > KNOWN_MOST:
                del self._known[next(iter(self._known))]
        return await asyncio.shield(self._known[key])

    def _checked(self, key: bytes, done: asyncio.Task[Checked | None]) -> None:
        """Forget what is no answer about a file."""
        if done.cancelled() or not isinstance(done.exception(), OrderError | None):
            self._known.pop(key, None)

    async def _own(self, data: bytes, published: str, kept: Sequence[Published], before: str) -> Checked | None:
        """What comes of a game of ours: no file that was handed in keeps it waiting."""
        return await self._whole(self._turns[False], data, published, kept, before)

    async def _whole(
        self,
        turns: tuple[asyncio.Lock, asyncio.Lock],
        data: bytes,
        published: str,
        kept: Sequence[Published],
        before: str,
    ) -> Checked | None:
        """What comes of a check; None if it takes too much."""
        for turn, brief in zip(turns, (True, False), strict=True):
            async with turn:
                try:
                    return await self._check(data, published, kept, before, brief=brief)
                except TooMuch:
                    continue
        return None
