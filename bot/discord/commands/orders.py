"""`/galley orders`, `standing`: a captain's orders and standing orders."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, make_suggestion, set_autocomplete
from bot.discord.interactions.responses import user_language
from bot.discord.limits import MAX_CHOICE_CHARS, MAX_CHOICES
from bot.errors import JobOutdated, Refusal
from bot.jobs.values import PictureStyle


class OrderCommands(CommandFamily):
    names: ClassVar = ("orders", "standing")

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        commands = super().commands()
        set_autocomplete(commands["orders"], "text", self._suggest_orders)
        return commands

    async def _orders(self, interaction: Interaction[Any], game: str | None = None, text: str | None = None) -> None:
        if text:
            game_id = await self.find_game_for_text(interaction, game, text)
        else:
            game_id = await self.find_game(interaction, game)
        self.services.admit()
        if text:
            request = await self.router.typed_order_interactions.type_into_draft(interaction, text, game_id)
            if request.answer:  # the text was carried out at once
                await self.say(interaction, "say.carried_out", text=request.answer.body)
                return
        await self.router.panel_interactions.show_current(interaction, game_id)

    async def _suggest_orders(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        try:
            game_id = await self.find_game(interaction, getattr(interaction.namespace, "game", None))
            request = await self.services.reader.requests.pending_request(interaction.user.id, game_id)
        except Refusal:
            return []  # the command itself shows the refusal
        style = PictureStyle(system=request.seated_game.game.system, language=user_language(interaction), names={})
        try:
            with self.services.asked_by(interaction.user.id):
                suggestions = await self.services.orders.suggest_orders(request, typed, style, most=MAX_CHOICES)
        except JobOutdated:
            return []  # the user has typed on, so nobody would see them
        return [make_suggestion(label, text) for label, text in suggestions if len(text) <= MAX_CHOICE_CHARS]

    async def _standing(self, interaction: Interaction[Any], text: str | None = None, game: str | None = None) -> None:
        if not text:  # the panel lists the standing orders
            await self.router.panel_interactions.show_current(interaction, await self.find_game(interaction, game))
            return
        game_id = await self.find_game_for_text(interaction, game, text)
        self.services.admit()
        await self.router.typed_order_interactions.type_into_draft(interaction, text, game_id)
        await self.say(interaction, "say.standing_set")
        await self.router.panel_interactions.show_current(interaction, game_id)
