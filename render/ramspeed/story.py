"""The events of a turn, sorted into acts: what one ship did, a boarding, the fires; with the ships before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any, Final, Literal

from msgspec.structs import replace

from rules.protocol import Event
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table import events
from rules.ramspeed.table.events import Shot
from rules.ramspeed.table.state import Link, Position, Ship

Kind = Literal["fires", "move", "attack", "shot", "melee", "rest"]
Attack = events.Rammed | events.Swiped | events.Grappled


@dataclass(frozen=True)
class Fleet:
    """Ships and what holds them together, at one moment."""

    ships: Mapping[str, Ship]
    links: tuple[Link, ...]
    sides: Mapping[str, int]
    """Of each player: 0 or 1."""
    first: Mapping[str, int]
    """The number of each side, by name."""

    @classmethod
    def of(cls, position: Position) -> Fleet:
        """All that lies on the table."""
        ships = {ship.id: ship for ship in position.ships}
        sides = {captain.player: position.sides.index(captain.side) for captain in position.seats}
        return cls(ships, position.links, sides, {name: number for number, name in enumerate(position.sides)})

    def side(self, ship: Ship) -> int:
        """The side that controls a ship."""
        return self.sides[ship.owner]

    @property
    def afloat(self) -> tuple[Ship, ...]:
        """Those that are seen."""
        return tuple(ship for ship in self.ships.values() if ship.afloat)

    def with_ship(self, name: str, **changes: object) -> Fleet:
        """The same with one ship changed."""
        return self.now(ships={**self.ships, name: replace(self.ships[name], **changes)})

    def now(self, *, ships: Mapping[str, Ship] | None = None, links: tuple[Link, ...] | None = None) -> Fleet:
        """The same with other ships or links."""
        held = self.links if links is None else links
        return Fleet(self.ships if ships is None else ships, held, self.sides, self.first)


@dataclass(frozen=True)
class Act:
    """What is shown in one go."""

    kind: Kind
    by: str
    """The ship that acts; empty where none does."""
    events: tuple[Event, ...]
    before: Fleet
    after: Fleet

    @property
    def attack(self) -> Attack | None:
        """Its ram, swipe or grapple."""
        return next(
            (one for one in self.events if isinstance(one, events.Rammed | events.Swiped | events.Grappled)), None
        )

    @property
    def shots(self) -> tuple[Shot, ...]:
        """Its shots."""
        return tuple(one for one in self.events if isinstance(one, events.Shot))

    @property
    def concerned(self) -> frozenset[str]:
        """Ships that it is about."""
        names: set[str] = {self.by} if self.by else set()
        for one in self.events:
            for key in ("ship", "by", "to", "from_", "a", "b", "partner"):
                names |= {value} if isinstance(value := getattr(one, key, ""), str) else set()
            names |= set(getattr(one, "ships", ()))
        return frozenset(names & self.before.ships.keys())

    @property
    def moved(self) -> frozenset[str]:
        """Ships that lie elsewhere after it."""
        return frozenset(
            name
            for name, ship in self.after.ships.items()
            if (was := self.before.ships[name]).afloat and (ship.x, ship.y, ship.heading) != (was.x, was.y, was.heading)
        )

    @property
    def stirs(self) -> bool:
        """Whether anything of it can be seen."""
        return self.kind not in ("rest", "move") or bool(self.moved)


@dataclass
class _Book:
    """Acts as they are being told."""

    fleet: Fleet
    acts: list[Act] = field(default_factory=list)
    kind: Kind = "rest"
    by: str = ""
    before: Fleet | None = None
    events: list[Event] = field(default_factory=list)

    def begin(self, kind: Kind, by: str = "") -> None:
        """End what was told, and begin another act."""
        self.end()
        self.kind, self.by, self.before = kind, by, self.fleet

    def end(self) -> None:
        if self.before is not None and self.events:
            self.acts.append(Act(self.kind, self.by, tuple(self.events), self.before, self.fleet))
        self.before, self.events = None, []

    def tell(self, event: Event) -> None:
        if self.before is None:
            self.begin("rest")
        self.events.append(event)
        self.fleet = carried_out(self.fleet, event)


def acts(view: SeaView, happened: Sequence[Event]) -> tuple[Act, ...]:
    """The acts told, in order of play; the view is of what came of them.

    Ships stand as the view has them before unless the events begin with how they stood.
    """
    began = next((number for number, event in enumerate(happened) if isinstance(event, events.TurnBegan)), 0)
    first = 0 if any(isinstance(event, _DEEDS) for event in happened[:began]) else began
    book = _Book(Fleet.of(view.before or view.position))
    for event in happened[first:]:
        match event:
            case events.TurnBegan():
                book.end()
                book.fleet = book.fleet.now(ships={ship.id: ship for ship in event.ships}, links=event.links)
                continue
            case events.Fire() if book.kind != "fires" or book.before is None:
                book.begin("fires")
            case events.Drifted():
                book.begin("move", event.ship)
            case events.Acts():
                book.begin("move", event.ship)
            case events.Melee():
                book.begin("melee")
            case events.PlayerTurn() | events.Initiative() | events.Sequence() | events.Recovered() | events.End():
                book.begin("rest")
            case events.Rammed() | events.Swiped() | events.Grappled():
                book.kind = "attack"
            case events.Shot() if book.kind == "move":
                book.kind = "shot"
            case _:
                pass
        if all(name in book.fleet.ships for name in _named(event)):
            book.tell(event)
    book.end()
    return tuple(book.acts)


_DEEDS = (
    events.Moved,
    events.Rammed,
    events.Swiped,
    events.Grappled,
    events.Shot,
    events.Melee,
    events.Fire,
    events.Sunk,
    events.Drifted,
    events.Withdrawn,
    events.Transferred,
    events.Ignited,
    events.Prize,
)
"""What can be seen."""


def _named(event: Event) -> Iterable[str]:
    """Ships that an event names."""
    for key in ("ship", "by", "to", "from_", "a", "b", "partner"):
        if isinstance(value := getattr(event, key, None), str):
            yield value


def carried_out(fleet: Fleet, event: Event) -> Fleet:
    """The ships after an event, as far as it tells."""
    change = _CHANGES.get(type(event))
    return fleet if change is None else change(fleet, event)


def _gone(fleet: Fleet, event: events.Sunk | events.Withdrawn) -> Fleet:
    status = "sunk" if isinstance(event, events.Sunk) else "withdrawn"
    left = tuple(link for link in fleet.links if not link.has(event.ship))
    return fleet.with_ship(event.ship, status=status).now(links=left)


def _alight(fleet: Fleet, name: str) -> Fleet:
    return fleet.with_ship(name, fire=max(1, fleet.ships[name].fire))


def _rammed(fleet: Fleet, event: events.Rammed) -> Fleet:
    done = fleet.with_ship(event.by, x=event.x, y=event.y, heading=event.heading)
    return _marked(done, event.to, event.result)


def _run_up(fleet: Fleet, event: events.Swiped | events.Grappled) -> Fleet:
    """Where she meets the other; what follows tells where she goes from there."""
    ship, turn = fleet.ships[event.by], radians(event.heading)
    x, y = ship.x + event.run * sin(turn), ship.y + event.run * cos(turn)
    return fleet.with_ship(event.by, x=x, y=y, heading=event.heading)


def _handed_over(fleet: Fleet, event: events.Transferred) -> Fleet:
    if not event.done:
        return fleet
    given = fleet.with_ship(event.ship, crew=fleet.ships[event.ship].crew - event.crew)
    return given.with_ship(event.partner, crew=given.ships[event.partner].crew + event.crew)


def _manned(fleet: Fleet, event: events.Captured) -> Fleet:
    by = fleet.ships[event.by]
    return fleet.with_ship(event.ship, owner=by.owner, nation=by.nation)


def _shot(fleet: Fleet, event: events.Shot) -> Fleet:
    after = fleet.with_ship(event.to, crew=event.crew)
    return _alight(after, event.to) if event.caught else after


def _taken(fleet: Fleet, event: events.Prize) -> Fleet:
    """A prize with her new crew, which comes from the winner's ships about her: most from the largest (RS-12.2)."""
    winners = [
        link.other(event.ship)
        for link in fleet.links
        if link.has(event.ship) and fleet.side(fleet.ships[link.other(event.ship)]) == fleet.sides[event.player]
    ]
    wanted = event.crew
    for name in sorted(winners, key=lambda name: -fleet.ships[name].crew):
        given = min(wanted, max(0, fleet.ships[name].crew - 1))
        wanted -= given
        fleet = fleet.with_ship(name, crew=fleet.ships[name].crew - given)
    return fleet.with_ship(event.ship, owner=event.player, crew=event.crew)


