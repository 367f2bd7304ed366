"""Decide how long a message waits that Discord refused, whether it is lost, and which people are informed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

import discord
from msgspec import Struct

from bot.discord.delivery import refusals
from bot.discord.delivery.audit import ServerAuditLog
from bot.discord.delivery.memory import MEMORY_S, RefusalMemory, RefusalTarget
from bot.discord.delivery.refusals import REQUEST_ERRORS, DiscordRefusal, ParseRefusal, RefusalKind
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


class RefusalScope(Struct, frozen=True, kw_only=True):
    """The messages that the bot does not send for a while after Discord has refused one."""

    direct_target: RefusalTarget | None = None
    """Discord's refusal of a direct message delays messages to this target; None: it delays none."""
    public_target: RefusalTarget | None = None
    """Discord's refusal of a public message delays messages to this target; None: it delays none."""
    seconds: int = MEMORY_S  # how long messages to the target wait


REFUSAL_SCOPES: Final[Mapping[RefusalKind, RefusalScope]] = {
    RefusalKind.CLOSED: RefusalScope(direct_target="person"),
    RefusalKind.FORBIDDEN: RefusalScope(direct_target="person", public_target="place"),
    RefusalKind.LOCKED: RefusalScope(direct_target="person", public_target="place"),
    RefusalKind.QUARANTINED: RefusalScope(direct_target="person", seconds=QUARANTINE_RETRY_S),
    RefusalKind.OLD_EDITS: RefusalScope(direct_target="edits", public_target="edits", seconds=OLD_EDIT_RETRY_S),
}

RETRY_ERRORS: Final[Mapping[RefusalKind, Callable[[DiscordRefusal], RetryLater]]] = {
    RefusalKind.AWAY: lambda refusal: DiscordUnavailable(str(refusal)),
    RefusalKind.LIMITED: lambda refusal: RetryLater(str(refusal), pause_s=refusal.pause_s),
    RefusalKind.OPENING: lambda refusal: RetryLater(str(refusal), pause_s=DM_OPEN_RETRY_S),
    RefusalKind.OLD_EDITS: lambda refusal: RetryLater(str(refusal), pause_s=OLD_EDIT_RETRY_S, holds_up=False),
    RefusalKind.ASLEEP: lambda refusal: RetryLater(str(refusal)),
    RefusalKind.THREADS_FULL: lambda refusal: RetryLater(str(refusal)),
    RefusalKind.FILTERED: lambda refusal: RetryLater(str(refusal)),
    RefusalKind.REMOVED: lambda refusal: PermissionMissing(str(refusal)),
}
"""Maps a refusal to the error that delays the message. Other kinds are unexpected (`retry_error`)."""

PLACE_PROBLEMS: Final = {RefusalKind.LOCKED: "locked", RefusalKind.FILTERED: "filtered", RefusalKind.NO_CHAT: "no_chat"}


THREAD_PROBLEMS: Final = ("locked", "send_messages_in_threads")


def remember_refusal(
    memory: RefusalMemory, refusal: DiscordRefusal, message: OutboxMessage, place_id: int | None
) -> None:
    """Store in `memory` that the refused message's user or channel takes no messages for a while, if that is so."""
    scope = REFUSAL_SCOPES.get(refusal.kind)
    if scope is None:
        return
    target = scope.direct_target if message.user_id is not None else scope.public_target
    target_id = message.user_id if target == "person" else place_id
    if target and target_id:
        memory.remember(target, target_id, refusal, seconds=max(scope.seconds, refusal.pause_s))


def retry_error(refusal: DiscordRefusal) -> RetryLater:
    make_error = RETRY_ERRORS.get(refusal.kind)
    return make_error(refusal) if make_error else UnexpectedRefusal(str(refusal))


async def is_removed_from_server(client: discord.Client, guild_id: int, parse_refusal: ParseRefusal) -> bool:
    """Return whether Discord confirms that the bot is not on a server."""
    try:
        await client.fetch_guild(guild_id, with_counts=False)
    except REQUEST_ERRORS as error:
        # Without a clear answer, the bot counts as being on the server.
        return _is_from_discord(parse_refusal(error)) and isinstance(error, discord.NotFound | discord.Forbidden)
    return False


def _is_from_discord(refusal: DiscordRefusal) -> bool:
    return refusal.kind not in (RefusalKind.AWAY, RefusalKind.LIMITED)


