"""A turn told again from its events, act by act: what one galley did, boardings, fires, sinkings; with the sea then."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from msgspec.structs import replace

from rules.protocol import Event
from rules.retelling import Moment
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.table import events
from rules.squadrons.table.changes import changed, with_ship
from rules.squadrons.table.sea.state import Position

Kind = Literal["move", "attack", "board", "rest"]


@dataclass(frozen=True, kw_only=True)
class Act(Moment[Position]):
    """What is shown in one go: the activation of one galley, the boardings of a squadron, or the rest of a turn."""

    kind: Kind
    by: str
    """The ship that acts; empty where none does."""
    squadron: int
    """Which activation of the turn it belongs to, from 1; 0: to none."""

    @property
    def concerned(self) -> frozenset[str]:
        """Ships that it moves or that something happens to."""
        names = {name for event in self.events for name in named(event)}
        return frozenset(names & self.before.by_id.keys())

    @property
    def moved(self) -> frozenset[str]:
        """Ships that lie elsewhere now, or otherwise."""
        return frozenset(
            ship.id
            for ship in self.after.ships
            if ship.afloat and (was := self.before.by_id[ship.id]).afloat and was.place != ship.place
        )

    @property
    def stirs(self) -> bool:
        """Whether anything of it can be seen."""
        return any(type(event) in _SEEN for event in self.events)

    @property
    def strikes(self) -> bool:
        """Whether anything was rolled that a picture of attacks shows."""
        return any(type(event) in _BLOWS for event in self.events)


@dataclass(frozen=True, kw_only=True)
class Sea:
    """What lies on the map at one moment, and who acts."""

    position: Position
    running: tuple[str, ...] = ()
    """Ships of the squadron that was activated last. No event says that they are done: `settled` does."""
    slowed: frozenset[str] = frozenset()
    """Those of them that had Half Speed then."""

    @property
    def settled(self) -> Sea:
        """The same when the activation is over: Half Speed with which it began goes, its ships are done."""
        now = self.position
        for name in self.running:
            if not now.by_id[name].afloat:
                continue
            half = now.by_id[name].half_speed and name not in self.slowed
            now = with_ship(now, name, half_speed=half, done=True)
        return Sea(position=now)


@dataclass
class _Book:
    """Acts as they are being told."""

    sea: Sea
    acts: list[Act] = field(default_factory=list)
    by: str = ""
    squadron: int = 0
    before: Position | None = None
    said: list[Event] = field(default_factory=list)

    @property
    def now(self) -> Position:
        return self.sea.position

    def activate(self, event: events.SquadronActivated) -> None:
        """A squadron is activated; the one before it is done."""
        self.close()
        self.squadron += 1
        self.sea = carried_out(self.sea, event)

    def close(self) -> None:
        """End an activation."""
        self.end()
        self.sea = self.sea.settled
        if self.acts:
            self.acts[-1] = dataclasses.replace(self.acts[-1], after=self.now)

    def begin(self, by: str) -> None:
        """End what was told, and begin another act."""
        self.end()
        self.by, self.before = by, self.now

    def end(self) -> None:
        if self.before is not None and self.said:
            kinds = {type(event) for event in self.said}
            kind: Kind = (
                "board"
                if events.Boarded in kinds
                else "attack"
                if kinds & _BLOWS
                else "move"
                if kinds & _MOVES
                else "rest"
            )
            said = tuple(self.said)
            self.acts.append(
                Act(kind=kind, by=self.by, squadron=self.squadron, before=self.before, events=said, after=self.now)
            )
        self.before, self.said = None, []

    def tell(self, event: Event) -> None:
        if self.before is None:
            self.begin("")
        self.said.append(event)
        self.sea = carried_out(self.sea, event)


def seen(view: FleetView) -> Sea:
    """What a view shows of the sea."""
    return Sea(position=_plain(view.position), running=view.running, slowed=frozenset(view.slowed))


def _plain(position: Position) -> Position:
    """A position without what the rules note in it and nobody sees, and without ships that are still to come."""
    ships = tuple(
        replace(ship, done=ship.done and ship.afloat, repulsed=False, collided=False, ram_tried=False)
        for ship in position.ships
        if ship.status != "waiting"
    )
    names = {ship.id for ship in ships}
    leaders = tuple(replace(leader, tried=False) for leader in position.leaders if leader.ship in names)
    return replace(position, phase="A", wind=None, bonus=(0, 0), lost=(None, None), ships=ships, leaders=leaders)


def moments(view: FleetView, happened: Sequence[Event]) -> tuple[Act, ...]:
    """The acts told, in order of play; the view is of what came of them.

    Ships lie as the view has them before unless the events say how a turn began.
    """
    deeds = [number for number, event in enumerate(happened) if type(event) in _SEEN]
    last = deeds[-1] if deeds else 0
    # The turn of the last event is shown; a turn that begins after it is the next one.
    starts = [number for number, event in enumerate(happened[:last]) if isinstance(event, events.TurnBegan)]
    book = _Book(Sea(position=view.before or view.position))
    for event in happened[starts[-1] if starts else 0 :]:
        match event:
            case events.TurnBegan():
                if deeds and book.acts:
                    break
                book.end()
                book.sea = carried_out(book.sea, event)
                continue
            case events.SquadronActivated():
                book.activate(event)
                continue
            case events.Boarded():
                book.begin("")
            case events.SinkRolled() | events.Unfouled() | events.Firefight() | events.Scored() | events.End():
                if book.by or book.squadron:
                    book.close()
                    book.squadron = 0
                    book.begin("")
            case _:
                actor = _actor(event)
                if actor and (actor != book.by or book.before is None):
                    book.begin(actor)
        if all(name in book.now.by_id for name in named(event)):
            book.tell(event)
    book.end()
    book.close()
    return tuple(book.acts)


def _actor(event: Event) -> str:
    """Whose activation an event begins or goes on with; empty: it may be anybody's."""
    match event:
        case events.Moved() | events.Exited() | events.Jettisoned() | events.CutLoose() | events.Is():
            return event.ship
        case events.Stopped() | events.Fatigued() | events.Sailed() | events.Grounded() | events.GroundRolled():
            return event.ship
        case events.Rammed() | events.Raked() | events.Grappled() | events.Missed():
            return event.by
        case events.Avoided() | events.ReactionRolled():
            return event.by
        case events.Fired():
            return event.target if event.reaction else event.by
        case _:
            return ""


