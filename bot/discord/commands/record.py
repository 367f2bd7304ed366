"""`/galley verify`, `history export`: a game's record, for anybody to check."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, ClassVar

import discord
from discord import Interaction
from msgspec import UNSET

from bot.discord.commands.family import CommandFamily
from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.interactions.responses import answer_in_pages, answer_privately, user_language
from bot.discord.interactions.router import InteractionRouter
from bot.discord.messages.board import FileAttachment, lay_out_message
from bot.errors import Refusal
from bot.presenters import chronicle
from bot.presenters.wording import game_title
from bot.record import bundle, export, proofs
from bot.record.checking import CheckResult
from bot.record.checks import CheckQueue
from bot.record.following import BattleCheck, BattleChecker
from bot.services.table import Services
from bot.store.queries.publications import PublishedHash
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from rules.core.errors import UnreadableOrder


class RecordCommands(CommandFamily):
    """Games on paper."""

    names: ClassVar = ("verify", "history.export")

    def __init__(self, table: Services, presses: InteractionRouter) -> None:
        super().__init__(table, presses)
        self._checks = CheckQueue()

    async def _export(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number_to_read(interaction, game)
        paper = await self.services.archive.export_game(number, interaction.user.id)
        words = Localizer(Catalogue.load(user_language(interaction)))
        over = isinstance(paper, export.FinishedGame)
        text = words.say("say.exported", digest=paper.digest) if over else words.say("say.exported_so_far")
        if isinstance(paper, export.FinishedGame) and isinstance(paper.published, str):
            text = words.say("say.exported_withdrawn", digest=paper.digest, published=paper.published)
        files = [FileAttachment(name=bundle.file_name(number), data=export.encode_export(paper))]
        if battles := await self.services.archive.export_battles(number):
            text = words.to_markup("\n".join([text, words.say("say.exported_battles", n=len(battles))]))
            whole = [
                (number, export.encode_export(paper)),
                *((one.number, export.encode_export(one.record)) for one in battles),
            ]
            files.append(FileAttachment(name=f"war-galley-{number}-battles.zip", data=bundle.pack_records(whole)))
        if over and chronicle.has_chronicle((await self.services.reader.seated_game(number)).game):
            account = await self.services.reader.read_chronicle(number)
            files.append(await self.router.view_interactions.chronicle_file(account, user_language(interaction)))
            text = words.to_markup("\n".join([text, words.say("say.exported_chronicle")]))
        await answer_privately(interaction, lay_out_message([text, *files]))

    async def _verify(
        self, interaction: Interaction[Any], game: str | None = None, file: discord.Attachment | None = None
    ) -> None:
        user = interaction.user.id
        self.services.admit()
        published, before, data = "", "", b""
        kept: tuple[PublishedHash, ...] = ()
        if game is not None or file is None:
            number = await self.number_to_read(interaction, game, over_first=True)
            known, kept = (
                await self.services.archive.export_game(number, user),
                await self.services.archive.published_hashes(number),
            )
            data = export.encode_export(known)
            if isinstance(known, export.FinishedGame):
                # Somebody may have kept the file from before a name was withdrawn.
                published, before = known.digest, "" if known.published is UNSET else known.published
        fought: list[bytes] = []
        if file is not None:  # only workers read it
            data, *fought = await self._checks.unpack_file(
                user, await _download_attachment(interaction, file), interaction.guild_id
            )
        checked = await self._checks.check_record(
            user, data, published, kept, before, foreign=file is not None, place=interaction.guild_id
        )
        words = Localizer(Catalogue.load(user_language(interaction)))
        if checked.flaw:
            await answer_privately(interaction, proofs.flaw_text(words, checked.flaw))
            return
        following = BattleChecker(words, checked)
        if (found := following.check_unique()).is_valid:
            given = (
                self._check_submitted_battles(interaction, fought)
                if file
                else self._check_stored_battles(interaction, number, following)
            )
            found = await _check_battles(following, given)
        lines = [*proofs.proof_lines(words, checked.proof, seals=False), *found.lines, *following.missing_battles()]
        if checked.proof.is_finished and file is None:  # what one wants to know, before what it rests on
            lines = [
                words.say("proof.right", game=game_title(words, await self.services.reader.seated_game(number))),
                *lines,
            ]
        await answer_in_pages(interaction, ["\n".join(lines if found.is_valid else found.lines)])

    async def _check_submitted_battles(
        self, interaction: Interaction[Any], fought: Sequence[bytes]
    ) -> AsyncIterator[CheckResult]:
        """Check records of battles that came with that of their game."""
        for data in fought:
            yield await self._checks.check_record(
                interaction.user.id, data, "", (), "", foreign=True, place=interaction.guild_id
            )

    async def _check_stored_battles(
        self, interaction: Interaction[Any], number: int, following: BattleChecker
    ) -> AsyncIterator[CheckResult]:
        """Check the records of a game's battles that answered its questions."""
        for battle in await self.services.archive.export_battles(number):
            if not following.expects(battle.request):
                continue
            noted, data = (
                await self.services.archive.published_hashes(battle.number),
                export.encode_export(battle.record),
            )
            seen = await self._checks.check_record(
                interaction.user.id, data, "", noted, "", foreign=False, place=interaction.guild_id
            )
            if seen.flaw or seen.ending:
                yield seen


async def _check_battles(following: BattleChecker, given: AsyncIterator[CheckResult]) -> BattleCheck:
    """Hold the records of battles against their game's: what was proved of all of them, or the first flaw."""
    lines: list[Markup] = []
    async for seen in given:
        found = following.check_battle(seen, seen.ending)
        if not found.is_valid:
            return found
        lines += found.lines
    return BattleCheck(is_valid=True, lines=tuple(lines))


async def _download_attachment(interaction: Interaction[Any], file: discord.Attachment) -> bytes:
    """Fetch what somebody has attached. Raises `Refusal` or `OrderError`."""
    if file.size > export.MAX_FILE_BYTES:
        raise UnreadableOrder("export_too_long", piece="file", most=export.MAX_FILE_BYTES // 2**20)
    try:
        return await file.read()
    except REQUEST_ERRORS as error:
        interaction.client.refusals.parse_refusal(error)
        raise Refusal("not_downloaded") from error
