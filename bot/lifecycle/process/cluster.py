"""Several bots on one PostgreSQL: which shards this one holds, that it lives, and what all of them take in turn."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from bot.lifecycle.process.tenure import OwnershipCheck, raise_if_lost
from bot.store import DatabaseAway, NotWritten, Store, StoreUnavailable
from bot.store.engine.leases import BOT_PREFIX, ONCE_PREFIX, SHARD_PREFIX, Lease
from bot.store.engine.shard import DraftVersion, HeldShards, Notifications

log = logging.getLogger(__name__)

LEASE_S: Final = 6.0
"""How long what a bot has remains its own if it is not heard of."""
HEARTBEAT_S: Final = 1.0
"""How often it is heard of."""
LEASE_MARGIN_S: Final = 1.5
"""So much sooner than the database it counts its leases as run out: what it has asked of Discord by then is through."""
LISTEN_TIMEOUT_S: Final = 2.0
"""For how long it listens before it looks whether it still has a connection to listen on."""
BATCH_WINDOW_S: Final = 0.05
"""What others tell within so many seconds is looked at together."""
MAX_REQUESTS_PER_S: Final = 45
"""Of Discord, by all bots together; it takes 50 of one token."""
REQUEST_BATCH_SIZE: Final = 5
"""Requests that a bot asks for at once, so that not each of them asks the database first."""
REQUEST_BURST_S: Final = 1.0
"""Requests that were not made for so long may be made at once."""
REQUEST_EXPIRY_S: Final = 1.0
"""After so long those that are left of them count no more."""
IDENTIFY_INTERVAL_S: Final = 5.0
"""Between two connections to Discord's gateway."""
MAX_IDENTIFY_WAIT_S: Final = 600.0
"""And the longest that one waits: enough for 120 shards."""


class _HeldShard(NamedTuple):
    """A shard that we hold."""

    token: int
    until: float
    """Until when it is ours for sure, by our own clock."""


