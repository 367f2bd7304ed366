"""The path of a press in a captain's panel: Press → Asked → Worked → Kept → Shown.

`find` looks up what the user is asked. `apply_change` lets a worker carry the change out on the draft, and stores the
result (`bot.doors.orders`). `PanelDisplay` shows it. Each hands a value to the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

from discord import Interaction
from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.presses.answering import InteractionResponder
from bot.discord.presses.interactions import acknowledge, add_to_refusal, is_private, picked_value, requester_of
from bot.discord.presses.panels import PanelDisplay
from bot.discord.presses.verbs import VerbHandler, handles_verb
from bot.doors.access import AccessControl
from bot.doors.orders import OrderService
from bot.doors.table import Services
from bot.errors import Refusal
from bot.telling.asked import PendingRequest
from bot.telling.values import HintRef, SubmittedForm
from rules.errors import OrderError

_LEAVE_PANEL_REFUSALS: Final = ("not_seated", "unknown_game", "left_out")
"""Refusals after which a panel stays as it is: it is not theirs who pressed, and its captain still needs it."""


class ChooseOption(NamedTuple):
    """An option of a panel."""

    version: int
    """Of the draft for which it was offered."""
    token: str


class SealDraft(NamedTuple):
    """The draft is to be sealed."""

    version: int


class UnsealDraft(NamedTuple):
    """One's own seal is to be broken."""

    version: int


class TakeHint(NamedTuple):
    """A hint is to be put into the draft, found again by the token of its button."""

    token: str


DraftChange = ChooseOption | SealDraft | UnsealDraft | TakeHint | SubmittedForm
"""What a press changes of a draft or its seal."""


class PanelPress(NamedTuple):
    """A button, list or form of a panel that was used."""

    interaction: Interaction[Any]
    ref: CustomId
    change: DraftChange


async def apply_change(orders: OrderService, asked: PendingRequest, change: DraftChange) -> PendingRequest:
    """Carry out a change of what somebody is asked, and store what came of it. Raises `Refusal` or `OrderError`."""
    match change:
        case ChooseOption(version=version, token=token):
            return await orders.press(asked, version, token, shown=True)
        case SubmittedForm():
            return await orders.fill(asked, change, shown=True)
        case TakeHint(token=token):
            return await orders.take(asked, HintRef.read(token), shown=True)
        case SealDraft(version=version):
            return await orders.seal(asked, version, shown=True)
        case UnsealDraft(version=version):
            return await orders.unseal(asked, version)


