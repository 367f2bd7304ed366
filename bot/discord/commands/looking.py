"""`/galley status`, `table`, `film`, `games`, `help`, `history log`, `history replay`: they change nothing."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from discord import Interaction, app_commands
from discord.app_commands import Choice

import render
from bot.discord.commands.family import CommandFamily, make_suggestion, set_autocomplete
from bot.discord.interactions.responses import answer_privately, user_language
from bot.discord.messages import welcome
from bot.discord.messages.board import lay_out_message
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import chronicle, times
from bot.presenters.readers.pictures import UserCrop, picture_kinds
from bot.presenters.wording import game_localizer, game_title, thread_link
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE, Markup


class ViewCommands(CommandFamily):
    names: ClassVar = ("status", "table", "film", "games", "help", "history.log", "history.replay")

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        commands = super().commands()
        set_autocomplete(commands["table"], "picture", self._suggest_picture)
        return commands

    async def _status(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game_to_read(interaction, game)
        facts = await self.services.reader.games.read_status(game_id)
        seated_game = facts.seated_game
        localizer = game_localizer(seated_game, user_language(interaction))
        lines = [f"### {game_title(localizer, seated_game)}"]
        if facts.awaited_requests:
            lines.append(localizer.say("status.waiting", who=[row.seat for row in facts.awaited_requests]))
        if seated_game.game.deadline and seated_game.game.phase != "over":
            lines.append(times.deadline_text(localizer, seated_game.game, seated_game.game.deadline))
        lines += [localizer.say("status.battle", **_game_params(localizer, battle)) for battle in facts.battles]
        if facts.parent:
            lines.append(localizer.say("thread.battle_of", **_game_params(localizer, facts.parent)))
        await answer_privately(interaction, lay_out_message(["\n".join(lines)]))
        await self.router.view_interactions.show_table(interaction, game_id)

    async def _table(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        picture: str | None = None,
        crop: str | None = None,
    ) -> None:
        game_id = await self.find_game_to_read(interaction, game)
        await self.router.view_interactions.show_table(interaction, game_id, picture, cast("UserCrop | None", crop))

    async def _suggest_picture(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        try:
            game_id = await self.find_game_to_read(interaction, getattr(interaction.namespace, "game", None))
        except Refusal:
            return []  # the command itself shows the refusal
        system = (await self.services.reader.games.seated_game(game_id)).game.system
        localizer = Localizer(Catalogue.load(user_language(interaction), system), style=PLAIN_STYLE)
        kinds = [(kind, localizer.say(f"kind.{kind}")) for kind in picture_kinds(system)]
        query = typed.strip().casefold()
        return [make_suggestion(name, kind) for kind, name in kinds if query in f"{kind} {name}".casefold()]

    async def _film(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        of_round: app_commands.Range[int, 1, 9999] | None = None,
        form: str = "webp",
    ) -> None:
        game_id = await self.find_game_to_read(interaction, game)
        await self.router.view_interactions.show_film(interaction, game_id, of_round, cast("render.FilmFormat", form))

    async def _replay(self, interaction: Interaction[Any], game: str | None = None, form: str = "webp") -> None:
        game_id = await self.find_game_to_read(interaction, game)
        await self.router.view_interactions.show_replay(interaction, game_id, cast("render.FilmFormat", form))

    async def _log(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self.find_game_to_read(interaction, game)
        *_, chapter = await self.services.reader.rounds.chapters(game_id)
        row = (await self.services.reader.games.seated_game(game_id)).game
        if row.phase == "over" and chronicle.has_chronicle(row):
            await self.router.view_interactions.show_chronicle(interaction, game_id)
        await self.router.view_interactions.show_log(interaction, game_id, chapter.steps[-1])

    async def _games(self, interaction: Interaction[Any]) -> None:
        await self.router.welcome_interactions.show_games(interaction)

    async def _help(self, interaction: Interaction[Any]) -> None:
        await answer_privately(interaction, welcome.help_page(user_language(interaction)))


def _game_params(localizer: Localizer, seated_game: SeatedGame) -> dict[str, Markup]:
    return {"game": game_title(localizer, seated_game), "thread": thread_link(localizer, seated_game.game)}
