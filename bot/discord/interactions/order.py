"""The path of a press in a captain's panel, where each stage hands a value to the next.

`find_request` looks up the request that the user may answer. `apply_change` lets a worker change the draft and stores
the result (`bot.services.orders`). `PanelDisplay` shows it.
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
from bot.discord.interactions.responses import (
    acknowledge,
    is_private,
    picked_value,
    requester_of,
    state_of,
)
from bot.discord.interactions.verbs import VerbHandler, handles_verb
from bot.errors import Refusal
from bot.jobs.values import HintRef, SubmittedForm
from bot.presenters.asked import PendingRequest
from bot.services.access import AccessControl
from bot.services.orders import OrderService
from bot.services.table import Services
from rules.core.errors import OrderError

_LEAVE_PANEL_REFUSALS: Final = ("not_seated", "unknown_game", "left_out")
"""Refusals after which a panel stays unchanged, because its captain, not the presser, still needs it."""


class ChooseOption(NamedTuple):
    version: int  # of the draft that the panel showed when it was pressed
    token: str  # of the option


class SealDraft(NamedTuple):
    version: int  # of the draft that the panel showed when it was pressed


class UnsealDraft(NamedTuple):
    version: int  # of the draft that the panel showed when it was pressed


class TakeHint(NamedTuple):
    """A hint to put into the draft, identified by the token of its button."""

    token: str  # names the hint (`HintRef.read`)
    seals: bool = False  # whether the draft is sealed, too


DraftChange = ChooseOption | SealDraft | UnsealDraft | TakeHint | SubmittedForm


class PanelPress(NamedTuple):
    interaction: Interaction[Any]
    custom_id: CustomId  # of the pressed component
    change: DraftChange  # what the press does to the draft


async def apply_change(orders: OrderService, request: PendingRequest, change: DraftChange) -> PendingRequest:
    """Carry out a change of a draft or its seal and store the result. Raises `Refusal` or `OrderError`."""
    match change:
        case ChooseOption(version=version, token=token):
            return await orders.press_option(request, version, token, shown_by_caller=True)
        case SubmittedForm():
            return await orders.fill_form(request, change, shown_by_caller=True)
        case TakeHint(token=token, seals=seals):
            return await orders.take_hint(request, HintRef.read(token), seals=seals, shown_by_caller=True)
        case SealDraft(version=version):
            return await orders.seal_draft(request, version, shown_by_caller=True)
        case UnsealDraft(version=version):
            return await orders.unseal_draft(request, version)


class PanelInteractions:
    """Handles presses in panels, those of one captain in sequence."""

    def __init__(
        self, services: Services, responder: InteractionResponder, access: AccessControl, panel_display: PanelDisplay
    ) -> None:
        self._order_service = services.orders
        self._reader = services.reader
        self._responder = responder
        self._access = access
        self.panel_display = panel_display
        self._press_locks: WeakValueDictionary[tuple[int, int], asyncio.Lock] = WeakValueDictionary()  # by user, game

    # --- finding the request -----------------------------------------------------------------------------------------

    async def find_request(
        self, interaction: Interaction[Any], ref: CustomId, *, with_panel: bool = False
    ) -> PendingRequest:
        """Return the user's request and draft in one query. A forged id is refused. Raises `Refusal`."""
        user, request_id = interaction.user.id, ref.request or None
        try:
            request = await self._reader.requests.pending_request(user, ref.game, request_id, with_panel=with_panel)
        except Refusal:
            await self._responder.load_language(interaction)
            # Users who may not see the game get another refusal.
            await self._access.require_visible(requester_of(interaction), ref.game)
            raise
        await self._responder.remember_language(interaction, request.seated_game.players.get(user))
        return request

    async def find_or_redirect(
        self, interaction: Interaction[Any], ref: CustomId, *, with_panel: bool = False
    ) -> PendingRequest:
        """Like `find_request`; if the request is closed, show the current panel privately or offer a link to it.

        Re-raises the `Refusal`.
        """
        try:
            return await self.find_request(interaction, ref, with_panel=with_panel)
        except Refusal as refusal:
            if refusal.key == "stale" and is_private(interaction):
                if not interaction.response.is_done():
                    await acknowledge(interaction)
                await self.panel_display.show_after_step(interaction, ref.game)
            elif refusal.key == "stale":
                with suppress(Refusal):  # no request is open
                    state_of(interaction).refusal_blocks = (await self.panel_display.panel_link(interaction, ref.game),)
            raise

    # --- applying a press ---------------------------------------------------------------------------------------------

    async def apply_press(self, press: PanelPress) -> None:
        interaction, ref = press.interaction, press.custom_id
        await acknowledge(interaction)
        try:
            async with self._press_lock(interaction.user.id, ref.game):
                request = await self.find_request(interaction, ref)
                changed_request = await apply_change(self._order_service, request, press.change)
        except (Refusal, OrderError) as refusal:
            await self._show_after_refusal(press, refusal)
            raise refusal from None
        await self.panel_display.show_result(interaction, changed_request, ref.page)

    async def _show_after_refusal(self, press: PanelPress, refusal: Refusal | OrderError) -> None:
        """Update the pressed panel, which may be outdated. The reason itself is sent by the caller."""
        interaction, ref = press.interaction, press.custom_id
        key = refusal.key if isinstance(refusal, Refusal) else ""
        if key == "game_over":
            return  # the panel itself shows that
        if key == "stale" and is_private(interaction):
            await self.panel_display.show_after_step(interaction, ref.game)
            return
        with suppress(Refusal):
            await self._show_again(interaction, ref)
            if key in ("changed", "stale"):
                # The updated panel may be far above, out of the user's sight.
                state_of(interaction).refusal_blocks = (await self.panel_display.panel_link(interaction, ref.game),)

    async def _show_again(self, interaction: Interaction[Any], ref: CustomId) -> None:
        """Show the request's present panel or, if it is closed, what comes next. Raises `Refusal` to other users."""
        try:
            request = await self.find_request(interaction, ref, with_panel=True)
        except Refusal as refusal:
            if refusal.key in _LEAVE_PANEL_REFUSALS:
                raise
            await self.panel_display.show_next(interaction, ref.game)
            return
        await self.panel_display.show_in_place(interaction, request, ref.page)

    def _press_lock(self, user_id: int, game_id: int) -> asyncio.Lock:
        """Return the lock that keeps a user's presses in a game in sequence."""
        return self._press_locks.setdefault((user_id, game_id), asyncio.Lock())

    # --- buttons and lists -------------------------------------------------------------------------------------

    @handles_verb("press")
    async def _press_option(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, ChooseOption(ref.version, ref.token)))

    @handles_verb("pick")
    async def _pick_option(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, ChooseOption(ref.version, picked_value(interaction) or "")))

    @handles_verb("seal")
    async def _seal_draft(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, SealDraft(ref.version)))

    @handles_verb("unseal")
    async def _unseal_draft(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await self.apply_press(PanelPress(interaction, ref, UnsealDraft(ref.version)))

    @handles_verb("page")
    async def _turn_page(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction)
        await self._show_again(interaction, structs.replace(ref, page=ref.token_as_number or 0))

    # --- panels for the asking ---------------------------------------------------------------------------------

    async def show_panel(self, interaction: Interaction[Any], ref: CustomId) -> None:
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.panel_display.answer_with_panel(
            interaction, await self.find_request(interaction, structs.replace(ref, request=""))
        )

    async def show_current(self, interaction: Interaction[Any], game_id: int | None, *, note: str = "") -> None:
        """Show the user's panel after a deferred interaction, with a `note` if there is one. Raises `Refusal`."""
        await self.panel_display.answer_with_panel(
            interaction, await self._reader.requests.pending_request(interaction.user.id, game_id), note=note
        )


def guard_finished_games(panel_display: PanelDisplay, verbs: Mapping[str, VerbHandler]) -> dict[str, VerbHandler]:
    """Return these handlers, extended to close the pressed panel without further answer if its game is over."""
    return {name: partial(_run_unless_over, panel_display, handler) for name, handler in verbs.items()}


async def _run_unless_over(
    panel_display: PanelDisplay, handler: VerbHandler, interaction: Interaction[Any], ref: CustomId
) -> None:
    try:
        await handler(interaction, ref)
    except Refusal as refusal:
        if refusal.key != "game_over" or interaction.message is None:
            raise
        if not interaction.response.is_done():
            await acknowledge(interaction)
        await panel_display.show_next(interaction, ref.game)
