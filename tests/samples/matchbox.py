"""Representative answers: enough to cause every kind of event, few enough to count."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import UNSET, structs

from rules.matchbox.engine import damage, kept, placing
from rules.matchbox.engine.points import VesselBuild
from rules.matchbox.engine.state import MASTS_BY_HOLES, Fleet, FleetOrders, Galley, OrderList, Placement, StandingOrders
from rules.matchbox.interface import deployments, fleets, order_drafts, standing_orders
from rules.matchbox.interface.deployments import DeploymentContext
from rules.matchbox.interface.fleets import FleetContext
from rules.matchbox.interface.standing_orders import OrderContext

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
_STANDING_SAMPLES: Final = (
    StandingOrders(),
    StandingOrders(target="weakest", aim="safe", casualties="fighting"),
    StandingOrders(target="ask", aim="ask", casualties="ask", reorganize="ask"),
)


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
    orders = dict.fromkeys(FleetOrders(lists, kinds[k % len(kinds)]) for k, lists in enumerate(tempers))
    wished = FleetOrders(tuple(_list_with_wish(galley) for galley in mine), _standing_with_target(context))
    return (*orders, wished)


def _fit_preferred(galley: Galley, preferred: str) -> OrderList:
    return order_drafts.fit_list(galley, OrderList(galley.id, preferred))


def _list_with_wish(galley: Galley) -> OrderList:
    plain = _fit_preferred(galley, "ZZFXF")
    return OrderList(galley.id, plain.orders, (damage.seatings(galley)[0],) * plain.orders.count("ZZ"))


def _standing_with_target(context: OrderContext) -> StandingOrders:
    return standing_orders.with_piece(
        StandingOrders(prize="one") if context.state.allows_boarding else StandingOrders(),
        f"target {context.enemies[-1].id}",
        context,
    )


def sample_placements(context: DeploymentContext) -> list[Placement]:
    fleet = deployments.with_proposals(context, ())
    ways = [
        tuple(deployments.with_type(context, placing.shift_galley(galley, 0.0, 0.0, turn), holes) for galley in fleet)
        for holes in (MASTS_BY_HOLES if context.state.builds is UNSET else (0,))
        for turn in (0.0, 30.0, -30.0)
    ]
    return [Placement(galleys) for galleys in ways if deployments.placement_fault(context, galleys) is None]


def sample_fleets(context: FleetContext) -> list[Fleet]:
    """Return the default fleet, ready fleets and, where possible, fleets with promotions or kept crews."""
    samples = [
        Fleet(tuple(build.text for build in fleet))
        for fleet in (context.default_fleet(), *fleets.ready_fleets(context).values())
    ]
    if context.allows_promotions:
        veteran = VesselBuild("galley", 6, "rc")
        samples += [Fleet((veteran.text,))] if fleets.fleet_fault(context, [veteran]) is None else []
    for candidate in [*_single_crew_fleets(context), fleets.last_fleet(context)]:
        if candidate and fleets.fleet_fault(context, candidate) is None:
            samples.append(Fleet(tuple(build.text for build in candidate)))
    return list(dict.fromkeys(samples))


def _single_crew_fleets(context: FleetContext) -> list[tuple[VesselBuild, ...]]:
    return [
        (kept.build_with_crew(crew),) for crew in (context.record.crews if context.record else ()) if not crew.elsewhere
    ]


SAMPLES = {"fleet": sample_fleets, "vessels": sample_fleets, "place": sample_placements, "orders": sample_fleet_orders}
