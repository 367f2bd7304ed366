"""Inputs for a captain's orders."""

from __future__ import annotations

from msgspec import Struct

from rules.core.protocol import Seat
from rules.matchbox.engine.state import Galley, OrderList, StandingOrders, State


class OrderContext(Struct, frozen=True):
    """Read-only inputs for editing one seat's orders."""

    state: State
    seat: Seat

    @property
    def own_galleys(self) -> tuple[Galley, ...]:
        return tuple(galley for galley in self.state.galleys if galley.seat == self.seat)

    @property
    def enemies(self) -> tuple[Galley, ...]:
        side = self.state.sides[self.seat]
        return tuple(galley for galley in self.state.galleys if galley.side != side)

    @property
    def order_letters(self) -> tuple[str, ...]:
        """The game's orders. `G` exists only with boarding (MX-3.1)."""
        return ("F", "L", "R", "X", "G", "ZZ") if self.state.allows_boarding else ("F", "L", "R", "X", "ZZ")

    @property
    def standing_orders(self) -> StandingOrders:
        return self.state.standing[self.seat]

    @property
    def can_hold(self) -> bool:
        return self.state.missed == "hold"

    @property
    def last_orders(self) -> dict[str, OrderList]:
        """Orders of the previous round by galley id, without galleys that had none."""
        names = {galley.id for galley in self.own_galleys}
        return {
            order_list.galley: order_list
            for order_list in self.state.ordered
            if order_list.galley in names and order_list.orders
        }
