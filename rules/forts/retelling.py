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
    ships: ShipsById  # ships afloat, by id
    sunk: tuple[Ship, ...] = ()  # ships that sank, as they were


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
    before = _state_before(view, lasting_events)
    moments: list[StoryMoment] = []
    is_new_turn = False
    for event in lasting_events:
        if isinstance(event, TurnBegan):
            is_new_turn = True
        after = apply_event(before, event)
        if isinstance(event, DeedEvent):
            if is_new_turn:  # only the last player-turn in which something was done is kept
                moments = []
            is_new_turn = False
            moments.append(StoryMoment(before=before, events=(event,), after=after))
        before = after
    return _merge_moments(moments, with_moves=False)


def merge_by_ship(moments: Sequence[StoryMoment]) -> tuple[StoryMoment, ...]:
    """Merge each ship's consecutive moments into one: shots, move, and shots after it."""
    return _merge_moments(moments, with_moves=True)


def wind_of(events: Sequence[Event]) -> WindRolled | None:
    """Return the roll of the wind for the player-turn of the moments, or None if the events lack it."""
    deeds = [i for i, event in enumerate(events) if isinstance(event, DeedEvent)]
    earlier = events[: deeds[-1]] if deeds else events
    return next((event for event in reversed(earlier) if isinstance(event, WindRolled)), None)


def apply_event(state: VisibleState, event: Event) -> VisibleState:
    match event:
        case FleetPlaced() | TurnBegan():
            return replace(state, ships={**state.ships, **{ship.id: ship for ship in event.ships}})
        case ShipMoved() | MoveUndone() if event.ship in state.ships:
            return _with_ship(state, event.ship, hex=event.end, moved=isinstance(event, ShipMoved))
        case ShotFired():
            return _apply_shot(state, event)
        case ShipSunk() if event.ship in state.ships:
            ships_left = {name: ship for name, ship in state.ships.items() if name != event.ship}
            return VisibleState(ships=ships_left, sunk=(*state.sunk, state.ships[event.ship]))
        case _:
            return state


def _with_ship(state: VisibleState, name: str, **changes: str | int | bool) -> VisibleState:
    return replace(state, ships={**state.ships, name: structs.replace(state.ships[name], **changes)})


def _apply_shot(state: VisibleState, event: ShotFired) -> VisibleState:
    if event.by in state.ships:
        state = _with_ship(state, event.by, shots=max(0, state.ships[event.by].shots - 1))
    if event.hit and event.to in state.ships:
        state = _with_ship(state, event.to, hits=state.ships[event.to].hits + 1)
    return state


def _state_before(view: HexView, events: Sequence[Event]) -> VisibleState:
    """Return the ships before the events, computed backwards from the view after them."""
    ships: dict[str, Ship] = {ship.id: ship for ship in view.ships}
    sunk: dict[str, Ship] = {ship.id: ship for ship in view.sunk}
    for event in reversed(events):
        match event:
            case ShipMoved() | MoveUndone() if event.ship in ships:
                ships[event.ship] = structs.replace(ships[event.ship], hex=event.start)
            case ShotFired() if event.hit and event.to in ships:
                ships[event.to] = structs.replace(ships[event.to], hits=max(0, ships[event.to].hits - 1))
            case ShipSunk() if event.ship in sunk:
                ships[event.ship] = sunk.pop(event.ship)
            case _:
                pass
    return VisibleState(ships=ships, sunk=tuple(sunk.values()))


def _without_undone(events: Sequence[Event]) -> list[Event]:
    """Return the events without moves that were taken back, and without their taking back."""
    lasting: list[Event] = []
    for event in events:
        if isinstance(event, MoveUndone):
            move_indices = [
                i for i, earlier in enumerate(lasting) if isinstance(earlier, ShipMoved) and earlier.ship == event.ship
            ]
            if move_indices:
                del lasting[move_indices[-1]]
                continue
        lasting.append(event)
    return lasting


def _merge_moments(moments: Sequence[StoryMoment], *, with_moves: bool) -> tuple[StoryMoment, ...]:
    # consecutive shots of a ship become one moment; if `with_moves`, so do its shots and moves
    merged: list[StoryMoment] = []
    for moment in moments:
        same_ship = bool(merged) and moment.acting_ship == merged[-1].acting_ship
        if same_ship and (with_moves or not (moment.moves or merged[-1].moves)):
            first = merged.pop()
            merged.append(StoryMoment(before=first.before, events=(*first.events, *moment.events), after=moment.after))
        else:
            merged.append(moment)
    return tuple(merged)
