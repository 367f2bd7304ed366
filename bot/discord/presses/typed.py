"""Orders that are typed: the form in which a captain types them, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import discord
from discord import Interaction, ui

from bot.discord.ids import Ref
from bot.discord.messages.choosing import labels
from bot.discord.messages.quoting import NUMBERED, correction, typed_in
from bot.discord.presses.interactions import (
    acknowledge,
    form_text,
    in_place,
    is_private,
    language_of,
    offer,
    open_form,
    question_of,
    take_away,
)
from bot.discord.presses.order import Ordering
from bot.discord.presses.verbs import verb
from bot.discord.sending.refusals import FAILURES
from bot.doors.table import Table
from bot.errors import Refusal
from bot.telling.asked import Asked
from bot.telling.wording import words_of
from bot.words.i18n import Words
from bot.words.style import Said
from rules.errors import OrderError

TYPED_MOST: Final = 1000
"""Characters of typed orders; a form takes no more, and longer messages are refused."""


class Typing:
    """Puts typed text into drafts."""

    def __init__(self, table: Table, ordering: Ordering) -> None:
        self._orders = table.orders
        self._reader = table.reader
        self._ordering = ordering
        self._panels = ordering.panels

    async def typed(self, interaction: Interaction[Any], text: str, game_id: int) -> Asked:
        """Put typed text into a draft whose panel is elsewhere: the outbox shows there what has come of it.

        Raises `Refusal` or `OrderError`; the draft is then as it was.
        """
        asked = await self._reader.asked(interaction.user.id, game_id, question_of(interaction))
        if len(text) > TYPED_MOST:
            return await self._panels.leave_to_outbox(await self._orders.type(asked, text))
        with self.correctable(interaction, asked, text):
            return await self._panels.leave_to_outbox(await self._orders.type(asked, text))

    @contextmanager
    def correctable(self, interaction: Interaction[Any], asked: Asked, text: str) -> Iterator[None]:
        """If the text is refused, offer to correct it."""
        try:
            yield
        except OrderError:
            words = words_of(asked.playing, language_of(interaction))
            private = interaction.guild_id is not None and is_private(interaction)
            offer(interaction, *correction(words, asked.row, text, back=private))
            raise

    async def example(self, words: Words, asked: Asked) -> Said:
        """How to write what somebody is asked, with ships of their own."""
        return words.say(f"example.{asked.row.body.kind}", **await self._reader.example(asked))

    @verb("type")
    async def _type(self, interaction: Interaction[Any], ref: Ref) -> None:
        asked = await self._ordering.find_or_lead(interaction, ref)
        words = labels(words_of(asked.playing, language_of(interaction)))
        text = words.catalogue.spelt(asked.row.draft)
        await open_form(interaction, await self._form(words, ref, asked, text))

    @verb("correct")
    async def _correct(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Open the form with what was typed and refused."""
        asked = await self._ordering.find_or_lead(interaction, ref)
        words = labels(words_of(asked.playing, language_of(interaction)))
        text = await _written(interaction)
        await open_form(interaction, await self._form(words, ref, asked, text))

    async def _form(self, words: Words, ref: Ref, asked: Asked, text: str) -> TypeForm:
        """The form with some text in it."""
        return TypeForm(words, ref, asked.row.body.kind, text, await self.example(words, asked))

    @verb("typed")
    async def _typed(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)
        asked, text = await self._ordering.find_or_lead(interaction, ref), form_text(interaction)
        if not text.strip():
            raise Refusal("empty")
        hangs_on = interaction.message
        # Below a refusal in direct messages the panel is posted again, and the refusal goes.
        below = interaction.guild_id is None and bool(typed_in(hangs_on))
        # Elsewhere a panel and what is refused of it take turns in one message: of two one would soon be old.
        if typed_in(hangs_on) or (interaction.guild_id is not None and is_private(interaction)):
            in_place(interaction)
        with self.correctable(interaction, asked, text):
            asked = await self._orders.type(asked, text, shown=not below, below=below)
        if below:
            await self._panels.leave_to_outbox(asked)
            if is_private(interaction):
                await take_away(interaction)
        elif hangs_on is None:
            await self._panels.answer(interaction, asked)
        else:
            await self._panels.show_result(interaction, asked)


async def _written(interaction: Interaction[Any]) -> str:
    """Return what somebody wrote to which a message of ours answers: whole, or as far as it is quoted there."""
    message = interaction.message
    quoted, reference = typed_in(message), message.reference if message else None
    if message and reference and reference.message_id and quoted.strip("…") != quoted:  # it was cut
        try:
            original = await message.channel.fetch_message(reference.message_id)
        except FAILURES as error:  # they have deleted it since
            interaction.client.refusals.read(error)
        else:
            return NUMBERED.sub("", original.content.strip(), count=1)
    return quoted


class TypeForm(ui.Modal):
    """A form for a typed answer to some kind of question, named in its label.

    What it sends is handled by its custom id, so that a restart loses nothing.
    """

    def __init__(self, words: Words, ref: Ref, kind: str, text: str, example: str) -> None:
        sent = Ref(verb="typed", game=ref.game, request=ref.request, version=ref.version)
        super().__init__(title=words.say("panel.type_title")[:45], custom_id=sent.pack(), timeout=3600)
        field: ui.TextInput[TypeForm] = ui.TextInput(
            custom_id="text",
            style=discord.TextStyle.paragraph,
            default=text[:TYPED_MOST] or None,
            max_length=TYPED_MOST,
            required=False,
        )
        own = f"panel.type_label.{kind}"
        label = words.say(own if words.catalogue.has(own) else "panel.type_label")[:45]
        self.add_item(ui.Label(text=label, description=example[:100], component=field))
