"""Pictures and films of games, and lessons."""

from __future__ import annotations

from collections.abc import Sequence

import render
from bot.jobs import showing
from bot.jobs.showing import DescribedTable, PictureSubject
from bot.jobs.values import DescribedPicture, PictureStyle
from bot.presenters import gallery, lessons
from bot.presenters.gallery import FilmMaker, ProgressCallback, RenderedFilm, UserCrop
from bot.presenters.lessons import LessonPage
from bot.presenters.readers.context import ReadContext, SubjectReader
from bot.presenters.readers.rounds import RoundReader
from bot.record.chapters import ChapterContent
from bot.texts.i18n import Localizer
from bot.urgency import IsWanted
from rules.core.protocol import EMPTY_DRAFT, Draft


class PictureReader(SubjectReader):
    def __init__(self, context: ReadContext, rounds: RoundReader) -> None:
        super().__init__(context)
        self._film_maker = FilmMaker(context.workers, rounds.read_chapter)

    def is_overloaded(self) -> bool:
        """Return whether messages should be sent without waiting for their pictures."""
        return self._context.workers.is_overloaded

    async def draw_state(
        self, system: str, state: str, happened: Sequence[str], look: PictureStyle, wanted: IsWanted = lambda: True
    ) -> DescribedPicture:
        return await self._context.workers.run_illustration(
            wanted, showing.draw_state, system, state, happened, look, PictureSubject()
        )

    async def draw_final_round(
        self, content: ChapterContent, words: Localizer, seat: int | None, wanted: IsWanted
    ) -> DescribedPicture:
        look, shot = self._context.picture_style(words, beside=seat), PictureSubject(seat=seat)
        return await self._context.workers.run_illustration(
            wanted, showing.draw_state, look.system, content.state, content.events, look, shot
        )

    async def picture_facts(
        self, game_id: int, user_id: int, subject: render.PictureKind | None, crop: UserCrop | None
    ) -> gallery.PictureFacts:
        async with self._context.open_game(game_id) as source:
            return await gallery.read_picture_facts(source, user_id, subject, crop)

    async def draw_table(self, facts: gallery.PictureFacts, words: Localizer) -> DescribedTable:
        return await gallery.draw_table(
            self._context.workers, facts, self._context.picture_style(words, beside=facts.seat)
        )

    async def round_film_facts(
        self, game_id: int, user_id: int, *, round_no: int | None = None, step_no: int | None = None
    ) -> gallery.RoundFilmFacts:
        async with self._context.open_game(game_id) as source:
            return await gallery.read_round_film(source, user_id, round_no=round_no, step_no=step_no)

    async def film_round(
        self, facts: gallery.RoundFilmFacts, words: Localizer, form: render.FilmFormat
    ) -> RenderedFilm:
        look = gallery.with_round_heading(self._context.picture_style(words, beside=facts.seat), facts.content.round)
        return await gallery.draw_round_film(self._context.workers, facts, look, form)

    async def game_film_facts(self, game_id: int, user_id: int) -> gallery.GameFilmFacts:
        async with self._context.open_game(game_id) as source:
            return await gallery.read_game_film(source, user_id)

    async def film_game(
        self,
        user_id: int,
        facts: gallery.GameFilmFacts,
        words: Localizer,
        form: render.FilmFormat,
        progress: ProgressCallback,
    ) -> RenderedFilm:
        return await self._film_maker.film_game(
            user_id, facts, self._context.picture_style(words, beside=facts.seat), form, progress
        )


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
