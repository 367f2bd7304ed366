"""Orders typed in direct messages: which request they answer, and how the bot replies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache, partial
from typing import Any, Final

import discord
from discord import Interaction
from msgspec import Struct

from bot import logs
from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.ids import CustomId
from bot.discord.interactions.answering import InteractionResponder
from bot.discord.interactions.order import PanelInteractions
from bot.discord.interactions.responses import acknowledge, answer_privately, user_language
from bot.discord.interactions.typed import MAX_TYPED_CHARS, TypedOrderInteractions
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages import captain
from bot.discord.messages.board import LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.quoting import (
    GAME_NUMBER_PATTERN,
    correction_blocks,
    excerpt_around,
    game_choice_blocks,
    quoted_text,
)
from bot.discord.messages.rules import with_rule_buttons
from bot.discord.messages.welcome import help_page, welcome_buttons
from bot.errors import Refusal
from bot.lifecycle.outbox.enqueue import panel_subject
from bot.presenters import panel as panel_presenter
from bot.presenters.asked import PendingRequest
from bot.presenters.wording import game_localizer, game_title
from bot.services import meaning
from bot.services.access import AccessControl, Requester
from bot.services.table import Services
from bot.texts.i18n import Catalogue, Localizer, language_for_locale, languages
from bot.texts.style import Markup
from rules.core.errors import OrderError
from rules.interface.typed import strip_sentence_ends

log = logging.getLogger(__name__)

MAX_EDIT_REPORT_DELAY_S: Final = 300
"""Seconds after an edit in which Discord reports it; later reports are about other changes, such as a pin."""
MAX_EDITS: Final = 1000
MAX_MESSAGES_SEARCHED: Final = 20


class ParsedMessage(Struct):
    text: str  # without the number of the game
    game_id: int | None = None  # that the user wrote as `#12`; None if they wrote none
    replied_game_id: int | None = None  # of the game that the reply is about
    requests: tuple[PendingRequest, ...] = ()  # requests that the text may be meant for
    refused_piece: str | None = None  # the piece of the text that is refused, or None
    is_idle: bool = False  # whether the user has no open request


class DirectMessageOrders:
    """Takes direct messages as typed orders: `A1 FFX; A2 FFF`, or `#12 A1 FFX` if several games are possible."""

    def __init__(
        self,
        services: Services,
        responder: InteractionResponder,
        access: AccessControl,
        panel_interactions: PanelInteractions,
        typed_order_interactions: TypedOrderInteractions,
    ) -> None:
        self._services = services
        self._responder = responder
        self._access = access
        self._panel_interactions = panel_interactions
        self._typed_order_interactions = typed_order_interactions
        self._started_at = services.now()
        self._edits: dict[int, tuple[datetime, str]] = {}
        """Maps the id of a message to the time and text of its last edit that was handled."""

    async def handle_edit(self, message: discord.Message) -> None:
        """Handle the new text of an edited direct message.

        Discord reports other changes of a message, such as link previews and pins, in the same way.
        """
        edited_at = message.edited_at
        if edited_at is None or self._services.now() - edited_at.timestamp() >= MAX_EDIT_REPORT_DELAY_S:
            return
        if edited_at.timestamp() < self._started_at:
            return  # the bot that ran before the start has handled it
        edit = (edited_at, message.content)
        if self._edits.get(message.id) != edit:
            self._edits[message.id] = edit
            if len(self._edits) > MAX_EDITS:
                del self._edits[next(iter(self._edits))]
            await self.handle_direct_message(message)

    async def handle_direct_message(self, message: discord.Message) -> None:
        """Handle a direct message. The panel is posted again below it; a reply adds only what the panel cannot say."""
        user_id = message.author.id
        player = await self._services.reader.players.find_player(user_id)
        localizer = Localizer(Catalogue.load(language_for_locale(player.language if player else "")))
        typed = _parse_message(message.content)

        async def put_into_draft() -> None:
            self._services.denials.refuse_denied(user_id)
            if reply := await self._type_into_draft(typed, message, localizer):
                await self._send_reply(message, typed, reply)

        async def reply_with_reason(text: Markup, rules: Sequence[str]) -> None:
            blocks = with_rule_buttons(localizer, _remedy_blocks(typed, localizer), rules, typed.replied_game_id or 0)
            await self._send_reply(message, typed, lay_out_message([text, *blocks]))

        hint = partial(self._format_examples, localizer, typed)
        with logs.bind_values(interaction=message.id, user=user_id), self._services.asked_by(user_id):
            await self._responder.run_and_report(
                "direct message", lambda: localizer, put_into_draft(), reply_with_reason, hint=hint
            )

    async def _type_into_draft(
        self, typed: ParsedMessage, message: discord.Message, localizer: Localizer
    ) -> RenderedMessage | None:
        """Put the text into the draft that it belongs to. Return what to reply in addition to the panel, or None.

        Raises `Refusal` or `OrderError`, also if the text may answer requests of several games. What the reply to a
        refusal needs is noted in `typed`.
        """
        user = message.author.id
        if not typed.text:
            raise Refusal("empty")
        if strip_sentence_ends(typed.text.lstrip("/").casefold()) in _help_words():
            return help_page(localizer.catalogue.language, await self._open_question_examples(user, localizer, typed))
        if len(typed.text) > MAX_TYPED_CHARS:
            raise Refusal("too_long", most=MAX_TYPED_CHARS)
        if typed.game_id is not None:
            typed.replied_game_id = (await self._access.require_visible(Requester(user_id=user), typed.game_id)).id
        try:
            interpretation = await meaning.interpret_text(
                self._services.reader, self._services.orders, user, typed.text, typed.game_id
            )
        except Refusal as refusal:
            typed.is_idle = refusal.key == "nothing_asked"
            if refusal.key == "game_over" and typed.replied_game_id is not None:
                return await self._lay_out_end(typed.replied_game_id, user, localizer)
            raise
        typed.requests, typed.replied_game_id = interpretation.requests, interpretation.requests[0].row.game_id
        if len(interpretation.requests) > 1:
            raise Refusal("which_game")
        below = message.edited_at is None or await self._check_edit(interpretation.requests[0], message, localizer)
        try:
            if interpretation.refusal:
                raise interpretation.refusal
            answered = await self._services.orders.type_text(interpretation.requests[0], typed.text, below=below)
        except OrderError as refusal:
            typed.refused_piece = refusal.fault.piece
            raise
        return await self._lay_out_result(
            await self._panel_interactions.panel_display.let_outbox_show(answered), user, localizer.catalogue.language
        )

    async def _check_edit(self, request: PendingRequest, message: discord.Message, localizer: Localizer) -> bool:
        """Return whether to post the panel again, because none is shown or it stands above the edited message.

        Raises `Refusal` if the orders are sealed or the message is older than the request.
        """
        panel = await self._services.reader.messages.panel_message(request)
        panel_shown = panel if panel and panel.message_id else None
        if request.row.status == "sealed":
            if panel_shown:
                way_to_panel = localizer.say("say.panel_link", link=captain.panel_link(panel_shown))
            else:
                way_to_panel = localizer.style.command_text("galley orders")
            raise Refusal("edited_sealed", panel=way_to_panel)
        # `asked_at` is in whole seconds: a message of the same second may be older.
        if message.created_at.timestamp() < request.row.asked_at + 1:
            raise Refusal("edited_late")
        return panel_shown is None or (panel_shown.message_id or 0) < message.id

    @handles_verb("meant")
    async def _type_into_chosen_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        text = quoted_text(interaction.message)
        if interaction.guild_id is not None or not text:
            raise Refusal("stale")  # ids can be forged: a public message quotes no typed text and must not be deleted
        await acknowledge(interaction)
        request = await self._panel_interactions.find_request(interaction, ref)
        async with self._typed_order_interactions.offer_correction(interaction, request, text):
            request = await self._services.orders.type_text(request, text, below=True)
        result = await self._lay_out_result(
            await self._panel_interactions.panel_display.let_outbox_show(request),
            interaction.user.id,
            user_language(interaction),
        )
        if result:
            await answer_privately(interaction, result)
        if interaction.message:
            channel_id, message_id = interaction.message.channel.id, interaction.message.id
            await self._services.orders.note_direct_reply(
                interaction.user.id, request.row.game_id, channel_id=channel_id, message_id=message_id, over=True
            )

    async def _open_question_examples(self, user: int, localizer: Localizer, typed: ParsedMessage) -> list[str]:
        """Return what may be typed now, in the game whose number was written or in all that ask."""
        examples: list[str] = []
        games = await self._services.reader.requests.games_asking(user) if typed.game_id is None else [typed.game_id]
        for game_id in games:
            with suppress(Refusal):  # the game has gone on meanwhile
                request = await self._services.reader.requests.pending_request(user, game_id)
                localizer_of_game = game_localizer(request.seated_game, localizer.catalogue.language)
                example = await self._typed_order_interactions.answer_example(localizer_of_game, request)
                examples.append(f"-# {game_title(localizer_of_game, request.seated_game)} · {example}")
        return examples

    async def _lay_out_result(self, request: PendingRequest, user: int, language: str) -> RenderedMessage | None:
        """Return a message with the result of an order that was carried out at once; None if the panel shows it."""
        if request.answer is None:
            return None
        game_id = request.row.game_id
        with suppress(Refusal):
            next_request = await self._services.reader.requests.pending_request(user, game_id)
            if panel_subject(next_request.row).key == panel_subject(request.row).key:
                return None
        seated_game, facts, closing = await self._services.reader.rounds.read_ended(game_id, user)
        localizer = game_localizer(seated_game, language)
        final = panel_presenter.final_text(localizer, facts, closing)
        return lay_out_message(
            ["\n".join([*final.lines, *final.story_lines, localizer.say("say.carried_out", text=request.answer.body)])]
        )

    async def _lay_out_end(self, game_id: int, user: int, localizer: Localizer) -> RenderedMessage:
        seated_game, facts, closing = await self._services.reader.rounds.read_ended(game_id, user)
        localizer_of_game = game_localizer(seated_game, localizer.catalogue.language)
        title = f"-# {game_title(localizer_of_game, seated_game)}"
        result_lines = panel_presenter.final_text(localizer_of_game, facts, closing).lines
        return lay_out_message(["\n".join([title, localizer_of_game.say("refuse.game_over"), *result_lines])])

    async def _send_reply(self, message: discord.Message, typed: ParsedMessage, reply_message: RenderedMessage) -> None:
        """Reply to a message, or post without reference if it was deleted; edit the earlier reply to an edited message.

        The reply stays until the next question or text.
        """
        reference = message.to_reference(fail_if_not_exists=False)
        try:
            earlier_reply = await _reply_to(message) if message.edited_at else None
            if earlier_reply:
                await earlier_reply.edit(**reply_message.edit_arguments())
                return
            reply = await message.channel.send(reference=reference, **reply_message.send_arguments())
        except REQUEST_ERRORS as error:
            refusal = self._responder.refusals.parse_refusal(error)
            log.warning("answer did not arrive", extra={"why": str(refusal), "code": refusal.code})
            return
        games = [typed.replied_game_id, *(request.row.game_id for request in typed.requests)]
        for game_id in dict.fromkeys(games):
            if game_id is not None:
                await self._services.orders.note_direct_reply(
                    message.author.id, game_id, channel_id=reply.channel.id, message_id=reply.id
                )

    async def _format_examples(self, localizer: Localizer, typed: ParsedMessage) -> str:
        examples = [
            await self._typed_order_interactions.answer_example(
                game_localizer(request.seated_game, localizer.catalogue.language), request
            )
            for request in typed.requests
        ]
        if not examples:
            return ""
        way_to_help = localizer.say("say.write_help", word=localizer.say("command_name.help"))
        lines = dict.fromkeys([*examples, way_to_help])  # each only once
        return "".join(f"\n-# {line}" for line in lines)


async def _reply_to(message: discord.Message) -> discord.Message | None:
    """Return the bot's earlier reply to an edited message, or None if it is not found nearby."""
    async for later in message.channel.history(limit=MAX_MESSAGES_SEARCHED, after=message, oldest_first=True):
        if later.author != message.author and later.reference and later.reference.message_id == message.id:
            return later
    return None


