"""The Discord client: it builds the services, registers commands and components, and handles gateway events."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import discord
from discord import Interaction, app_commands
from discord.app_commands import AppCommandContext, AppInstallationType, TranslationContextTypes, locale_str

from bot.config import BotSettings
from bot.discord.commands import syncing
from bot.discord.commands.galley import command_groups
from bot.discord.commands.menus import ContextMenuCommands
from bot.discord.delivery import where
from bot.discord.delivery.edits import MessageEdits
from bot.discord.delivery.members import MemberLookup
from bot.discord.delivery.memory import InvalidRequestBudget
from bot.discord.delivery.own_messages import read_own_messages
from bot.discord.delivery.rate_limits import MAX_RATE_LIMIT_WAIT_S, make_http_trace
from bot.discord.delivery.refusal_log import RefusalLog
from bot.discord.delivery.refusal_policy import is_removed_from_server
from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.delivery.sender import MessageSender
from bot.discord.delivery.signs import DiscordPulse
from bot.discord.delivery.threads import REQUIRED_PERMISSIONS
from bot.discord.identifying import IdentifyLimiter
from bot.discord.interactions.mine import clear_direct_messages
from bot.discord.interactions.router import DynamicComponent, InteractionRouter, handle_form
from bot.discord.messages import welcome
from bot.discord.messages.compose import Composer
from bot.discord.metrics import OPEN_PHASES, Metrics
from bot.jobs.values import StillSettings
from bot.jobs.workers import Workers
from bot.lifecycle.outbox.outbox import Outbox
from bot.lifecycle.process.pulse import Pulse, uptime
from bot.lifecycle.process.scheduler import Scheduler
from bot.lifecycle.process.tenure import OwnershipCheck, always_owned
from bot.lifecycle.steps.runner import Clock, StepListener
from bot.lifecycle.steps.storing import EntropySource
from bot.logs import ErrorCounter
from bot.presenters.lessons import lesson_name
from bot.presenters.reader import read_statistics
from bot.services.access import AccessControl
from bot.services.host import DiscordActions, HostService
from bot.services.host_loop import POLL_INTERVAL_S, HostLoop
from bot.services.lobbies import OpeningLimits
from bot.services.page_upkeep import POLL_S as PAGE_POLL_S
from bot.services.page_upkeep import PageLimits, PageUpkeep
from bot.services.pages import THREAD_PAUSE_S, PageWriter
from bot.services.table import Services
from bot.store import NotWritten, Store, StoreUnavailable
from bot.store.models.records import BotStatistics, Game
from bot.texts.i18n import Catalogue, language_for_locale
from bot.texts.style import DISCORD_STYLE

log = logging.getLogger(__name__)

SHUTDOWN_GRACE_S: Final = 3.0
"""Seconds that a stopping bot waits for answers to interactions that it is still working on."""

COMMAND_SYNC_TIMEOUT_S: Final = 45.0
"""Seconds during which other processes leave the upload of commands to the one that holds the lock."""
LEAVE_AGAIN_S: Final = 3600.0  # before the bot tries again to leave a denied server
DATABASE_RETRY_S: Final = 1.0
PAGE_LOOK_DELAY_S: Final = 0.2  # in which more events about the same server may come

COMMAND_CONTEXTS: Final = AppCommandContext(guild=True, dm_channel=True, private_channel=False)
INSTALLATION_TYPES: Final = AppInstallationType(guild=True, user=False)
"""Only servers can install the bot. A user install would show its commands on servers that the bot is not on."""


def gateway_intents(*, members: bool = False) -> discord.Intents:
    """Return the gateway intents; `members` adds the privileged intent for members.

    Message content is not needed: direct messages to a bot carry their text without that intent.
    """
    intents = discord.Intents.none()
    intents.members = members
    intents.guilds = True
    intents.dm_messages = True
    return intents


def system_clock() -> datetime:
    return datetime.now(UTC)


def system_entropy() -> str:
    return secrets.token_hex(32)


def _is_readable_by_all(channel: discord.abc.GuildChannel) -> bool:
    """Return whether everybody on its server may read a channel, without confirming their age."""
    guild = channel.guild
    if getattr(channel, "nsfw", False) or guild.nsfw_level is discord.NSFWLevel.age_restricted:
        return False
    permissions = channel.permissions_for(guild.default_role)
    return permissions.view_channel and permissions.read_message_history


class WarGalley(discord.Client, StepListener):
    """The Discord client. It opens its database in `setup_hook` at the latest and closes it in `close`."""

    services: Services
    router: InteractionRouter

    def __init__(
        self,
        config: BotSettings,
        *,
        clock: Clock,
        workers: Workers,
        chance: EntropySource,
        side_by_side: bool = True,
        metrics: Metrics | None = None,
        pulse: Pulse | None = None,
        pages_everywhere: bool = False,
    ) -> None:
        self._invalid_requests = InvalidRequestBudget(lambda: int(clock().timestamp()))
        signs = DiscordPulse(self, lambda: int(clock().timestamp()), over_http=config.interactions_port > 0)

        def note_status(status: int) -> None:
            self._invalid_requests.count_response(status)
            signs.note_response(status)

        super().__init__(
            http_trace=make_http_trace(note_status, self.wait_for_request_slot),
            intents=gateway_intents(members=config.members_intent),
            allowed_mentions=discord.AllowedMentions.none(),
            max_ratelimit_timeout=MAX_RATE_LIMIT_WAIT_S,
            max_messages=None,  # cached messages are never looked up
        )
        self.pulse = pulse or signs
        self.tree = BotCommandTree(self, allowed_contexts=COMMAND_CONTEXTS, allowed_installs=INSTALLATION_TYPES)
        self._config = config
        self._clock = clock
        self.workers = workers
        self._entropy = chance
        self._side_by_side = side_by_side
        """Whether messages of one game may be sent to several places concurrently."""
        self._store: Store | None = None  # None before it is opened
        self._scheduler: Scheduler | None = None
        self._outbox: Outbox
        self._sender: MessageSender
        self._command_sync_task: asyncio.Task[None] | None = None  # tries again to upload the commands
        self._pulse_task: asyncio.Task[None] | None = None  # samples signs that Discord can be reached
        self._has_recovered = False  # whether stored games were recovered after the start
        self._recovery_lock = asyncio.Lock()
        self._look_lock = asyncio.Lock()
        self._waiting_looks: set[int] = set()  # servers whose pages are going to be looked at
        self.metrics = metrics or Metrics()
        self._identifies = IdentifyLimiter(self.session_start_limits)
        self.edits = MessageEdits()
        self.refusals = RefusalLog(self.metrics.count_refusal, lambda: int(clock().timestamp()))
        self._host: HostLoop | None = None  # carries out requests of the host's shell
        self._errors = ErrorCounter()
        self._notified_denied_servers: set[int] = set()
        """Ids of denied servers that have been told why the bot leaves."""
        self._leave_again_at: dict[int, float] = {}
        """Maps the id of a server to the `uptime` from which the bot tries again to leave it."""
        self._is_connected = False
        self.pages: PageWriter | None = None  # None: no game has a page
        self.page_upkeep: PageUpkeep | None = None
        self._pages_everywhere = pages_everywhere

    @property
    def is_connected(self) -> bool:
        return self._is_connected

    async def open_database(self) -> None:
        """Open the database. Raises `StoreUnavailable`."""
        self._store = await Store.open(self._config.database_url)

    def ownership_check(self) -> OwnershipCheck:
        """Return a check whether this process has held its present shards without interruption."""
        return always_owned

    def heartbeat_latencies(self) -> Mapping[int, float]:
        """Return the time between each shard's last heartbeat and its acknowledgement, in seconds."""
        return {0: self.latency}

    async def try_lock(self, name: str, seconds: float) -> bool:  # noqa: ARG002 - used by the sharded bot
        """Return whether this process got the lock `name` for `seconds`; a bot that runs alone always does."""
        return True

    async def claim_once(self, name: str, seconds: float) -> bool:  # noqa: ARG002 - as above
        """Return whether no other process has claimed `name` within `seconds`. A bot that runs alone always gets it."""
        return True

    async def wait_for_request_slot(self, path: str) -> None:
        """Wait until the shared rate limit allows a request to `path`; a bot that runs alone does not wait."""

    async def release_leases(self) -> None: ...

    async def session_start_limits(self) -> discord.SessionStartLimits:
        """Ask Discord how many gateway sessions may still be started today.

        Raises `GatewayNotFound` or one of `REQUEST_ERRORS`.
        """
        _, _, limits = await self.http.get_bot_gateway()
        return discord.SessionStartLimits(**limits)

    async def connect(self, *, reconnect: bool = True) -> None:
        """Connect to the gateway and stay connected until the bot is closed.

        Raises the errors after which discord.py does not reconnect, and those of `IdentifyLimiter.raise_unless_enough`.
        """
        await self._identifies.raise_unless_enough()
        await super().connect(reconnect=reconnect)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        await super().before_identify_hook(shard_id, initial=initial)
        await self._identifies.take_turn(shard_id)

    async def setup_hook(self) -> None:
        """Build the services over the database and register the commands. Raises `StoreUnavailable`."""
        if self._store is None:
            await self.open_database()
        assert self._store is not None  # noqa: S101 - just opened
        await self._log_start(self._store)
        self.services = Services(
            self._store,
            self.workers,
            self._clock,
            self._entropy,
            opening_limits=OpeningLimits(
                open_games=self._config.most_games,
                per_user=self._config.most_openings,
                per_server=self._config.most_server_openings,
            ),
            terms=self._config.terms,
            stills=StillSettings(format=self._config.picture_format, width_px=self._config.picture_width),
            pulse=self.pulse,
            read_thread=partial(read_own_messages, self, self.refusals.parse_refusal),
            listener=self,
            on_forgotten=self._forget_names,
        )
        await self.services.standstill.find_unplayable()
        await self.services.step_runner.backup_check.note_open_games()
        await self.services.denials.reload()
        self._members = MemberLookup(self, self.services.now, self.refusals.parse_refusal)
        self.router = InteractionRouter(
            self.services,
            self.metrics,
            self.refusals,
            AccessControl(self._store, self._members),
            self.edits,
            phase_length=self._config.phase_length,
        )
        self._sender = MessageSender(
            self,
            self.services,
            Composer(
                self.services.reader,
                self.services.now,
                self.services.orders.is_shown_by_press,
                public_url=self._config.public_url,
            ),
            self.edits,
            self.refusals,
            on_old_edit=self.metrics.count_old_edit,
        )
        self._outbox = Outbox(
            self._store,
            self.services.now,
            self.metrics.instrument_delivery(self._sender.deliver),
            load=self._sender.read_batch,
            may_send_in_parallel=lambda batch: self._side_by_side and MessageSender.may_send_in_parallel(batch),
            rest_until=self._invalid_requests.paused_until,
            excluded_systems=lambda: self.services.standstill.stopped_systems,
            delete=self._sender.delete_message,
            ownership_check=self.ownership_check,
            on_postponed=self._reschedule,
            on_shown=self._wake_page,
        )
        if self._config.public_url:
            self.pages = PageWriter(
                self._store,
                self.workers,
                self.services.reader,
                Path(self._config.pages_dir),
                now=self.services.now,
                is_readable=self._is_readable_by_all,
                is_thread_deleted=self._is_thread_deleted,
                thread_pause_s=THREAD_PAUSE_S if self._clock is system_clock else 0,
                on_messages_wanted=self.note_change,
                write_record=self.services.records.write_finished,
                public_url=self._config.public_url,
                everywhere=self._pages_everywhere,
            )
            self.page_upkeep = PageUpkeep(
                self._store,
                self.pages,
                PageLimits(days=self._config.pages_days, megabytes=self._config.pages_megabytes),
                now=self.services.now,
                on_measured=self.metrics.note_page_size,
                poll_s=PAGE_POLL_S if self._clock is system_clock else None,
            )
        self._scheduler = Scheduler(self.services.step_runner, self._outbox, self.services.terms)
        discord_actions = DiscordActions(
            clear_direct_messages=partial(clear_direct_messages, self),
            on_messages_wanted=self.note_change,
            on_games_deleted=self._forget_deleted_games,
        )
        self._host = HostLoop(
            self._store,
            host_service=HostService(self._store, self.services.privacy, self.services.now, discord_actions),
            denials=self.services.denials,
            errors=self._errors,
            now=self.services.now,
            on_denials_read=self._leave_denied_servers,
            # With a virtual clock, days pass in a moment and no shell leaves requests.
            poll_s=POLL_INTERVAL_S if self._clock is system_clock else None,
        )
        logging.getLogger().addHandler(self._errors)
        self.add_dynamic_items(DynamicComponent)
        for group in command_groups(self.services, self.router):
            self.tree.add_command(group)
        for menu in ContextMenuCommands(self.services, self.router).menus:
            self.tree.add_command(menu)
        await self.tree.set_translator(CommandTranslator())
        self._pulse_task = asyncio.create_task(self.pulse.keep_listening(), name="listens to the heart")
        if not await self._sync_commands():
            sync = self._sync_commands_when_ready()
            self._command_sync_task = asyncio.create_task(sync, name="commands are told later")

    async def _log_start(self, store: Store) -> None:
        games = (await self.statistics()).games_by_phase
        application = self.application
        link = discord.utils.oauth_url(
            self.application_id or 0,
            permissions=discord.Permissions(**dict.fromkeys(REQUIRED_PERMISSIONS, True)),
            scopes=("bot", "applications.commands"),
        )
        extra = {
            "version": version("war-galley"),
            "application": f"{application.name} ({application.id})" if application else "",
            "servers": application.approximate_guild_count if application else 0,
            "games": sum(games.get(phase, 0) for phase in OPEN_PHASES),
            "database": store.kind,
            "invitation": link,
        }
        log.info("the bot starts", extra=extra)

    async def _sync_commands(self) -> bool:
        return await syncing.sync_commands(
            self.tree, self.services.memos, partial(self.try_lock, "commands", COMMAND_SYNC_TIMEOUT_S)
        )

    async def _sync_commands_when_ready(self) -> None:
        """Upload the commands once Discord and the lock allow it, with longer and longer pauses between attempts."""
        pause_s = syncing.FIRST_PAUSE_S
        assert self._store is not None  # noqa: S101 - open until we are closed
        while True:
            await asyncio.sleep(pause_s)
            if await self._sync_commands():
                return
            pause_s = min(syncing.MAX_PAUSE_S, 2 * pause_s)

    async def on_ready(self) -> None:
        """Recover stored games after the first connection. Retry pending messages after each connection."""
        self._is_connected = True
        self._note_sign_of_life()
        await self.hide_pages()  # channels may have been closed while the bot was away
        async with self._recovery_lock:
            if not self._has_recovered:
                await self._retry_until_written(self._count_gaps)
                await self._retry_until_written(self._check_servers)
                await self._retry_until_written(self.services.step_runner.recover_claims)
                await self._retry_until_written(self.services.standstill.stop_and_resume)
                await self._retry_until_written(self.services.privacy.resume_forgetting)
                self._has_recovered = True
        await self._retry_until_written(self._start_host_loop)
        await self._retry_until_written(self._retry_all)
        await self._start_pages()

    async def _start_pages(self) -> None:
        """Look at all pages, because rights of channels are known only now. Runs again after a reconnect."""
        if self.page_upkeep:
            self.page_upkeep.start()
        if self.pages:
            await self._retry_until_written(self.pages.start)

    async def _retry_until_written(self, change: Callable[[], Awaitable[None]]) -> None:
        """Run `change`; while the database is unavailable, log that once and try again until it succeeds."""
        is_outage_logged = False
        while not self.is_closed():
            try:
                await change()
            except NotWritten as error:
                if not is_outage_logged:
                    log.warning("the database is away", extra={"why": str(error)})
                is_outage_logged = True
            else:
                return
            await asyncio.sleep(DATABASE_RETRY_S)

    def _wake_page(self, game_id: int) -> None:
        if self.pages:
            self.pages.wake([game_id])

    def _forget_names(self, game_id: int) -> None:
        if self.pages:
            self.pages.forget_names(game_id)

    async def update_pages(self, guild_id: int | None = None) -> None:
        """Look at the pages of games again, of one server or (None) of all."""
        if self.pages:
            await self._retry_until_written(partial(self.pages.check_pages, guild_id))

    async def hide_pages(self, guild_id: int | None = None, channel_id: int | None = None) -> None:
        """Remove the files of pages that may not be shown any more, before anything that waits for the database.

        While the database is away, this has to wait for `update_pages`.
        """
        if self.pages:
            try:
                await self.pages.remove_forbidden_files(guild_id, channel_id)
            except (NotWritten, OSError) as error:
                log.warning("closed pages wait", extra={"why": str(error)})

    def _is_readable_by_all(self, game: Game) -> bool | None:
        """Return whether everybody on its server may read a game's channel; None: it is unknown at the moment."""
        guild = self.get_guild(game.guild_id)
        if guild is None:
            return None if self._config.shards else False  # another bot may hold its shard
        if guild.unavailable:
            return None
        channel = guild.get_channel(game.channel_id)
        if channel is None:
            return False
        return _is_readable_by_all(channel)

    async def _is_thread_deleted(self, game: Game) -> bool:
        """Return whether Discord says that a game's thread doesn't exist any more."""
        guild = self.get_guild(game.guild_id)
        if guild is None or game.thread_id is None or guild.get_thread(game.thread_id):
            return False
        try:
            await self.fetch_channel(game.thread_id)
        except REQUEST_ERRORS as error:
            self.refusals.parse_refusal(error)
            return isinstance(error, discord.NotFound)
        return False

    async def _forget_deleted_games(self, guild_ids: Collection[int]) -> None:
        if self.pages:
            await self.pages.forget_deleted_games(guild_ids)

    def _note_sign_of_life(self) -> None:
        if not self._config.shards:
            self.pulse.note_gateway_message(0)

    async def _count_gaps(self) -> None:
        await self.services.step_runner.gaps.check(self.services.now())

    async def _start_host_loop(self, includes_server: Callable[[int], bool] = lambda _: True) -> None:
        await self.services.servers.note_present_servers(
            {guild.id: guild.name or "" for guild in self.guilds if includes_server(guild.id)}, includes_server
        )
        if self._host:
            self._host.wake()

    def wake_host_loop(self) -> None:
        if self._host:
            self._host.wake()

    async def carry_out_host_requests(self) -> None:
        if self._host:
            await self._host.run_once()

    async def _leave_denied_servers(self) -> None:
        denied_guilds = [guild for guild in self.guilds if self.services.denials.has_server(guild.id)]
        for guild in denied_guilds:
            if self._leave_again_at.get(guild.id, 0.0) > uptime():
                continue  # an attempt has just failed
            await self.services.channels.note_lost_server(guild.id)
            if guild.id not in self._notified_denied_servers:
                self._notified_denied_servers.add(guild.id)
                await self._tell_denied_server(guild)
            try:
                await guild.leave()
            except REQUEST_ERRORS as error:
                self._leave_again_at[guild.id] = uptime() + LEAVE_AGAIN_S
                refusal = self.refusals.parse_refusal(error)
                log.warning("a denied server was not left", extra={"why": str(refusal), "code": refusal.code})

    async def _tell_denied_server(self, guild: discord.Guild) -> None:
        place = where.greeting_channel(guild)
        if place is None:
            return
        settings = await self.services.servers.load_settings(guild.id)
        try:
            notice = welcome.denied_notice(settings.locale or str(guild.preferred_locale))
            await place.send(**notice.send_arguments())
        except REQUEST_ERRORS as error:
            self.refusals.parse_refusal(error)

    def note_change(self) -> None:
        if self._scheduler:
            self._scheduler.on_change()

    def note_due_message(self, at: int) -> None:
        if self._scheduler:
            self._scheduler.wake_outbox_at(at)

    def count_step(self, system: str, duration_s: float, late_s: int | None) -> None:
        self.metrics.count_step(system, duration_s, late_s)

    def count_failed_step(self) -> None:
        self.metrics.count_failed_step()

    def _reschedule(self) -> None:
        if self._scheduler:
            self._scheduler.reschedule()

    async def wait_until_announced(self, game_id: int) -> None:
        await self._outbox.wait_for_arrival(game_id, "lobby")

    async def _retry_all(self) -> None:
        self._reschedule()
        self._sender.refusal_memory.clear("place", "person", "threads", "open")
        await self._outbox.retry_now()

    async def _retry_server(self, guild: discord.Guild) -> None:
        self._sender.refusal_memory.clear("place", "threads")
        await self._outbox.retry_now(guild.id)

    async def _check_servers(self, includes_server: Callable[[int], bool] = lambda _: True) -> None:
        for guild_id in filter(includes_server, await self.services.channels.servers_with_open_games()):
            is_lost = self.services.denials.has_server(guild_id)
            if not is_lost and not self.get_guild(guild_id):
                is_lost = await is_removed_from_server(self, guild_id, self.refusals.parse_refusal)
            if is_lost:
                await self.services.channels.note_lost_server(guild_id)
            else:
                await self.services.channels.note_joined_server(guild_id)

    async def on_resumed(self) -> None:
        self._is_connected = True
        self._note_sign_of_life()
        await self._retry_until_written(self._retry_all)

    async def on_disconnect(self) -> None:
        self._is_connected = False

    async def on_message(self, message: discord.Message) -> None:
        if message.guild is None and not message.author.bot and isinstance(message.channel, discord.DMChannel):
            self._sender.refusal_memory.clear("person", which=message.author.id)
            await self.router.direct_message_orders.handle_direct_message(message)

    async def on_raw_message_edit(self, update: discord.RawMessageUpdateEvent) -> None:
        """Take orders from an edited direct message. The raw event is used because discord.py caches no messages."""
        message = update.message
        if update.guild_id is None and not message.author.bot and isinstance(message.channel, discord.DMChannel):
            await self.router.direct_message_orders.handle_edit(message)

    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        """Offer the seats of a member who leaves a server. Discord sends this event only with the members intent."""
        self._members.forget_member(event.guild_id, event.user.id)
        await self._retry_until_written(
            lambda: self.services.absence.offer_seats_of_departed(event.user.id, event.guild_id)
        )

    async def on_guild_channel_update(self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel) -> None:
        is_other_reading = _is_readable_by_all(before) != _is_readable_by_all(after)
        if is_other_reading:
            await self.hide_pages(after.guild.id, after.id)
        if before.overwrites != after.overwrites:
            await self._retry_until_written(partial(self._retry_server, after.guild))
        if is_other_reading:
            await self._update_pages_soon(after.guild.id)

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions == after.permissions:
            return
        if after.is_default():
            await self.hide_pages(after.guild.id)
        await self._retry_until_written(partial(self._retry_server, after.guild))
        if after.is_default():
            await self._update_pages_soon(after.guild.id)

    async def _update_pages_soon(self, guild_id: int) -> None:
        """Look at a server's pages once for several events that come together, as when a category changes."""
        if guild_id in self._waiting_looks:
            return
        self._waiting_looks.add(guild_id)
        async with self._look_lock:
            await asyncio.sleep(PAGE_LOOK_DELAY_S)
            self._waiting_looks.discard(guild_id)
            await self.update_pages(guild_id)

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        if self.user and after.id == self.user.id and before.roles != after.roles:
            await self._retry_until_written(partial(self._retry_server, after.guild))

    async def on_thread_update(self, before: discord.Thread, after: discord.Thread) -> None:
        """Retry a server's messages when a thread is unlocked; when one is archived, the server may open another."""
        if before.locked and not after.locked:
            await self._retry_until_written(partial(self._retry_server, after.guild))
        elif after.archived and not before.archived:
            self._sender.refusal_memory.clear("threads", which=after.guild.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        if self.pages:
            await self._retry_until_written(partial(self.pages.forget_thread, event.thread_id))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.hide_pages(channel.guild.id)
        await self._retry_until_written(lambda: self.services.channels.note_lost_channel(channel.id))
        await self.update_pages(channel.guild.id)

    async def on_guild_update(self, before: discord.Guild, after: discord.Guild) -> None:
        if before.name != after.name:
            await self._note_presence(after, is_present=True)
            await self.update_pages(after.id)
            if self.pages:
                self.pages.archives.wake([after.id])
        if before.nsfw_level != after.nsfw_level:
            await self.hide_pages(after.id)
            await self._update_pages_soon(after.id)
        if before.preferred_locale != after.preferred_locale:
            await self._retry_until_written(
                lambda: self.services.servers.note_server_language(after.id, str(after.preferred_locale))
            )

    async def _note_presence(self, guild: discord.Guild, *, is_present: bool) -> None:
        """Store whether the bot is on a server, and the server's name."""
        names = {guild.id: guild.name} if is_present else {}
        await self._retry_until_written(
            lambda: self.services.servers.note_present_servers(names, lambda guild_id: guild_id == guild.id)
        )

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Look at the pages of a server that came late or back from an outage: channels may have been closed."""
        if self.pages:
            self.pages.forget_presence(guild.id)
        await self.update_pages(guild.id)
        if self.pages:
            await self._retry_until_written(partial(self.pages.check_finished_threads, guild.id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        if self.pages:  # before anything is awaited, because the server may be about to add the bot again
            self.pages.note_presence(guild.id, is_present=False)
        await self.hide_pages(guild.id)
        await self._note_presence(guild, is_present=False)
        if self.pages:  # the database knows it now
            self.pages.forget_departure(guild.id)
        await self._retry_until_written(lambda: self.services.channels.note_lost_server(guild.id))
        await self.update_pages(guild.id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        if self.pages:
            self.pages.note_presence(guild.id, is_present=True)
        self._sender.refusal_memory.clear("place", "threads")
        if self.services.denials.has_server(guild.id):
            await self._retry_until_written(self._leave_denied_servers)
            return
        await self._note_presence(guild, is_present=True)
        await self._retry_until_written(lambda: self.services.channels.note_joined_server(guild.id))
        await self.update_pages(guild.id)
        await self._greet_server(guild)

    async def _greet_server(self, guild: discord.Guild) -> None:
        place = where.greeting_channel(guild)
        if place is None:
            return
        settings = await self.services.servers.load_settings(guild.id)
        message = welcome.greeting(settings.locale or str(guild.preferred_locale))
        try:
            await place.send(**message.send_arguments())
        except REQUEST_ERRORS as error:
            refusal = self.refusals.parse_refusal(error)
            log.warning("a server was not greeted", extra={"why": str(refusal), "code": refusal.code})

    def handle_http_interaction(self, interaction: Any) -> None:  # noqa: ANN401 - as Discord sends it
        self._connection.parse_interaction_create(interaction)

    async def on_interaction(self, interaction: Interaction[Any]) -> None:
        """Handle forms; discord.py itself dispatches commands and components."""
        await handle_form(self.router, interaction)

    async def direct_channel(self, user_id: int) -> discord.PartialMessageable:
        """Return the channel of somebody's direct messages.

        Raises `RecentlyRefused` or one of `REQUEST_ERRORS` if it cannot be opened.
        """
        return self.get_partial_messageable(await self._sender.open_direct(user_id))

    async def seconds_until_paused_edits(self) -> int:
        """Return the seconds until the paused edits are sent; 0 if there are none or the bot is not running."""
        return await self._scheduler.seconds_until_paused_edits() if self._scheduler else 0

    async def statistics(self) -> BotStatistics:
        """Count games and pending messages. Raises `StoreUnavailable` or an error of the database."""
        if self._store is None:
            raise StoreUnavailable("the database is closed")
        return await read_statistics(self._store, int(self._clock().timestamp()))

    async def close(self) -> None:
        """Stop after pending answers (`SHUTDOWN_GRACE_S` at most) and after steps and messages that have begun."""
        for task in filter(None, (self._command_sync_task, self._pulse_task)):
            task.cancel()
        if self._host:
            await self._host.close()
            self._host = None
            logging.getLogger().removeHandler(self._errors)
        if self._scheduler:
            await self.router.responder.wait_until_answered(SHUTDOWN_GRACE_S)
            await self._scheduler.close()
            await self.services.step_runner.gaps.store_last_beats(self.services.now())
            self._scheduler = None
        self._is_connected = False
        if self.page_upkeep:
            await self.page_upkeep.close()
            self.page_upkeep = None
        if self.pages:
            await self.pages.close()
            self.pages = None
        await self.release_leases()
        await super().close()
        DISCORD_STYLE.set_commands({})
        if self._store:
            await self._store.close()
            self._store = None


class BotCommandTree(app_commands.CommandTree[WarGalley]):
    async def interaction_check(self, interaction: Interaction[WarGalley]) -> bool:
        """Load the user's language before a command or suggestion. Return False for suggestions to denied users."""
        await interaction.client.router.responder.load_language(interaction)
        if interaction.type is not discord.InteractionType.autocomplete:
            return True  # the command itself refuses denied users
        return not interaction.client.services.denials.is_denied(interaction.user.id, interaction.guild_id)


class CommandTranslator(app_commands.Translator):
    async def translate(
        self,
        string: locale_str,
        locale: discord.Locale,
        context: TranslationContextTypes,  # noqa: ARG002 - part of discord.py's signature
    ) -> str | None:
        """Return the text in `locale`, or None where the English text stays."""
        key = string.extras.get("key")
        language = language_for_locale(locale.value)
        if not key or language == "en":
            return None
        catalogue = Catalogue.load(language, string.extras.get("system", ""))
        lesson_no = string.extras.get("lesson")  # from 0; None: the text names no lesson
        text = catalogue.say(key) if lesson_no is None else lesson_name(catalogue, key, lesson_no)
        return text if text != string.message else None


def build_bot(
    config: BotSettings,
    *,
    clock: Clock = system_clock,
    workers: Workers | None = None,
    chance: EntropySource = system_entropy,
    side_by_side: bool = True,
    metrics: Metrics | None = None,
    pulse: Pulse | None = None,
    pages_everywhere: bool = False,
) -> WarGalley:
    """Return a bot that is ready to run. With `pages_everywhere`, games of all servers have pages.

    With `side_by_side` false, messages of a game are sent one after the other, always in the same order. `pulse`
    replaces Discord's signs of life where a test sets the clock by hand.
    """
    workers = workers or Workers(config.workers, for_presses=1)
    return WarGalley(
        config,
        clock=clock,
        workers=workers,
        chance=chance,
        side_by_side=side_by_side,
        metrics=metrics,
        pulse=pulse,
        pages_everywhere=pages_everywhere,
    )
