"""The buttons and lists of a lobby."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final

from discord import ButtonStyle, Interaction

from bot.discord.ids import Ref
from bot.discord.messages import lobby
from bot.discord.messages.board import Button, Shown, lay_out
from bot.discord.presses.answering import headed, say, started
from bot.discord.presses.interactions import (
    acknowledge,
    answer,
    is_about,
    is_private,
    language_of,
    picked,
    player_of,
    redraw,
    take_away,
)
from bot.discord.presses.verbs import verb
from bot.doors.table import Table
from bot.errors import Refusal
from bot.words.i18n import Catalogue, Words

SHOWN_MOST: Final = 1000
"""Messages with more options that are remembered, so that a newer one takes the place of each."""
_SURE: Final = "sure"
"""The token of the button that cancels a game after it was asked about."""
_KEEP: Final = "keep"
"""The token of the one beside it."""


class LobbyPresses:
    """Lets people sit down, choose and begin."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shown: dict[tuple[int, int], Interaction[Any]] = {}
        """By user and game, what opened the message in which they see more options."""

    @verb("join")
    async def _join(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        player = player_of(interaction.user, str(interaction.locale))
        begun = await self._table.lobbies.join(player, ref.game, ref.number)
        if begun:
            await answer(interaction, await started(self._table, interaction, ref.game))
        else:
            await say(self._table, interaction, ref.game, "say.joined")

    @verb("leave")
    async def _leave(self, interaction: Interaction[Any], ref: Ref) -> None:
        if ref.token == _KEEP and is_private(interaction):
            await acknowledge(interaction)
            await take_away(interaction)
            return
        await acknowledge(interaction, ephemeral=True)
        if ref.token != _SURE and await self._table.lobbies.cancels(interaction.user.id, ref.game):
            await self.ask_whether_sure(interaction, ref.game)
            return
        called_off = await self._table.lobbies.leave(interaction.user.id, ref.game)
        await say(self._table, interaction, ref.game, "say.cancelled" if called_off else "say.left")

    async def ask_whether_sure(self, interaction: Interaction[Any], game_id: int) -> None:
        """The host leaves: nobody can play it then. The interaction was deferred."""
        is_about(interaction, game_id)
        words = Words(Catalogue.load(language_of(interaction)))
        ref = Ref(verb="leave", game=game_id, token=_SURE)
        sure = Button(label=words.say("button.call_off"), ref=ref, style=ButtonStyle.danger)
        keep = Button(label=words.say("button.keep"), ref=Ref(verb="leave", game=game_id, token=_KEEP))
        text = await headed(self._table, interaction, words.say("say.cancel_sure"))
        await answer(interaction, lay_out([text, [sure, keep]]))

    @verb("start")
    async def _start(self, interaction: Interaction[Any], ref: Ref) -> None:
        await acknowledge(interaction, ephemeral=True)
        free = ref.version - 1 if ref.version else None  # a button made elsewhere names none
        try:
            await self._table.lobbies.start(interaction.user.id, ref.game, words_seen=ref.request, free_seen=free)
        except Refusal as refused:
            if refused.key == "lobby_changed" and is_private(interaction):
                await self._show_options(interaction, ref.game, ref.page)
            raise
        options = self._shown.pop((interaction.user.id, ref.game), None)
        begun = await started(self._table, interaction, ref.game)
        if is_private(interaction):  # there is nothing to choose any more
            await redraw(interaction, begun)
            return
        await answer(interaction, begun)
        if options:
            await take_away(options)

    @verb("option")
    async def _option(self, interaction: Interaction[Any], ref: Ref) -> None:
        value = picked(interaction) or ""
        await self._change_lobby(
            interaction, ref, self._table.lobbies.choose(interaction.user.id, ref.game, ref.token, value)
        )

    @verb("lobby_game")
    async def _game(self, interaction: Interaction[Any], ref: Ref) -> None:
        system = picked(interaction) or ""
        await self._change_lobby(
            interaction, ref, self._table.lobbies.choose_game(interaction.user.id, ref.game, system)
        )

    @verb("options")
    async def _options(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Show the host another page of the options; of the lobby's own message that all see nothing changes.

        They are shown in one message of the host's, which goes with **Back** from its first page.
        """
        asker = (interaction.user.id, ref.game)
        if is_private(interaction):
            await acknowledge(interaction)
            if ref.number:
                await self._show_options(interaction, ref.game, ref.number)
            else:
                self._shown.pop(asker, None)
                await take_away(interaction)
            return
        await acknowledge(interaction, ephemeral=True, thinking=True)  # so that what is taken away is its answer
        await answer(interaction, await self._listed(interaction, ref.game, ref.number or 0))
        if before := self._shown.pop(asker, None):
            await take_away(before)
        while len(self._shown) >= SHOWN_MOST:
            self._shown.pop(next(iter(self._shown)))
        self._shown[asker] = interaction

    @verb("charts")
    async def _charts(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Show the host what there is to choose from, in pictures."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        language = language_of(interaction)
        shown = await lobby.charts(self._table.reader, ref.game, interaction.user.id, ref.token, language)
        await answer(interaction, shown)

    async def _show_options(self, interaction: Interaction[Any], game_id: int, at: int | str) -> None:
        """Show a page of the options, or the one with the list of an option that was chosen, wherever that is now."""
        await redraw(interaction, await self._listed(interaction, game_id, at))

    async def _listed(self, interaction: Interaction[Any], game_id: int, at: int | str) -> Shown:
        language = language_of(interaction)
        return await lobby.options(self._table.reader, game_id, interaction.user.id, at, language)

    async def _change_lobby(self, interaction: Interaction[Any], ref: Ref, change: Awaitable[None]) -> None:
        """Change an option for the host; the outbox shows it to all. Show anybody else at once how things stand."""
        await acknowledge(interaction)
        private = is_private(interaction)
        try:
            await change
        except Refusal:
            if private:
                with suppress(Refusal):  # nothing can be chosen any more
                    await self._show_options(interaction, ref.game, ref.token or ref.page)
                raise
            # Their own Discord already shows what they have picked.
            pressed = interaction.message.id if interaction.message else 0
            playing, shown = await lobby.as_it_is(self._table.reader, ref.game, pressed)
            if shown is not None and playing.game.phase == "lobby":
                await redraw(interaction, shown)
            raise
        if private:
            with suppress(Refusal):
                await self._show_options(interaction, ref.game, ref.token or ref.page)
