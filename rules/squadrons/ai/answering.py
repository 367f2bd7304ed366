"""What a computer captain of the view's level answers, from what its seat sees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.core.protocol import Request
from rules.interface.choosing import Choice
from rules.squadrons.ai import admiral, mate, promise
from rules.squadrons.ai.admiral import SideOrders, SideSearch, SquadronPlans
from rules.squadrons.ai.simulation import TurnStart, without_questions
from rules.squadrons.engine.notation.orders import Doctrines, FleetSide, OrderLine, SquadronOrders
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.sea.state import Position, id_sort_key
from rules.squadrons.interface.drafts import deployments, interrupts, rosters
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet, SheetLine, SpeedChoice
from rules.squadrons.interface.preview import best_attacks
from rules.squadrons.interface.preview.view import FleetView

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
            return structs.replace(given, is_stand_in=True)
        case ActivationOrder(sheet=sheet):
            return structs.replace(given, sheet=structs.replace(sheet, is_stand_in=True))
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
    return structs.replace(to_sheet(view, search.best_orders(), search.flags, ships), doctrines=told)


def to_sheet(view: FleetView, message: SideOrders, flags: Mapping[str, str], ships: Sequence[str]) -> OrderSheet:
    """A turn's sheet; where squadrons are ordered one by one, speeds alone: the captain is asked when they act.

    `flags`: each ship's Command Ship.
    """
    done = _legal_plans(view.position, _own_plans(message.groups, ships))
    if view.pace == "squadron":
        return OrderSheet(speed_choices=_speed_choices(done))
    # An ally orders their own squadrons: this captain sets neither their turn nor a Double Activation with them.
    sequence = tuple(flag for group in done if (flag := flags[group[0].ship]) in ships)
    double = message.double if message.double in ships else ""
    return OrderSheet(speed_choices=_speed_choices(done), lines=_sheet_lines(done), sequence=sequence, double=double)


def _own_plans(groups: SquadronPlans, ships: Sequence[str]) -> SquadronPlans:
    """What those of a captain's own ships do."""
    own = (tuple(plan for plan in group if plan.ship in ships) for group in groups)
    return tuple(group for group in own if group)


def _legal_plans(position: Position, groups: SquadronPlans) -> SquadronPlans:
    """The same without what could not be carried out even if nobody interrupted it (10.3)."""
    for group in groups:
        for plan in group:
            ship = position.ship_by_id(plan.ship)
            position = position.with_ship(structs.replace(ship, speed=plan.option.speed))
    while True:
        lines = tuple(plan.line for group in groups for plan in group)
        wrong = {
            one.ship: one.step_number for one in rehearsal.rehearse_lines(position, SquadronOrders(lines)) if one.barred
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
    return to_activation(view, search.best_orders(), search.flags, ships)


def to_activation(
    view: FleetView, message: SideOrders, flags: Mapping[str, str], ships: Sequence[str]
) -> ActivationOrder:
    """The first of the squadrons that may act now does what it should; `flags`: each ship's Command Ship."""
    groups = {flags[group[0].ship]: group for group in _own_plans(message.groups, ships)}
    first = next(flagship for flagship in groups if flagship in view.able_flagships)
    both = [groups[first]]
    double = message.double if message.double in groups and message.double != first else ""
    if double:
        both.append(groups[double])
    return ActivationOrder(
        squadron=first, sheet=OrderSheet(lines=_sheet_lines(_legal_plans(view.position, tuple(both))), double=double)
    )
