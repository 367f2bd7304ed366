"""Places of messages: direct messages, a game's channel and its thread, which is opened, unarchived and renamed."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Final

import discord

from bot import logs
from bot.discord.delivery import refusals
from bot.discord.delivery.memory import MEMORY_S, RecentlyRefused, RefusalMemory
from bot.discord.delivery.refusals import REQUEST_ERRORS, DiscordRefusal, ParseRefusal, RefusalKind
from bot.discord.limits import MAX_THREAD_NAME_CHARS
from bot.discord.messages.choosing import label_localizer
from bot.lifecycle.process.own_tasks import OwnTasks
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.wording import game_localizer, game_title
from bot.services.table import Services
from bot.store.models.records import Game, OutboxMessage
from bot.store.models.subjects import CHANNEL_KINDS
from bot.texts.style import shorten, without_links

REQUIRED_PERMISSIONS: Final = (
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "create_public_threads",
    "send_messages_in_threads",
    "read_message_history",
)
GameChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
THREADS_TO_ARCHIVE: Final = 3
_MAX_MESSAGES_SEARCHED: Final = 100
"""Messages of a channel searched for Discord's system message about a thread: as many as one request returns."""


MAX_RENAMES: Final = 2
"""New names of a thread in `RENAME_WINDOW_S` seconds; Discord refuses more."""
RENAME_WINDOW_S: Final = 600
DM_OPEN_RETRY_S: Final = 300
QUARANTINE_RETRY_S: Final = 3_600
AUTO_ARCHIVE_MINUTES: Final = 10_080
"""Minutes without a message after which Discord archives a thread: the longest value it accepts."""


def thread_title(seated_game: SeatedGame) -> str:
    title = game_title(label_localizer(game_localizer(seated_game)), seated_game)
    return shorten(without_links(title), MAX_THREAD_NAME_CHARS)


