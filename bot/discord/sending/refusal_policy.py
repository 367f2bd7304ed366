"""What becomes of a message that Discord has refused: a table of what each refusal means, and what is done about it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

import discord
from msgspec import Struct

from bot.discord.sending import refusals
from bot.discord.sending.audit import ServerAuditLog
from bot.discord.sending.memory import MEMORY_S, RefusalMemory, RefusalTarget
from bot.discord.sending.refusals import REQUEST_ERRORS, DiscordRefusal, RefusalKind
from bot.discord.sending.threads import DM_OPEN_RETRY_S, QUARANTINE_RETRY_S, ThreadManager
from bot.doors.table import Services
from bot.life.outbox import DiscordUnavailable, PermissionMissing, RetryLater, Undeliverable, UnexpectedRefusal
from bot.life.playing import SeatedGame
from bot.store.records import Game, OutboxMessage
from bot.store.subjects import CHANNEL_KINDS

log = logging.getLogger(__name__)

OLD_EDIT_RETRY_S: Final = 3_600
"""Seconds for which old messages of a place are left as they are, once too many were edited."""


class RefusalScope(Struct, frozen=True, kw_only=True):
    """RefusalTarget the bot does not send for a while after Discord has refused a message."""

    direct: RefusalTarget | None = None
    """After a refused direct message the bot sends its reader nothing, or edits no old messages in that channel."""
    to_all: RefusalTarget | None = None
    """After a refused message in a thread or channel the bot sends nothing there, or edits no old messages there."""
    seconds: int = MEMORY_S


REFUSAL_SCOPES: Final[Mapping[RefusalKind, RefusalScope]] = {
    RefusalKind.CLOSED: RefusalScope(direct="person"),
    RefusalKind.FORBIDDEN: RefusalScope(direct="person", to_all="place"),
    RefusalKind.LOCKED: RefusalScope(direct="person", to_all="place"),
    RefusalKind.QUARANTINED: RefusalScope(direct="person", seconds=QUARANTINE_RETRY_S),
    RefusalKind.OLD_EDITS: RefusalScope(direct="edits", to_all="edits", seconds=OLD_EDIT_RETRY_S),
}
"""What is not asked again for a while, by what a refusal means."""

RETRY_ERRORS: Final[Mapping[RefusalKind, Callable[[DiscordRefusal], RetryLater]]] = {
    RefusalKind.AWAY: lambda refused: DiscordUnavailable(str(refused)),
    RefusalKind.LIMITED: lambda refused: RetryLater(str(refused), pause_s=refused.pause_s),
    RefusalKind.OPENING: lambda refused: RetryLater(str(refused), pause_s=DM_OPEN_RETRY_S),
    RefusalKind.OLD_EDITS: lambda refused: RetryLater(str(refused), pause_s=OLD_EDIT_RETRY_S, holds_up=False),
    RefusalKind.ASLEEP: lambda refused: RetryLater(str(refused)),
    RefusalKind.THREADS_FULL: lambda refused: RetryLater(str(refused)),
    RefusalKind.FILTERED: lambda refused: RetryLater(str(refused)),
    RefusalKind.REMOVED: lambda refused: PermissionMissing(str(refused)),
}
"""How long a message waits about which nobody need do anything; all else was not foreseen."""

PLACE_PROBLEMS: Final = {RefusalKind.LOCKED: "locked", RefusalKind.FILTERED: "filtered", RefusalKind.NO_CHAT: "no_chat"}
"""What the host learns if no permission is missing."""


THREAD_PROBLEMS: Final = ("locked", "send_messages_in_threads")
"""Troubles of a thread that leave its channel open to us."""


def remember_refusal(
    memory: RefusalMemory, refused: DiscordRefusal, message: OutboxMessage, place_id: int | None
) -> None:
    """Do not ask for the same again just now."""
    kept = REFUSAL_SCOPES.get(refused.meaning)
    what = (kept.direct if message.user_id is not None else kept.to_all) if kept else None
    which = message.user_id if what == "person" else place_id
    if kept and what and which:
        memory.keep(what, which, refused, seconds=max(kept.seconds, refused.pause_s))


def retry_error(refused: DiscordRefusal) -> RetryLater:
    """When what nobody need do anything about is tried again."""
    found = RETRY_ERRORS.get(refused.meaning)
    return found(refused) if found else UnexpectedRefusal(str(refused))


async def is_removed_from_server(
    client: discord.Client, guild_id: int, read: Callable[[BaseException], DiscordRefusal]
) -> bool:
    """Whether Discord says that we are not on a server; `read` understands a refusal and counts it."""
    try:
        await client.fetch_guild(guild_id, with_counts=False)
    except REQUEST_ERRORS as error:
        # What cannot be said just now is not so.
        return _is_from_discord(read(error)) and isinstance(error, discord.NotFound | discord.Forbidden)
    return False


def _is_from_discord(refused: DiscordRefusal) -> bool:
    """Whether it was Discord that answered, and to what was asked."""
    return refused.meaning not in (RefusalKind.AWAY, RefusalKind.LIMITED)


class RefusalPolicy:
    """Does what there is to do about a refusal, and says what becomes of the message."""

    def __init__(
        self,
        client: discord.Client,
        table: Services,
        threads: ThreadManager,
        read: Callable[[BaseException], DiscordRefusal],
    ) -> None:
        """`read` understands a refusal of Discord's, and counts it."""
        self._client = client
        self._table = table
        self._threads = threads
        self._read = read
        self._audit = ServerAuditLog(client, read)

    async def why_not(
        self, refused: DiscordRefusal, message: OutboxMessage, playing: SeatedGame, *, known: bool = False
    ) -> Undeliverable | RetryLater:
        """What becomes of a message that Discord has refused, once all has been done that there is to do.

        What has been `known` for a while is not asked about again.
        """
        if message.kind in CHANNEL_KINDS:  # the host has a direct message that says the same
            waits = refused.meaning in (RefusalKind.AWAY, RefusalKind.LIMITED)
            return retry_error(refused) if waits else Undeliverable(str(refused))
        if message.user_id is not None and (gone := await self._not_to_one(refused, message, playing, known=known)):
            return gone
        match refused.meaning:
            case RefusalKind.FORBIDDEN | RefusalKind.LOCKED | RefusalKind.FILTERED | RefusalKind.NO_CHAT:
                return await self._forbidden(refused, message, playing.game, known=known)
            case RefusalKind.LOST_PLACE:
                return await self._place_lost(refused, message, playing.game)
            case RefusalKind.REMOVED:
                return await self._away(playing.game) or retry_error(refused)
        return retry_error(refused)

    async def _not_to_one(
        self, refused: DiscordRefusal, message: OutboxMessage, playing: SeatedGame, *, known: bool
    ) -> Undeliverable | None:
        """Why a direct message never arrives; None if it may."""
        match refused.meaning:
            case RefusalKind.CLOSED | RefusalKind.FORBIDDEN | RefusalKind.LOCKED:
                return await self._closed_to_us(refused, message, playing, known=known)
            case RefusalKind.QUARANTINED:
                await self._table.quarantined(playing.game)
                return await self._closed_to_us(refused, message, playing, known=True)
            case RefusalKind.GONE:
                await self._table.absence.gone(message.user_id or 0, playing.game.guild_id)
                return Undeliverable(str(refused))
            case RefusalKind.LOST_PLACE:
                return Undeliverable(str(refused))
        return None

    async def _closed_to_us(
        self, refused: DiscordRefusal, message: OutboxMessage, playing: SeatedGame, *, known: bool
    ) -> Undeliverable:
        """Somebody takes no direct messages, or is not there any more."""
        if known or not await self.has_left(message, playing):
            await self._table.dms_closed(message.game_id, message.user_id or 0)
        return Undeliverable(str(refused))

    async def _forbidden(
        self, refused: DiscordRefusal, message: OutboxMessage, game: Game, *, known: bool
    ) -> RetryLater:
        """Why a message for all must wait for somebody on its server."""
        if not known and (away := await self._away(game)):
            return away
        if self._client.get_guild(game.guild_id) is None:
            return PermissionMissing("we were removed from its server")  # no permission is missing there
        trouble = PLACE_PROBLEMS.get(refused.meaning) or self._threads.lacking(message, game)
        if refused.meaning is not RefusalKind.FILTERED and await self._table.muting.is_new(game.id):
            in_channel = game.thread_id is not None and trouble in THREAD_PROBLEMS
            by = await self._audit.find_culprit(game, trouble)
            await self._table.muting.mute(game.id, trouble, by=by, in_channel=in_channel)
        else:
            await self._table.not_allowed(game, trouble)
        return PermissionMissing(str(refused))

    async def _place_lost(
        self, refused: DiscordRefusal, message: OutboxMessage, game: Game
    ) -> Undeliverable | RetryLater:
        """Return why a message waits: its game goes on in another thread or channel. It is lost if the game is over."""
        if game.phase == "over":
            return Undeliverable(str(refused))
        if away := await self._away(game):
            return away
        if message.kind != "lobby":
            await self._table.channels.thread_lost(game)
        return RetryLater("its thread was deleted")

    async def _away(self, game: Game) -> RetryLater | None:
        """Why nothing can be told of a game that has no place any more, neither server nor channel: it stands still."""
        if not self._client.get_guild(game.guild_id) and await is_removed_from_server(
            self._client, game.guild_id, self._read
        ):
            await self._table.channels.server_lost(game.guild_id)
            return PermissionMissing("we were removed from its server")
        try:
            await self._client.fetch_channel(game.channel_id)
        except REQUEST_ERRORS as error:
            refused = self._read(error)
            if refused.meaning is RefusalKind.FORBIDDEN:
                return None  # it is there, though not for us
            if not isinstance(error, discord.NotFound):
                return retry_error(refused)
            await self._table.channels.channel_lost(game.channel_id)
            return PermissionMissing("its channel was deleted")
        return None

    async def has_left(self, message: OutboxMessage, playing: SeatedGame) -> bool:
        """Whether somebody is no longer on the game's server; without a privileged intent one must ask."""
        guild, user_id = self._client.get_guild(playing.game.guild_id), message.user_id or 0
        if guild is None:
            return False  # it is we who have left, or the server is out of reach
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as gone:
            if refusals.parse_refusal(gone).meaning is not RefusalKind.GONE:
                raise
            self._read(gone)
            await self._table.absence.gone(user_id, guild.id)
            return True
        return False
