"""Lessons of a pupil."""

from __future__ import annotations

from bot.presenters import lessons
from bot.presenters.lessons import LessonPage
from bot.presenters.readers.context import SubjectReader
from rules.core.protocol import EMPTY_DRAFT, Draft


class LessonReader(SubjectReader):
    async def open_lesson(
        self, page: LessonPage, draft: Draft = EMPTY_DRAFT, pressed: str | None = None
    ) -> lessons.LessonPanel:
        return await lessons.open_lesson(
            self._context.workers, page, draft, pressed, self._context.picture_style(page.pupil_localizer())
        )

    async def try_lesson(self, page: LessonPage, draft: Draft) -> lessons.LessonResult:
        """Return the result of a pupil's orders. Raises `Refusal` or `OrderError`."""
        return await lessons.try_orders(
            self._context.workers, page, draft, self._context.picture_style(page.pupil_localizer())
        )
