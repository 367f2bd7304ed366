"""Rows of the outbox, and the facts that their messages show."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct

from bot.errors import Refusal
from bot.lifecycle.outbox.enqueue import panel_subject
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import acts, lobby, notices, panel, story
from bot.presenters.asked import PendingRequest
from bot.presenters.readers.context import ReadContext, SubjectReader
from bot.presenters.source import GameSource
from bot.store.models.records import OutboxMessage
from bot.store.models.subjects import StepSubject


class MessageFacts(Struct, frozen=True, kw_only=True):
    facts: object = None  # data that an outbox message shows; None: nothing to show
    error: Exception | None = None  # why the data could not be read; None: it was read


class MessageBatch(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    facts: Mapping[int, MessageFacts]  # by the message's id in the outbox


class MessageReader(SubjectReader):
    def __init__(self, context: ReadContext) -> None:
        super().__init__(context)
        self._readers_by_kind: dict[str, Callable[[GameSource, OutboxMessage], Awaitable[object]]] = {
            "lobby": lambda source, message: lobby.read_lobby(source, message, context.now()),
            "begin": lambda source, _: story.read_start(source),
            "step": story.read_step,
            "seals": story.read_seals,
            "chain": _read_seated_game,
            "panel": panel.read_panel,
            "draw": notices.read_draw_offer,
            "invite": notices.read_invitation,
            "dms": _read_seated_game,
            "lacking": acts.read_muted,
            "muted": acts.read_muted,
            "homeless": _read_seated_game,
            "exiled": _read_seated_game,
            "deleted": _read_seated_game,
            "announcement": _read_seated_game,
            "act": acts.read_log_entry,
            "note": acts.read_log_entry,
            "counted": panel.read_counted_draft,
            "void": panel.read_void_answer,
            "proposal": acts.read_time_request,
            "remind": lambda source, message: notices.read_reminder(source, message, context.now()),
            "standing": notices.read_standing_orders,
        }

    async def read_batch(self, messages: Sequence[OutboxMessage]) -> MessageBatch:
        async with self._context.open_game(messages[0].game_id) as source:
            facts = {message.id: await self._read_facts(source, message) for message in messages}
            return MessageBatch(seated_game=source.seated_game, facts=facts)

    async def _read_facts(self, source: GameSource, message: OutboxMessage) -> MessageFacts:
        try:
            return MessageFacts(facts=await self._readers_by_kind[message.kind](source, message))
        except Exception as error:  # noqa: BLE001 - one broken message must not stop the others
            return MessageFacts(error=error)

    async def find_message(self, game_id: int, key: str) -> OutboxMessage | None:
        async with self._context.store.read() as tx:
            return await tx.messages.find(game_id, key)

    async def panel_message(self, request: PendingRequest) -> OutboxMessage | None:
        """Return the message in which a captain was asked, even if it is about another question by now."""
        async with self._context.store.read() as tx:
            if request.panel_message:
                message = await tx.messages.find_by_id(request.panel_message.id)
                if message:
                    return message
            return await tx.messages.find(request.row.game_id, panel_subject(request.row).key)

    async def game_of_message(self, mark: int, message_id: int) -> int | None:
        """Return the id of the game of the outbox row with this mark (`OutboxMessage.mark`) and Discord message."""
        async with self._context.store.read() as tx:
            return await tx.messages.game_of_message(mark, message_id)

    async def is_known(self, mark: int) -> bool:
        """Return whether any row of the outbox has this mark. A restored backup lacks those of later messages."""
        async with self._context.store.read() as tx:
            return await tx.messages.is_known(mark)

    async def last_step_of_message(self, game_id: int, mark: int) -> int:
        """Return the last step that the message with this mark tells of. Raises `Refusal` if it tells of none."""
        async with self._context.store.read() as tx:
            message = next((row for row in await tx.messages.of_game(game_id) if row.mark == mark), None)
        if message is None or message.kind != "step":
            raise Refusal("not_started")
        return message.subject_as(StepSubject).last

    async def messages_to_delete(self, user_id: int) -> set[int]:
        async with self._context.store.read() as tx:
            return await tx.removals.message_ids_of_user(user_id)


async def _read_seated_game(source: GameSource, message: OutboxMessage) -> SeatedGame:  # noqa: ARG001 - as all readers
    return source.seated_game
