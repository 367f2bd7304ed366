"""Hints: what the first mate would do, and taking it."""

from __future__ import annotations

import re
from typing import Any

from discord import Interaction

from bot.discord.ids import CustomId
from bot.discord.interactions.order import PanelInteractions, PanelPress, TakeHint
from bot.discord.interactions.responses import acknowledge
from bot.discord.interactions.verbs import handles_verb
from bot.errors import Refusal
from bot.presenters.asked import PendingRequest
from bot.presenters.panel import Advice
from bot.presenters.values import HintRef
from bot.services.table import Services


class HintInteractions:
    """Shows advice in the panel that it is for, with a button to take it."""

    def __init__(self, table: Services, ordering: PanelInteractions) -> None:
        self._orders = table.orders
        self._panel_interactions = ordering

    @handles_verb("hint")
    async def _hint(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        asked = await self._panel_interactions.find_or_redirect(interaction, ref, with_panel=True)
        await self._show(interaction, asked, HintRef(self._orders.new_hint_seed()))

    @handles_verb("advised_page")
    async def _page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Turn to another page of a panel with a hint."""
        await acknowledge(interaction)
        asked = await self._panel_interactions.find_or_redirect(interaction, ref, with_panel=True)
        page, _, hint = ref.token.partition("-")
        if not re.fullmatch("[0-9]{1,3}", page):
            raise Refusal("stale")
        await self._show(interaction, asked, HintRef.read(hint), int(page))

    async def _show(self, interaction: Interaction[Any], asked: PendingRequest, hint: HintRef, page: int = 0) -> None:
        """Show a hint on a page of its panel."""
        advice = Advice(await self._orders.compute_hint(asked, hint), hint.seed)
        await self._panel_interactions.panel_display.show_in_place(
            interaction, asked, page, drawn=not page, advice=advice
        )
        if interaction.message:
            await self._orders.forget_shown(asked.row.game_id, interaction.message.id)

    @handles_verb("take")
    async def _take(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Put a hint into the draft."""
        await self._panel_interactions.apply_press(PanelPress(interaction, ref, TakeHint(ref.token)))
