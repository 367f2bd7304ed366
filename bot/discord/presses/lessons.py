"""Buttons of lessons."""

from __future__ import annotations

from typing import Any

import discord
from discord import Interaction
from msgspec import structs

from bot.discord.ids import Ref
from bot.discord.messages import lessons
from bot.discord.presses.interactions import (
    acknowledge,
    language_of,
    name_of,
    picked,
    redraw,
)
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.telling.lessons import Page
from rules.protocol import EMPTY, Draft


class LessonPresses:
    """Shows lessons, and what came of a pupil's orders."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @verb("lesson")
    async def _lesson(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref)

    @verb("lesson_press")
    async def _lesson_press(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref, _draft(interaction), ref.token)

    @verb("lesson_pick")
    async def _lesson_pick(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref, _draft(interaction), picked(interaction) or "")

    @verb("lesson_page")
    async def _lesson_page(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, structs.replace(ref, page=ref.number or 0), _draft(interaction))

    @verb("lesson_hint")
    async def _lesson_hint(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self._show_lesson(interaction, ref, Draft(_page(interaction, ref).hint))

    async def _show_lesson(
        self, interaction: Interaction[Any], ref: Ref, draft: Draft = EMPTY, pressed: str | None = None
    ) -> None:
        await acknowledge(interaction)
        page = _page(interaction, ref)
        await redraw(interaction, await lessons.lesson(self._table.reader, page, draft, pressed, sheet=ref.page))

    @verb("lesson_try")
    async def _lesson_try(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)
        await redraw(
            interaction, await lessons.outcome(self._table.reader, _page(interaction, ref), _draft(interaction))
        )


def _page(interaction: Interaction[Any], ref: Ref) -> Page:
    """The lesson whose button was pressed."""
    return Page(language_of(interaction), name_of(interaction.user), ref.request, ref.version)


def _draft(interaction: Interaction[Any]) -> Draft:
    """What a pupil has ordered so far, as the lesson's message shows it."""
    message = interaction.message
    if message is None:
        return EMPTY
    texts = (part for box in message.components if isinstance(box, discord.Container) for part in box.children)
    return lessons.draft_in(part.content for part in texts if isinstance(part, discord.TextDisplay))
