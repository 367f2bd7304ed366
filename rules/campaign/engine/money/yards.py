"""Repairs and launches (CA part 10)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import structs

from rules.campaign.engine.events import GalleyLaunched, GalleyRepaired, LaunchFailed, LaunchSeen
from rules.campaign.engine.orders import PortOrdersByCaptain
from rules.campaign.engine.sea.state import MASTS_BY_OARS, MAX_GALLEYS, Galley, galley_price, new_galley
from rules.campaign.engine.sea.state import building_ports as yards_of
from rules.campaign.engine.work import TurnInProgress
from rules.core.sides import seat_of

PARTS_PER_TALENT = 4
"""CA-10.5: parts that a talent repairs."""


def repair_galley(galley: Galley, parts: int) -> Galley:
    """Return a galley with up to `parts` repaired: oars of the weaker side, else of port, then masts (CA-10.5)."""
    port, starboard, masts = galley.port, galley.starboard, galley.masts
    for _ in range(parts):
        if min(port, starboard) < galley.holes:
            if port <= starboard:
                port += 1
            else:
                starboard += 1
        elif masts < MASTS_BY_OARS[galley.holes]:
            masts += 1
    return structs.replace(galley, port=port, starboard=starboard, masts=masts)


def repair_fleet(
    work: TurnInProgress, captain: str, orders_by_captain: PortOrdersByCaptain, closed: Collection[str]
) -> None:
    """Repair a captain's galleys, by number, as long as talents last (CA-10.5)."""
    port_orders = orders_by_captain.get(captain)
    if not port_orders:
        return
    for galley in work.galleys_of(captain):
        doing = work.turns_by_galley[galley.id]
        is_ordered = port_orders.repair_all or galley.id in port_orders.repair
        moored = work.position.ports.get(galley.place) == captain and galley.place not in closed
        lies_still = not (galley.battle or doing.has_rowed or doing.has_fought)
        if (
            is_ordered
            and moored
            and lies_still
            and galley.parts_left < galley.full_parts
            and work.position.talents[captain]
        ):
            after = work.galleys[galley.id] = repair_galley(galley, PARTS_PER_TALENT)
            work.add_talents(captain, -1)
            work.add_event(
                GalleyRepaired(
                    galley=galley.id,
                    port=after.port,
                    starboard=after.starboard,
                    masts=after.masts,
                    seen_by=(seat_of(captain),),
                    rule="CA-10.5",
                )
            )


def launch_ordered(
    work: TurnInProgress, captain: str, orders_by_captain: PortOrdersByCaptain, closed: Collection[str]
) -> None:
    """Launch the galleys that a captain has ordered, in the order written (CA-10.4)."""
    port_orders, used = orders_by_captain.get(captain), set[str]()
    for port, holes in port_orders.build if port_orders else ():
        if why := _launch_obstacle(work, captain, port, used, closed):
            work.add_event(LaunchFailed(port=port, by=captain, why=why, seen_by=(seat_of(captain),), rule="CA-10.4"))
            continue
        cost = galley_price(work.to_position(), captain)
        work.add_talents(captain, -cost)
        used.add(port)
        galley = work.renumbered(new_galley(captain, 0, port, holes))
        launched = GalleyLaunched(port=port, galley=galley.id, price=cost, seen_by=(seat_of(captain),), rule="CA-10.4")
        work.add_event(launched)
        if seers := work.other_seats_seeing(port, captain):
            work.add_event(LaunchSeen(port=port, captain=captain, seen_by=seers, rule="CA-10.4"))


LaunchObstacle = Literal["no_yard", "closed", "busy", "full", "dear"]


def _launch_obstacle(
    work: TurnInProgress, captain: str, port: str, used: Collection[str], closed: Collection[str]
) -> LaunchObstacle | None:
    if port not in yards_of(work.position, captain):
        return "no_yard"
    if port in closed:
        return "closed"
    if port in used:
        return "busy"
    if len(work.galleys_of(captain)) >= MAX_GALLEYS:
        return "full"
    return "dear" if work.position.talents[captain] < galley_price(work.to_position(), captain) else None
