"""A player-turn told again from its events: what one ship did after the other, with the fleets before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from rules.core.protocol import Event
from rules.forts.engine.events import FleetPlaced, MoveUndone, ShipMoved, ShipSunk, ShotFired, TurnBegan, WindRolled
from rules.forts.engine.state import Ship
from rules.forts.interface.view import HexView
from rules.interface.retelling import Moment

ShipsById = Mapping[str, Ship]
DeedEvent = ShipMoved | MoveUndone | ShotFired | ShipSunk


@dataclass(frozen=True, kw_only=True)
class VisibleState:
    """The ships at one moment."""

    ships: ShipsById
    """Afloat, by id."""
    sunk: tuple[Ship, ...] = ()
    """In the order in which they went down."""


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[VisibleState]):
    """What one ship did at one go."""

    @property
    def deed_events(self) -> tuple[DeedEvent, ...]:
        """Her moves and shots, and what they sank."""
        return tuple(event for event in self.events if isinstance(event, DeedEvent))

    @property
    def acting_ship(self) -> str:
        """The ship that did it."""
        first = self.deed_events[0]
        return first.by if isinstance(first, ShotFired | ShipSunk) else first.ship

    @property
    def shots(self) -> tuple[ShotFired, ...]:
        """Her shots, in order."""
        return self.events_of(ShotFired)

    @property
    def moves(self) -> tuple[ShipMoved | MoveUndone, ...]:
        """Her move, if that is what it was."""
        return tuple(deed for deed in self.deed_events if isinstance(deed, ShipMoved | MoveUndone))


def visible_state(view: HexView) -> VisibleState:
    """What a view shows of the ships; before the first player-turn none are placed."""
    return VisibleState(ships={ship.id: ship for ship in view.ships} if view.round else {}, sunk=view.sunk)


def split_moments(view: HexView, events: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """The acts of the last player-turn of which anything can be seen; the view is of what came of all the events.

    A move that was taken back is left out.
    """
    told = _without_undone(events)
    now = _state_before(view, told)
    last: list[StoryMoment] = []
    fresh = False
    for event in told:
        fresh = fresh or isinstance(event, TurnBegan)
        after = apply_event(now, event)
        if isinstance(event, DeedEvent):
            last = [] if fresh else last
            fresh = False
            last.append(StoryMoment(before=now, events=(event,), after=after))
        now = after
    return _merge_moments(last, whole=False)


def merge_by_ship(told: Sequence[StoryMoment]) -> tuple[StoryMoment, ...]:
    """Acts with all that a ship did at one go in one: her shots, her move, and her shots after it."""
    return _merge_moments(told, whole=True)


def wind_of(events: Sequence[Event]) -> WindRolled | None:
    """The roll of the wind for the player-turn of the acts; None if the events don't have it."""
    deeds = [i for i, event in enumerate(events) if isinstance(event, DeedEvent)]
    told = events[: deeds[-1]] if deeds else events
    return next((event for event in reversed(told) if isinstance(event, WindRolled)), None)


def apply_event(now: VisibleState, event: Event) -> VisibleState:
    """The ships after an event."""
    match event:
        case FleetPlaced() | TurnBegan():
            return replace(now, ships={**now.ships, **{ship.id: ship for ship in event.ships}})
        case ShipMoved() | MoveUndone() if event.ship in now.ships:
            return _with_ship(now, event.ship, hex=event.end, moved=isinstance(event, ShipMoved))
        case ShotFired():
            return _apply_shot(now, event)
        case ShipSunk() if event.ship in now.ships:
            left = {name: ship for name, ship in now.ships.items() if name != event.ship}
            return VisibleState(ships=left, sunk=(*now.sunk, now.ships[event.ship]))
        case _:
            return now


def _with_ship(now: VisibleState, name: str, **changes: str | int | bool) -> VisibleState:
    return replace(now, ships={**now.ships, name: structs.replace(now.ships[name], **changes)})


def _apply_shot(now: VisibleState, event: ShotFired) -> VisibleState:
    if event.by in now.ships:
        now = _with_ship(now, event.by, shots=max(0, now.ships[event.by].shots - 1))
    if event.hit and event.to in now.ships:
        now = _with_ship(now, event.to, hits=now.ships[event.to].hits + 1)
    return now


def _state_before(view: HexView, events: Sequence[Event]) -> VisibleState:
    """The ships before the events, of which the view is what came: worked out backwards."""
    now: dict[str, Ship] = {ship.id: ship for ship in view.ships}
    lost: dict[str, Ship] = {ship.id: ship for ship in view.sunk}
    for event in reversed(events):
        match event:
            case ShipMoved() | MoveUndone() if event.ship in now:
                now[event.ship] = structs.replace(now[event.ship], hex=event.start)
            case ShotFired() if event.hit and event.to in now:
                now[event.to] = structs.replace(now[event.to], hits=max(0, now[event.to].hits - 1))
            case ShipSunk() if event.ship in lost:
                now[event.ship] = lost.pop(event.ship)
            case _:
                pass
    return VisibleState(ships=now, sunk=tuple(lost.values()))


def _without_undone(events: Sequence[Event]) -> list[Event]:
    out: list[Event] = []
    for event in events:
        if isinstance(event, MoveUndone):
            moves = [i for i, each in enumerate(out) if isinstance(each, ShipMoved) and each.ship == event.ship]
            if moves:
                del out[moves[-1]]
                continue
        out.append(event)
    return out


def _merge_moments(told: Sequence[StoryMoment], *, whole: bool) -> tuple[StoryMoment, ...]:
    out: list[StoryMoment] = []
    for act in told:
        if out and act.acting_ship == out[-1].acting_ship and (whole or not (act.moves or out[-1].moves)):
            out.append(_merge_pair(out.pop(), act))
        else:
            out.append(act)
    return tuple(out)


def _merge_pair(first: StoryMoment, then: StoryMoment) -> StoryMoment:
    return StoryMoment(before=first.before, events=(*first.events, *then.events), after=then.after)
