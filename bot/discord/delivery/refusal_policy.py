"""What becomes of a message that Discord has refused: a table of what each refusal means, and what is done about it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

import discord
from msgspec import Struct

from bot.discord.delivery import refusals
from bot.discord.delivery.audit import ServerAuditLog
from bot.discord.delivery.memory import MEMORY_S, RefusalMemory, RefusalTarget
from bot.discord.delivery.refusals import REQUEST_ERRORS, DiscordRefusal, RefusalKind
from bot.discord.delivery.threads import DM_OPEN_RETRY_S, QUARANTINE_RETRY_S, ThreadManager
from bot.lifecycle.outbox.outbox import (
    DiscordUnavailable,
    PermissionMissing,
    RetryLater,
    Undeliverable,
    UnexpectedRefusal,
)
from bot.lifecycle.steps.playing import SeatedGame
from bot.services.table import Services
from bot.store.models.records import Game, OutboxMessage
from bot.store.models.subjects import CHANNEL_KINDS

log = logging.getLogger(__name__)

OLD_EDIT_RETRY_S: Final = 3_600
"""Seconds for which old messages of a place are left as they are, once too many were edited."""


class RefusalScope(Struct, frozen=True, kw_only=True):
    """RefusalTarget the bot does not send for a while after Discord has refused a message."""

    direct_target: RefusalTarget | None = None
    """After a refused direct message the bot sends its reader nothing, or edits no old messages in that channel."""
    public_target: RefusalTarget | None = None
    """After a refused message in a thread or channel the bot sends nothing there, or edits no old messages there."""
    seconds: int = MEMORY_S


REFUSAL_SCOPES: Final[Mapping[RefusalKind, RefusalScope]] = {
    RefusalKind.CLOSED: RefusalScope(direct_target="person"),
    RefusalKind.FORBIDDEN: RefusalScope(direct_target="person", public_target="place"),
    RefusalKind.LOCKED: RefusalScope(direct_target="person", public_target="place"),
    RefusalKind.QUARANTINED: RefusalScope(direct_target="person", seconds=QUARANTINE_RETRY_S),
    RefusalKind.OLD_EDITS: RefusalScope(direct_target="edits", public_target="edits", seconds=OLD_EDIT_RETRY_S),
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
    kept = REFUSAL_SCOPES.get(refused.kind)
    what = (kept.direct_target if message.user_id is not None else kept.public_target) if kept else None
    which = message.user_id if what == "person" else place_id
    if kept and what and which:
        memory.remember(what, which, refused, seconds=max(kept.seconds, refused.pause_s))


def retry_error(refused: DiscordRefusal) -> RetryLater:
    """When what nobody need do anything about is tried again."""
    found = RETRY_ERRORS.get(refused.kind)
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
    return refused.kind not in (RefusalKind.AWAY, RefusalKind.LIMITED)


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
        self._services = table
        self._threads = threads
        self._parse_refusal = read
        self._audit = ServerAuditLog(client, read)

    async def handle_refusal(
        self, refused: DiscordRefusal, message: OutboxMessage, playing: SeatedGame, *, known: bool = False
    ) -> Undeliverable | RetryLater:
        """What becomes of a message that Discord has refused, once all has been done that there is to do.

        What has been `known` for a while is not asked about again.
        """
        if message.kind in CHANNEL_KINDS:  # the host has a direct message that says the same
            waits = refused.kind in (RefusalKind.AWAY, RefusalKind.LIMITED)
            return retry_error(refused) if waits else Undeliverable(str(refused))
        if message.user_id is not None and (
            gone := await self._handle_refused_dm(refused, message, playing, known=known)
        ):
            return gone
        match refused.kind:
            case RefusalKind.FORBIDDEN | RefusalKind.LOCKED | RefusalKind.FILTERED | RefusalKind.NO_CHAT:
                return await self._handle_missing_permission(refused, message, playing.game, known=known)
            case RefusalKind.LOST_PLACE:
                return await self._handle_lost_place(refused, message, playing.game)
            case RefusalKind.REMOVED:
                return await self._handle_lost_server(playing.game) or retry_error(refused)
        return retry_error(refused)

    async def _handle_refused_dm(
        self, refused: DiscordRefusal, message: OutboxMessage, playing: SeatedGame, *, known: bool
    ) -> Undeliverable | None:
        """Why a direct message never arrives; None if it may."""
        match refused.kind:
            case RefusalKind.CLOSED | RefusalKind.FORBIDDEN | RefusalKind.LOCKED:
                return await self._handle_closed_dms(refused, message, playing, known=known)
            case RefusalKind.QUARANTINED:
                await self._services.report_quarantine(playing.game)
                return await self._handle_closed_dms(refused, message, playing, known=True)
            case RefusalKind.GONE:
                await self._services.absence.offer_seats_of_departed(message.user_id or 0, playing.game.guild_id)
                return Undeliverable(str(refused))
            case RefusalKind.LOST_PLACE:
                return Undeliverable(str(refused))
        return None

    async def _handle_closed_dms(
        self, refused: DiscordRefusal, message: OutboxMessage, playing: SeatedGame, *, known: bool
    ) -> Undeliverable:
        """Somebody takes no direct messages, or is not there any more."""
        if known or not await self.has_left_server(message, playing):
            await self._services.report_closed_dms(message.game_id, message.user_id or 0)
        return Undeliverable(str(refused))

    async def _handle_missing_permission(
        self, refused: DiscordRefusal, message: OutboxMessage, game: Game, *, known: bool
    ) -> RetryLater:
        """Why a message for all must wait for somebody on its server."""
        if not known and (away := await self._handle_lost_server(game)):
            return away
        if self._client.get_guild(game.guild_id) is None:
            return PermissionMissing("we were removed from its server")  # no permission is missing there
        trouble = PLACE_PROBLEMS.get(refused.kind) or self._threads.missing_permission(message, game)
        if refused.kind is not RefusalKind.FILTERED and await self._services.muting.is_new(game.id):
            in_channel = game.thread_id is not None and trouble in THREAD_PROBLEMS
            by = await self._audit.find_culprit(game, trouble)
            await self._services.muting.stop_clock(game.id, trouble, by=by, in_channel=in_channel)
        else:
            await self._services.report_missing_permission(game, trouble)
        return PermissionMissing(str(refused))

    async def _handle_lost_place(
        self, refused: DiscordRefusal, message: OutboxMessage, game: Game
    ) -> Undeliverable | RetryLater:
        """Return why a message waits: its game goes on in another thread or channel. It is lost if the game is over."""
        if game.phase == "over":
            return Undeliverable(str(refused))
        if away := await self._handle_lost_server(game):
            return away
        if message.kind != "lobby":
            await self._services.channels.note_lost_thread(game)
        return RetryLater("its thread was deleted")

    async def _handle_lost_server(self, game: Game) -> RetryLater | None:
        """Why nothing can be told of a game that has no place any more, neither server nor channel: it stands still."""
        if not self._client.get_guild(game.guild_id) and await is_removed_from_server(
            self._client, game.guild_id, self._parse_refusal
        ):
            await self._services.channels.note_lost_server(game.guild_id)
            return PermissionMissing("we were removed from its server")
        try:
            await self._client.fetch_channel(game.channel_id)
        except REQUEST_ERRORS as error:
            refused = self._parse_refusal(error)
            if refused.kind is RefusalKind.FORBIDDEN:
                return None  # it is there, though not for us
            if not isinstance(error, discord.NotFound):
                return retry_error(refused)
            await self._services.channels.note_lost_channel(game.channel_id)
            return PermissionMissing("its channel was deleted")
        return None

    async def has_left_server(self, message: OutboxMessage, playing: SeatedGame) -> bool:
        """Whether somebody is no longer on the game's server; without a privileged intent one must ask."""
        guild, user_id = self._client.get_guild(playing.game.guild_id), message.user_id or 0
        if guild is None:
            return False  # it is we who have left, or the server is out of reach
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as gone:
            if refusals.parse_refusal(gone).kind is not RefusalKind.GONE:
                raise
            self._parse_refusal(gone)
            await self._services.absence.offer_seats_of_departed(user_id, guild.id)
            return True
        return False
