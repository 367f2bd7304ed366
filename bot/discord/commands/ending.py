"""`/galley concede`, `draw`: how captains end a game before its time."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction

from bot.discord.commands.family import CommandFamily
from bot.discord.interactions.responses import answer_privately, user_language
from bot.discord.messages.ending import confirm_concession
from bot.presenters.wording import game_localizer


class EndingCommands(CommandFamily):
    names: ClassVar = ("concede", "draw")

    async def _concede(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game(interaction, game)
        terms = await self.services.reader.games.concession_terms(game_id, interaction.user.id)
        localizer = game_localizer(terms.seated_game, user_language(interaction))
        await answer_privately(interaction, confirm_concession(localizer, terms))

    async def _draw(self, interaction: Interaction[Any], game: str | None = None) -> None:
        agreed = await self.services.offer_draw(interaction.user.id, await self.find_game(interaction, game))
        await self.say(interaction, "say.draw_agreed" if agreed else "say.draw_offered")
