"""`/galley learn`: lessons."""

from __future__ import annotations

from typing import Any, ClassVar

from discord import Interaction
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, lesson_choice
from bot.discord.interactions.responses import answer_privately, display_name, user_language
from bot.discord.messages import lessons
from bot.presenters.lessons import LessonPage, systems_with_lessons, title_keys


class LearningCommands(CommandFamily):
    names: ClassVar = ("learn",)

    def option_values(self) -> dict[str, list[Choice[str]]]:
        return {
            "lesson": [
                lesson_choice(title, system, number)
                for system in systems_with_lessons()
                for number, title in enumerate(title_keys(system))
            ],
        }

    async def _learn(self, interaction: Interaction[Any], lesson: str | None = None) -> None:
        first_system = next(iter(systems_with_lessons()), "")  # empty if no game has lessons
        system, _, number = (lesson or f"{first_system}.0").partition(".")
        page = LessonPage(user_language(interaction), display_name(interaction.user), system, int(number))
        await answer_privately(interaction, await lessons.lay_out_lesson(self.services.reader, page))
