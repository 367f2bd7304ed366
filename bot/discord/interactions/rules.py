"""Showing rules of the rulebook: for a command, a button or a list."""

from __future__ import annotations

from typing import Any

from discord import Interaction

from bot.discord.ids import CustomId
from bot.discord.interactions.answering import InteractionResponder
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    is_private,
    picked_value,
    replace_message,
    requester_of,
    reset_lists,
    state_of,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages.rules import lay_out_rule, replaces_message, rule_menu
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import rules
from bot.services.access import AccessControl
from bot.services.table import Services


class RuleInteractions:
    def __init__(self, services: Services, responder: InteractionResponder, access: AccessControl) -> None:
        self._games = services.reader.games
        self._responder = responder
        self._access = access

    @handles_verb("rule")
    async def open_rule(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Show a rule privately, or in place of a private message with rules. Raises `Refusal` if there is none."""
        in_place = replaces_message(ref) and is_private(interaction)
        await acknowledge(interaction, ephemeral=not in_place, **({} if in_place else {"thinking": True}))
        await self._responder.load_language(interaction)
        await rules.load_books(user_language(interaction))
        seated_game = await self._find_visible(interaction, ref.game)
        try:
            page = rules.read_rule(user_language(interaction), picked_value(interaction) or ref.token, seated_game)
        except Refusal:  # an earlier version of the bot had this rule
            if in_place:
                await reset_lists(interaction)
            raise
        message = lay_out_rule(user_language(interaction), page, ref.game if seated_game else 0, ref.page)
        await (replace_message(interaction, message) if in_place else answer_privately(interaction, message))

    async def _find_visible(self, interaction: Interaction[Any], game_id: int) -> SeatedGame | None:
        """Return a game that the user may see, or None: rules can be read without a game."""
        try:
            game = await self._access.require_visible(requester_of(interaction), game_id) if game_id else None
        except Refusal:
            return None
        return await self._games.seated_game(game.id) if game else None

    async def show_typed_rule(self, interaction: Interaction[Any], typed: str, seated_game: SeatedGame | None) -> None:
        """Show the rule that the user means, after a deferred interaction.

        Raises `Refusal` if it is none or several; the nearest ones are then offered in a list.
        """
        language, game_id = user_language(interaction), seated_game.game.id if seated_game else 0
        await rules.load_books(language)
        lookup = rules.look_up_rule(language, typed, seated_game)
        if lookup.refusal:
            state_of(interaction).refusal_blocks = tuple(rule_menu(language, lookup.nearest, game_id))
            raise lookup.refusal
        assert lookup.rule is not None  # noqa: S101 - there is a refusal otherwise
        page = rules.read_rule(language, lookup.rule.number, seated_game)
        await answer_privately(interaction, lay_out_rule(language, page, game_id))
