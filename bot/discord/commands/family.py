"""Base class of slash commands: how they are described, how they find their game, how they answer."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, cached_property, partial
from types import MethodType
from typing import Any, ClassVar, Final, cast, get_args

from discord import Interaction, app_commands
from discord.app_commands import Choice, locale_str

import render
from bot import logs
from bot.discord.ids import CustomId
from bot.discord.interactions.answering import with_game_name
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    requester_of,
    state_of,
    user_localizer,
)
from bot.discord.interactions.router import InteractionRouter
from bot.discord.limits import MAX_CHOICE_CHARS, MAX_CHOICES
from bot.discord.messages.quoting import ambiguous_game_refusal, game_choice_blocks
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame, refuse_left_out
from bot.presenters.lessons import lesson_name
from bot.presenters.readers.pictures import UserCrop
from bot.presenters.wording import game_title
from bot.services import meaning
from bot.services.preferences import zone_of
from bot.services.table import Services
from bot.store.models.records import Game
from bot.texts.i18n import Catalogue
from bot.texts.style import PLAIN_STYLE, shorten
from bot.texts.whole import playable_systems

MAX_GAMES_SEARCHED: Final = 100
"""A user's newest games among which suggestions are searched; an older game is named by its full number."""

_OPTION_NAMES: Final = {"of_round": "round", "form": "format"}
"""Options whose parameters have another name, because the option's name would hide a Python builtin."""
_OPTION_VALUES: Final = {
    "form": get_args(render.FilmFormat),
    "crop": get_args(UserCrop),
}


@cache
def localized(key: str, system: str = "") -> locale_str:
    """Return the English name or description of a key; the translator replaces it with the user's language."""
    return locale_str(Catalogue.load("en", system).say(key), key=key, system=system)


def make_choice(key: str, value: str, system: str = "") -> Choice[str]:
    return Choice(name=localized(key, system), value=value)


def make_suggestion(name: str, value: str) -> Choice[str]:
    return Choice(name=name[:MAX_CHOICE_CHARS], value=value)


@cache
def lesson_choice(title_key: str, system: str, number: int) -> Choice[str]:
    name = lesson_name(Catalogue.load("en", system), title_key, number)
    return Choice(name=locale_str(name, key=title_key, system=system, lesson=number), value=f"{system}.{number}")


def game_choices() -> list[Choice[str]]:
    return [make_choice("game", name, name) for name in playable_systems()]


