"""The events of a turn, sorted into acts: what one ship did, a boarding, the fires; with the ships before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from rules.protocol import Event
from rules.ramspeed import events as told
from rules.ramspeed.state import Link, Position, Ship
from rules.ramspeed.view import SeaView

Kind = Literal["fires", "move", "attack", "shot", "melee", "rest"]
Attack = told.Rammed | told.Swiped | told.Grappled


@dataclass(frozen=True)
class Fleet:
    """Ships and what holds them together, at one moment."""

    ships: Mapping[str, Ship]
    links: tuple[Link, ...]
    sides: Mapping[str, int]
    """Of each player: 0 or 1."""

    @classmethod
    def of(cls, position: Position) -> Fleet:
        """All that lies on the table."""
        ships = {ship.id: ship for ship in position.ships}
        sides = {captain.player: position.sides.index(captain.side) for captain in position.seats}
        return cls(ships, position.links, sides)

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
        return Fleet(self.ships if ships is None else ships, self.links if links is None else links, self.sides)


@dataclass(frozen=True)
class Act:
    """What is told at one go."""

    kind: Kind
    by: str
    """The ship that acts; empty where none does."""
    events: tuple[Event, ...]
    before: Fleet
    after: Fleet

    @property
    def attack(self) -> Attack | None:
        """Its ram, swipe or grapple."""
        return next((one for one in self.events if isinstance(one, told.Rammed | told.Swiped | told.Grappled)), None)

    @property
    def shots(self) -> tuple[told.Shot, ...]:
        """Its shots."""
        return tuple(one for one in self.events if isinstance(one, told.Shot))

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
            if (was := self.before.ships[name]).afloat
            and (ship.x, ship.y, ship.heading) != (was.x, was.y, was.heading)
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


def acts(view: SeaView, events: Sequence[Event]) -> tuple[Act, ...]:
    """The acts of the last turn told, in order of play; the view is of what came of it.

    Ships stand as it begins unless an event shows how they stood before.
    """
    began = [number for number, event in enumerate(events) if isinstance(event, told.TurnBegan)]
    # A turn that has only begun is told with the one before it.
    stirring = [number for number in began if any(isinstance(one, _DEEDS) for one in events[number:])]
    first = stirring[-1] if stirring else 0
    last = next((number for number in began if number > first), len(events))
    book = _Book(Fleet.of(view.position))
    for event in events[first:last]:
        match event:
            case told.TurnBegan():
                book.end()
                book.fleet = book.fleet.now(ships={ship.id: ship for ship in event.ships}, links=event.links)
                continue
            case told.Fire() if book.kind != "fires" or book.before is None:
                book.begin("fires")
            case told.Drifted():
                book.begin("move", event.ship)
            case told.Acts():
                book.begin("move", event.ship)
            case told.Melee():
                book.begin("melee")
            case told.PlayerTurn() | told.Initiative() | told.Sequence() | told.Recovered() | told.End():
                book.begin("rest")
            case told.Rammed() | told.Swiped() | told.Grappled():
                book.kind = "attack"
            case told.Shot() if book.kind == "move":
                book.kind = "shot"
            case _:
                pass
        if all(name in book.fleet.ships for name in _named(event)):
            book.tell(event)
    book.end()
    return tuple(book.acts)


_DEEDS = (
    told.Moved,
    told.Rammed,
    told.Swiped,
    told.Grappled,
    told.Shot,
    told.Melee,
    told.Fire,
    told.Sunk,
    told.Drifted,
    told.Withdrawn,
    told.Transferred,
    told.Ignited,
    told.Prize,
)
"""What can be seen."""


def _named(event: Event) -> Iterable[str]:
    """Ships that an event names."""
    for key in ("ship", "by", "to", "from_", "a", "b", "partner"):
        if isinstance(value := getattr(event, key, None), str):
            yield value


def carried_out(fleet: Fleet, event: Event) -> Fleet:
    """The ships after an event, as far as it tells."""
    ships = fleet.ships
    match event:
        case told.Fire():
            return fleet.with_ship(event.ship, fire=event.markers)
        case told.Sunk() | told.Withdrawn():
            status = "sunk" if isinstance(event, told.Sunk) else "withdrawn"
            left = tuple(link for link in fleet.links if not link.has(event.ship))
            return fleet.with_ship(event.ship, status=status).now(links=left)
        case told.Drifted():
            return fleet.with_ship(event.ship, x=event.x, y=event.y)
        case told.Moved():
            return fleet.with_ship(event.ship, x=event.x, y=event.y, heading=event.heading)
        case told.Ignited():
            return fleet.with_ship(event.ship, fireship=True, fire=max(1, ships[event.ship].fire))
        case told.Shot():
            return fleet.with_ship(event.to, crew=event.crew)
        case told.Spread() if event.caught:
            return fleet.with_ship(event.to, fire=max(1, ships[event.to].fire))
        case told.Rammed():
            done = fleet.with_ship(event.by, x=event.x, y=event.y, heading=event.heading)
            return _marked(done, event.to, event.result)
        case told.Swiped() | told.Grappled():
            return fleet.with_ship(event.by, heading=event.heading)
        case told.Oars():
            return _marked(fleet, event.ship, event.result)
        case told.Linked():
            return fleet.now(links=(*fleet.links, Link(a=event.a, b=event.b, kind=event.kind)))
        case told.Transferred() if event.done:
            given = fleet.with_ship(event.ship, crew=ships[event.ship].crew - event.crew)
            return given.with_ship(event.partner, crew=ships[event.partner].crew + event.crew)
        case told.Captured():
            return fleet.with_ship(event.ship, owner=ships[event.by].owner, nation=ships[event.by].nation)
        case told.Recovered():
            return fleet.with_ship(event.ship, **{event.marker: False})
        case told.Melee():
            return _fought(fleet, event)
        case told.Prize():
            return fleet.with_ship(event.ship, owner=event.player, crew=event.crew)
        case told.Separated():
            gone = set(event.ships)
            return fleet.now(links=tuple(link for link in fleet.links if not {link.a, link.b} & gone))
        case _:
            return fleet


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


def _fought(fleet: Fleet, event: told.Melee) -> Fleet:
    """Losses of a round of boarding, man by man from the ship with most crew (RS-11.7)."""
    crews = {name: fleet.ships[name].crew for name in event.ships}
    for side in (0, 1):
        names = [name for name in event.ships if fleet.side(fleet.ships[name]) == side]
        for _ in range(min(event.inflicted[1 - side], sum(crews[name] for name in names))):
            crews[max(names, key=lambda name: crews[name])] -= 1
    for name, crew in crews.items():
        fleet = fleet.with_ship(name, crew=crew)
    return fleet
