"""What happens when somebody presses a button, picks from a select or sends a form."""

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
from bot.discord.ids import PATTERN, Ref, of_match, unpack
from bot.discord.messages.quoting import typed_in
from bot.discord.metrics import Metrics
from bot.discord.presses.answering import Answering
from bot.discord.presses.dice import DiceWords
from bot.discord.presses.filling import Filling
from bot.discord.presses.game import GamePresses
from bot.discord.presses.hinting import Hinting
from bot.discord.presses.interactions import (
    acknowledge,
    answer_only,
    asker_of,
    data_of,
    picked,
    reset_lists,
)
from bot.discord.presses.keepsakes import KeepsakePresses
from bot.discord.presses.lessons import LessonPresses
from bot.discord.presses.lobby import LobbyPresses
from bot.discord.presses.mine import Mine
from bot.discord.presses.opening import Opening
from bot.discord.presses.order import Ordering, unless_over
from bot.discord.presses.panels import Panels
from bot.discord.presses.reading import Reading
from bot.discord.presses.scenarios import Scenarios
from bot.discord.presses.typed import Typing
from bot.discord.presses.verbs import Verb, verb, verbs_of
from bot.discord.presses.welcome import Welcome
from bot.discord.presses.writing import Writing
from bot.discord.sending.edits import MessageEdits
from bot.discord.sending.refusal_log import RefusalLog
from bot.doors.access import Access
from bot.doors.table import Table
from bot.errors import Refusal


class Presses:
    """Finds out what a button, list or form of ours asks for, and lets it be done for those who may."""

    def __init__(
        self,
        table: Table,
        metrics: Metrics,
        refusals: RefusalLog,
        access: Access,
        edits: MessageEdits,
        *,
        phase_length: str,
    ) -> None:
        """`phase_length` is the pace of games that begin at one press."""
        self.access = access
        self._denials = table.denials
        self.answering = Answering(table, metrics, refusals)
        panels = Panels(table, edits, metrics)
        self.ordering = Ordering(table, self.answering, access, panels)
        self.typing = Typing(table, self.ordering)
        self.writing = Writing(table, self.answering, access, self.ordering, self.typing)
        self.reading = Reading(table)
        self.welcome = Welcome(table, self.ordering, phase_length=phase_length)
        self.game = GamePresses(table)
        self.lobby = LobbyPresses(table)
        self.opening = Opening(table, phase_length=phase_length)
        self.again: dict[str, Callable[..., Awaitable[None]]] = {}
        """Commands that may be used again for another game, by their names."""
        lessons = verbs_of(LessonPresses(table))
        in_panels = [self.ordering, self.typing, Filling(table, self.ordering), Hinting(table, self.ordering)]
        on_panels = unless_over(panels, {name: one for owner in in_panels for name, one in verbs_of(owner).items()})
        others: list[object] = [self.writing, self.reading, self.welcome, self.game, self.lobby, self.opening, self]
        others += [Mine(table), DiceWords(table), Scenarios(table), KeepsakePresses(table)]
        self._orders: dict[str, Verb] = {**on_panels, "orders": self.ordering.show_panel}
        """Verbs whose user and request are found in one look at the database."""
        self.verbs: dict[str, Verb] = {
            **self._orders,
            **lessons,
            **{name: one for owner in others for name, one in verbs_of(owner).items()},
        }
        """All that a custom id may ask for."""
        self._private = {*on_panels, *verbs_of(self.writing), *verbs_of(self.opening), *lessons, "games"}
        """Verbs of messages that nobody else sees: they may be shown again in the message that was pressed."""

    async def handle(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Do what a button, list or form of ours asks for."""
        if verb := self.verbs.get(ref.verb):
            doing = verb if ref.verb in self._orders else partial(self._admitted, verb)
            forged = ref.verb in self._private and _seen_by_all(interaction)
            denied = self._denials.denies(interaction.user.id, interaction.guild_id)
            doing = self._denied if denied else self._forged if forged else doing
            acting = doing(interaction, structs.replace(ref, reset=0))
            with logs.about(game=ref.game):
                await self.answering.guarded(interaction, ref.verb, acting)
                if picked(interaction) and not ref.game and not _seen_by_all(interaction):
                    await reset_lists(interaction)  # of messages about a game, what shows the game does so

    async def _admitted(self, verb: Verb, interaction: Interaction[Any], ref: Ref) -> None:
        """Do it for a user who may see the game; a custom id may be forged."""
        await self.answering.recognize(interaction)
        if ref.game:  # lessons have none
            await self.access.game(asker_of(interaction), ref.game)
        await verb(interaction, ref)

    async def _denied(self, interaction: Interaction[Any], ref: Ref) -> None:  # noqa: ARG002 - as every verb
        """Do nothing for those that the host has shut out. Raises `Refusal`."""
        self._denials.check(interaction.user.id, interaction.guild_id)

    async def _forged(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Do nothing to a message that never had such a button; strangers get a refusal. Raises `Refusal`."""
        await self.answering.recognize(interaction)
        if ref.game:
            await self.ordering.find(interaction, ref)
        raise Refusal("stale")

    @verb("again")
    async def _again(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Use a command once more, for the game that was meant; what was typed stands in the message."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        command, text = self.again.get(ref.token), typed_in(interaction.message)
        if command is None:
            raise Refusal("stale")
        options = inspect.signature(command).parameters
        given = {"text": text} if text and "text" in options else {}
        needed = {name for name, option in options.items() if option.default is option.empty} - {"interaction", "game"}
        if not needed <= given.keys() or (given and not ref.request):
            raise Refusal("stale")  # no button of ours carries more, nor a text without its question
        if given:
            answer_only(interaction, ref.request)
        await command(interaction, game=str(ref.game), **given)


def _seen_by_all(interaction: Interaction[Any]) -> bool:
    """Whether a message was pressed that others see too."""
    pressed = interaction.message
    return interaction.guild_id is not None and pressed is not None and not pressed.flags.ephemeral


class Pressed(ui.DynamicItem[ui.Item[Any]], template=PATTERN):
    """Any button or select of ours, known by its custom id alone; so it works after a restart."""

    def __init__(self, item: ui.Item[Any], ref: Ref) -> None:
        super().__init__(item)
        self._ref = ref

    @classmethod
    async def from_custom_id(
        cls, _interaction: Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> Pressed:
        """Read what was pressed."""
        return cls(item, of_match(match))

    async def callback(self, interaction: Interaction[Any]) -> None:
        """Do it."""
        await interaction.client.presses.handle(interaction, self._ref)


async def on_form(presses: Presses, interaction: Interaction[Any]) -> None:
    """Take a form that was sent, also one that was opened before a restart."""
    ref = unpack(str(data_of(interaction).get("custom_id", "")))
    if interaction.type is discord.InteractionType.modal_submit and ref:
        await presses.handle(interaction, ref)
