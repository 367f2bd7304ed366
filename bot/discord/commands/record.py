"""`/galley verify`, `history export`: a game's record, for anybody to check."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, ClassVar

import discord
from discord import Interaction
from msgspec import UNSET

from bot.discord.commands.family import CommandFamily
from bot.discord.messages.board import FileAttachment, lay_out_message
from bot.discord.presses.interactions import answer_in_pages, answer_privately, user_language
from bot.discord.presses.press import InteractionRouter
from bot.discord.sending.refusals import REQUEST_ERRORS
from bot.doors.table import Services
from bot.errors import Refusal
from bot.record import bundle, export, proofs
from bot.record.checking import CheckResult
from bot.record.checks import CheckQueue
from bot.record.following import BattleCheck, BattleChecker
from bot.store.publications import PublishedHash
from bot.telling import chronicle
from bot.telling.wording import game_title
from bot.words.i18n import Catalogue, Localizer
from bot.words.style import Markup
from rules.errors import UnreadableOrder


class RecordCommands(CommandFamily):
    """Games on paper."""

    names: ClassVar = ("verify", "history.export")

    def __init__(self, table: Services, presses: InteractionRouter) -> None:
        super().__init__(table, presses)
        self._checks = CheckQueue()

    async def _export(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number_to_read(interaction, game)
        paper = await self.table.archive.export(number, interaction.user.id)
        words = Localizer(Catalogue.load(user_language(interaction)))
        over = isinstance(paper, export.FinishedGame)
        text = words.say("say.exported", digest=paper.digest) if over else words.say("say.exported_so_far")
        if isinstance(paper, export.FinishedGame) and isinstance(paper.published, str):
            text = words.say("say.exported_withdrawn", digest=paper.digest, published=paper.published)
        files = [FileAttachment(name=bundle.file_name(number), data=export.encode_export(paper))]
        if battles := await self.table.archive.battles(number):
            text = words.said("\n".join([text, words.say("say.exported_battles", n=len(battles))]))
            whole = [
                (number, export.encode_export(paper)),
                *((one.number, export.encode_export(one.paper)) for one in battles),
            ]
            files.append(FileAttachment(name=f"war-galley-{number}-battles.zip", data=bundle.pack_records(whole)))
        if over and chronicle.has_chronicle((await self.table.reader.playing(number)).game):
            account = await self.table.reader.chronicle(number)
            files.append(await self.presses.reading.page(account, user_language(interaction)))
            text = words.said("\n".join([text, words.say("say.exported_chronicle")]))
        await answer_privately(interaction, lay_out_message([text, *files]))

    async def _verify(
        self, interaction: Interaction[Any], game: str | None = None, file: discord.Attachment | None = None
    ) -> None:
        user = interaction.user.id
        self.table.admit()
        published, before, data = "", "", b""
        kept: tuple[PublishedHash, ...] = ()
        if game is not None or file is None:
            number = await self.number_to_read(interaction, game, over_first=True)
            known, kept = await self.table.archive.export(number, user), await self.table.archive.published(number)
            data = export.encode_export(known)
            if isinstance(known, export.FinishedGame):
                # Somebody may have kept the file from before a name was withdrawn.
                published, before = known.digest, "" if known.published is UNSET else known.published
        fought: list[bytes] = []
        if file is not None:  # only workers read it
            data, *fought = await self._checks.unpacked(
                user, await _download_attachment(interaction, file), interaction.guild_id
            )
        checked = await self._checks.check(
            user, data, published, kept, before, foreign=file is not None, place=interaction.guild_id
        )
        words = Localizer(Catalogue.load(user_language(interaction)))
        if checked.flaw:
            await answer_privately(interaction, proofs.flaw_text(words, checked.flaw))
            return
        following = BattleChecker(words, checked)
        if (found := following.begin()).holds:
            given = self._handed_in(interaction, fought) if file else self._ours(interaction, number, following)
            found = await _check_battles(following, given)
        lines = [*proofs.proof_lines(words, checked.proof, seals=False), *found.lines, *following.unseen()]
        if checked.proof.whole and file is None:  # what one wants to know, before what it rests on
            lines = [words.say("proof.right", game=game_title(words, await self.table.reader.playing(number))), *lines]
        await answer_in_pages(interaction, ["\n".join(lines if found.holds else found.lines)])

    async def _handed_in(self, interaction: Interaction[Any], fought: Sequence[bytes]) -> AsyncIterator[CheckResult]:
        """Check records of battles that came with that of their game."""
        for data in fought:
            yield await self._checks.check(
                interaction.user.id, data, "", (), "", foreign=True, place=interaction.guild_id
            )

    async def _ours(
        self, interaction: Interaction[Any], number: int, following: BattleChecker
    ) -> AsyncIterator[CheckResult]:
        """Check the records of a game's battles that answered its questions."""
        for battle in await self.table.archive.battles(number):
            if not following.names(battle.request):
                continue
            noted, data = await self.table.archive.published(battle.number), export.encode_export(battle.paper)
            seen = await self._checks.check(
                interaction.user.id, data, "", noted, "", foreign=False, place=interaction.guild_id
            )
            if seen.flaw or seen.ending:
                yield seen


async def _check_battles(following: BattleChecker, given: AsyncIterator[CheckResult]) -> BattleCheck:
    """Hold the records of battles against their game's: what was proved of all of them, or the first flaw."""
    lines: list[Markup] = []
    async for seen in given:
        found = following.take(seen, seen.ending)
        if not found.holds:
            return found
        lines += found.lines
    return BattleCheck(holds=True, lines=tuple(lines))


async def _download_attachment(interaction: Interaction[Any], file: discord.Attachment) -> bytes:
    """Fetch what somebody has attached. Raises `Refusal` or `OrderError`."""
    if file.size > export.MAX_FILE_BYTES:
        raise UnreadableOrder("export_too_long", piece="file", most=export.MAX_FILE_BYTES // 2**20)
    try:
        return await file.read()
    except REQUEST_ERRORS as error:
        interaction.client.refusals.read(error)
        raise Refusal("not_downloaded") from error
