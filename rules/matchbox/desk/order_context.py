"""What a captain gives orders by: the galleys that may be named, and what was ordered before."""

from __future__ import annotations

from msgspec import Struct

from rules.matchbox.table.state import Galley, OrderList, StandingOrders, State
from rules.protocol import Seat


class OrderContext(Struct, frozen=True):
    """Read-only inputs for editing one seat's orders."""

    state: State
    seat: Seat

    @property
    def mine(self) -> tuple[Galley, ...]:
        """The seat's galleys."""
        return tuple(galley for galley in self.state.galleys if galley.seat == self.seat)

    @property
    def enemies(self) -> tuple[Galley, ...]:
        """The galleys of the other side."""
        side = self.state.sides[self.seat]
        return tuple(galley for galley in self.state.galleys if galley.side != side)

    @property
    def letters(self) -> tuple[str, ...]:
        """The orders that the game has; those to grapple only where galleys may be boarded (MX-3.1)."""
        return ("F", "L", "R", "X", "G", "ZZ") if self.state.boards else ("F", "L", "R", "X", "ZZ")

    @property
    def standing(self) -> StandingOrders:
        """The standing orders as they were."""
        return self.state.standing[self.seat]

    @property
    def may_hold(self) -> bool:
        """Whether the game lets captains give no orders at all."""
        return self.state.missed == "hold"

    @property
    def before(self) -> dict[str, OrderList]:
        """What the seat's galleys were ordered in the round before, by id; who had no orders is left out."""
        names = {galley.id for galley in self.mine}
        return {one.galley: one for one in self.state.ordered if one.galley in names and one.orders}
