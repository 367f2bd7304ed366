"""The turn carried out by the rules themselves, over and over, with dice of the captain's own (`rules.ai.search`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from rules.chance.cup import DiceSource
from rules.squadrons.ai import danger
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
    """A play that does not note whose ships its events name, because nobody reads them."""

    def add_event(self, event: FleetEvent) -> None:
        """Keep an event as it is."""
        self.events.append(event)


class TurnStart(Struct, frozen=True, kw_only=True):
    """A turn as it stands."""

    position: Position
    squadrons: tuple[Squadron, ...]
    """Of this turn."""
    speeds_set: bool
    first: FleetSide
    active: FleetSide | None = None
    """Whose go it is, when squadrons act already."""


class TurnResult(Struct, frozen=True, kw_only=True):
    """What a turn has come to."""

    position: Position
    is_over: bool
    events: tuple[FleetEvent, ...] = ()
    luck: float
    """Victory points that Blue has over what was to be expected of the rolls of rams and boardings."""


def without_questions(lines: Sequence[DoctrineLine]) -> tuple[DoctrineLine, ...]:
    """Doctrines without what their captain wants to be asked: that is done as by default."""
    kept = ({key: value for key, value in line.values.items() if value != "ask"} for line in lines)
    return tuple(
        DoctrineLine(who=line.who, values=values, protect=line.protect)
        for line, values in zip(lines, kept, strict=True)
    )


def run_turn(
    begun: TurnStart, turnsheets: Mapping[FleetSide, TurnSheet], cup: DiceSource, doctrines: Doctrines
) -> TurnResult:
    """What the rest of a turn leads to, if both sides order what their turnsheets say."""
    play = _QuietTurn(begun.position, cup, doctrines)
    start, squadrons = begun.position, begun.squadrons
    if not begun.speeds_set:
        turn_start.run_phase_d(play, {side: turnsheet.speeds for side, turnsheet in turnsheets.items()})
        play.position = structs.replace(play.position, phase="E")
    if play.position.phase == "E":
        _activate_all(play, squadrons, turnsheets, begun.active or begun.first, numbered=True)
        play.position = structs.replace(play.position, phase="F")
        _activate_all(play, squadrons, turnsheets, begun.first, numbered=False)
    else:
        _activate_all(play, squadrons, turnsheets, begun.active or begun.first, numbered=False)
    play.position = structs.replace(play.position, phase="G")
    recovery.run_phase_g(play)
    over = victory.run_phase_h(play) is not None
    return TurnResult(position=play.position, is_over=over, luck=_luck_vp(play, start), events=tuple(play.events))


def _activate_all(
    play: TurnInProgress,
    squadrons: Sequence[Squadron],
    turnsheets: Mapping[FleetSide, TurnSheet],
    going: FleetSide,
    *,
    numbered: bool,
) -> None:
    """All squadrons of a phase that have not acted, the sides one after the other."""
    left = [one for one in squadrons if bool(one.number) == numbered and not one.activated]
    last: FleetSide | None = None
    while True:
        left = [one for one in left if activation.ready_galleys(play.position, one)]
        side = turn_order.next_side({side: sum(one.side == side for one in left) for side in SIDES}, going, last)
        if side is None:
            return
        turnsheet = turnsheets[side]
        ready = [one for one in left if one.side == side]
        squadron = next((one for name in turnsheet.sequence for one in ready if one.flagship == name), ready[0])
        orders = SquadronOrders(moves.with_entry_lines(play.position, turnsheet.orders.lines, squadron.ships))
        order = SquadronActivation(
            squadron=squadron.flagship, orders=orders, double=_double_flagship(play, ready, squadron, turnsheet)
        )
        acted = activation.activate_squadrons(play, squadrons, order)
        left = [one for one in left if one.flagship not in acted]
        last = side


def _double_flagship(play: TurnInProgress, ready: Sequence[Squadron], squadron: Squadron, turnsheet: TurnSheet) -> str:
    """The Command Ship of the squadron that is to act with the Admiral's, if this is the Admiral's (SQ-05.11)."""
    leader = play.position.find_leader(squadron.leader)
    others = {one.flagship for one in ready} - {squadron.flagship}
    return turnsheet.double if leader and leader.is_admiral and turnsheet.double in others else ""


def _luck_vp(play: TurnInProgress, start: Position) -> float:
    """How much better Blue's rolls of rams and boardings were than they should be, in victory points."""
    found, scored = 0.0, {ship.id for ship in start.ships if ship.rammed or ship.held}
    for event in play.events:
        match event:
            case events.ShipRammed(by=by):
                done = event.result == "rammed"
            case events.ShipBoarded(by=(first, *_)):
                by, done = first.ship, event.result == "captured"
            case _:
                continue
        target = play.position.ship_by_id(event.target)
        if target.id not in scored:
            sign = 1 if start.ship_by_id(by).side == "B" else -1
            found += sign * (done - danger.success_chance(event.need, event.drm)) * target.ram_defence
        if done:
            scored.add(target.id)
    return found
