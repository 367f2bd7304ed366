"""Repairs and launchings (CA part 10)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import structs

from rules.campaign.table.events import Launched, NotLaunched, Repaired, SeenLaunching
from rules.campaign.table.orders import Wishes
from rules.campaign.table.sea.state import MOST, TYPES, Galley, launched, price
from rules.campaign.table.sea.state import yards as yards_of
from rules.campaign.table.work import Work
from rules.sides import seat_of

PARTS = 4
"""CA-10.5: what a talent repairs."""


def mended(galley: Galley, parts: int) -> Galley:
    """A galley after up to so many parts: oars to the weaker side, of equal ones to port, then masts (CA-10.5)."""
    port, starboard, masts = galley.port, galley.starboard, galley.masts
    for _ in range(parts):
        if min(port, starboard) < galley.holes:
            if port <= starboard:
                port += 1
            else:
                starboard += 1
        elif masts < TYPES[galley.holes]:
            masts += 1
    return structs.replace(galley, port=port, starboard=starboard, masts=masts)


def repair(work: Work, captain: str, wishes: Wishes, closed: Collection[str]) -> None:
    """Repair a captain's galleys, by number, as long as there are talents (CA-10.5)."""
    wish = wishes.get(captain)
    if not wish:
        return
    for galley in work.fleet(captain):
        doing = work.doing[galley.id]
        wanted = wish.repair_all or galley.id in wish.repair
        moored = work.position.ports.get(galley.place) == captain and galley.place not in closed
        lies_still = not (galley.battle or doing.rowed or doing.fought)
        if wanted and moored and lies_still and galley.parts < galley.full and work.position.talents[captain]:
            after = work.galleys[galley.id] = mended(galley, PARTS)
            work.pay(captain, -1)
            work.tell(
                Repaired(
                    galley=galley.id,
                    port=after.port,
                    starboard=after.starboard,
                    masts=after.masts,
                    seen_by=(seat_of(captain),),
                    rule="CA-10.5",
                )
            )


def launch(work: Work, captain: str, wishes: Wishes, closed: Collection[str]) -> None:
    """Launch what a captain has ordered, in the order written (CA-10.4)."""
    wish, used = wishes.get(captain), set[str]()
    for port, holes in wish.build if wish else ():
        if why := _barred(work, captain, port, used, closed):
            work.tell(NotLaunched(port=port, by=captain, why=why, seen_by=(seat_of(captain),), rule="CA-10.4"))
            continue
        cost = price(work.done(), captain)
        work.pay(captain, -cost)
        used.add(port)
        galley = work.joined(launched(captain, 0, port, holes))
        told = Launched(port=port, galley=galley.id, price=cost, seen_by=(seat_of(captain),), rule="CA-10.4")
        work.tell(told)
        if seers := work.others(port, captain):
            work.tell(SeenLaunching(port=port, captain=captain, seen_by=seers, rule="CA-10.4"))


Bar = Literal["no_yard", "closed", "busy", "full", "dear"]


def _barred(work: Work, captain: str, port: str, used: Collection[str], closed: Collection[str]) -> Bar | None:
    """Why nothing can be launched there now."""
    if port not in yards_of(work.position, captain):
        return "no_yard"
    if port in closed:
        return "closed"
    if port in used:
        return "busy"
    if len(work.fleet(captain)) >= MOST:
        return "full"
    return "dear" if work.position.talents[captain] < price(work.done(), captain) else None
