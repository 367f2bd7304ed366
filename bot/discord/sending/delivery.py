"""Brings a message of the outbox to Discord, and turns Discord's refusals into what the outbox understands."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import discord
from msgspec import structs

from bot.discord.messages import plainer
from bot.discord.messages.board import Shown, mark_of
from bot.discord.messages.compose import Composer
from bot.discord.sending import refusals
from bot.discord.sending.edits import MessageEdits
from bot.discord.sending.memory import Memory, StillRefused
from bot.discord.sending.refusals import FAILURES, Meaning, Refused
from bot.doors.table import Table
from bot.life import quiet_hours
from bot.life.outbox import Away, NotAllowed, Sent, TryLater, Undeliverable, Unforeseen
from bot.life.playing import Playing
from bot.life.removing import UNHEARD_PAUSE, NotNow
from bot.store.records import Game, Message, Removal
from bot.telling.wording import words_of

log = logging.getLogger(__name__)

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
Place = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
"""Where a game may be told."""
ANEW: Final = ("panel", "step")
"""Kinds of messages that are sent anew where they may not be edited: without them nobody knows how the game goes on."""
OPEN_AGAIN_S: Final = 300
"""Seconds for which no direct messages are opened, once that was too fast."""
OLD_S: Final = 3_600
"""Seconds after which a message is old to Discord."""
EDIT_AGAIN_S: Final = 3_600
"""Seconds for which old messages of a place are left as they are, once too many were edited."""
MAKE_ROOM_BY: Final = 3
"""Threads of games that are over that are archived at once, where a server has too many."""
_LOOK_BACK: Final = 100
"""Messages looked through for one that may have arrived unheard: as many as Discord tells at once."""


async def removed_from(client: discord.Client, guild_id: int) -> bool:
    """Whether Discord says that we are not on a server."""
    try:
        await client.fetch_guild(guild_id, with_counts=False)
    except FAILURES as error:
        # What cannot be said just now is not so.
        return isinstance(error, discord.NotFound | discord.Forbidden) and _heard(refusals.read(error))
    return False


def _heard(refused: Refused) -> bool:
    """Whether it was Discord that answered, and to what was asked."""
    return refused.meaning not in (Meaning.AWAY, Meaning.LIMITED)


def title_of(game: Game) -> str:
    """The name of a game's thread."""
    return f"#{game.id} {game.name}"[:100]


