"""`/galley verify`, `history export`: exporting a game's record and checking one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, ClassVar

import discord
from discord import Interaction

from bot.discord.commands.family import CommandFamily
from bot.discord.delivery.refusals import REQUEST_ERRORS
from bot.discord.interactions.responses import answer_in_pages, answer_privately, user_language, user_localizer
from bot.discord.interactions.router import InteractionRouter
from bot.discord.messages.board import FileAttachment, lay_out_message
from bot.errors import Refusal
from bot.presenters import chronicle
from bot.presenters.wording import game_title
from bot.record import bundle, export, proofs
from bot.record.checking import CheckResult
from bot.record.checks import CheckQueue
from bot.record.following import BattleCheck, BattleChecker
from bot.services.archive import FinishedBattle
from bot.services.table import Services
from bot.store.queries.publications import PublishedHash
from bot.texts.style import Markup
from rules.core.errors import UnreadableOrder


class RecordCommands(CommandFamily):
    names: ClassVar = ("verify", "history.export")

    def __init__(self, services: Services, router: InteractionRouter) -> None:
        super().__init__(services, router)
        self._checks = CheckQueue()

    async def _export(self, interaction: Interaction[Any], game: str | None = None) -> None:
        self.services.admit()
        game_id = await self.find_game_to_read(interaction, game)
        record = await self.services.records.write_record(game_id, interaction.user.id)
        localizer = user_localizer(interaction)
        text = localizer.say("say.exported_so_far")
        if record.is_finished:
            text = localizer.say("say.exported", digest=record.digest)
        if record.published:
            text = localizer.say("say.exported_withdrawn", digest=record.digest, published=record.published)
        files = [FileAttachment(name=bundle.file_name(game_id), data=record.data)]
        battles = await self.services.records.finished_battles(game_id)
        if battles:
            text = localizer.to_markup("\n".join([text, localizer.say("say.exported_battles", n=len(battles))]))
            files.append(await self._pack_battles(game_id, record.data, battles))
        if record.is_finished and chronicle.has_chronicle((await self.services.reader.games.seated_game(game_id)).game):
            content = await self.services.reader.rounds.read_chronicle(game_id)
            files.append(await self.router.view_interactions.chronicle_file(content, user_language(interaction)))
            text = localizer.to_markup("\n".join([text, localizer.say("say.exported_chronicle")]))
        await answer_privately(interaction, lay_out_message([text, *files]))

    async def _pack_battles(self, game_id: int, record: bytes, battles: Sequence[FinishedBattle]) -> FileAttachment:
        write = self.services.records.write_finished
        records = [(game_id, record), *[(battle.number, (await write(battle.number)).data) for battle in battles]]
        data = await self.services.records.pack_records(records)
        return FileAttachment(name=f"war-galley-{game_id}-battles.zip", data=data)

    async def _verify(
        self, interaction: Interaction[Any], game: str | None = None, file: discord.Attachment | None = None
    ) -> None:
        user = interaction.user.id
        self.services.admit()
        data = b""
        published_digest = earlier_digest = ""  # empty: nothing of it was published here
        hashes: tuple[PublishedHash, ...] = ()
        if game is not None or file is None:
            game_id = await self.find_game_to_read(interaction, game, over_first=True)
            record = await self.services.records.write_record(game_id, user)
            hashes = await self.services.archive.published_hashes(game_id)
            data = record.data
            if record.is_finished:
                published_digest = record.digest
                earlier_digest = record.published  # the file may date from before a name was withdrawn
        battle_files: list[bytes] = []
        if file is not None:  # only workers parse foreign files
            data, *battle_files = await self._checks.unpack_file(
                user, await _download_attachment(interaction, file), interaction.guild_id
            )
        check = await self._checks.check_record(
            user,
            data,
            published_digest,
            hashes,
            earlier_digest,
            submitted=file is not None,
            guild_id=interaction.guild_id,
        )
        localizer = user_localizer(interaction)
        if check.flaw:
            await answer_privately(interaction, proofs.flaw_text(localizer, check.flaw))
            return
        checker = BattleChecker(localizer, check)
        result = checker.check_unique()
        if result.is_valid:
            battle_results = (
                self._check_submitted_battles(interaction, battle_files)
                if file
                else self._check_stored_battles(interaction, game_id, checker)
            )
            result = await _check_battles(checker, battle_results)
        lines = [
            *proofs.proof_lines(localizer, check.proof),
            *proofs.recomputation_lines(localizer, check.recomputation),
            *result.lines,
            *checker.missing_battles(),
        ]
        if check.proof.is_finished and file is None:  # the conclusion comes before its proof
            seated_game = await self.services.reader.games.seated_game(game_id)
            lines = [localizer.say("proof.right", game=game_title(localizer, seated_game)), *lines]
        await answer_in_pages(interaction, lines if result.is_valid else result.lines)

    async def _check_submitted_battles(
        self, interaction: Interaction[Any], battle_files: Sequence[bytes]
    ) -> AsyncIterator[CheckResult]:
        for data in battle_files:
            yield await self._checks.check_record(
                interaction.user.id, data, "", (), "", submitted=True, guild_id=interaction.guild_id
            )

    async def _check_stored_battles(
        self, interaction: Interaction[Any], number: int, checker: BattleChecker
    ) -> AsyncIterator[CheckResult]:
        """Yield results for battles of a game that the bot has stored; flawless unfinished ones are left out."""
        for battle in await self.services.records.finished_battles(number):
            if not checker.expects(battle.request):
                continue
            hashes = await self.services.archive.published_hashes(battle.number)
            data = (await self.services.records.write_finished(battle.number)).data
            checked = await self._checks.check_record(
                interaction.user.id, data, "", hashes, "", submitted=False, guild_id=interaction.guild_id
            )
            if checked.flaw or checked.ending:
                yield checked


async def _check_battles(checker: BattleChecker, results: AsyncIterator[CheckResult]) -> BattleCheck:
    """Check records of battles against the record of their game. Return the lines of all, or the first failure."""
    lines: list[Markup] = []
    async for checked in results:
        result = checker.check_battle(checked, checked.ending)
        if not result.is_valid:
            return result
        lines += result.lines
    return BattleCheck(is_valid=True, lines=tuple(lines))


async def _download_attachment(interaction: Interaction[Any], file: discord.Attachment) -> bytes:
    """Download an attachment. Raises `Refusal` or `OrderError`."""
    if file.size > export.MAX_FILE_BYTES:
        raise UnreadableOrder("export_too_long", piece="file", most=export.MAX_FILE_BYTES // 2**20)
    try:
        return await file.read()
    except REQUEST_ERRORS as error:
        interaction.client.refusals.parse_refusal(error)
        raise Refusal("not_downloaded") from error
