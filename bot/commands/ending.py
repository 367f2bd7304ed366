"""`/galley concede`, `draw`: how captains end a game before its time."""

from __future__ import annotations

from typing import Any, ClassVar

import discord
from discord import Interaction

from bot.commands.family import Family
from bot.i18n import Catalogue, Words
from bot.ids import Ref
from bot.panels.answering import answer, language_of
from bot.panels.board import Button, lay_out
from bot.playing import seated


class EndingCommands(Family):
    """Giving up, and agreeing."""

    names: ClassVar = ("concede", "draw")

    async def _concede(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number(interaction, game)
        seated(await self.table.playing(number), interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        button = Button(
            label=words.say("button.concede"), ref=Ref(verb="concede", game=number), style=discord.ButtonStyle.danger
        )
        await answer(interaction, lay_out([words.say("say.concede_sure"), [button]]))

    async def _draw(self, interaction: Interaction[Any], game: str | None = None) -> None:
        agreed = await self.table.offer_draw(interaction.user.id, await self.number(interaction, game))
        await self.say(interaction, "say.draw_agreed" if agreed else "say.draw_offered")
