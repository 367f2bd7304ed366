"""Pictures and films for whoever asks: the table as he may see it, a round, a whole game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal

import render
from bot.discord.messages.board import Block, Shown, lay_out
from bot.discord.messages.wording import words_of
from bot.doors.table import Table
from bot.errors import Refusal
from bot.life.playing import Playing
from bot.record.chapters import Chapter
from bot.words.i18n import Words
from bot.work import showing
from bot.work.showing import Look
from rules.protocol import EMPTY, Draft
from rules.registry import RULESETS
from rules.view import Text

Cut = Literal["whole", "action", "fleet"]


class Gallery:
    """Shows games to people who ask. Every method raises `Refusal`."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._filming: set[int] = set()
        """Users whose game is being filmed for them."""

    async def table(
        self, user_id: int, language: str, game_id: int, subject: render.Kind | None = None, crop: Cut | None = None
    ) -> list[Shown]:
        """A picture, and the table in words, as somebody may see it.

        Without a subject it is the table with his own plan, else what happened in the last round. Words that do not
        fit go into further messages.
        """
        playing = await self._table.playing(game_id)
        step = await self._table.state(playing.game)
        system, words = playing.game.system, words_of(playing, language)
        look = self._table.look(words)
        seat = next((seat.seat for seat in playing.seats if seat.user_id == user_id), None)
        if crop == "fleet" and seat is None:
            raise Refusal("not_seated")
        if subject and subject not in (allowed := kinds(system)):
            raise Refusal("option", option="picture", value=subject[:40], allowed=", ".join(allowed))
        draft = EMPTY
        events: tuple[str, ...] = ()
        kind: render.Kind = "table"
        if subject not in (None, "table") or crop == "action":
            *_, chapter = await self._table.chapters(game_id)
            events, kind = (await self._table.told(game_id, chapter)).events, subject or "table"
            if not await self._table.workers.run(showing.shows, system, step.state, events, kind):
                raise Refusal(f"nothing_of.{'round' if kind == 'table' else kind}", system=system)
        elif subject is None and seat is not None:
            draft = await self._draft(game_id, seat)
            kind = "plan" if draft.text else "table"
        picture = await self._table.workers.draw(
            showing.draw, system, step.state, events, look, seat=seat, draft=draft, kind=kind, crop=crop or "afloat"
        )
        first, *rest = await self._table.workers.run(showing.status, system, step.state, seat, look, draft=draft)
        return [lay_out([picture, first]), *(lay_out([page]) for page in rest)]

    async def _draft(self, game_id: int, seat: int) -> Draft:
        async with self._table.store.read() as tx:
            return next((row.drafted for row in await tx.requests.of(game_id) if row.seat == seat), EMPTY)

    async def film(
        self,
        language: str,
        game_id: int,
        *,
        form: render.Format = "webp",
        round_no: int | None = None,
        step_no: int | None = None,
    ) -> Shown:
        """The film of a round: of a certain one, of that to which a step belongs (up to that step), or of the last."""
        playing = await self._table.playing(game_id)
        all_of_them = await self._table.chapters(game_id)
        found = [chapter for chapter in all_of_them if round_no in (None, chapter.round)]
        if not found:
            last = all_of_them[-1].round
            raise Refusal("no_such_round", system=playing.game.system, round=round_no or 0, last=last)
        chapter = found[-1] if step_no is None else await self._table.chapter_until(game_id, step_no)
        words = words_of(playing, language)
        told = await self._table.told(game_id, chapter)
        look = self._look(words, chapter)
        film = await self._table.workers.film(showing.film, playing.game.system, told.state, told.events, look, form)
        if film is None:
            raise Refusal("nothing_to_film")
        return lay_out(_screening(words, words.say("round", round=chapter.round), film))

    async def replay(
        self,
        user_id: int,
        language: str,
        game_id: int,
        *,
        form: render.Format,
        progress: Callable[[str], Awaitable[None]],
    ) -> Shown:
        """The film of a whole game so far; `progress` is told of each round that is about to be drawn."""
        if user_id in self._filming:
            raise Refusal("filming")
        self._filming.add(user_id)
        try:
            return await self._replay(language, await self._table.playing(game_id), form, progress)
        finally:
            self._filming.remove(user_id)

    async def _replay(
        self, language: str, playing: Playing, form: render.Format, progress: Callable[[str], Awaitable[None]]
    ) -> Shown:
        game, words = playing.game, words_of(playing, language)
        rounds = [chapter for chapter in await self._table.chapters(game.id) if chapter.round]
        cutting = render.Cutting(len(rounds), form)
        headlines: dict[int, str] = {}
        while wanted := cutting.wanted:
            chapter = rounds[wanted.scene]
            await progress(words.say("say.filming", round=chapter.round, last=rounds[-1].round))
            told = await self._table.told(game.id, chapter)
            look = self._look(words, chapter)
            clip = await self._table.workers.film(showing.clip, game.system, told.state, told.events, look, wanted)
            headlines[wanted.scene] = clip.headline
            try:
                cutting.put(clip.picture)
            except render.TooLong:
                raise Refusal("too_long_to_film") from None
        step = await self._table.state(game)
        look = self._table.look(words)
        lines = tuple(headlines.values())
        film = await self._table.workers.film(showing.replay, game.system, step.state, look, cutting.clips, lines)
        if film is None:
            raise Refusal("nothing_to_film")
        return lay_out(_screening(words, words.say("panel.title", name=game.name, number=game.id), film))

    def _look(self, words: Words, chapter: Chapter) -> Look:
        return self._table.look(words, Text("round", {"round": chapter.round}))


def kinds(system: str) -> tuple[render.Kind, ...]:
    """What a picture of a game may be about."""
    return render.kinds(RULESETS[system].view_type)


def _screening(words: Words, title: str, film: showing.Drawn) -> list[Block]:
    note = [f"-# {words.say('say.film_reduced')}"] if film.reduced else []
    return [f"-# {title}", film, *note]
