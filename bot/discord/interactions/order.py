"""The path of a press in a captain's panel: Press → Asked → Worked → Kept → Shown.

`find` looks up what the user is asked. `apply_change` lets a worker carry the change out on the draft, and stores the
result (`bot.services.orders`). `PanelDisplay` shows it. Each hands a value to the next.
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
from bot.discord.interactions.answering import InteractionResponder
from bot.discord.interactions.panels import PanelDisplay
from bot.discord.interactions.responses import acknowledge, add_to_refusal, is_private, picked_value, requester_of
from bot.discord.interactions.verbs import VerbHandler, handles_verb
from bot.errors import Refusal
from bot.presenters.asked import PendingRequest
from bot.presenters.values import HintRef, SubmittedForm
from bot.services.access import AccessControl
from bot.services.orders import OrderService
from bot.services.table import Services
from rules.core.errors import OrderError

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
    custom_id: CustomId
    change: DraftChange


async def apply_change(orders: OrderService, asked: PendingRequest, change: DraftChange) -> PendingRequest:
    """Carry out a change of what somebody is asked, and store what came of it. Raises `Refusal` or `OrderError`."""
    match change:
        case ChooseOption(version=version, token=token):
            return await orders.press_option(asked, version, token, shown=True)
        case SubmittedForm():
            return await orders.fill_form(asked, change, shown=True)
        case TakeHint(token=token):
            return await orders.take_hint(asked, HintRef.read(token), shown=True)
        case SealDraft(version=version):
            return await orders.seal_draft(asked, version, shown=True)
        case UnsealDraft(version=version):
            return await orders.unseal_draft(asked, version)


class PanelInteractions:
    """Takes presses in panels, each captain's in the order in which they come."""

    def __init__(
        self, table: Services, answering: InteractionResponder, access: AccessControl, panels: PanelDisplay
    ) -> None:
        self._order_service = table.orders
        self._reader = table.reader
        self._responder = answering
        self._access = access
        self.panel_display = panels
        self._press_locks: WeakValueDictionary[tuple[int, int], asyncio.Lock] = WeakValueDictionary()

    # --- Press → Asked -----------------------------------------------------------------------------------------

    async def find_request(
        self, interaction: Interaction[Any], ref: CustomId, *, with_panel: bool = False
    ) -> PendingRequest:
        """Return, from one look, who presses and what they are asked: an id may be forged. Raises `Refusal`."""
        user, request = interaction.user.id, ref.request or None
        try:
            asked = await self._reader.pending_request(user, ref.game, request, with_panel=with_panel)
        except Refusal:
            await self._responder.load_language(interaction)
            await self._access.require_visible(
                requester_of(interaction), ref.game
            )  # for people who may not see it, there is no such game
            raise
        await self._responder.remember_language(interaction, asked.seated_game.players.get(user))
        return asked

    async def find_or_redirect(
        self, interaction: Interaction[Any], ref: CustomId, *, with_panel: bool = False
    ) -> PendingRequest:
        """The same, where nothing else is shown: what is asked no more is refused with what is, or the way to it."""
        try:
            return await self.find_request(interaction, ref, with_panel=with_panel)
        except Refusal as gone:
            if gone.key == "stale" and is_private(interaction):
                if not interaction.response.is_done():
                    await acknowledge(interaction)
                await self.panel_display.show_after_step(interaction, ref.game)
            elif gone.key == "stale":
                with suppress(Refusal):  # nothing is asked just now
                    add_to_refusal(interaction, await self.panel_display.panel_link(interaction, ref.game))
            raise

    # --- … → Shown ---------------------------------------------------------------------------------------------

    async def apply_press(self, press: PanelPress) -> None:
        """Change a draft or its seal, and show the panel in the message that was pressed."""
        interaction, ref = press.interaction, press.custom_id
        await acknowledge(interaction)
        try:
            async with self._press_lock(interaction.user.id, ref.game):
                asked = await self.find_request(interaction, ref)
                kept = await apply_change(self._order_service, asked, press.change)
        except (Refusal, OrderError) as refused:
            await self._show_refused(press, refused)
            raise refused from None
        await self.panel_display.show_result(interaction, kept, ref.page)

    async def _show_refused(self, press: PanelPress, refused: Refusal | OrderError) -> None:
        """Show how things stand: what was pressed may be out of date."""
        interaction, ref = press.interaction, press.custom_id
        key = refused.key if isinstance(refused, Refusal) else ""
        if key == "game_over":
            return  # the panel itself says so
        if key == "stale" and is_private(interaction):
            await self.panel_display.show_after_step(interaction, ref.game)
            return
        with suppress(Refusal):
            await self._show_again(interaction, ref)
            if key in ("changed", "stale"):
                # The panel may be out of sight, or shown again where nobody looks.
                add_to_refusal(interaction, await self.panel_display.panel_link(interaction, ref.game))

    async def _show_again(self, interaction: Interaction[Any], ref: CustomId) -> None:
        try:
            asked = await self.find_request(interaction, ref, with_panel=True)
        except Refusal as gone:
            if gone.key in _LEAVE_PANEL_REFUSALS:
                raise
            await self.panel_display.show_next(interaction, ref.game)
            return
        await self.panel_display.show_in_place(interaction, asked, ref.page)

    def _press_lock(self, user_id: int, game_id: int) -> asyncio.Lock:
        """What keeps somebody's presses in the order in which they came, though each looks and thinks for itself."""
        return self._press_locks.setdefault((user_id, game_id), asyncio.Lock())

    # --- buttons and lists -------------------------------------------------------------------------------------

    @handles_verb("press")
    async def _press(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, ChooseOption(ref.version, ref.token)))

    @handles_verb("pick")
    async def _pick(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, ChooseOption(ref.version, picked_value(interaction) or "")))

    @handles_verb("seal")
    async def _seal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, SealDraft(ref.version)))

    @handles_verb("unseal")
    async def _unseal(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, UnsealDraft(ref.version)))

    @handles_verb("page")
    async def _page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Turn to another page of a panel, as it is now."""
        await acknowledge(interaction)
        await self._show_again(interaction, structs.replace(ref, page=ref.token_as_number or 0))

    # --- panels for the asking ---------------------------------------------------------------------------------

    async def show_panel(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Give somebody a panel where they are, for their eyes only."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.panel_display.answer_with_panel(
            interaction, await self.find_request(interaction, structs.replace(ref, request=""))
        )

    async def show_current(self, interaction: Interaction[Any], game_id: int | None, *, note: str = "") -> None:
        """The same where the interaction was deferred, with a `note` if there is one. Raises `Refusal`."""
        await self.panel_display.answer_with_panel(
            interaction, await self._reader.pending_request(interaction.user.id, game_id), note=note
        )


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
