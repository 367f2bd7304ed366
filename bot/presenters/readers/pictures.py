"""Pictures and films: the table as one user may see it, a round, and a whole game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from msgspec import Struct, structs

import render
from bot.errors import Refusal
from bot.jobs import showing
from bot.jobs.showing import DescribedTable, PictureSubject
from bot.jobs.values import DescribedPicture, PictureStyle
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters.readers.context import ReadContext, SubjectReader
from bot.presenters.source import GameSource
from bot.record.chapters import Chapter, ChapterContent
from bot.store.models.records import StepRow
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.urgency import IsWanted
from rules.core.protocol import EMPTY_DRAFT, Draft
from rules.core.registry import RULESETS
from rules.core.sides import letter_of
from rules.core.view import Text

UserCrop = Literal["whole", "action", "fleet"]
ProgressCallback = Callable[[int, int], Awaitable[None]]
"""Receives the number of the round about to be drawn, and of the last round."""


class PictureFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    step: StepRow  # the last step; its state is secret, for workers only
    seat: int | None  # the seat whose view is shown; None for the public view
    kind: render.PictureKind | None  # None: the table with the user's draft
    crop: UserCrop | None  # None: all that floats
    last_round: ChapterContent | None  # None if the picture shows no events
    draft: Draft  # empty if the picture shows none


class RoundFilmFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    content: ChapterContent  # state after the round, and its events
    seat: int | None  # the seat whose view is shown; None for the public view
    state_before: str | None = None
    """Secret, for workers only: the state before the round, if a captain's film shows own moves that are no events."""


