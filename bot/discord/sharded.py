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
from bot.lifecycle.process.cluster import Cluster
from bot.lifecycle.process.tenure import OwnershipCheck, always_owned
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
        self._cluster: Cluster | None = None
        self._connections: dict[int, asyncio.Task[None]] = {}
        """By shard: what makes its connection to the gateway, or has made it."""
        self._background_tasks: set[asyncio.Task[None]] = set()
        self._started_shards = asyncio.Event()

    async def open_database(self) -> None:
        """Open the database, before Discord is asked for anything. Raises `StoreUnavailable`."""
        self._store = await Store.open(self._config.database_url, shared=True)
        self._cluster = Cluster(self._store, self._config.shards)

    async def setup_hook(self) -> None:
        """Build the bot over its database. Raises `StoreUnavailable`."""
        await super().setup_hook()
        assert self._cluster is not None  # noqa: S101 - opened with the database
        assert self._scheduler is not None  # noqa: S101 - just built
        self._cluster.on_shards_gained = lambda: self._start_task(
            self._resume_orphaned_work(), "go on where others stopped"
        )
        self._cluster.on_change = self._connect_held
        self._cluster.on_notification = self._handle_other_process
        self._cluster.on_draft_changed = self.services.orders.note_draft_changed
        self._cluster.on_outdated_version = self._release_shard

    @property
    def is_connected(self) -> bool:
        """Whether the gateway is reached for all shards that are held, and the others know that we live."""
        if self._cluster is None or not self._cluster.is_alive:
            return False
        reached = {shard for shard, info in self.shards.items() if not info.is_closed()}
        return self._cluster.held_shards <= reached

    async def wait_until_ready(self) -> None:
        """Wait until it plays, be it without a shard."""
        await self._started_shards.wait()

    # --- shards ------------------------------------------------------------------------------------------------

    async def launch_shards(self) -> None:
        """Connect for the shards that are held, whichever these are from now on. Raises `StoreUnavailable`."""
        # discord.py waits until those that it knows of are all ready; these come and go.
        self._connection.shard_count, self._connection.shard_ids = self._config.shards, []
        if self._cluster is not None and not self.is_closed():
            await self._cluster.join_and_run()
            self._started_shards.set()

    def _connect_held(self) -> None:
        """Connect for the shards that are held, and for no others."""
        if self._cluster is None or self.is_closed():
            return
        held = self._cluster.held_shards
        for shard in held - self._connections.keys():
            self._connections[shard] = asyncio.create_task(self._connect_shard(shard), name=f"connect shard {shard}")
        for shard in self._connections.keys() - held:
            self._connections.pop(shard).cancel()
            if info := self.get_shard(shard):
                self._start_task(info.disconnect(), f"leave shard {shard}")

    async def _connect_shard(self, shard: int) -> None:
        """Connect for a shard, again and again until that succeeds."""
        backoff, pause_s = Backoff(), 0.0
        while True:
            with suppress(_ShardNotConnected):
                return await self.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard, initial=True)
            await asyncio.sleep(pause_s)
            pause_s = backoff.next_pause_s()

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        """Connect for a shard. Raises `_ShardNotConnected` five seconds after that has failed."""
        # discord.py calls this method from itself where it fails, deeper each time until Python allows no more.
        if not initial:
            raise _ShardNotConnected
        await super().launch_shard(gateway, shard_id, initial=True)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002 - discord.py's own
        """Wait for the turn of a new connection: Discord takes one in five seconds, of all bots together."""
        while self._cluster is not None and shard_id in self._cluster.held_shards:
            try:
                await self._cluster.wait_for_identify_slot()
            except NotWritten:
                await asyncio.sleep(DATABASE_RETRY_S)
            else:
                return await self._identifies.take_turn(shard_id)
        raise asyncio.CancelledError  # by this discord.py tries no more to connect for a shard that is another bot's

    async def on_shard_ready(self, shard_id: int) -> None:
        """Go on where the games of a shard were left; it may be ready again after its connection was lost."""
        self.pulse.note_gateway_message(shard_id)
        await self._retry_until_written(self._count_gaps)
        await self._retry_until_written(
            lambda: self._check_servers(lambda guild_id: (guild_id >> 22) % self._config.shards == shard_id)
        )
        if shard_id == 0:
            await self._retry_until_written(self.services.standstill.stop_and_resume)
            await self._retry_until_written(self.services.privacy.resume_forgetting)
        await self._retry_until_written(
            lambda: self._start_host_loop(lambda guild_id: (guild_id >> 22) % self._config.shards == shard_id)
        )
        await self._retry_until_written(self._retry_all)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """The lost connection of a shard is back."""
        self.pulse.note_gateway_message(shard_id)

    def _handle_other_process(self) -> None:
        """Another process has wanted messages, set deadlines, or left a request of the host."""
        if self._scheduler:
            self._scheduler.on_notification()
        self.wake_host_loop()

    async def _resume_orphaned_work(self) -> None:
        """Go on with what bots that died, or that held our shards before, had in hand."""
        await self._retry_until_written(self.services.step_runner.recover_claims)

    def _start_task(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)

    # --- among the others --------------------------------------------------------------------------------------

    def ownership_check(self) -> OwnershipCheck:
        """Give what tells, later, whether what is ours to send now still is."""
        return self._cluster.ownership_check() if self._cluster else always_owned

    async def wait_for_request_slot(self, path: str) -> None:
        """Wait until Discord may be asked: it takes so much of all bots together. Raises `LeaseLost`, `NotWritten`."""
        if self._cluster is not None and not any(part in path for part in UNLIMITED_PATHS):
            await self._cluster.wait_for_request_slot()

    def heartbeat_latencies(self) -> Mapping[int, float]:
        """Return by shard how long the gateway took to acknowledge the last heartbeat, in seconds."""
        return dict(self.latencies)

    async def try_lock(self, what: str, seconds: float) -> bool:
        """Whether no other bot does something just now, nor for so many seconds."""
        return self._cluster is None or await self._cluster.try_lock(what, seconds)

    async def claim_once(self, what: str, seconds: float) -> bool:
        """Whether no other bot has taken this; for so many seconds none will. Raises `NotWritten`."""
        return self._cluster is None or await self._cluster.claim_once(what, seconds)

    def _release_shard(self) -> None:
        """End: a newer version has changed the tables so that ours cannot work with them."""
        if not self.is_closed() and not any(task.get_name() == SHARD_MOVED_REASON for task in self._background_tasks):
            log.warning("a newer version plays on: this one ends")
            self._start_task(self.close(), SHARD_MOVED_REASON)

    async def release_leases(self) -> None:
        """Leave the shards to the others at once."""
        fleet, self._cluster = self._cluster, None
        if fleet is not None:
            await fleet.leave()
