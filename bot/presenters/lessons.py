"""Lessons: a goal, a pupil's draft, and its result. Nothing of them is stored."""

from __future__ import annotations

import secrets

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs import practice
from bot.jobs.practice import LessonPanel, LessonResult
from bot.presenters.readers.context import SubjectReader
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.core.protocol import EMPTY_DRAFT, Draft
from rules.core.registry import RULESETS


class LessonPage(Struct, frozen=True):
    language: str
    name: str  # of the pupil
    system: str  # the game that it teaches
    number: int  # of the lesson among those of the game, from 0

    @property
    def lesson_count(self) -> int:
        return len(RULESETS[self.system].lessons)

    @property
    def key_prefix(self) -> str:
        """The prefix of the lesson's message keys. Raises `Refusal` if there is no such lesson."""
        if self.system not in systems_with_lessons() or not 0 <= self.number < self.lesson_count:
            raise Refusal("no_such_lesson")
        return f"lesson.{RULESETS[self.system].lessons[self.number].key}"

    @property
    def solution(self) -> str:
        """Orders that reach the goal. Raises `Refusal` if there is no such lesson."""
        return RULESETS[self.system].lessons[self.number].solution if self.key_prefix else ""

    def pupil_localizer(self) -> Localizer:
        assert self.key_prefix  # noqa: S101 - raises `Refusal` if there is no such lesson
        catalogue = Catalogue.load(self.language, self.system)
        names = {practice.PUPIL_SEAT: self.name, 1: str(catalogue.say("learn.dummy"))}
        return Localizer(catalogue, names)


def systems_with_lessons() -> list[str]:
    return [name for name in playable_systems() if RULESETS[name].lessons]


def title_keys(system: str) -> list[str]:
    return [f"lesson.{lesson.key}.title" for lesson in RULESETS[system].lessons]


def lesson_name(catalogue: Catalogue, title_key: str, number: int) -> Markup:
    """Return a lesson's name with its game and number (from 0)."""
    return catalogue.say("learn.named", game=catalogue.say_game(), number=number + 1, title=catalogue.say(title_key))


class LessonReader(SubjectReader):
    async def open_lesson(
        self, page: LessonPage, draft: Draft = EMPTY_DRAFT, pressed: str | None = None
    ) -> LessonPanel:
        """Return a pupil's draft, after the option `pressed` if given. Raises `Refusal` or `OrderError`."""
        look = self._context.picture_style(page.pupil_localizer())
        return await self._context.workers.run_picture(
            practice.draw_lesson_panel, page.system, page.number, draft, pressed, look
        )

    async def try_lesson(self, page: LessonPage, draft: Draft) -> LessonResult:
        """Return the result of a pupil's orders. Raises `Refusal` or `OrderError`."""
        look = self._context.picture_style(page.pupil_localizer())
        return await self._context.workers.run_picture(
            practice.try_orders, page.system, page.number, draft.text, look, secrets.token_hex(32)
        )
