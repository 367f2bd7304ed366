"""`/galley me`: a user's settings for all their games."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from babel import Locale
from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, game_choices, make_choice, make_suggestion, set_autocomplete
from bot.discord.interactions import mine
from bot.discord.interactions.responses import answer_privately, player_from_user, user_localizer
from bot.discord.limits import MAX_CHOICE_CHARS, MAX_CHOICES
from bot.discord.messages.board import lay_out_message
from bot.errors import Refusal
from bot.presenters import times
from bot.services import preferences
from bot.services.options import default_game
from bot.store.models.pace import format_clock
from bot.store.models.records import Player
from bot.texts import zones
from bot.texts.i18n import Catalogue, Localizer, language_for_locale, languages
from bot.texts.style import PLAIN_STYLE
from bot.texts.whole import playable_systems

_ABSENCE_DAYS = (1, 2, 3, 7, 10, 14, 21, 28)
_DISCORD_LANGUAGE = "discord"
_SETTINGS = ("language", "zone", "quiet", "reminders", "away", "standing")


class PlayerCommands(CommandFamily):
    names: ClassVar = ("me",)

    def option_values(self) -> dict[str, list[Choice[str]]]:
        return {
            "language": [
                make_choice("me.as_discord", _DISCORD_LANGUAGE),
                *(
                    Choice(name=str(Locale.parse(language).get_display_name(language)), value=language)
                    for language in languages()
                ),
            ],
            "reminders": [make_choice(f"reminders.{value}", value) for value in ("both", "last", "none")],
            "system": game_choices(),
        }

    def commands(self) -> dict[str, app_commands.Command[Any, ..., None]]:
        commands = super().commands()
        set_autocomplete(commands["me"], "zone", self._suggest_zone)
        set_autocomplete(commands["me"], "away", self._suggest_away)
        return commands

    async def _me(  # noqa: PLR0917 - its parameters are the options of a command
        self,
        interaction: Interaction[Any],
        zone: str | None = None,
        quiet: str | None = None,
        language: str | None = None,
        reminders: str | None = None,
        away: str | None = None,
        standing: str | None = None,
        system: str | None = None,
    ) -> None:
        stored = await self.services.reader.players.find_player(interaction.user.id)
        changes: dict[str, Any] = {}
        if zone:
            changes["zone"] = zones.find_zone(zone)
        if quiet:
            hours = (None, None) if preferences.means_none(quiet) else preferences.parse_quiet_hours(quiet)
            changes["quiet_from"], changes["quiet_to"] = hours
        if language:
            changes["chosen_locale"] = None if language == _DISCORD_LANGUAGE else language_for_locale(language)
        if reminders:
            changes["reminders"] = reminders
        if away:
            zone_name = changes.get("zone") or preferences.zone_of(stored)
            absence = (
                (None, None)
                if preferences.means_none(away)
                else preferences.parse_absence(away, self.services.now(), zone_name)
            )
            changes["away_from"], changes["away_to"] = absence
        if standing:
            changes["standing"] = _merge_standing_orders(stored, system or default_game(), standing)
        elif system:
            raise Refusal("which_standing")
        player = player_from_user(interaction.user, str(interaction.locale))
        stored = await self.services.preferences.change_preferences(player, **changes) if changes else stored or player
        localizer = Localizer(Catalogue.load(language_for_locale(stored.chosen_locale or str(interaction.locale))))
        lines = "\n".join(_format_settings(localizer, stored, self.services.now()))
        has_keepsakes = bool(await self.services.keepsakes.of_user(interaction.user.id))
        buttons = mine.privacy_buttons(localizer, has_keepsakes=has_keepsakes)
        await answer_privately(interaction, lay_out_message([lines, buttons]))

    async def _suggest_zone(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:  # noqa: ARG002
        return [Choice(name=name, value=name) for name in zones.suggest_zones(typed, MAX_CHOICES)]

    async def _suggest_away(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        localizer = user_localizer(interaction, PLAIN_STYLE)
        time_zone = zones.time_zone(await self.user_time_zone(interaction))
        today = datetime.fromtimestamp(self.services.now(), time_zone).date()
        choices: list[tuple[str, str]] = [("no", localizer.say("me.not_away"))]
        for days in _ABSENCE_DAYS:
            until = (today + timedelta(days=days)).isoformat()
            length = times.duration_text(localizer, days * 86_400)
            choices.append((until, localizer.say("me.away_until", day=until, length=length)))
        query = typed.strip().casefold()
        matching = [(value, name) for value, name in choices if query in f"{value} {name}".casefold()]
        # Other text, such as two dates, is parsed on submission.
        if not matching:
            matching = [(typed[:MAX_CHOICE_CHARS], typed)]
        return [make_suggestion(name, value) for value, name in matching]


def _merge_standing_orders(player: Player | None, system: str, text: str) -> dict[str, str]:
    """Return all default standing orders, with those of one game changed. Raises `Refusal`."""
    if len(text) > preferences.MAX_STANDING_ORDERS_CHARS:
        raise Refusal("too_long", most=preferences.MAX_STANDING_ORDERS_CHARS)
    if system not in playable_systems():
        raise Refusal("option", option="system", value=system[:40], allowed=", ".join(playable_systems()))
    orders = dict(player.standing) if player else {}
    orders.pop(system, None)
    if not preferences.means_none(text):
        orders[system] = text.strip()
    return orders


def _format_settings(localizer: Localizer, player: Player, now: int) -> list[str]:
    locale = Locale.parse(localizer.catalogue.language)
    language = str(locale.get_display_name(locale))
    lines = [f"### {localizer.say('me.title')}", localizer.say("me.language", language=language)]
    lines.append(localizer.say("me.zone", zone=player.zone) if player.zone else localizer.say("me.no_zone"))
    if player.quiet_from is not None and player.quiet_to is not None:
        quiet = {
            "begin": format_clock(player.quiet_from),
            "end": format_clock(player.quiet_to),
            "zone": preferences.zone_of(player),
        }
        lines.append(localizer.say("me.quiet", **quiet))
    else:
        lines.append(localizer.say("me.no_quiet"))
    lines.append(localizer.say("me.reminders", habit=player.reminders))
    if player.away_from is not None and player.away_to is not None and player.away_to > now:
        lines.append(localizer.say("me.away", since=player.away_from, until=player.away_to))
    for system in sorted(player.standing.keys() & {*playable_systems()}):
        localizer_of_game = Localizer(Catalogue.load(localizer.catalogue.language, system))
        lines.append(
            localizer_of_game.say("me.standing", system=localizer_of_game.say("game"), text=player.standing[system])
        )
    fields = [localizer.say(f"param_name.{name}") for name in _SETTINGS]
    lines.append(localizer.style.small(localizer.say("me.how", fields=fields)))
    return lines
