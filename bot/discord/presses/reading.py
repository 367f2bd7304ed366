"""What anybody may look at: the log of a round, the table, films."""

from __future__ import annotations

from functools import partial
from typing import Any

from discord import Interaction

import render
from bot.discord.ids import Ref
from bot.discord.messages import ending, inbox
from bot.discord.messages.board import lay_out
from bot.discord.messages.gallery import Cut, Gallery
from bot.discord.messages.wording import telling, without, words_of
from bot.discord.presses.interactions import acknowledge, answer, answer_in_pages, language_of, redraw
from bot.doors.table import Table
from bot.words import speech
from bot.work import stored
from rules.registry import RULESETS


class Reading:
    """Shows games to whoever asks, in his language. Each method answers an interaction that was deferred."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._gallery = Gallery(table)
        self.verbs = {
            "log": self._log,
            "view": self._view,
            "film": self._film,
            "replay": self._replay,
            "games": self._games,
        }
        """What the buttons under a round, and under a list of games, do."""

    async def _log(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.log(interaction, ref.game, await self._table.last_told(ref.game, ref.version))

    async def log(self, interaction: Interaction[Any], game_id: int, step_no: int) -> None:
        """Tell all of a round until a step, to one reader. Raises `Refusal`."""
        playing = await self._table.playing(game_id)
        chapter = await self._table.chapter_until(game_id, step_no)
        seat = playing.seat_of(interaction.user.id)
        answers = await self._table.revealed(game_id, chapter, seat.seat if seat else None)
        words = words_of(playing, language_of(interaction))
        rules, reader = RULESETS[playing.game.system], seat.seat if seat else None
        pages: list[str] = []
        async with self._table.store.read() as tx:
            for step in [found for number in chapter.steps if (found := await tx.steps.find(game_id, number))]:
                told_in = await telling(tx, playing, words, step)
                pages += speech.log(told_in, stored.read_events(rules, step.events), reader)
        revealed = [
            (without(playing, words, {answer.seat}) if answer.given_by == "deadline" else words).say(
                "thread.reveal_line",
                who=answer.seat,
                text=answer.body,
                hash=answer.commitment,
                nonce=answer.nonce,
            )
            for answer in answers
        ]
        if playing.game.phase == "over" and step_no == playing.game.step_no:
            revealed += ending.proofs(words, playing.game.seed, await self._table.archive.digest_of(game_id))
        for lines in (pages, revealed) if pages or revealed else ([words.say("headline.quiet")],):
            await answer_in_pages(interaction, lines)

    async def _view(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.table(interaction, ref.game)

    async def table(
        self, interaction: Interaction[Any], game_id: int, subject: render.Kind | None = None, crop: Cut | None = None
    ) -> None:
        """Show the table, or the last round, to whoever asks. Raises `Refusal`."""
        language = language_of(interaction)
        for shown in await self._gallery.table(interaction.user.id, language, game_id, subject, crop):
            await answer(interaction, shown)

    async def _film(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        step_no = await self._table.last_told(ref.game, ref.version)
        await answer(interaction, await self._gallery.film(language_of(interaction), ref.game, step_no=step_no))

    async def film(
        self, interaction: Interaction[Any], game_id: int, round_no: int | None, form: render.Format
    ) -> None:
        """Show a round, or the last, in motion. Raises `Refusal`."""
        language = language_of(interaction)
        await answer(interaction, await self._gallery.film(language, game_id, round_no=round_no, form=form))

    async def _games(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Turn a page of somebody's games."""
        await acknowledge(interaction)
        shown = await inbox.inbox(self._table, interaction.user.id, language_of(interaction), ref.number or 0)
        if shown:
            await redraw(interaction, shown)

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
        await redraw(interaction, film)


async def _show_progress(interaction: Interaction[Any], text: str) -> None:
    """Say how far it is in place of "is thinking…"."""
    await redraw(interaction, lay_out([text]))
