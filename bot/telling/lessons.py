"""Lessons: a goal, a pupil's draft, and what came of it. Nothing of them is stored."""

from __future__ import annotations

import secrets

from msgspec import Struct

from bot.errors import Refusal
from bot.telling.wording import game_name
from bot.words.i18n import Catalogue, Localizer
from bot.words.style import Markup
from bot.words.whole import playable_systems
from bot.work import practice
from bot.work.practice import LessonPanel, LessonResult
from bot.work.showing import PictureStyle
from bot.work.workers import Workers
from rules.protocol import Draft
from rules.registry import RULESETS

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
    def of(self) -> int:
        """How many lessons its game has."""
        return len(RULESETS[self.system].lessons)

    @property
    def keys(self) -> str:
        """How the keys of its words begin. Raises `Refusal` if there is no such lesson."""
        if self.system not in systems_with_lessons() or not 0 <= self.number < self.of:
            raise Refusal("no_such_lesson")
        return f"lesson.{RULESETS[self.system].lessons[self.number].key}"

    @property
    def hint(self) -> str:
        """Orders that reach the goal. Raises `Refusal` if there is no such lesson."""
        return RULESETS[self.system].lessons[self.number].hint if self.keys else ""

    def words(self) -> Localizer:
        """How the pupil is spoken to. Raises `Refusal` if there is no such lesson."""
        assert self.keys  # noqa: S101 - refuses a lesson that there is not
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
    return await workers.draw(practice.draw_lesson_panel, page.system, page.number, draft, pressed, look)


async def try_orders(workers: Workers, page: LessonPage, draft: Draft, look: PictureStyle) -> LessonResult:
    """What came of a pupil's orders, and why it was what they were to do, or was not. Raises as `open_lesson`."""
    return await workers.draw(practice.try_orders, page.system, page.number, draft.text, look, secrets.token_hex(32))
