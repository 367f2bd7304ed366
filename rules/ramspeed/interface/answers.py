"""What captains answer: a sheet with what is to hold besides, one ship's line, a choice in the middle of a turn."""

from __future__ import annotations

from msgspec import Struct

from rules.interface.choosing import Choice
from rules.ramspeed.engine.orders import DoctrineLine, OrderLine, OrderSheet


class SheetOrders(Struct, frozen=True, tag="Orders"):
    """A sheet for the turn, and changes of what stands (part 8.1)."""

    sheet: OrderSheet = OrderSheet()
    doctrines: tuple[DoctrineLine, ...] = ()
    """What is to hold from now on, over what held before."""
    stand_in_sheet: OrderSheet | None = None
    """What stands in for a missing sheet from now on; None: as before."""


class StandingChange(Struct, frozen=True, tag="Standing"):
    """Changes of what stands, alone."""

    doctrines: tuple[DoctrineLine, ...] = ()
    stand_in_sheet: OrderSheet | None = None


class LiveOrder(Struct, frozen=True, tag="Act"):
    """One ship's line, carried out at once."""

    line: OrderLine


class EndPlayerTurn(Struct, frozen=True, tag="Done"):
    """The player-turn is over: ships that have not acted stay, or shoot as their doctrine says."""

    is_late: bool = False
    """Nobody has said so: the time was up."""


Answer = SheetOrders | StandingChange | LiveOrder | EndPlayerTurn | Choice
