"""What a computer captain of the view's level answers, from what its seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.choosing import Choice
from rules.protocol import Request
from rules.squadrons.captains import admiral, mate, promise
from rules.squadrons.captains.admiral import Groups, SideOrders, SideSearch
from rules.squadrons.captains.simulation import TurnStart, quiet
from rules.squadrons.desk.drafts import deployments, interrupts, rosters
from rules.squadrons.desk.drafts.answers import Activation, Answer, Entry, Pace, Sheet
from rules.squadrons.desk.preview import best_attacks
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.table.notation.orders import Doctrines, Line, Orders, Side
from rules.squadrons.table.phases.activation import rehearsal
from rules.squadrons.table.sea.state import Position, order_of

HINT: Final = 16
"""Turns that are played out for a hint at most: a captain waits for it."""
MANY: Final = 99
"""More steps than any line has."""


def answer(
    view: FleetView, request: Request, seed: str, *, work: int = admiral.MOST, sheltered: bool = False
) -> Answer:
    """The answer of a computer captain of the view's level; the seed (hex) is for an admiral's dice and a mate's ties.

    `work`: how many turns an admiral plays out at most; `sheltered`: whether it keeps its own ship from among enemies.
    """
    ships = [piece.id for piece in view.pieces if piece.seat == request.seat and piece.afloat]
    if view.captain == "admiral" and request.kind == "orders":
        return _sheet(view, seed, ships, work, sheltered=sheltered)
    if view.captain == "admiral" and request.kind == "act":
        return _activation(view, seed, ships, work, sheltered=sheltered)
    if request.kind in ("orders", "act"):
        return mate.answer(view, request, seed, ships)
    return _settled(view, request)


def advice(view: FleetView, request: Request, seed: str) -> Answer:
    """A hint: an admiral's answer, whatever the level of the game's computer captains.

    It is without doctrines, and without shots that hardly ever find anybody, and attacks that are never possible.
    """
    given = answer(structs.replace(view, captain="admiral"), request, seed, work=HINT, sheltered=True)
    given = structs.replace(given, doctrines=()) if isinstance(given, Sheet) else given
    return promise.without_vain_deeds(view, given, seed)


def absent(given: Answer) -> Answer:
    """The same answer, marked as given in the place of a captain who missed the deadline."""
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
            context = deployments.DeploymentContext(view.position, view.side or "B")
            return deployments.answer(deployments.proposal(context))
        case "pace":
            return Choice("C")
    return Choice(interrupts.default(request))


def _sheet(view: FleetView, seed: str, ships: Sequence[str], work: int, *, sheltered: bool) -> Sheet:
    side: Side = view.side or "B"
    wish = admiral.doctrine(side)
    doctrines = Doctrines((*quiet(view.doctrines.lines), wish))
    search = SideSearch(
        admiral.begun(view.position, view.squadrons), side, seed, doctrines, work=work, sheltered=sheltered
    )
    told = () if wish in view.doctrines.lines else (wish,)
    return structs.replace(sheet(view, search.best(), search.flags, ships), doctrines=told)


def sheet(view: FleetView, message: SideOrders, flags: Mapping[str, str], ships: Sequence[str]) -> Sheet:
    """A turn's sheet; where squadrons are ordered one by one, speeds alone: the captain is asked when they act.

    `flags`: each ship's Command Ship.
    """
    done = _legal(view.position, _own(message.groups, ships))
    if view.pace == "squadron":
        return Sheet(paces=_paces(done))
    # An ally orders their own squadrons: this captain sets neither their turn nor a Double Activation with them.
    sequence = tuple(flag for group in done if (flag := flags[group[0].ship]) in ships)
    double = message.double if message.double in ships else ""
    return Sheet(paces=_paces(done), entries=_entries(done), sequence=sequence, double=double)


def _own(groups: Groups, ships: Sequence[str]) -> Groups:
    """What those of a captain's own ships do."""
    own = (tuple(plan for plan in group if plan.ship in ships) for group in groups)
    return tuple(group for group in own if group)


def _legal(position: Position, groups: Groups) -> Groups:
    """The same without what could not be carried out even if nobody interrupted it (10.3)."""
    for group in groups:
        for plan in group:
            ship = position.ship(plan.ship)
            position = position.with_ship(structs.replace(ship, speed=plan.option.speed))
    while True:
        lines = tuple(plan.line for group in groups for plan in group)
        wrong = {one.ship: one.number for one in rehearsal.rehearse(position, Orders(lines)) if one.barred}
        if not wrong:
            return groups
        groups = tuple(
            tuple(
                plan._replace(line=Line(plan.ship, plan.line.steps[: max(0, wrong.get(plan.ship, MANY))]))
                for plan in group
            )
            for group in groups
        )


def _paces(groups: Groups) -> tuple[Pace, ...]:
    plans = sorted((plan for group in groups for plan in group), key=lambda one: order_of(one.ship))
    return best_attacks.paces({plan.ship: plan.option.speed for plan in plans})


def _entries(groups: Groups) -> tuple[Entry, ...]:
    return tuple(Entry(plan.ship, plan.line) for group in groups for plan in group if plan.line.steps)


def _activation(view: FleetView, seed: str, ships: Sequence[str], work: int, *, sheltered: bool) -> Activation:
    side: Side = view.side or "B"
    begun = TurnStart(
        position=view.position, squadrons=view.squadrons, speeds_set=True, first=view.first or side, active=side
    )
    doctrines = Doctrines(quiet(view.doctrines.lines))
    search = SideSearch(begun, side, seed, doctrines, first=begun.first, work=work, sheltered=sheltered)
    return activation(view, search.best(), search.flags, ships)


def activation(view: FleetView, message: SideOrders, flags: Mapping[str, str], ships: Sequence[str]) -> Activation:
    """The first of the squadrons that may act now does what it should; `flags`: each ship's Command Ship."""
    groups = {flags[group[0].ship]: group for group in _own(message.groups, ships)}
    first = next(flagship for flagship in groups if flagship in view.able)
    both = [groups[first]]
    double = message.double if message.double in groups and message.double != first else ""
    if double:
        both.append(groups[double])
    return Activation(squadron=first, sheet=Sheet(entries=_entries(_legal(view.position, tuple(both))), double=double))
