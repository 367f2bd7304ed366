"""What a computer captain of the view's level answers, from what its seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.choosing import Choice
from rules.protocol import Request
from rules.squadrons.captains import admiral, mate, promise
from rules.squadrons.captains.admiral import SideOrders, SideSearch, SquadronPlans
from rules.squadrons.captains.simulation import TurnStart, without_questions
from rules.squadrons.desk.drafts import deployments, interrupts, rosters
from rules.squadrons.desk.drafts.answers import ActivationOrder, Answer, OrderSheet, SheetLine, SpeedChoice
from rules.squadrons.desk.preview import best_attacks
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.table.notation.orders import Doctrines, FleetSide, OrderLine, SquadronOrders
from rules.squadrons.table.phases.activation import rehearsal
from rules.squadrons.table.sea.state import Position, id_sort_key

MAX_HINT_TURNS: Final = 16
"""Turns that are played out for a hint at most: a captain waits for it."""
STEPS_BEYOND_ANY_LINE: Final = 99
"""More steps than any line has."""


def computer_answer(
    view: FleetView, request: Request, seed: str, *, work: int = admiral.MAX_TURNS, sheltered: bool = False
) -> Answer:
    """The answer of a computer captain of the view's level; the seed (hex) is for an admiral's dice and a mate's ties.

    `work`: how many turns an admiral plays out at most; `sheltered`: whether it keeps its own ship from among enemies.
    """
    ships = [piece.id for piece in view.pieces if piece.seat == request.seat and piece.afloat]
    if view.captain == "admiral" and request.kind == "orders":
        return _search_sheet(view, seed, ships, work, sheltered=sheltered)
    if view.captain == "admiral" and request.kind == "act":
        return _search_activation(view, seed, ships, work, sheltered=sheltered)
    if request.kind in ("orders", "act"):
        return mate.computer_answer(view, request, seed, ships)
    return _routine_answer(view, request)


def advise(view: FleetView, request: Request, seed: str) -> Answer:
    """A hint: an admiral's answer, whatever the level of the game's computer captains.

    It is without doctrines, and without shots that hardly ever find anybody, and attacks that are never possible.
    """
    given = computer_answer(
        structs.replace(view, captain="admiral"), request, seed, work=MAX_HINT_TURNS, sheltered=True
    )
    given = structs.replace(given, doctrines=()) if isinstance(given, OrderSheet) else given
    return promise.without_vain_attacks(view, given, seed)


def mark_absent(given: Answer) -> Answer:
    """The same answer, marked as given in the place of a captain who missed the deadline."""
    match given:
        case OrderSheet():
            return structs.replace(given, absent=True)
        case ActivationOrder(sheet=sheet):
            return structs.replace(given, sheet=structs.replace(sheet, absent=True))
    return given


def _routine_answer(view: FleetView, request: Request) -> Answer:
    """What a captain of any level answers by rote: the stock fleet, in line, and what happens by default."""
    match request.kind:
        case "fleet":
            return rosters.stock_roster(str(request.params["points"]))
        case "place":
            context = deployments.DeploymentContext(view.position, view.side or "B")
            return deployments.deployment_of_draft(deployments.propose_deployment(context))
        case "pace":
            return Choice("C")
    return Choice(interrupts.default_choice(request))


def _search_sheet(view: FleetView, seed: str, ships: Sequence[str], work: int, *, sheltered: bool) -> OrderSheet:
    side: FleetSide = view.side or "B"
    wish = admiral.admiral_doctrine(side)
    doctrines = Doctrines((*without_questions(view.doctrines.lines), wish))
    search = SideSearch(
        admiral.turn_start(view.position, view.squadrons), side, seed, doctrines, work=work, sheltered=sheltered
    )
    told = () if wish in view.doctrines.lines else (wish,)
    return structs.replace(to_sheet(view, search.best(), search.flags, ships), doctrines=told)


def to_sheet(view: FleetView, message: SideOrders, flags: Mapping[str, str], ships: Sequence[str]) -> OrderSheet:
    """A turn's sheet; where squadrons are ordered one by one, speeds alone: the captain is asked when they act.

    `flags`: each ship's Command Ship.
    """
    done = _legal_plans(view.position, _own_plans(message.groups, ships))
    if view.pace == "squadron":
        return OrderSheet(paces=_speed_choices(done))
    # An ally orders their own squadrons: this captain sets neither their turn nor a Double Activation with them.
    sequence = tuple(flag for group in done if (flag := flags[group[0].ship]) in ships)
    double = message.double if message.double in ships else ""
    return OrderSheet(paces=_speed_choices(done), entries=_sheet_lines(done), sequence=sequence, double=double)


def _own_plans(groups: SquadronPlans, ships: Sequence[str]) -> SquadronPlans:
    """What those of a captain's own ships do."""
    own = (tuple(plan for plan in group if plan.ship in ships) for group in groups)
    return tuple(group for group in own if group)


def _legal_plans(position: Position, groups: SquadronPlans) -> SquadronPlans:
    """The same without what could not be carried out even if nobody interrupted it (10.3)."""
    for group in groups:
        for plan in group:
            ship = position.ship(plan.ship)
            position = position.with_ship(structs.replace(ship, speed=plan.option.speed))
    while True:
        lines = tuple(plan.line for group in groups for plan in group)
        wrong = {
            one.ship: one.number for one in rehearsal.rehearse_lines(position, SquadronOrders(lines)) if one.barred
        }
        if not wrong:
            return groups
        groups = tuple(
            tuple(
                plan._replace(
                    line=OrderLine(plan.ship, plan.line.steps[: max(0, wrong.get(plan.ship, STEPS_BEYOND_ANY_LINE))])
                )
                for plan in group
            )
            for group in groups
        )


def _speed_choices(groups: SquadronPlans) -> tuple[SpeedChoice, ...]:
    plans = sorted((plan for group in groups for plan in group), key=lambda one: id_sort_key(one.ship))
    return best_attacks.speed_choices({plan.ship: plan.option.speed for plan in plans})


def _sheet_lines(groups: SquadronPlans) -> tuple[SheetLine, ...]:
    return tuple(SheetLine(plan.ship, plan.line) for group in groups for plan in group if plan.line.steps)


def _search_activation(
    view: FleetView, seed: str, ships: Sequence[str], work: int, *, sheltered: bool
) -> ActivationOrder:
    side: FleetSide = view.side or "B"
    begun = TurnStart(
        position=view.position, squadrons=view.squadrons, speeds_set=True, first=view.first or side, active=side
    )
    doctrines = Doctrines(without_questions(view.doctrines.lines))
    search = SideSearch(begun, side, seed, doctrines, first=begun.first, work=work, sheltered=sheltered)
    return to_activation(view, search.best(), search.flags, ships)


def to_activation(
    view: FleetView, message: SideOrders, flags: Mapping[str, str], ships: Sequence[str]
) -> ActivationOrder:
    """The first of the squadrons that may act now does what it should; `flags`: each ship's Command Ship."""
    groups = {flags[group[0].ship]: group for group in _own_plans(message.groups, ships)}
    first = next(flagship for flagship in groups if flagship in view.able)
    both = [groups[first]]
    double = message.double if message.double in groups and message.double != first else ""
    if double:
        both.append(groups[double])
    return ActivationOrder(
        squadron=first, sheet=OrderSheet(entries=_sheet_lines(_legal_plans(view.position, tuple(both))), double=double)
    )
