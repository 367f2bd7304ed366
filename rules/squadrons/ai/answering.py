"""Answers of computer captains and hints at each level, and the odds of their attacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.ai.odds import AttackOdds, ExpectedAttack, count_attacks, odds_sentences
from rules.ai.thinking import is_enough
from rules.chance.dice import derive_seed
from rules.core.protocol import Request
from rules.core.view import Text
from rules.interface.question import Choice
from rules.squadrons.ai import admiral
from rules.squadrons.ai.admiral import SideOrders, SideSearch, SquadronPlans
from rules.squadrons.ai.profiles import PlannedOption
from rules.squadrons.ai.side_options import AttackOrder
from rules.squadrons.ai.simulation import TurnStart, without_questions
from rules.squadrons.engine import events
from rules.squadrons.engine.events import FleetEvent
from rules.squadrons.engine.notation import orders
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.sea.state import Position, id_sort_key
from rules.squadrons.interface.drafts import alternate_choices, deployments, rosters
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, OrderSheet, SheetLine, SpeedChoice
from rules.squadrons.interface.preview import best_attacks
from rules.squadrons.interface.preview.view import FleetView
from rules.squadrons.interface.shown import reasons

_ODDS_ROUNDS: Final = 3  # times as many dice samples as for an admiral's orders, unless many ships are afloat


def describe_odds(view: FleetView, answer: Answer, seed: str) -> tuple[Text, ...]:
    """Return sentences on the chances of the most promising attack; empty if none is ordered."""
    sheet = answer.sheet if isinstance(answer, ActivationOrder) else answer
    if not isinstance(sheet, OrderSheet) or not any(
        isinstance(step, AttackOrder) for entry in sheet.lines for step in entry.line.steps
    ):
        return ()
    odds = attack_odds(view, answer, seed)
    if not odds:
        return ()
    best = reasons.best_attack(view.position, sheet)
    named = ExpectedAttack(best.kind, best.ship, best.target) if best else None
    return odds_sentences(odds, shot_kind="fire", named=named)


def without_vain_attacks(view: FleetView, answer: Answer, seed: str) -> Answer:
    """Return the answer without shots that hardly ever have a target and attacks that are never possible."""
    sheet = answer.sheet if isinstance(answer, ActivationOrder) else answer
    if not isinstance(sheet, OrderSheet) or not any(
        isinstance(step, orders.VolleyOrder | AttackOrder) for entry in sheet.lines for step in entry.line.steps
    ):
        return answer
    odds = attack_odds(view, answer, seed)
    if odds is None:
        return answer
    entries = [_without_vain_steps(entry, odds) for entry in sheet.lines]
    shortened = structs.replace(sheet, lines=tuple(entry for entry in entries if entry.line.steps))
    return structs.replace(answer, sheet=shortened) if isinstance(answer, ActivationOrder) else shortened


def _without_vain_steps(entry: SheetLine, odds: AttackOdds) -> SheetLine:
    """Return a ship's orders without shots that rarely hit and attacks that are not possible."""
    attacker = entry.target  # the target of a sheet's line is the ship that carries it out
    steps: list[orders.OrderStep] = []
    for step in entry.line.steps:
        if isinstance(step, orders.VolleyOrder):
            shots = tuple(
                shot for shot in step.shots if not odds.rarely_hits(ExpectedAttack("fire", attacker, shot.target))
            )
            if shots:
                steps.append(structs.replace(step, shots=shots))
        elif not isinstance(step, AttackOrder) or odds.is_possible(attacker, step.target, shot_kind="fire"):
            steps.append(step)
    return structs.replace(entry, line=structs.replace(entry.line, steps=tuple(steps)))


def attack_odds(view: FleetView, answer: Answer, seed: str) -> AttackOdds | None:
    """Return the odds of a turn's orders, or of one squadron's; None if there is no time to simulate.

    The seed (hex) is for all dice.
    """
    if is_enough():
        return None
    side: orders.FleetSide = view.side or "B"
    ship_count = sum(ship.is_afloat for ship in view.position.ships)
    rounds = 1 if ship_count > admiral.CROWDED_SHIPS else _ODDS_ROUNDS
    doctrines = orders.Doctrines(without_questions(view.doctrines.lines))
    if isinstance(answer, ActivationOrder):
        first = view.first or side
        start = TurnStart(position=view.position, squadrons=view.squadrons, speeds_set=True, first=first, active=side)
        search = SideSearch(start, side, derive_seed(seed, "promise"), doctrines, first=first, rounds=rounds)
        sheet = structs.replace(answer.sheet, sequence=(answer.squadron,))
    else:
        assert isinstance(answer, OrderSheet)  # noqa: S101 - nothing else orders ships
        start = admiral.turn_start(view.position, view.squadrons)
        search = SideSearch(start, side, derive_seed(seed, "promise"), doctrines, rounds=rounds)
        sheet = answer
    turnsheet = sheet_to_turnsheet(view, sheet)
    turns = [list(_expected_attacks(turn_events)) for turn_events in search.sample_outcomes(turnsheet)]
    return count_attacks(turns, {entry.target for entry in sheet.lines}) if turns else None