class Delivery:
    """Sends or edits one message at a time."""

    def __init__(
        self,
        client: discord.Client,
        table: Table,
        composer: Composer,
        edits: MessageEdits,
        *,
        refused: Callable[[Refused], None] = lambda _: None,
        edited_old: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._client = client
        self._table = table
        self._composer = composer
        self._edits = edits
        self._refused = refused
        """Told of each refusal, to be counted."""
        self._edited_old = edited_old
        """Told of each edit of an old message, by the message's kind."""
        self.memory = Memory(table.now)

    async def deliver(self, message: Message) -> Sent | None:
        """Send a message or edit it as it must be seen now; None if there is nothing to show: what was sent may go.

        Raises `Undeliverable` or `TryLater`.
        """
        playing, shown = await self._composer.compose(message)
        if shown is None:
            await self._take_back(message, playing)
            return None
        try:
            try:
                if (seat := playing.seat_of(message.user_id or 0)) and seat.missed:
                    await self._has_left(message, playing)
                sent = await self._bring(message, playing, shown)
                return structs.replace(sent, hashes=shown.hashes, guild_id=playing.game.guild_id, later=shown.later)
            except StillRefused as known:
                raise await self._why_not(known.refused, message, playing, known=True) from known
            except FAILURES as error:
                raise await self._why_not(self._read(error), message, playing) from error
        except FAILURES as error:  # while it was found out why
            raise self._later(self._read(error)) from error

    def _read(self, error: BaseException) -> Refused:
        refused = refusals.read(error)
        self._refused(refused)
        return refused

    async def _bring(self, message: Message, playing: Playing, shown: Shown) -> Sent:
        """Put a message where it belongs; what is refused is tried in other ways, as far as there are any."""
        done: set[Meaning] = set()
        while True:
            place_id = None
            try:
                place_id = await self._place(message, playing)
                return await self._put(message, place_id, playing, shown)
            except FAILURES as error:
                refused = self._read(error)
                match refused.meaning:
                    case Meaning.ASLEEP if place_id and Meaning.ASLEEP not in done:
                        await self._wake(place_id)
                    case Meaning.LOST_PLACE if message.user_id is not None and Meaning.LOST_PLACE not in done:
                        await self._open_direct(message.user_id)
                        playing = await self._table.reader.playing(message.game_id)
                    case Meaning.TOO_LARGE if plainer.has_pictures(shown):
                        shown = await self._smaller(shown, playing, last=Meaning.TOO_LARGE in done)
                    case Meaning.FILTERED if Meaning.FILTERED not in done:
                        shown = plainer.without_names(shown, playing)
                        await self._table.not_allowed(playing.game, "filtered")
                    case Meaning.OLD_EDITS if (
                        message.kind in ANEW and message.message_id and playing.game.phase != "over"
                    ):
                        message = structs.replace(message, message_id=None, attempts=0)
                        playing, anew = await self._composer.compose(message)
                        if anew is None:
                            raise  # there is nothing that must be seen: its buttons go later
                        shown = anew
                    case _:
                        self._remember(refused, message, place_id)
                        raise
                done.add(refused.meaning)
                shown.rewind()

    def _remember(self, refused: Refused, message: Message, place_id: int | None) -> None:
        """Do not ask for the same again just now."""
        match refused.meaning:
            case Meaning.CLOSED | Meaning.FORBIDDEN | Meaning.LOCKED if message.user_id is not None:
                self.memory.keep("person", message.user_id, refused)
            case Meaning.FORBIDDEN | Meaning.LOCKED if place_id:
                self.memory.keep("place", place_id, refused)
            case Meaning.OPENING:
                self.memory.keep("open", 0, refused, seconds=max(OPEN_AGAIN_S, refused.pause_s))
            case Meaning.OLD_EDITS if place_id:
                self.memory.keep("edits", place_id, refused, seconds=EDIT_AGAIN_S)

    # --- what Discord refuses ------------------------------------------------------------------------------------

    async def _why_not(
        self, refused: Refused, message: Message, playing: Playing, *, known: bool = False
    ) -> Undeliverable | TryLater:
        """What becomes of a message that Discord has refused, once all has been done that there is to do.

        What has been `known` for a while is not asked about again.
        """
        game, to_all, meaning = playing.game, message.user_id is None, refused.meaning
        if meaning in (Meaning.CLOSED, Meaning.FORBIDDEN, Meaning.LOCKED) and not to_all:
            return await self._closed_to_us(refused, message, playing, known=known)
        if meaning in (Meaning.FORBIDDEN, Meaning.LOCKED, Meaning.FILTERED, Meaning.NO_CHAT):
            return await self._forbidden(refused, message, game, known=known)
        if meaning is Meaning.GONE and not to_all:
            await self._table.absence.gone(message.user_id or 0, game.guild_id)
            return Undeliverable(str(refused))
        if meaning is Meaning.LOST_PLACE:
            lost = to_all and game.phase != "over"
            return await self._place_lost(message, game) if lost else Undeliverable(str(refused))
        return self._later(refused)

    def _later(self, refused: Refused) -> TryLater:
        """When what nobody need do anything about is tried again."""
        match refused.meaning:
            case Meaning.AWAY:
                return Away(str(refused))
            case Meaning.LIMITED:
                return TryLater(str(refused), pause_s=refused.pause_s)
            case Meaning.OPENING:
                return TryLater(str(refused), pause_s=OPEN_AGAIN_S)
            case Meaning.OLD_EDITS:
                return TryLater(str(refused), pause_s=EDIT_AGAIN_S, holds_up=False)
            case Meaning.ASLEEP | Meaning.THREADS_FULL | Meaning.FILTERED:
                return TryLater(str(refused))
        log.warning("refused for a reason unknown to us", extra={"code": refused.code, "status": refused.status})
        return Unforeseen(str(refused))

    async def _closed_to_us(
        self, refused: Refused, message: Message, playing: Playing, *, known: bool
    ) -> Undeliverable:
        """Somebody takes no direct messages, or is not there any more."""
        if known or not await self._has_left(message, playing):
            await self._table.dms_closed(message.game_id, message.user_id or 0)
        return Undeliverable(str(refused))

    async def _forbidden(self, refused: Refused, message: Message, game: Game, *, known: bool) -> TryLater:
        """Why a message for all must wait for somebody on its server."""
        if not known and (away := await self._away(game)):
            return away
        if self._client.get_guild(game.guild_id) is None:
            return NotAllowed("we were removed from its server")  # no permission is missing there
        troubles = {Meaning.LOCKED: "locked", Meaning.FILTERED: "filtered", Meaning.NO_CHAT: "no_chat"}
        await self._table.not_allowed(game, troubles.get(refused.meaning) or self._lacking(message, game))
        return NotAllowed(str(refused))

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
        except FAILURES as error:
            refused = self._read(error)
            if refused.meaning is Meaning.FORBIDDEN:
                return None  # it is there, though not for us
            if not isinstance(error, discord.NotFound):
                return self._later(refused)
            await self._table.places.channel_lost(game.channel_id)
            return NotAllowed("its channel was deleted")
        return None

    async def _smaller(self, shown: Shown, playing: Playing, *, last: bool) -> Shown:
        """The same with smaller pictures; at last with none."""
        if not last:
            return await plainer.with_smaller_pictures(shown)
        return plainer.without_pictures(shown, words_of(playing).say("thread.no_picture"))

    async def _take_back(self, message: Message, playing: Playing) -> None:
        """See to it that a direct message goes that may have arrived unheard, and that nobody needs any more."""
        player = playing.players.get(message.user_id or 0)
        if player is None or player.dm_channel_id is None or message.message_id is not None or not message.attempts:
            return
        try:
            found = await self._find(message, self._client.get_partial_messageable(player.dm_channel_id))
        except FAILURES as error:
            refused = self._read(error)
            if refused.meaning in (Meaning.AWAY, Meaning.LIMITED):
                raise self._later(refused) from error
            return
        if found is not None:
            await self._table.orders.found_unheard(
                message.game_id, player.user_id, channel_id=player.dm_channel_id, message_id=found
            )

    async def delete(self, removal: Removal) -> None:
        """Take a direct message away of which nothing holds any more. Raises `NotNow`.

        Whatever Discord refuses for good leaves nothing to be done: it is gone already, or out of our reach.
        """
        try:
            player = await self._table.reader.player(removal.user_id)
            known = player and player.dm_channel_id
            direct = known or (await self._client.create_dm(discord.Object(removal.user_id))).id
            if removal.channel_id != direct:
                log.error("message is not in its reader's direct messages, and stays")
                return
            place = self._client.get_partial_messageable(direct)
            await place.get_partial_message(removal.message_id).delete()
        except FAILURES as error:
            refused = refusals.read(error)
            if refused.meaning in (Meaning.LOST_MESSAGE, Meaning.LOST_PLACE):
                return  # somebody was there before us
            self._refused(refused)
            if refused.meaning in (Meaning.AWAY, Meaning.LIMITED):
                raise NotNow(str(refused), pause_s=refused.pause_s or UNHEARD_PAUSE) from error
            log.warning("message cannot be deleted", extra={"code": refused.code, "status": refused.status})

    # --- putting it there ------------------------------------------------------------------------------------------

    async def _call(self, message: Message, game: Game) -> None:
        """Give a thread the name of its game, which may have been that of somebody who was forgotten since."""
        if message.kind != "begin" or message.message_id is None or game.thread_id is None:
            return
        place = await self._channel(game.thread_id)
        if isinstance(place, discord.Thread) and place.name != title_of(game):
            before = place.name
            try:
                await place.edit(name=title_of(game))
            except discord.HTTPException as error:
                if self._read(error).meaning is Meaning.FILTERED:
                    return  # that is why it is called by its number
                raise
            if isinstance(place.parent, discord.TextChannel) and place.created_at:
                began = place.created_at - timedelta(seconds=5)
                async for told in place.parent.history(limit=_LOOK_BACK, after=began, oldest_first=True):
                    if told.type is discord.MessageType.thread_created and told.content == before:
                        await told.delete()  # Discord's own line that it was opened, under its old name

    async def _put(self, message: Message, place_id: int, playing: Playing, shown: Shown) -> Sent:
        """Send or edit a message where its place is as far as we know; nothing is sent of what it shows already."""
        await self._call(message, playing.game)
        seen = shown.fingerprint()
        if message.message_id and message.channel_id == place_id and message.shown == seen:
            return Sent(channel_id=place_id, message_id=message.message_id, shown=seen, edited=False, asked=False)
        player = playing.players.get(message.user_id or 0)
        # In his quiet hours he finds it, but it does not wake him.
        silent = player is not None and quiet_hours.is_quiet(player, self._table.now())
        place = self._client.get_partial_messageable(place_id)
        message_id = message.message_id
        if message_id is None and message.attempts:
            message_id = await self._find(message, place)
        if message_id is not None:
            if self._is_old(message_id):
                if message.kind not in ANEW:
                    self.memory.check("edits", place_id)
                self._edited_old(message.kind)
            try:
                async with self._edits.exclusive(message_id, shown):
                    await place.get_partial_message(message_id).edit(**shown.editing())
            except discord.NotFound as gone:
                if refusals.read(gone).meaning is not Meaning.LOST_MESSAGE:
                    raise
                shown.rewind()
            else:
                return Sent(channel_id=place.id, message_id=message_id, shown=seen, edited=True)
        sent = await place.send(**shown.sending(), silent=silent, nonce=_nonce(message))
        if message.attempts:
            # It may be the message of an earlier try, and show what was to be shown then.
            shown.rewind()
            await sent.edit(**shown.editing())
        return Sent(channel_id=place.id, message_id=sent.id, shown=seen, edited=False)

    def _is_old(self, message_id: int) -> bool:
        """Whether Discord counts edits of a message: it does of those older than an hour."""
        return self._table.now() - discord.utils.snowflake_time(message_id).timestamp() > OLD_S

    async def _find(self, message: Message, place: discord.PartialMessageable) -> int | None:
        """Look for a message that arrived although we never heard of it; not for what it showed before, which goes."""
        going = await self._table.reader.going(message.user_id) if message.user_id is not None else set()
        async for old in place.history(limit=_LOOK_BACK):
            if old.author == self._client.user and mark_of(old) == message.id and old.id not in going:
                return old.id
        return None

    async def _place(self, message: Message, playing: Playing) -> int:
        """The channel in which a message must stand. Nothing is asked where its id is known."""
        game = playing.game
        if message.user_id is not None:
            self.memory.check("person", message.user_id)
            player = playing.players.get(message.user_id)
            known = player and player.dm_channel_id
            return known or await self._open_direct(message.user_id)
        place_id = game.channel_id if message.kind == "lobby" else game.thread_id
        self.memory.check("place", place_id or game.channel_id)
        return place_id or await self._open_thread(game)

    async def _open_direct(self, user_id: int) -> int:
        """Open somebody's direct messages, and remember where they are."""
        self.memory.check("open", 0)
        channel = await self._client.create_dm(discord.Object(user_id))
        await self._table.places.direct_opened(user_id, channel.id)
        return channel.id

    async def _wake(self, thread_id: int) -> None:
        """Wake a thread that has gone to sleep."""
        thread = await self._channel(thread_id)
        if isinstance(thread, discord.Thread):
            await thread.edit(archived=False)

    async def _channel(self, channel_id: int) -> Place:
        channel = self._client.get_channel(channel_id) or await self._client.fetch_channel(channel_id)
        if not isinstance(channel, Place):
            raise StillRefused(Refused(meaning=Meaning.NO_CHAT, text=f"{channel_id} is no place to write in"))
        return channel

    async def _open_thread(self, game: Game) -> int:
        """Open a game's thread; where the server has no room for one the channel itself, for the time being."""
        channel = await self._channel(game.channel_id)
        if not isinstance(channel, discord.TextChannel):
            return channel.id  # voice channels have no threads of this kind: the game is told there
        try:
            self.memory.check("threads", game.guild_id)
        except StillRefused:
            return channel.id
        try:
            thread_id = await self._new_thread(game, channel)
        except discord.HTTPException as error:
            if self._read(error).meaning is not Meaning.THREADS_FULL:
                raise
            if (room := await self._after_making_room(game, channel)) is None:
                return channel.id
            thread_id = room
        await self._table.places.thread_opened(game.id, thread_id)
        return thread_id

    async def _after_making_room(self, game: Game, channel: discord.TextChannel) -> int | None:
        """Open a thread once those of games that are over are archived; None if there is no room all the same."""
        full = Refused(meaning=Meaning.THREADS_FULL)
        if await self._make_room(channel.guild):
            try:
                return await self._new_thread(game, channel)
            except discord.HTTPException as error:
                full = self._read(error)
                if full.meaning is not Meaning.THREADS_FULL:
                    raise
        self.memory.keep("threads", game.guild_id, full)
        await self._table.not_allowed(game, "threads")
        return None

    async def _new_thread(self, game: Game, channel: discord.TextChannel) -> int:
        lobby = await self._table.reader.message(game.id, "lobby")
        number = f"#{game.id}"
        try:
            return await self._thread_of(channel, lobby, title_of(game))
        except discord.HTTPException as error:
            if self._read(error).meaning is not Meaning.FILTERED:
                raise
        await self._table.not_allowed(game, "filtered")
        return await self._thread_of(channel, lobby, number)

    async def _thread_of(self, channel: discord.TextChannel, lobby: Message | None, name: str) -> int:
        thread_id = await self._hang_on(channel, lobby.message_id, name) if lobby and lobby.message_id else None
        if thread_id is None:
            thread_id = (await channel.create_thread(name=name, type=discord.ChannelType.public_thread)).id
        return thread_id

    async def _make_room(self, guild: discord.Guild) -> bool:
        """Archive threads of games that are over, those that ended first first; whether there were any."""
        done = 0
        for thread_id in await self._table.places.threads_of_ended(guild.id):
            thread = guild.get_thread(thread_id)  # what is archived is not among those that Discord has told us of
            if thread is not None and not thread.archived and done < MAKE_ROOM_BY:
                await thread.edit(archived=True)
                done += 1
        return done > 0

    async def _hang_on(self, channel: discord.TextChannel, message_id: int, name: str) -> int | None:
        """Open a thread on a message, or find the one that is there; None if the message or its thread was deleted."""
        try:
            return (await channel.get_partial_message(message_id).create_thread(name=name)).id
        except discord.HTTPException as error:
            meaning = refusals.read(error).meaning
            if meaning is Meaning.LOST_MESSAGE:
                return None
            if meaning is not Meaning.THREAD_THERE:
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
        if isinstance(place, discord.Thread) and place.locked:
            return "locked"
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
            if refusals.read(gone).meaning is not Meaning.GONE:
                raise
            await self._table.absence.gone(user_id, guild.id)
            return True
        return False


def _nonce(message: Message) -> str:
    """A name for the wish behind a message, the same at each try: Discord makes no second message of one nonce.

    A new wish has one of its own, so what was deleted can be posted again, and so has a database that was begun anew.
    """
    return f"{message.id}-{message.wanted_at}"
