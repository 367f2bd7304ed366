"""What a captain gives orders by: the galleys that may be named, and what was ordered before."""

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
        """The seat's galleys."""
        return tuple(galley for galley in self.state.galleys if galley.seat == self.seat)

    @property
    def enemies(self) -> tuple[Galley, ...]:
        """The galleys of the other side."""
        side = self.state.sides[self.seat]
        return tuple(galley for galley in self.state.galleys if galley.side != side)

    @property
    def order_letters(self) -> tuple[str, ...]:
        """The orders that the game has; those to grapple only where galleys may be boarded (MX-3.1)."""
        return ("F", "L", "R", "X", "G", "ZZ") if self.state.allows_boarding else ("F", "L", "R", "X", "ZZ")

    @property
    def standing_orders(self) -> StandingOrders:
        """The standing orders as they were."""
        return self.state.standing[self.seat]

    @property
    def can_hold(self) -> bool:
        """Whether the game lets captains give no orders at all."""
        return self.state.missed == "hold"

    @property
    def last_orders(self) -> dict[str, OrderList]:
        """What the seat's galleys were ordered in the round before, by id; who had no orders is left out."""
        names = {galley.id for galley in self.own_galleys}
        return {one.galley: one for one in self.state.ordered if one.galley in names and one.orders}
