"""A turn told again from its events, act by act: what one galley did, boardings, fires, sinkings; with the sea then."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from msgspec.structs import replace

from rules.protocol import Event
from rules.retelling import Moment
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.table import events
from rules.squadrons.table.sea.grid import read_place
from rules.squadrons.table.sea.state import Leader, Pair, Position, Ship, order_of

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
            now = _with(now, name, half_speed=half, done=True)
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


# --- what events do -----------------------------------------------------------------------------------------------


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


def changed(now: Position, event: Event) -> Position:
    """What lies on the map after an event; who acts does not matter."""
    change = _CHANGES.get(type(event))
    return now if change is None else change(now, event)


def _with(now: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    ship = replace(now.by_id[name], **changes)
    if ship.rammed or ship.crippled or ship.slowed or ship.held or ship.aground:
        ship = replace(ship, speed="C")
    return replace(now, ships=tuple(ship if one.id == name else one for one in now.ships))


def _put(now: Position, name: str, place: str | None, **changes: Any) -> Position:  # noqa: ANN401 - as above
    if place is None:
        return now
    at = read_place(place)
    return _with(now, name, bow=at.bow, facing=at.facing, **changes)


def _cruise(now: Position, *names: str) -> Position:
    for name in names:
        now = _with(now, name, speed="C")
    return now


def _sunk(now: Position, event: events.Sunk) -> Position:
    """Her hull is all that is left of her."""
    was = now.by_id[event.ship]
    gone = Ship(id=was.id, code=was.code, name=was.name, status="sunk", bow=was.bow, facing=was.facing)
    return _released(now.with_ship(gone), was.id)


def _exited(now: Position, event: events.Exited) -> Position:
    left = tuple(leader for leader in now.leaders if leader.ship != event.ship)
    return _released(replace(_with(now, event.ship, status="exited"), leaders=left), event.ship)


def _released(now: Position, name: str) -> Position:
    """Nothing holds a ship."""
    grapples, fouls = (tuple(pair for pair in pairs if name not in pair) for pairs in (now.grapples, now.fouls))
    return replace(now, grapples=grapples, fouls=fouls)


def _rammed(now: Position, event: events.Rammed) -> Position:
    if event.result == "rammed":
        held = now.by_id[event.target].held
        now = _with(now, event.target, rammed=event.by, held="CAP0" if held == "CAP" else held)
        return _cruise(now, event.by)
    return _cruise(_with(now, event.by, half_speed=True), event.target)


def _retracted(now: Position, event: events.Retracted) -> Position:
    now = _put(now, event.ship, event.to, speed="C")
    if event.result != "fouled":
        return now
    if event.target in now.fouled_with(event.ship):
        return now
    return replace(now, fouls=_sorted((*now.fouls, (event.ship, event.target))))


def _sorted(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (order_of(pair[0]), order_of(pair[1]))))


def _raked(now: Position, event: events.Raked) -> Position:
    if not event.ok:
        return now
    side = "crippled_port" if event.side == "p" else "crippled_starboard"
    return _with(now, event.target, **{side: True}, half_speed=False, fatigue=0)


def _grappled(now: Position, event: events.Grappled) -> Position:
    if not event.ok:
        return now
    a, b = sorted((event.by, event.target), key=order_of)
    return _cruise(replace(now, grapples=_sorted((*now.grapples, (a, b)))), a, b)


def _loose(now: Position, event: events.CutLoose | events.Unfouled) -> Position:
    if not event.ok:
        return now
    pairs = {(event.ship, event.of), (event.of, event.ship)}
    if isinstance(event, events.CutLoose):
        return replace(now, grapples=tuple(pair for pair in now.grapples if pair not in pairs))
    now = replace(now, fouls=tuple(pair for pair in now.fouls if pair not in pairs))
    return _with(now, event.ship, half_speed=True)


def _boarded(now: Position, event: events.Boarded) -> Position:
    if event.result != "captured":
        return now
    ship: Ship = now.by_id[event.target]
    held = "CAP" if ship.side == ship.builder else "REC"
    return _with(now, event.target, held=held, squadron=0, done=True)


def _burnt(now: Position, event: events.Firefight) -> Position:
    return _with(now, event.ship, burning=False) if event.effect == "out" else now


def _leader(now: Position, name: str, **changes: Any) -> Position:  # noqa: ANN401 - any field's value
    found: list[Leader] = [replace(one, **changes) if one.id == name else one for one in now.leaders]
    return replace(now, leaders=tuple(found))


def _went_over(now: Position, event: events.Transferred) -> Position:
    if not event.ok:
        return now
    was = next(leader.reduced for leader in now.leaders if leader.id == event.leader)
    return _leader(_cruise(now, event.to), event.leader, ship=event.to, reduced=was or "temp")


def _bereft(now: Position, event: events.LeaderLost) -> Position:
    if event.to is None:
        return replace(now, leaders=tuple(one for one in now.leaders if one.id != event.leader))
    return _leader(now, event.leader, ship=event.to, reduced="perm")


def _depleted(now: Position, event: events.Depleted) -> Position:
    return _with(now, event.ship, depletion=now.by_id[event.ship].depletion + 1)


def _speeds(now: Position, event: events.SpeedSet) -> Position:
    for name in event.ships:
        now = _with(now, name, speed=event.speed)
    return now


def _formed(now: Position, event: events.SquadronsFormed) -> Position:
    numbers = {name: squadron.number for squadron in event.squadrons for name in squadron.ships}
    return replace(now, ships=tuple(replace(ship, squadron=numbers.get(ship.id, 0)) for ship in now.ships))


def _confused(now: Position, event: events.Confused) -> Position:
    of = now.by_id[event.flagship]
    same = [ship.id for ship in now.of(of.side) if ship.squadron == of.squadron and not ship.done]
    return now if event.effect == "none" else _cruise(now, *same)


_CHANGES: Final[dict[type[Event], Callable[[Position, Any], Position]]] = {
    events.Moved: lambda now, event: _put(now, event.ship, event.to),
    events.Avoided: lambda now, event: _put(now, event.ship, event.to, speed="C", fatigue=2) if event.ok else now,
    events.Exited: _exited,
    events.Sunk: _sunk,
    events.Rammed: _rammed,
    events.Retracted: _retracted,
    events.Raked: _raked,
    events.Grappled: _grappled,
    events.CutLoose: _loose,
    events.Unfouled: _loose,
    events.Boarded: _boarded,
    events.Depleted: _depleted,
    events.Fatigued: lambda now, event: _with(
        now, event.ship, fatigue=max(event.result, now.by_id[event.ship].fatigue)
    ),
    events.Recovered: lambda now, event: _with(now, event.ship, fatigue=event.fatigue),
    events.Ignited: lambda now, event: _with(now, event.ship, burning=True) if event.ok else now,
    events.Firefight: _burnt,
    events.Jettisoned: lambda now, event: _with(now, event.ship, jettisoned=True),
    events.Transferred: _went_over,
    events.Restored: lambda now, event: _leader(now, event.leader, reduced=""),
    events.LeaderLost: _bereft,
    events.Sailed: lambda now, event: _with(now, event.ship, sails=event.up),
    events.MastDown: lambda now, event: _with(now, event.ship, mast_down=not event.cleared, sails=False, no_sails=True),
    events.Grounded: lambda now, event: _with(now, event.ship, aground=max(1, now.turn)),
    events.GroundRolled: lambda now, event: _put(now, event.ship, event.to, aground=0),
    events.SpeedSet: _speeds,
    events.SquadronsFormed: _formed,
    events.Confused: _confused,
    events.Is: lambda now, event: now if event.ok else _cruise(now, event.ship),
}
"""What each event does to the sea."""


def shown() -> frozenset[type[Event]]:
    """Events that change what is seen."""
    return frozenset(_CHANGES)


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
