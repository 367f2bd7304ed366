"""Checks of records for many people: what one of them hands in keeps neither the bot nor the others busy."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

from bot.errors import JobLimitExceeded, Refusal
from bot.record import checking
from bot.record.checking import CheckResult
from bot.store.queries.publications import PublishedHash
from rules.core.errors import Fault, OrderError

MAX_WAITING: Final = 8
"""Files that are checked or wait for it, at most; and as many games of ours."""
MAX_PER_SERVER: Final = 2
"""Of these files, those from one server: one crowd leaves room for others."""
MAX_DIRECT: Final = MAX_WAITING - MAX_PER_SERVER
"""Of these files, those from direct messages, where people have nothing to do with each other."""
MAX_RESULTS: Final = 32
"""Files that were handed in whose results are kept."""


class RefusedFile(Struct, frozen=True):
    """Why a file is no record: the fault of an `OrderError`, and the game whose words explain it."""

    fault: Fault
    system: str


class CheckFunction(Protocol):
    """Checks a record: `checking.check_in_process`."""

    def __call__(
        self, data: bytes, published: str, kept: Sequence[PublishedHash], before: str, *, brief: bool
    ) -> Awaitable[CheckResult]:
        """Return what a file is. Raises `OrderError`, and `JobLimitExceeded` if it takes more than is allowed."""


class CheckQueue:
    """Checks one record after the other, in turn; games of ours beside files that were handed in.

    A file may have been made up to keep us busy. So each gets a brief try first; one that takes longer goes on beside
    those that follow, one at a time. What came of a file that was handed in is remembered: nobody has it done again.
    """

    def __init__(self, check: CheckFunction = checking.check_in_process) -> None:
        self._check = check
        self._users: set[int] = set()
        self._servers: Counter[int | None] = Counter()
        """From where the files come that are checked or wait for it; None: from direct messages."""
        self._own_games = 0
        """Games of ours that are checked or wait for it."""
        self._locks = {foreign: (asyncio.Lock(), asyncio.Lock()) for foreign in (False, True)}
        """Of brief tries and long ones, by whether it is a file that was handed in."""
        self._results: dict[bytes, CheckResult | RefusedFile | None] = {}
        """Results for files that were handed in, by digest, the newest last; None: the check takes too much.

        No exception is stored: its traceback would keep the whole file in memory.
        """
        self._running: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        """Files that are being checked, by digest: people who hand in the same file wait for its first check."""

    async def check_record(
        self,
        user: int,
        data: bytes,
        published: str,
        kept: Sequence[PublishedHash],
        before: str,
        *,
        foreign: bool,
        place: int | None = None,
    ) -> CheckResult:
        """Check a record as `checking.check_in_process` does. A `foreign` one was handed in by a user.

        Raises `OrderError`, and `Refusal` if the user's last one is still being checked, or too many wait, or this one
        takes too much.
        """
        with self._count_check(user, place, foreign=foreign):
            result = await (self._check_cached if foreign else self._check_own)(data, published, kept, before)
        if result is None:
            raise Refusal("verify_too_much")
        if isinstance(result, RefusedFile):
            raise OrderError(result.fault, result.system)
        return result

    async def unpack_file(self, user: int, data: bytes, place: int | None = None) -> tuple[bytes, ...]:
        """Return the records in a file that was handed in, as `checking.unpack_in_process`. Raises as `check`."""
        with self._count_check(user, place, foreign=True):
            try:
                return await checking.unpack_in_process(data)
            except JobLimitExceeded as endless:
                raise Refusal("verify_too_much") from endless

    @contextmanager
    def _count_check(self, user: int, place: int | None, *, foreign: bool) -> Iterator[None]:
        """Count a check as long as it takes. Raises `Refusal` if there are too many."""
        if user in self._users:
            raise Refusal("verifying")
        if foreign and self._servers[place] >= (most := MAX_DIRECT if place is None else MAX_PER_SERVER):
            raise Refusal("verifying_here", n=most)
        if (self._servers.total() if foreign else self._own_games) >= MAX_WAITING:
            raise Refusal("verifying_another")
        self._users.add(user)
        self._servers[place] += foreign
        self._own_games += not foreign
        try:
            yield
        finally:
            self._users.remove(user)
            self._servers[place] -= foreign
            self._own_games -= not foreign
            self._servers = +self._servers  # without the places that have none

    async def _check_cached(
        self, data: bytes, published: str, kept: Sequence[PublishedHash], before: str
    ) -> CheckResult | RefusedFile | None:
        """Return the result for a file, whichever of its senders was first. Failures of the check itself are raised."""
        about = msgspec.json.encode((published, kept, before))
        key = hashlib.sha256(hashlib.sha256(data).digest() + about).digest()
        async with self._running.setdefault(key, asyncio.Lock()):
            if key not in self._results:
                try:
                    result: CheckResult | RefusedFile | None = await self._check_in_turn(
                        self._locks[True], data, published, kept, before
                    )
                except OrderError as error:
                    result = RefusedFile(error.fault, error.system)
                self._results[key] = result
                if len(self._results) > MAX_RESULTS:
                    del self._results[next(iter(self._results))]
            return self._results[key]

    async def _check_own(
        self, data: bytes, published: str, kept: Sequence[PublishedHash], before: str
    ) -> CheckResult | None:
        """What comes of a game of ours: no file that was handed in keeps it waiting."""
        return await self._check_in_turn(self._locks[False], data, published, kept, before)

    async def _check_in_turn(
        self,
        turns: tuple[asyncio.Lock, asyncio.Lock],
        data: bytes,
        published: str,
        kept: Sequence[PublishedHash],
        before: str,
    ) -> CheckResult | None:
        """What comes of a check; None if it takes too much."""
        for turn, brief in zip(turns, (True, False), strict=True):
            async with turn:
                try:
                    return await self._check(data, published, kept, before, brief=brief)
                except JobLimitExceeded:
                    continue
        return None