def sheet_to_turnsheet(view: FleetView, sheet: OrderSheet) -> orders.TurnSheet:
    speed_by_target: Mapping[str, orders.Speed] = {choice.target: choice.speed for choice in sheet.speed_choices}
    common_speed = speed_by_target.get("all")
    ships = [ship.id for ship in view.position.ships_of(view.side or "B")]
    speeds = {name: speed for name in ships if (speed := speed_by_target.get(name, common_speed))}
    lines = tuple(structs.replace(entry.line, ship=entry.target) for entry in sheet.lines)
    return orders.TurnSheet(
        speeds=speeds, sequence=sheet.sequence, double=sheet.double, orders=orders.SquadronOrders(lines)
    )


def _expected_attacks(turn_events: Iterable[FleetEvent]) -> Iterator[tuple[ExpectedAttack, bool]]:
    """Yield the attacks among events, and whether each succeeded. Every shot counts as a success."""
    for event in turn_events:
        match event:
            case events.ShipRammed():
                yield ExpectedAttack("ram", event.by, event.target), event.result == "rammed"
            case events.ShipRaked():
                yield ExpectedAttack("rake", event.by, event.target), event.ok
            case events.ShotFired(reaction=False):
                yield ExpectedAttack("fire", event.by, event.target), True
            case events.ShipGrappled():
                yield ExpectedAttack("grap", event.by, event.target), event.ok


def mate_answer(view: FleetView, request: Request, seed: str, ships: Sequence[str]) -> Answer:
    """Return the answer to a request. The seed (hex) breaks ties."""
    match request.kind:
        case "orders":
            return best_attacks.fleet_sheet(view.position, ships, seed)
        case "act":
            return _choose_activation(view, ships, seed)
    return Choice(alternate_choices.default_choice(request))


def _choose_activation(view: FleetView, ships: Sequence[str], seed: str) -> ActivationOrder:
    candidates = [candidate for candidate in view.squadrons if candidate.flagship in view.able_flagships]
    # Command Squadrons by number, then single ships, which have number 0
    squadron = min(
        candidates, key=lambda candidate: (not candidate.number, candidate.number, id_sort_key(candidate.flagship))
    )
    own_ships = [name for name in squadron.ships if name in ships]
    plans = best_attacks.plan_each(view.position, own_ships, seed, fixed=True)
    entries = [SheetLine(plan.line.ship, plan.line) for plan in plans if plan.line.steps]
    return ActivationOrder(squadron=squadron.flagship, sheet=OrderSheet(lines=tuple(entries)))


MAX_HINT_TURNS: Final = 16  # maximum of simulated turns for a hint, since a captain waits for it
STEPS_BEYOND_ANY_LINE: Final = 99  # more steps than any line has


def computer_answer(
    view: FleetView, request: Request, seed: str, *, work: int = admiral.MAX_TURNS, sheltered: bool = False
) -> Answer:
    """Return the answer of a computer captain of the view's level.

    `seed` (hex) is for an admiral's dice and a mate's ties. An admiral simulates at most `work` turns, and with
    `sheltered` keeps its own ship away from enemies.
    """
    ships = [piece.id for piece in view.pieces if piece.seat == request.seat and piece.afloat]
    if view.captain == "admiral" and request.kind == "orders":
        return _search_sheet(view, seed, ships, work, sheltered=sheltered)
    if view.captain == "admiral" and request.kind == "act":
        return _search_activation(view, seed, ships, work, sheltered=sheltered)
    if request.kind in ("orders", "act"):
        return mate_answer(view, request, seed, ships)
    return _routine_answer(view, request)


def advise(view: FleetView, request: Request, seed: str) -> Answer:
    """Return a hint: an admiral's answer, whatever the level of the game's computer captains.

    It has no doctrines, no shots that hardly ever have a target, and no attacks that are never possible.
    """
    answer = computer_answer(
        structs.replace(view, captain="admiral"), request, seed, work=MAX_HINT_TURNS, sheltered=True
    )
    answer = structs.replace(answer, doctrines=()) if isinstance(answer, OrderSheet) else answer
    return without_vain_attacks(view, answer, seed)


def mark_absent(answer: Answer) -> Answer:
    """Return the answer marked as given in place of a captain who did not answer."""
    match answer:
        case OrderSheet():
            return structs.replace(answer, is_stand_in=True)
        case ActivationOrder(sheet=sheet):
            return structs.replace(answer, sheet=structs.replace(sheet, is_stand_in=True))
    return answer


def _routine_answer(view: FleetView, request: Request) -> Answer:
    match request.kind:
        case "fleet":
            return rosters.stock_roster(str(request.params["points"]))
        case "place":
            context = deployments.DeploymentContext(view.position, view.side or "B")
            return deployments.deployment_of_draft(deployments.propose_deployment(context))
        case "pace":
            return Choice("C")
    return Choice(alternate_choices.default_choice(request))


