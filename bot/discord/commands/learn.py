"""`/galley learn`: lessons."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from discord import Interaction
from discord.app_commands import Choice

from bot.discord.commands.family import Family, choice
from bot.discord.panels import lessons
from bot.discord.panels.answering import answer, language_of, name_of
from rules.registry import RULESETS

_LESSONS: Final = {
    f"{system}.{number}": f"lesson.{system}.{lesson.key}.title"
    for system in lessons.SYSTEMS
    for number, lesson in enumerate(RULESETS[system].lessons)
}


class LearningCommands(Family):
    """Learning by trying, without a game and without an opponent."""

    names: ClassVar = ("learn",)
    values: ClassVar[dict[str, list[Choice[str]]]] = {
        "lesson": [choice(key, value) for value, key in _LESSONS.items()],
    }

    async def _learn(self, interaction: Interaction[Any], lesson: str | None = None) -> None:
        system, _, number = (lesson or next(iter(_LESSONS))).partition(".")
        page = lessons.Page(language_of(interaction), name_of(interaction.user), system, int(number))
        await answer(interaction, await lessons.lesson(self.table, page))
