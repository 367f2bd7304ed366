"""Opening a lobby by a command, or by the button of a game if the command named none."""

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
    user_localizer,
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
from bot.texts.i18n import language_for_locale
from bot.texts.style import Markup
from bot.texts.whole import playable_systems

OPPONENT_OPTIONS: Final = ("opponent", "opponent2", "opponent3")
# Letters for options and their values in the ids of buttons (`_pack_options`).
_NUMBER_CODES: Final = {"computer": "c", "extensions": "x"}
_FLAG_CODES: Final = {"early": "e", "private": "p", "rated": "r"}
_MISSED_CODES: Final = {"mate": "m", "hold": "h"}
_CARRIED_OPTIONS: Final = {*OPPONENT_OPTIONS, *_NUMBER_CODES, *_FLAG_CODES, "missed"}
"""Options of the command that a button's id can hold. Pace and name may be too long."""


class OpeningInteractions:
    def __init__(self, services: Services, *, phase_length: str) -> None:
        self._services = services
        self._phase_length = phase_length

    async def ask_or_open(self, interaction: Interaction[Any], values: Mapping[str, Any]) -> None:
        """Open a lobby with `values` of the command's options. If no game is named, ask for it. The answer is private.

        If a button cannot hold the options, the lobby is for the default game, which the host can change. Raises
        `Refusal`.
        """
        require_usable_channel(interaction)
        if "system" in values or len(playable_systems()) < 2 or not values.keys() <= _CARRIED_OPTIONS:
            await answer_privately(interaction, await self._open_lobby(interaction, values))
            return
        localizer = user_localizer(interaction)
        await answer_privately(interaction, game_choice_page(localizer, _pack_options(values)))

    @handles_verb("new")
    async def _open_chosen_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        values = _unpack_options(ref.request)
        for key in OPPONENT_OPTIONS:
            if key in values:  # the button holds an opponent's id
                values[key] = await _require_member(interaction, values[key])
        answer = await self._open_lobby(interaction, {**values, "system": ref.token})
        await replace_message(interaction, lay_out_message([answer]))

    async def _open_lobby(self, interaction: Interaction[Any], values: Mapping[str, Any]) -> Markup:
        """Open a lobby with the options of `/galley new` and return the answer to its host. Raises `Refusal`."""
        guild, channel_id = require_usable_channel(interaction)
        opponents = [values[key] for key in OPPONENT_OPTIONS if key in values]
        bot_count = sum(user.bot for user in opponents)  # the computer plays for them
        for user in opponents:
            if not (user.bot or isinstance(user, discord.Member)):
                raise Refusal("not_member", who=Markup(user.mention))
        zone = zone_of(await self._services.reader.players.find_player(interaction.user.id))
        new_game = NewGame(
            system=values.get("system", options.default_game()),
            guild_id=guild.id,
            channel_id=channel_id,
            locale=language_for_locale(str(guild.preferred_locale)),
            pace=pace.parse_pace(values.get("phase", self._phase_length), zone),
            early=values.get("early"),
            extensions=values.get("extensions", DEFAULT_EXTENSIONS),
            name=values.get("name", "").strip(),
            missed=values.get("missed", "mate"),
            private=values.get("private", False),
            rated=values.get("rated"),
            opponents=tuple(player_from_user(user, str(guild.preferred_locale)) for user in opponents if not user.bot),
            computers=values.get("computer", 0) + bot_count,
            roles=tuple(role.id for role in getattr(interaction.user, "roles", ())),
            manager=interaction.permissions.manage_guild,
        )
        game_id = await self._services.lobbies.open_lobby(
            player_from_user(interaction.user, str(interaction.locale)), new_game
        )
        text = user_localizer(interaction).say("say.created", number=game_id)
        return await with_game_name(self._services, interaction, text)


async def _require_member(interaction: Interaction[Any], user_id: int) -> discord.Member:
    """Return a member of the interaction's server. Raises `Refusal`."""
    guild, _ = require_usable_channel(interaction)
    try:
        return guild.get_member(user_id) or await guild.fetch_member(user_id)
    except discord.NotFound as error:
        interaction.client.refusals.parse_refusal(error)
        raise Refusal("not_member", who=Markup(f"<@{user_id}>")) from None


def _pack_options(values: Mapping[str, Any]) -> str:
    """Encode the command's options for a button's id, such as `o7b.c1.p1.mh`, with hexadecimal numbers."""
    parts = [f"o{values[key].id:x}" for key in OPPONENT_OPTIONS if key in values]
    letters = _NUMBER_CODES | _FLAG_CODES
    parts += [f"{letter}{int(values[key]):x}" for key, letter in letters.items() if key in values]
    if "missed" in values:
        parts.append(f"m{_MISSED_CODES[values['missed']]}")
    return ".".join(parts)


def _unpack_options(text: str) -> dict[str, Any]:
    """Decode options of a button's id, such as `o7b.c1.p1.mh`; opponents by id. Raises `Refusal` for a forged one."""
    values: dict[str, Any] = {}
    opponent_keys = iter(OPPONENT_OPTIONS)
    number_keys = {letter: key for key, letter in _NUMBER_CODES.items()}
    flag_keys = {letter: key for key, letter in _FLAG_CODES.items()}
    missed_values = {letter: missed for missed, letter in _MISSED_CODES.items()}
    for part in filter(None, text.split(".")):
        letter, value = part[0], part[1:]
        if letter == "m":
            if value not in missed_values:
                raise Refusal("stale")
            values["missed"] = missed_values[value]
            continue
        key = next(opponent_keys, "") if letter == "o" else {**number_keys, **flag_keys}.get(letter, "")
        if not key or not re.fullmatch(r"[0-9a-f]{1,16}", value):
            raise Refusal("stale")
        number = int(value, 16)
        values[key] = number > 0 if letter in flag_keys else number
    return values
