"""`/galley orders`, `standing`: what a captain wants done."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction

from bot.commands.family import Family


class OrderCommands(Family):
    """Orders without the panel."""

    names: ClassVar = ("orders", "standing")

    async def _orders(self, interaction: Interaction[Any], game: str | None = None, text: str | None = None) -> None:
        number = await self.number(interaction, game)
        if text and (await self.table.type(interaction.user.id, text, number)).answer:
            await self.say(interaction, "say.carried_out")
            return
        await self.presses.show_orders(interaction, number)

    async def _standing(self, interaction: Interaction[Any], text: str, game: str | None = None) -> None:
        number = await self.number(interaction, game)
        await self.table.type(interaction.user.id, text, number)
        await self.say(interaction, "say.standing_set")
        await self.presses.show_orders(interaction, number)
