"""Splitting a turn's events into moments: activations of galleys, boardings, fires and sinkings, with positions."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec.structs import replace

from rules.core.protocol import Event
from rules.interface.retelling import Moment
from rules.squadrons.engine import events
from rules.squadrons.engine.changes import position_after_event, with_ship
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import FleetView

MomentKind = Literal["move", "attack", "board", "rest"]


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[Position]):
    kind: MomentKind
    acting_ship: str  # empty if no single ship acts
    activation_number: int  # number of the activation in the turn, from 1; 0 outside activations

    @property
    def ship_ids(self) -> frozenset[str]:
        names = {name for event in self.events for name in named_ships(event)}
        return frozenset(names & self.before.ships_by_id.keys())

    @property
    def moved_ships(self) -> frozenset[str]:
        return frozenset(ship.id for ship in self.after.ships if ship.is_afloat and self._has_moved(ship))

    def _has_moved(self, ship: Ship) -> bool:
        ship_before = self.before.ships_by_id[ship.id]
        return ship_before.is_afloat and ship_before.place != ship.place

    @property
    def has_visible_event(self) -> bool:
        return any(type(event) in _VISIBLE_EVENTS for event in self.events)

    @property
    def has_attack(self) -> bool:
        return any(type(event) in _ATTACK_EVENTS for event in self.events)


@dataclass(frozen=True, kw_only=True)
class VisibleState:
    position: Position  # as all players see it
    acting_ships: tuple[str, ...] = ()
    """Ships of the squadron activated last. No event marks them as done; `after_activation` does."""
    slowed_ships: frozenset[str] = frozenset()  # those of `acting_ships` that had Half Speed before

    @property
    def after_activation(self) -> VisibleState:
        """Return the state after the activation: Half Speed from before it ends, and its ships are done."""
        position = self.position
        for name in self.acting_ships:
            ship = position.ships_by_id[name]
            if not ship.is_afloat:
                continue
            keeps_half_speed = ship.half_speed and name not in self.slowed_ships
            position = with_ship(position, name, half_speed=keeps_half_speed, done=True)
        return VisibleState(position=position)


@dataclass
class _MomentBuilder:
    state: VisibleState  # after all events so far
    moments: list[StoryMoment] = field(default_factory=list)
    acting_ship: str = ""  # of the current moment; empty if no single ship acts
    activation_number: int = 0  # of the current activation, from 1; 0 outside activations
    before: Position | None = None  # the position before the current moment; None between moments
    moment_events: list[Event] = field(default_factory=list)  # of the current moment

    @property
    def position(self) -> Position:
        return self.state.position

    def begin_activation(self, event: events.SquadronActivated) -> None:
        self.end_activation()
        self.activation_number += 1
        self.state = apply_event(self.state, event)

    def end_activation(self) -> None:
        self.end_moment()
        self.state = self.state.after_activation
        if self.moments:
            self.moments[-1] = dataclasses.replace(self.moments[-1], after=self.position)

    def begin_moment(self, by: str) -> None:
        self.end_moment()
        self.acting_ship = by
        self.before = self.position

    def end_moment(self) -> None:
        if self.before is not None and self.moment_events:
            moment = StoryMoment(
                kind=_moment_kind({type(event) for event in self.moment_events}),
                acting_ship=self.acting_ship,
                activation_number=self.activation_number,
                before=self.before,
                events=tuple(self.moment_events),
                after=self.position,
            )
            self.moments.append(moment)
        self.before = None
        self.moment_events = []

    def add_event(self, event: Event) -> None:
        if self.before is None:
            self.begin_moment("")
        self.moment_events.append(event)
        self.state = apply_event(self.state, event)


def _moment_kind(event_types: set[type[Event]]) -> MomentKind:
    if events.ShipBoarded in event_types:
        return "board"
    if event_types & _ATTACK_EVENTS:
        return "attack"
    return "move" if event_types & _MOVE_EVENTS else "rest"


def visible_state(view: FleetView) -> VisibleState:
    return VisibleState(
        position=_visible_position(view.position),
        acting_ships=view.acting_ships,
        slowed_ships=frozenset(view.slowed_ships),
    )


def _visible_position(position: Position) -> Position:
    """Return a position without internal marks of the rules and without ships that have not entered."""
    ships = tuple(
        replace(ship, done=ship.done and ship.is_afloat, repulsed=False, collided=False, ram_tried=False)
        for ship in position.ships
        if ship.status != "waiting"
    )
    names = {ship.id for ship in ships}
    leaders = tuple(replace(leader, tried=False) for leader in position.leaders if leader.ship in names)
    return replace(position, phase="A", bonus=(0, 0), lost=(None, None), ships=ships, leaders=leaders)


def split_moments(view: FleetView, happened: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """Return the moments of a turn, in order of play. The view shows the position after them.

    The moments begin with the view's earlier position, unless an event says how the turn began.
    """
    visible_numbers = [number for number, event in enumerate(happened) if type(event) in _VISIBLE_EVENTS]
    last_visible = visible_numbers[-1] if visible_numbers else 0
    # show the turn of the last event; a turn that begins after it is the next one
    turn_starts = [
        number for number, event in enumerate(happened[:last_visible]) if isinstance(event, events.TurnBegan)
    ]
    first = turn_starts[-1] if turn_starts else 0
    builder = _MomentBuilder(VisibleState(position=view.position_before or view.position))
    for event in happened[first:]:
        match event:
            case events.TurnBegan():
                if visible_numbers and builder.moments:
                    break
                builder.end_moment()
                builder.state = apply_event(builder.state, event)
                continue
            case events.SquadronActivated():
                builder.begin_activation(event)
                continue
            case events.ShipBoarded():
                builder.begin_moment("")
            case (
                events.SinkRolled()
                | events.UnfoulTried()
                | events.FireFought()
                | events.ScoreCounted()
                | events.GameEnded()
            ):
                if builder.acting_ship or builder.activation_number:
                    builder.end_activation()
                    builder.activation_number = 0
                    builder.begin_moment("")
            case _:
                actor = _acting_ship(event)
                if actor and (actor != builder.acting_ship or builder.before is None):
                    builder.begin_moment(actor)
        if all(name in builder.position.ships_by_id for name in named_ships(event)):
            builder.add_event(event)
    builder.end_moment()
    builder.end_activation()
    return tuple(builder.moments)


def _acting_ship(event: Event) -> str:
    """Return the ship whose activation an event belongs to; empty if the event does not say."""
    match event:
        case (
            events.ShipMoved()
            | events.ShipExited()
            | events.TowersJettisoned()
            | events.CutTried()
            | events.ControlRolled()
        ):
            return event.ship
        case (
            events.StepStopped()
            | events.FatigueRolled()
            | events.SailsChanged()
            | events.ShipGrounded()
            | events.RefloatRolled()
        ):
            return event.ship
        case events.ShipRammed() | events.ShipRaked() | events.ShipGrappled() | events.AttackAvoided():
            return event.by
        case events.AvoidanceTried() | events.ReactionRolled():
            return event.by
        case events.ShotFired():
            return event.target if event.reaction else event.by
        case _:
            return ""


def named_ships(event: Event) -> tuple[str, ...]:
    names = [value for key in ("ship", "by", "target", "of") if isinstance(value := getattr(event, key, None), str)]
    if isinstance(event, events.ShipBoarded):
        names += [boarder.ship for boarder in event.by]
    if isinstance(event, events.SpeedSet):
        names += event.ships
    return tuple(name for name in names if name)


def apply_event(state: VisibleState, event: Event) -> VisibleState:
    match event:
        case events.TurnBegan() | events.FleetDeployed():
            return VisibleState(position=_visible_position(event.position))
        case events.SquadronActivated():
            position = state.after_activation.position
            acting_ships = tuple(name for name in event.ships if name in position.ships_by_id)
            slowed_ships = frozenset(name for name in acting_ships if position.ships_by_id[name].half_speed)
            return VisibleState(position=position, acting_ships=acting_ships, slowed_ships=slowed_ships)
        case (
            events.UnfoulTried()
            | events.FireFought()
            | events.CrewRecovered()
            | events.SinkRolled()
            | events.ScoreCounted()
        ):
            position = state.after_activation.position  # phase G: all have acted
            return VisibleState(position=position_after_event(position, event))
        case events.GameEnded():
            return VisibleState(position=state.position)
        case _:
            return dataclasses.replace(state, position=position_after_event(state.position, event))


_MOVE_EVENTS: Final[set[type[Event]]] = {
    events.ShipMoved,
    events.ShipExited,
    events.AvoidanceTried,
    events.RetractRolled,
    events.RefloatRolled,
}
_ATTACK_EVENTS: Final[set[type[Event]]] = {
    events.ShipRammed,
    events.ShipRaked,
    events.ShipGrappled,
    events.ShipBoarded,
    events.ShotFired,
    events.ShipSunk,
    events.IgnitionRolled,
    events.FireFought,
    events.SinkRolled,
    events.CutTried,
    events.UnfoulTried,
    events.ShipGrounded,
}
_VISIBLE_EVENTS: Final[set[type[Event]]] = {
    *_MOVE_EVENTS,
    *_ATTACK_EVENTS,
    events.TowersJettisoned,
    events.LeaderLost,
    events.LeaderTransferred,
}
