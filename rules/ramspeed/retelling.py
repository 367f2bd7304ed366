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
    ships: Mapping[str, Ship]  # by id
    links: tuple[Link, ...]
    sides: Mapping[str, int]  # the side of each player: 0 or 1
    side_numbers: Mapping[str, int]  # 0 or 1 by the name of the side

    @classmethod
    def from_position(cls, position: Position) -> VisibleState:
        sides = {captain.player: position.sides.index(captain.side) for captain in position.seats}
        side_numbers = {name: number for number, name in enumerate(position.sides)}
        return cls({}, (), sides, side_numbers).with_all(position.ships, position.links)

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
        new_ships = self.ships if ships is None else ships
        new_links = self.links if links is None else links
        return VisibleState(new_ships, new_links, self.sides, self.side_numbers)


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[VisibleState]):
    kind: MomentKind
    acting_ship: str  # id; empty if no single ship acts

    @property
    def attack_event(self) -> AttackEvent | None:
        for event in self.events:
            if isinstance(event, events.ShipRammed | events.OarsSwiped | events.ShipGrappled):
                return event
        return None

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
        moved = set()
        for name, ship in self.after.ships.items():
            ship_before = self.before.ships[name]
            has_same_pose = (ship.x, ship.y, ship.heading) == (ship_before.x, ship_before.y, ship_before.heading)
            if ship_before.is_afloat and not has_same_pose:
                moved.add(name)
        return frozenset(moved)

    @property
    def has_visible_event(self) -> bool:
        return self.kind not in ("rest", "move") or bool(self.moved_ships)


@dataclass
class _MomentBuilder:
    state: VisibleState  # after all events so far
    moments: list[StoryMoment] = field(default_factory=list)
    kind: MomentKind = "rest"  # of the current moment
    acting_ship: str = ""  # of the current moment; empty if there is none
    before: VisibleState | None = None  # the state before the current moment; None between moments
    events: list[Event] = field(default_factory=list)  # of the current moment

    def begin_moment(self, kind: MomentKind, acting_ship: str = "") -> None:
        self.end_moment()
        self.kind = kind
        self.acting_ship = acting_ship
        self.before = self.state

    def end_moment(self) -> None:
        if self.before is not None and self.events:
            moment = StoryMoment(
                kind=self.kind,
                acting_ship=self.acting_ship,
                before=self.before,
                events=tuple(self.events),
                after=self.state,
            )
            self.moments.append(moment)
        self.before = None
        self.events = []

    def add_event(self, event: Event) -> None:
        if self.before is None:
            self.begin_moment("rest")
        self.events.append(event)
        self.state = apply_event(self.state, event)


def visible_state(view: SeaView) -> VisibleState:
    return VisibleState.from_position(view.position)