def set_autocomplete(
    command: app_commands.Command[Any, ..., None],
    option: str,
    suggest: Callable[[Interaction[Any], str], Awaitable[list[Choice[str]]]],
) -> None:
    """Offer suggestions for an option while a user types up to `MAX_CHOICE_CHARS`."""

    async def suggest_unless_too_long(interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        return await suggest(interaction, typed) if len(typed) <= MAX_CHOICE_CHARS else []

    command.autocomplete(option)(suggest_unless_too_long)


def _signature_without_self(method: Callable[..., object]) -> inspect.Signature:
    """Return a method's signature for discord.py, which wants options that are not keyword-only."""
    parameters = list(inspect.signature(method, eval_str=True).parameters.values())[1:]
    return inspect.Signature(
        [parameter.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for parameter in parameters]
    )


def _refuse_ambiguous_game(interaction: Interaction[Any], games: Sequence[tuple[SeatedGame, str]]) -> Refusal:
    if _offer_games(interaction, games):
        return Refusal("which_game")
    return ambiguous_game_refusal(user_localizer(interaction), [seated_game for seated_game, _ in games])


def _offer_games(interaction: Interaction[Any], games: Sequence[tuple[SeatedGame, str]]) -> bool:
    """Offer buttons that repeat the command for one of these games. Return whether that is possible.

    Each game comes with the request that the text may answer. A button can carry only text, no other options.
    """
    state = state_of(interaction)
    options = state.command_options
    if not state.command or any(value for option, value in options.items() if option not in ("game", "text")):
        return False
    games_with_ids = [
        (seated_game, CustomId(verb="again", game=seated_game.game.id, request=request, token=state.command))
        for seated_game, request in games
    ]
    localizer = user_localizer(interaction)
    state.refusal_blocks = tuple(game_choice_blocks(localizer, games_with_ids, options.get("text") or ""))
    return True


class CommandFamily:
    """Related commands. The command `undo`, or `host.undo` in the group `host`, is the method `_undo` of a subclass."""

    names: ClassVar[tuple[str, ...]]  # keys in the catalogues, such as `host.undo` for a command of the group `host`
    names_with_form: ClassVar[frozenset[str]] = frozenset()
    """Commands that may open a form, which must be their first answer. They acknowledge the interaction themselves."""

    def __init__(self, services: Services, router: InteractionRouter) -> None:
        self.services = services
        self.router = router

    def option_values(self) -> dict[str, list[Choice[str]]]:
        return {}

    @cached_property
    def _all_option_values(self) -> dict[str, list[Choice[str]]]:
        return self.option_values()

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        return {name: self.build_command(name, getattr(self, f"_{name.rpartition('.')[2]}")) for name in self.names}

    def build_command(
        self, name: str, callback: Callable[..., Awaitable[None]]
    ) -> app_commands.Command[Any, ..., None]:
        """Return a slash command that calls `callback`, with names, descriptions and choices in each language."""

        async def run(interaction: Interaction[Any], **values: Any) -> None:  # noqa: ANN401 - options of any command
            state = state_of(interaction)
            state.command = name
            state.command_options = values
            defers = name not in self.names_with_form
            await self.carry_out(interaction, partial(callback, interaction, **values), defers=defers)

        # discord.py reads the options from the signature and the annotations of the function.
        signature = _signature_without_self(cast("MethodType", callback).__func__)
        run.__signature__ = signature  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in signature.parameters.values()}
        options = [name for name in signature.parameters if name != "interaction"]
        described = app_commands.describe(
            **{option: localized(f"param.{_OPTION_NAMES.get(option, option)}") for option in options}
        )(run)
        described = app_commands.rename(
            **{option: localized(f"param_name.{_OPTION_NAMES.get(option, option)}") for option in options}
        )(described)
        described = app_commands.choices(
            **{
                option: [make_choice(f"shown.{value}", value) for value in _OPTION_VALUES[option]]
                for option in options
                if option in _OPTION_VALUES
            },
            **{option: choices for option, choices in self._all_option_values.items() if option in options},
        )(described)
        command: app_commands.Command[Any, ..., None] = app_commands.Command(
            name=localized(f"command_name.{name}"),
            description=localized(f"command.{name}"),
            callback=cast("Any", described),
        )
        if "game" in options:
            set_autocomplete(command, "game", self._suggest_game)
            self.router.repeat_command[name] = callback
            if name in self.names_with_form:
                self.router.repeated_with_form.add(name)
        return command

    async def carry_out(
        self, interaction: Interaction[Any], action: Callable[[], Awaitable[None]], *, defers: bool = True
    ) -> None:
        async def defer_and_act() -> None:
            self.services.denials.refuse_denied(interaction.user.id, interaction.guild_id)
            if defers:
                await acknowledge(interaction, ephemeral=True, thinking=True)
            await action()

        what = interaction.command.qualified_name if interaction.command else ""
        await self.router.responder.run_guarded(interaction, f"/{what}", defer_and_act())

    async def find_game(
        self,
        interaction: Interaction[Any],
        game: str | None,
        *,
        phases: tuple[str, ...] = ("running", "resolving"),
        is_likely: Callable[[SeatedGame], bool] = lambda _: True,
    ) -> int:
        """Return the number of the game: the named one, this thread's, or the only likely one of the user.

        Raises `Refusal` if there is none or several are possible.
        """
        game_id = await self._find_game(interaction, game, phases, is_likely)
        logs.add_values(game=game_id)
        state = state_of(interaction)
        state.game_id = game_id
        state.is_game_named = game is not None
        return game_id

    async def find_game_to_read(
        self, interaction: Interaction[Any], game: str | None, *, over_first: bool = False
    ) -> int:
        """Return the number of the game to be read: the named one, the one of this thread, or one of the user's.

        Running games come before finished ones; `over_first` reverses that.
        """
        running_phases, over_phases = ("running", "resolving"), ("over",)
        preferred, others = (over_phases, running_phases) if over_first else (running_phases, over_phases)
        try:
            return await self.find_game(interaction, game, phases=preferred)
        except Refusal as refusal:
            if refusal.key != "no_game":
                raise
        return await self.find_game(interaction, game, phases=others)

    async def _find_game(
        self,
        interaction: Interaction[Any],
        game: str | None,
        phases: tuple[str, ...],
        is_likely: Callable[[SeatedGame], bool],
    ) -> int:
        """Find a game like `find_game`, without noting it for the interaction and the log. Raises `Refusal`."""
        if game is not None:
            number = game.strip().lstrip("#")
            if not (number.isascii() and number.isdecimal()) or len(number) > 9:
                raise Refusal("unknown_game", piece=game)
            return (await self.router.access.require_visible(requester_of(interaction), int(number))).id
        thread_game = await self.services.reader.games.game_of_thread(interaction.channel_id or 0)
        if thread_game:
            return (await self.router.access.require_visible(requester_of(interaction), thread_game.id)).id
        user_games = await self.services.reader.games.games_of_user(
            interaction.user.id, ended="over" in phases, most=MAX_GAMES_SEARCHED
        )
        candidates = [candidate for candidate in user_games if candidate.phase in phases]
        if not candidates and phases == ("lobby",):
            candidates = await self.visible_lobbies(interaction)
        if not candidates:
            raise Refusal("no_game")
        if len(candidates) == 1:
            refuse_left_out(candidates[0])
            return candidates[0].id
        seated_games = await self.services.reader.games.seated_games(candidates)
        matches = [seated_game for seated_game in seated_games if is_likely(seated_game)] or seated_games
        if len(matches) > 1:
            raise _refuse_ambiguous_game(interaction, [(seated_game, "") for seated_game in matches])
        refuse_left_out(matches[0].game)
        return matches[0].game.id

    async def find_game_for_text(self, interaction: Interaction[Any], game: str | None, text: str) -> int:
        """Like `find_game`, but if several games are possible, return the only one with a request that `text` fits."""
        try:
            return await self.find_game(interaction, game)
        except Refusal as refusal:
            if refusal.key not in ("which_game", "which_of"):
                raise
        state_of(interaction).refusal_blocks = ()  # `find_game` offered the text without the request that it may answer
        interpretation = await meaning.interpret_text(
            self.services.reader, self.services.orders, interaction.user.id, text
        )
        if len(interpretation.requests) > 1:
            raise _refuse_ambiguous_game(
                interaction, [(request.seated_game, request.row.id) for request in interpretation.requests]
            )
        return interpretation.requests[0].row.game_id

    async def visible_lobbies(self, interaction: Interaction[Any]) -> list[Game]:
        lobbies = await self.services.reader.lobbies.lobbies_in(interaction.channel_id or 0)
        return await self.router.access.filter_visible(requester_of(interaction), lobbies)

    async def user_time_zone(self, interaction: Interaction[Any]) -> str:
        return zone_of(await self.services.reader.players.find_player(interaction.user.id))

    async def _suggest_game(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        user_games = await self.services.reader.games.games_of_user(
            interaction.user.id, ended=True, most=MAX_GAMES_SEARCHED
        )
        lobbies = await self.visible_lobbies(interaction)
        games = {game.id: game for game in [*lobbies, *user_games]}
        query = typed.strip().lower()
        localizer = user_localizer(interaction, PLAIN_STYLE)
        choices: list[Choice[str]] = []
        remaining = list(games.values())
        while remaining and len(choices) < MAX_CHOICES:
            batch, remaining = remaining[:MAX_CHOICES], remaining[MAX_CHOICES:]
            for seated_game in await self.services.reader.games.seated_games(batch):
                name = game_title(localizer, seated_game)
                if query in name.lower():
                    choices.append(make_suggestion(shorten(name, MAX_CHOICE_CHARS), str(seated_game.game.id)))
        return choices[:MAX_CHOICES]

    async def say(self, interaction: Interaction[Any], key: str, **params: object) -> None:
        text = user_localizer(interaction).say(key, **params)
        await answer_privately(interaction, await with_game_name(self.services, interaction, text))
