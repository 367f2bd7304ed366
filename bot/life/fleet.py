"""Several bots on one PostgreSQL: which shards this one holds, that it lives, and what all of them take in turn."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from bot.life.tenure import OwnershipCheck, raise_if_lost
from bot.store import DatabaseAway, NotWritten, Store, StoreUnavailable
from bot.store.leases import BOT_PREFIX, ONCE_PREFIX, SHARD_PREFIX, Lease
from bot.store.share import DraftVersion, HeldShards, Notifications

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
        self._tenures: dict[int, _HeldShard] = {}
        self._leaving: set[int] = set()
        """Shards that are to be another bot's, and that we let run out."""
        self._alive: frozenset[str] = frozenset()
        """The others that live, as far as we know."""
        self._beating: list[asyncio.Task[None]] = []
        self._heard: asyncio.TimerHandle | None = None
        self._lives_until = 0.0
        self._asking = asyncio.Lock()
        self._sweeps_at = 0.0
        self._left = 0
        self._left_until = 0.0
        """Requests that we may still make, and until when."""
        self.gained: Callable[[], None] = lambda: None
        """Called when there are shards to look after that nobody has looked after until now, or a bot has died."""
        self.changed: Callable[[], None] = lambda: None
        """Called after each beat: other shards may be held than before."""
        self.told: Callable[[], None] = lambda: None
        """Called when there may be messages to send or deadlines to keep that we have not looked for."""
        self.drafted: Callable[[DraftVersion], None] = lambda _: None
        """Called when another bot has changed a draft."""
        self.outdated: Callable[[], None] = lambda: None
        """Called when the tables are of a version with which ours cannot work."""
        store.share = self.share

    # --- what is ours ------------------------------------------------------------------------------------------

    @property
    def held(self) -> frozenset[int]:
        """The shards that are ours just now."""
        now = _suspend_aware_clock()
        return frozenset(shard for shard, tenure in self._tenures.items() if now < tenure.until)

    def share(self) -> HeldShards:
        """The part of all games that is ours just now."""
        tokens = {shard: self._tenures[shard].token for shard in self.held}
        held = {shard: token for shard, token in tokens.items() if shard not in self._leaving}
        return HeldShards(holder=self.name, shards=self._shards, held=held, tokens=tokens)

    def tenure(self) -> OwnershipCheck:
        """Tells, later, whether all that is ours now has been so ever since."""
        return partial(self._holds_still, self.share())

    def _holds_still(self, share: HeldShards) -> bool:
        now = _suspend_aware_clock()
        found = [(self._tenures.get(shard), token) for shard, token in share.tokens.items()]
        return all(tenure and tenure.token == token and now < tenure.until for tenure, token in found)

    @property
    def well(self) -> bool:
        """Whether the database has heard of us lately."""
        return _suspend_aware_clock() < self._lives_until

    # --- the beat ----------------------------------------------------------------------------------------------

    async def appear(self) -> None:
        """Appear among the bots, and take what is free. Raises `StoreUnavailable` if others count other shards."""
        async with self._store.write() as tx:
            await tx.leases.make(self._shards)
            others = [one for one in await tx.leases.all() if one.live and one.key.startswith(BOT_PREFIX)]
        if unlike := next((other for other in others if other.token != self._shards), None):
            raise StoreUnavailable(f"another bot plays here with SHARDS={unlike.token}, not {self._shards}")
        self._alive = frozenset(other.key for other in others)
        await self.beat()

    async def start(self) -> None:
        """Appear, and from then on beat and listen. Raises `StoreUnavailable`."""
        await self.appear()
        listener = self._store.listener()

        async def listen() -> None:
            try:
                while True:
                    await self._listen(listener.heard)
            finally:
                await listener.close()

        self._beating = [
            asyncio.create_task(self._go_on_beating(), name="leases"),
            asyncio.create_task(listen(), name="hears of the others"),
        ]

    async def close(self) -> None:
        """Leave what is ours to the others at once."""
        for task in self._beating:
            task.cancel()
        await asyncio.gather(*self._beating, return_exceptions=True)
        if self._heard:
            self._heard.cancel()
        self._tenures = {}
        try:
            async with self._store.write() as tx:
                await tx.leases.give_up(self.name)
        except NotWritten as away:
            log.warning("leases run out by themselves", extra={"why": str(away)})

    async def _go_on_beating(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            try:
                await self.beat()
            except NotWritten as away:
                log.warning("leases could not be kept", extra={"why": str(away)})
                self.changed()

    async def beat(self) -> None:
        """Keep what is ours, take what nobody has, and leave what others should have."""
        before, held_before = _suspend_aware_clock(), self.held
        over = self._leaving - held_before  # what we have asked of Discord about these is through
        async with self._store.write() as tx:
            await tx.leases.give_up(self.name, [_shard_key(shard) for shard in over])
            await tx.leases.live(self.name, self._shards, seconds=LEASE_S)
            ending = [_shard_key(shard) for shard in self._leaving - over]
            tokens = await tx.leases.renew(self.name, seconds=LEASE_S, leaving=ending)
            found = await tx.leases.all()
            most = self._fair(found) - sum(key.startswith(SHARD_PREFIX) for key in tokens)
            if most > 0 and any(one.key.startswith(SHARD_PREFIX) and not one.live for one in found):
                tokens |= await tx.leases.take(self.name, seconds=LEASE_S, most=most)
            serves = await tx.leases.serves_us()
        self._lives_until = before + LEASE_S - LEASE_MARGIN_S
        ours = {
            _shard_of_key(key): _HeldShard(token, self._lives_until)
            for key, token in tokens.items()
            if key.startswith(SHARD_PREFIX)
        }
        self._leaving -= over
        self._tenures = {shard: self._tenures[shard] for shard in self._leaving} | ours
        self._leaving |= set(sorted(ours)[self._fair(found) :])
        alive = frozenset(one.key for one in found if one.live and one.key.startswith(BOT_PREFIX))
        died, self._alive = self._alive - alive, alive
        gained, lost = self.held - held_before, held_before - self.held
        if gained or lost:
            log.info("shards", extra={"taken": sorted(gained), "left": sorted(lost), "of": self._shards})
            self.told()  # what waits is another's by now, or ours
        self.changed()
        if gained or died:
            self.gained()
        if not serves:
            self.outdated()

    def _fair(self, found: Sequence[Lease]) -> int:
        """How many shards each bot should have at most."""
        alive = {one.key for one in found if one.live and one.key.startswith(BOT_PREFIX)} | {f"{BOT_PREFIX}{self.name}"}
        return -(-self._shards // len(alive))

    async def _listen(self, heard: Callable[[float], Awaitable[Notifications]]) -> None:
        try:
            told = await heard(LISTEN_TIMEOUT_S)
            for draft in told.drafted:
                if draft.by != self.name:
                    self.drafted(draft)
            if told.changed and self._heard is None:
                self._heard = asyncio.get_running_loop().call_later(BATCH_WINDOW_S, self._look)
        except DatabaseAway:
            await asyncio.sleep(HEARTBEAT_S)  # the beat tells of it

    def _look(self) -> None:
        self._heard = None
        self.told()

    # --- turns -------------------------------------------------------------------------------------------------

    async def request(self) -> None:
        """Wait until Discord may be asked once more by any bot of this token. Raises `LeaseLost`, and `NotWritten`."""
        raise_if_lost()
        async with self._asking:
            if self._left <= 0 or _suspend_aware_clock() > self._left_until:
                async with self._store.write() as tx:
                    cost = REQUEST_BATCH_SIZE / MAX_REQUESTS_PER_S
                    wait = await tx.leases.turn("requests", cost_s=cost, early_s=REQUEST_BURST_S)
                await asyncio.sleep(wait)
                self._left, self._left_until = REQUEST_BATCH_SIZE, _suspend_aware_clock() + REQUEST_EXPIRY_S
            self._left -= 1
        raise_if_lost()

    async def identify(self) -> None:
        """Wait until a connection to Discord's gateway may be made. Raises `NotWritten`."""
        async with self._store.write() as tx:
            wait = await tx.leases.turn("identify", cost_s=IDENTIFY_INTERVAL_S, farthest_s=MAX_IDENTIFY_WAIT_S)
        await asyncio.sleep(wait)

    async def alone_with(self, what: str, seconds: float) -> bool:
        """Whether this is the bot that does something now; for so many seconds no other does it."""
        async with self._store.write() as tx:
            return await tx.leases.alone(what, seconds=seconds)

    async def is_first(self, what: str, seconds: float) -> bool:
        """Whether no bot has taken something that comes once, such as an interaction, in the last seconds."""
        now = time.monotonic()
        async with self._store.write() as tx:
            if now >= self._sweeps_at:
                self._sweeps_at = now + seconds
                await tx.leases.sweep()
            return await tx.leases.alone(f"{ONCE_PREFIX}{what}", seconds=seconds)


def _shard_key(shard: int) -> str:
    return f"{SHARD_PREFIX}{shard}"


def _shard_of_key(key: str) -> int:
    return int(key.removeprefix(SHARD_PREFIX))