class PanelInteractions:
    """Takes presses in panels, each captain's in the order in which they come."""

    def __init__(
        self, table: Services, answering: InteractionResponder, access: AccessControl, panels: PanelDisplay
    ) -> None:
        self._orders = table.orders
        self._reader = table.reader
        self._answering = answering
        self._access = access
        self.panels = panels
        self._turns: WeakValueDictionary[tuple[int, int], asyncio.Lock] = WeakValueDictionary()

    # --- Press → Asked -----------------------------------------------------------------------------------------

    async def find(self, interaction: Interaction[Any], ref: CustomId, *, with_panel: bool = False) -> PendingRequest:
        """Return, from one look, who presses and what they are asked: an id may be forged. Raises `Refusal`."""
        user, request = interaction.user.id, ref.request or None
        try:
            asked = await self._reader.asked(user, ref.game, request, with_panel=with_panel)
        except Refusal:
            await self._answering.recognize(interaction)
            await self._access.game(
                requester_of(interaction), ref.game
            )  # for people who may not see it, there is no such game
            raise
        await self._answering.hear(interaction, asked.playing.players.get(user))
        return asked

    async def find_or_lead(
        self, interaction: Interaction[Any], ref: CustomId, *, with_panel: bool = False
    ) -> PendingRequest:
        """The same, where nothing else is shown: what is asked no more is refused with what is, or the way to it."""
        try:
            return await self.find(interaction, ref, with_panel=with_panel)
        except Refusal as gone:
            if gone.key == "stale" and is_private(interaction):
                if not interaction.response.is_done():
                    await acknowledge(interaction)
                await self.panels.show_moved_on(interaction, ref.game)
            elif gone.key == "stale":
                with suppress(Refusal):  # nothing is asked just now
                    add_to_refusal(interaction, await self.panels.panel_link(interaction, ref.game))
            raise

    # --- … → Shown ---------------------------------------------------------------------------------------------

    async def carry_out(self, press: PanelPress) -> None:
        """Change a draft or its seal, and show the panel in the message that was pressed."""
        interaction, ref = press.interaction, press.ref
        await acknowledge(interaction)
        try:
            async with self._one_by_one(interaction.user.id, ref.game):
                asked = await self.find(interaction, ref)
                kept = await apply_change(self._orders, asked, press.change)
        except (Refusal, OrderError) as refused:
            await self._show_refused(press, refused)
            raise refused from None
        await self.panels.show_result(interaction, kept, ref.page)

    async def _show_refused(self, press: PanelPress, refused: Refusal | OrderError) -> None:
        """Show how things stand: what was pressed may be out of date."""
        interaction, ref = press.interaction, press.ref
        key = refused.key if isinstance(refused, Refusal) else ""
        if key == "game_over":
            return  # the panel itself says so
        if key == "stale" and is_private(interaction):
            await self.panels.show_moved_on(interaction, ref.game)
            return
        with suppress(Refusal):
            await self._show_again(interaction, ref)
            if key in ("changed", "stale"):
                # The panel may be out of sight, or shown again where nobody looks.
                add_to_refusal(interaction, await self.panels.panel_link(interaction, ref.game))

    async def _show_again(self, interaction: Interaction[Any], ref: CustomId) -> None:
        try:
            asked = await self.find(interaction, ref, with_panel=True)
        except Refusal as gone:
            if gone.key in _LEAVE_PANEL_REFUSALS:
                raise
            await self.panels.show_next(interaction, ref.game)
            return
        await self.panels.show(interaction, asked, ref.page)

    def _one_by_one(self, user_id: int, game_id: int) -> asyncio.Lock:
        """What keeps somebody's presses in the order in which they came, though each looks and thinks for itself."""
        return self._turns.setdefault((user_id, game_id), asyncio.Lock())

    # --- buttons and lists -------------------------------------------------------------------------------------

    @handles_verb("press")
    async def _press(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.carry_out(PanelPress(interaction, ref, ChooseOption(ref.version, ref.token)))

    @handles_verb("pick")
    async def _pick(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.carry_out(PanelPress(interaction, ref, ChooseOption(ref.version, picked_value(interaction) or "")))

    @handles_verb("seal")
    async def _seal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.carry_out(PanelPress(interaction, ref, SealDraft(ref.version)))

    @handles_verb("unseal")
    async def _unseal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.carry_out(PanelPress(interaction, ref, UnsealDraft(ref.version)))

    @handles_verb("page")
    async def _page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Turn to another page of a panel, as it is now."""
        await acknowledge(interaction)
        await self._show_again(interaction, structs.replace(ref, page=ref.number or 0))

    # --- panels for the asking ---------------------------------------------------------------------------------

    async def show_panel(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Give somebody a panel where they are, for their eyes only."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.panels.answer(interaction, await self.find(interaction, structs.replace(ref, request="")))

    async def show(self, interaction: Interaction[Any], game_id: int | None, *, note: str = "") -> None:
        """The same where the interaction was deferred, with a `note` if there is one. Raises `Refusal`."""
        await self.panels.answer(interaction, await self._reader.asked(interaction.user.id, game_id), note=note)


def guard_finished_games(panels: PanelDisplay, verbs: Mapping[str, VerbHandler]) -> dict[str, VerbHandler]:
    """The same verbs; where the game is over, its panel says so and loses its buttons, and nothing is said besides."""
    return {name: partial(_run_unless_over, panels, found) for name, found in verbs.items()}


async def _run_unless_over(
    panels: PanelDisplay, doing: VerbHandler, interaction: Interaction[Any], ref: CustomId
) -> None:
    try:
        await doing(interaction, ref)
    except Refusal as refused:
        if refused.key != "game_over" or interaction.message is None:
            raise
        if not interaction.response.is_done():
            await acknowledge(interaction)
        await panels.show_next(interaction, ref.game)
