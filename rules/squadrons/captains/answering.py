"""What a computer captain answers, of the level that the view names, from what his seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from rules.protocol import Request
from rules.squadrons import asking, command, mate, placing, rehearsal, rosters
from rules.squadrons.answers import Activation, Answer, Choice, Entry, Pace, Sheet
from rules.squadrons.captains import admiral
from rules.squadrons.captains.admiral import Decided
from rules.squadrons.orders import Line, Orders
from rules.squadrons.state import Position, order_of
from rules.squadrons.view import FleetView

MANY: Final = 99
"""More steps than any line has."""


def answer(view: FleetView, request: Request, seed: str, ships: Sequence[str]) -> Answer:
    """Answer what a seat is asked, whose ships these are; the seed (hex) is for a mate's whims."""
    if view.captain == "admiral" and request.kind == "orders":
        return _sheet(view, ships)
    if view.captain == "admiral" and request.kind == "act":
        return _activation(view, ships)
    if request.kind in ("orders", "act"):
        return mate.answer(view, request, seed, ships)
    return _settled(view, request)


def absent(given: Answer) -> Answer:
    """An answer that is given in a captain's place, because he let his deadline pass."""
    match given:
        case Sheet():
            return structs.replace(given, absent=True)
        case Activation(sheet=sheet):
            return structs.replace(given, sheet=structs.replace(sheet, absent=True))
    return given


def _settled(view: FleetView, request: Request) -> Answer:
    """What a captain of any level answers by rote: the stock fleet, in line, and what happens by default."""
    match request.kind:
        case "fleet":
            return rosters.stock(str(request.params["points"]))
        case "place":
            return placing.finish(placing.Chart(view.position, view.side or "B"), "")
        case "pace":
            return Choice("C")
    return asking.default(request)


def _sheet(view: FleetView, ships: Sequence[str]) -> Sheet:
    """A turn's sheet; where squadrons are ordered one by one, speeds alone, so that he is asked when they act."""
    position = view.position
    formed = command.squadrons(position, view.side or "B", ())
    groups = [[name for name in squadron.ships if name in ships] for squadron in formed]
    done = _legal(position, admiral.commanded(position, groups, fixed=False))
    if view.pace == "squadron":
        return Sheet(paces=_paces(done))
    flags = {name: squadron.flagship for squadron in formed for name in squadron.ships}
    sequence = tuple(flags[squadron[0][0].id] for squadron in done)
    return Sheet(paces=_paces(done), entries=_entries(done), sequence=sequence)


def _legal(position: Position, done: Sequence[Decided]) -> list[Decided]:
    """The same without what could not be carried out even if nobody interrupted it (10.3)."""
    for squadron in done:
        for ship, plan in squadron:
            position = admiral.with_ship(position, structs.replace(ship, speed=plan.speed))
    kept = list(done)
    while True:
        lines = tuple(plan.line for squadron in kept for _, plan in squadron)
        wrong = {one.ship: one.number for one in rehearsal.rehearse(position, Orders(lines)) if one.barred}
        if not wrong:
            return kept
        kept = [
            [
                (ship, plan._replace(line=Line(ship.id, plan.line.steps[: max(0, wrong.get(ship.id, MANY))])))
                for ship, plan in squadron
            ]
            for squadron in kept
        ]


def _paces(done: Sequence[Decided]) -> tuple[Pace, ...]:
    """Speeds: the commoner one for all, then those who have the other."""
    plans = sorted((one for squadron in done for one in squadron), key=lambda one: order_of(one[0].id))
    hard = [ship.id for ship, plan in plans if plan.speed == "M"]
    easy = [ship.id for ship, plan in plans if plan.speed == "C"]
    if not plans:
        return ()
    if len(hard) > len(easy):
        return (Pace("all", "M"), *(Pace(name, "C") for name in easy))
    return (Pace("all", "C"), *(Pace(name, "M") for name in hard))


def _entries(done: Sequence[Decided]) -> tuple[Entry, ...]:
    return tuple(Entry(ship.id, plan.line) for squadron in done for ship, plan in squadron if plan.line.steps)


def _activation(view: FleetView, ships: Sequence[str]) -> Activation:
    """Of the squadrons that may act now that which can win most."""
    left = [squadron for squadron in view.squadrons if squadron.flagship in view.able]
    groups = {squadron.flagship: _own(view, squadron.ships, ships) for squadron in left}
    plans = {
        name: _legal(view.position, [admiral.plans(view.position, group, fixed=True)])[0]
        for name, group in groups.items()
    }
    best = max(plans, key=lambda name: (sum(plan.gain for _, plan in plans[name]), -list(plans).index(name)))
    return Activation(squadron=best, sheet=Sheet(entries=_entries([plans[best]])))


def _own(view: FleetView, names: Sequence[str], ships: Sequence[str]) -> list[str]:
    found = (view.position.ship(name) for name in names if name in ships)
    return [ship.id for ship in found if ship.afloat and ship.side == view.side and not ship.done]
