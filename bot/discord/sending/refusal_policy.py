"""What becomes of a message that Discord has refused: a table of what each refusal means, and what is done about it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

import discord
from msgspec import Struct

from bot.discord.sending import refusals
from bot.discord.sending.audit import AuditLog
from bot.discord.sending.memory import FORGET_S, Memory, What
from bot.discord.sending.refusals import FAILURES, Meaning, Refused
from bot.discord.sending.threads import OPEN_AGAIN_S, QUARANTINED_S, Threads
from bot.doors.table import Table
from bot.life.outbox import Away, NotAllowed, TryLater, Undeliverable, Unforeseen
from bot.life.playing import Playing
from bot.store.records import Game, Message
from bot.store.subjects import IN_CHANNEL

log = logging.getLogger(__name__)

EDIT_AGAIN_S: Final = 3_600
"""Seconds for which old messages of a place are left as they are, once too many were edited."""


class Kept(Struct, frozen=True, kw_only=True):
    """What the bot does not send for a while after Discord has refused a message."""

    direct: What | None = None
    """After a refused direct message the bot sends its reader nothing, or edits no old messages in that channel."""
    to_all: What | None = None
    """After a refused message in a thread or channel the bot sends nothing there, or edits no old messages there."""
    seconds: int = FORGET_S


KEPT: Final[Mapping[Meaning, Kept]] = {
    Meaning.CLOSED: Kept(direct="person"),
    Meaning.FORBIDDEN: Kept(direct="person", to_all="place"),
    Meaning.LOCKED: Kept(direct="person", to_all="place"),
    Meaning.QUARANTINED: Kept(direct="person", seconds=QUARANTINED_S),
    Meaning.OLD_EDITS: Kept(direct="edits", to_all="edits", seconds=EDIT_AGAIN_S),
}
"""What is not asked again for a while, by what a refusal means."""

LATER: Final[Mapping[Meaning, Callable[[Refused], TryLater]]] = {
    Meaning.AWAY: lambda refused: Away(str(refused)),
    Meaning.LIMITED: lambda refused: TryLater(str(refused), pause_s=refused.pause_s),
    Meaning.OPENING: lambda refused: TryLater(str(refused), pause_s=OPEN_AGAIN_S),
    Meaning.OLD_EDITS: lambda refused: TryLater(str(refused), pause_s=EDIT_AGAIN_S, holds_up=False),
    Meaning.ASLEEP: lambda refused: TryLater(str(refused)),
    Meaning.THREADS_FULL: lambda refused: TryLater(str(refused)),
    Meaning.FILTERED: lambda refused: TryLater(str(refused)),
    Meaning.REMOVED: lambda refused: NotAllowed(str(refused)),
}
"""How long a message waits about which nobody need do anything; all else was not foreseen."""

TROUBLES: Final = {Meaning.LOCKED: "locked", Meaning.FILTERED: "filtered", Meaning.NO_CHAT: "no_chat"}
"""What the host learns if no permission is missing."""


THREADS_OWN: Final = ("locked", "send_messages_in_threads")
"""Troubles of a thread that leave its channel open to us."""


def remember(memory: Memory, refused: Refused, message: Message, place_id: int | None) -> None:
    """Do not ask for the same again just now."""
    kept = KEPT.get(refused.meaning)
    what = (kept.direct if message.user_id is not None else kept.to_all) if kept else None
    which = message.user_id if what == "person" else place_id
    if kept and what and which:
        memory.keep(what, which, refused, seconds=max(kept.seconds, refused.pause_s))


def later(refused: Refused) -> TryLater:
    """When what nobody need do anything about is tried again."""
    found = LATER.get(refused.meaning)
    return found(refused) if found else Unforeseen(str(refused))


async def removed_from(client: discord.Client, guild_id: int, read: Callable[[BaseException], Refused]) -> bool:
    """Whether Discord says that we are not on a server; `read` understands a refusal and counts it."""
    try:
        await client.fetch_guild(guild_id, with_counts=False)
    except FAILURES as error:
        # What cannot be said just now is not so.
        return _heard(read(error)) and isinstance(error, discord.NotFound | discord.Forbidden)
    return False


def _heard(refused: Refused) -> bool:
    """Whether it was Discord that answered, and to what was asked."""
    return refused.meaning not in (Meaning.AWAY, Meaning.LIMITED)


class RefusalPolicy:
    """Does what there is to do about a refusal, and says what becomes of the message."""

    def __init__(
        self, client: discord.Client, table: Table, threads: Threads, read: Callable[[BaseException], Refused]
    ) -> None:
        """`read` understands a refusal of Discord's, and counts it."""
        self._client = client
        self._table = table
        self._threads = threads
        self._read = read
        self._audit = AuditLog(client, read)

    async def why_not(
        self, refused: Refused, message: Message, playing: Playing, *, known: bool = False
    ) -> Undeliverable | TryLater:
        """What becomes of a message that Discord has refused, once all has been done that there is to do.

        What has been `known` for a while is not asked about again.
        """
        if message.kind in IN_CHANNEL:  # the host has a direct message that says the same
            waits = refused.meaning in (Meaning.AWAY, Meaning.LIMITED)
            return later(refused) if waits else Undeliverable(str(refused))
        if message.user_id is not None and (gone := await self._not_to_one(refused, message, playing, known=known)):
            return gone
        match refused.meaning:
            case Meaning.FORBIDDEN | Meaning.LOCKED | Meaning.FILTERED | Meaning.NO_CHAT:
                return await self._forbidden(refused, message, playing.game, known=known)
            case Meaning.LOST_PLACE:
                return await self._place_lost(refused, message, playing.game)
            case Meaning.REMOVED:
                return await self._away(playing.game) or later(refused)
        return later(refused)

    async def _not_to_one(
        self, refused: Refused, message: Message, playing: Playing, *, known: bool
    ) -> Undeliverable | None:
        """Why a direct message never arrives; None if it may."""
        match refused.meaning:
            case Meaning.CLOSED | Meaning.FORBIDDEN | Meaning.LOCKED:
                return await self._closed_to_us(refused, message, playing, known=known)
            case Meaning.QUARANTINED:
                await self._table.quarantined(playing.game)
                return await self._closed_to_us(refused, message, playing, known=True)
            case Meaning.GONE:
                await self._table.absence.gone(message.user_id or 0, playing.game.guild_id)
                return Undeliverable(str(refused))
            case Meaning.LOST_PLACE:
                return Undeliverable(str(refused))
        return None

    async def _closed_to_us(
        self, refused: Refused, message: Message, playing: Playing, *, known: bool
    ) -> Undeliverable:
        """Somebody takes no direct messages, or is not there any more."""
        if known or not await self.has_left(message, playing):
            await self._table.dms_closed(message.game_id, message.user_id or 0)
        return Undeliverable(str(refused))

    async def _forbidden(self, refused: Refused, message: Message, game: Game, *, known: bool) -> TryLater:
        """Why a message for all must wait for somebody on its server."""
        if not known and (away := await self._away(game)):
            return away
        if self._client.get_guild(game.guild_id) is None:
            return NotAllowed("we were removed from its server")  # no permission is missing there
        trouble = TROUBLES.get(refused.meaning) or self._threads.lacking(message, game)
        if refused.meaning is not Meaning.FILTERED and await self._table.muting.is_new(game.id):
            in_channel = game.thread_id is not None and trouble in THREADS_OWN
            by = await self._audit.find_culprit(game, trouble)
            await self._table.muting.mute(game.id, trouble, by=by, in_channel=in_channel)
        else:
            await self._table.not_allowed(game, trouble)
        return NotAllowed(str(refused))

    async def _place_lost(self, refused: Refused, message: Message, game: Game) -> Undeliverable | TryLater:
        """Return why a message waits: its game goes on in another thread or channel. It is lost if the game is over."""
        if game.phase == "over":
            return Undeliverable(str(refused))
        if away := await self._away(game):
            return away
        if message.kind != "lobby":
            await self._table.channels.thread_lost(game)
        return TryLater("its thread was deleted")

    async def _away(self, game: Game) -> TryLater | None:
        """Why nothing can be told of a game that has no place any more, neither server nor channel: it stands still."""
        if not self._client.get_guild(game.guild_id) and await removed_from(self._client, game.guild_id, self._read):
            await self._table.channels.server_lost(game.guild_id)
            return NotAllowed("we were removed from its server")
        try:
            await self._client.fetch_channel(game.channel_id)
        except FAILURES as error:
            refused = self._read(error)
            if refused.meaning is Meaning.FORBIDDEN:
                return None  # it is there, though not for us
            if not isinstance(error, discord.NotFound):
                return later(refused)
            await self._table.channels.channel_lost(game.channel_id)
            return NotAllowed("its channel was deleted")
        return None

    async def has_left(self, message: Message, playing: Playing) -> bool:
        """Whether somebody is no longer on the game's server; without a privileged intent one must ask."""
        guild, user_id = self._client.get_guild(playing.game.guild_id), message.user_id or 0
        if guild is None:
            return False  # it is we who have left, or the server is out of reach
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as gone:
            if refusals.read(gone).meaning is not Meaning.GONE:
                raise
            self._read(gone)
            await self._table.absence.gone(user_id, guild.id)
            return True
        return False