def _parted(fleet: Fleet, event: events.Separated) -> Fleet:
    return fleet.now(links=tuple(link for link in fleet.links if not {link.a, link.b} & set(event.ships)))


def _marked(fleet: Fleet, name: str, result: str) -> Fleet:
    """What a ram or an oar swipe did to a ship."""
    match result:
        case "dead":
            return fleet.with_ship(name, dead=True)
        case "immobilised":
            return fleet.with_ship(name, immob=True)
        case "bank":
            lost = fleet.ships[name].banks_lost + 1
            return fleet.with_ship(name, banks_lost=min(1, lost), dead=fleet.ships[name].dead or lost > 1)
        case _:
            return fleet


def _fought(fleet: Fleet, event: events.Melee) -> Fleet:
    """Losses of a round of boarding, man by man from the ship with most crew (RS-11.7)."""
    crews = {name: fleet.ships[name].crew for name in event.ships}
    for side in (0, 1):
        names = [name for name in event.ships if fleet.side(fleet.ships[name]) == side]
        for _ in range(min(event.inflicted[1 - side], sum(crews[name] for name in names))):
            crews[max(names, key=lambda name: crews[name])] -= 1
    for name, crew in crews.items():
        fleet = fleet.with_ship(name, crew=crew)
    return fleet


