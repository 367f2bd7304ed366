"""Checks of records for many people: what one of them hands in keeps neither the bot nor the others busy."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Final, Protocol

import msgspec

from bot.errors import Refusal, TooMuch
from bot.record import checking
from bot.record.checking import Checked
from bot.store.publications import Published
from rules.errors import OrderError

WAITING_MOST: Final = 8
"""People whose records are checked or wait for it, at most."""
KNOWN_MOST: Final = 32
"""Files that were handed in of which is remembered what came of them."""


class Check(Protocol):
    """Checks a record: `checking.checked`."""

    def __call__(
        self, data: bytes, published: str, kept: Sequence[Published], before: str, *, brief: bool
    ) -> Awaitable[Checked]:
        """Return what a file is. Raises `OrderError`, and `TooMuch` if it takes more than is allowed."""


class Checks:
    """Checks one record after the other, in turn.

    A record may have been made up to keep us busy. So each gets a brief try first; one that takes longer goes on beside
    those that follow, one at a time. What came of a file that was handed in is remembered: nobody has it done again.
    """

    def __init__(self, check: Check = checking.checked) -> None:
        self._check = check
        self._users: set[int] = set()
        self._brief, self._long = asyncio.Lock(), asyncio.Lock()
        self._known: dict[bytes, asyncio.Task[Checked | None]] = {}
        """What comes of files that were handed in, by fingerprint, the newest last; None: they take too much."""

    async def check(
        self, user: int, data: bytes, published: str, kept: Sequence[Published], before: str, *, foreign: bool
    ) -> Checked:
        """Check a record, as `checking.checked`; `foreign`: it was handed in, and is no game of ours.

        Raises `OrderError`, and `Refusal` if the user's last one is still being checked, or too many wait, or this one
        takes too much.
        """
        if user in self._users:
            raise Refusal("verifying")
        if len(self._users) >= WAITING_MOST:
            raise Refusal("verifying_another")
        self._users.add(user)
        try:
            found = await (self._once if foreign else self._whole)(data, published, kept, before)
        finally:
            self._users.remove(user)
        if found is None:
            raise Refusal("verify_too_much")
        return found

    async def _once(self, data: bytes, published: str, kept: Sequence[Published], before: str) -> Checked | None:
        """What comes of a file, no matter who has handed it in first."""
        about = msgspec.json.encode((published, kept, before))
        key = hashlib.sha256(hashlib.sha256(data).digest() + about).digest()
        if key not in self._known:
            self._known[key] = asyncio.create_task(self._whole(data, published, kept, before), name="check a file")
            self._known[key].add_done_callback(partial(self._checked, key))
            if len(self._known) > KNOWN_MOST:
                del self._known[next(iter(self._known))]
        return await asyncio.shield(self._known[key])

    def _checked(self, key: bytes, done: asyncio.Task[Checked | None]) -> None:
        """Forget what is no answer about a file."""
        if done.cancelled() or not isinstance(done.exception(), OrderError | None):
            self._known.pop(key, None)

    async def _whole(self, data: bytes, published: str, kept: Sequence[Published], before: str) -> Checked | None:
        """What comes of a check; None if it takes too much."""
        for turn, brief in ((self._brief, True), (self._long, False)):
            async with turn:
                try:
                    return await self._check(data, published, kept, before, brief=brief)
                except TooMuch:
                    continue
        return None
