"""Delivery of outbox messages to Discord: sending, editing, and deleting obsolete ones."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

import discord
from msgspec import structs

from bot.discord.delivery import refusals
from bot.discord.delivery.edits import MessageEdits
from bot.discord.delivery.memory import RecentlyRefused, RefusalMemory
from bot.discord.delivery.refusal_log import RefusalLog
from bot.discord.delivery.refusal_policy import RefusalPolicy, remember_refusal, retry_error
from bot.discord.delivery.refusals import PICTURE_REFUSALS, REQUEST_ERRORS, DiscordRefusal, RefusalKind
from bot.discord.delivery.threads import ThreadManager
from bot.discord.messages import plainer
from bot.discord.messages.board import RenderedMessage, outbox_mark_of
from bot.discord.messages.compose import Composer
from bot.lifecycle.outbox import quiet_hours
from bot.lifecycle.outbox.outbox import SentMessage, Superseded
from bot.lifecycle.outbox.removing import RETRY_PAUSE_S, DeletionDeferred
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.readers.messages import MessageBatch
from bot.presenters.wording import game_localizer
from bot.services.table import Services
from bot.store.models.records import Game, OutboxMessage, Removal
from bot.store.models.subjects import CHAIN_KIND

log = logging.getLogger(__name__)

RESENT_KINDS: Final = ("panel", "step")
"""Kinds of messages that are sent again where they may not be edited, because players need them to go on."""
UNEDITED_KINDS: Final = (CHAIN_KIND,)
"""Kinds of messages that are never edited, so that Discord's mark for edited messages would show a change."""
OLD_MESSAGE_S: Final = 3_600
_MAX_MESSAGES_SEARCHED: Final = 100
"""Messages searched for one that may have arrived unnoticed: as many as one request returns."""


class DeliveryAttempt(NamedTuple):
    message: OutboxMessage  # the row that is delivered
    seated_game: SeatedGame
    rendered: RenderedMessage  # what is sent in this attempt
    handled_refusals: frozenset[RefusalKind] = frozenset()  # kinds for which a fallback has been tried
    place_id: int | None = None
    """The channel that refused the message; None if it had none yet."""


