"""Messages with pictures and films for one user."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

import render
from bot.discord.messages.board import LayoutBlock, RenderedMessage, lay_out_message
from bot.discord.messages.captain import table_legend_button
from bot.errors import Refusal
from bot.presenters import panel
from bot.presenters.reader import Reader
from bot.presenters.readers.pictures import RenderedFilm, UserCrop
from bot.presenters.wording import game_localizer
from bot.texts.i18n import Localizer


class GalleryMessages:
    """Renders a game's pictures and films as a user may see them. Every method raises `Refusal`."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def table(
        self,
        user_id: int,
        language: str,
        game_id: int,
        kind: render.PictureKind | None = None,
        crop: UserCrop | None = None,
    ) -> list[RenderedMessage]:
        """Return a picture and the table in words, as the user may see it.

        Without a `kind`, show the table with the user's draft. Kinds other than `table` show the last round.
        Words that do not fit go into further messages.
        """
        facts = await self._reader.pictures.picture_facts(game_id, user_id, kind, crop)
        content = await self._reader.pictures.draw_table(facts, game_localizer(facts.seated_game, language))
        first_page, *other_pages = content.pages
        legend = [table_legend_button(game_localizer(facts.seated_game, language), game_id)]
        first_message = lay_out_message([content.picture, first_page, legend])
        return [first_message, *(lay_out_message([page]) for page in other_pages)]

    async def legend(self, user_id: int, language: str, game_id: int, request_id: str | None = None) -> RenderedMessage:
        """Return the legend of the picture of a panel or, if its request is closed or none is given, of the table."""
        request = None
        if request_id:
            with suppress(Refusal):
                request = await self._reader.requests.pending_request(user_id, game_id, request_id)
        if request is not None:
            localizer = game_localizer(request.seated_game, language)
            pictures = await self._reader.requests.draw_plan_legend(request, localizer)
            title = panel.panel_title(localizer, request.seated_game)
        else:
            facts = await self._reader.pictures.picture_facts(game_id, user_id, None, None, with_last_round=True)
            localizer = game_localizer(facts.seated_game, language)
            pictures = await self._reader.pictures.draw_legend(facts, localizer)
            title = panel.panel_title(localizer, facts.seated_game)
        text = f"-# {title}\n### {localizer.say('button.legend')}"
        return lay_out_message([text, *(pictures or [localizer.say("legend.none")])])

    async def film(
        self,
        user_id: int,
        language: str,
        game_id: int,
        *,
        form: render.FilmFormat = "webp",
        round_no: int | None = None,
        step_no: int | None = None,
    ) -> RenderedMessage:
        """Return the film of a round: of `round_no`, of the round up to `step_no`, or of the last round."""
        facts = await self._reader.pictures.round_film_facts(game_id, user_id, round_no=round_no, step_no=step_no)
        localizer = game_localizer(facts.seated_game, language)
        return _lay_out_film(localizer, await self._reader.pictures.film_round(facts, localizer, form))

    async def replay(
        self,
        user_id: int,
        language: str,
        game_id: int,
        *,
        form: render.FilmFormat,
        progress: Callable[[str], Awaitable[None]],
    ) -> RenderedMessage:
        facts = await self._reader.pictures.game_film_facts(game_id, user_id)
        localizer = game_localizer(facts.seated_game, language)

        async def tell_progress(round_no: int, last_round: int) -> None:
            await progress(localizer.say("say.filming", round=round_no, last=last_round))

        film = await self._reader.pictures.film_game(user_id, facts, localizer, form, tell_progress)
        return _lay_out_film(localizer, film)


def _lay_out_film(localizer: Localizer, film: RenderedFilm) -> RenderedMessage:
    if film.round is None:  # of a whole game
        title = panel.panel_title(localizer, film.seated_game)
    else:
        title = localizer.say("round", round=film.round)
    note = [f"-# {localizer.say('say.film_reduced')}"] if film.picture.is_reduced else []
    blocks: list[LayoutBlock] = [f"-# {title}", film.picture, *note]
    return lay_out_message(blocks)
