"""The buttons and lists of a lobby."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final

from discord import ButtonStyle, Interaction

from bot.discord.ids import CustomId
from bot.discord.interactions.answering import answer_with_sentence, lay_out_game_started, with_game_name
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    delete_response,
    is_private,
    picked_value,
    player_from_user,
    replace_message,
    set_game,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages import lobby
from bot.discord.messages.board import Button, RenderedMessage, lay_out_message
from bot.errors import Refusal
from bot.services.table import Services
from bot.texts.i18n import Catalogue, Localizer

MAX_REMEMBERED_MESSAGES: Final = 1000
"""Messages with more options that are remembered, so that a newer one takes the place of each."""
_CONFIRM: Final = "sure"
"""The token of the button that cancels a game after it was asked about."""
_ABORT: Final = "keep"
"""The token of the one beside it."""


class LobbyInteractions:
    """Lets people sit down, choose and begin."""

    def __init__(self, table: Services) -> None:
        self._services = table
        self._option_messages: dict[tuple[int, int], Interaction[Any]] = {}
        """By user and game, what opened the message in which they see more options."""

    @handles_verb("join")
    async def _join(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        player = player_from_user(interaction.user, str(interaction.locale))
        begun = await self._services.lobbies.join_lobby(player, ref.game, ref.token_as_number)
        if begun:
            await answer_privately(interaction, await lay_out_game_started(self._services, interaction, ref.game))
        else:
            await answer_with_sentence(self._services, interaction, ref.game, "say.joined")

    @handles_verb("leave")
    async def _leave(self, interaction: Interaction[Any], ref: CustomId) -> None:
        if ref.token == _ABORT and is_private(interaction):
            await acknowledge(interaction)
            await delete_response(interaction)
            return
        await acknowledge(interaction, ephemeral=True)
        if ref.token != _CONFIRM and await self._services.lobbies.would_cancel(interaction.user.id, ref.game):
            await self.confirm_cancel(interaction, ref.game)
            return
        called_off = await self._services.lobbies.leave_lobby(interaction.user.id, ref.game)
        await answer_with_sentence(self._services, interaction, ref.game, "say.cancelled" if called_off else "say.left")

    async def confirm_cancel(self, interaction: Interaction[Any], game_id: int) -> None:
        """The host leaves: nobody can play it then. The interaction was deferred."""
        set_game(interaction, game_id)
        words = Localizer(Catalogue.load(user_language(interaction)))
        ref = CustomId(verb="leave", game=game_id, token=_CONFIRM)
        sure = Button(label=words.say("button.call_off"), custom_id=ref, style=ButtonStyle.danger)
        keep = Button(label=words.say("button.keep"), custom_id=CustomId(verb="leave", game=game_id, token=_ABORT))
        text = await with_game_name(self._services, interaction, words.say("say.cancel_sure"))
        await answer_privately(interaction, lay_out_message([text, [sure, keep]]))

    @handles_verb("start")
    async def _start(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        free = ref.version - 1 if ref.version else None  # a button made elsewhere names none
        try:
            await self._services.lobbies.start_game(
                interaction.user.id, ref.game, words_seen=ref.request, free_seen=free
            )
        except Refusal as refused:
            if refused.key == "lobby_changed" and is_private(interaction):
                await self._show_options(interaction, ref.game, ref.page)
            raise
        options = self._option_messages.pop((interaction.user.id, ref.game), None)
        begun = await lay_out_game_started(self._services, interaction, ref.game)
        if is_private(interaction):  # there is nothing to choose any more
            await replace_message(interaction, begun)
            return
        await answer_privately(interaction, begun)
        if options:
            await delete_response(options)

    @handles_verb("option")
    async def _option(self, interaction: Interaction[Any], ref: CustomId) -> None:
        value = picked_value(interaction) or ""
        await self._change_lobby(
            interaction, ref, self._services.lobbies.choose_option(interaction.user.id, ref.game, ref.token, value)
        )

    @handles_verb("lobby_game")
    async def _game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        system = picked_value(interaction) or ""
        await self._change_lobby(
            interaction, ref, self._services.lobbies.choose_game(interaction.user.id, ref.game, system)
        )

    @handles_verb("options")
    async def _options(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Show the host another page of the options; of the lobby's own message that all see nothing changes.

        They are shown in one message of the host's, which goes with **Back** from its first page.
        """
        asker = (interaction.user.id, ref.game)
        if is_private(interaction):
            await acknowledge(interaction)
            if ref.token_as_number:
                await self._show_options(interaction, ref.game, ref.token_as_number)
            else:
                self._option_messages.pop(asker, None)
                await delete_response(interaction)
            return
        await acknowledge(interaction, ephemeral=True, thinking=True)  # so that what is taken away is its answer
        await answer_privately(
            interaction, await self._lay_out_options(interaction, ref.game, ref.token_as_number or 0)
        )
        if before := self._option_messages.pop(asker, None):
            await delete_response(before)
        while len(self._option_messages) >= MAX_REMEMBERED_MESSAGES:
            self._option_messages.pop(next(iter(self._option_messages)))
        self._option_messages[asker] = interaction

    @handles_verb("charts")
    async def _charts(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Show the host what there is to choose from, in pictures."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        language = user_language(interaction)
        shown = await lobby.lay_out_charts(self._services.reader, ref.game, interaction.user.id, ref.token, language)
        await answer_privately(interaction, shown)

    async def _show_options(self, interaction: Interaction[Any], game_id: int, at: int | str) -> None:
        """Show a page of the options, or the one with the list of an option that was chosen, wherever that is now."""
        await replace_message(interaction, await self._lay_out_options(interaction, game_id, at))

    async def _lay_out_options(self, interaction: Interaction[Any], game_id: int, at: int | str) -> RenderedMessage:
        language = user_language(interaction)
        return await lobby.lay_out_options(self._services.reader, game_id, interaction.user.id, at, language)

    async def _change_lobby(self, interaction: Interaction[Any], ref: CustomId, change: Awaitable[None]) -> None:
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
            playing, shown = await lobby.current_lobby(self._services.reader, ref.game, pressed)
            if shown is not None and playing.game.phase == "lobby":
                await replace_message(interaction, shown)
            raise
        if private:
            with suppress(Refusal):
                await self._show_options(interaction, ref.game, ref.token or ref.page)
