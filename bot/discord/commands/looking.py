"""`/galley status`, `table`, `film`, `games`, `help`, `history log`, `history replay`: they change nothing."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from discord import Interaction, app_commands
from discord.app_commands import Choice

import render
from bot.discord.commands.family import Family, suggest
from bot.discord.messages import welcome
from bot.discord.messages.board import lay_out
from bot.discord.presses.interactions import answer, language_of
from bot.errors import Refusal
from bot.life.playing import Playing
from bot.telling import chronicle, times
from bot.telling.gallery import Cut, kinds
from bot.telling.wording import called, place_of, words_of
from bot.words.i18n import Catalogue, Words
from bot.words.style import PLAIN, Said


class LookingCommands(Family):
    """Words, pictures and films for the user who asks."""

    names: ClassVar = ("status", "table", "film", "games", "help", "history.log", "history.replay")

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        """Return all of them; `table` suggests what its game has pictures of."""
        commands = super().commands()
        suggest(commands["table"], "picture", self._suggest_picture)
        return commands

    async def _status(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number_to_read(interaction, game)
        facts = await self.table.reader.status(number)
        playing = facts.playing
        words = words_of(playing, language_of(interaction))
        lines = [f"### {called(words, playing)}"]
        if facts.waiting:
            lines.append(words.say("status.waiting", who=[row.seat for row in facts.waiting]))
        if playing.game.deadline and playing.game.phase != "over":
            lines.append(times.deadline(words, playing.game, playing.game.deadline))
        lines += [words.say("status.battle", **_named(words, battle)) for battle in facts.battles]
        if facts.above:
            lines.append(words.say("thread.battle_of", **_named(words, facts.above)))
        await answer(interaction, lay_out(["\n".join(lines)]))
        await self.presses.reading.table(interaction, number)

    async def _table(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        picture: str | None = None,
        crop: str | None = None,
    ) -> None:
        number = await self.number_to_read(interaction, game)
        await self.presses.reading.table(interaction, number, picture, cast("Cut | None", crop))

    async def _suggest_picture(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        """What a picture of the game that is named, or of this thread, may be about."""
        try:
            number = await self.number_to_read(interaction, getattr(interaction.namespace, "game", None))
        except Refusal:
            return []  # the command itself says why
        system = (await self.table.reader.playing(number)).game.system
        words = Words(Catalogue.load(language_of(interaction), system), style=PLAIN)
        found = [(kind, words.say(f"kind.{kind}")) for kind in kinds(system)]
        wanted = typed.strip().casefold()
        return [Choice(name=name[:100], value=kind) for kind, name in found if wanted in f"{kind} {name}".casefold()]

    async def _film(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        of_round: app_commands.Range[int, 1, 9999] | None = None,
        form: str = "webp",
    ) -> None:
        number = await self.number_to_read(interaction, game)
        await self.presses.reading.film(interaction, number, of_round, cast("render.Format", form))

    async def _replay(self, interaction: Interaction[Any], game: str | None = None, form: str = "webp") -> None:
        number = await self.number_to_read(interaction, game)
        await self.presses.reading.replay(interaction, number, cast("render.Format", form))

    async def _log(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self.number_to_read(interaction, game)
        *_, chapter = await self.table.reader.chapters(number)
        told = (await self.table.reader.playing(number)).game
        if told.phase == "over" and chronicle.has(told):
            await self.presses.reading.chronicle(interaction, number)
        await self.presses.reading.log(interaction, number, chapter.steps[-1])

    async def _games(self, interaction: Interaction[Any]) -> None:
        await self.presses.welcome.games(interaction)

    async def _help(self, interaction: Interaction[Any]) -> None:
        await answer(interaction, welcome.help_page(language_of(interaction)))


def _named(words: Words, playing: Playing) -> dict[str, Said]:
    """A game by its name and its thread."""
    return {"game": called(words, playing), "thread": place_of(words, playing.game)}
