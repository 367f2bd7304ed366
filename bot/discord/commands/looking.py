"""`/galley status`, `table`, `film`, `games`, `help`, `history log`, `history replay`: they change nothing."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from discord import Interaction, app_commands
from discord.app_commands import Choice

import render
from bot.discord.commands.family import CommandFamily, make_suggestion, set_autocomplete
from bot.discord.interactions.responses import answer_privately, requester_of, user_language
from bot.discord.messages import welcome
from bot.discord.messages.board import lay_out_message
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import chronicle, times
from bot.presenters.readers.pictures import UserCrop, picture_kinds
from bot.presenters.rules import load_books, suggest_rules
from bot.presenters.wording import game_localizer, game_title, thread_link
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.rule_search import MAX_QUERY_CHARS
from bot.texts.rule_text import format_rule_text
from bot.texts.style import PLAIN_STYLE, Markup
from bot.texts.whole import playable_systems


class ViewCommands(CommandFamily):
    names: ClassVar = ("status", "table", "film", "games", "help", "history.log", "history.replay")

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        commands = super().commands()
        set_autocomplete(commands["table"], "picture", self._suggest_picture)
        set_autocomplete(commands["help"], "rule", self._suggest_rule)
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

    async def _help(
        self,
        interaction: Interaction[Any],
        rule: app_commands.Range[str, 1, MAX_QUERY_CHARS] | None = None,
    ) -> None:
        if rule is None:
            await answer_privately(interaction, welcome.help_page(user_language(interaction)))
            return
        await self.router.rule_interactions.show_typed_rule(interaction, rule, await self._game_of_place(interaction))

    async def _suggest_rule(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        language = user_language(interaction)
        await load_books(language)
        suggestions = suggest_rules(language, typed, await self._game_of_place(interaction))
        localizer = Localizer(Catalogue.load(language), style=PLAIN_STYLE)
        return [
            make_suggestion(f"{rule.number} {format_rule_text(localizer, rule.texts.title)}", rule.number)
            for rule in suggestions
        ]

    async def _game_of_place(self, interaction: Interaction[Any]) -> SeatedGame | None:
        """Return the game of this thread, the only lobby of this channel, or the user's only running game; or None."""
        games = self.services.reader.games
        thread_game = await games.game_of_thread(interaction.channel_id or 0)
        candidates = [thread_game] if thread_game else await self.visible_lobbies(interaction)
        candidates = await self.router.access.filter_visible(requester_of(interaction), candidates)
        if not candidates:
            candidates = await games.games_of_user(interaction.user.id)
        playable = [game for game in candidates if game.system in playable_systems()]
        return await games.seated_game(playable[0].id) if len(playable) == 1 else None


def _game_params(localizer: Localizer, seated_game: SeatedGame) -> dict[str, Markup]:
    return {"game": game_title(localizer, seated_game), "thread": thread_link(localizer, seated_game.game)}
