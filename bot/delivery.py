"""Brings a message of the outbox to Discord, and turns Discord's refusals into what the outbox understands."""

from __future__ import annotations

from typing import Final

import aiohttp
import discord

from bot import peace
from bot.outbox import NotAllowed, Sent, TryLater, Undeliverable
from bot.panels.board import Shown, mark_of
from bot.panels.compose import Composer
from bot.playing import Playing
from bot.store.records import Game, Message
from bot.table import Table

CANNOT_MESSAGE_USER: Final = 50007
UNKNOWN_MEMBER: Final = 10007
UNKNOWN_MESSAGE: Final = 10008
UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_USER: Final = 10013
THREAD_EXISTS: Final = 160004
NEEDED: Final = (
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "create_public_threads",
    "send_messages_in_threads",
    "read_message_history",
)
"""Permissions without which a game cannot be told, by Discord's names."""
Place = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel
"""Where messages of ours may stand."""
_LOOK_BACK: Final = 30
"""Messages looked through for one that may have been sent just before a crash."""


async def removed_from(client: discord.Client, guild_id: int) -> bool:
    """Whether Discord says that we are not on a server."""
    try:
        await client.fetch_guild(guild_id, with_counts=False)
    except (discord.NotFound, discord.Forbidden):
        return True
    except (discord.HTTPException, aiohttp.ClientError, TimeoutError, OSError):
        return False  # it cannot be said just now
    return False