class RefusalPolicy:
    """Decides whether a refused message waits or is lost, and updates the game accordingly."""

    def __init__(
        self,
        client: discord.Client,
        services: Services,
        threads: ThreadManager,
        parse_refusal: ParseRefusal,
    ) -> None:
        self._client = client
        self._services = services
        self._threads = threads
        self._parse_refusal = parse_refusal
        self._audit = ServerAuditLog(client, parse_refusal)

    async def handle_refusal(
        self, refusal: DiscordRefusal, message: OutboxMessage, seated_game: SeatedGame, *, known: bool = False
    ) -> Undeliverable | RetryLater:
        """Handle a refused message and return the error that says whether it is lost or when to retry it.

        A refusal that is already `known` causes no further requests to Discord.
        """
        if message.kind in CHANNEL_KINDS:  # the host also gets this as a direct message
            is_temporary = refusal.kind in (RefusalKind.AWAY, RefusalKind.LIMITED)
            return retry_error(refusal) if is_temporary else Undeliverable(str(refusal))
        if message.user_id is not None:
            undeliverable = await self._handle_refused_dm(refusal, message, seated_game, known=known)
            if undeliverable:
                return undeliverable
        match refusal.kind:
            case RefusalKind.FORBIDDEN | RefusalKind.LOCKED | RefusalKind.FILTERED | RefusalKind.NO_CHAT:
                return await self._handle_missing_permission(refusal, message, seated_game.game, known=known)
            case RefusalKind.LOST_PLACE:
                return await self._handle_lost_place(refusal, message, seated_game.game)
            case RefusalKind.REMOVED:
                return await self._handle_lost_server(seated_game.game) or retry_error(refusal)
        return retry_error(refusal)

    async def _handle_refused_dm(
        self, refusal: DiscordRefusal, message: OutboxMessage, seated_game: SeatedGame, *, known: bool
    ) -> Undeliverable | None:
        """Handle a direct message that its reader cannot get; None if the refusal has another reason."""
        match refusal.kind:
            case RefusalKind.CLOSED | RefusalKind.FORBIDDEN | RefusalKind.LOCKED:
                return await self._handle_closed_dms(refusal, message, seated_game, known=known)
            case RefusalKind.QUARANTINED:
                await self._services.report_quarantine(seated_game.game)
                return await self._handle_closed_dms(refusal, message, seated_game, known=True)
            case RefusalKind.GONE:
                await self._services.absence.offer_seats_of_departed(message.user_id or 0, seated_game.game.guild_id)
                return Undeliverable(str(refusal))
            case RefusalKind.LOST_PLACE:
                return Undeliverable(str(refusal))
        return None

    async def _handle_closed_dms(
        self, refusal: DiscordRefusal, message: OutboxMessage, seated_game: SeatedGame, *, known: bool
    ) -> Undeliverable:
        if known or not await self.has_left_server(message, seated_game):
            await self._services.report_closed_dms(message.game_id, message.user_id or 0)
        return Undeliverable(str(refusal))

    async def _handle_missing_permission(
        self, refusal: DiscordRefusal, message: OutboxMessage, game: Game, *, known: bool
    ) -> RetryLater:
        """Stop the clock of a game whose place takes no messages, or tell its host. Return the error that delays it.

        `known`: the refusal was known before; then Discord is not asked whether the server still exists.
        """
        server_error = None if known else await self._handle_lost_server(game)
        if server_error:
            return server_error
        if self._client.get_guild(game.guild_id) is None:
            return PermissionMissing("we were removed from its server")  # this is not about a permission
        problem = PLACE_PROBLEMS.get(refusal.kind) or self._threads.missing_permission(message, game)
        if refusal.kind is not RefusalKind.FILTERED and await self._services.muting.should_stop(game.id):
            in_channel = game.thread_id is not None and problem in THREAD_PROBLEMS
            culprit_id = await self._audit.find_culprit(game, problem)
            await self._services.muting.stop_clock(game.id, problem, by=culprit_id, in_channel=in_channel)
        else:
            await self._services.report_missing_permission(game, problem)
        return PermissionMissing(str(refusal))

    async def _handle_lost_place(
        self, refusal: DiscordRefusal, message: OutboxMessage, game: Game
    ) -> Undeliverable | RetryLater:
        if game.phase == "over":
            return Undeliverable(str(refusal))
        server_error = await self._handle_lost_server(game)
        if server_error:
            return server_error
        if message.kind != "lobby":
            await self._services.channels.note_lost_thread(game)
        return RetryLater("its thread was deleted")

    async def _handle_lost_server(self, game: Game) -> RetryLater | None:
        """Record that a game's server or channel is gone.

        Return the error that delays its messages; None if both exist.
        """
        if not self._client.get_guild(game.guild_id) and await is_removed_from_server(
            self._client, game.guild_id, self._parse_refusal
        ):
            await self._services.channels.note_lost_server(game.guild_id)
            return PermissionMissing("we were removed from its server")
        try:
            await self._client.fetch_channel(game.channel_id)
        except REQUEST_ERRORS as error:
            refusal = self._parse_refusal(error)
            if refusal.kind is RefusalKind.FORBIDDEN:
                return None  # the channel exists, but the bot cannot see it
            if not isinstance(error, discord.NotFound):
                return retry_error(refusal)
            await self._services.channels.note_lost_channel(game.channel_id)
            return PermissionMissing("its channel was deleted")
        return None

    async def has_left_server(self, message: OutboxMessage, seated_game: SeatedGame) -> bool:
        """Return whether a user has left the game's server, and offer their seats if so. This asks Discord."""
        guild, user_id = self._client.get_guild(seated_game.game.guild_id), message.user_id or 0
        if guild is None:
            return False  # the bot has left, or the server is unavailable
        try:
            await guild.fetch_member(user_id)
        except discord.NotFound as error:
            if refusals.parse_refusal(error).kind is not RefusalKind.GONE:
                raise
            self._parse_refusal(error)  # counts the refusal, too
            await self._services.absence.offer_seats_of_departed(user_id, guild.id)
            return True
        return False
