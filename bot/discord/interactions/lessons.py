"""Buttons of lessons."""

from __future__ import annotations

from typing import Any

import discord
from discord import Interaction
from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.interactions.responses import acknowledge, display_name, picked_value, replace_message, user_language
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages import lessons
from bot.presenters.lessons import LessonPage
from bot.services.table import Services
from rules.core.protocol import EMPTY_DRAFT, Draft


class LessonInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services

    @handles_verb("lesson")
    async def _open_lesson(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._show_lesson(interaction, ref)

    @handles_verb("lesson_press")
    async def _press_option(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._show_lesson(interaction, ref, _displayed_draft(interaction), ref.token)

    @handles_verb("lesson_pick")
    async def _pick_option(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._show_lesson(interaction, ref, _displayed_draft(interaction), picked_value(interaction) or "")

    @handles_verb("lesson_page")
    async def _turn_page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._show_lesson(
            interaction, structs.replace(ref, page=ref.token_as_number or 0), _displayed_draft(interaction)
        )

    @handles_verb("lesson_hint")
    async def _show_solution(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._show_lesson(interaction, ref, Draft(_pressed_lesson(interaction, ref).solution))

    async def _show_lesson(
        self, interaction: Interaction[Any], ref: CustomId, draft: Draft = EMPTY_DRAFT, pressed: str | None = None
    ) -> None:
        await acknowledge(interaction)
        page = _pressed_lesson(interaction, ref)
        await replace_message(
            interaction, await lessons.lay_out_lesson(self._services.reader, page, draft, pressed, button_page=ref.page)
        )

    @handles_verb("lesson_try")
    async def _try_orders(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        await replace_message(
            interaction,
            await lessons.lay_out_result(
                self._services.reader, _pressed_lesson(interaction, ref), _displayed_draft(interaction)
            ),
        )


def _pressed_lesson(interaction: Interaction[Any], ref: CustomId) -> LessonPage:
    # A lesson's ids hold the game as `request` and the lesson's number as `version`.
    return LessonPage(user_language(interaction), display_name(interaction.user), ref.request, ref.version)


def _displayed_draft(interaction: Interaction[Any]) -> Draft:
    message = interaction.message
    if message is None:
        return EMPTY_DRAFT
    texts = (part for box in message.components if isinstance(box, discord.Container) for part in box.children)
    return lessons.parse_draft(part.content for part in texts if isinstance(part, discord.TextDisplay))
