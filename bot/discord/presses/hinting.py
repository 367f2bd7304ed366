"""Hints: what the first mate would do, and taking it."""

from __future__ import annotations

import re
from typing import Any

from discord import Interaction

from bot.discord.ids import Ref
from bot.discord.presses.interactions import acknowledge
from bot.discord.presses.order import Advised, Ordering, Press
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.errors import Refusal
from bot.telling.asked import Asked
from bot.telling.panel import Advice
from bot.telling.values import HintRef


class Hinting:
    """Shows advice in the panel that it is for, with a button to take it."""

    def __init__(self, table: Table, ordering: Ordering) -> None:
        self._orders = table.orders
        self._ordering = ordering

    @verb("hint")
    async def _hint(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)
        asked = await self._ordering.find_or_lead(interaction, ref, with_panel=True)
        await self._show(interaction, asked, HintRef(self._orders.new_hint_seed()))

    @verb("advised_page")
    async def _page(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Turn to another page of a panel with a hint."""
        await acknowledge(interaction)
        asked = await self._ordering.find_or_lead(interaction, ref, with_panel=True)
        page, _, hint = ref.token.partition("-")
        if not re.fullmatch("[0-9]{1,3}", page):
            raise Refusal("stale")
        await self._show(interaction, asked, HintRef.read(hint), int(page))

    async def _show(self, interaction: Interaction[Any], asked: Asked, hint: HintRef, page: int = 0) -> None:
        """Show a hint on a page of its panel."""
        advice = Advice(await self._orders.hint(asked, hint), hint.seed)
        await self._ordering.panels.show(interaction, asked, page, drawn=not page, advice=advice)
        if interaction.message:
            await self._orders.shown_otherwise(asked.row.game_id, interaction.message.id)

    @verb("take")
    async def _take(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Put a hint into the draft."""
        await self._ordering.carry_out(Press(interaction, ref, Advised(ref.token)))
