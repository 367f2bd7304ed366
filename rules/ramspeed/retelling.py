"""A turn as moments made from its events, such as one ship's actions, a boarding action or the fires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, radians, sin
from typing import Any, Final, Literal

from msgspec.structs import replace

from rules.core.protocol import Event
from rules.interface.retelling import Moment
from rules.ramspeed.engine import events
from rules.ramspeed.engine.events import CrewAboard
from rules.ramspeed.engine.state import Link, Position, Ship, sorted_links
from rules.ramspeed.interface.view import SeaView

MomentKind = Literal["fires", "move", "attack", "shot", "melee", "rest"]
AttackEvent = events.ShipRammed | events.OarsSwiped | events.ShipGrappled


@dataclass(frozen=True)
class VisibleState:
    ships: Mapping[str, Ship]
    links: tuple[Link, ...]
    sides: Mapping[str, int]  # the side of each player: 0 or 1
    side_numbers: Mapping[str, int]

    @classmethod
    def from_position(cls, position: Position) -> VisibleState:
        sides = {captain.player: position.sides.index(captain.side) for captain in position.seats}
        first = {name: number for number, name in enumerate(position.sides)}
        return cls({}, (), sides, first).with_all(position.ships, position.links)

    def with_all(self, ships: Iterable[Ship], links: Iterable[Link]) -> VisibleState:
        """Return a copy with these ships and links, without notes of the rules that are not visible."""
        return self.with_changes(
            ships={ship.id: replace(ship, fresh=False) for ship in ships},
            links=tuple(replace(link, fresh=False, checked=False) for link in links),
        )

    def side_of(self, ship: Ship) -> int:
        return self.sides[ship.owner]

    @property
    def afloat(self) -> tuple[Ship, ...]:
        return tuple(ship for ship in self.ships.values() if ship.is_afloat)

    def with_ship(self, name: str, **changes: object) -> VisibleState:
        return self.with_changes(ships={**self.ships, name: replace(self.ships[name], **changes)})

    def with_changes(
        self, *, ships: Mapping[str, Ship] | None = None, links: tuple[Link, ...] | None = None
    ) -> VisibleState:
        held = self.links if links is None else links
        return VisibleState(self.ships if ships is None else ships, held, self.sides, self.side_numbers)


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[VisibleState]):
    kind: MomentKind
    acting_ship: str  # the acting ship; empty if there is none

    @property
    def attack_event(self) -> AttackEvent | None:
        return next(
            (
                event
                for event in self.events
                if isinstance(event, events.ShipRammed | events.OarsSwiped | events.ShipGrappled)
            ),
            None,
        )

    @property
    def shots(self) -> tuple[events.ShotFired, ...]:
        return self.events_of(events.ShotFired)

    @property
    def ship_ids(self) -> frozenset[str]:
        names: set[str] = {self.acting_ship} if self.acting_ship else set()
        for event in self.events:
            for key in ("ship", "by", "to", "from_", "a", "b", "partner"):
                names |= {value} if isinstance(value := getattr(event, key, ""), str) else set()
            names |= set(getattr(event, "ships", ()))
        return frozenset(names & self.before.ships.keys())

    @property
    def moved_ships(self) -> frozenset[str]:
        return frozenset(
            name
            for name, ship in self.after.ships.items()
            if (was := self.before.ships[name]).is_afloat
            and (ship.x, ship.y, ship.heading) != (was.x, was.y, was.heading)
        )

    @property
    def has_visible_event(self) -> bool:
        return self.kind not in ("rest", "move") or bool(self.moved_ships)


@dataclass
class _MomentBuilder:
    fleet: VisibleState
    moments: list[StoryMoment] = field(default_factory=list)
    kind: MomentKind = "rest"
    by: str = ""
    before: VisibleState | None = None
    events: list[Event] = field(default_factory=list)

    def begin_moment(self, kind: MomentKind, by: str = "") -> None:
        self.end_moment()
        self.kind, self.by, self.before = kind, by, self.fleet

    def end_moment(self) -> None:
        if self.before is not None and self.events:
            moment = StoryMoment(
                kind=self.kind, acting_ship=self.by, before=self.before, events=tuple(self.events), after=self.fleet
            )
            self.moments.append(moment)
        self.before, self.events = None, []

    def add_event(self, event: Event) -> None:
        if self.before is None:
            self.begin_moment("rest")
        self.events.append(event)
        self.fleet = apply_event(self.fleet, event)


def visible_state(view: SeaView) -> VisibleState:
    return VisibleState.from_position(view.position)


def split_moments(view: SeaView, happened: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """Split the events of a turn into moments, in order of play; `view` is the view after them.

    Ships begin as in `view.position_before`, unless the events begin with `TurnBegan`.
    """
    began = next((number for number, event in enumerate(happened) if isinstance(event, events.TurnBegan)), 0)
    first = 0 if any(isinstance(event, _VISIBLE_EVENTS) for event in happened[:began]) else began
    book = _MomentBuilder(VisibleState.from_position(view.position_before or view.position))
    for event in happened[first:]:
        match event:
            case events.TurnBegan():
                book.end_moment()
                book.fleet = apply_event(book.fleet, event)
                continue
            case events.FireFought() if book.kind != "fires" or book.before is None:
                book.begin_moment("fires")
            case events.ShipDrifted():
                book.begin_moment("move", event.ship)
            case events.ShipActivated():
                book.begin_moment("move", event.ship)
            case events.MeleeFought():
                book.begin_moment("melee")
            case (
                events.PlayerTurnBegan()
                | events.InitiativeRolled()
                | events.OrderOfPlaySet()
                | events.MarkerRemoved()
                | events.GameEnded()
            ):
                book.begin_moment("rest")
            case events.ShipRammed() | events.OarsSwiped() | events.ShipGrappled():
                book.kind = "attack"
            case events.ShotFired() if book.kind == "move":
                book.kind = "shot"
            case _:
                pass
        if all(name in book.fleet.ships for name in _named_ships(event)):
            book.add_event(event)
    book.end_moment()
    return tuple(book.moments)


_VISIBLE_EVENTS = (
    events.ShipMoved,
    events.ShipRammed,
    events.OarsSwiped,
    events.ShipGrappled,
    events.ShotFired,
    events.MeleeFought,
    events.FireFought,
    events.ShipSunk,
    events.ShipDrifted,
    events.ShipWithdrawn,
    events.CrewTransferred,
    events.FireshipLit,
    events.ShipCaptured,
)


def _named_ships(event: Event) -> Iterable[str]:
    for key in ("ship", "by", "to", "from_", "a", "b", "partner"):
        if isinstance(value := getattr(event, key, None), str):
            yield value


def count_losses(acts: Iterable[StoryMoment]) -> dict[str, int]:
    """Return the men that each ship lost to shots and boarding, by id; transfers do not count."""
    lost: Counter[str] = Counter()
    for act in acts:
        now = act.before
        for event in act.events:
            match event:
                case events.ShotFired():
                    lost[event.to] += event.lost
                case events.MeleeFought():
                    crews = zip(event.ships, event.crews, strict=True)
                    lost.update({name: now.ships[name].crew - crew for name, crew in crews})
                case _:
                    pass
            now = apply_event(now, event)
    return dict(+lost)


def apply_event(fleet: VisibleState, event: Event) -> VisibleState:
    change = _EVENT_CHANGES.get(type(event))
    return fleet if change is None else change(fleet, event)


def _apply_sinking(fleet: VisibleState, event: events.ShipSunk) -> VisibleState:
    was = fleet.ships[event.ship]
    bare = Ship(id=was.id, code=was.code, owner=was.owner, side0=was.side0, nation=was.nation, status="sunk")
    sunk = replace(bare, x=was.x, y=was.y, heading=was.heading)
    remaining_links = tuple(link for link in fleet.links if not link.includes(event.ship))
    return _apply_crews(fleet.with_changes(ships={**fleet.ships, was.id: sunk}, links=remaining_links), event.saved)


def _apply_withdrawal(fleet: VisibleState, event: events.ShipWithdrawn) -> VisibleState:
    return fleet.with_ship(event.ship, status="withdrawn")


def _set_alight(fleet: VisibleState, name: str) -> VisibleState:
    return fleet.with_ship(name, fire=max(1, fleet.ships[name].fire))


def _apply_ram(fleet: VisibleState, event: events.ShipRammed) -> VisibleState:
    after_ram = fleet.with_ship(event.by, x=event.x, y=event.y, heading=event.heading)
    return _apply_damage(after_ram, event.to, event.result)


def _run_up(fleet: VisibleState, event: events.OarsSwiped | events.ShipGrappled) -> VisibleState:
    """Move the attacker to the point of contact; later events move it from there."""
    ship, turn = fleet.ships[event.by], radians(event.heading)
    x, y = ship.x + event.run * sin(turn), ship.y + event.run * cos(turn)
    return fleet.with_ship(event.by, x=x, y=y, heading=event.heading)


def _apply_transfer(fleet: VisibleState, event: events.CrewTransferred) -> VisibleState:
    if not event.done:
        return _set_alight(fleet, event.ship)  # docking with a burning ship (RS-17.3)
    donor_done = fleet.with_ship(event.ship, crew=fleet.ships[event.ship].crew - event.crew)
    return donor_done.with_ship(event.partner, crew=donor_done.ships[event.partner].crew + event.crew)


def _apply_manning(fleet: VisibleState, event: events.DerelictManned) -> VisibleState:
    by = fleet.ships[event.by]
    return fleet.with_ship(event.ship, owner=by.owner, nation=by.nation)


def _apply_shot(fleet: VisibleState, event: events.ShotFired) -> VisibleState:
    after = fleet.with_ship(event.to, crew=event.crew)
    return _set_alight(after, event.to) if event.caught else after


def _apply_prize(fleet: VisibleState, event: events.ShipCaptured) -> VisibleState:
    with_prize = fleet.with_ship(event.ship, owner=event.player, nation=event.nation, crew=event.crew)
    return _apply_crews(with_prize, event.gave)


def _apply_crews(fleet: VisibleState, crews: Iterable[CrewAboard]) -> VisibleState:
    for aboard in crews:
        fleet = fleet.with_ship(aboard.ship, crew=aboard.crew)
    return fleet


def _apply_inheritance(fleet: VisibleState, event: events.CaptainConceded) -> VisibleState:
    for inherited in event.given:
        fleet = fleet.with_ship(inherited.ship, owner=inherited.owner)
    return fleet


def _apply_separation(fleet: VisibleState, event: events.ShipsSeparated) -> VisibleState:
    return fleet.with_changes(links=tuple(link for link in fleet.links if not {link.a, link.b} & set(event.ships)))


def _apply_damage(fleet: VisibleState, name: str, result: str) -> VisibleState:
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


def _apply_melee(fleet: VisibleState, event: events.MeleeFought) -> VisibleState:
    return _apply_crews(fleet, map(CrewAboard, event.ships, event.crews))


_EVENT_CHANGES: Final[dict[type[Event], Callable[[VisibleState, Any], VisibleState]]] = {
    events.TurnBegan: lambda fleet, event: fleet.with_all(event.ships, event.links),
    events.FireFought: lambda fleet, event: fleet.with_ship(event.ship, fire=event.markers),
    events.ShipSunk: _apply_sinking,
    events.ShipWithdrawn: _apply_withdrawal,
    events.ShipDrifted: lambda fleet, event: fleet.with_ship(event.ship, x=event.x, y=event.y),
    events.ShipMoved: lambda fleet, event: fleet.with_ship(event.ship, x=event.x, y=event.y, heading=event.heading),
    events.FireshipLit: lambda fleet, event: _set_alight(fleet, event.ship).with_ship(event.ship, fireship=True),
    events.ShotFired: _apply_shot,
    events.FireSpreadChecked: lambda fleet, event: _set_alight(fleet, event.to) if event.caught else fleet,
    events.ShipRammed: _apply_ram,
    events.OarsSwiped: _run_up,
    events.ShipGrappled: _run_up,
    events.SwipeResolved: lambda fleet, event: _apply_damage(fleet, event.ship, event.result),
    events.ShipsLinked: lambda fleet, event: fleet.with_changes(
        links=sorted_links((*fleet.links, Link(a=event.a, b=event.b, kind=event.kind)))
    ),
    events.CrewTransferred: _apply_transfer,
    events.DerelictManned: _apply_manning,
    events.MarkerRemoved: lambda fleet, event: fleet.with_ship(event.ship, **{event.marker: False}),
    events.MeleeFought: _apply_melee,
    events.ShipCaptured: _apply_prize,
    events.ShipsSeparated: _apply_separation,
    events.CaptainConceded: _apply_inheritance,
}


def visible_event_types() -> frozenset[type[Event]]:
    return frozenset(_EVENT_CHANGES)
