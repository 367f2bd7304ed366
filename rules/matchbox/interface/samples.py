"""Representative answers: enough to cause every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final, Literal

from msgspec import structs

from rules.matchbox.engine import damage, orders
from rules.matchbox.engine.state import SLOTS, FleetOrders, Galley, OrderList, StandingOrders
from rules.matchbox.interface import courses, standing_orders
from rules.matchbox.interface.order_context import OrderContext

_PREFERRED_LISTS: Final = (
    "FFFFF",
    "FFXFX",
    "FLFFX",
    "FRFFX",
    "XFXFF",
    "LLFXF",
    "RRFXF",
    "ZZFXF",
    "XZZFF",
    "XXXXF",
    "RFLFX",
)
_LETTERS: Final = ("F", "L", "R", "X", "ZZ")
_STANDING_SAMPLES: Final = (
    StandingOrders(),
    StandingOrders(target="weakest", aim="safe", casualties="fighting"),
    StandingOrders(target="ask", aim="ask", casualties="ask", reorganize="ask"),
)


def all_lists(galley: Galley) -> Iterator[OrderList]:
    """Yield every legal list of a galley, without grapples and wishes (MB-3)."""
    for length in range(1, SLOTS + 1):
        for letters in product(_LETTERS, repeat=length):
            orders_text = "".join(letters)
            if len(orders_text) == length + letters.count("ZZ") and not (
                orders.list_fault(galley, orders_text) or orders.short_fault(galley, orders_text)
            ):
                yield OrderList(galley.id, orders_text, ((0, 0),) * letters.count("ZZ"))


def sample_fleet_orders(context: OrderContext) -> tuple[FleetOrders, ...]:
    mine = context.own_galleys
    tempers = [tuple(_fit_preferred(galley, preferred) for galley in mine) for preferred in _PREFERRED_LISTS]
    tempers += [
        tuple(
            _fit_preferred(galley, _PREFERRED_LISTS[(first + 3 * number) % len(_PREFERRED_LISTS)])
            for number, galley in enumerate(mine)
        )
        for first in range(4)
    ]
    kinds: tuple[StandingOrders, ...] = _STANDING_SAMPLES
    if context.state.allows_boarding:
        tempers += [
            tuple(_fit_preferred(galley, "FGFGF") for galley in mine),
            tuple(_fit_preferred(galley, "GFFGG") for galley in mine),
        ]
        prizes: tuple[Literal["one", "half", "ask"], ...] = ("one", "half", "ask")
        kinds = tuple(
            structs.replace(sample, prize=prize) for sample, prize in zip(_STANDING_SAMPLES, prizes, strict=True)
        )
    fleets = dict.fromkeys(FleetOrders(lists, kinds[k % len(kinds)]) for k, lists in enumerate(tempers))
    wished = FleetOrders(tuple(_list_with_wish(galley) for galley in mine), _standing_with_target(context))
    return (*fleets, wished)


def _fit_preferred(galley: Galley, preferred: str) -> OrderList:
    return courses.fit_list(galley, OrderList(galley.id, preferred))


def _list_with_wish(galley: Galley) -> OrderList:
    plain = _fit_preferred(galley, "ZZFXF")
    return OrderList(galley.id, plain.orders, (damage.seatings(galley)[0],) * plain.orders.count("ZZ"))


def _standing_with_target(context: OrderContext) -> StandingOrders:
    return standing_orders.with_piece(
        standing_orders.default_standing(context), f"target {context.enemies[-1].id}", context
    )
