"""`/galley …`: the commands of captains and hosts."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Final, cast, get_args

import discord
from discord import Interaction, app_commands
from discord.app_commands import Choice, Group, locale_str

import render
from bot import durations
from bot.errors import Refusal
from bot.i18n import Catalogue, Said, Words, best
from bot.ids import Ref
from bot.lobby import NewGame
from bot.panels.board import Button, lay_out
from bot.panels.compose import Composer, mention_game
from bot.panels.gallery import Cut, Subject
from bot.panels.press import Presses, answer, guarded, language_of, player_of
from bot.playing import seated
from bot.store.records import Game
from bot.table import Table
from rules.protocol import OptionSpec
from rules.registry import FIRST, RULESETS

CHOICES_MOST: Final = 25
NAME_MOST: Final = 60
_NEEDED: Final = (
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "create_public_threads",
    "send_messages_in_threads",
    "read_message_history",
)
"""Permissions without which a game cannot be told, by Discord's names."""

_RENAMED: Final = {"of_round": "round", "form": "format"}
"""Options whose names would hide Python's own."""
_VALUES: Final = {
    "form": get_args(render.Format),
    "picture": get_args(Subject),
    "crop": get_args(Cut),
}
"""What may be chosen for an option."""


def text(key: str) -> locale_str:
    """A description that the translator finds in the catalogues; English here."""
    return locale_str(Catalogue.load("en").say(key), key=key)


