"""A turn told again from its events, act by act: what one ship did, a boarding, the fires; with the ships about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any, Final, Literal

from msgspec.structs import replace

from rules.protocol import Event
from rules.ramspeed.desk.view import SeaView
from rules.ramspeed.table import events
from rules.ramspeed.table.events.fighting import Crew
from rules.ramspeed.table.state import Link, Position, Ship, sorted_links
from rules.retelling import Moment

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
        sides = {captain.player: position.sides.index(captain.side) for captain in position.seats}
        first = {name: number for number, name in enumerate(position.sides)}
        return cls({}, (), sides, first).lying(position.ships, position.links)

    def lying(self, ships: Iterable[Ship], links: Iterable[Link]) -> Fleet:
        """The same with all these ships and links, without what the rules note of them and nobody sees."""
        return self.now(
            ships={ship.id: replace(ship, fresh=False) for ship in ships},
            links=tuple(replace(link, fresh=False, checked=False) for link in links),
        )

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


@dataclass(frozen=True, kw_only=True)
class Act(Moment[Fleet]):
    """What is shown in one go."""

    kind: Kind
    by: str
    """The ship that acts; empty where none does."""

    @property
    def attack(self) -> Attack | None:
        """Its ram, swipe or grapple."""
        return next(
            (one for one in self.events if isinstance(one, events.Rammed | events.Swiped | events.Grappled)), None
        )

    @property
    def shots(self) -> tuple[events.Shot, ...]:
        """Its shots."""
        return self.of(events.Shot)

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
            done = Act(kind=self.kind, by=self.by, before=self.before, events=tuple(self.events), after=self.fleet)
            self.acts.append(done)
        self.before, self.events = None, []

    def tell(self, event: Event) -> None:
        if self.before is None:
            self.begin("rest")
        self.events.append(event)
        self.fleet = carried_out(self.fleet, event)


def seen(view: SeaView) -> Fleet:
    """What a view shows of the ships."""
    return Fleet.of(view.position)


def moments(view: SeaView, happened: Sequence[Event]) -> tuple[Act, ...]:
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
                book.fleet = carried_out(book.fleet, event)
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


def losses_of(acts: Iterable[Act]) -> dict[str, int]:
    """Men that each ship lost to shots and in boarding, by id; not those who went over to another ship."""
    lost: Counter[str] = Counter()
    for act in acts:
        now = act.before
        for event in act.events:
            match event:
                case events.Shot():
                    lost[event.to] += event.lost
                case events.Melee():
                    crews = zip(event.ships, event.crews, strict=True)
                    lost.update({name: now.ships[name].crew - crew for name, crew in crews})
                case _:
                    pass
            now = carried_out(now, event)
    return dict(+lost)


def carried_out(fleet: Fleet, event: Event) -> Fleet:
    """The ships after an event, as far as it tells."""
    change = _CHANGES.get(type(event))
    return fleet if change is None else change(fleet, event)


def _sunk(fleet: Fleet, event: events.Sunk) -> Fleet:
    """She is gone with her crew; what she was is all that is left."""
    was = fleet.ships[event.ship]
    bare = Ship(id=was.id, code=was.code, owner=was.owner, side0=was.side0, nation=was.nation, status="sunk")
    gone = replace(bare, x=was.x, y=was.y, heading=was.heading)
    left = tuple(link for link in fleet.links if not link.has(event.ship))
    return _manned(fleet.now(ships={**fleet.ships, was.id: gone}, links=left), event.saved)


def _withdrawn(fleet: Fleet, event: events.Withdrawn) -> Fleet:
    return fleet.with_ship(event.ship, status="withdrawn")


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
        return _alight(fleet, event.ship)  # docking with a burning ship (RS-17.3)
    given = fleet.with_ship(event.ship, crew=fleet.ships[event.ship].crew - event.crew)
    return given.with_ship(event.partner, crew=given.ships[event.partner].crew + event.crew)


def _captured(fleet: Fleet, event: events.Captured) -> Fleet:
    by = fleet.ships[event.by]
    return fleet.with_ship(event.ship, owner=by.owner, nation=by.nation)


def _shot(fleet: Fleet, event: events.Shot) -> Fleet:
    after = fleet.with_ship(event.to, crew=event.crew)
    return _alight(after, event.to) if event.caught else after


def _taken(fleet: Fleet, event: events.Prize) -> Fleet:
    """A prize with her new crew."""
    taken = fleet.with_ship(event.ship, owner=event.player, nation=event.nation, crew=event.crew)
    return _manned(taken, event.gave)


def _manned(fleet: Fleet, crews: Iterable[Crew]) -> Fleet:
    for one in crews:
        fleet = fleet.with_ship(one.ship, crew=one.crew)
    return fleet


def _inherited(fleet: Fleet, event: events.GaveUp) -> Fleet:
    for one in event.given:
        fleet = fleet.with_ship(one.ship, owner=one.owner)
    return fleet


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
    return _manned(fleet, map(Crew, event.ships, event.crews))


_CHANGES: Final[dict[type[Event], Callable[[Fleet, Any], Fleet]]] = {
    events.TurnBegan: lambda fleet, event: fleet.lying(event.ships, event.links),
    events.Fire: lambda fleet, event: fleet.with_ship(event.ship, fire=event.markers),
    events.Sunk: _sunk,
    events.Withdrawn: _withdrawn,
    events.Drifted: lambda fleet, event: fleet.with_ship(event.ship, x=event.x, y=event.y),
    events.Moved: lambda fleet, event: fleet.with_ship(event.ship, x=event.x, y=event.y, heading=event.heading),
    events.Ignited: lambda fleet, event: _alight(fleet, event.ship).with_ship(event.ship, fireship=True),
    events.Shot: _shot,
    events.Spread: lambda fleet, event: _alight(fleet, event.to) if event.caught else fleet,
    events.Rammed: _rammed,
    events.Swiped: _run_up,
    events.Grappled: _run_up,
    events.Oars: lambda fleet, event: _marked(fleet, event.ship, event.result),
    events.Linked: lambda fleet, event: fleet.now(
        links=sorted_links((*fleet.links, Link(a=event.a, b=event.b, kind=event.kind)))
    ),
    events.Transferred: _handed_over,
    events.Captured: _captured,
    events.Recovered: lambda fleet, event: fleet.with_ship(event.ship, **{event.marker: False}),
    events.Melee: _fought,
    events.Prize: _taken,
    events.Separated: _parted,
    events.GaveUp: _inherited,
}
"""What each event does to the ships."""


def shown() -> frozenset[type[Event]]:
    """Events that change what is seen."""
    return frozenset(_CHANGES)
