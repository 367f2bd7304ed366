"""The forms in which captains add their words to the dice, alone or when they join a game."""

from __future__ import annotations

from typing import Any

from discord import Interaction, ui

from bot.discord.ids import CustomId
from bot.discord.interactions.responses import acknowledge, answer_privately, form_text, open_form, user_language
from bot.discord.interactions.verbs import handles_verb
from bot.discord.limits import MAX_HINT_CHARS, MAX_TITLE_CHARS
from bot.lifecycle.steps.playing import refuse_unless_lobby
from bot.presenters.lobby import dice_word_lines
from bot.presenters.wording import game_localizer
from bot.services.table import Services
from bot.texts.i18n import Localizer
from rules.chance import fairness


class DiceWordInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services

    @handles_verb("word")
    async def _open_word_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        seated_game = await self._services.reader.games.seated_game(ref.game)
        refuse_unless_lobby(seated_game.game)
        seat = seated_game.require_seat(interaction.user.id)
        await open_form(interaction, _WordForm(game_localizer(seated_game, user_language(interaction)), ref, seat.word))

    @handles_verb("word_sent")
    async def _add_word(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        text = form_text(interaction)
        seated_game = await self._services.lobbies.add_word(interaction.user.id, ref.game, text, seen=ref.request)
        localizer = game_localizer(seated_game, user_language(interaction))
        if text.split():
            await answer_privately(
                interaction, localizer.say("say.word_added", words=dice_word_lines(localizer, seated_game))
            )
        else:
            await answer_privately(interaction, localizer.say("say.word_taken_back"))


class JoinForm(ui.Modal):
    """Ask for a word before somebody joins: a host who knows the seed could start the game in the next moment."""

    def __init__(self, localizer: Localizer, custom_id: CustomId) -> None:
        super().__init__(title=localizer.say("button.join")[:MAX_TITLE_CHARS], custom_id=custom_id.pack())
        self.add_item(_word_field(localizer, localizer.say("dice.join_hint")))


class _WordForm(ui.Modal):
    def __init__(self, localizer: Localizer, ref: CustomId, word: str | None) -> None:
        custom_id = CustomId(verb="word_sent", game=ref.game, request=ref.request)
        super().__init__(title=localizer.say("button.add_word")[:MAX_TITLE_CHARS], custom_id=custom_id.pack())
        self.add_item(_word_field(localizer, localizer.say("dice.form_hint"), word))


def _word_field(localizer: Localizer, hint: str, word: str | None = None) -> ui.Label[Any]:
    text: ui.TextInput[Any] = ui.TextInput(
        custom_id="text", default=word, max_length=fairness.MAX_WORD_CHARS, required=False
    )
    label = localizer.say("dice.form_label")[:MAX_TITLE_CHARS]
    return ui.Label(text=label, description=hint[:MAX_HINT_CHARS], component=text)
