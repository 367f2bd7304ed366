"""Handlers of a game's buttons in its thread: draws, offered seats, proposals, rematches."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle, Interaction

from bot.discord.delivery.members import fetch_member
from bot.discord.ids import CustomId
from bot.discord.interactions.answering import answer_with_sentence, lay_out_game_started, replace_with_sentence
from bot.discord.interactions.dice import JoinForm
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    delete_response,
    form_text,
    is_private,
    open_form,
    player_from_user,
    user_language,
    user_localizer,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages.board import Button, lay_out_message
from bot.discord.messages.ending import confirm_concession, confirmation
from bot.errors import Refusal
from bot.lifecycle.people import agreement
from bot.presenters.wording import game_localizer
from bot.services import lobby as lobby_service
from bot.services.repair import Caller
from bot.services.table import Services
from bot.texts.style import Markup


class GameInteractions:
    def __init__(self, services: Services) -> None:
        self._services = services

    @handles_verb("draw")
    async def _offer_draw(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        agreed = await self._services.offer_draw(interaction.user.id, ref.game)
        await answer_with_sentence(
            self._services, interaction, ref.game, "say.draw_agreed" if agreed else "say.draw_offered"
        )

    @handles_verb("agree")
    async def _agree_to_time_request(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._services.timekeeping.agree_to(interaction.user.id, ref.game, ref.token_as_number or 0)
        await answer_with_sentence(self._services, interaction, ref.game, "say.agreed")

    @handles_verb("ask_concede")
    async def _confirm_concession(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        terms = await self._services.reader.games.concession_terms(ref.game, interaction.user.id)
        localizer = game_localizer(terms.seated_game, user_language(interaction))
        await answer_privately(interaction, confirm_concession(localizer, terms))

    @handles_verb("play_on")
    async def _cancel_confirmation(self, interaction: Interaction[Any], _ref: CustomId) -> None:
        await acknowledge(interaction)
        if is_private(interaction):
            await delete_response(interaction)

    @handles_verb("concede")
    async def _concede_game(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        await self._services.concede_game(interaction.user.id, ref.game)
        await replace_with_sentence(self._services, interaction, ref.game, "say.conceded")

    @handles_verb("give_back")
    async def _give_back_seat(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        await self._services.absence.give_back_seat(interaction.user.id, ref.game)
        await replace_with_sentence(self._services, interaction, ref.game, "say.gave_back")

    @handles_verb("ask_undo")
    async def _confirm_undo(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        seated_game, last_round = await self._services.repair.last_round_of(interaction.user.id, ref.game)
        localizer = game_localizer(seated_game, user_language(interaction))
        confirm = Button(
            label=localizer.say("button.propose_undo"),
            custom_id=CustomId(verb="propose_undo", game=ref.game, token=str(last_round)),
            style=ButtonStyle.danger,
        )
        text = localizer.say("say.undo_sure", when=localizer.say("round", round=last_round))
        await answer_privately(interaction, confirmation(localizer, seated_game, text, confirm))

    @handles_verb("propose_undo")
    async def _propose_undo(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        is_undone = await self._services.repair.undo_to(
            Caller(user_id=interaction.user.id), ref.game, ref.token_as_number or 0
        )
        await replace_with_sentence(
            self._services, interaction, ref.game, "say.undone" if is_undone else "say.undo_asked"
        )

    @handles_verb("take_over")
    async def _take_over_seat(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self.take_over(interaction, ref.game, ref.token_as_number)

    async def take_over(self, interaction: Interaction[Any], game_id: int, seat: int | None = None) -> None:
        """Give an offered seat to the user. The interaction was deferred."""
        await self._services.absence.take_over_seat(
            player_from_user(interaction.user, str(interaction.locale)), game_id, seat
        )
        await answer_with_sentence(self._services, interaction, game_id, "say.took_over")

    @handles_verb("decline")
    async def _decline_time_request(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._services.timekeeping.decline_request(interaction.user.id, ref.game, ref.token_as_number or 0)
        await answer_with_sentence(self._services, interaction, ref.game, "say.declined")

    @handles_verb("decline_act")
    async def _decline_proposal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._services.repair.decline_proposal(interaction.user.id, ref.game, ref.token_as_number or 0)
        await answer_with_sentence(self._services, interaction, ref.game, "say.declined")

    @handles_verb("decline_draw")
    async def _decline_draw(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._services.decline_draw(interaction.user.id, ref.game)
        await answer_with_sentence(self._services, interaction, ref.game, "say.declined")

    @handles_verb("rematch")
    async def _open_rematch(self, interaction: Interaction[Any], ref: CustomId) -> None:
        player = player_from_user(interaction.user, str(interaction.locale))
        token = await self._services.lobbies.token_for_rematch(player, ref.game)
        if token is not None:
            form_id = CustomId(verb="rematch_sent", game=ref.game, request=token)
            await open_form(interaction, JoinForm(user_localizer(interaction), form_id))
            return
        await acknowledge(interaction, ephemeral=True)
        await self._enter_rematch(interaction, ref, "")

    @handles_verb("rematch_sent")
    async def _join_rematch(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self._enter_rematch(interaction, ref, form_text(interaction))

    async def _enter_rematch(self, interaction: Interaction[Any], ref: CustomId, word: str) -> None:
        player = player_from_user(interaction.user, str(interaction.locale))
        previous_game = await self._services.reader.games.seated_game(ref.game)
        member = await _require_member(interaction, previous_game.game.guild_id)
        roles = tuple(role.id for role in member.roles)
        manager = member.guild_permissions.manage_guild
        result = await self._services.lobbies.open_or_join_rematch(
            player, ref.game, roles=roles, manager=manager, word=word, seen=ref.request
        )
        rematch_id = result.number
        localizer = user_localizer(interaction)
        seated_game = await self._services.reader.games.seated_game(rematch_id)
        place = Markup(f"<#{seated_game.game.channel_id}>")
        awaited_players = [
            localizer.mention(seat.kept_for) for seat in seated_game.seats if seat.is_free and seat.kept_for
        ]
        if result.has_begun:
            await answer_privately(interaction, await lay_out_game_started(self._services, interaction, rematch_id))
            return
        if result.must_agree_again:
            await answer_with_sentence(self._services, interaction, rematch_id, "say.joined_unseen")
            return
        if awaited_players:
            key = "say.rematch" if result.is_same_game else "say.rematch_amended"
            await answer_privately(interaction, localizer.say(key, number=rematch_id, who=awaited_players))
            return
        if not result.is_new:
            await answer_privately(interaction, localizer.say("say.rematch_joined", number=rematch_id, place=place))
            return
        if interaction.channel_id == seated_game.game.channel_id:  # its lobby is right below
            await answer_privately(interaction, localizer.say("say.rematch_here", number=rematch_id))
            return
        text = localizer.say("say.rematch_alone", number=rematch_id, place=place)
        start = CustomId(verb="start", game=rematch_id, request=lobby_service.lobby_token(seated_game))
        await answer_privately(
            interaction,
            lay_out_message(
                [text, [Button(label=localizer.say("button.start"), custom_id=start, style=ButtonStyle.success)]]
            ),
        )

    @handles_verb("decline_rematch")
    async def _decline_rematch(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        await self._services.lobbies.decline_rematch(interaction.user.id, ref.game)
        await answer_with_sentence(self._services, interaction, ref.game, "say.declined")

    @handles_verb("agree_act")
    async def _agree_to_proposal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True)
        proposal_kind, is_done = await self._services.repair.agree_to(
            interaction.user.id, ref.game, ref.token_as_number or 0
        )
        if proposal_kind == agreement.UNDO_ASKED:
            await answer_with_sentence(
                self._services, interaction, ref.game, "say.undone" if is_done else "say.undo_agreed"
            )
        else:
            await answer_with_sentence(
                self._services, interaction, ref.game, "say.resolved" if is_done else "say.resolve_agreed"
            )


async def _require_member(interaction: Interaction[Any], guild_id: int) -> discord.Member:
    """Return the user as a member of a server, even if the interaction came from direct messages. Raises `Refusal`."""
    if isinstance(interaction.user, discord.Member) and interaction.guild_id == guild_id:
        return interaction.user
    try:
        member = await fetch_member(
            interaction.client, guild_id, interaction.user.id, interaction.client.refusals.parse_refusal
        )
    except (discord.Forbidden, discord.NotFound) as error:  # the bot isn't there any more
        interaction.client.refusals.parse_refusal(error)
        member = None
    if member is None:
        raise Refusal("not_member", who=Markup(interaction.user.mention))
    return member
