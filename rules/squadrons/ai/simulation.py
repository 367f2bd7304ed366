"""Simulation of a turn by the rules, with the captain's own dice samples (`rules.ai.search`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from rules.chance.dice import DiceSource
from rules.squadrons.ai import evaluation
from rules.squadrons.engine import events
from rules.squadrons.engine.events import FleetEvent
from rules.squadrons.engine.notation.orders import (
    SIDES,
    DoctrineLine,
    Doctrines,
    FleetSide,
    SquadronActivation,
    SquadronOrders,
    TurnSheet,
)
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.phases.aftermath import recovery, victory
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea.state import Position, Squadron


class _QuietTurn(TurnInProgress):
    """A turn that does not record the owners of ships in its events, since nobody reads them."""

    def add_event(self, event: FleetEvent) -> None:
        self.events.append(event)


class TurnStart(Struct, frozen=True, kw_only=True):
    position: Position  # in phase D, E or F
    squadrons: tuple[Squadron, ...]  # of both sides
    speeds_set: bool  # this turn's speeds are final
    first: FleetSide  # the side that activates first
    active: FleetSide | None = None  # the side that activates next; None before the first activation


class TurnResult(Struct, frozen=True, kw_only=True):
    position: Position  # after the turn
    is_over: bool  # the game ended with this turn
    events: tuple[FleetEvent, ...] = ()
    luck: float  # victory points of Blue above the expected result of its rolls for rams and boardings


def without_questions(lines: Sequence[DoctrineLine]) -> tuple[DoctrineLine, ...]:
    """Return doctrines without `ask`, so that defaults apply."""
    remaining = ({key: value for key, value in line.values.items() if value != "ask"} for line in lines)
    return tuple(
        DoctrineLine(who=line.who, values=values, protect=line.protect)
        for line, values in zip(lines, remaining, strict=True)
    )


def run_turn(
    turn: TurnStart, turnsheets: Mapping[FleetSide, TurnSheet], dice_source: DiceSource, doctrines: Doctrines
) -> TurnResult:
    """Play a turn to its end with the sheets of both sides, from the setting of speeds or from its next activation."""
    play = _QuietTurn(turn.position, dice_source, doctrines)
    start, squadrons = turn.position, turn.squadrons
    if not turn.speeds_set:
        turn_start.run_phase_d(play, {side: turnsheet.speeds for side, turnsheet in turnsheets.items()})
        play.position = structs.replace(play.position, phase="E")
    if play.position.phase == "E":
        _activate_all(play, squadrons, turnsheets, turn.active or turn.first, numbered=True)
        play.position = structs.replace(play.position, phase="F")
        _activate_all(play, squadrons, turnsheets, turn.first, numbered=False)
    else:
        _activate_all(play, squadrons, turnsheets, turn.active or turn.first, numbered=False)
    play.position = structs.replace(play.position, phase="G")
    recovery.run_phase_g(play)
    is_over = victory.run_phase_h(play) is not None
    return TurnResult(position=play.position, is_over=is_over, luck=_luck_vp(play, start), events=tuple(play.events))


def _activate_all(
    play: TurnInProgress,
    squadrons: Sequence[Squadron],
    turnsheets: Mapping[FleetSide, TurnSheet],
    first_side: FleetSide,
    *,
    numbered: bool,
) -> None:
    """Activate squadrons by turns until none is left: Command Squadrons if `numbered`, else single ships."""
    remaining = [candidate for candidate in squadrons if bool(candidate.number) == numbered and not candidate.activated]
    last_side: FleetSide | None = None
    while True:
        remaining = [candidate for candidate in remaining if activation.ready_galleys(play.position, candidate)]
        side = turn_order.next_side(
            {side: sum(candidate.side == side for candidate in remaining) for side in SIDES}, first_side, last_side
        )
        if side is None:
            return
        turnsheet = turnsheets[side]
        ready = [candidate for candidate in remaining if candidate.side == side]
        squadron = next(
            (candidate for name in turnsheet.sequence for candidate in ready if candidate.flagship == name), ready[0]
        )
        orders = SquadronOrders(moves.with_entry_lines(play.position, turnsheet.orders.lines, squadron.ships))
        order = SquadronActivation(
            squadron=squadron.flagship, orders=orders, double=_double_flagship(play, ready, squadron, turnsheet)
        )
        flagships = activation.activate_squadrons(play, squadrons, order)
        remaining = [candidate for candidate in remaining if candidate.flagship not in flagships]
        last_side = side


def _double_flagship(play: TurnInProgress, ready: Sequence[Squadron], squadron: Squadron, turnsheet: TurnSheet) -> str:
    """Return the Command Ship of the squadron to act with the Admiral's, if `squadron` is the Admiral's."""
    leader = play.position.find_leader(squadron.leader)
    others = {other.flagship for other in ready} - {squadron.flagship}
    return turnsheet.double if leader and leader.is_admiral and turnsheet.double in others else ""


def _luck_vp(play: TurnInProgress, start: Position) -> float:
    """Return how much better Blue's rolls for rams and boardings were than expected, in victory points."""
    luck = 0.0
    scored_ships = {ship.id for ship in start.ships if ship.rammed or ship.held}  # no further points for these
    for event in play.events:
        match event:
            case events.ShipRammed(by=by):
                is_success = event.result == "rammed"
            case events.ShipBoarded(by=(first, *_)):
                by, is_success = first.ship, event.result == "captured"
            case _:
                continue
        target = play.position.ship_by_id(event.target)
        if target.id not in scored_ships:
            sign = 1 if start.ship_by_id(by).side == "B" else -1
            excess = is_success - evaluation.success_chance(event.need, event.drm)
            luck += sign * excess * target.ram_defence
        if is_success:
            scored_ships.add(target.id)
    return luck