class Commands:
    """Builds the command group over a table."""

    def __init__(self, table: Table, composer: Composer, presses: Presses, *, phase_length: str) -> None:
        self._table = table
        self._composer = composer
        self._presses = presses
        self._phase_length = phase_length

    def group(self) -> Group:
        """All commands, ready for the tree."""
        group = Group(name="galley", description=text("command.galley"))
        for name, callback in (
            ("join", self._join),
            ("leave", self._leave),
            ("start", self._start),
            ("cancel", self._cancel),
            ("orders", self._orders),
            ("standing", self._standing),
            ("status", self._status),
            ("table", self._show_table),
            ("log", self._log),
            ("film", self._film),
            ("replay", self._replay),
            ("games", self._games),
            ("concede", self._concede),
            ("draw", self._draw),
            ("help", self._help),
        ):
            group.add_command(self._command(name, callback))
        group.add_command(self._new_command())
        return group

    def _command(self, name: str, callback: Callable[..., Awaitable[None]]) -> app_commands.Command[Any, ..., None]:
        async def run(interaction: Interaction[Any], **given: Any) -> None:  # noqa: ANN401 - options of any command
            await interaction.response.defer(ephemeral=True, thinking=True)
            await guarded(interaction, callback(interaction, **given))

        # The command's options are those of the method that carries it out.
        own = inspect.signature(callback, eval_str=True)
        run.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[p.replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in own.parameters.values()]
        )
        run.__annotations__ = {p.name: p.annotation for p in own.parameters.values()}
        options = [p for p in own.parameters if p != "interaction"]
        described = app_commands.describe(
            **{option: text(f"param.{_RENAMED.get(option, option)}") for option in options}
        )(run)
        described = app_commands.rename(**{p: name for p, name in _RENAMED.items() if p in options})(described)
        described = app_commands.choices(
            **{
                option: [_choice(f"shown.{value}", value) for value in _VALUES[option]]
                for option in options
                if option in _VALUES
            }
        )(described)
        command: app_commands.Command[Any, ..., None] = app_commands.Command(
            name=name, description=text(f"command.{name}"), callback=cast("Any", described)
        )
        if "game" in options:
            command.autocomplete("game")(self._suggest_game)
        return command

    # --- the lobby ---------------------------------------------------------------------------------------------

    def _new_command(self) -> app_commands.Command[Any, ..., None]:
        """`/galley new`, with an option for each choice that any game offers."""
        specs = {spec.key: spec for rules in RULESETS.values() for spec in rules.options}
        captains = sorted({count for rules in RULESETS.values() for count in rules.captains})

        async def new(interaction: Interaction[Any], **given: Any) -> None:  # noqa: ANN401 - the options below
            await interaction.response.defer(ephemeral=True, thinking=True)
            await guarded(interaction, self._new(interaction, specs, given))

        optional: dict[str, Any] = {
            **dict.fromkeys(specs, str),
            "system": str,
            "captains": app_commands.Range[int, captains[0], captains[-1]],
            "computer": app_commands.Range[int, 0, 2 * captains[-1] - 1],
            "opponent": discord.User,
            "opponent2": discord.User,
            "opponent3": discord.User,
            "phase": app_commands.Range[str, 2, 30],
            "missed": str,
            "private": bool,
            "name": app_commands.Range[str, 1, NAME_MOST],
        }
        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter("interaction", keyword, annotation=Interaction[Any])]
        parameters += [inspect.Parameter(key, keyword, default=None, annotation=of) for key, of in optional.items()]
        new.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        new.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        choices = {
            key: [_choice(f"option.{key}.{value}", value) for value in spec.values] for key, spec in specs.items()
        }
        choices["system"] = [_choice(f"game.{name}", name) for name in RULESETS]
        choices["missed"] = [_choice(f"missed.{value}", value) for value in ("mate", "hold")]
        app_commands.choices(**{key: values[:CHOICES_MOST] for key, values in choices.items()})(new)
        app_commands.describe(**{key: text(f"param.{key.rstrip('23')}") for key in optional})(new)
        return app_commands.Command(name="new", description=text("command.new"), callback=cast("Any", new))

    async def _new(self, interaction: Interaction[Any], specs: dict[str, OptionSpec], given: dict[str, Any]) -> None:
        given = {key: value for key, value in given.items() if value is not None}
        guild, channel = interaction.guild, interaction.channel
        if guild is None or channel is None:
            raise Refusal("guild_only")
        if isinstance(channel, discord.Thread):
            raise Refusal("not_here")
        lacking = [name for name in _NEEDED if not getattr(interaction.app_permissions, name)]
        if lacking:
            where = f"<#{channel.id}>"
            raise Refusal("no_send", permission=lacking[0], channel=Said(where))
        opponents = [given[key] for key in ("opponent", "opponent2", "opponent3") if key in given]
        bots = sum(user.bot for user in opponents)
        wish = NewGame(
            system=given.get("system", FIRST),
            guild_id=guild.id,
            channel_id=channel.id,
            locale=best(str(guild.preferred_locale)),
            phase_seconds=durations.seconds(given.get("phase", self._phase_length)),
            name=given.get("name", "").strip(),
            options={key: given[key] for key in specs if key in given},
            captains=given.get("captains", 1),
            missed=given.get("missed", "mate"),
            private=given.get("private", False),
            opponents=tuple(player_of(user, str(guild.preferred_locale)) for user in opponents if not user.bot),
            computers=given.get("computer", 0) + bots,
        )
        game_id = await self._table.create(player_of(interaction.user, str(interaction.locale)), wish)
        await self._say(interaction, "say.created", number=game_id)

    async def _join(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self._number(interaction, game, phases=("lobby",))
        await self._table.join(player_of(interaction.user, str(interaction.locale)), number)
        await self._say(interaction, "say.joined")

    async def _leave(self, interaction: Interaction[Any], game: str | None = None) -> None:
        await self._table.leave(interaction.user.id, await self._number(interaction, game, phases=("lobby",)))
        await self._say(interaction, "say.left")

    async def _start(self, interaction: Interaction[Any], game: str | None = None) -> None:
        await self._table.start(interaction.user.id, await self._number(interaction, game, phases=("lobby",)))
        await self._say(interaction, "say.started")

    async def _cancel(self, interaction: Interaction[Any], game: str | None = None) -> None:
        await self._table.cancel(interaction.user.id, await self._number(interaction, game, phases=("lobby",)))
        await self._say(interaction, "say.cancelled")

    # --- orders ------------------------------------------------------------------------------------------------

    async def _orders(self, interaction: Interaction[Any], game: str | None = None, text: str | None = None) -> None:
        number = await self._number(interaction, game)
        if text and (await self._table.type(interaction.user.id, text, number)).answer:
            await self._say(interaction, "say.carried_out")
            return
        await self._presses.show_orders(interaction, number)

    async def _standing(self, interaction: Interaction[Any], text: str, game: str | None = None) -> None:
        number = await self._number(interaction, game)
        await self._table.type(interaction.user.id, text, number)
        await self._say(interaction, "say.standing_set")
        await self._presses.show_orders(interaction, number)

    # --- looking -----------------------------------------------------------------------------------------------

    async def _status(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self._number(interaction, game)
        playing = await self._table.playing(number)
        words = self._composer.words(playing, language_of(interaction))
        lines = [f"### {words.say('panel.title', name=playing.game.name, number=number)}"]
        if playing.game.step_no < 0:
            raise Refusal("not_started")
        async with self._table.store.read() as tx:
            waiting = [row for row in await tx.requests(number) if row.status == "open"]
        if waiting:
            lines.append(words.say("status.waiting", who=[row.seat for row in waiting]))
        if playing.game.deadline:
            lines.append(words.say("status.deadline", when=playing.game.deadline))
        await answer(interaction, lay_out(["\n".join(lines)]))
        await self._presses.show_table(interaction, number)

    async def _show_table(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        picture: str | None = None,
        crop: str | None = None,
    ) -> None:
        number = await self._number(interaction, game)
        await self._presses.show_table(interaction, number, cast("Subject | None", picture), cast("Cut | None", crop))

    async def _film(
        self,
        interaction: Interaction[Any],
        game: str | None = None,
        of_round: app_commands.Range[int, 1, 9999] | None = None,
        form: str = "webp",
    ) -> None:
        number = await self._number(interaction, game)
        await self._presses.show_film(interaction, number, of_round, cast("render.Format", form))

    async def _replay(self, interaction: Interaction[Any], game: str | None = None, form: str = "webp") -> None:
        number = await self._number(interaction, game)
        await self._presses.show_replay(interaction, number, cast("render.Format", form))

    async def _log(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self._number(interaction, game)
        playing = await self._table.playing(number)
        await self._presses.show_log(interaction, number, playing.game.step_no)

    async def _games(self, interaction: Interaction[Any]) -> None:
        games = await self._table.games_of(interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        if not games:
            await self._say(interaction, "say.no_games")
            return
        lines = [f"### {words.say('games.title')}", *[_line(words, game) for game in games]]
        await answer(interaction, lay_out(["\n".join(lines)]))

    # --- ending ------------------------------------------------------------------------------------------------

    async def _concede(self, interaction: Interaction[Any], game: str | None = None) -> None:
        number = await self._number(interaction, game)
        seated(await self._table.playing(number), interaction.user.id)
        words = Words(Catalogue.load(language_of(interaction)))
        button = Button(
            label=words.say("button.concede"), ref=Ref(verb="concede", game=number), style=discord.ButtonStyle.danger
        )
        await answer(interaction, lay_out([words.say("say.concede_sure"), [button]]))

    async def _draw(self, interaction: Interaction[Any], game: str | None = None) -> None:
        agreed = await self._table.offer_draw(interaction.user.id, await self._number(interaction, game))
        await self._say(interaction, "say.draw_agreed" if agreed else "say.draw_offered")

    async def _help(self, interaction: Interaction[Any]) -> None:
        words = Words(Catalogue.load(language_of(interaction)))
        rules = [words.say(f"about.{name}") for name in RULESETS]
        await answer(interaction, lay_out([f"### {words.say('help.title')}\n{words.say('help.body')}", *rules]))

    # --- games by number ---------------------------------------------------------------------------------------

    async def _number(
        self, interaction: Interaction[Any], game: str | None, *, phases: tuple[str, ...] = ("running", "resolving")
    ) -> int:
        """Find the game that is meant: the one named, the one of this thread, or the player's only one."""
        if game is not None:
            number = game.strip().lstrip("#")
            if not number.isdecimal() or len(number) > 9:
                raise Refusal("unknown_game", piece=game)
            found = (await self._table.playing(int(number))).game
            if interaction.guild_id is not None and found.guild_id != interaction.guild_id:
                raise Refusal("foreign_game")
            return found.id
        here = await self._table.game_of_place(interaction.channel_id or 0)
        if here:
            return here.id
        mine = [found for found in await self._table.games_of(interaction.user.id) if found.phase in phases]
        if not mine and phases == ("lobby",) and interaction.channel_id:
            mine = await self._table.lobbies(interaction.channel_id)
        if not mine:
            raise Refusal("no_game")
        if len(mine) > 1:
            raise Refusal("which_game", games=", ".join(f"#{found.id}" for found in mine[:10]))
        return mine[0].id

    async def _suggest_game(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        mine = await self._table.games_of(interaction.user.id, ended=True)
        lobbies = await self._table.lobbies(interaction.channel_id or 0)
        games = {game.id: game for game in [*lobbies, *mine]}
        wanted = typed.strip().lstrip("#").lower()
        found = [game for game in games.values() if wanted in f"{game.id} {game.name}".lower()]
        return [Choice(name=f"#{game.id} {game.name}"[:100], value=str(game.id)) for game in found[:CHOICES_MOST]]

    async def _say(self, interaction: Interaction[Any], key: str, **params: object) -> None:
        await answer(interaction, Words(Catalogue.load(language_of(interaction))).say(key, **params))


def _choice(key: str, value: str) -> Choice[str]:
    return Choice(name=text(key), value=value)


def _line(words: Words, game: Game) -> str:
    phase = words.say(f"phase.{game.phase}")
    place = Said(mention_game(game))
    return words.say("games.line", number=game.id, name=game.name, system=game.system, phase=phase, place=place)
