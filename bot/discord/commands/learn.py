"""`/galley learn`: lessons."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction
from discord.app_commands import Choice

from bot.discord.commands.family import Family, choice_of_lesson
from bot.discord.messages import lessons
from bot.discord.presses.interactions import answer, language_of, name_of
from bot.telling.lessons import Page, systems, titles


class LearningCommands(Family):
    """Learning by trying, without a game and without an opponent."""

    names: ClassVar = ("learn",)

    def values(self) -> dict[str, list[Choice[str]]]:
        """All lessons of all games."""
        return {
            "lesson": [
                choice_of_lesson(title, system, number)
                for system in systems()
                for number, title in enumerate(titles(system))
            ],
        }

    async def _learn(self, interaction: Interaction[Any], lesson: str | None = None) -> None:
        system, _, number = (lesson or f"{next(iter(systems()), '')}.0").partition(".")
        page = Page(language_of(interaction), name_of(interaction.user), system, int(number))
        await answer(interaction, await lessons.lesson(self.table.reader, page))
