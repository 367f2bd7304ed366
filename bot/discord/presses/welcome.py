"""The ways in as they are pressed: a first game, a first lesson, one's games, what a game is about."""

from __future__ import annotations

from typing import Any

from discord import Interaction

from bot.discord.ids import Ref
from bot.discord.messages import inbox, lessons
from bot.discord.messages.board import lay_out
from bot.discord.messages.welcome import commands_page, help_page, lesson_button, offer_first, play_button, ways
from bot.discord.presses.interactions import (
    acknowledge,
    answer,
    is_private,
    language_of,
    name_of,
    picked,
    player_of,
    redraw,
)
from bot.discord.presses.order import Ordering
from bot.discord.presses.verbs import verb
from bot.discord.sending import where
from bot.doors import first
from bot.doors.preferences import zone_of
from bot.doors.table import Table
from bot.errors import Refusal
from bot.store import pace
from bot.telling.lessons import Page, systems
from bot.telling.wording import game_name, place_of, words_of
from bot.words.i18n import Catalogue, Words, best
from bot.words.whole import playable


class Welcome:
    """Does what the buttons of the way in ask for."""

    def __init__(self, table: Table, ordering: Ordering, *, phase_length: str) -> None:
        self._table = table
        self._ordering = ordering
        self._phase_length = phase_length

    @verb("play")
    async def _play(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Begin somebody's first game and show their panel right there, or offer the one that isn't over.

        The panel is posted below the channel's messages about the game, so nothing may hold its place from now on.
        A press on "A new one" names the game that was offered instead.
        """
        await acknowledge(interaction)
        settings = await self._table.servers.standing(interaction.guild_id or 0)
        guild, channel_id = where.near(interaction, settings.channels)
        locale = str(guild.preferred_locale)
        wish = first.wish(
            ref.token,
            guild_id=guild.id,
            channel_id=channel_id,
            locale=best(locale),
            pace=pace.read(self._phase_length, zone_of(await self._table.reader.player(interaction.user.id))),
            roles=tuple(role.id for role in getattr(interaction.user, "roles", ())),
            manager=interaction.permissions.manage_guild,
        )
        player = player_of(interaction.user, str(interaction.locale))
        number, going = await self._table.lobbies.play_now(player, wish, after=ref.game)
        words = Words(Catalogue.load(language_of(interaction)))
        if going:
            there = words_of(await self._table.reader.playing(number), language_of(interaction))
            await answer(interaction, lay_out(offer_first(words, game_name(there.catalogue), number, ref.token)))
            return
        await self._table.announced(number)
        try:
            await self._ordering.show(interaction, number, note=words.say("say.also_direct"))
        except Refusal as refused:
            if refused.key != "nothing_asked":
                raise
            place = place_of(words, (await self._table.reader.playing(number)).game)
            await answer(interaction, words.say("say.plays_on", place=place))

    @verb("learn")
    async def _learn(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        page = Page(language_of(interaction), name_of(interaction.user), ref.token, 0)
        await answer(interaction, await lessons.lesson(self._table.reader, page))

    @verb("help")
    async def _help(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Turn the page of the help."""
        own = interaction.guild_id is None or is_private(interaction)  # else an id was forged: all see that message
        await acknowledge(interaction, ephemeral=not own)
        shown = (commands_page if ref.request else help_page)(language_of(interaction))
        await (redraw(interaction, shown) if own else answer(interaction, shown))

    @verb("my_games")
    async def _games(self, interaction: Interaction[Any], ref: Ref) -> None:  # noqa: ARG002 - as every verb
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.games(interaction)

    async def games(self, interaction: Interaction[Any]) -> None:
        """List the user's games; the interaction was deferred."""
        language = language_of(interaction)
        shown = inbox.inbox(await self._table.reader.inbox(interaction.user.id), language)
        if shown is None:
            words = Words(Catalogue.load(language))
            shown = lay_out([words.say("say.no_games"), ways(words)])
        await answer(interaction, shown)

    @verb("about")
    async def _about(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction)  # and not "is thinking…", so that the list can be reset
        system = picked(interaction) or ref.token
        if system not in playable():
            raise Refusal("no_first")
        words = Words(Catalogue.load(language_of(interaction), system))
        found = [play_button(words, system)] if system in first.offered() else []
        found += [lesson_button(words, system)] if system in systems() else []
        await answer(interaction, lay_out([words.say("about"), found]))
