"""Hints: what the first mate would do, and taking it."""

from __future__ import annotations

from typing import Any

from discord import Interaction

from bot.discord.ids import Ref
from bot.discord.presses.interactions import acknowledge
from bot.discord.presses.order import Advised, Ordering, Press
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.telling.panel import Advice


class Hinting:
    """Shows advice in the panel that it is for, with a button to take it."""

    def __init__(self, table: Table, ordering: Ordering) -> None:
        self._orders = table.orders
        self._ordering = ordering

    @verb("hint")
    async def _hint(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)
        asked = await self._ordering.find_or_lead(interaction, ref, with_panel=True)
        hint_seed = self._orders.new_hint_seed()
        advice = Advice(await self._orders.hint(asked, hint_seed), hint_seed)
        await self._ordering.panels.show(interaction, asked, drawn=False, advice=advice)
        if interaction.message:
            await self._orders.shown_otherwise(ref.game, interaction.message.id)

    @verb("take")
    async def _take(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Put a hint into the draft."""
        await self._ordering.carry_out(Press(interaction, ref, Advised(ref.token)))