def _search_sheet(view: FleetView, seed: str, ships: Sequence[str], work: int, *, sheltered: bool) -> OrderSheet:
    side: orders.FleetSide = view.side or "B"
    doctrine = admiral.admiral_doctrine(side)
    doctrines = orders.Doctrines((*without_questions(view.doctrines.lines), doctrine))
    search = SideSearch(
        admiral.turn_start(view.position, view.squadrons), side, seed, doctrines, work=work, sheltered=sheltered
    )
    changes = () if doctrine in view.doctrines.lines else (doctrine,)
    return structs.replace(to_sheet(view, search.best_orders(), search.flagship_by_ship, ships), doctrines=changes)


def to_sheet(
    view: FleetView, side_orders: SideOrders, flagship_by_ship: Mapping[str, str], ships: Sequence[str]
) -> OrderSheet:
    """Return the sheet of a turn for the captain of `ships`; speeds only if squadrons are ordered when they act."""
    plans = _legal_plans(view.position, _own_plans(side_orders.groups, ships))
    if view.pace == "squadron":
        return OrderSheet(speed_choices=_speed_choices(plans))
    # an ally orders their own squadrons: this captain sets neither their turn nor a Double Activation with them.
    sequence = tuple(flagship for group in plans if (flagship := flagship_by_ship[group[0].ship]) in ships)
    double = side_orders.double if side_orders.double in ships else ""
    return OrderSheet(
        speed_choices=_speed_choices(plans), lines=_sheet_lines(view.position, plans), sequence=sequence, double=double
    )


def _own_plans(groups: SquadronPlans, ships: Sequence[str]) -> SquadronPlans:
    own_groups = (tuple(plan for plan in group if plan.ship in ships) for group in groups)
    return tuple(group for group in own_groups if group)


def _legal_plans(position: Position, groups: SquadronPlans) -> SquadronPlans:
    """Return plans with lines cut before the first step that would be illegal even without interruption."""
    for group in groups:
        for plan in group:
            ship = position.ship_by_id(plan.ship)
            position = position.with_ship(structs.replace(ship, speed=plan.option.speed))
    while True:  # a line that is cut may make steps of others illegal
        lines = tuple(plan.line for group in groups for plan in group)
        illegal_steps = {
            line.ship: line.step_number
            for line in rehearsal.rehearse_lines(position, orders.SquadronOrders(lines))
            if line.barred
        }
        if not illegal_steps:
            return groups
        groups = tuple(tuple(_cut_plan(plan, illegal_steps) for plan in group) for group in groups)


def _cut_plan(plan: PlannedOption, illegal_steps: Mapping[str, int]) -> PlannedOption:
    """Return a plan cut before its first illegal step. `illegal_steps` maps ships to its number, from 0."""
    legal_count = max(0, illegal_steps.get(plan.ship, STEPS_BEYOND_ANY_LINE))
    return plan._replace(line=orders.OrderLine(plan.ship, plan.line.steps[:legal_count]))


def _speed_choices(groups: SquadronPlans) -> tuple[SpeedChoice, ...]:
    plans = sorted((plan for group in groups for plan in group), key=lambda entry: id_sort_key(entry.ship))
    return best_attacks.speed_choices({plan.ship: plan.option.speed for plan in plans})


def _sheet_lines(position: Position, groups: SquadronPlans) -> tuple[SheetLine, ...]:
    lines = [best_attacks.lower_sails(position, plan.line) for group in groups for plan in group]
    return tuple(SheetLine(line.ship, line) for line in lines if line.steps)


def _search_activation(
    view: FleetView, seed: str, ships: Sequence[str], work: int, *, sheltered: bool
) -> ActivationOrder:
    side: orders.FleetSide = view.side or "B"
    start = TurnStart(
        position=view.position, squadrons=view.squadrons, speeds_set=True, first=view.first or side, active=side
    )
    doctrines = orders.Doctrines(without_questions(view.doctrines.lines))
    search = SideSearch(start, side, seed, doctrines, first=start.first, work=work, sheltered=sheltered)
    return to_activation(view, search.best_orders(), search.flagship_by_ship, ships)


def to_activation(
    view: FleetView, side_orders: SideOrders, flagship_by_ship: Mapping[str, str], ships: Sequence[str]
) -> ActivationOrder:
    """Return the orders of the first squadron of the captain of `ships` that may act now."""
    groups = {flagship_by_ship[group[0].ship]: group for group in _own_plans(side_orders.groups, ships)}
    flagship = next(flagship for flagship in groups if flagship in view.able_flagships)
    double = side_orders.double if side_orders.double in groups and side_orders.double != flagship else ""
    active_groups = (groups[flagship], groups[double]) if double else (groups[flagship],)
    lines = _sheet_lines(view.position, _legal_plans(view.position, active_groups))
    return ActivationOrder(squadron=flagship, sheet=OrderSheet(lines=lines, double=double))