class ThreadManager:
    def __init__(
        self,
        client: discord.Client,
        services: Services,
        memory: RefusalMemory,
        parse_refusal: ParseRefusal,
    ) -> None:
        self._client = client
        self._services = services
        self._memory = memory
        self._parse_refusal = parse_refusal
        self._background_tasks = OwnTasks()
        self._to_rename: set[int] = set()  # games whose threads Discord has not renamed yet
        self._renamed_at: dict[int, list[int]] = {}  # when threads were lately renamed (Unix seconds), by thread
        self._renaming: dict[int, asyncio.Task[None]] = {}  # maps a game to the task that renames its thread

    async def find_or_create_place(self, message: OutboxMessage, seated_game: SeatedGame) -> int:
        """Return the id of the channel for a message. No request is sent if it is known. Raises `RecentlyRefused`."""
        game = seated_game.game
        if message.user_id is not None:
            self._memory.raise_if_refused("person", message.user_id)
            player = seated_game.players.get(message.user_id)
            channel_id = player and player.dm_channel_id
            return channel_id or await self.open_direct_channel(message.user_id)
        place_id = game.channel_id if message.kind in ("lobby", *CHANNEL_KINDS) else game.thread_id
        self._memory.raise_if_refused("place", place_id or game.channel_id)
        return place_id or await self._open_thread(seated_game)

    async def open_direct_channel(self, user_id: int) -> int:
        """Open a direct message channel with a user, store its id and return it.

        After Discord refused to open any, raises `RecentlyRefused` for a while without a request. Otherwise it may
        raise one of `REQUEST_ERRORS`.
        """
        self._memory.raise_if_refused("quarantine", 0)
        self._memory.raise_if_refused("open", 0)
        try:
            channel = await self._client.create_dm(discord.Object(user_id))
        except REQUEST_ERRORS as error:
            refusal = refusals.parse_refusal(error)
            if refusal.kind is RefusalKind.QUARANTINED:
                self._memory.remember("quarantine", 0, refusal, seconds=QUARANTINE_RETRY_S)
            elif refusal.kind is RefusalKind.OPENING:
                self._memory.remember("open", 0, refusal, seconds=DM_OPEN_RETRY_S)
            raise
        await self._services.channels.note_direct_channel(user_id, channel.id)
        return channel.id

    async def unarchive(self, thread_id: int) -> None:
        thread = await self._fetch_channel(thread_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False, auto_archive_duration=AUTO_ARCHIVE_MINUTES)

    async def _fetch_channel(self, channel_id: int) -> GameChannel:
        channel = self._client.get_channel(channel_id) or await self._client.fetch_channel(channel_id)
        if not isinstance(channel, GameChannel):
            raise RecentlyRefused(
                DiscordRefusal(kind=RefusalKind.NO_CHAT, text=f"{channel_id} is no place to write in")
            )
        return channel

    async def _open_thread(self, seated_game: SeatedGame) -> int:
        """Open a game's thread and return its id. If the server has no room for one, return the channel's id."""
        game = seated_game.game
        channel = await self._fetch_channel(game.channel_id)
        if not isinstance(channel, discord.TextChannel):
            return channel.id  # voice channels have no public threads
        try:
            self._memory.raise_if_refused("threads", game.guild_id)
        except RecentlyRefused:
            return channel.id
        try:
            thread_id = await self._create_thread(seated_game, channel)
        except discord.HTTPException as error:
            if refusals.parse_refusal(error).kind is not RefusalKind.THREADS_FULL:
                raise
            self._parse_refusal(error)
            opened_thread_id = await self._open_after_archiving(seated_game, channel)
            if opened_thread_id is None:
                return channel.id
            thread_id = opened_thread_id
        await self._services.channels.note_thread(game.id, thread_id)
        return thread_id

    async def _open_after_archiving(self, seated_game: SeatedGame, channel: discord.TextChannel) -> int | None:
        """Archive old threads and open the game's; None if the server still has no room, which is then reported."""
        game = seated_game.game
        refusal = DiscordRefusal(kind=RefusalKind.THREADS_FULL)
        if await self._make_room(channel.guild):
            try:
                return await self._create_thread(seated_game, channel)
            except discord.HTTPException as error:
                if refusals.parse_refusal(error).kind is not RefusalKind.THREADS_FULL:
                    raise
                refusal = self._parse_refusal(error)
        self._memory.remember("threads", game.guild_id, refusal)
        await self._services.report_missing_permission(game, "threads")
        return None

    async def _create_thread(self, seated_game: SeatedGame, channel: discord.TextChannel) -> int:
        """Open a game's thread and return its id. If Discord filters the title, the thread is named by its number."""
        game = seated_game.game
        lobby = await self._services.reader.messages.find_message(game.id, "lobby")
        number = f"#{game.id}"
        try:
            return await self._find_or_open_thread(channel, lobby, thread_title(seated_game))
        except discord.HTTPException as error:
            if refusals.parse_refusal(error).kind is not RefusalKind.FILTERED:
                raise
            self._parse_refusal(error)
        await self._services.report_missing_permission(game, "filtered")
        return await self._find_or_open_thread(channel, lobby, number)

    async def _find_or_open_thread(self, channel: discord.TextChannel, lobby: OutboxMessage | None, name: str) -> int:
        thread_id = None
        if lobby and lobby.message_id:
            thread_id = await self._thread_on_message(channel, lobby.message_id, name)
        if thread_id is None:
            thread_id = await self._find_unrecorded_thread(channel, name)
        if thread_id is None:
            kind = discord.ChannelType.news_thread if channel.is_news() else discord.ChannelType.public_thread
            thread = await channel.create_thread(name=name, type=kind, auto_archive_duration=AUTO_ARCHIVE_MINUTES)
            thread_id = thread.id
        return thread_id

    async def _find_unrecorded_thread(self, channel: discord.TextChannel, name: str) -> int | None:
        """Return an empty thread of this name that the bot opened but did not record before it was killed, or None."""
        is_cached = self._client.get_channel(channel.id) is not None
        threads = channel.threads if is_cached else await channel.guild.active_threads()
        bot_id = self._client.user and self._client.user.id
        own_threads = [thread for thread in threads if thread.parent_id == channel.id and thread.owner_id == bot_id]
        return next((thread.id for thread in own_threads if thread.name == name and not thread.message_count), None)

    async def _make_room(self, guild: discord.Guild) -> bool:
        """Archive up to `THREADS_TO_ARCHIVE` threads of finished games. Return whether any was archived."""
        archived = 0
        for thread_id in await self._services.channels.threads_of_finished(guild.id):
            thread = guild.get_thread(thread_id)  # archived threads are not in the cache
            if thread is not None and not thread.archived and archived < THREADS_TO_ARCHIVE:
                await thread.edit(archived=True)
                archived += 1
        return archived > 0

    async def _thread_on_message(self, channel: discord.TextChannel, message_id: int, name: str) -> int | None:
        """Open a thread on a message or return its existing one; None if the message or its thread was deleted."""
        try:
            message = channel.get_partial_message(message_id)
            return (await message.create_thread(name=name, auto_archive_duration=AUTO_ARCHIVE_MINUTES)).id
        except discord.HTTPException as error:
            refusal_kind = refusals.parse_refusal(error).kind
            if refusal_kind not in (RefusalKind.LOST_MESSAGE, RefusalKind.THREAD_THERE):
                raise
            self._parse_refusal(error)
            if refusal_kind is RefusalKind.LOST_MESSAGE:
                return None
        try:
            await self._client.fetch_channel(message_id)  # a thread has the id of its starter message
        except discord.NotFound as error:
            self._parse_refusal(error)
            return None
        return message_id

    def rename_later(self, message: OutboxMessage, seated_game: SeatedGame) -> None:
        """Rename a thread to its game's title in the background, at most twice in ten minutes.

        The old name may be of somebody who has left the game or was forgotten. A rename too many, or that Discord
        cannot take now, is retried with the thread's next message. A filter's refusal is not, because the thread is
        then named after the game's number.
        """
        game = seated_game.game
        is_start_updated = message.kind == "begin" and message.message_id is not None  # a name in it has changed
        needs_rename = is_start_updated or game.id in self._to_rename
        if message.user_id is not None or game.thread_id is None or not needs_rename:
            return
        self._to_rename.add(game.id)
        is_refused = self._memory.find_refusal("name", game.thread_id) or not self._may_rename(game.thread_id)
        if game.id not in self._renaming and not is_refused:
            task = self._background_tasks.start_task(
                self._rename_thread(seated_game, game.thread_id), "rename a thread"
            )
            self._renaming[game.id] = task
            task.add_done_callback(lambda _: self._renaming.pop(game.id))

    def _may_rename(self, thread_id: int) -> bool:
        oldest = self._services.now() - RENAME_WINDOW_S
        recent = {thread: [at for at in times if at > oldest] for thread, times in self._renamed_at.items()}
        self._renamed_at = {thread: times for thread, times in recent.items() if times}
        return len(self._renamed_at.get(thread_id, ())) < MAX_RENAMES

    async def _rename_thread(self, seated_game: SeatedGame, thread_id: int) -> None:
        """Rename a thread. A temporary refusal puts the game into `_to_rename` again."""
        self._to_rename.discard(seated_game.game.id)
        try:
            with logs.bind_values(game=seated_game.game.id):
                await self._set_thread_name(thread_id, thread_title(seated_game))
        except RecentlyRefused:
            return
        except REQUEST_ERRORS as error:
            refusal = self._parse_refusal(error)
            if refusal.kind in (RefusalKind.LIMITED, RefusalKind.AWAY):
                self._to_rename.add(seated_game.game.id)
            self._memory.remember("name", thread_id, refusal, seconds=refusal.pause_s or MEMORY_S)

    async def _set_thread_name(self, thread_id: int, name: str) -> None:
        """Rename a thread, and delete Discord's message in the channel that shows its old name."""
        place = await self._fetch_channel(thread_id)
        if not isinstance(place, discord.Thread) or place.name == name:
            return
        old_name = place.name
        self._renamed_at.setdefault(thread_id, []).append(self._services.now())
        await place.edit(name=name)
        if isinstance(place.parent, discord.TextChannel) and place.created_at:
            shortly_before = place.created_at - timedelta(seconds=5)
            async for system_message in place.parent.history(
                limit=_MAX_MESSAGES_SEARCHED, after=shortly_before, oldest_first=True
            ):
                if system_message.type is discord.MessageType.thread_created and system_message.content == old_name:
                    await system_message.delete()

    def missing_permission(self, message: OutboxMessage, game: Game) -> str:
        """Return the missing permission that most likely blocks a public message, by Discord's name, or `locked`."""
        place_id = game.channel_id if message.kind == "lobby" or game.thread_id is None else game.thread_id
        place = self._client.get_channel(place_id) or self._client.get_channel(game.channel_id)
        if not isinstance(place, discord.abc.GuildChannel | discord.Thread):
            return REQUIRED_PERMISSIONS[0]
        if isinstance(place, discord.Thread) and place.locked:
            return "locked"
        permissions = place.permissions_for(place.guild.me)
        return next((name for name in REQUIRED_PERMISSIONS if not getattr(permissions, name)), REQUIRED_PERMISSIONS[0])
