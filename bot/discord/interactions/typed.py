"""Typed orders: the form in which a captain types them, and offers to correct refused ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import discord
from discord import Interaction, ui

from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.ids import CustomId
from bot.discord.interactions.order import PanelInteractions
from bot.discord.interactions.responses import (
    acknowledge,
    delete_response,
    form_text,
    is_private,
    open_form,
    state_of,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.limits import MAX_HINT_CHARS, MAX_TITLE_CHARS
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
"""Characters of typed orders in a form or message. Longer messages are refused."""


class TypedOrderInteractions:
    def __init__(self, services: Services, panel_interactions: PanelInteractions) -> None:
        self._order_service = services.orders
        self._reader = services.reader
        self._panel_interactions = panel_interactions
        self._panel_display = panel_interactions.panel_display

    async def type_into_draft(self, interaction: Interaction[Any], text: str, game_id: int) -> PendingRequest:
        """Put typed text into a draft and let the outbox update its panel.

        Raises `Refusal` or `OrderError`; the draft is then unchanged.
        """
        request = await self._reader.requests.pending_request(
            interaction.user.id, game_id, state_of(interaction).request_id
        )
        if len(text) > MAX_TYPED_CHARS:
            return await self._panel_display.let_outbox_show(await self._order_service.type_text(request, text))
        async with self.offer_correction(interaction, request, text):
            return await self._panel_display.let_outbox_show(await self._order_service.type_text(request, text))

    @asynccontextmanager
    async def offer_correction(
        self, interaction: Interaction[Any], request: PendingRequest, text: str
    ) -> AsyncIterator[None]:
        """If the block raises `OrderError`, let the refusal show an example, the text and a button to correct it."""
        try:
            yield
        except OrderError:
            localizer = game_localizer(request.seated_game, user_language(interaction))
            is_private_in_server = interaction.guild_id is not None and is_private(interaction)
            example = f"-# {await self.answer_example(localizer, request)}"
            blocks = correction_blocks(localizer, request.row, text, offers_panel=is_private_in_server)
            state_of(interaction).refusal_blocks = (example, *blocks)
            raise

    async def answer_example(self, localizer: Localizer, request: PendingRequest) -> Markup:
        return localizer.say(f"example.{request.row.body.kind}", **await self._reader.requests.answer_example(request))

    @handles_verb("type")
    async def _open_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        request = await self._panel_interactions.find_or_redirect(interaction, ref)
        localizer = label_localizer(game_localizer(request.seated_game, user_language(interaction)))
        text = localizer.catalogue.localise_orders(request.row.draft)
        await open_form(interaction, await self._make_form(localizer, ref, request, text))

    @handles_verb("correct")
    async def _open_correction_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        request = await self._panel_interactions.find_or_redirect(interaction, ref)
        localizer = label_localizer(game_localizer(request.seated_game, user_language(interaction)))
        text = await _read_quoted_text(interaction)
        await open_form(interaction, await self._make_form(localizer, ref, request, text))

    async def _make_form(self, localizer: Localizer, ref: CustomId, request: PendingRequest, text: str) -> TypeForm:
        return TypeForm(localizer, ref, request.row.body.kind, text, await self.answer_example(localizer, request))

    @handles_verb("typed")
    async def _submit_text(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        request, text = await self._panel_interactions.find_or_redirect(interaction, ref), form_text(interaction)
        if not text.strip():
            raise Refusal("empty")
        pressed = interaction.message
        # In direct messages the panel is posted again below a refusal, and the refusal is deleted.
        below = interaction.guild_id is None and bool(quoted_text(pressed))
        # Elsewhere a panel and its refusal replace each other in one message, because a second message would go stale.
        if quoted_text(pressed) or (interaction.guild_id is not None and is_private(interaction)):
            state_of(interaction).refuses_in_place = True
        async with self.offer_correction(interaction, request, text):
            request = await self._order_service.type_text(request, text, shown_by_caller=not below, below=below)
        if below:
            await self._panel_display.let_outbox_show(request)
            if is_private(interaction):
                await delete_response(interaction)
        elif pressed is None:
            await self._panel_display.answer_with_panel(interaction, request)
        else:
            await self._panel_display.show_result(interaction, request)


async def _read_quoted_text(interaction: Interaction[Any]) -> str:
    """Return the user's text to which the pressed message replies; only the quoted excerpt if it was deleted."""
    message = interaction.message
    quoted = quoted_text(message)
    reference = message.reference if message else None
    is_excerpt = quoted.strip("…") != quoted
    if message and reference and reference.message_id and is_excerpt:
        try:
            original = await message.channel.fetch_message(reference.message_id)
        except REQUEST_ERRORS as error:  # the user may have deleted it
            interaction.client.refusals.parse_refusal(error)
        else:
            return GAME_NUMBER_PATTERN.sub("", original.content.strip(), count=1)
    return quoted


class TypeForm(ui.Modal):
    """A form for a typed answer, with the kind of request in its label.

    It is handled by its custom id, so that it works after a restart.
    """

    def __init__(self, localizer: Localizer, ref: CustomId, kind: str, text: str, example: str) -> None:
        custom_id = CustomId(verb="typed", game=ref.game, request=ref.request, version=ref.version)
        super().__init__(title=localizer.say("panel.type_title")[:MAX_TITLE_CHARS], custom_id=custom_id.pack())
        field: ui.TextInput[TypeForm] = ui.TextInput(
            custom_id="text",
            style=discord.TextStyle.paragraph,
            default=text[:MAX_TYPED_CHARS] or None,
            max_length=MAX_TYPED_CHARS,
            required=False,
        )
        label_key = f"panel.type_label.{kind}"  # a kind of request may have its own label
        if not localizer.catalogue.has(label_key):
            label_key = "panel.type_label"
        label = localizer.say(label_key)[:MAX_TITLE_CHARS]
        self.add_item(ui.Label(text=label, description=example[:MAX_HINT_CHARS], component=field))