def named(event: Event) -> tuple[str, ...]:
    """Ships that an event names."""
    found = [value for key in ("ship", "by", "target", "of") if isinstance(value := getattr(event, key, None), str)]
    if isinstance(event, events.Boarded):
        found += [boarder.ship for boarder in event.by]
    if isinstance(event, events.SpeedSet):
        found += event.ships
    return tuple(name for name in found if name)


def carried_out(now: Sea, event: Event) -> Sea:
    """The sea after an event."""
    match event:
        case events.TurnBegan() | events.Deployed():
            return Sea(position=_plain(event.position))
        case events.SquadronActivated():
            done = now.settled.position
            running = tuple(name for name in event.ships if name in done.by_id)
            slowed = frozenset(name for name in running if done.by_id[name].half_speed)
            return Sea(position=done, running=running, slowed=slowed)
        case events.Unfouled() | events.Firefight() | events.Recovered() | events.SinkRolled() | events.Scored():
            return Sea(position=changed(now.settled.position, event))  # phase G: all have acted
        case events.End():
            return Sea(position=now.position)
        case _:
            return dataclasses.replace(now, position=changed(now.position, event))


_MOVES: Final[set[type[Event]]] = {events.Moved, events.Exited, events.Avoided, events.Retracted, events.GroundRolled}
_BLOWS: Final[set[type[Event]]] = {
    events.Rammed,
    events.Raked,
    events.Grappled,
    events.Boarded,
    events.Fired,
    events.Sunk,
    events.Ignited,
    events.Firefight,
    events.SinkRolled,
    events.CutLoose,
    events.Unfouled,
    events.Grounded,
}
"""What a picture of attacks is about."""
_SEEN: Final[set[type[Event]]] = {*_MOVES, *_BLOWS, events.Jettisoned, events.LeaderLost, events.Transferred}
"""What is seen at all."""
