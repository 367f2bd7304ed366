"""Handlers of a lobby's buttons and lists."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Final

from discord import ButtonStyle, Interaction

from bot.discord.ids import CustomId
from bot.discord.interactions.answering import (
    answer_with_sentence,
    lay_out_game_started,
    replace_with_sentence,
    with_game_name,
)
from bot.discord.interactions.dice import JoinForm
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    caller_of,
    delete_response,
    form_text,
    is_private,
    open_form,
    picked_value,
    player_from_user,
    replace_message,
    state_of,
    user_language,
    user_localizer,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages import lobby
from bot.discord.messages.board import Button, RenderedMessage, lay_out_message
from bot.errors import Refusal
from bot.lifecycle.people.abandoning import ABANDONED, Verdict
from bot.lifecycle.steps.playing import SeatedGame, refuse_unless_lobby
from bot.services.table import Services
from bot.store.models.records import Player
from bot.texts.style import Markup

MAX_REMEMBERED_MESSAGES: Final = 1000
"""Private messages with options that are remembered, so that a newer one replaces each."""
_CONFIRM: Final = "sure"
_ABORT: Final = "keep"


class LobbyInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._option_messages: dict[tuple[int, int], Interaction[Any]] = {}
        """Maps a user and a game to the interaction whose answer shows the user more options."""

    @handles_verb("join")
    async def _open_join_form(self, interaction: Interaction[Any], ref: CustomId) -> None:
        player = player_from_user(interaction.user, str(interaction.locale))
        await self.ask_for_word(interaction, player, ref)

    async def ask_for_word(self, interaction: Interaction[Any], player: Player, ref: CustomId) -> None:
        """Open the form with which a user joins a lobby, unless they can't. `ref` holds what they have seen of it."""
        present = await self._services.lobbies.token_for_joining(player, ref.game, ref.token_as_number)
        form_id = CustomId(verb="join_sent", game=ref.game, request=ref.request or present, token=ref.token)
        await open_form(interaction, JoinForm(user_localizer(interaction), form_id))

    @handles_verb("join_sent")
    async def _join_lobby(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        player = player_from_user(interaction.user, str(interaction.locale))
        word = form_text(interaction)
        has_begun, must_agree_again = await self._services.lobbies.join_lobby(
            player, ref.game, ref.token_as_number, word, seen=ref.request or None
        )
        if has_begun:
            await answer_privately(interaction, await lay_out_game_started(self._services, interaction, ref.game))
        elif must_agree_again:
            await answer_with_sentence(self._services, interaction, ref.game, "say.joined_unseen")
        else:
            await answer_with_sentence(self._services, interaction, ref.game, "say.joined")

    @handles_verb("leave")
    async def _leave_lobby(self, interaction: Interaction[Any], ref: CustomId) -> None:
        if ref.token == _ABORT and is_private(interaction):
            await acknowledge(interaction)
            await delete_response(interaction)
            return
        await acknowledge(interaction, ephemeral=True)
        was_counted = await self._services.lobbies.verdict_on_ending(interaction.user.id, ref.game)
        is_confirmed = ref.token == _CONFIRM and not _costs_more(was_counted, ref)
        if not is_confirmed and await self._services.lobbies.would_cancel(interaction.user.id, ref.game):
            await self.confirm_cancel(interaction, ref.game)
            return
        is_cancelled = await self._services.lobbies.leave_lobby(interaction.user.id, ref.game)
        left_key = "say.left_words" if was_counted else "say.left"
        await answer_with_sentence(self._services, interaction, ref.game, "say.cancelled" if is_cancelled else left_key)

    async def confirm_cancel(self, interaction: Interaction[Any], game_id: int) -> None:
        """Ask a host who leaves to confirm, because that calls the game off. The interaction was deferred."""
        localizer = user_localizer(interaction)
        verdict = await self._services.lobbies.verdict_on_ending(interaction.user.id, game_id)
        ref = CustomId(verb="leave", game=game_id, token=_CONFIRM, version=_price(verdict))
        confirm = Button(label=localizer.say("button.call_off"), custom_id=ref, style=ButtonStyle.danger)
        await self._ask(interaction, localizer.say("say.cancel_sure"), verdict, confirm)

    async def confirm_removal(self, interaction: Interaction[Any], seated_game: SeatedGame, seat_no: int) -> bool:
        """Ask a captain to confirm a removal from a lobby that counts. Return whether it does."""
        game_id, seat = seated_game.game.id, seated_game.seats[seat_no]
        verdict = await self._services.lobbies.verdict_on_ending(interaction.user.id, game_id, seat)
        if verdict is None or seat.user_id in (None, seated_game.game.host_id):
            return False
        localizer = user_localizer(interaction)
        ref = CustomId(verb="remove", game=game_id, request=str(seat.user_id), version=_price(verdict))
        confirm = Button(label=localizer.say("button.remove"), custom_id=ref, style=ButtonStyle.danger)
        question = localizer.say("say.remove_sure", name=seated_game.name_of(seat.user_id, ""))
        await self._ask(interaction, question, verdict, confirm)
        return True

    @handles_verb("remove")
    async def _remove_captain(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        seated_game = await self._services.reader.games.seated_game(ref.game)
        refuse_unless_lobby(seated_game.game)
        seat = next((seat for seat in seated_game.seats if str(seat.user_id) == ref.request), None)
        if seat is None:
            raise Refusal("no_captain_there")
        verdict = await self._services.lobbies.verdict_on_ending(interaction.user.id, ref.game, seat)
        if _costs_more(verdict, ref) and await self.confirm_removal(interaction, seated_game, seat.seat):
            return
        await self._services.repair.kick_captain(caller_of(interaction), ref.game, seat.seat)
        await replace_with_sentence(self._services, interaction, ref.game, "say.kicked")

    async def _ask(self, interaction: Interaction[Any], question: Markup, verdict: Verdict | None, yes: Button) -> None:
        """Ask a captain to confirm what counts for them, with `yes` and a button that deletes the question."""
        game_id = yes.custom_id.game
        state_of(interaction).game_id = game_id
        localizer = user_localizer(interaction)
        keep = Button(label=localizer.say("button.keep"), custom_id=CustomId(verb="leave", game=game_id, token=_ABORT))
        if verdict is not None:
            cost = localizer.say("say.costs_bar" if verdict == ABANDONED else "say.costs_mention")
            question = Markup(f"{question}\n{cost}")
        text = await with_game_name(self._services, interaction, question)
        await answer_privately(interaction, lay_out_message([text, [yes, keep]]))

    @handles_verb("start")
    async def _start_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        # The button's version is one more than the number of free seats that it showed; 0: it showed none.
        free_seats_shown = ref.version - 1 if ref.version else None
        try:
            await self._services.lobbies.start_game(
                interaction.user.id, ref.game, seen=ref.request, free_seen=free_seats_shown
            )
        except Refusal as refusal:
            if refusal.key == "lobby_changed" and is_private(interaction):
                await self._show_options(interaction, ref.game, ref.page)
            raise
        options_interaction = self._option_messages.pop((interaction.user.id, ref.game), None)
        message = await lay_out_game_started(self._services, interaction, ref.game)
        if is_private(interaction):  # the options are obsolete
            await replace_message(interaction, message)
            return
        await answer_privately(interaction, message)
        if options_interaction:
            await delete_response(options_interaction)

    @handles_verb("option")
    async def _choose_option(self, interaction: Interaction[Any], ref: CustomId) -> None:
        value = picked_value(interaction) or ""
        await self._change_lobby(
            interaction, ref, self._services.lobbies.choose_option(interaction.user.id, ref.game, ref.token, value)
        )

    @handles_verb("lobby_game")
    async def _choose_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        system = picked_value(interaction) or ""
        await self._change_lobby(
            interaction, ref, self._services.lobbies.choose_game(interaction.user.id, ref.game, system)
        )

    @handles_verb("match")
    async def _choose_match(self, interaction: Interaction[Any], ref: CustomId) -> None:
        is_match = bool(ref.request)
        await self._change_lobby(
            interaction, ref, self._services.lobbies.choose_match(interaction.user.id, ref.game, is_match=is_match)
        )

    @handles_verb("rating")
    async def _choose_rating(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self._change_lobby(
            interaction,
            ref,
            self._services.lobbies.choose_rating(interaction.user.id, ref.game, rated=bool(ref.token_as_number)),
        )

    @handles_verb("options")
    async def _show_option_page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Show the host another page of options in a private message. The public lobby message does not change.

        A newer private message replaces the earlier one. **Back** on its first page deletes it.
        """
        user_and_game = (interaction.user.id, ref.game)
        if is_private(interaction):
            await acknowledge(interaction)
            if ref.token_as_number:
                await self._show_options(interaction, ref.game, ref.token_as_number)
            else:
                self._option_messages.pop(user_and_game, None)
                await delete_response(interaction)
            return
        await acknowledge(interaction, ephemeral=True, thinking=True)  # so that the answer can be deleted later
        await answer_privately(
            interaction, await self._lay_out_options(interaction, ref.game, ref.token_as_number or 0)
        )
        earlier_interaction = self._option_messages.pop(user_and_game, None)
        if earlier_interaction:
            await delete_response(earlier_interaction)
        while len(self._option_messages) >= MAX_REMEMBERED_MESSAGES:
            oldest = next(iter(self._option_messages))
            del self._option_messages[oldest]
        self._option_messages[user_and_game] = interaction

    @handles_verb("charts")
    async def _show_charts(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        language = user_language(interaction)
        message = await lobby.lay_out_charts(self._services.reader, ref.game, interaction.user.id, ref.token, language)
        await answer_privately(interaction, message)

    async def _show_options(self, interaction: Interaction[Any], game_id: int, page_or_option: int | str) -> None:
        await replace_message(interaction, await self._lay_out_options(interaction, game_id, page_or_option))

    async def _lay_out_options(
        self, interaction: Interaction[Any], game_id: int, page_or_option: int | str
    ) -> RenderedMessage:
        language = user_language(interaction)
        return await lobby.lay_out_options(
            self._services.reader, game_id, interaction.user.id, page_or_option, language
        )

    async def _change_lobby(self, interaction: Interaction[Any], ref: CustomId, change: Awaitable[None]) -> None:
        """Change an option for the host; the outbox updates the lobby.

        If that is refused, show the user the current state.
        """
        await acknowledge(interaction)
        private = is_private(interaction)
        try:
            await change
        except Refusal:
            if private:
                with suppress(Refusal):  # the lobby is closed
                    await self._show_options(interaction, ref.game, ref.token or ref.page)
                raise
            # The user's Discord client already shows the refused choice.
            pressed_id = interaction.message.id if interaction.message else 0
            seated_game, message = await lobby.current_lobby(self._services.reader, ref.game, pressed_id)
            if message is not None and seated_game.game.phase == "lobby":
                await replace_message(interaction, message)
            raise
        if private:
            with suppress(Refusal):
                await self._show_options(interaction, ref.game, ref.token or ref.page)


def _price(verdict: Verdict | None) -> int:
    """Return what a question says that something counts, as the version of its button: 0 for nothing, 2 for a bar."""
    return 0 if verdict is None else 1 + (verdict == ABANDONED)


def _costs_more(verdict: Verdict | None, confirmed: CustomId) -> bool:
    return _price(verdict) > confirmed.version
