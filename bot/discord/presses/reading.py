"""What anybody may look at: the log of a round, the table, films."""

from __future__ import annotations

from functools import partial
from typing import Any

from discord import Interaction

import render
from bot.discord.ids import Ref
from bot.discord.messages import inbox
from bot.discord.messages.board import Attached, lay_out, mark_of
from bot.discord.messages.gallery import Gallery
from bot.discord.presses.interactions import acknowledge, answer_in_pages, language_of, redraw, show_slow
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.errors import Refusal
from bot.telling import chronicle, log
from bot.telling.chronicle import Account
from bot.telling.gallery import Cut
from bot.telling.wording import words_of


class Reading:
    """Shows games to the user, in their language. Each method answers a deferred interaction."""

    def __init__(self, table: Table) -> None:
        self._reader = table.reader
        self._gallery = Gallery(table.reader)

    @verb("log")
    async def _log(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.log(interaction, ref.game, await self._last_told(interaction, ref))

    async def _last_told(self, interaction: Interaction[Any], ref: Ref) -> int:
        """Return the last step of which the pressed message tells. Raises `Refusal` if it tells of none."""
        mark = mark_of(interaction.message) if interaction.message else None
        if mark is None:
            raise Refusal("not_started")
        return await self._reader.last_told(ref.game, mark)

    async def log(self, interaction: Interaction[Any], game_id: int, step_no: int) -> None:
        """Tell all of a round until a step, to one reader. Raises `Refusal`."""
        facts = await self._reader.log(game_id, interaction.user.id, step_no)
        words = words_of(facts.playing, language_of(interaction))
        pages, opened = log.happened(words, facts), log.opened(words, facts)
        for lines in (pages, opened) if pages or opened else ([words.say("headline.quiet")],):
            await answer_in_pages(interaction, lines)

    @verb("view")
    async def _view(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.table(interaction, ref.game)

    async def table(
        self, interaction: Interaction[Any], game_id: int, subject: render.Kind | None = None, crop: Cut | None = None
    ) -> None:
        """Show the table, or the last round, to the user. Raises `Refusal`."""
        language = language_of(interaction)
        for shown in await self._gallery.table(interaction.user.id, language, game_id, subject, crop):
            await show_slow(interaction, shown)

    @verb("film")
    async def _film(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        step_no = await self._last_told(interaction, ref)
        user, language = interaction.user.id, language_of(interaction)
        await show_slow(interaction, await self._gallery.film(user, language, ref.game, step_no=step_no))

    async def film(
        self, interaction: Interaction[Any], game_id: int, round_no: int | None, form: render.Format
    ) -> None:
        """Show a round, or the last, in motion. Raises `Refusal`."""
        user, language = interaction.user.id, language_of(interaction)
        await show_slow(interaction, await self._gallery.film(user, language, game_id, round_no=round_no, form=form))

    @verb("games")
    async def _games(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Turn a page of somebody's games."""
        await acknowledge(interaction)
        shown = inbox.inbox(await self._reader.inbox(interaction.user.id), language_of(interaction), ref.number or 0)
        if shown:
            await redraw(interaction, shown)

    @verb("chronicle")
    async def _chronicle(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        account = await self.chronicle(interaction, ref.game)
        file = await self.page(account, language_of(interaction))
        await show_slow(interaction, lay_out([file]))

    async def chronicle(self, interaction: Interaction[Any], game_id: int) -> Account:
        """Tell a finished game's chronicle to one reader. Raises `Refusal` if there is none."""
        account = await self._reader.chronicle(game_id)
        words = words_of(account.facts.playing, language_of(interaction))
        await answer_in_pages(interaction, chronicle.lines(words, account))
        return account

    async def page(self, account: Account, language: str) -> Attached:
        """A chronicle as a file. Raises `Refusal`."""
        data = await self._reader.page(account, language)
        return Attached(name=f"war-galley-{account.facts.playing.game.id}.html", data=data)

    @verb("replay")
    async def _replay(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.replay(interaction, ref.game, "webp")

    async def replay(self, interaction: Interaction[Any], game_id: int, form: render.Format) -> None:
        """Show the whole game in motion. Raises `Refusal`."""
        film = await self._gallery.replay(
            interaction.user.id,
            language_of(interaction),
            game_id,
            form=form,
            progress=partial(_show_progress, interaction),
        )
        await show_slow(interaction, film, in_place=True)


async def _show_progress(interaction: Interaction[Any], text: str) -> None:
    """Say how far it is in place of "is thinking…"."""
    await redraw(interaction, lay_out([text]))
