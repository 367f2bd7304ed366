"""Representative answers: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from rules.matchbox.desk import courses, deploy, standing
from rules.matchbox.desk.sheets import LETTERS, Desk
from rules.matchbox.table import damage, orders
from rules.matchbox.table.state import SLOTS, TYPES, FleetOrders, Galley, OrderList, Placement, Standing

_PREFERRED: Final = ("FFFFF", "FFXFX", "FLFFX", "FRFFX", "XFXFF", "LLFXF", "RRFXF", "ZZFXF", "XZZFF", "XXXXF", "RFLFX")
_STANDING: Final = (
    Standing(),
    Standing(target="weakest", aim="safe", casualties="fighting"),
    Standing(target="ask", aim="ask", casualties="ask", reorganize="ask"),
)


def all_lists(galley: Galley) -> Iterator[OrderList]:
    """Give every legal list of a galley, without wishes, in the order of the letters (MB-3)."""
    for length in range(1, SLOTS + 1):
        for letters in product(LETTERS, repeat=length):
            drawn = "".join(letters)
            if len(drawn) == length + letters.count("ZZ") and not (
                orders.list_fault(galley, drawn) or orders.short_fault(galley, drawn)
            ):
                yield OrderList(galley.id, drawn, ((0, 0),) * letters.count("ZZ"))


def fleet_orders(desk: Desk) -> tuple[FleetOrders, ...]:
    """Give orders of every temper for a fleet: the same temper for all, then each with other standing orders."""
    mine = desk.waters.mine
    tempers = [tuple(_cut(galley, preferred) for galley in mine) for preferred in _PREFERRED]
    tempers += [
        tuple(_cut(galley, _PREFERRED[(first + 3 * number) % len(_PREFERRED)]) for number, galley in enumerate(mine))
        for first in range(4)
    ]
    fleets = dict.fromkeys(FleetOrders(lists, _STANDING[k % len(_STANDING)]) for k, lists in enumerate(tempers))
    wished = FleetOrders(tuple(_with_wish(galley) for galley in mine), _first_target(desk))
    return (*fleets, wished)


def placements(place: deploy.Quay) -> tuple[Placement, ...]:
    """Give the proposal in each type, and turned to either side."""
    fleet = deploy.whole(place, ())
    found = []
    for holes in TYPES:
        for turn in (0.0, 30.0, -30.0):
            turned = tuple(deploy.altered(place, galley, holes, turn) for galley in fleet)
            if deploy.fault(place, turned) is None:
                found.append(Placement(turned))
    return tuple(found)


def _cut(galley: Galley, preferred: str) -> OrderList:
    return courses.fitted(galley, OrderList(galley.id, preferred))


def _with_wish(galley: Galley) -> OrderList:
    plain = _cut(galley, "ZZFXF")
    return OrderList(galley.id, plain.orders, (damage.benches(galley)[0],) * plain.orders.count("ZZ"))


def _first_target(desk: Desk) -> Standing:
    return standing.amend(Standing(), f"target {desk.waters.enemies[-1].id}", desk.waters)
