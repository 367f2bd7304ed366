"""`/galley me`: a user's settings for all their games."""

from __future__ import annotations

from typing import Any, ClassVar

from babel import Locale
from discord import Interaction, app_commands
from discord.app_commands import Choice

from bot.discord.commands.family import CommandFamily, game_choices, make_choice, make_suggestion, set_autocomplete
from bot.discord.interactions.responses import answer_privately, player_from_user, user_localizer
from bot.discord.interactions.settings import absence_choices, lay_out_settings
from bot.discord.limits import MAX_CHOICE_CHARS, MAX_CHOICES
from bot.errors import Refusal
from bot.services import preferences
from bot.services.options import default_game
from bot.texts import zones
from bot.texts.i18n import languages
from bot.texts.style import PLAIN_STYLE


class PlayerCommands(CommandFamily):
    names: ClassVar = ("me",)

    def option_values(self) -> dict[str, list[Choice[str]]]:
        return {
            "language": [
                make_choice("me.as_discord", preferences.DISCORD_LANGUAGE),
                *(
                    Choice(name=str(Locale.parse(language).get_display_name(language)), value=language)
                    for language in languages()
                ),
            ],
            "reminders": [make_choice(f"reminders.{value}", value) for value in preferences.REMINDER_HABITS],
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
        values = {"zone": zone, "quiet": quiet, "language": language, "reminders": reminders, "away": away}
        settings = {name: value for name, value in values.items() if value}
        if system and not standing:
            raise Refusal("which_standing")
        changes = preferences.read_settings(stored, settings, self.services.now())
        if standing:
            changes["standing"] = preferences.merge_standing_orders(stored, system or default_game(), standing)
        player = player_from_user(interaction.user, str(interaction.locale))
        stored = await self.services.preferences.change_preferences(player, **changes) if changes else stored or player
        await answer_privately(interaction, await lay_out_settings(self.services, interaction, stored))

    async def _suggest_zone(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:  # noqa: ARG002
        return [Choice(name=name, value=name) for name in zones.suggest_zones(typed, MAX_CHOICES)]

    async def _suggest_away(self, interaction: Interaction[Any], typed: str) -> list[Choice[str]]:
        player = await self.services.reader.players.find_player(interaction.user.id)
        choices = absence_choices(user_localizer(interaction, PLAIN_STYLE), player, self.services.now())
        query = typed.strip().casefold()
        matching = [(value, name) for value, name in choices if query in f"{value} {name}".casefold()]
        # Other text, such as two dates, is parsed on submission.
        if not matching:
            matching = [(typed[:MAX_CHOICE_CHARS], typed)]
        return [make_suggestion(name, value) for value, name in matching]