def _suspend_aware_clock() -> float:
    """Seconds that go on while the process, or the whole machine, is stopped."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class Cluster:
    """One bot among those that play on the same database."""

    def __init__(self, store: Store, shards: int) -> None:
        self.name: Final = secrets.token_hex(8)
        self._store = store
        self._shards = shards
        self._leases: dict[int, _HeldShard] = {}
        self._leaving: set[int] = set()
        """Shards that are to be another bot's, and that we let run out."""
        self._living_bots: frozenset[str] = frozenset()
        """The others that live, as far as we know."""
        self._tasks: list[asyncio.Task[None]] = []
        self._notification_timer: asyncio.TimerHandle | None = None
        self._alive_until = 0.0
        self._request_lock = asyncio.Lock()
        self._next_sweep_at = 0.0
        self._requests_left = 0
        self._requests_expire_at = 0.0
        """Requests that we may still make, and until when."""
        self.on_shards_gained: Callable[[], None] = lambda: None
        """Called when there are shards to look after that nobody has looked after until now, or a bot has died."""
        self.on_change: Callable[[], None] = lambda: None
        """Called after each beat: other shards may be held than before."""
        self.on_notification: Callable[[], None] = lambda: None
        """Called when there may be messages to send or deadlines to keep that we have not looked for."""
        self.on_draft_changed: Callable[[DraftVersion], None] = lambda _: None
        """Called when another bot has changed a draft."""
        self.on_outdated_version: Callable[[], None] = lambda: None
        """Called when the tables are of a version with which ours cannot work."""
        store.current_share = self.current_share

    # --- what is ours ------------------------------------------------------------------------------------------

    @property
    def held_shards(self) -> frozenset[int]:
        """The shards that are ours just now."""
        now = _suspend_aware_clock()
        return frozenset(shard for shard, tenure in self._leases.items() if now < tenure.until)

    def current_share(self) -> HeldShards:
        """The part of all games that is ours just now."""
        tokens = {shard: self._leases[shard].token for shard in self.held_shards}
        held = {shard: token for shard, token in tokens.items() if shard not in self._leaving}
        return HeldShards(bot_name=self.name, shard_count=self._shards, held_tokens=held, all_tokens=tokens)

    def ownership_check(self) -> OwnershipCheck:
        """Tells, later, whether all that is ours now has been so ever since."""
        return partial(self._still_holds, self.current_share())

    def _still_holds(self, share: HeldShards) -> bool:
        now = _suspend_aware_clock()
        found = [(self._leases.get(shard), token) for shard, token in share.all_tokens.items()]
        return all(tenure and tenure.token == token and now < tenure.until for tenure, token in found)

    @property
    def is_alive(self) -> bool:
        """Whether the database has heard of us lately."""
        return _suspend_aware_clock() < self._alive_until

    # --- the beat ----------------------------------------------------------------------------------------------

    async def join(self) -> None:
        """Appear among the bots, and take what is free. Raises `StoreUnavailable` if others count other shards."""
        async with self._store.write() as tx:
            await tx.leases.create_shard_leases(self._shards)
            others = [one for one in await tx.leases.all_leases() if one.is_live and one.key.startswith(BOT_PREFIX)]
        if unlike := next((other for other in others if other.token != self._shards), None):
            raise StoreUnavailable(f"another bot plays here with SHARDS={unlike.token}, not {self._shards}")
        self._living_bots = frozenset(other.key for other in others)
        await self.renew_leases()

    async def join_and_run(self) -> None:
        """Appear, and from then on beat and listen. Raises `StoreUnavailable`."""
        await self.join()
        listener = self._store.listener()

        async def listen() -> None:
            try:
                while True:
                    await self._run_listener(listener.wait_for_notification)
            finally:
                await listener.close()

        self._tasks = [
            asyncio.create_task(self._run_heartbeat(), name="leases"),
            asyncio.create_task(listen(), name="hears of the others"),
        ]

    async def leave(self) -> None:
        """Leave what is ours to the others at once."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._notification_timer:
            self._notification_timer.cancel()
        self._leases = {}
        try:
            async with self._store.write() as tx:
                await tx.leases.release(self.name)
        except NotWritten as away:
            log.warning("leases run out by themselves", extra={"why": str(away)})

    async def _run_heartbeat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            try:
                await self.renew_leases()
            except NotWritten as away:
                log.warning("leases could not be kept", extra={"why": str(away)})
                self.on_change()

    async def renew_leases(self) -> None:
        """Keep what is ours, take what nobody has, and leave what others should have."""
        before, held_before = _suspend_aware_clock(), self.held_shards
        over = self._leaving - held_before  # what we have asked of Discord about these is through
        async with self._store.write() as tx:
            await tx.leases.release(self.name, [_shard_key(shard) for shard in over])
            await tx.leases.announce_bot(self.name, self._shards, seconds=LEASE_S)
            ending = [_shard_key(shard) for shard in self._leaving - over]
            tokens = await tx.leases.renew(self.name, seconds=LEASE_S, leaving=ending)
            found = await tx.leases.all_leases()
            most = self._fair_shard_count(found) - sum(key.startswith(SHARD_PREFIX) for key in tokens)
            if most > 0 and any(one.key.startswith(SHARD_PREFIX) and not one.is_live for one in found):
                tokens |= await tx.leases.take_free(self.name, seconds=LEASE_S, most=most)
            serves = await tx.leases.is_version_supported()
        self._alive_until = before + LEASE_S - LEASE_MARGIN_S
        ours = {
            _shard_of_key(key): _HeldShard(token, self._alive_until)
            for key, token in tokens.items()
            if key.startswith(SHARD_PREFIX)
        }
        self._leaving -= over
        self._leases = {shard: self._leases[shard] for shard in self._leaving} | ours
        self._leaving |= set(sorted(ours)[self._fair_shard_count(found) :])
        alive = frozenset(one.key for one in found if one.is_live and one.key.startswith(BOT_PREFIX))
        died, self._living_bots = self._living_bots - alive, alive
        gained, lost = self.held_shards - held_before, held_before - self.held_shards
        if gained or lost:
            log.info("shards", extra={"taken": sorted(gained), "left": sorted(lost), "of": self._shards})
            self.on_notification()  # what waits is another's by now, or ours
        self.on_change()
        if gained or died:
            self.on_shards_gained()
        if not serves:
            self.on_outdated_version()

    def _fair_shard_count(self, found: Sequence[Lease]) -> int:
        """How many shards each bot should have at most."""
        alive = {one.key for one in found if one.is_live and one.key.startswith(BOT_PREFIX)} | {
            f"{BOT_PREFIX}{self.name}"
        }
        return -(-self._shards // len(alive))

    async def _run_listener(self, heard: Callable[[float], Awaitable[Notifications]]) -> None:
        try:
            told = await heard(LISTEN_TIMEOUT_S)
            for draft in told.draft_versions:
                if draft.bot_name != self.name:
                    self.on_draft_changed(draft)
            if told.has_changes and self._notification_timer is None:
                self._notification_timer = asyncio.get_running_loop().call_later(BATCH_WINDOW_S, self._notify_changes)
        except DatabaseAway:
            await asyncio.sleep(HEARTBEAT_S)  # the beat tells of it

    def _notify_changes(self) -> None:
        self._notification_timer = None
        self.on_notification()

    # --- turns -------------------------------------------------------------------------------------------------

    async def wait_for_request_slot(self) -> None:
        """Wait until Discord may be asked once more by any bot of this token. Raises `LeaseLost`, and `NotWritten`."""
        raise_if_lost()
        async with self._request_lock:
            if self._requests_left <= 0 or _suspend_aware_clock() > self._requests_expire_at:
                async with self._store.write() as tx:
                    cost = REQUEST_BATCH_SIZE / MAX_REQUESTS_PER_S
                    wait = await tx.leases.take_turn("requests", cost_s=cost, early_s=REQUEST_BURST_S)
                await asyncio.sleep(wait)
                self._requests_left, self._requests_expire_at = (
                    REQUEST_BATCH_SIZE,
                    _suspend_aware_clock() + REQUEST_EXPIRY_S,
                )
            self._requests_left -= 1
        raise_if_lost()

    async def wait_for_identify_slot(self) -> None:
        """Wait until a connection to Discord's gateway may be made. Raises `NotWritten`."""
        async with self._store.write() as tx:
            wait = await tx.leases.take_turn("identify", cost_s=IDENTIFY_INTERVAL_S, farthest_s=MAX_IDENTIFY_WAIT_S)
        await asyncio.sleep(wait)

    async def try_lock(self, what: str, seconds: float) -> bool:
        """Whether this is the bot that does something now; for so many seconds no other does it."""
        async with self._store.write() as tx:
            return await tx.leases.try_lock(what, seconds=seconds)

    async def claim_once(self, what: str, seconds: float) -> bool:
        """Whether no bot has taken something that comes once, such as an interaction, in the last seconds."""
        now = time.monotonic()
        async with self._store.write() as tx:
            if now >= self._next_sweep_at:
                self._next_sweep_at = now + seconds
                await tx.leases.delete_expired()
            return await tx.leases.try_lock(f"{ONCE_PREFIX}{what}", seconds=seconds)


def _shard_key(shard: int) -> str:
    return f"{SHARD_PREFIX}{shard}"


def _shard_of_key(key: str) -> int:
    return int(key.removeprefix(SHARD_PREFIX))
