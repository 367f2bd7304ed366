"""Let several bots share one PostgreSQL: leases on shards, a heartbeat, and rate limits that all of them share.

A bot renews its leases every `HEARTBEAT_S`. Each lease ends `LEASE_S` after its last renewal by the database's clock,
and `LEASE_MARGIN_S` earlier by the bot's own clock, which gives requests to Discord time to finish before another bot
takes the shard. A lease's token changes when the shard changes hands.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import ceil
from typing import Final, NamedTuple

from bot.lifecycle.process.pulse import uptime
from bot.lifecycle.process.tenure import OwnershipCheck, raise_if_lost
from bot.store import DatabaseAway, NotWritten, Store, StoreUnavailable
from bot.store.engine.leases import BOT_PREFIX, ONCE_PREFIX, SHARD_PREFIX, Lease
from bot.store.engine.shard import DraftVersion, HeldShards, Notifications

log = logging.getLogger(__name__)

LEASE_S: Final = 6.0
HEARTBEAT_S: Final = 1.0
LEASE_MARGIN_S: Final = 1.5  # the bot treats its leases as ended this many seconds before the database does
LISTEN_TIMEOUT_S: Final = 2.0
BATCH_WINDOW_S: Final = 0.05
MAX_REQUESTS_PER_S: Final = 45  # requests to Discord by all bots together; Discord allows 50 for a token
REQUEST_BATCH_SIZE: Final = 5
REQUEST_BURST_S: Final = 1.0  # unused requests of this many seconds may be made in a burst
REQUEST_EXPIRY_S: Final = 1.0
IDENTIFY_INTERVAL_S: Final = 5.0
MAX_IDENTIFY_WAIT_S: Final = 600.0


class _HeldShard(NamedTuple):
    token: int  # grows whenever the shard changes hands
    until: float  # end of the lease, in seconds of `uptime`


class ClusterListener:
    """Hears what changes between bots. This one ignores it."""

    def note_leases(self) -> None:
        """Called after each renewal of leases, or if it failed."""

    def note_orphaned_work(self) -> None:
        """Called when this bot has gained shards, or another bot has died."""

    def note_other_process(self) -> None:
        """Called when another bot has left work that may be for this one."""

    def note_draft_changed(self, draft: DraftVersion) -> None:
        """Called when another bot has changed a draft."""

    def note_outdated_version(self) -> None:
        """Called when a newer version has changed the tables so that this one cannot work with them."""


class Cluster:
    def __init__(self, store: Store, shards: int, listener: ClusterListener) -> None:
        self.name: Final = secrets.token_hex(8)
        self._store = store
        self._shards = shards
        self._leases: dict[int, _HeldShard] = {}
        # Shards beyond this bot's fair share; given up when their requests to Discord have finished.
        self._leaving: set[int] = set()
        self._living_bots: frozenset[str] = frozenset()  # lease keys of the bots that are alive
        self._tasks: list[asyncio.Task[None]] = []
        self._notification_timer: asyncio.TimerHandle | None = None
        self._alive_until = 0.0  # seconds of `uptime` at which this bot's own leases end
        self._request_lock = asyncio.Lock()
        self._next_sweep_at = 0.0  # when to delete expired locks, in seconds of `time.monotonic`
        self._requests_left = 0  # requests to Discord that this bot may still make of its batch
        self._requests_expire_at = 0.0  # seconds of `uptime`
        self._listener = listener
        store.current_share = self.current_share

    # --- what is ours ------------------------------------------------------------------------------------------

    @property
    def held_shards(self) -> frozenset[int]:
        now = uptime()
        return frozenset(shard for shard, held in self._leases.items() if now < held.until)

    def current_share(self) -> HeldShards:
        tokens = {shard: self._leases[shard].token for shard in self.held_shards}
        kept_tokens = {shard: token for shard, token in tokens.items() if shard not in self._leaving}
        return HeldShards(bot_name=self.name, shard_count=self._shards, held_tokens=kept_tokens, all_tokens=tokens)

    def ownership_check(self) -> OwnershipCheck:
        return partial(self._still_holds, self.current_share())

    def _still_holds(self, share: HeldShards) -> bool:
        now = uptime()
        current_and_token = [(self._leases.get(shard), token) for shard, token in share.all_tokens.items()]
        return all(current and current.token == token and now < current.until for current, token in current_and_token)

    @property
    def is_alive(self) -> bool:
        return uptime() < self._alive_until

    # --- the beat ----------------------------------------------------------------------------------------------

    async def join(self) -> None:
        """Register this bot and take free shards. Raises `StoreUnavailable` if bots disagree on the shard count."""
        async with self._store.write() as tx:
            await tx.leases.create_shard_leases(self._shards)
            others = [
                lease for lease in await tx.leases.all_leases() if lease.is_live and lease.key.startswith(BOT_PREFIX)
            ]
        # The token of a bot's own lease is its number of shards.
        mismatch = next((other for other in others if other.token != self._shards), None)
        if mismatch:
            raise StoreUnavailable(f"another bot plays here with SHARDS={mismatch.token}, not {self._shards}")
        self._living_bots = frozenset(other.key for other in others)
        await self.renew_leases()

    async def join_and_run(self) -> None:
        """Join the bots of this database, and keep the leases and listen to other bots in the background."""
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
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._notification_timer:
            self._notification_timer.cancel()
        self._leases = {}
        try:
            async with self._store.write() as tx:
                await tx.leases.release(self.name)
        except NotWritten as error:
            log.warning("leases run out by themselves", extra={"why": str(error)})

    async def _run_heartbeat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            try:
                await self.renew_leases()
            except NotWritten as error:
                log.warning("leases could not be kept", extra={"why": str(error)})
                self._listener.note_leases()

    async def renew_leases(self) -> None:
        """Renew the leases, take free shards up to a fair share, and give up shards beyond it."""
        renewed_at = uptime()
        held_before = self.held_shards
        finished = self._leaving - held_before  # requests to Discord for these shards have finished
        async with self._store.write() as tx:
            await tx.leases.release(self.name, [_shard_key(shard) for shard in finished])
            await tx.leases.announce_bot(self.name, self._shards, seconds=LEASE_S)
            leaving_keys = [_shard_key(shard) for shard in self._leaving - finished]
            tokens = await tx.leases.renew(self.name, seconds=LEASE_S, leaving=leaving_keys)
            leases = await tx.leases.all_leases()
            shards_to_take = self._fair_shard_count(leases) - sum(key.startswith(SHARD_PREFIX) for key in tokens)
            has_free_shard = any(lease.key.startswith(SHARD_PREFIX) and not lease.is_live for lease in leases)
            if shards_to_take > 0 and has_free_shard:
                tokens |= await tx.leases.take_free(self.name, seconds=LEASE_S, most=shards_to_take)
            is_supported = await tx.leases.is_version_supported()
        self._alive_until = renewed_at + LEASE_S - LEASE_MARGIN_S
        own_shards = {
            int(key.removeprefix(SHARD_PREFIX)): _HeldShard(token, self._alive_until)
            for key, token in tokens.items()
            if key.startswith(SHARD_PREFIX)
        }
        self._leaving -= finished
        self._leases = {shard: self._leases[shard] for shard in self._leaving} | own_shards
        self._leaving |= set(sorted(own_shards)[self._fair_shard_count(leases) :])
        living_bots = frozenset(lease.key for lease in leases if lease.is_live and lease.key.startswith(BOT_PREFIX))
        dead_bots = self._living_bots - living_bots
        self._living_bots = living_bots
        gained_shards = self.held_shards - held_before
        lost_shards = held_before - self.held_shards
        if gained_shards or lost_shards:
            log.info("shards", extra={"taken": sorted(gained_shards), "left": sorted(lost_shards), "of": self._shards})
            self._listener.note_other_process()  # pending work may now belong to another bot or to this one
        self._listener.note_leases()
        if gained_shards or dead_bots:
            self._listener.note_orphaned_work()
        if not is_supported:
            self._listener.note_outdated_version()

    def _fair_shard_count(self, leases: Sequence[Lease]) -> int:
        living_bots = {lease.key for lease in leases if lease.is_live and lease.key.startswith(BOT_PREFIX)}
        living_bots.add(f"{BOT_PREFIX}{self.name}")
        return ceil(self._shards / len(living_bots))

    async def _run_listener(self, wait: Callable[[float], Awaitable[Notifications]]) -> None:
        try:
            notifications = await wait(LISTEN_TIMEOUT_S)
            for draft in notifications.draft_versions:
                if draft.bot_name != self.name:
                    self._listener.note_draft_changed(draft)
            if notifications.has_changes and self._notification_timer is None:
                self._notification_timer = asyncio.get_running_loop().call_later(BATCH_WINDOW_S, self._notify_changes)
        except DatabaseAway:
            await asyncio.sleep(HEARTBEAT_S)  # the heartbeat logs it

    def _notify_changes(self) -> None:
        self._notification_timer = None
        self._listener.note_other_process()

    # --- turns -------------------------------------------------------------------------------------------------

    async def wait_for_request_slot(self) -> None:
        """Wait until this bot may make another request to Discord. Raises `LeaseLost` or `NotWritten`."""
        raise_if_lost()
        async with self._request_lock:
            if self._requests_left <= 0 or uptime() > self._requests_expire_at:
                async with self._store.write() as tx:
                    cost = REQUEST_BATCH_SIZE / MAX_REQUESTS_PER_S
                    wait = await tx.leases.take_turn("requests", cost_s=cost, early_s=REQUEST_BURST_S)
                await asyncio.sleep(wait)
                self._requests_left = REQUEST_BATCH_SIZE
                self._requests_expire_at = uptime() + REQUEST_EXPIRY_S
            self._requests_left -= 1
        raise_if_lost()

    async def wait_for_identify_slot(self) -> None:
        """Wait until this token may open another gateway connection. Raises `NotWritten`."""
        async with self._store.write() as tx:
            wait = await tx.leases.take_turn("identify", cost_s=IDENTIFY_INTERVAL_S, farthest_s=MAX_IDENTIFY_WAIT_S)
        await asyncio.sleep(wait)

    async def try_lock(self, what: str, seconds: float) -> bool:
        """Return whether this bot gets the lock; no other gets it for this many seconds."""
        async with self._store.write() as tx:
            return await tx.leases.try_lock(what, seconds=seconds)

    async def claim_once(self, what: str, seconds: float) -> bool:
        """Return whether this bot is the first to claim `what`, such as an interaction, within this many seconds."""
        now = time.monotonic()
        async with self._store.write() as tx:
            if now >= self._next_sweep_at:
                self._next_sweep_at = now + seconds
                await tx.leases.delete_expired()
            return await tx.leases.try_lock(f"{ONCE_PREFIX}{what}", seconds=seconds)


def _shard_key(shard: int) -> str:
    return f"{SHARD_PREFIX}{shard}"
