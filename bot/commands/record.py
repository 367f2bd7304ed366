"""`/galley export`, `verify`: a game's record, for anybody to check."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, Final

import discord
from discord import Interaction

from bot import export
from bot.commands.family import Family
from bot.errors import Refusal
from bot.i18n import Catalogue, Words
from bot.panels.answering import answer, language_of
from bot.panels.board import Attached, lay_out
from bot.panels.press import Presses
from bot.table import Table
from bot.workers import TooMuch, alone
from rules.errors import UnreadableOrder
from rules.replay import Flaw

REPLAY_MOST_S: Final = 60
"""Seconds of processor time that a game may take to be replayed."""


class RecordCommands(Family):
    """Games on paper."""

    names: ClassVar = ("export", "verify")

    def __init__(self, table: Table, presses: Presses) -> None:
        super().__init__(table, presses)
        self._verifying: set[int] = set()
        """Users for whom a record is being replayed."""
        self._one_by_one = asyncio.Lock()

    async def _export(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number(interaction, game)
        paper = await self.table.archive.export(number, interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        whole = isinstance(paper, export.Finished)
        text = words.say("say.exported", digest=paper.digest) if whole else words.say("say.exported_so_far")
        if isinstance(paper, export.Finished) and isinstance(paper.published, str):
            text = words.say("say.exported_withdrawn", digest=paper.digest, published=paper.published)
        file = Attached(name=f"war-galley-{number}.json", data=export.write(paper))
        await answer(interaction, lay_out([text, file]))

    async def _verify(
        self, interaction: Interaction[Any], game: str | None = None, file: discord.Attachment | None = None
    ) -> None:
        user = interaction.user.id
        published, data = "", b""
        if game is not None or file is None:
            known = await self.table.archive.export(await self.number(interaction, game), user)
            data = export.write(known)
            published = known.digest if isinstance(known, export.Finished) else ""
        if file is not None:
            data = await _download(file)
        if user in self._verifying:
            raise Refusal("verifying")
        self._verifying.add(user)
        try:
            seen = await self.table.workers.draw(export.glance, data)
            if seen.whole:
                flaw = await self._replayed(data, published)
            else:
                flaw = await self.table.workers.draw(export.check, data, published)
        finally:
            self._verifying.remove(user)
        if flaw:
            await self.say(interaction, f"flaw.{flaw.what}", step=flaw.step, piece=flaw.piece)
            return
        if seen.whole:
            await self.say(interaction, "say.verified", digest=seen.digest)
        else:
            await self.say(interaction, "say.verified_so_far")

    async def _replayed(self, data: bytes, published: str) -> Flaw | None:
        """Check a whole game. Raises `Refusal` if that is more than one game can be.

        It may have been made up to keep us busy, so it is done beside all else, and one after another.
        """
        async with self._one_by_one:
            try:
                return await alone(REPLAY_MOST_S, export.check, data, published)
            except TooMuch as endless:
                raise Refusal("verify_too_much") from endless


async def _download(file: discord.Attachment) -> bytes:
    """Fetch what somebody has attached. Raises `Refusal` or `OrderError`."""
    if file.size > export.FILE_MOST:
        raise UnreadableOrder("export_too_long", piece="file", most=export.FILE_MOST // 2**20)
    try:
        return await file.read()
    except discord.HTTPException as gone:
        raise Refusal("not_downloaded") from gone
