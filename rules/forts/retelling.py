"""A player-turn as moments made from its events: the actions of one ship after the other."""

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
    ships: ShipsById
    sunk: tuple[Ship, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StoryMoment(Moment[VisibleState]):
    @property
    def deed_events(self) -> tuple[DeedEvent, ...]:
        return tuple(event for event in self.events if isinstance(event, DeedEvent))

    @property
    def acting_ship(self) -> str:
        first = self.deed_events[0]
        return first.by if isinstance(first, ShotFired | ShipSunk) else first.ship

    @property
    def shots(self) -> tuple[ShotFired, ...]:
        return self.events_of(ShotFired)

    @property
    def moves(self) -> tuple[ShipMoved | MoveUndone, ...]:
        return tuple(deed for deed in self.deed_events if isinstance(deed, ShipMoved | MoveUndone))


def visible_state(view: HexView) -> VisibleState:
    """Return the visible ships of a view; before the first player-turn, no ship is placed."""
    return VisibleState(ships={ship.id: ship for ship in view.ships} if view.round else {}, sunk=view.sunk)


def split_moments(view: HexView, events: Sequence[Event]) -> tuple[StoryMoment, ...]:
    """Return the visible moments of the last player-turn, without undone moves; `view` is the view after all events."""
    lasting_events = _without_undone(events)
    now = _state_before(view, lasting_events)
    last: list[StoryMoment] = []
    fresh = False
    for event in lasting_events:
        fresh = fresh or isinstance(event, TurnBegan)
        after = apply_event(now, event)
        if isinstance(event, DeedEvent):
            last = [] if fresh else last
            fresh = False
            last.append(StoryMoment(before=now, events=(event,), after=after))
        now = after
    return _merge_moments(last, whole=False)


def merge_by_ship(moments: Sequence[StoryMoment]) -> tuple[StoryMoment, ...]:
    """Merge each ship's consecutive moments into one: shots, move, and shots after it."""
    return _merge_moments(moments, whole=True)


def wind_of(events: Sequence[Event]) -> WindRolled | None:
    """Return the roll of the wind for the player-turn of the moments, or None if the events lack it."""
    deeds = [i for i, event in enumerate(events) if isinstance(event, DeedEvent)]
    earlier = events[: deeds[-1]] if deeds else events
    return next((event for event in reversed(earlier) if isinstance(event, WindRolled)), None)


def apply_event(now: VisibleState, event: Event) -> VisibleState:
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
    """Return the ships before the events, computed backwards from the view after them."""
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


def _merge_moments(moments: Sequence[StoryMoment], *, whole: bool) -> tuple[StoryMoment, ...]:
    out: list[StoryMoment] = []
    for moment in moments:
        if out and moment.acting_ship == out[-1].acting_ship and (whole or not (moment.moves or out[-1].moves)):
            out.append(_merge_pair(out.pop(), moment))
        else:
            out.append(moment)
    return tuple(out)


def _merge_pair(first: StoryMoment, then: StoryMoment) -> StoryMoment:
    return StoryMoment(before=first.before, events=(*first.events, *then.events), after=then.after)