def split_moments(view: SeaView, happened: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """Split the events of a turn into moments, in order of play; `view` is the view after them.

    Ships begin as in `view.position_before`, unless the events begin with `TurnBegan`.
    """
    turn_start = next((number for number, event in enumerate(happened) if isinstance(event, events.TurnBegan)), 0)
    is_seen_before = any(isinstance(event, _VISIBLE_EVENTS) for event in happened[:turn_start])
    first_number = 0 if is_seen_before else turn_start
    builder = _MomentBuilder(VisibleState.from_position(view.position_before or view.position))
    for event in happened[first_number:]:
        match event:
            case events.TurnBegan() | events.ShipsPlaced():
                builder.end_moment()
                builder.state = apply_event(builder.state, event)
                continue
            case events.FireFought() if builder.kind != "fires" or builder.before is None:
                builder.begin_moment("fires")
            case events.ShipDrifted():
                builder.begin_moment("move", event.ship)
            case events.ShipActivated():
                builder.begin_moment("move", event.ship)
            case events.MeleeFought():
                builder.begin_moment("melee")
            case (
                events.PlayerTurnBegan()
                | events.InitiativeRolled()
                | events.OrderOfPlaySet()
                | events.MarkerRemoved()
                | events.GameEnded()
            ):
                builder.begin_moment("rest")
            case events.ShipRammed() | events.OarsSwiped() | events.ShipGrappled():
                builder.kind = "attack"
            case events.ShotFired() if builder.kind == "move":
                builder.kind = "shot"
            case _:
                pass
        if all(name in builder.state.ships for name in _named_ships(event)):
            builder.add_event(event)
    builder.end_moment()
    return tuple(builder.moments)


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


def count_losses(moments: Iterable[StoryMoment]) -> dict[str, int]:
    """Return the men that each ship lost to shots and boarding, by id; transfers do not count."""
    losses: Counter[str] = Counter()
    for moment in moments:
        state = moment.before
        for event in moment.events:
            match event:
                case events.ShotFired():
                    losses[event.to] += event.lost
                case events.MeleeFought():
                    crews = zip(event.ships, event.crews, strict=True)
                    losses.update({name: state.ships[name].crew - crew for name, crew in crews})
                case _:
                    pass
            state = apply_event(state, event)
    return {name: men for name, men in losses.items() if men > 0}


def apply_event(state: VisibleState, event: Event) -> VisibleState:
    change = _EVENT_CHANGES.get(type(event))
    return state if change is None else change(state, event)


def _apply_sinking(state: VisibleState, event: events.ShipSunk) -> VisibleState:
    ship = state.ships[event.ship]
    wreck = Ship(id=ship.id, code=ship.code, owner=ship.owner, side0=ship.side0, nation=ship.nation, status="sunk")
    sunk_ship = replace(wreck, x=ship.x, y=ship.y, heading=ship.heading)
    remaining_links = tuple(link for link in state.links if not link.includes(event.ship))
    return _apply_crews(
        state.with_changes(ships={**state.ships, ship.id: sunk_ship}, links=remaining_links), event.saved
    )


def _set_alight(state: VisibleState, name: str) -> VisibleState:
    return state.with_ship(name, fire=max(1, state.ships[name].fire))


def _apply_ram(state: VisibleState, event: events.ShipRammed) -> VisibleState:
    after_ram = state.with_ship(event.by, x=event.x, y=event.y, heading=event.heading)
    return _apply_damage(after_ram, event.to, event.result)


def _apply_approach(state: VisibleState, event: events.OarsSwiped | events.ShipGrappled) -> VisibleState:
    """Move the attacker to the point of contact; later events move it from there."""
    ship = state.ships[event.by]
    angle = radians(event.heading)
    x, y = ship.x + event.run * sin(angle), ship.y + event.run * cos(angle)
    return state.with_ship(event.by, x=x, y=y, heading=event.heading)


def _apply_transfer(state: VisibleState, event: events.CrewTransferred) -> VisibleState:
    if not event.done:
        return _set_alight(state, event.ship)  # docking with a burning ship (RS-17.3)
    after_giving = state.with_ship(event.ship, crew=state.ships[event.ship].crew - event.crew)
    return after_giving.with_ship(event.partner, crew=after_giving.ships[event.partner].crew + event.crew)


def _apply_manning(state: VisibleState, event: events.DerelictManned) -> VisibleState:
    captor = state.ships[event.by]
    return state.with_ship(event.ship, owner=captor.owner, nation=captor.nation)


def _apply_shot(state: VisibleState, event: events.ShotFired) -> VisibleState:
    state_after = state.with_ship(event.to, crew=event.crew)
    return _set_alight(state_after, event.to) if event.caught else state_after


def _apply_prize(state: VisibleState, event: events.ShipCaptured) -> VisibleState:
    with_prize = state.with_ship(event.ship, owner=event.player, nation=event.nation, crew=event.crew)
    return _apply_crews(with_prize, event.gave)


def _apply_crews(state: VisibleState, crews: Iterable[CrewAboard]) -> VisibleState:
    for aboard in crews:
        state = state.with_ship(aboard.ship, crew=aboard.crew)
    return state


def _apply_inheritance(state: VisibleState, event: events.CaptainConceded) -> VisibleState:
    for inherited in event.given:
        state = state.with_ship(inherited.ship, owner=inherited.owner)
    return state


def _apply_separation(state: VisibleState, event: events.ShipsSeparated) -> VisibleState:
    return state.with_changes(links=tuple(link for link in state.links if not {link.a, link.b} & set(event.ships)))


def _apply_damage(state: VisibleState, name: str, result: str) -> VisibleState:
    match result:
        case "dead":
            return state.with_ship(name, dead=True)
        case "immobilised":
            return state.with_ship(name, immob=True)
        case "bank":
            banks_lost = state.ships[name].banks_lost + 1
            return state.with_ship(name, banks_lost=min(1, banks_lost), dead=state.ships[name].dead or banks_lost > 1)
        case _:
            return state


_EVENT_CHANGES: Final[dict[type[Event], Callable[[VisibleState, Any], VisibleState]]] = {
    events.ShipsPlaced: lambda state, event: state.with_changes(
        ships={**state.ships, **{ship.id: ship for ship in event.ships}}
    ),
    events.TurnBegan: lambda state, event: state.with_all(event.ships, event.links),
    events.FireFought: lambda state, event: state.with_ship(event.ship, fire=event.markers),
    events.ShipSunk: _apply_sinking,
    events.ShipWithdrawn: lambda state, event: state.with_ship(event.ship, status="withdrawn"),
    events.ShipDrifted: lambda state, event: state.with_ship(event.ship, x=event.x, y=event.y),
    events.ShipMoved: lambda state, event: state.with_ship(event.ship, x=event.x, y=event.y, heading=event.heading),
    events.FireshipLit: lambda state, event: _set_alight(state, event.ship).with_ship(event.ship, fireship=True),
    events.ShotFired: _apply_shot,
    events.FireSpreadChecked: lambda state, event: _set_alight(state, event.to) if event.caught else state,
    events.ShipRammed: _apply_ram,
    events.OarsSwiped: _apply_approach,
    events.ShipGrappled: _apply_approach,
    events.SwipeResolved: lambda state, event: _apply_damage(state, event.ship, event.result),
    events.ShipsLinked: lambda state, event: state.with_changes(
        links=sorted_links((*state.links, Link(a=event.a, b=event.b, kind=event.kind)))
    ),
    events.CrewTransferred: _apply_transfer,
    events.DerelictManned: _apply_manning,
    events.MarkerRemoved: lambda state, event: state.with_ship(event.ship, **{event.marker: False}),
    events.MeleeFought: lambda state, event: _apply_crews(state, map(CrewAboard, event.ships, event.crews)),
    events.ShipCaptured: _apply_prize,
    events.ShipsSeparated: _apply_separation,
    events.CaptainConceded: _apply_inheritance,
}


def visible_event_types() -> frozenset[type[Event]]:
    return frozenset(_EVENT_CHANGES)
