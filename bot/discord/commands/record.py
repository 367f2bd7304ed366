"""`/galley export`, `verify`: a game's record, for anybody to check."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar

import discord
from discord import Interaction
from msgspec import UNSET

from bot.discord.commands.family import Family
from bot.discord.messages.board import Attached, lay_out
from bot.discord.presses.interactions import answer, language_of
from bot.discord.presses.press import Presses
from bot.doors.table import Table
from bot.errors import Refusal, TooMuch
from bot.record import checking, export, proofs
from bot.store.publications import Published
from bot.words.i18n import Catalogue, Words
from rules.errors import UnreadableOrder


class RecordCommands(Family):
    """Games on paper."""

    names: ClassVar = ("export", "verify")

    def __init__(self, table: Table, presses: Presses) -> None:
        super().__init__(table, presses)
        self._verifying: dict[bool, int] = {}
        """Users whose record is being replayed: one handed in, and one of our own games."""

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
        self.table.admit()
        published, before, data = "", "", b""
        kept: tuple[Published, ...] = ()
        if game is not None or file is None:
            number = await self.number(interaction, game)
            known, kept = await self.table.archive.export(number, user), await self.table.archive.published(number)
            data = export.write(known)
            if isinstance(known, export.Finished):
                # Somebody may have kept the file from before a name was withdrawn.
                published, before = known.digest, "" if known.published is UNSET else known.published
        if file is not None:
            data = await _download(file)  # only workers read it
        check = partial(checking.checked, data, published, kept, before)
        checked = await self._checked(user, check, foreign=file is not None)
        words = Words(Catalogue.load(language_of(interaction)))
        if checked.flaw:
            await answer(interaction, proofs.flaw(words, checked.flaw))
        else:
            lines = [*proofs.proved(words, checked.proof, seals=False), *proofs.unseen(words, checked.battles)]
            await answer(interaction, lay_out(["\n".join(lines)]))

    async def _checked(
        self, user: int, check: Callable[[], Awaitable[checking.Checked]], *, foreign: bool
    ) -> checking.Checked:
        """Check a record beside all else. Raises `Refusal` if another is being checked, or this is too much.

        It may have been made up to keep us busy; so of what was handed in there is one at a time, and none waits.
        """
        if user in self._verifying.values():
            raise Refusal("verifying")
        if foreign in self._verifying:
            raise Refusal("verifying_another")
        self._verifying[foreign] = user
        try:
            return await check()
        except TooMuch as endless:
            raise Refusal("verify_too_much") from endless
        finally:
            del self._verifying[foreign]


async def _download(file: discord.Attachment) -> bytes:
    """Fetch what somebody has attached. Raises `Refusal` or `OrderError`."""
    if file.size > export.FILE_MOST:
        raise UnreadableOrder("export_too_long", piece="file", most=export.FILE_MOST // 2**20)
    try:
        return await file.read()
    except discord.HTTPException as gone:
        raise Refusal("not_downloaded") from gone
