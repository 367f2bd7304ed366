"""Lessons: a goal, a pupil's draft, and what came of it. Nothing of them is stored."""

from __future__ import annotations

import secrets

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs import practice
from bot.jobs.practice import LessonPanel, LessonResult
from bot.jobs.showing import PictureStyle
from bot.jobs.workers import Workers
from bot.presenters.wording import game_name
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.core.protocol import Draft
from rules.core.registry import RULESETS

__all__ = [
    "LessonPage",
    "LessonPanel",
    "LessonResult",
    "lesson_name",
    "open_lesson",
    "systems_with_lessons",
    "title_keys",
    "try_orders",
]


class LessonPage(Struct, frozen=True):
    """A lesson, and who it is shown to."""

    language: str
    name: str
    """Of the pupil."""
    system: str
    number: int

    @property
    def lesson_count(self) -> int:
        """How many lessons its game has."""
        return len(RULESETS[self.system].lessons)

    @property
    def key_prefix(self) -> str:
        """How the keys of its words begin. Raises `Refusal` if there is no such lesson."""
        if self.system not in systems_with_lessons() or not 0 <= self.number < self.lesson_count:
            raise Refusal("no_such_lesson")
        return f"lesson.{RULESETS[self.system].lessons[self.number].key}"

    @property
    def solution(self) -> str:
        """Orders that reach the goal. Raises `Refusal` if there is no such lesson."""
        return RULESETS[self.system].lessons[self.number].solution if self.key_prefix else ""

    def pupil_localizer(self) -> Localizer:
        """How the pupil is spoken to. Raises `Refusal` if there is no such lesson."""
        assert self.key_prefix  # noqa: S101 - refuses a lesson that there is not
        catalogue = Catalogue.load(self.language, self.system)
        names = {practice.PUPIL_SEAT: self.name, 1: str(catalogue.say("learn.dummy"))}
        return Localizer(catalogue, names)


def systems_with_lessons() -> list[str]:
    """Games that can be learned by trying."""
    return [name for name in playable_systems() if RULESETS[name].lessons]


def title_keys(system: str) -> list[str]:
    """Keys of the titles of a game's lessons, in order."""
    return [f"lesson.{lesson.key}.title" for lesson in RULESETS[system].lessons]


def lesson_name(catalogue: Catalogue, title: str, number: int) -> Markup:
    """What a lesson, from 0, is called among those of all games; `title` is the key of its title."""
    return catalogue.say("learn.named", game=game_name(catalogue), number=number + 1, title=catalogue.say(title))


async def open_lesson(
    workers: Workers, page: LessonPage, draft: Draft, pressed: str | None, look: PictureStyle
) -> LessonPanel:
    """A pupil's draft, after an option was `pressed` if one was. Raises `Refusal` or `OrderError`."""
    return await workers.run_picture(practice.draw_lesson_panel, page.system, page.number, draft, pressed, look)


async def try_orders(workers: Workers, page: LessonPage, draft: Draft, look: PictureStyle) -> LessonResult:
    """What came of a pupil's orders, and why it was what they were to do, or was not. Raises as `open_lesson`."""
    return await workers.run_picture(
        practice.try_orders, page.system, page.number, draft.text, look, secrets.token_hex(32)
    )
