"""Check records for many users, so that one user's files keep neither the bot nor other users waiting."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
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
"""Maximum number of submitted files that are checked or wait, and of this bot's own games likewise."""
MAX_PER_SERVER: Final = 2
MAX_DIRECT: Final = MAX_WAITING - MAX_PER_SERVER
MAX_RESULTS: Final = 32


class RefusedFile(Struct, frozen=True):
    fault: Fault  # why the file is no record
    system: str  # the game whose catalogue explains the fault; "" for the shared one


class CheckFunction(Protocol):
    def __call__(
        self, data: bytes, published: str, stored_hashes: Sequence[PublishedHash], former_digest: str, *, brief: bool
    ) -> Awaitable[CheckResult]:
        """Return the result of a check. Raises `OrderError` or `JobLimitExceeded`."""


class CheckQueue:
    """A queue that checks records one after another; own games separately from submitted files.

    A file may be made to waste time, so each gets a brief try first, and one that takes longer continues in a second
    queue. Results of submitted files are cached, so repeating a check costs nothing.
    """

    def __init__(self, check: CheckFunction = checking.check_in_process) -> None:
        self._check = check
        self._users: set[int] = set()  # users whose file is being checked or waits
        self._servers: Counter[int | None] = Counter()  # submitted files by server; None: direct messages
        self._own_games = 0  # records of this bot's own games that are being checked or wait
        # By whether the file was submitted: the lock of brief tries and the lock of full checks.
        self._locks = {submitted: (asyncio.Lock(), asyncio.Lock()) for submitted in (False, True)}
        self._results: dict[bytes, CheckResult | RefusedFile | None] = {}
        """Results of submitted files by digest, newest last; None: the check exceeds its limits.

        No exception is stored, because its traceback would keep the whole file in memory.
        """
        self._running: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()
        """Locks of files that are being checked, by digest. Users who submit the same file wait for the same check."""

    async def check_record(
        self,
        user: int,
        data: bytes,
        published: str,
        stored_hashes: Sequence[PublishedHash],
        former_digest: str,
        *,
        submitted: bool,
        guild_id: int | None = None,
    ) -> CheckResult:
        """Check a record like `checking.check_in_process`; a `submitted` one comes from a user.

        `guild_id`: the server where it was submitted; None: direct messages. Raises `OrderError`, and `Refusal` if the
        user's last check is still running, too many wait, or this one exceeds its limits.
        """
        with self._count_check(user, guild_id, submitted=submitted):
            result: CheckResult | RefusedFile | None
            if submitted:
                result = await self._check_cached(data, published, stored_hashes, former_digest)
            else:
                result = await self._check_in_turn(self._locks[False], data, published, stored_hashes, former_digest)
        if result is None:
            raise Refusal("verify_too_much")
        if isinstance(result, RefusedFile):
            raise OrderError(result.fault, result.system)
        return result

    async def unpack_file(self, user: int, data: bytes, guild_id: int | None = None) -> tuple[bytes, ...]:
        """Return the records in a submitted file like `checking.unpack_in_process`. Raises like `check_record`."""
        with self._count_check(user, guild_id, submitted=True):
            try:
                return await checking.unpack_in_process(data)
            except JobLimitExceeded as error:
                raise Refusal("verify_too_much") from error

    @contextmanager
    def _count_check(self, user: int, guild_id: int | None, *, submitted: bool) -> Iterator[None]:
        """Count a check while it runs or waits. Raises `Refusal` if the user, the server or the bot has too many."""
        if user in self._users:
            raise Refusal("verifying")
        max_of_place = MAX_DIRECT if guild_id is None else MAX_PER_SERVER
        if submitted and self._servers[guild_id] >= max_of_place:
            raise Refusal("verifying_here", n=max_of_place)
        if (self._servers.total() if submitted else self._own_games) >= MAX_WAITING:
            raise Refusal("verifying_another")
        self._users.add(user)
        if submitted:
            self._servers[guild_id] += 1
        else:
            self._own_games += 1
        try:
            yield
        finally:
            self._users.remove(user)
            if submitted:
                self._servers[guild_id] -= 1
                self._servers = +self._servers  # drops zero counts
            else:
                self._own_games -= 1

    async def _check_cached(
        self, data: bytes, published: str, stored_hashes: Sequence[PublishedHash], former_digest: str
    ) -> CheckResult | RefusedFile | None:
        compared_values = msgspec.json.encode((published, stored_hashes, former_digest))
        key = hashlib.sha256(hashlib.sha256(data).digest() + compared_values).digest()
        async with self._running.setdefault(key, asyncio.Lock()):
            if key not in self._results:
                try:
                    result: CheckResult | RefusedFile | None = await self._check_in_turn(
                        self._locks[True], data, published, stored_hashes, former_digest
                    )
                except OrderError as error:
                    result = RefusedFile(error.fault, error.system)
                self._results[key] = result
                if len(self._results) > MAX_RESULTS:
                    del self._results[next(iter(self._results))]
            return self._results[key]

    async def _check_in_turn(
        self,
        locks: tuple[asyncio.Lock, asyncio.Lock],
        data: bytes,
        published: str,
        stored_hashes: Sequence[PublishedHash],
        former_digest: str,
    ) -> CheckResult | None:
        # Tries a brief check first, and a full one in a second queue. Returns None if that exceeds its limits, too.
        check = partial(self._check, data, published, stored_hashes, former_digest)
        brief_lock, full_lock = locks
        brief_result: CheckResult | None = None
        async with brief_lock:
            with suppress(JobLimitExceeded):
                brief_result = await check(brief=True)
        if brief_result and not brief_result.recomputation.is_partial:
            return brief_result
        async with full_lock:
            with suppress(JobLimitExceeded):
                return await check(brief=False)
        return brief_result
