"""The bot as one of several processes on one PostgreSQL: it connects to Discord for the shards that it leases."""

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
from bot.lifecycle.process.cluster import Cluster, ClusterListener
from bot.lifecycle.process.tenure import OwnershipCheck, always_owned
from bot.store import NotWritten, Store
from bot.store.engine.shard import DraftVersion

log = logging.getLogger(__name__)

UNLIMITED_PATHS: Final = ("/interactions/", "/webhooks/")
"""Parts of paths that Discord's global rate limit of a bot does not count."""
SHARD_MOVED_REASON: Final = "give way"


class _ShardNotConnected(Exception): ...


class ShardedWarGalley(WarGalley, ClusterListener, discord.AutoShardedClient):
    """A bot that shares its database with others. It ignores the shards that other processes hold."""

    def __init__(self, config: BotSettings, **arguments: Any) -> None:  # noqa: ANN401 - those of the base class
        super().__init__(config, **arguments)
        self.shard_count = config.shards
        self._cluster: Cluster | None = None  # None before the database is open, and once it was left
        self._connections: dict[int, asyncio.Task[None]] = {}
        """Maps a shard to the task that connects it to the gateway, running or finished."""
        self._background_tasks: set[asyncio.Task[None]] = set()
        self._started_shards = asyncio.Event()

    async def open_database(self) -> None:
        self._store = await Store.open(self._config.database_url, shared=True)
        self._cluster = Cluster(self._store, self._config.shards, self)

    @property
    def is_connected(self) -> bool:
        if self._cluster is None or not self._cluster.is_alive:
            return False
        connected_shards = {shard for shard, info in self.shards.items() if not info.is_closed()}
        return self._cluster.held_shards <= connected_shards

    async def wait_until_ready(self) -> None:
        await self._started_shards.wait()

    # --- shards ------------------------------------------------------------------------------------------------

    async def launch_shards(self) -> None:
        """Join the cluster and connect the shards that it assigns. Raises `StoreUnavailable`."""
        # discord.py would wait until all shards that it knows are ready, but these come and go.
        self._connection.shard_count, self._connection.shard_ids = self._config.shards, []
        if self._cluster is not None and not self.is_closed():
            await self._cluster.join_and_run()
            self._started_shards.set()

    def note_leases(self) -> None:
        """Connect the shards that this process holds, and disconnect the others."""
        if self._cluster is None or self.is_closed():
            return
        held_shards = self._cluster.held_shards
        for shard in held_shards - self._connections.keys():
            self._connections[shard] = asyncio.create_task(self._connect_shard(shard), name=f"connect shard {shard}")
        for shard in self._connections.keys() - held_shards:
            self._connections.pop(shard).cancel()
            connection = self.get_shard(shard)
            if connection:
                self._start_task(connection.disconnect(), f"leave shard {shard}")
            self._forget_servers(shard)

    def _forget_servers(self, shard: int) -> None:
        """Forget the servers of a shard that another process holds: their channels and rights change unseen."""
        for guild in [guild for guild in self.guilds if guild.shard_id == shard]:
            self._connection._remove_guild(guild)  # noqa: SLF001 - discord.py has no public method
        if self.pages:  # also of servers that have removed the bot, and may add it again
            self.pages.forget_presence()

    async def _connect_shard(self, shard: int) -> None:
        """Connect a shard, again after each failure with a longer pause, until this task is cancelled."""
        backoff = Backoff()
        pause_s = 0.0  # a failure itself takes five seconds
        while True:
            with suppress(_ShardNotConnected):
                return await self.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard, initial=True)
            await asyncio.sleep(pause_s)
            pause_s = backoff.next_pause_s()

    async def launch_shard(self, gateway: yarl.URL, shard_id: int, *, initial: bool = False) -> None:
        """Connect a shard. Raises `_ShardNotConnected` five seconds after a failure."""
        # After a failure discord.py calls this method recursively, until Python's recursion limit.
        if not initial:
            raise _ShardNotConnected
        await super().launch_shard(gateway, shard_id, initial=True)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002 - discord.py's own
        """Wait for a slot to identify. Discord allows one in five seconds for all processes of a bot together."""
        while self._cluster is not None and shard_id in self._cluster.held_shards:
            try:
                await self._cluster.wait_for_identify_slot()
            except NotWritten:
                await asyncio.sleep(DATABASE_RETRY_S)
            else:
                return await self._identifies.take_turn(shard_id)
        raise asyncio.CancelledError  # stops discord.py from connecting a shard that another process holds

    async def on_shard_ready(self, shard_id: int) -> None:
        """Recover the stored games of a shard. Runs again after a reconnect."""

        def is_on_shard(guild_id: int) -> bool:  # as Discord assigns servers to shards
            return (guild_id >> 22) % self._config.shards == shard_id

        self.pulse.note_gateway_message(shard_id)
        await self._retry_until_written(self._count_gaps)
        await self._retry_until_written(lambda: self._check_servers(is_on_shard))
        if shard_id == 0:
            await self._retry_until_written(self.services.standstill.stop_and_resume)
            await self._retry_until_written(self.services.privacy.resume_forgetting)
        await self._retry_until_written(lambda: self._start_host_loop(is_on_shard))
        await self._retry_until_written(self._retry_all)
        await self._start_pages()

    async def on_shard_resumed(self, shard_id: int) -> None:
        self.pulse.note_gateway_message(shard_id)

    def note_other_process(self) -> None:
        if self._scheduler:
            self._scheduler.on_notification()
        self.wake_host_loop()

    def note_draft_changed(self, draft: DraftVersion) -> None:
        self.services.orders.note_draft_changed(draft)

    def note_orphaned_work(self) -> None:
        work = self._retry_until_written(self.services.step_runner.recover_claims)
        self._start_task(work, "go on where others stopped")

    def _start_task(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._background_tasks.add(task)
        task.add_done_callback(self._background_tasks.discard)

    # --- among the others --------------------------------------------------------------------------------------

    def ownership_check(self) -> OwnershipCheck:
        return self._cluster.ownership_check() if self._cluster else always_owned

    async def wait_for_request_slot(self, path: str) -> None:
        """Wait for a slot of the request limit that all processes share. Raises `LeaseLost` or `NotWritten`."""
        if self._cluster is not None and not any(part in path for part in UNLIMITED_PATHS):
            await self._cluster.wait_for_request_slot()

    def heartbeat_latencies(self) -> Mapping[int, float]:
        return dict(self.latencies)

    async def try_lock(self, name: str, seconds: float) -> bool:
        return self._cluster is None or await self._cluster.try_lock(name, seconds)

    async def claim_once(self, name: str, seconds: float) -> bool:
        return self._cluster is None or await self._cluster.claim_once(name, seconds)

    def note_outdated_version(self) -> None:
        """Close this process."""
        if not self.is_closed() and not any(task.get_name() == SHARD_MOVED_REASON for task in self._background_tasks):
            log.warning("a newer version plays on: this one ends")
            self._start_task(self.close(), SHARD_MOVED_REASON)

    async def release_leases(self) -> None:
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            await cluster.leave()
