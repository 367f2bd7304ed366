"""Showing rules of the rulebook: for a command, a button or a list."""

from __future__ import annotations

from typing import Any

from discord import Interaction

from bot.discord.ids import CustomId
from bot.discord.interactions.responses import (
    acknowledge,
    answer_privately,
    is_private,
    picked_value,
    replace_message,
    state_of,
    user_language,
)
from bot.discord.interactions.verbs import handles_verb
from bot.discord.messages.rules import RULE_VERB, lay_out_rule, replaces_message, rule_menu
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import rules
from bot.services.table import Services


class RuleInteractions:
    def __init__(self, services: Services) -> None:
        self._games = services.reader.games

    @handles_verb(RULE_VERB)
    async def _open_rule(self, interaction: Interaction[Any], ref: CustomId) -> None:
        in_place = replaces_message(ref) and is_private(interaction)
        await acknowledge(interaction, ephemeral=not in_place, **({} if in_place else {"thinking": True}))
        seated_game = await self._games.seated_game(ref.game) if ref.game else None
        number = picked_value(interaction) or ref.token
        page = rules.read_rule(user_language(interaction), number, seated_game)
        message = lay_out_rule(user_language(interaction), page, ref.game, ref.page)
        await (replace_message(interaction, message) if in_place else answer_privately(interaction, message))

    async def show_typed_rule(self, interaction: Interaction[Any], typed: str, seated_game: SeatedGame | None) -> None:
        """Show the rule that the user means, after a deferred interaction.

        Raises `Refusal` if it is none or several; the nearest ones are then offered in a list.
        """
        language, game_id = user_language(interaction), seated_game.game.id if seated_game else 0
        lookup = rules.look_up_rule(language, typed, seated_game)
        if lookup.refusal:
            state_of(interaction).refusal_blocks = tuple(rule_menu(language, lookup.nearest, game_id))
            raise lookup.refusal
        assert lookup.rule is not None  # noqa: S101 - there is a refusal otherwise
        page = rules.read_rule(language, lookup.rule.number, seated_game)
        await answer_privately(interaction, lay_out_rule(language, page, game_id))