class RenderedFilm(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    round: int | None  # None for a whole game
    picture: DescribedPicture


class GameFilmFacts(Struct, frozen=True, kw_only=True):
    seated_game: SeatedGame
    rounds: tuple[Chapter, ...]  # without the preparation before the first round
    first_state: str  # before the first round; secret, for workers only
    last_state: str  # after the last step; secret
    seat: int | None  # the seat whose view is shown; None for the public view


def picture_kinds(system: str) -> tuple[render.PictureKind, ...]:
    return render.picture_kinds(RULESETS[system].view_type)


class PictureReader(SubjectReader):
    def __init__(self, context: ReadContext) -> None:
        super().__init__(context)
        self._filming_users: set[int] = set()  # users who are waiting for a film

    def is_overloaded(self) -> bool:
        """Return whether messages should be sent without waiting for their pictures."""
        return self._context.workers.is_overloaded

    async def draw_state(
        self, system: str, state: str, events: Sequence[str], look: PictureStyle, wanted: IsWanted = lambda: True
    ) -> DescribedPicture:
        return await self._context.workers.run_illustration(
            wanted, showing.draw_state, system, state, events, look, PictureSubject()
        )

    async def draw_final_round(
        self, content: ChapterContent, localizer: Localizer, seat: int | None, wanted: IsWanted
    ) -> DescribedPicture:
        look, subject = self._context.picture_style(localizer, viewpoint_seat=seat), PictureSubject(seat=seat)
        return await self._context.workers.run_illustration(
            wanted, showing.draw_state, look.system, content.state, content.events, look, subject
        )

    async def picture_facts(
        self,
        game_id: int,
        user_id: int,
        kind: render.PictureKind | None,
        crop: UserCrop | None,
        *,
        with_last_round: bool = False,
    ) -> PictureFacts:
        """Read the data for a picture.

        Without a `kind` it shows the table with the user's draft, and with `table` the table alone. With another kind,
        with the crop `action`, or `with_last_round`, it shows the last round.
        """
        async with self._context.open_game(game_id) as source:
            step = await source.last_step()
            seat = _viewer_seat(source, user_id)
            if crop == "fleet" and seat is None:
                raise Refusal("not_seated")
            known_kinds = picture_kinds(source.game.system)
            if kind and kind not in known_kinds:
                raise Refusal("option", option="picture", value=kind[:40], allowed=", ".join(known_kinds))
            draft = EMPTY_DRAFT
            last_round: ChapterContent | None = None
            shows_events = kind not in (None, "table") or crop == "action"
            if shows_events or with_last_round:
                last_chapter = (await source.chapters())[-1]
                last_round = await source.read_chapter(last_chapter)
            if kind is None and seat is not None and not shows_events:
                own_drafts = [row.as_draft for row in await source.open_requests() if row.seat == seat]
                draft = own_drafts[0] if own_drafts else EMPTY_DRAFT
            return PictureFacts(
                seated_game=source.seated_game,
                step=step,
                seat=seat,
                kind=kind,
                crop=crop,
                last_round=last_round,
                draft=draft,
            )

    async def draw_table(self, facts: PictureFacts, localizer: Localizer) -> DescribedTable:
        """Draw a picture and describe the table in words. Raises `Refusal` if there is nothing to show."""
        system, look = facts.seated_game.game.system, self._context.picture_style(localizer, viewpoint_seat=facts.seat)
        kind: render.PictureKind = "plan" if facts.draft.text else "table"
        if facts.last_round is not None:
            kind = facts.kind or "table"
        subject = PictureSubject(seat=facts.seat, draft=facts.draft, kind=kind, crop=facts.crop or "afloat")
        events = facts.last_round.events if facts.last_round else ()
        table = await self._context.workers.run_picture(
            showing.describe_table, system, facts.step.state, events, look, subject
        )
        if table is None:
            raise Refusal(f"nothing_of.{'round' if kind == 'table' else kind}", system=system)
        return table

    async def draw_legend(self, facts: PictureFacts, localizer: Localizer) -> tuple[DescribedPicture, ...]:
        """Return the legend of the table as the user sees it, and of the last round."""
        system, look = facts.seated_game.game.system, self._context.picture_style(localizer, viewpoint_seat=facts.seat)
        subject = PictureSubject(seat=facts.seat, draft=facts.draft, kind="plan" if facts.draft.text else "table")
        events = facts.last_round.events if facts.last_round else ()
        return await self._context.workers.run_picture(
            showing.draw_table_legend, system, facts.step.state, events, look, subject
        )

    async def round_film_facts(
        self, game_id: int, user_id: int, *, round_no: int | None = None, step_no: int | None = None
    ) -> RoundFilmFacts:
        """Read the round `round_no`, the round of `step_no` up to that step, or the last round."""
        async with self._context.open_game(game_id) as source:
            chapters = await source.chapters()
            matches = [chapter for chapter in chapters if round_no in (None, chapter.round)]
            if not matches:
                last_round = chapters[-1].round
                raise Refusal("no_such_round", system=source.game.system, round=round_no or 0, last=last_round)
            chapter = matches[-1] if step_no is None else await source.chapter_up_to(step_no)
            content = await source.read_chapter(chapter)
            seat = _viewer_seat(source, user_id)
            # In games with a chronicle, moves are secret while they are played, and no events report them.
            earlier = [other for other in chapters if other.round < chapter.round]
            state_before = None
            if seat is not None and earlier and RULESETS[source.game.system].has_chronicle:
                state_before = (await source.read_chapter(earlier[-1])).state
            return RoundFilmFacts(seated_game=source.seated_game, content=content, seat=seat, state_before=state_before)

    async def film_round(self, facts: RoundFilmFacts, localizer: Localizer, form: render.FilmFormat) -> RenderedFilm:
        """Film a round. Raises `Refusal` if nothing of it can be seen."""
        content = facts.content
        look = _with_round_heading(self._context.picture_style(localizer, viewpoint_seat=facts.seat), content.round)
        picture = await self._context.workers.run_film(
            showing.film_round,
            facts.seated_game.game.system,
            content.state,
            content.events,
            look,
            form,
            state_before=facts.state_before,
        )
        if picture is None:
            raise Refusal("nothing_to_film")
        return RenderedFilm(seated_game=facts.seated_game, round=content.round, picture=picture)

    async def game_film_facts(self, game_id: int, user_id: int) -> GameFilmFacts:
        async with self._context.open_game(game_id) as source:
            chapters = await source.chapters()
            return GameFilmFacts(
                seated_game=source.seated_game,
                rounds=tuple(chapter for chapter in chapters if chapter.round),
                first_state=(await source.read_chapter(chapters[0])).state,
                last_state=(await source.last_step()).state,
                seat=_viewer_seat(source, user_id),
            )

    async def film_game(
        self,
        user_id: int,
        facts: GameFilmFacts,
        localizer: Localizer,
        form: render.FilmFormat,
        progress: ProgressCallback,
    ) -> RenderedFilm:
        """Film a whole game. Raises `Refusal`, also while another film is being made for the user."""
        if user_id in self._filming_users:
            raise Refusal("filming")
        self._filming_users.add(user_id)
        try:
            look = self._context.picture_style(localizer, viewpoint_seat=facts.seat)
            return await self._film_rounds(facts, look, form, progress)
        finally:
            self._filming_users.remove(user_id)

    async def film_for_page(self, game_id: int) -> DescribedPicture:
        """Film a whole game without names, as everybody may see it. Raises `Refusal` if that's impossible."""
        facts = await self.game_film_facts(game_id, user_id=0)
        game, seats = facts.seated_game.game, facts.seated_game.seats
        letters = {seat.seat: letter_of(seat.seat) for seat in seats}
        localizer = Localizer(Catalogue.load(language_for_locale(game.locale), game.system), letters)
        return (await self._film_rounds(facts, self._context.picture_style(localizer), "webp", _no_progress)).picture

    async def _film_rounds(
        self, facts: GameFilmFacts, look: PictureStyle, form: render.FilmFormat, progress: ProgressCallback
    ) -> RenderedFilm:
        system, rounds = facts.seated_game.game.system, facts.rounds
        assembly = render.FilmAssembly(len(rounds), form)
        headlines: dict[int, str] = {}
        while request := assembly.next_request:
            chapter = rounds[request.scene_number]
            await progress(chapter.round, rounds[-1].round)
            content = await self._read_chapter(facts, chapter)
            headed_look = _with_round_heading(look, chapter.round)
            is_over = facts.seated_game.game.phase == "over"  # its states are no longer secret
            state_before = await self._state_before(facts, request.scene_number) if is_over else None
            clip = await self._context.workers.run_film(
                showing.film_clip,
                system,
                content.state,
                content.events,
                headed_look,
                request,
                state_before=state_before,
            )
            headlines[request.scene_number] = clip.headline
            try:
                assembly.add_clip(clip.picture)
            except render.TooManyRounds:
                raise Refusal("too_long_to_film") from None
        lines = tuple(headlines.values())
        picture = await self._context.workers.run_film(
            showing.join_clips, system, facts.last_state, look, assembly.clips, lines
        )
        if picture is None:
            raise Refusal("nothing_to_film")
        return RenderedFilm(seated_game=facts.seated_game, round=None, picture=picture)

    async def _state_before(self, facts: GameFilmFacts, scene_number: int) -> str:
        """Return the state before a scene of the film, counted from 0; each scene is a round."""
        if scene_number == 0:
            return facts.first_state
        previous_round = facts.rounds[scene_number - 1]
        return (await self._read_chapter(facts, previous_round)).state

    async def _read_chapter(self, facts: GameFilmFacts, chapter: Chapter) -> ChapterContent:
        async with self._context.open_game(facts.seated_game.game.id) as source:
            return await source.read_chapter(chapter)


async def _no_progress(_round: int, _rounds: int) -> None: ...


def _viewer_seat(source: GameSource, user_id: int) -> int | None:
    seat = source.seated_game.seat_of(user_id)
    return seat.seat if seat else None


def _with_round_heading(look: PictureStyle, number: int) -> PictureStyle:
    return structs.replace(look, caption=Text("round", {"round": number}))
