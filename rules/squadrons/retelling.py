"""A turn told again from its events, act by act: what one galley did, boardings, fires, sinkings; with the sea then."""

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
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.preview.view import FleetView

MomentKind = Literal["move", "attack", "board", "rest"]


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[Position]):
    """What is shown in one go: the activation of one galley, the boardings of a squadron, or the rest of a turn."""

    kind: MomentKind
    acting_ship: str
    """The ship that acts; empty where none does."""
    activation_number: int
    """Which activation of the turn it belongs to, from 1; 0: to none."""

    @property
    def ship_ids(self) -> frozenset[str]:
        """Ships that it moves or that something happens to."""
        names = {name for event in self.events for name in named_ships(event)}
        return frozenset(names & self.before.ships_by_id.keys())

    @property
    def moved_ships(self) -> frozenset[str]:
        """Ships that lie elsewhere now, or otherwise."""
        return frozenset(
            ship.id
            for ship in self.after.ships
            if ship.is_afloat and (was := self.before.ships_by_id[ship.id]).is_afloat and was.place != ship.place
        )

    @property
    def has_visible_event(self) -> bool:
        """Whether anything of it can be seen."""
        return any(type(event) in _VISIBLE_EVENTS for event in self.events)

    @property
    def has_attack(self) -> bool:
        """Whether anything was rolled that a picture of attacks shows."""
        return any(type(event) in _ATTACK_EVENTS for event in self.events)


@dataclass(frozen=True, kw_only=True)
class VisibleState:
    """What lies on the map at one moment, and who acts."""

    position: Position
    acting_ships: tuple[str, ...] = ()
    """Ships of the squadron that was activated last. No event says that they are done: `settled` does."""
    slowed_ships: frozenset[str] = frozenset()
    """Those of them that had Half Speed then."""

    @property
    def after_activation(self) -> VisibleState:
        """The same when the activation is over: Half Speed with which it began goes, its ships are done."""
        now = self.position
        for name in self.acting_ships:
            if not now.ships_by_id[name].is_afloat:
                continue
            half = now.ships_by_id[name].half_speed and name not in self.slowed_ships
            now = with_ship(now, name, half_speed=half, done=True)
        return VisibleState(position=now)


@dataclass
class _MomentBuilder:
    """Acts as they are being told."""

    sea: VisibleState
    moments: list[StoryMoment] = field(default_factory=list)
    acting_ship: str = ""
    activation_number: int = 0
    before: Position | None = None
    moment_events: list[Event] = field(default_factory=list)

    @property
    def position(self) -> Position:
        return self.sea.position

    def begin_activation(self, event: events.SquadronActivated) -> None:
        """A squadron is activated; the one before it is done."""
        self.end_activation()
        self.activation_number += 1
        self.sea = apply_event(self.sea, event)

    def end_activation(self) -> None:
        """End an activation."""
        self.end_moment()
        self.sea = self.sea.after_activation
        if self.moments:
            self.moments[-1] = dataclasses.replace(self.moments[-1], after=self.position)

    def begin_moment(self, by: str) -> None:
        """End what was told, and begin another act."""
        self.end_moment()
        self.acting_ship, self.before = by, self.position

    def end_moment(self) -> None:
        if self.before is not None and self.moment_events:
            kinds = {type(event) for event in self.moment_events}
            kind: MomentKind = (
                "board"
                if events.ShipBoarded in kinds
                else "attack"
                if kinds & _ATTACK_EVENTS
                else "move"
                if kinds & _MOVE_EVENTS
                else "rest"
            )
            said = tuple(self.moment_events)
            self.moments.append(
                StoryMoment(
                    kind=kind,
                    acting_ship=self.acting_ship,
                    activation_number=self.activation_number,
                    before=self.before,
                    events=said,
                    after=self.position,
                )
            )
        self.before, self.moment_events = None, []

    def add_event(self, event: Event) -> None:
        if self.before is None:
            self.begin_moment("")
        self.moment_events.append(event)
        self.sea = apply_event(self.sea, event)


