"""The path of a press in a captain's panel: Press → Asked → Worked → Kept → Shown.

`find` looks up what the user is asked. `keep` lets a worker carry the change out on the draft, and stores the result
(`bot.doors.orders`). `Panels` shows it. Each hands a value to the next.
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

from bot.discord.ids import Ref
from bot.discord.presses.answering import Answering
from bot.discord.presses.interactions import acknowledge, asker_of, is_private, offer, picked
from bot.discord.presses.panels import Panels
from bot.discord.presses.verbs import Verb, verb
from bot.doors.access import Access
from bot.doors.orders import Orders
from bot.doors.table import Table
from bot.errors import Refusal
from bot.telling.asked import Asked
from bot.telling.values import Filled, HintRef
from rules.errors import OrderError

_FOREIGN: Final = ("not_seated", "unknown_game", "left_out")
"""Refusals after which a panel stays as it is: it is not theirs who pressed, and its captain still needs it."""


class Chosen(NamedTuple):
    """An option of a panel."""

    version: int
    """Of the draft for which it was offered."""
    token: str


class Seal(NamedTuple):
    """The draft is to be sealed."""

    version: int


class Unseal(NamedTuple):
    """One's own seal is to be broken."""

    version: int


class Advised(NamedTuple):
    """A hint is to be put into the draft, found again by the token of its button."""

    token: str


Change = Chosen | Seal | Unseal | Advised | Filled
"""What a press changes of a draft or its seal."""


class Press(NamedTuple):
    """A button, list or form of a panel that was used."""

    interaction: Interaction[Any]
    ref: Ref
    change: Change


async def keep(orders: Orders, asked: Asked, change: Change) -> Asked:
    """Carry out a change of what somebody is asked, and store what came of it. Raises `Refusal` or `OrderError`."""
    match change:
        case Chosen(version=version, token=token):
            return await orders.press(asked, version, token, shown=True)
        case Filled():
            return await orders.fill(asked, change, shown=True)
        case Advised(token=token):
            return await orders.take(asked, HintRef.read(token), shown=True)
        case Seal(version=version):
            return await orders.seal(asked, version, shown=True)
        case Unseal(version=version):
            return await orders.unseal(asked, version)


class Ordering:
    """Takes presses in panels, each captain's in the order in which they come."""

    def __init__(self, table: Table, answering: Answering, access: Access, panels: Panels) -> None:
        self._orders = table.orders
        self._reader = table.reader
        self._answering = answering
        self._access = access
        self.panels = panels
        self._turns: WeakValueDictionary[tuple[int, int], asyncio.Lock] = WeakValueDictionary()

    # --- Press → Asked -----------------------------------------------------------------------------------------

    async def find(self, interaction: Interaction[Any], ref: Ref, *, with_panel: bool = False) -> Asked:
        """Return, from one look, who presses and what they are asked: an id may be forged. Raises `Refusal`."""
        user, request = interaction.user.id, ref.request or None
        try:
            asked = await self._reader.asked(user, ref.game, request, with_panel=with_panel)
        except Refusal:
            await self._answering.recognize(interaction)
            await self._access.game(
                asker_of(interaction), ref.game
            )  # for people who may not see it, there is no such game
            raise
        await self._answering.hear(interaction, asked.playing.players.get(user))
        return asked

    async def find_or_lead(self, interaction: Interaction[Any], ref: Ref, *, with_panel: bool = False) -> Asked:
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
                    offer(interaction, await self.panels.panel_link(interaction, ref.game))
            raise

    # --- … → Shown ---------------------------------------------------------------------------------------------

    async def carry_out(self, press: Press) -> None:
        """Change a draft or its seal, and show the panel in the message that was pressed."""
        interaction, ref = press.interaction, press.ref
        await acknowledge(interaction)
        try:
            async with self._one_by_one(interaction.user.id, ref.game):
                asked = await self.find(interaction, ref)
                kept = await keep(self._orders, asked, press.change)
        except (Refusal, OrderError) as refused:
            await self._show_refused(press, refused)
            raise refused from None
        await self.panels.show_result(interaction, kept, ref.page)

    async def _show_refused(self, press: Press, refused: Refusal | OrderError) -> None:
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
                offer(interaction, await self.panels.panel_link(interaction, ref.game))

    async def _show_again(self, interaction: Interaction[Any], ref: Ref) -> None:
        try:
            asked = await self.find(interaction, ref, with_panel=True)
        except Refusal as gone:
            if gone.key in _FOREIGN:
                raise
            await self.panels.show_next(interaction, ref.game)
            return
        await self.panels.show(interaction, asked, ref.page)

    def _one_by_one(self, user_id: int, game_id: int) -> asyncio.Lock:
        """What keeps somebody's presses in the order in which they came, though each looks and thinks for itself."""
        return self._turns.setdefault((user_id, game_id), asyncio.Lock())

    # --- buttons and lists -------------------------------------------------------------------------------------

    @verb("press")
    async def _press(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self.carry_out(Press(interaction, ref, Chosen(ref.version, ref.token)))

    @verb("pick")
    async def _pick(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self.carry_out(Press(interaction, ref, Chosen(ref.version, picked(interaction) or "")))

    @verb("seal")
    async def _seal(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self.carry_out(Press(interaction, ref, Seal(ref.version)))

    @verb("unseal")
    async def _unseal(self, interaction: Interaction[Any], ref: Ref) -> None:
        await self.carry_out(Press(interaction, ref, Unseal(ref.version)))

    @verb("page")
    async def _page(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Turn to another page of a panel, as it is now."""
        await acknowledge(interaction)
        await self._show_again(interaction, structs.replace(ref, page=ref.number or 0))

    # --- panels for the asking ---------------------------------------------------------------------------------

    async def show_panel(self, interaction: Interaction[Any], ref: Ref) -> None:
        """Give somebody a panel where they are, for their eyes only."""
        await acknowledge(interaction, ephemeral=True, thinking=True)
        await self.panels.answer(interaction, await self.find(interaction, structs.replace(ref, request="")))

    async def show(self, interaction: Interaction[Any], game_id: int | None, *, note: str = "") -> None:
        """The same where the interaction was deferred, with a `note` if there is one. Raises `Refusal`."""
        await self.panels.answer(interaction, await self._reader.asked(interaction.user.id, game_id), note=note)


def unless_over(panels: Panels, verbs: Mapping[str, Verb]) -> dict[str, Verb]:
    """The same verbs; where the game is over, its panel says so and loses its buttons, and nothing is said besides."""
    return {name: partial(_unless_over, panels, found) for name, found in verbs.items()}


async def _unless_over(panels: Panels, doing: Verb, interaction: Interaction[Any], ref: Ref) -> None:
    try:
        await doing(interaction, ref)
    except Refusal as refused:
        if refused.key != "game_over" or interaction.message is None:
            raise
        if not interaction.response.is_done():
            await acknowledge(interaction)
        await panels.show_next(interaction, ref.game)
