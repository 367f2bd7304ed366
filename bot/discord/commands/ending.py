"""`/galley concede`, `draw`: how captains end a game before its time."""

from __future__ import annotations

from typing import Any, ClassVar

import discord
from discord import Interaction

from bot.discord.commands.family import Family
from bot.discord.ids import Ref
from bot.discord.messages.board import Button, lay_out
from bot.discord.presses.interactions import answer, language_of
from bot.life.playing import seated
from bot.telling.wording import called, words_of


class EndingCommands(Family):
    """Giving up, and agreeing."""

    names: ClassVar = ("concede", "draw")

    async def _concede(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number(interaction, game)
        playing = await self.table.reader.playing(number)
        seated(playing, interaction.user.id)
        words = words_of(playing, language_of(interaction))
        button = Button(
            label=words.say("button.concede"), ref=Ref(verb="concede", game=number), style=discord.ButtonStyle.danger
        )
        await answer(interaction, lay_out([f"### {called(words, playing)}\n{words.say('say.concede_sure')}", [button]]))

    async def _draw(self, interaction: Interaction[Any], game: str | None = None) -> None:
        agreed = await self.table.offer_draw(interaction.user.id, await self.number(interaction, game))
        await self.say(interaction, "say.draw_agreed" if agreed else "say.draw_offered")
