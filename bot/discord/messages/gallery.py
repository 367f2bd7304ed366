"""Pictures and films as Discord shows them to one user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import render
from bot.discord.messages.board import Block, Shown, lay_out
from bot.telling import panel
from bot.telling.gallery import Cut, Film
from bot.telling.reader import Reader
from bot.telling.wording import words_of
from bot.words.i18n import Words


class Gallery:
    """Shows games to people who ask. Every method raises `Refusal`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def table(
        self, user_id: int, language: str, game_id: int, subject: render.Kind | None = None, crop: Cut | None = None
    ) -> list[Shown]:
        """Return a picture, and the table in words, as somebody may see it.

        Without a subject it is the table with their own plan, otherwise the last round. Words that don't fit go into
        further messages.
        """
        facts = await self._reader.view(game_id, user_id, subject, crop)
        seen = await self._reader.table(facts, words_of(facts.playing, language))
        first, *rest = seen.pages
        return [lay_out([seen.picture, first]), *(lay_out([page]) for page in rest)]

    async def film(
        self,
        user_id: int,
        language: str,
        game_id: int,
        *,
        form: render.Format = "webp",
        round_no: int | None = None,
        step_no: int | None = None,
    ) -> Shown:
        """The film of a round: of a certain one, of that to which a step belongs (up to that step), or of the last."""
        facts = await self._reader.round(game_id, user_id, round_no=round_no, step_no=step_no)
        words = words_of(facts.playing, language)
        return _screening(words, await self._reader.film(facts, words, form))

    async def replay(
        self,
        user_id: int,
        language: str,
        game_id: int,
        *,
        form: render.Format,
        progress: Callable[[str], Awaitable[None]],
    ) -> Shown:
        """Return the film of the whole game so far; `progress` is called before each round is drawn."""
        facts = await self._reader.whole(game_id, user_id)
        words = words_of(facts.playing, language)

        async def drawing(number: int, last: int) -> None:
            await progress(words.say("say.filming", round=number, last=last))

        return _screening(words, await self._reader.replay(user_id, facts, words, form, drawing))


def _screening(words: Words, film: Film) -> Shown:
    title = panel.title(words, film.playing) if film.round is None else words.say("round", round=film.round)
    note = [f"-# {words.say('say.film_reduced')}"] if film.picture.reduced else []
    blocks: list[Block] = [f"-# {title}", film.picture, *note]
    return lay_out(blocks)
