"""The bot as one of several on one PostgreSQL: it connects to Discord's gateway for the shards that it holds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from typing import Any, Final

import discord
import yarl
from discord.gateway import DiscordWebSocket

from bot.config import BotSettings
from bot.discord.app import DATABASE_RETRY_S, WarGalley
from bot.discord.identifying import Backoff
from bot.life.fleet import Cluster
from bot.life.tenure import OwnershipCheck, always_owned
from bot.store import NotWritten, Store

log = logging.getLogger(__name__)

UNLIMITED_PATHS: Final = ("/interactions/", "/webhooks/")
"""What Discord does not count against the requests of a bot."""
SHARD_MOVED_REASON: Final = "give way"


class _ShardNotConnected(Exception):
    """There is no connection for a shard yet."""


class ShardedWarGalley(WarGalley, discord.AutoShardedClient):
    """The same bot; of shards that another bot holds it sends nothing, and hears nothing."""

    def __init__(self, config: BotSettings, **given: Any) -> None:  # noqa: ANN401 - as the bot that plays alone
        super().__init__(config, **given)
        self.shard_count = config.shards
        self._fleet: Cluster | None = None
        self._connections: dict[int, asyncio.Task[None]] = {}
        """By shard: what makes its connection to the gateway, or has made it."""
        self._beside: set[asyncio.Task[None]] = set()
        self._begun = asyncio.Event()

    async def open(self) -> None:
        """Open the database, before Discord is asked for anything. Raises `StoreUnavailable`."""
        self._store = await Store.open(self._config.database_url, shared=True)
        self._fleet = Cluster(self._store, self._config.shards)

    async def setup_hook(self) -> None:
        """Build the bot over its database. Raises `StoreUnavailable`."""
        await super().setup_hook()
        assert self._fleet is not None  # noqa: S101 - opened with the database
        assert self._scheduler is not None  # noqa: S101 - just built
        self._fleet.gained = lambda: self._start(self._recover(), "go on where others stopped")
        self._fleet.changed = self._connect_held
        self._fleet.told = self._hear_others
        self._fleet.drafted = self.table.orders.heard
        self._fleet.outdated = self._give_way

    @property
    def connected(self) -> bool:
        """Whether the gateway is reached for all shards that are held, and the others know that we live."""
        if self._fleet is None or not self._fleet.well:
            return False
        reached = {shard for shard, info in self.shards.items() if not info.is_closed()}
        return self._fleet.held <= reached

    async def wait_until_ready(self) -> None:
        """Wait until it plays, be it without a shard."""
        await self._begun.wait()

    # --- shards ------------------------------------------------------------------------------------------------

    async def launch_shards(self) -> None:
        """Connect for the shards that are held, whichever these are from now on. Raises `StoreUnavailable`."""
        # discord.py waits until those that it knows of are all ready; these come and go.
        self._connection.shard_count, self._connection.shard_ids = self._config.shards, []
        if self._fleet is not None and not self.is_closed():
            await self._fleet.start()
            self._begun.set()

    def _connect_held(self) -> None:
        """Connect for the shards that are held, and for no others."""
        if self._fleet is None or self.is_closed():
            return
        held = self._fleet.held
        for shard in held - self._connections.keys():
            self._connections[shard] = asyncio.create_task(self._connect_shard(shard), name=f"connect shard {shard}")
        for shard in self._connections.keys() - held:
            self._connections.pop(shard).cancel()
            if info := self.get_shard(shard):
                self._start(info.disconnect(), f"leave shard {shard}")

    async def _connect_shard(self, shard: int) -> None:
        """Connect for a shard, again and again until that succeeds."""
        backoff, pause_s = Backoff(), 0.0
        while True:
            with suppress(_ShardNotConnected):
                return await self.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard, initial=True)
            await asyncio.sleep(pause_s)
            pause_s = backoff.next_s()

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        """Connect for a shard. Raises `_ShardNotConnected` five seconds after that has failed."""
        # discord.py calls this method from itself where it fails, deeper each time until Python allows no more.
        if not initial:
            raise _ShardNotConnected
        await super().launch_shard(gateway, shard_id, initial=True)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002 - discord.py's own
        """Wait for the turn of a new connection: Discord takes one in five seconds, of all bots together."""
        while self._fleet is not None and shard_id in self._fleet.held:
            try:
                await self._fleet.identify()
            except NotWritten:
                await asyncio.sleep(DATABASE_RETRY_S)
            else:
                return await self._identifies.take_turn(shard_id)
        raise asyncio.CancelledError  # by this discord.py tries no more to connect for a shard that is another bot's

    async def on_shard_ready(self, shard_id: int) -> None:
        """Go on where the games of a shard were left; it may be ready again after its connection was lost."""
        self.pulse.heard(shard_id)
        await self._until_written(self._count_gaps)
        await self._until_written(
            lambda: self._look_around(lambda guild_id: (guild_id >> 22) % self._config.shards == shard_id)
        )
        if shard_id == 0:
            await self._until_written(self.table.standstill.hold)
            await self._until_written(self.table.privacy.go_on)
        await self._until_written(
            lambda: self._begin_for_host(lambda guild_id: (guild_id >> 22) % self._config.shards == shard_id)
        )
        await self._until_written(self._try_all_again)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """The lost connection of a shard is back."""
        self.pulse.heard(shard_id)

    def _hear_others(self) -> None:
        """Another process has wanted messages, set deadlines, or left a request of the host."""
        if self._scheduler:
            self._scheduler.heard()
        self.hear_host()

    async def _recover(self) -> None:
        """Go on with what bots that died, or that held our shards before, had in hand."""
        await self._until_written(self.table.rounds.recover)

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    # --- among the others --------------------------------------------------------------------------------------

    def tenure(self) -> OwnershipCheck:
        """Give what tells, later, whether what is ours to send now still is."""
        return self._fleet.tenure() if self._fleet else always_owned

    async def may_ask(self, path: str) -> None:
        """Wait until Discord may be asked: it takes so much of all bots together. Raises `LeaseLost`, `NotWritten`."""
        if self._fleet is not None and not any(part in path for part in UNLIMITED_PATHS):
            await self._fleet.request()

    def heartbeat_latencies(self) -> Mapping[int, float]:
        """Return by shard how long the gateway took to acknowledge the last heartbeat, in seconds."""
        return dict(self.latencies)

    async def alone_with(self, what: str, seconds: float) -> bool:
        """Whether no other bot does something just now, nor for so many seconds."""
        return self._fleet is None or await self._fleet.alone_with(what, seconds)

    async def is_first(self, what: str, seconds: float) -> bool:
        """Whether no other bot has taken this; for so many seconds none will. Raises `NotWritten`."""
        return self._fleet is None or await self._fleet.is_first(what, seconds)

    def _give_way(self) -> None:
        """End: a newer version has changed the tables so that ours cannot work with them."""
        if not self.is_closed() and not any(task.get_name() == SHARD_MOVED_REASON for task in self._beside):
            log.warning("a newer version plays on: this one ends")
            self._start(self.close(), SHARD_MOVED_REASON)

    async def leave(self) -> None:
        """Leave the shards to the others at once."""
        fleet, self._fleet = self._fleet, None
        if fleet is not None:
            await fleet.close()