class Delivery:
    """Sends or edits one message at a time."""

    def __init__(self, client: discord.Client, table: Table, composer: Composer) -> None:
        self._client = client
        self._table = table
        self._composer = composer

    async def deliver(self, message: Message) -> Sent | None:
        """Send a message or edit it as it must be seen now; None if there is nothing to show.

        Raises `Undeliverable` or `TryLater`.
        """
        playing, shown = await self._composer.compose(message)
        if shown is None:
            return None
        try:
            if (seat := playing.seat_of(message.user_id or 0)) and seat.missed:
                await self._has_left(message, playing)
            place = await self._place(message, playing.game)
            player = playing.players.get(message.user_id or 0)
            # In his quiet hours he finds it, but it does not wake him.
            silent = player is not None and peace.is_quiet(player, self._table.now())
            return await self._put(message, place, shown, silent=silent)
        except discord.Forbidden as refused:
            if refused.code == CANNOT_MESSAGE_USER and not await self._has_left(message, playing):
                await self._tell_closed_dms(message)
            if message.user_id is None:
                raise await self._forbidden(message, playing.game, refused) from refused
            raise Undeliverable(f"{refused.code} {refused.text}") from refused
        except discord.NotFound as gone:
            if gone.code == UNKNOWN_USER:
                await self._table.absence.gone(message.user_id or 0, playing.game.guild_id)
            if gone.code == UNKNOWN_CHANNEL and message.user_id is None and playing.game.phase != "over":
                raise await self._place_lost(message, playing.game) from gone
            raise Undeliverable(f"{gone.code} {gone.text}") from gone
        except discord.HTTPException as refused:
            if refused.status >= 500 or refused.status == 429:
                raise TryLater(f"{refused.status} {refused.code}") from refused
            raise Undeliverable(f"{refused.status} {refused.code} {refused.text}") from refused
        except (aiohttp.ClientError, TimeoutError, OSError) as broken:
            raise TryLater(repr(broken)) from broken

    async def _forbidden(self, message: Message, game: Game, refused: discord.Forbidden) -> TryLater:
        """Why a message for all must wait for somebody on its server."""
        if away := await self._away(game):
            return away
        await self._table.not_allowed(game, self._lacking(message, game))
        return NotAllowed(f"{refused.code} {refused.text}")

    async def _place_lost(self, message: Message, game: Game) -> TryLater:
        """The game goes on in another thread, or waits for another channel: why a message of it must wait."""
        if away := await self._away(game):
            return away
        if message.kind != "lobby":
            await self._table.places.thread_lost(game)
        return TryLater("its thread was deleted")

    async def _away(self, game: Game) -> TryLater | None:
        """Why nothing can be told of a game that has no place any more, neither server nor channel: it stands still."""
        if not self._client.get_guild(game.guild_id) and await removed_from(self._client, game.guild_id):
            await self._table.places.server_lost(game.guild_id)
            return NotAllowed("we were removed from its server")
        try:
            await self._client.fetch_channel(game.channel_id)
        except discord.NotFound:
            await self._table.places.channel_lost(game.channel_id)
            return NotAllowed("its channel was deleted")
        except discord.Forbidden:
            return None  # it is there, though not for us
        except discord.HTTPException as refused:
            return TryLater(f"{refused.status} {refused.code}")
        return None

    async def _put(self, message: Message, place: Place, shown: Shown, *, silent: bool) -> Sent:
        message_id = message.message_id
        if message_id is None and message.attempts:
            message_id = await self._find(message, place)
        if message_id is not None:
            try:
                await place.get_partial_message(message_id).edit(**shown.editing())
            except discord.NotFound as gone:
                if gone.code != UNKNOWN_MESSAGE:
                    raise
                for file in shown.files:
                    file.reset()
            else:
                return Sent(place.id, message_id)
        sent = await place.send(**shown.sending(), silent=silent)
        return Sent(sent.channel.id, sent.id)

    async def _find(self, message: Message, place: Place) -> int | None:
        """Look for a message that arrived although we never heard of it."""
        async for old in place.history(limit=_LOOK_BACK):
            if old.author == self._client.user and mark_of(old) == message.id:
                return old.id
        return None

    async def _place(self, message: Message, game: Game) -> Place:
        if message.user_id is not None:
            user = self._client.get_user(message.user_id) or await self._client.fetch_user(message.user_id)
            return user.dm_channel or await user.create_dm()
        if message.kind == "lobby":
            return await self._channel(game.channel_id)
        if game.thread_id is None:
            return await self._open_thread(game)
        return await self._channel(game.thread_id)

    async def _channel(self, channel_id: int) -> Place:
        channel = self._client.get_channel(channel_id) or await self._client.fetch_channel(channel_id)
        if not isinstance(channel, Place):
            raise Undeliverable(f"{channel_id} is no place to write in")
        if isinstance(channel, discord.Thread) and channel.archived:
            # Discord takes no edits in a thread that has gone to sleep, and the next message may be one.
            return await channel.edit(archived=False)
        return channel

    async def _open_thread(self, game: Game) -> Place:
        channel = await self._channel(game.channel_id)
        if not isinstance(channel, discord.TextChannel):
            return channel  # voice and forum channels have no threads of this kind: the game is told there
        async with self._table.store.read() as tx:
            lobby = await tx.message(game.id, "lobby")
        name = f"#{game.id} {game.name}"[:100]
        thread_id = await self._hang_on(channel, lobby.message_id, name) if lobby and lobby.message_id else None
        if thread_id is None:
            thread_id = (await channel.create_thread(name=name, type=discord.ChannelType.public_thread)).id
        await self._table.places.thread_opened(game.id, thread_id)
        return await self._channel(thread_id)

    async def _hang_on(self, channel: discord.TextChannel, message_id: int, name: str) -> int | None:
        """Open a thread on a message, or find the one that is there; None if the message or its thread was deleted."""
        try:
            return (await channel.get_partial_message(message_id).create_thread(name=name)).id
        except discord.HTTPException as refused:
            if refused.code == UNKNOWN_MESSAGE:
                return None
            if refused.code != THREAD_EXISTS:
                raise
        try:
            await self._client.fetch_channel(message_id)  # a thread has the number of the message that it hangs on
        except discord.NotFound:
            return None
        return message_id

    def _lacking(self, message: Message, game: Game) -> str:
        """A permission that is missing where a message of all must stand, by Discord's name."""
        place_id = game.channel_id if message.kind == "lobby" or game.thread_id is None else game.thread_id
        place = self._client.get_channel(place_id) or self._client.get_channel(game.channel_id)
        if not isinstance(place, discord.abc.GuildChannel | discord.Thread):
            return NEEDED[0]
        given = place.permissions_for(place.guild.me)
        return next((name for name in NEEDED if not getattr(given, name)), NEEDED[0])

    async def _has_left(self, message: Message, playing: Playing) -> bool:
        """Whether somebody is no longer on the game's server; without a privileged intent one must ask."""
        guild, user_id = self._client.get_guild(playing.game.guild_id), message.user_id or 0
        if guild is None:
            return False  # it is we who have left, or the server is out of reach
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as gone:
            if gone.code not in (UNKNOWN_MEMBER, UNKNOWN_USER):
                raise
            await self._table.absence.gone(user_id, guild.id)
            return True
        return False

    async def _tell_closed_dms(self, message: Message) -> None:
        await self._table.dms_closed(message.game_id, message.user_id or 0)
