"""Find faults of hints that were certain when they were given: one function for each game.

Others stand still, so that nothing but the hint itself can be in its way; dice fall in several ways.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import structs

from rules.chance.dice import Dice, SeededDice, derive_seed
from rules.core.protocol import Draft, Request
from rules.core.view import Text
from rules.forts import GAME as FORTS
from rules.forts.engine import fire as forts_fire
from rules.forts.engine.events import ActionSkipped, ShipSunk, TurnEnded
from rules.forts.engine.state import ActionList, MoveOrder
from rules.forts.engine.state import ShootOrder as Shots
from rules.matchbox import GAME as MATCHBOX
from rules.matchbox.ai import bearing
from rules.matchbox.engine import orders as letters_of
from rules.matchbox.engine.events import HullsCollided, ShipMoved
from rules.matchbox.engine.stages import Decisions, RoundInProgress
from rules.matchbox.engine.state import SLOTS, FleetOrders, OrderList, StandingOrders
from rules.matchbox.interface.order_drafts import all_lists
from rules.ramspeed import GAME as RAMSPEED
from rules.ramspeed.engine import events as sea_events
from rules.ramspeed.engine.orders import ShootOrder
from rules.ramspeed.engine.phases import fire, turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.interface import preview
from rules.ramspeed.interface.order_drafts import LiveOrder, SheetOrders
from rules.squadrons import GAME as SQUADRONS
from rules.squadrons.ai import admiral, answering, simulation
from rules.squadrons.ai.simulation import TurnStart, without_questions
from rules.squadrons.engine import events as fleet_events
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines, TurnSheet
from rules.squadrons.engine.sea.state import other_side
from rules.squadrons.interface.drafts import answers as fleet

LUCKS: Final = 4
"""Ways in which dice may fall."""
MANY_LUCKS: Final = 32
"""Ways in which dice may fall, where a refusal in a few of them may be due to a die."""
CERTAIN: Final = ("deserted", "undermanned", "burning", "stopped", "gone")
"""Refusals of a ship that can do nothing, whatever happens before she acts."""


def _dice(number: int) -> Dice:
    return Dice(derive_seed("0f", f"luck {number}"))


def forts(state: Any, request: Request, answer: Any, _: Sequence[Text]) -> Iterator[str]:
    """Yield actions that fail for another reason than a die: a target that was sunk before her turn to be shot at.

    Yield also ships that sail from where they could shoot, and do not shoot at all.
    """
    actions = answer.actions if isinstance(answer, ActionList) else ()
    shot_at = {target.code for action in actions if isinstance(action, Shots) for target in action.targets}
    shooting = {action.ship for action in actions if isinstance(action, Shots)}
    for action in actions:
        if isinstance(action, MoveOrder) and action.ship not in shooting:
            position = state.position
            ship = next(s for s in position.ships_of(position.active_colour) if s.code == action.ship)
            # others may have sailed into the line, or away from it
            clear = [line for line in forts_fire.fire_lines(position, ship) if line.need and line.distance == 1]
            if targets := {line.to[1:] for line in clear} - shot_at:
                yield f"{action.ship} sails without a shot at {targets}"
    for number in range(LUCKS):
        step = FORTS.resolve(structs.replace(state, dice=_dice(number)), {request.id: answer})
        ended = [at for at, event in enumerate(step.events) if isinstance(event, TurnEnded)]
        events = step.events[: ended[0] if ended else None]  # then come the others, with their plans
        sunk = any(isinstance(event, ShipSunk) for event in events)
        for event in events:
            if isinstance(event, ActionSkipped) and not (sunk and event.reason == "target_gone"):
                yield f"{event.action}: {event.reason}"


def matchbox(state: Any, request: Request, answer: FleetOrders, odds: Sequence[Text]) -> Iterator[str]:
    """Yield shots at nobody, unless there is nothing else to do or it is called a guess; friends who are met, and
    edges."""
    mine = {drawn.galley: drawn.orders for drawn in answer.lists}
    guessed = {(text.params["galley"], text.params["step"]) for text in odds}
    there = {galley.id: galley for galley in state.galleys}
    for name, drawn in mine.items():
        foes = [galley for galley in state.galleys if galley.side != there[name].side]
        for step, share in bearing.in_range_chances(there[name], drawn, foes, state.sea).items():
            if not share.includes_rowing and (name, step) not in guessed and len(odds) < MOST_SAID:
                yield f"{name} fires in step {step} only at who stays, and nothing says so"
    table = state.sea
    standing = {request.seat: StandingOrders(target="nearest")}
    play = RoundInProgress(table, state.galleys, answer.lists, Decisions(standing, {}, None, {}), Dice("00"))
    for step in range(1, SLOTS + 1):
        play.begin_step(step)
        event_count = len(play.events)
        play.move_all()
        for event in play.events[event_count:]:
            if isinstance(event, HullsCollided) and {event.a, event.b} <= mine.keys():
                yield f"{event.a} meets {event.b} in step {step}"
            if isinstance(event, ShipMoved) and event.at_edge and event.order == "F" and event.galley in mine:
                yield f"{event.galley} at the edge in step {step}"
        if play.blows:
            return
        play.choose_targets()
        shooting = {shot.by.id for shot in play.shots}
        for galley in play.galleys_doing("X"):
            vain = galley.id in mine and galley.id not in shooting
            forced = vain and _forced(there[galley.id], mine[galley.id], step)
            if vain and not forced and is_avoidable(state, request, answer, galley.id):
                yield f"{galley.id} fires at nobody in step {step}"
        if play.shots:
            return
        play.reseat_rowers()


MOST_SAID: Final = 3
"""Shots of which a hint of matchbox says how likely they are."""


def _forced(galley: Any, drawn: str, step: int) -> bool:
    """Return if no list that rows in this step instead is legal."""
    rest = drawn[step - 1 :]
    return rest.strip("X") == "" and letters_of.list_fault(galley, f"{drawn[: step - 1]}F{rest[1:]}") is not None


def is_avoidable(state: Any, request: Request, answer: FleetOrders, name: str) -> bool:
    """Return if another list for the galley would cause fewer warnings."""

    def count_warnings(lists: Iterable[OrderList]) -> int:
        orders = structs.replace(answer, lists=tuple(lists))
        return len(MATCHBOX.draft_warnings(state, request, Draft(MATCHBOX.format_answer(request, orders))))

    galley = next(galley for galley in state.galleys if galley.id == name)
    changed = ((other if own.galley == name else own for own in answer.lists) for other in all_lists(galley))
    return min(map(count_warnings, changed)) < count_warnings(answer.lists)


def ramspeed(state: Any, request: Request, answer: Any, _: Sequence[Text]) -> Iterator[str]:
    """Yield shots by too few men, acts that her state forbids, and ships that her own side leaves nothing to do."""
    lines = (
        answer.sheet.lines
        if isinstance(answer, SheetOrders)
        else (answer.line,)
        if isinstance(answer, LiveOrder)
        else ()
    )
    position = state.position
    legal = set[str]()
    for line in lines:
        ship = position.ship_by_id(line.ship)
        for alternative in line.alternatives:
            way = preview.course_of(position, ship, alternative)
            if alternative.attack and way.why in CERTAIN:
                yield f"{ship.id}, {way.order}: {way.why}"
            if any(isinstance(step, ShootOrder) for step in alternative.steps) and not fire.can_shoot(position, ship):
                yield f"{ship.id}, {way.order}: she cannot shoot"
            if not way.rule and alternative.attack:
                legal.add(ship.id)
    me = position.players[RAMSPEED.view(state, request.seat).seats.index(request.seat)]
    barred = []
    for number in range(LUCKS):
        opened = TurnProgress(position=position, players_left=(me,))
        done = turn.TurnStepResult(opened, (), SeededDice(_dice(number)))
        acted = list[Any]()
        for line in lines:
            done = turn.activate_line(done.progress, line, done.dice_source, {})
            acted += done.events
        barred.append(
            {event.ship for event in acted if isinstance(event, sea_events.ShipActivated) and event.order == "stay"}
        )
    for ship in set.intersection(*barred) & legal if barred else ():
        yield f"{ship} could attack, but own ships are in her way"


def squadrons(state: Any, request: Request, answer: Any, _: Sequence[Text]) -> Iterator[str]:
    """Yield lines that are stopped in every case, while enemies lie still."""
    view = SQUADRONS.view(state, request.seat)
    side = view.side or "B"
    match answer:
        case fleet.ActivationOrder():
            begun = TurnStart(
                position=view.position, squadrons=view.squadrons, speeds_set=True, first=side, active=side
            )
            sheet = structs.replace(answer.sheet, sequence=(answer.squadron,))
        case fleet.OrderSheet():
            begun, sheet = structs.replace(admiral.turn_start(view.position, view.squadrons), first=side), answer
        case _:
            return
    still = DoctrineLine(who=other_side(side), values={"avoid": "off"})  # nobody slips away
    doctrines = Doctrines((*without_questions(view.doctrines.lines), still))
    sheets: Mapping[Any, TurnSheet] = {side: answering.sheet_to_turnsheet(view, sheet), other_side(side): TurnSheet()}
    mine = {entry.target for entry in sheet.lines}
    stopped: set[tuple[str, str, str]] | None = None
    for number in range(MANY_LUCKS):  # a lone ship may fail to roll for control a few times in a row (SQ-05.9)
        end = simulation.run_turn(begun, sheets, SeededDice(_dice(number)), doctrines)
        here = {
            (e.ship, e.step, e.rule) for e in end.events if isinstance(e, fleet_events.StepStopped) and e.ship in mine
        }
        stopped = here if stopped is None else stopped & here
        if not stopped and number + 1 >= LUCKS:
            return
    for ship, step, rule in stopped or ():
        yield f"{ship} stops before {step}: {rule}"


REFUSED: Final[Mapping[str, Callable[[Any, Request, Any, Sequence[Text]], Iterator[str]]]] = {
    "forts": forts,
    "matchbox": matchbox,
    "ramspeed": ramspeed,
    "squadrons": squadrons,
}
"""By system: what of a hint is refused for a reason that was certain when it was given."""
