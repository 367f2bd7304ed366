"""Hints: what the first mate would do, and taking it."""

from __future__ import annotations

import re
from typing import Any

from discord import Interaction

from bot.discord.ids import CustomId
from bot.discord.presses.interactions import acknowledge
from bot.discord.presses.order import PanelInteractions, PanelPress, TakeHint
from bot.discord.presses.verbs import handles_verb
from bot.doors.table import Services
from bot.errors import Refusal
from bot.telling.asked import PendingRequest
from bot.telling.panel import Advice
from bot.telling.values import HintRef


class HintInteractions:
    """Shows advice in the panel that it is for, with a button to take it."""

    def __init__(self, table: Services, ordering: PanelInteractions) -> None:
        self._orders = table.orders
        self._ordering = ordering

    @handles_verb("hint")
    async def _hint(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        asked = await self._ordering.find_or_lead(interaction, ref, with_panel=True)
        await self._show(interaction, asked, HintRef(self._orders.new_hint_seed()))

    @handles_verb("advised_page")
    async def _page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Turn to another page of a panel with a hint."""
        await acknowledge(interaction)
        asked = await self._ordering.find_or_lead(interaction, ref, with_panel=True)
        page, _, hint = ref.token.partition("-")
        if not re.fullmatch("[0-9]{1,3}", page):
            raise Refusal("stale")
        await self._show(interaction, asked, HintRef.read(hint), int(page))

    async def _show(self, interaction: Interaction[Any], asked: PendingRequest, hint: HintRef, page: int = 0) -> None:
        """Show a hint on a page of its panel."""
        advice = Advice(await self._orders.hint(asked, hint), hint.seed)
        await self._ordering.panels.show(interaction, asked, page, drawn=not page, advice=advice)
        if interaction.message:
            await self._orders.shown_otherwise(asked.row.game_id, interaction.message.id)

    @handles_verb("take")
    async def _take(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Put a hint into the draft."""
        await self._ordering.carry_out(PanelPress(interaction, ref, TakeHint(ref.token)))
