"""Pictures and films: the table as one user may see it, a round, and a whole game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

from msgspec import Struct, structs

import render
from bot.errors import Refusal
from bot.jobs import showing
from bot.jobs.showing import DescribedTable, PictureSubject
from bot.jobs.values import DescribedPicture, PictureStyle
from bot.jobs.workers import Workers
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.source import GameSource
from bot.record.chapters import Chapter, ChapterContent
from bot.store.models.records import StepRow
from rules.core.protocol import EMPTY_DRAFT, Draft
from rules.core.registry import RULESETS
from rules.core.view import Text

UserCrop = Literal["whole", "action", "fleet"]
ProgressCallback = Callable[[int, int], Awaitable[None]]
"""Receives the number of the round about to be drawn, and of the last round."""


class PictureFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    step: StepRow
    """Its state is secret, for workers only."""
    seat: int | None
    subject: render.PictureKind | None
    crop: UserCrop | None
    last_round: ChapterContent | None
    draft: Draft


class RoundFilmFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    content: ChapterContent
    seat: int | None
    """The seat whose view is shown; None for the public view."""


class RenderedFilm(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    round: int | None
    """None for a whole game."""
    picture: DescribedPicture


def picture_kinds(system: str) -> tuple[render.PictureKind, ...]:
    return render.picture_kinds(RULESETS[system].view_type)


async def read_picture_facts(
    source: GameSource, user_id: int, subject: render.PictureKind | None, crop: UserCrop | None
) -> PictureFacts:
    """Read the data for a picture.

    Without a subject it shows the table with the user's draft, and with `table` the table alone. With another subject,
    or with the crop `action`, it shows the last round. Raises `Refusal`.
    """
    playing, step = source.seated_game, await source.last_step()
    seat = _viewer_seat(source, user_id)
    if crop == "fleet" and seat is None:
        raise Refusal("not_seated")
    if subject and subject not in (allowed := picture_kinds(source.game.system)):
        raise Refusal("option", option="picture", value=subject[:40], allowed=", ".join(allowed))
    draft, chapter = EMPTY_DRAFT, None
    if subject not in (None, "table") or crop == "action":
        *_, last = await source.chapters()
        chapter = await source.read_chapter(last)
    elif subject is None and seat is not None:
        draft = next((row.as_draft for row in await source.open_requests() if row.seat == seat), EMPTY_DRAFT)
    return PictureFacts(
        seated_game=playing, step=step, seat=seat, subject=subject, crop=crop, last_round=chapter, draft=draft
    )


async def draw_table(workers: Workers, facts: PictureFacts, look: PictureStyle) -> DescribedTable:
    """Draw a picture and describe the table in words. Raises `Refusal` if there is nothing to show."""
    system = facts.seated_game.game.system
    kind: render.PictureKind = "plan" if facts.draft.text else "table"
    kind = kind if facts.last_round is None else facts.subject or "table"
    shot = PictureSubject(seat=facts.seat, draft=facts.draft, kind=kind, crop=facts.crop or "afloat")
    happened = facts.last_round.events if facts.last_round else ()
    table = await workers.run_picture(showing.describe_table, system, facts.step.state, happened, look, shot)
    if table is None:
        raise Refusal(f"nothing_of.{'round' if kind == 'table' else kind}", system=system)
    return table


async def read_round_film(
    source: GameSource, user_id: int, *, round_no: int | None = None, step_no: int | None = None
) -> RoundFilmFacts:
    """Read a given round, that of a step (up to the step), or the last. Raises `Refusal`."""
    chapters = await source.chapters()
    matches = [chapter for chapter in chapters if round_no in (None, chapter.round)]
    if not matches:
        last = chapters[-1].round
        raise Refusal("no_such_round", system=source.game.system, round=round_no or 0, last=last)
    chapter = matches[-1] if step_no is None else await source.chapter_up_to(step_no)
    return RoundFilmFacts(
        seated_game=source.seated_game, content=await source.read_chapter(chapter), seat=_viewer_seat(source, user_id)
    )


async def draw_round_film(
    workers: Workers, facts: RoundFilmFacts, look: PictureStyle, form: render.FilmFormat
) -> RenderedFilm:
    """Film a round. Raises `Refusal` if nothing of it can be seen."""
    content = facts.content
    picture = await workers.run_film(
        showing.film_round, facts.seated_game.game.system, content.state, content.events, look, form
    )
    if picture is None:
        raise Refusal("nothing_to_film")
    return RenderedFilm(seated_game=facts.seated_game, round=content.round, picture=picture)


class GameFilmFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    rounds: tuple[Chapter, ...]
    first_state: str
    """The state before the first round; secret like all states, for workers only."""
    last_state: str
    seat: int | None


async def read_game_film(source: GameSource, user_id: int) -> GameFilmFacts:
    chapters = await source.chapters()
    rounds = tuple(chapter for chapter in chapters if chapter.round)
    first = await source.read_chapter(chapters[0])
    return GameFilmFacts(
        seated_game=source.seated_game,
        rounds=rounds,
        first_state=first.state,
        last_state=(await source.last_step()).state,
        seat=_viewer_seat(source, user_id),
    )


def _viewer_seat(source: GameSource, user_id: int) -> int | None:
    own = source.seated_game.seat_of(user_id)
    return own.seat if own else None


class FilmMaker:
    """Films whole games round by round, one film for each user at once."""

    def __init__(self, workers: Workers, read_chapter: Callable[[int, Chapter], Awaitable[ChapterContent]]) -> None:
        self._workers = workers
        self._read_chapter = read_chapter
        self._filming_users: set[int] = set()

    async def film_game(
        self,
        user_id: int,
        facts: GameFilmFacts,
        look: PictureStyle,
        form: render.FilmFormat,
        progress: ProgressCallback,
    ) -> RenderedFilm:
        """Film a whole game.

        Raises `Refusal`, also while another film is being made for the user.
        """
        if user_id in self._filming_users:
            raise Refusal("filming")
        self._filming_users.add(user_id)
        try:
            return await self._film_rounds(facts, look, form, progress)
        finally:
            self._filming_users.remove(user_id)

    async def _film_rounds(
        self, facts: GameFilmFacts, look: PictureStyle, form: render.FilmFormat, progress: ProgressCallback
    ) -> RenderedFilm:
        system, rounds = facts.seated_game.game.system, facts.rounds
        assembly = render.FilmAssembly(len(rounds), form)
        headlines: dict[int, str] = {}
        while request := assembly.next_request:
            chapter = rounds[request.scene_number]
            await progress(chapter.round, rounds[-1].round)
            content, headed_look = (
                await self._read_chapter(facts.seated_game.game.id, chapter),
                with_round_heading(look, chapter.round),
            )
            before = (
                await self._state_before(facts, request.scene_number)
                if facts.seated_game.game.phase == "over"
                else None
            )
            clip = await self._workers.run_film(
                showing.film_clip, system, content.state, content.events, headed_look, request, before=before
            )
            headlines[request.scene_number] = clip.headline
            try:
                assembly.add_clip(clip.picture)
            except render.TooManyRounds:
                raise Refusal("too_long_to_film") from None
        lines = tuple(headlines.values())
        picture = await self._workers.run_film(
            showing.join_clips, system, facts.last_state, look, assembly.clips, lines
        )
        if picture is None:
            raise Refusal("nothing_to_film")
        return RenderedFilm(seated_game=facts.seated_game, round=None, picture=picture)

    async def _state_before(self, facts: GameFilmFacts, number: int) -> str:
        if number == 0:
            return facts.first_state
        return (await self._read_chapter(facts.seated_game.game.id, facts.rounds[number - 1])).state


def with_round_heading(look: PictureStyle, number: int) -> PictureStyle:
    return structs.replace(look, caption=Text("round", {"round": number}))
