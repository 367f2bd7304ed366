"""`/galley new`, `join`, `leave`, `/galley-host start`, `cancel`: before a game begins."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, ClassVar, Final, cast

import discord
from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.discord.commands.family import (
    CommandFamily,
    game_choices,
    localized,
    make_choice,
    make_suggestion,
    set_autocomplete,
)
from bot.discord.ids import CustomId
from bot.discord.interactions.answering import lay_out_game_started
from bot.discord.interactions.responses import acknowledge, answer_privately, player_from_user, user_localizer
from bot.discord.limits import MAX_CHOICES
from bot.errors import Refusal
from bot.presenters import times
from bot.services import options
from bot.services.lobby import MAX_EXTENSIONS
from bot.store.models import pace
from bot.texts.style import PLAIN_STYLE
from rules.chance import fairness

MAX_NAME_CHARS: Final = 60


class LobbyCommands(CommandFamily):
    names: ClassVar = ("join", "leave", "host.start", "host.cancel")
    names_with_form: ClassVar = frozenset({"join"})

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        return {"new": self._build_new_command(), **super().commands()}

    def _build_new_command(self) -> app_commands.Command[Any, ..., None]:
        """Return `/galley new` with the options that all games share. A game's own options are chosen in its lobby."""

        async def new(interaction: Interaction[Any], **values: Any) -> None:  # noqa: ANN401 - the options below
            await self.carry_out(interaction, partial(self._new, interaction, values))

        seats = options.max_seats_of_any_game()
        types: dict[str, Any] = {  # by option
            "system": str,
            "opponent": discord.User,
            "opponent2": discord.User,
            "opponent3": discord.User,
            "computer": app_commands.Range[int, 0, seats - 1],
            "phase": app_commands.Range[str, 2, 60],
            "early": bool,
            "extensions": app_commands.Range[int, 0, MAX_EXTENSIONS],
            "missed": str,
            "private": bool,
            "rated": bool,
            "name": app_commands.Range[str, 1, MAX_NAME_CHARS],
        }
        # discord.py reads the options from the signature and the annotations of the function.
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter("interaction", kind, annotation=Interaction[Any])]
        parameters += [inspect.Parameter(key, kind, default=None, annotation=value) for key, value in types.items()]
        new.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        new.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        missed = [make_choice(f"missed.{value}", value) for value in ("mate", "hold")]
        app_commands.choices(system=game_choices(), missed=missed)(new)
        names = {key: "which_game" if key == "system" else key for key in types}
        app_commands.rename(**{key: localized(f"param_name.{name}") for key, name in names.items()})(new)
        # All three options for opponents have one description.
        app_commands.describe(**{key: localized(f"param.{key.rstrip('23')}") for key in types})(new)
        command: app_commands.Command[Any, ..., None] = app_commands.Command(
            name=localized("command_name.new"), description=localized("command.new"), callback=cast("Any", new)
        )
        set_autocomplete(command, "phase", self._suggest_pace)
        return command

    async def _suggest_pace(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        localizer = user_localizer(interaction, PLAIN_STYLE)
        paces = pace.suggest_paces(typed, await self.user_time_zone(interaction), MAX_CHOICES)
        return [
            make_suggestion(times.pace_text(localizer, suggestion), pace.format_pace(suggestion))
            for suggestion in paces
        ]

    async def _new(self, interaction: Interaction[Any], values: dict[str, Any]) -> None:
        values = {key: value for key, value in values.items() if value is not None}
        await self.router.opening_interactions.ask_or_open(interaction, values)

    async def _join(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        word: app_commands.Range[str, 1, fairness.MAX_WORD_CHARS] | None = None,
    ) -> None:
        game_id = await self.find_game(interaction, game, phases=("lobby",))
        player = player_from_user(interaction.user, str(interaction.locale))
        if word is None:
            await self.router.lobby_interactions.ask_for_word(interaction, player, CustomId(verb="join", game=game_id))
            return
        await acknowledge(interaction, ephemeral=True, thinking=True)
        has_begun, _ = await self.services.lobbies.join_lobby(player, game_id, word=word)
        if has_begun:
            await self._announce_start(interaction, game_id)
        else:
            await self.say(interaction, "say.joined")

    async def _leave(self, interaction: Interaction[Any], game: str | None = None) -> None:
        user = interaction.user.id
        game_id = await self.find_game(
            interaction, game, phases=("lobby",), is_likely=lambda seated_game: seated_game.seat_of(user) is not None
        )
        if await self.services.lobbies.would_cancel(user, game_id):
            await self.router.lobby_interactions.confirm_cancel(interaction, game_id)
            return
        was_counted = await self.services.lobbies.verdict_on_ending(user, game_id)
        await self.services.lobbies.leave_lobby(user, game_id)
        await self.say(interaction, "say.left_words" if was_counted else "say.left")

    async def _start(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self._find_hosted_game(interaction, game)
        await self.services.lobbies.start_game(interaction.user.id, game_id)
        await self._announce_start(interaction, game_id)

    async def _announce_start(self, interaction: Interaction[Any], number: int) -> None:
        await answer_privately(interaction, await lay_out_game_started(self.services, interaction, number))

    async def _cancel(self, interaction: Interaction[Any], game: str | None = None) -> None:
        game_id = await self._find_hosted_game(interaction, game)
        if not await self.services.lobbies.would_cancel(interaction.user.id, game_id):
            raise Refusal("not_host")
        await self.router.lobby_interactions.confirm_cancel(interaction, game_id)

    async def _find_hosted_game(self, interaction: Interaction[Any], game: str | None) -> int:
        user = interaction.user.id
        return await self.find_game(
            interaction, game, phases=("lobby",), is_likely=lambda seated_game: seated_game.game.host_id == user
        )
