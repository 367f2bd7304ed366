"""Opening a lobby: with a command, or with a button for a game where the command named none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import Interaction

from bot.discord.delivery.where import require_usable_channel
from bot.discord.ids import CustomId
from bot.discord.interactions.answering import with_game_name
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    player_from_user,
    replace_message,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages.board import lay_out_message
from bot.discord.messages.welcome import game_choice_page
from bot.errors import Refusal
from bot.services import options
from bot.services.lobby import DEFAULT_EXTENSIONS, NewGame
from bot.services.preferences import zone_of
from bot.services.table import Services
from bot.store.models import pace
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.style import Markup
from bot.texts.whole import playable_systems

OPPONENT_OPTIONS: Final = ("opponent", "opponent2", "opponent3")
_NUMBER_CODES: Final = {"computer": "c", "extensions": "x"}
_FLAG_CODES: Final = {"early": "e", "private": "p", "rated": "r"}
_MISSED_CODES: Final = {"mate": "m", "hold": "h"}
_CARRIED_OPTIONS: Final = {*OPPONENT_OPTIONS, *_NUMBER_CODES, *_FLAG_CODES, "missed"}
"""Options of the command that a button carries. Not the pace and the name, which may be long."""


class OpeningInteractions:
    """Opens lobbies."""

    def __init__(self, table: Services, *, phase_length: str) -> None:
        """`phase_length` is the pace of games of which nobody says another."""
        self._services = table
        self._phase_length = phase_length

    async def ask_or_open(self, interaction: Interaction[Any], given: Mapping[str, Any]) -> None:
        """Open a lobby with these options; if no game is named, ask which. The answer is for the user alone.

        Where a button can't carry the other options it is the usual game, which the host can change in the lobby.
        Raises `Refusal`.
        """
        require_usable_channel(interaction)
        if "system" in given or len(playable_systems()) < 2 or not given.keys() <= _CARRIED_OPTIONS:
            await answer_privately(interaction, await self._open_lobby(interaction, given))
            return
        words = Localizer(Catalogue.load(user_language(interaction)))
        await answer_privately(interaction, game_choice_page(words, _pack_options(given)))

    @handles_verb("new")
    async def _open_chosen_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Open a lobby of the game that was pressed."""
        await acknowledge(interaction)
        given = _unpack_options(ref.request)
        for key in (key for key in OPPONENT_OPTIONS if key in given):
            given[key] = await _require_member(interaction, given[key])
        await replace_message(
            interaction, lay_out_message([await self._open_lobby(interaction, {**given, "system": ref.token})])
        )

    async def _open_lobby(self, interaction: Interaction[Any], given: Mapping[str, Any]) -> Markup:
        guild, channel_id = require_usable_channel(interaction)
        opponents = [given[key] for key in OPPONENT_OPTIONS if key in given]
        bots = sum(user.bot for user in opponents)
        for user in opponents:
            if not (user.bot or isinstance(user, discord.Member)):
                raise Refusal("not_member", who=Markup(user.mention))
        zone = zone_of(await self._services.reader.find_player(interaction.user.id))
        wish = NewGame(
            system=given.get("system", options.default_game()),
            guild_id=guild.id,
            channel_id=channel_id,
            locale=language_for_locale(str(guild.preferred_locale)),
            pace=pace.parse_pace(given.get("phase", self._phase_length), zone),
            early=given.get("early"),
            extensions=given.get("extensions", DEFAULT_EXTENSIONS),
            name=given.get("name", "").strip(),
            missed=given.get("missed", "mate"),
            private=given.get("private", False),
            rated=given.get("rated", True),
            opponents=tuple(player_from_user(user, str(guild.preferred_locale)) for user in opponents if not user.bot),
            computers=given.get("computer", 0) + bots,
            roles=tuple(role.id for role in getattr(interaction.user, "roles", ())),
            manager=interaction.permissions.manage_guild,
        )
        game_id = await self._services.lobbies.open_lobby(
            player_from_user(interaction.user, str(interaction.locale)), wish
        )
        said = Localizer(Catalogue.load(user_language(interaction))).say("say.created", number=game_id)
        return await with_game_name(self._services, interaction, said)


async def _require_member(interaction: Interaction[Any], user_id: int) -> discord.Member:
    """Somebody on the server of the interaction. Raises `Refusal` if they aren't there."""
    guild, _ = require_usable_channel(interaction)
    try:
        return guild.get_member(user_id) or await guild.fetch_member(user_id)
    except discord.NotFound as error:
        interaction.client.refusals.parse_refusal(error)
        raise Refusal("not_member", who=Markup(f"<@{user_id}>")) from None


def _pack_options(given: Mapping[str, Any]) -> str:
    """Options of the command as a button carries them, such as `o7b.c1.p1.mh`, numbers in hex."""
    parts = [f"o{given[key].id:x}" for key in OPPONENT_OPTIONS if key in given]
    parts += [f"{letter}{int(given[key]):x}" for key, letter in (_NUMBER_CODES | _FLAG_CODES).items() if key in given]
    return ".".join([*parts, *([f"m{_MISSED_CODES[given['missed']]}"] if "missed" in given else [])])


def _unpack_options(text: str) -> dict[str, Any]:
    """The options that a button carries, opponents by their ids. Raises `Refusal` if it is none of ours."""
    opponents, given = iter(OPPONENT_OPTIONS), dict[str, Any]()
    numbers, flags = ({letter: key for key, letter in named.items()} for named in (_NUMBER_CODES, _FLAG_CODES))
    how = {letter: missed for missed, letter in _MISSED_CODES.items()}
    for part in filter(None, text.split(".")):
        letter, value = part[0], part[1:]
        key = next(opponents, "") if letter == "o" else {**numbers, **flags, "m": "missed"}.get(letter, "")
        if not key or not (value in how if letter == "m" else re.fullmatch(r"[0-9a-f]{1,16}", value)):
            raise Refusal("stale")
        given[key] = how[value] if letter == "m" else int(value, 16)
        if letter in flags:
            given[key] = given[key] > 0
    return given
