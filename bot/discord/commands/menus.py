"""Context menu entries: challenging a user to a duel, and showing the user's orders in a message's game."""

from __future__ import annotations

from functools import partial
from typing import Any

import discord
from discord import Interaction, app_commands

from bot.discord.commands.family import localized
from bot.discord.commands.lobby import LobbyCommands
from bot.discord.interactions.responses import state_of
from bot.discord.interactions.router import InteractionRouter
from bot.discord.messages.board import outbox_mark_of
from bot.errors import Refusal
from bot.services import options
from bot.services.table import Services


class ContextMenuCommands(LobbyCommands):
    def __init__(self, services: Services, router: InteractionRouter) -> None:
        super().__init__(services, router)
        self.menus = [
            app_commands.ContextMenu(name=localized("command_name.menu.challenge"), callback=self.challenge),
            app_commands.ContextMenu(name=localized("command_name.menu.orders"), callback=self.orders),
        ]

    async def challenge(self, interaction: Interaction[Any], user: discord.User | discord.Member) -> None:
        await self.carry_out(interaction, partial(self._challenge, interaction, user))

    async def orders(self, interaction: Interaction[Any], message: discord.Message) -> None:
        state_of(interaction).command = "orders"
        await self.carry_out(interaction, partial(self._orders, interaction, message))

    async def _challenge(self, interaction: Interaction[Any], user: discord.User | discord.Member) -> None:
        if user.id == interaction.user.id:
            raise Refusal("challenge_self")
        await self._new(interaction, {"opponent": user, "system": options.default_game()})

    async def _orders(self, interaction: Interaction[Any], message: discord.Message) -> None:
        game_id = await self._game_of_message(message)
        game_id = await self.find_game(interaction, None if game_id is None else str(game_id))
        self.services.admit()
        await self.router.panel_interactions.show_current(interaction, game_id)

    async def _game_of_message(self, message: discord.Message) -> int | None:
        """Return the game of a message of this bot, or None if it belongs to none."""
        mark = outbox_mark_of(message)
        if mark is None:
            return None
        return await self.services.reader.messages.game_of_message(mark, message.id)