@cache
def _help_words() -> frozenset[str]:
    """Return the words that ask for help in any language: the command's name, alone or after its group."""
    catalogues = [Catalogue.load(language) for language in languages()]
    help_words = {"?"}
    for catalogue in catalogues:
        group_name, help_name = catalogue.say("command_name.galley"), catalogue.say("command_name.help")
        help_words |= {help_name, f"{group_name} {help_name}"}
    return frozenset(help_words)


def _remedy_blocks(typed: ParsedMessage, localizer: Localizer) -> list[LayoutBlock]:
    """Return what to show below a refusal: other things to do, buttons to choose the game, or a form to correct."""
    if typed.is_idle:
        return [f"-# {localizer.say('say.ways_on')}", welcome_buttons(localizer)]
    if len(typed.requests) > 1:
        # A text answers only a request that was open when it was written.
        refs = [CustomId(verb="meant", game=request.row.game_id, request=request.row.id) for request in typed.requests]
        return game_choice_blocks(
            localizer, zip((request.seated_game for request in typed.requests), refs, strict=True), typed.text
        )
    if typed.refused_piece is None:
        return []
    (request,) = typed.requests
    return [
        f"-# {game_title(localizer, request.seated_game)}",
        *correction_blocks(localizer, request.row, excerpt_around(typed.text, typed.refused_piece)),
    ]


def _parse_message(content: str) -> ParsedMessage:
    text = content.strip()
    game_number = GAME_NUMBER_PATTERN.match(text)
    if game_number is None:
        return ParsedMessage(text)
    return ParsedMessage(text[game_number.end() :], int(game_number[1]))
