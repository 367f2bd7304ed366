"""`/galley export`, `verify`: a game's record, for anybody to check."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any, ClassVar

import discord
from discord import Interaction
from msgspec import UNSET

from bot.discord.commands.family import Family
from bot.discord.messages.board import Attached, lay_out
from bot.discord.presses.interactions import answer, answer_in_pages, language_of
from bot.discord.presses.press import Presses
from bot.doors.archive import Fought
from bot.doors.table import Table
from bot.errors import Refusal
from bot.record import export, proofs
from bot.record.checks import Checks
from bot.record.following import Following
from bot.store.publications import Published
from bot.telling import chronicle
from bot.words.i18n import Catalogue, Words
from rules.errors import UnreadableOrder


class RecordCommands(Family):
    """Games on paper."""

    names: ClassVar = ("export", "verify")

    def __init__(self, table: Table, presses: Presses) -> None:
        super().__init__(table, presses)
        self._checks = Checks()

    async def _export(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number(interaction, game)
        paper = await self.table.archive.export(number, interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        whole = isinstance(paper, export.Finished)
        text = words.say("say.exported", digest=paper.digest) if whole else words.say("say.exported_so_far")
        if isinstance(paper, export.Finished) and isinstance(paper.published, str):
            text = words.say("say.exported_withdrawn", digest=paper.digest, published=paper.published)
        files = [Attached(name=f"war-galley-{number}.json", data=export.write(paper))]
        if battles := await self.table.archive.battles(number):
            text = words.said("\n".join([text, words.say("say.exported_battles", n=len(battles))]))
            files.append(Attached(name=f"war-galley-{number}-battles.zip", data=_zipped(battles)))
        if whole and chronicle.has((await self.table.reader.playing(number)).game):
            account = await self.table.reader.chronicle(number)
            files.append(await self.presses.reading.page(account, language_of(interaction)))
            text = words.said("\n".join([text, words.say("say.exported_chronicle")]))
        await answer(interaction, lay_out([text, *files]))

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
        checked = await self._checks.check(
            user, data, published, kept, before, foreign=file is not None, place=interaction.guild_id
        )
        words = Words(Catalogue.load(language_of(interaction)))
        if checked.flaw:
            await answer(interaction, proofs.flaw(words, checked.flaw))
        else:
            following = Following(words, checked)
            found = following.begin()
            lines = [*proofs.proved(words, checked.proof, seals=False)]
            battles = await self.table.archive.battles(number) if file is None and checked.battles else []
            for battle in battles:
                if not found.holds or not following.names(battle.request):
                    continue
                noted, data = await self.table.archive.published(battle.number), export.write(battle.paper)
                seen = await self._checks.check(user, data, "", noted, "", foreign=False, place=interaction.guild_id)
                if seen.flaw or seen.ending:
                    found = following.take(seen, seen.ending)
                    lines += found.lines
            lines = [*lines, *following.unseen()] if found.holds else [*found.lines]
            await answer_in_pages(interaction, ["\n".join(lines)])


def _zipped(battles: Sequence[Fought]) -> bytes:
    """A zip of battles' records, each a file that is named by the game's number."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for one in battles:
            name = zipfile.ZipInfo(f"war-galley-{one.number}.json")
            bundle.writestr(name, export.write(one.paper), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


async def _download(file: discord.Attachment) -> bytes:
    """Fetch what somebody has attached. Raises `Refusal` or `OrderError`."""
    if file.size > export.FILE_MOST:
        raise UnreadableOrder("export_too_long", piece="file", most=export.FILE_MOST // 2**20)
    try:
        return await file.read()
    except discord.HTTPException as gone:
        raise Refusal("not_downloaded") from gone