def visible_state(view: FleetView) -> VisibleState:
    """What a view shows of the sea."""
    return VisibleState(
        position=_visible_position(view.position),
        acting_ships=view.acting_ships,
        slowed_ships=frozenset(view.slowed_ships),
    )


def _visible_position(position: Position) -> Position:
    """A position without what the rules note in it and nobody sees, and without ships that are still to come."""
    ships = tuple(
        replace(ship, done=ship.done and ship.is_afloat, repulsed=False, collided=False, ram_tried=False)
        for ship in position.ships
        if ship.status != "waiting"
    )
    names = {ship.id for ship in ships}
    leaders = tuple(replace(leader, tried=False) for leader in position.leaders if leader.ship in names)
    return replace(position, phase="A", wind=None, bonus=(0, 0), lost=(None, None), ships=ships, leaders=leaders)


def split_moments(view: FleetView, happened: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """The acts told, in order of play; the view is of what came of them.

    Ships lie as the view has them before unless the events say how a turn began.
    """
    deeds = [number for number, event in enumerate(happened) if type(event) in _VISIBLE_EVENTS]
    last = deeds[-1] if deeds else 0
    # The turn of the last event is shown; a turn that begins after it is the next one.
    starts = [number for number, event in enumerate(happened[:last]) if isinstance(event, events.TurnBegan)]
    book = _MomentBuilder(VisibleState(position=view.position_before or view.position))
    for event in happened[starts[-1] if starts else 0 :]:
        match event:
            case events.TurnBegan():
                if deeds and book.moments:
                    break
                book.end_moment()
                book.sea = apply_event(book.sea, event)
                continue
            case events.SquadronActivated():
                book.begin_activation(event)
                continue
            case events.ShipBoarded():
                book.begin_moment("")
            case (
                events.SinkRolled()
                | events.UnfoulTried()
                | events.FireFought()
                | events.ScoreCounted()
                | events.GameEnded()
            ):
                if book.acting_ship or book.activation_number:
                    book.end_activation()
                    book.activation_number = 0
                    book.begin_moment("")
            case _:
                actor = _acting_ship(event)
                if actor and (actor != book.acting_ship or book.before is None):
                    book.begin_moment(actor)
        if all(name in book.position.ships_by_id for name in named_ships(event)):
            book.add_event(event)
    book.end_moment()
    book.end_activation()
    return tuple(book.moments)


def _acting_ship(event: Event) -> str:
    """Whose activation an event begins or goes on with; empty: it may be anybody's."""
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
    """Ships that an event names."""
    found = [value for key in ("ship", "by", "target", "of") if isinstance(value := getattr(event, key, None), str)]
    if isinstance(event, events.ShipBoarded):
        found += [boarder.ship for boarder in event.by]
    if isinstance(event, events.SpeedSet):
        found += event.ships
    return tuple(name for name in found if name)


def apply_event(now: VisibleState, event: Event) -> VisibleState:
    """The sea after an event."""
    match event:
        case events.TurnBegan() | events.FleetDeployed():
            return VisibleState(position=_visible_position(event.position))
        case events.SquadronActivated():
            done = now.after_activation.position
            running = tuple(name for name in event.ships if name in done.ships_by_id)
            slowed = frozenset(name for name in running if done.ships_by_id[name].half_speed)
            return VisibleState(position=done, acting_ships=running, slowed_ships=slowed)
        case (
            events.UnfoulTried()
            | events.FireFought()
            | events.CrewRecovered()
            | events.SinkRolled()
            | events.ScoreCounted()
        ):
            return VisibleState(
                position=position_after_event(now.after_activation.position, event)
            )  # phase G: all have acted
        case events.GameEnded():
            return VisibleState(position=now.position)
        case _:
            return dataclasses.replace(now, position=position_after_event(now.position, event))


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
"""What a picture of attacks is about."""
_VISIBLE_EVENTS: Final[set[type[Event]]] = {
    *_MOVE_EVENTS,
    *_ATTACK_EVENTS,
    events.TowersJettisoned,
    events.LeaderLost,
    events.LeaderTransferred,
}
"""What is seen at all."""
