"""Hints: showing the first mate's advice and taking it."""

from __future__ import annotations

import re
from typing import Any

from discord import Interaction

from bot.discord.ids import CustomId
from bot.discord.interactions.order import PanelInteractions, PanelPress, TakeHint
from bot.discord.interactions.responses import acknowledge
from bot.discord.interactions.verbs import handles_verb
from bot.errors import Refusal
from bot.jobs.values import HintRef
from bot.presenters.asked import PendingRequest
from bot.presenters.panel import Advice
from bot.services.table import Services


class HintInteractions:
    def __init__(self, services: Services, panel_interactions: PanelInteractions) -> None:
        self._orders = services.orders
        self._panel_interactions = panel_interactions

    @handles_verb("hint")
    async def _show_hint(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        request = await self._panel_interactions.find_or_redirect(interaction, ref, with_panel=True)
        await self._show_page(interaction, request, HintRef(self._orders.new_hint_seed()))

    @handles_verb("advised_page")
    async def _turn_page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        request = await self._panel_interactions.find_or_redirect(interaction, ref, with_panel=True)
        page, _, hint = ref.token.partition("-")  # as `PanelLayout` writes the token
        if not re.fullmatch("[0-9]{1,3}", page):
            raise Refusal("stale")
        await self._show_page(interaction, request, HintRef.read(hint), int(page))

    async def _show_page(
        self, interaction: Interaction[Any], request: PendingRequest, hint: HintRef, page: int = 0
    ) -> None:
        advice = Advice(await self._orders.compute_hint(request, hint), hint.seed)
        await self._panel_interactions.panel_display.show_in_place(
            interaction, request, page, draws_picture=not page, advice=advice
        )
        if interaction.message:
            await self._orders.forget_shown(request.row.game_id, interaction.message.id)

    @handles_verb("take")
    async def _take_hint(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._panel_interactions.apply_press(PanelPress(interaction, ref, TakeHint(ref.token)))

    @handles_verb("take_and_seal")
    async def _take_and_seal_hint(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._panel_interactions.apply_press(PanelPress(interaction, ref, TakeHint(ref.token, seals=True)))
