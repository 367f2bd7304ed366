"""Answers of captains: a sheet with changes, one ship's line, or a choice in the middle of a turn."""

from __future__ import annotations

from msgspec import Struct

from rules.interface.choosing import Choice
from rules.ramspeed.engine.orders import DoctrineLine, OrderLine, OrderSheet


class SheetOrders(Struct, frozen=True, tag="Orders"):
    sheet: OrderSheet = OrderSheet()
    doctrines: tuple[DoctrineLine, ...] = ()
    stand_in_sheet: OrderSheet | None = None  # the new standing sheet, which replaces a missing one; None: no change


class StandingChange(Struct, frozen=True, tag="Standing"):
    doctrines: tuple[DoctrineLine, ...] = ()
    stand_in_sheet: OrderSheet | None = None


class LiveOrder(Struct, frozen=True, tag="Act"):
    line: OrderLine


class EndPlayerTurn(Struct, frozen=True, tag="Done"):
    is_late: bool = False  # whether the time ran out, rather than the captain ending the player-turn


Answer = SheetOrders | StandingChange | LiveOrder | EndPlayerTurn | Choice
