"""Handlers of buttons for newcomers: a first game, a first lesson, the user's games, what a game is about."""

from __future__ import annotations

from typing import Any

from discord import Interaction

from bot.discord.delivery import where
from bot.discord.ids import CustomId
from bot.discord.interactions.order import PanelInteractions
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    display_name,
    is_private,
    picked_value,
    player_from_user,
    replace_message,
    user_language,
    user_localizer,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages import inbox, lessons
from bot.discord.messages.board import lay_out_message
from bot.discord.messages.welcome import (
    commands_page,
    first_game_blocks,
    help_page,
    lesson_button,
    play_button,
    welcome_buttons,
)
from bot.errors import Refusal
from bot.presenters.lessons import LessonPage, systems_with_lessons
from bot.presenters.wording import game_localizer, thread_link
from bot.services import first
from bot.services.preferences import zone_of
from bot.services.table import Services
from bot.store.models import pace
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.whole import playable_systems


class WelcomeInteractions:
    def __init__(self, services: Services, panel_interactions: PanelInteractions, *, phase_length: str) -> None:
        self._services = services
        self._panel_interactions = panel_interactions
        self._phase_length = phase_length

    @handles_verb("play")
    async def _start_first_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Start the user's first game and show their panel privately, or offer to continue a running one.

        The panel is posted below the game's public messages, so it waits until the lobby has been announced. The button
        "A new one" holds the number of the game that was offered instead.
        """
        await acknowledge(interaction)
        settings = await self._services.servers.load_settings(interaction.guild_id or 0)
        guild, channel_id = where.find_usable_channel(interaction, settings.channels)
        locale = str(guild.preferred_locale)
        request = first.first_game_request(
            ref.token,
            guild_id=guild.id,
            channel_id=channel_id,
            locale=language_for_locale(locale),
            pace=pace.parse_pace(
                self._phase_length, zone_of(await self._services.reader.players.find_player(interaction.user.id))
            ),
            roles=tuple(role.id for role in getattr(interaction.user, "roles", ())),
            manager=interaction.permissions.manage_guild,
        )
        player = player_from_user(interaction.user, str(interaction.locale))
        game_id, is_running = await self._services.lobbies.play_now(player, request, after=ref.game)
        localizer = user_localizer(interaction)
        if is_running:
            localizer_of_game = game_localizer(
                await self._services.reader.games.seated_game(game_id), user_language(interaction)
            )
            await answer_privately(
                interaction,
                lay_out_message(
                    first_game_blocks(localizer, localizer_of_game.catalogue.say_game(), game_id, ref.token)
                ),
            )
            return
        await interaction.client.wait_until_announced(game_id)
        try:
            await self._panel_interactions.show_current(interaction, game_id, note=localizer.say("say.also_direct"))
        except Refusal as refusal:
            if refusal.key != "nothing_asked":
                raise
            place = thread_link(localizer, (await self._services.reader.games.seated_game(game_id)).game)
            await answer_privately(interaction, localizer.say("say.plays_on", place=place))

    @handles_verb("learn")
    async def _open_first_lesson(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        page = LessonPage(user_language(interaction), display_name(interaction.user), ref.token, 0)
        await answer_privately(interaction, await lessons.lay_out_lesson(self._services.reader, page))

    @handles_verb("help")
    async def _show_help(self, interaction: Interaction[Any], ref: CustomId) -> None:
        in_place = interaction.guild_id is None or is_private(interaction)  # a forged id must not edit a public message
        await acknowledge(interaction, ephemeral=not in_place)
        page = (commands_page if ref.request else help_page)(user_language(interaction))
        await (replace_message(interaction, page) if in_place else answer_privately(interaction, page))

    @handles_verb("my_games")
    async def _show_own_games(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002 - signature of handlers
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.show_games(interaction)

    async def show_games(self, interaction: Interaction[Any]) -> None:
        """List the user's games. The interaction was deferred."""
        language = user_language(interaction)
        message = inbox.lay_out_inbox(await self._services.reader.games.read_inbox(interaction.user.id), language)
        if message is None:
            localizer = Localizer(Catalogue.load(language))
            message = lay_out_message([localizer.say("say.no_games"), welcome_buttons(localizer)])
        await answer_privately(interaction, message)

    @handles_verb("about")
    async def _describe_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)  # no "is thinking…", so that the list can be reset
        system = picked_value(interaction) or ref.token
        if system not in playable_systems():
            raise Refusal("no_first")
        localizer = Localizer(Catalogue.load(user_language(interaction), system))
        buttons = [play_button(localizer, system)] if system in first.games_with_first_game() else []
        buttons += [lesson_button(localizer, system)] if system in systems_with_lessons() else []
        await answer_privately(interaction, lay_out_message([localizer.say("about"), buttons]))
