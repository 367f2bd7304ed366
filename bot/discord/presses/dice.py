"""The form in which captains add their words to the dice."""

from __future__ import annotations

from typing import Any

from discord import Interaction, ui

from bot.discord.ids import Ref
from bot.discord.presses.interactions import acknowledge, answer, form_text, language_of, open_form
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.life.playing import refuse_unless_lobby
from bot.telling.lobby import dice_words
from bot.telling.wording import words_of
from bot.words.i18n import Words
from rules import fairness


class DiceWords:
    """Takes captains' words while a lobby is open."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @verb("word")
    async def _ask(self, interaction: Interaction[Any], ref: Ref) -> None:
        playing = await self._table.reader.playing(ref.game)
        refuse_unless_lobby(playing.game)
        seat = playing.own_seat(interaction.user.id)
        await open_form(interaction, _WordForm(words_of(playing, language_of(interaction)), ref, seat.word))

    @verb("word_sent")
    async def _take(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        text = form_text(interaction)
        playing = await self._table.lobbies.add_word(interaction.user.id, ref.game, text, words_seen=ref.request)
        words = words_of(playing, language_of(interaction))
        if text.split():
            await answer(interaction, words.say("say.word_added", words=dice_words(words, playing)))
        else:
            await answer(interaction, words.say("say.word_taken_back"))


class _WordForm(ui.Modal):
    """A form for one word. What it sends is handled by its custom id, so that a restart loses nothing."""

    def __init__(self, words: Words, ref: Ref, word: str | None) -> None:
        sent = Ref(verb="word_sent", game=ref.game, request=ref.request)
        super().__init__(title=words.say("button.add_word")[:45], custom_id=sent.pack(), timeout=3600)
        text: ui.TextInput[_WordForm] = ui.TextInput(
            custom_id="text", default=word, max_length=fairness.WORD_MOST, required=False
        )
        description = words.say("dice.form_hint")[:100]
        self.add_item(ui.Label(text=words.say("dice.form_label")[:45], description=description, component=text))