_CHANGES: Final[dict[type[Event], Callable[[Fleet, Any], Fleet]]] = {
    events.Fire: lambda fleet, event: fleet.with_ship(event.ship, fire=event.markers),
    events.Sunk: _gone,
    events.Withdrawn: _gone,
    events.Drifted: lambda fleet, event: fleet.with_ship(event.ship, x=event.x, y=event.y),
    events.Moved: lambda fleet, event: fleet.with_ship(event.ship, x=event.x, y=event.y, heading=event.heading),
    events.Ignited: lambda fleet, event: _alight(fleet, event.ship).with_ship(event.ship, fireship=True),
    events.Shot: _shot,
    events.Spread: lambda fleet, event: _alight(fleet, event.to) if event.caught else fleet,
    events.Rammed: _rammed,
    events.Swiped: _run_up,
    events.Grappled: _run_up,
    events.Oars: lambda fleet, event: _marked(fleet, event.ship, event.result),
    events.Linked: lambda fleet, event: fleet.now(links=(*fleet.links, Link(a=event.a, b=event.b, kind=event.kind))),
    events.Transferred: _handed_over,
    events.Captured: _manned,
    events.Recovered: lambda fleet, event: fleet.with_ship(event.ship, **{event.marker: False}),
    events.Melee: _fought,
    events.Prize: _taken,
    events.Separated: _parted,
}
"""What each event does to the ships."""


def shown() -> frozenset[type[Event]]:
    """Events that change what is seen."""
    return frozenset(_CHANGES)
