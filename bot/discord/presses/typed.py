"""Orders that are typed: the form in which a captain types them, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import discord
from discord import Interaction, ui

from bot.discord.ids import CustomId
from bot.discord.messages.choosing import label_localizer
from bot.discord.messages.quoting import GAME_NUMBER_PATTERN, correction_blocks, quoted_text
from bot.discord.presses.interactions import (
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
from bot.discord.presses.order import PanelInteractions
from bot.discord.presses.verbs import handles_verb
from bot.discord.sending.refusals import REQUEST_ERRORS
from bot.doors.table import Services
from bot.errors import Refusal
from bot.telling.asked import PendingRequest
from bot.telling.wording import game_localizer
from bot.words.i18n import Localizer
from bot.words.style import Markup
from rules.errors import OrderError

MAX_TYPED_CHARS: Final = 1000
"""Characters of typed orders; a form takes no more, and longer messages are refused."""


class TypedOrderInteractions:
    """Puts typed text into drafts."""

    def __init__(self, table: Services, ordering: PanelInteractions) -> None:
        self._orders = table.orders
        self._reader = table.reader
        self._ordering = ordering
        self._panels = ordering.panels

    async def typed(self, interaction: Interaction[Any], text: str, game_id: int) -> PendingRequest:
        """Put typed text into a draft whose panel is elsewhere: the outbox shows there what has come of it.

        Raises `Refusal` or `OrderError`; the draft is then as it was.
        """
        asked = await self._reader.asked(interaction.user.id, game_id, required_request(interaction))
        if len(text) > MAX_TYPED_CHARS:
            return await self._panels.leave_to_outbox(await self._orders.type(asked, text))
        with self.correctable(interaction, asked, text):
            return await self._panels.leave_to_outbox(await self._orders.type(asked, text))

    @contextmanager
    def correctable(self, interaction: Interaction[Any], asked: PendingRequest, text: str) -> Iterator[None]:
        """If the text is refused, offer to correct it."""
        try:
            yield
        except OrderError:
            words = game_localizer(asked.playing, user_language(interaction))
            private = interaction.guild_id is not None and is_private(interaction)
            add_to_refusal(interaction, *correction_blocks(words, asked.row, text, back=private))
            raise

    async def example(self, words: Localizer, asked: PendingRequest) -> Markup:
        """How to write what somebody is asked, with ships of their own."""
        return words.say(f"example.{asked.row.body.kind}", **await self._reader.example(asked))

    @handles_verb("type")
    async def _type(self, interaction: Interaction[Any], ref: CustomId) -> None:
        asked = await self._ordering.find_or_lead(interaction, ref)
        words = label_localizer(game_localizer(asked.playing, user_language(interaction)))
        text = words.catalogue.spelt(asked.row.draft)
        await open_form(interaction, await self._form(words, ref, asked, text))

    @handles_verb("correct")
    async def _correct(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Open the form with what was typed and refused."""
        asked = await self._ordering.find_or_lead(interaction, ref)
        words = label_localizer(game_localizer(asked.playing, user_language(interaction)))
        text = await _read_quoted_text(interaction)
        await open_form(interaction, await self._form(words, ref, asked, text))

    async def _form(self, words: Localizer, ref: CustomId, asked: PendingRequest, text: str) -> TypeForm:
        """The form with some text in it."""
        return TypeForm(words, ref, asked.row.body.kind, text, await self.example(words, asked))

    @handles_verb("typed")
    async def _typed(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        asked, text = await self._ordering.find_or_lead(interaction, ref), form_text(interaction)
        if not text.strip():
            raise Refusal("empty")
        hangs_on = interaction.message
        # Below a refusal in direct messages the panel is posted again, and the refusal goes.
        below = interaction.guild_id is None and bool(quoted_text(hangs_on))
        # Elsewhere a panel and what is refused of it take turns in one message: of two one would soon be old.
        if quoted_text(hangs_on) or (interaction.guild_id is not None and is_private(interaction)):
            refuse_in_place(interaction)
        with self.correctable(interaction, asked, text):
            asked = await self._orders.type(asked, text, shown=not below, below=below)
        if below:
            await self._panels.leave_to_outbox(asked)
            if is_private(interaction):
                await delete_response(interaction)
        elif hangs_on is None:
            await self._panels.answer(interaction, asked)
        else:
            await self._panels.show_result(interaction, asked)


async def _read_quoted_text(interaction: Interaction[Any]) -> str:
    """Return what somebody wrote to which a message of ours answers: whole, or as far as it is quoted there."""
    message = interaction.message
    quoted, reference = quoted_text(message), message.reference if message else None
    if message and reference and reference.message_id and quoted.strip("…") != quoted:  # it was cut
        try:
            original = await message.channel.fetch_message(reference.message_id)
        except REQUEST_ERRORS as error:  # they have deleted it since
            interaction.client.refusals.read(error)
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
