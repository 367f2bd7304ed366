"""Routing of buttons, lists and forms to their handlers by custom id."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import discord
from discord import Interaction, ui
from msgspec import structs

from bot import logs
from bot.discord.delivery.edits import MessageEdits
from bot.discord.delivery.refusal_log import RefusalLog
from bot.discord.ids import CUSTOM_ID_PATTERN, CustomId, custom_id_from_match, parse_custom_id
from bot.discord.interactions.answering import InteractionResponder
from bot.discord.interactions.dice import DiceWordInteractions
from bot.discord.interactions.filling import FormInteractions
from bot.discord.interactions.game import GameInteractions
from bot.discord.interactions.hinting import HintInteractions
from bot.discord.interactions.keepsakes import KeepsakeInteractions
from bot.discord.interactions.lessons import LessonInteractions
from bot.discord.interactions.lobby import LobbyInteractions
from bot.discord.interactions.mine import PrivacyInteractions
from bot.discord.interactions.opening import OpeningInteractions
from bot.discord.interactions.order import PanelInteractions, guard_finished_games
from bot.discord.interactions.panels import PanelDisplay
from bot.discord.interactions.reading import ViewInteractions
from bot.discord.interactions.responses import (
    acknowledge,
    interaction_data,
    picked_value,
    requester_of,
    reset_lists,
    state_of,
)
from bot.discord.interactions.rules import RuleInteractions
from bot.discord.interactions.scenarios import ScenarioInteractions
from bot.discord.interactions.settings import SettingInteractions
from bot.discord.interactions.typed import TypedOrderInteractions
from bot.discord.interactions.verbs import VerbHandler, handles_verb, verb_handlers
from bot.discord.interactions.welcome import WelcomeInteractions
from bot.discord.interactions.writing import DirectMessageOrders
from bot.discord.messages.board import outbox_mark_of
from bot.discord.messages.quoting import quoted_text
from bot.discord.metrics import Metrics
from bot.errors import Refusal
from bot.services.access import AccessControl
from bot.services.table import Services


class InteractionRouter:
    """Finds the handler of a pressed button, picked option or sent form, and checks that the user may use it."""

    def __init__(
        self,
        services: Services,
        metrics: Metrics,
        refusals: RefusalLog,
        access: AccessControl,
        edits: MessageEdits,
        *,
        phase_length: str,
    ) -> None:
        """`phase_length` is the pace of games that one press starts."""
        self.access = access
        self._denials = services.denials
        self._messages = services.reader.messages
        self.responder = InteractionResponder(services, metrics, refusals)
        panel_display = PanelDisplay(services, edits, metrics)
        self.panel_interactions = PanelInteractions(services, self.responder, access, panel_display)
        self.typed_order_interactions = TypedOrderInteractions(services, self.panel_interactions)
        self.direct_message_orders = DirectMessageOrders(
            services, self.responder, access, self.panel_interactions, self.typed_order_interactions
        )
        self.view_interactions = ViewInteractions(services)
        self.welcome_interactions = WelcomeInteractions(services, self.panel_interactions, phase_length=phase_length)
        self.game_interactions = GameInteractions(services)
        self.lobby_interactions = LobbyInteractions(services)
        self.rule_interactions = RuleInteractions(services, self.responder, access)
        self.opening_interactions = OpeningInteractions(services, phase_length=phase_length)
        self.repeat_command: dict[str, Callable[..., Awaitable[None]]] = {}
        """Maps the names of commands that a button can repeat for another game to their methods."""
        self.repeated_with_form: set[str] = set()
        """Those of them that may open a form, and acknowledge the interaction themselves."""
        lessons = verb_handlers(LessonInteractions(services))
        panel_owners = [
            self.panel_interactions,
            self.typed_order_interactions,
            FormInteractions(services, self.panel_interactions),
            HintInteractions(services, self.panel_interactions),
        ]
        panel_handlers = guard_finished_games(
            panel_display, {name: handler for owner in panel_owners for name, handler in verb_handlers(owner).items()}
        )
        other_owners: list[object] = [
            self.direct_message_orders,
            self.view_interactions,
            self.welcome_interactions,
            self.game_interactions,
            self.lobby_interactions,
            self.opening_interactions,
            self,
        ]
        other_owners += [
            PrivacyInteractions(services),
            SettingInteractions(services),
            DiceWordInteractions(services),
            ScenarioInteractions(services),
            KeepsakeInteractions(services),
        ]
        self._self_checking_handlers: dict[str, VerbHandler] = {
            **panel_handlers,
            "orders": self.panel_interactions.show_panel,
            **verb_handlers(self.rule_interactions),
        }
        """Verbs whose handlers check the user and the request themselves, in one query."""
        self.handlers: dict[str, VerbHandler] = {
            **self._self_checking_handlers,
            **lessons,
            **{name: handler for owner in other_owners for name, handler in verb_handlers(owner).items()},
        }
        """Maps each verb of a custom id to its handler."""
        self._private_verbs = {
            *panel_handlers,
            *verb_handlers(self.direct_message_orders),
            *verb_handlers(self.opening_interactions),
            *lessons,
            "games",
        }
        """Verbs of ephemeral and direct messages. In a public message they are forged."""

    async def handle(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Run the handler of a press. Denied users, forged ids and games that the user may not see are refused."""
        handler = self.handlers.get(ref.verb)
        if handler is None:
            return
        is_forged = ref.verb in self._private_verbs and _is_public_message(interaction)
        if self._denials.is_denied(interaction.user.id, interaction.guild_id):
            handler = self._refuse_denied
        elif is_forged:
            handler = self._reject_forged
        elif ref.verb not in self._self_checking_handlers:
            handler = partial(self._run_if_visible, handler)
        action = handler(interaction, structs.replace(ref, reset=0))
        with logs.bind_values(game=ref.game):
            await self.responder.run_guarded(interaction, ref.verb, action)
            if picked_value(interaction) and not ref.game and not _is_public_message(interaction):
                await reset_lists(interaction)  # handlers of messages about a game do this themselves

    async def _run_if_visible(self, handler: VerbHandler, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.responder.load_language(interaction)
        if ref.game:  # lessons have none
            await self.access.require_visible(requester_of(interaction), ref.game)
            # After a backup was restored, the number of a game that it lacks may be another game's by now.
            mark = outbox_mark_of(interaction.message) if interaction.message else None
            if mark is not None and not await self._messages.is_known(mark):
                raise Refusal("stale")
        await handler(interaction, ref)

    async def _refuse_denied(self, interaction: Interaction[Any], ref: CustomId) -> None:  # noqa: ARG002 - signature of handlers
        self._denials.refuse_denied(interaction.user.id, interaction.guild_id)

    async def _reject_forged(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.responder.load_language(interaction)
        if ref.game:
            await self.panel_interactions.find_request(interaction, ref)
        raise Refusal("stale")

    @handles_verb("again")
    async def _repeat_command(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Repeat a command for the chosen game, with the text that the message quotes."""
        if ref.token not in self.repeated_with_form:
            await acknowledge(interaction, ephemeral=True, thinking=True)
        command, text = self.repeat_command.get(ref.token), quoted_text(interaction.message)
        if command is None:
            raise Refusal("stale")
        options = inspect.signature(command).parameters
        arguments = {"text": text} if text and "text" in options else {}
        needed = {name for name, option in options.items() if option.default is option.empty} - {"interaction", "game"}
        if not needed <= arguments.keys() or (arguments and not ref.request):
            raise Refusal("stale")  # forged: buttons carry only a text with its request
        if arguments:
            state_of(interaction).request_id = ref.request
        await command(interaction, game=str(ref.game), **arguments)


def _is_public_message(interaction: Interaction[Any]) -> bool:
    pressed = interaction.message
    return interaction.guild_id is not None and pressed is not None and not pressed.flags.ephemeral


class DynamicComponent(ui.DynamicItem[ui.Item[Any]], template=CUSTOM_ID_PATTERN):
    """Any component of the bot, recognised by its custom id alone, so that it works after a restart."""

    def __init__(self, item: ui.Item[Any], ref: CustomId) -> None:
        super().__init__(item)
        self._custom_id = ref

    @classmethod
    async def from_custom_id(
        cls, _interaction: Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> DynamicComponent:
        return cls(item, custom_id_from_match(match))

    async def callback(self, interaction: Interaction[Any]) -> None:
        await interaction.client.router.handle(interaction, self._custom_id)


async def handle_form(router: InteractionRouter, interaction: Interaction[Any]) -> None:
    """Handle a form that was sent, even one that was opened before a restart."""
    ref = parse_custom_id(str(interaction_data(interaction).get("custom_id", "")))
    if interaction.type is discord.InteractionType.modal_submit and ref:
        await router.handle(interaction, ref)
