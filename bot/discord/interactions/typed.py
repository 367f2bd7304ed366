"""Orders that are typed: the form in which a captain types them, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import discord
from discord import Interaction, ui

from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.ids import CustomId
from bot.discord.interactions.order import PanelInteractions
from bot.discord.interactions.responses import (
    acknowledge,
    add_to_refusal,
    delete_response,
    form_text,
    is_private,
    open_form,
    refuse_in_place,
    required_request,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages.choosing import label_localizer
from bot.discord.messages.quoting import GAME_NUMBER_PATTERN, correction_blocks, quoted_text
from bot.errors import Refusal
from bot.presenters.asked import PendingRequest
from bot.presenters.wording import game_localizer
from bot.services.table import Services
from bot.texts.i18n import Localizer
from bot.texts.style import Markup
from rules.core.errors import OrderError

MAX_TYPED_CHARS: Final = 1000
"""Characters of typed orders; a form takes no more, and longer messages are refused."""


class TypedOrderInteractions:
    """Puts typed text into drafts."""

    def __init__(self, table: Services, ordering: PanelInteractions) -> None:
        self._order_service = table.orders
        self._reader = table.reader
        self._panel_interactions = ordering
        self._panel_display = ordering.panel_display

    async def type_into_draft(self, interaction: Interaction[Any], text: str, game_id: int) -> PendingRequest:
        """Put typed text into a draft whose panel is elsewhere: the outbox shows there what has come of it.

        Raises `Refusal` or `OrderError`; the draft is then as it was.
        """
        asked = await self._reader.pending_request(interaction.user.id, game_id, required_request(interaction))
        if len(text) > MAX_TYPED_CHARS:
            return await self._panel_display.let_outbox_show(await self._order_service.type_text(asked, text))
        with self.offer_correction(interaction, asked, text):
            return await self._panel_display.let_outbox_show(await self._order_service.type_text(asked, text))

    @contextmanager
    def offer_correction(self, interaction: Interaction[Any], asked: PendingRequest, text: str) -> Iterator[None]:
        """If the text is refused, offer to correct it."""
        try:
            yield
        except OrderError:
            words = game_localizer(asked.seated_game, user_language(interaction))
            private = interaction.guild_id is not None and is_private(interaction)
            add_to_refusal(interaction, *correction_blocks(words, asked.row, text, back=private))
            raise

    async def answer_example(self, words: Localizer, asked: PendingRequest) -> Markup:
        """How to write what somebody is asked, with ships of their own."""
        return words.say(f"example.{asked.row.body.kind}", **await self._reader.answer_example(asked))

    @handles_verb("type")
    async def _type(self, interaction: Interaction[Any], ref: CustomId) -> None:
        asked = await self._panel_interactions.find_or_redirect(interaction, ref)
        words = label_localizer(game_localizer(asked.seated_game, user_language(interaction)))
        text = words.catalogue.localise_orders(asked.row.draft)
        await open_form(interaction, await self._make_form(words, ref, asked, text))

    @handles_verb("correct")
    async def _correct(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Open the form with what was typed and refused."""
        asked = await self._panel_interactions.find_or_redirect(interaction, ref)
        words = label_localizer(game_localizer(asked.seated_game, user_language(interaction)))
        text = await _read_quoted_text(interaction)
        await open_form(interaction, await self._make_form(words, ref, asked, text))

    async def _make_form(self, words: Localizer, ref: CustomId, asked: PendingRequest, text: str) -> TypeForm:
        """The form with some text in it."""
        return TypeForm(words, ref, asked.row.body.kind, text, await self.answer_example(words, asked))

    @handles_verb("typed")
    async def _typed(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        asked, text = await self._panel_interactions.find_or_redirect(interaction, ref), form_text(interaction)
        if not text.strip():
            raise Refusal("empty")
        hangs_on = interaction.message
        # Below a refusal in direct messages the panel is posted again, and the refusal goes.
        below = interaction.guild_id is None and bool(quoted_text(hangs_on))
        # Elsewhere a panel and what is refused of it take turns in one message: of two one would soon be old.
        if quoted_text(hangs_on) or (interaction.guild_id is not None and is_private(interaction)):
            refuse_in_place(interaction)
        with self.offer_correction(interaction, asked, text):
            asked = await self._order_service.type_text(asked, text, shown=not below, below=below)
        if below:
            await self._panel_display.let_outbox_show(asked)
            if is_private(interaction):
                await delete_response(interaction)
        elif hangs_on is None:
            await self._panel_display.answer_with_panel(interaction, asked)
        else:
            await self._panel_display.show_result(interaction, asked)


async def _read_quoted_text(interaction: Interaction[Any]) -> str:
    """Return what somebody wrote to which a message of ours answers: whole, or as far as it is quoted there."""
    message = interaction.message
    quoted, reference = quoted_text(message), message.reference if message else None
    if message and reference and reference.message_id and quoted.strip("…") != quoted:  # it was cut
        try:
            original = await message.channel.fetch_message(reference.message_id)
        except REQUEST_ERRORS as error:  # they have deleted it since
            interaction.client.refusals.parse_refusal(error)
        else:
            return GAME_NUMBER_PATTERN.sub("", original.content.strip(), count=1)
    return quoted


class TypeForm(ui.Modal):
    """A form for a typed answer to some kind of question, named in its label.

    What it sends is handled by its custom id, so that a restart loses nothing.
    """

    def __init__(self, words: Localizer, ref: CustomId, kind: str, text: str, example: str) -> None:
        sent = CustomId(verb="typed", game=ref.game, request=ref.request, version=ref.version)
        super().__init__(title=words.say("panel.type_title")[:45], custom_id=sent.pack(), timeout=3600)
        field: ui.TextInput[TypeForm] = ui.TextInput(
            custom_id="text",
            style=discord.TextStyle.paragraph,
            default=text[:MAX_TYPED_CHARS] or None,
            max_length=MAX_TYPED_CHARS,
            required=False,
        )
        own = f"panel.type_label.{kind}"
        label = words.say(own if words.catalogue.has(own) else "panel.type_label")[:45]
        self.add_item(ui.Label(text=label, description=example[:100], component=field))
