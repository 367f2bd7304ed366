"""`/galley verify`, `history export`: a game's record, for anybody to check."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, ClassVar

import discord
from discord import Interaction
from msgspec import UNSET

from bot.discord.commands.family import Family
from bot.discord.messages.board import Attached, lay_out
from bot.discord.presses.interactions import answer, answer_in_pages, language_of
from bot.discord.presses.press import Presses
from bot.discord.sending.refusals import FAILURES
from bot.doors.table import Table
from bot.errors import Refusal
from bot.record import bundle, export, proofs
from bot.record.checking import Checked
from bot.record.checks import Checks
from bot.record.following import Followed, Following
from bot.store.publications import Published
from bot.telling import chronicle
from bot.telling.wording import called
from bot.words.i18n import Catalogue, Words
from bot.words.style import Said
from rules.errors import UnreadableOrder


class RecordCommands(Family):
    """Games on paper."""

    names: ClassVar = ("verify", "history.export")

    def __init__(self, table: Table, presses: Presses) -> None:
        super().__init__(table, presses)
        self._checks = Checks()

    async def _export(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number_to_read(interaction, game)
        paper = await self.table.archive.export(number, interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        over = isinstance(paper, export.Finished)
        text = words.say("say.exported", digest=paper.digest) if over else words.say("say.exported_so_far")
        if isinstance(paper, export.Finished) and isinstance(paper.published, str):
            text = words.say("say.exported_withdrawn", digest=paper.digest, published=paper.published)
        files = [Attached(name=bundle.name_of(number), data=export.write(paper))]
        if battles := await self.table.archive.battles(number):
            text = words.said("\n".join([text, words.say("say.exported_battles", n=len(battles))]))
            whole = [(number, export.write(paper)), *((one.number, export.write(one.paper)) for one in battles)]
            files.append(Attached(name=f"war-galley-{number}-battles.zip", data=bundle.pack(whole)))
        if over and chronicle.has((await self.table.reader.playing(number)).game):
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
            number = await self.number_to_read(interaction, game, over_first=True)
            known, kept = await self.table.archive.export(number, user), await self.table.archive.published(number)
            data = export.write(known)
            if isinstance(known, export.Finished):
                # Somebody may have kept the file from before a name was withdrawn.
                published, before = known.digest, "" if known.published is UNSET else known.published
        fought: list[bytes] = []
        if file is not None:  # only workers read it
            data, *fought = await self._checks.unpacked(user, await _download(interaction, file), interaction.guild_id)
        checked = await self._checks.check(
            user, data, published, kept, before, foreign=file is not None, place=interaction.guild_id
        )
        words = Words(Catalogue.load(language_of(interaction)))
        if checked.flaw:
            await answer(interaction, proofs.flaw(words, checked.flaw))
            return
        following = Following(words, checked)
        if (found := following.begin()).holds:
            given = self._handed_in(interaction, fought) if file else self._ours(interaction, number, following)
            found = await _followed(following, given)
        lines = [*proofs.proved(words, checked.proof, seals=False), *found.lines, *following.unseen()]
        if checked.proof.whole and file is None:  # what one wants to know, before what it rests on
            lines = [words.say("proof.right", game=called(words, await self.table.reader.playing(number))), *lines]
        await answer_in_pages(interaction, ["\n".join(lines if found.holds else found.lines)])

    async def _handed_in(self, interaction: Interaction[Any], fought: Sequence[bytes]) -> AsyncIterator[Checked]:
        """Check records of battles that came with that of their game."""
        for data in fought:
            yield await self._checks.check(
                interaction.user.id, data, "", (), "", foreign=True, place=interaction.guild_id
            )

    async def _ours(self, interaction: Interaction[Any], number: int, following: Following) -> AsyncIterator[Checked]:
        """Check the records of a game's battles that answered its questions."""
        for battle in await self.table.archive.battles(number):
            if not following.names(battle.request):
                continue
            noted, data = await self.table.archive.published(battle.number), export.write(battle.paper)
            seen = await self._checks.check(
                interaction.user.id, data, "", noted, "", foreign=False, place=interaction.guild_id
            )
            if seen.flaw or seen.ending:
                yield seen


async def _followed(following: Following, given: AsyncIterator[Checked]) -> Followed:
    """Hold the records of battles against their game's: what was proved of all of them, or the first flaw."""
    lines: list[Said] = []
    async for seen in given:
        found = following.take(seen, seen.ending)
        if not found.holds:
            return found
        lines += found.lines
    return Followed(holds=True, lines=tuple(lines))


async def _download(interaction: Interaction[Any], file: discord.Attachment) -> bytes:
    """Fetch what somebody has attached. Raises `Refusal` or `OrderError`."""
    if file.size > export.FILE_MOST:
        raise UnreadableOrder("export_too_long", piece="file", most=export.FILE_MOST // 2**20)
    try:
        return await file.read()
    except FAILURES as error:
        interaction.client.refusals.read(error)
        raise Refusal("not_downloaded") from error