class _DeliveryRefused(Exception):
    def __init__(self, refusal: DiscordRefusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


class MessageSender:
    def __init__(
        self,
        client: discord.Client,
        services: Services,
        composer: Composer,
        edits: MessageEdits,
        refusal_log: RefusalLog,
        *,
        on_old_edit: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._client = client
        self._services = services
        self._composer = composer
        self._moved_games = services.channels.moved_games  # ids; what was read of them before is outdated
        self._message_edits = edits
        self._parse_refusal = refusal_log.parse_refusal
        self._on_old_edit = on_old_edit  # called with the kind of each old message that is edited
        self.refusal_memory = RefusalMemory(services.now)
        self._threads = ThreadManager(client, services, self.refusal_memory, self._parse_refusal)
        self.open_direct = self._threads.open_direct_channel
        self._policy = RefusalPolicy(client, services, self._threads, self._parse_refusal)
        self._fallbacks: dict[RefusalKind, Callable[[DeliveryAttempt], Awaitable[DeliveryAttempt | None]]] = {
            RefusalKind.ASLEEP: self._retry_in_woken_thread,
            RefusalKind.LOST_PLACE: self._retry_in_new_channel,
            RefusalKind.TOO_LARGE: self._retry_smaller,
            RefusalKind.NO_UPLOADS: self._retry_without_pictures,
            RefusalKind.FILTERED: self._retry_without_names,
            RefusalKind.OLD_EDITS: self._retry_as_new,
            RefusalKind.UNKNOWN: self._resend_old,
        }
        """Maps a refusal to the fallback that returns the next attempt, or None if it cannot help."""

    async def read_batch(self, messages: Sequence[OutboxMessage]) -> MessageBatch:
        self._moved_games -= {message.game_id for message in messages}
        return await self._composer.read_batch(messages)

    @staticmethod
    def may_send_in_parallel(batch: MessageBatch) -> bool:
        """Return whether the game has a thread. Its messages may be sent concurrently only once they can link to it."""
        return batch.seated_game.game.thread_id is not None

    async def deliver(self, message: OutboxMessage, batch: MessageBatch | None = None) -> SentMessage | None:
        """Send or edit a message so that it shows the current state. Return None if there is nothing to show.

        `batch` holds the data that was read for it; without, it is read now. Raises `Undeliverable`, `RetryLater` or
        `Superseded`.
        """
        if message.kind == "step" and message.message_id is not None:
            # An edited report would hide what it showed before an older backup was restored.
            await self._services.step_runner.wait_until_compared(message.game_id)
        if message.user_id is not None and self._services.denials.has_user(message.user_id):
            return None
        if message.game_id in self._moved_games:
            batch = None  # it was read before the game moved
        seated_game, rendered = await self._composer.render_message(message, batch)
        if rendered is None:
            await self._delete_obsolete(message, seated_game)
            return None
        try:
            try:
                seat = seated_game.seat_of(message.user_id or 0)
                if seat and seat.missed:  # an absent captain may have left, and then their seat is offered
                    await self._policy.has_left_server(message, seated_game)
                sent_message = await self._send_with_fallbacks(DeliveryAttempt(message, seated_game, rendered))
                if seated_game.game.paused_at is not None and _is_new_in_place(sent_message, seated_game.game):
                    await self._services.muting.unmute(message.game_id)
                return structs.replace(
                    sent_message,
                    published_hashes=rendered.published_hashes,
                    guild_id=seated_game.game.guild_id,
                    pending_picture=rendered.pending_picture,
                )
            except RecentlyRefused as error:
                raise await self._policy.handle_refusal(error.refusal, message, seated_game, known=True) from error
            except _DeliveryRefused as error:
                raise await self._policy.handle_refusal(error.refusal, message, seated_game) from error
            except REQUEST_ERRORS as error:
                raise await self._policy.handle_refusal(self._parse_refusal(error), message, seated_game) from error
        except REQUEST_ERRORS as error:  # raised while the policy asked Discord for the reason
            raise retry_error(self._parse_refusal(error)) from error
        finally:
            self._threads.rename_later(message, seated_game)

    async def _send_with_fallbacks(self, attempt: DeliveryAttempt) -> SentMessage:
        """Send or edit a message; try the fallback for each refusal. Raises `_DeliveryRefused` if none is left."""
        refusal = self.refusal_memory.find_refusal("uploads", attempt.seated_game.game.guild_id)
        if refusal and attempt.message.user_id is None and plainer.has_pictures(attempt.rendered):
            attempt = _drop_pictures(attempt, RefusalKind.NO_UPLOADS)
        while True:
            place_id = None
            try:
                place_id = await self._threads.find_or_create_place(attempt.message, attempt.seated_game)
                return await self._send_or_edit(attempt.message, place_id, attempt.seated_game, attempt.rendered)
            except REQUEST_ERRORS as error:
                refusal = self._parse_refusal(error)
                fallback = self._fallbacks.get(refusal.kind)
                next_attempt = await fallback(attempt._replace(place_id=place_id)) if fallback else None
                if next_attempt is None:
                    remember_refusal(self.refusal_memory, refusal, attempt.message, place_id)
                    raise _DeliveryRefused(refusal) from error
                attempt = next_attempt._replace(handled_refusals=attempt.handled_refusals | {refusal.kind})
                attempt.rendered.rewind_files()

    async def _retry_in_woken_thread(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        if attempt.place_id is None or RefusalKind.ASLEEP in attempt.handled_refusals:
            return None
        await self._threads.unarchive(attempt.place_id)
        return attempt

    async def _retry_in_new_channel(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        user_id = attempt.message.user_id
        if user_id is None or RefusalKind.LOST_PLACE in attempt.handled_refusals:
            return None
        await self._threads.open_direct_channel(user_id)
        return attempt._replace(seated_game=await self._services.reader.games.seated_game(attempt.message.game_id))

    async def _retry_smaller(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        rendered = attempt.rendered
        if not plainer.has_pictures(rendered):
            return None
        if RefusalKind.TOO_LARGE not in attempt.handled_refusals:
            return attempt._replace(rendered=await plainer.with_smaller_pictures(rendered))
        return _drop_pictures(attempt, RefusalKind.TOO_LARGE)

    async def _retry_without_pictures(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        """Try without pictures and send the server's other messages without pictures for a while."""
        if not plainer.has_pictures(attempt.rendered):
            return None
        game = attempt.seated_game.game
        self.refusal_memory.remember("uploads", game.guild_id, DiscordRefusal(kind=RefusalKind.NO_UPLOADS))
        await self._services.report_missing_permission(game, "uploads")
        return _drop_pictures(attempt, RefusalKind.NO_UPLOADS)

    async def _retry_without_names(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        if RefusalKind.FILTERED in attempt.handled_refusals:
            return None
        rendered = plainer.without_names(attempt.rendered, attempt.seated_game)
        await self._services.report_missing_permission(attempt.seated_game.game, "filtered")
        return attempt._replace(rendered=rendered)

    async def _retry_as_new(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        message = attempt.message
        if message.kind not in RESENT_KINDS or not message.message_id or attempt.seated_game.game.phase == "over":
            return None
        message = structs.replace(message, message_id=None, attempts=0)
        seated_game, rendered = await self._composer.render_message(message)
        if rendered is None:
            return None  # without new content only buttons are removed, which can wait
        return attempt._replace(message=message, seated_game=seated_game, rendered=rendered)

    async def _resend_old(self, attempt: DeliveryAttempt) -> DeliveryAttempt | None:
        """Send an important message again if it is too old to be edited."""
        message_id = attempt.message.message_id
        return await self._retry_as_new(attempt) if message_id and self._is_old(message_id) else None

    async def _delete_obsolete(self, message: OutboxMessage, seated_game: SeatedGame) -> None:
        """Request the deletion of a direct message that may have arrived unnoticed and that is obsolete."""
        player = seated_game.players.get(message.user_id or 0)
        if player is None or player.dm_channel_id is None or message.message_id is not None or not message.attempts:
            return
        try:
            message_id = await self._find_lost_message(
                message, self._client.get_partial_messageable(player.dm_channel_id)
            )
        except REQUEST_ERRORS as error:
            refusal = self._parse_refusal(error)
            if refusal.kind in (RefusalKind.AWAY, RefusalKind.LIMITED):
                raise retry_error(refusal) from error
            return
        if message_id is not None:
            await self._services.orders.delete_direct_message(
                message.game_id, player.user_id, channel_id=player.dm_channel_id, message_id=message_id
            )

    async def delete_message(self, removal: Removal) -> None:
        """Delete an obsolete direct message. Raises `DeletionDeferred`.

        A permanent refusal is only logged: the message is already gone or out of reach.
        """
        try:
            direct_channel_id = removal.direct or await self.open_direct(removal.user_id)
            if removal.channel_id != direct_channel_id:
                log.error("message is not in its reader's direct messages, and stays")
                return
            place = self._client.get_partial_messageable(direct_channel_id)
            await place.get_partial_message(removal.message_id).delete()
        except RecentlyRefused as error:
            raise DeletionDeferred(str(error), pause_s=RETRY_PAUSE_S) from error
        except REQUEST_ERRORS as error:
            if refusals.parse_refusal(error).kind in (RefusalKind.LOST_MESSAGE, RefusalKind.LOST_PLACE):
                return  # already deleted
            refusal = self._parse_refusal(error)
            if refusal.kind in (RefusalKind.AWAY, RefusalKind.LIMITED):
                raise DeletionDeferred(str(refusal), pause_s=refusal.pause_s or RETRY_PAUSE_S) from error
            log.warning("message cannot be deleted", extra={"code": refusal.code, "status": refusal.status})

    async def _send_or_edit(
        self, message: OutboxMessage, place_id: int, seated_game: SeatedGame, rendered: RenderedMessage
    ) -> SentMessage:
        content_hash = rendered.content_hash()
        may_edit = message.kind not in UNEDITED_KINDS
        if message.message_id and message.channel_id == place_id and message.shown == content_hash:
            return _already_sent(place_id, message.message_id, content_hash)
        player = seated_game.players.get(message.user_id or 0)
        # A silent message causes no notification.
        silent = player is not None and quiet_hours.is_quiet(player, self._services.now())
        place = self._client.get_partial_messageable(place_id)
        message_id = message.message_id
        if message_id is None and message.attempts:
            message_id = await self._find_lost_message(message, place)
        if message_id is not None and not may_edit:
            return _already_sent(place_id, message_id, content_hash)
        if message_id is not None and await self._edit_message(message, message_id, place, rendered):
            return SentMessage(channel_id=place.id, message_id=message_id, content_hash=content_hash, is_edit=True)
        sent = await place.send(**rendered.send_arguments(), silent=silent, nonce=_message_nonce(message))
        if message.attempts and may_edit:
            # Discord may return the message of an earlier attempt, which shows older content.
            rendered.rewind_files()
            await sent.edit(**rendered.edit_arguments())
        return SentMessage(channel_id=place.id, message_id=sent.id, content_hash=content_hash, is_edit=False)

    async def _edit_message(
        self, message: OutboxMessage, message_id: int, place: discord.PartialMessageable, rendered: RenderedMessage
    ) -> bool:
        """Edit a sent message. Return False if it was deleted. Raises `RecentlyRefused` or `Superseded`."""
        if self._is_old(message_id):
            if message.kind not in RESENT_KINDS:
                self.refusal_memory.raise_if_refused("edits", place.id)
            self._on_old_edit(message.kind)
        if self._services.orders.is_panel_overtaken(message):
            raise Superseded
        try:
            async with self._message_edits.exclusive(message_id) as note_edit:
                note_edit(await place.get_partial_message(message_id).edit(**rendered.edit_arguments()))
        except discord.HTTPException as error:
            if refusals.parse_refusal(error).kind is not RefusalKind.LOST_MESSAGE:
                raise
            self._parse_refusal(error)
            rendered.rewind_files()
            return False
        return True

    def _is_old(self, message_id: int) -> bool:
        return self._services.now() - discord.utils.snowflake_time(message_id).timestamp() > OLD_MESSAGE_S

    async def _find_lost_message(self, message: OutboxMessage, place: discord.PartialMessageable) -> int | None:
        """Return the id of a message that arrived unnoticed, or None. Messages that are being deleted do not count."""
        being_deleted: set[int] = set()
        if message.user_id is not None:
            being_deleted = await self._services.reader.messages.messages_to_delete(message.user_id)
        async for candidate in place.history(limit=_MAX_MESSAGES_SEARCHED):
            is_same_row = candidate.author == self._client.user and outbox_mark_of(candidate) == message.mark
            if is_same_row and candidate.id not in being_deleted:
                return candidate.id
        return None


def _already_sent(place_id: int, message_id: int, content_hash: str) -> SentMessage:
    return SentMessage(
        channel_id=place_id, message_id=message_id, content_hash=content_hash, is_edit=False, was_requested=False
    )


def _drop_pictures(attempt: DeliveryAttempt, because: RefusalKind) -> DeliveryAttempt:
    note = game_localizer(attempt.seated_game).say(PICTURE_REFUSALS[because])
    return attempt._replace(rendered=plainer.without_pictures(attempt.rendered, note))


def _is_new_in_place(sent_message: SentMessage, game: Game) -> bool:
    """Return whether a new message has arrived in the game's place.

    Edits do not count, because Discord accepts them in muted places.
    """
    is_in_place = sent_message.channel_id == (game.thread_id or game.channel_id)
    return sent_message.was_requested and not sent_message.is_edit and is_in_place


def _message_nonce(message: OutboxMessage) -> str:
    """Return the nonce of a message, the same for each attempt. Discord creates only one message for a nonce.

    The time in it distinguishes a message that is wanted again, and one of a new database.
    """
    return f"{message.mark}-{message.wanted_at}"
