"""Statistics of a game's captains, counted from its events."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Literal

from msgspec import structs

from rules.core.protocol import BattleOutcome, Event, Seat, ShipFate
from rules.core.sides import seat_of
from rules.interface.statistics import Statistics, StatisticsCounter
from rules.matchbox.engine import aim
from rules.matchbox.engine.events import (
    HullsCollided,
    MatchesLaid,
    OrdersRevealed,
    RoundBegan,
    ShipCaptured,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    VolleyDropped,
)
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley, LaidMatch, State

_ORDER_KEYS: Final = ("F", "L", "R", "X", "ZZ")
_GRAPPLE_KEY: Final = "G"
_COUNT_KEYS: Final = ("rounds", "rams", "rammed", "volleys", "sunk", "lost")


def battle_outcome(state: State) -> BattleOutcome:
    """Return each galley's fate under the seat that began with it: afloat, struck, sunk or captured."""
    galleys_left = (*state.galleys, *(state.left or ()))
    afloat = {galley.id for galley in galleys_left}
    captured_ids = {galley.id for galley in state.galleys if galley.side != state.sides[seat_of(galley.id)]}
    all_galleys = sorted((*galleys_left, *state.lost), key=lambda galley: (seat_of(galley.id), int(galley.id[1:])))
    ships = tuple(
        ShipFate(
            id=galley.id,
            seat=seat_of(galley.id),
            end="taken" if galley.id in captured_ids else _galley_end(state, galley.id, afloat),
            parts={"port": galley.port, "starboard": galley.starboard, "masts": galley.masts},
        )
        for galley in all_galleys
    )
    return BattleOutcome(ships=ships, rounds=max(0, state.round - 1), gave_up=state.conceded)


def _galley_end(state: State, galley: str, afloat: Collection[str]) -> Literal["afloat", "struck", "sunk"]:
    if galley in afloat:
        return "afloat"
    return "struck" if galley in state.struck else "sunk"


def count_statistics(state: State, events: Iterable[Event]) -> dict[Seat, Statistics]:
    """Return each seat's statistics from all events of a game and its last state.

    Rams and sinkings between allies are not counted.
    """
    counter = _EventCounter(state.sea, len(state.sides))
    for event in events:
        counter.count(event)
    return {seat: captain.statistics() for seat, captain in counter.captains.items()}


def seat_strengths(state: State) -> dict[Seat, float]:  # oars and masts left
    parts_left = dict.fromkeys(range(len(state.sides)), 0.0)
    for galley in (*state.galleys, *(state.left or ())):
        parts_left[galley.seat] += galley.port + galley.starboard + galley.masts
    return parts_left


class _EventCounter:
    """Follows the table through a game's events and counts them."""

    def __init__(self, sea: Sea, seats: int) -> None:
        self.captains = {seat: StatisticsCounter(*_COUNT_KEYS) for seat in range(seats)}
        self._sea = sea
        self._galleys: dict[str, Galley] = {}
        self._sunk: set[str] = set()
        self._lying: tuple[LaidMatch, ...] = ()

    def count(self, event: Event) -> None:
        match event:
            case RoundBegan():
                self._galleys = {galley.id: galley for galley in event.galleys}
                self._sunk = set()
                for seat in {galley.seat for galley in event.galleys}:
                    self.captains[seat].count_event("rounds")
            case OrdersRevealed():
                self._count_orders(event)
            case MatchesLaid():
                self._lying = event.lying
            case ShipMoved():
                self._update_table(event)
            case ShipCaptured():
                self._count_deed(event.by, event.galley, "taken", "lost")
                self._update_table(event)
            case HullsCollided():
                self._count_meeting(event.a, event.b)
            case ShipRammed():
                self._count_deed(event.by, event.to, "rams", "rammed")
                if self._are_enemies(event.by, event.to):
                    self._counter_of(event.by).count_attempts("rams", 1, 0)
            case VolleyDropped():
                self._count_volley(event)
            case ShipSunk():
                self._count_deed(event.by, event.galley, "sunk", "lost")
                self._sunk.add(event.galley)

    def _count_orders(self, event: OrdersRevealed) -> None:
        for kind in _ORDER_KEYS:
            self.captains[event.seat].count_order(kind, event.orders.count(kind))
        if _GRAPPLE_KEY in event.orders:  # without boarding, there is no such key
            self.captains[event.seat].count_order(_GRAPPLE_KEY, event.orders.count(_GRAPPLE_KEY))

    def _update_table(self, event: ShipMoved | ShipCaptured) -> None:
        galley = self._galleys[event.galley]
        if isinstance(event, ShipMoved):
            self._galleys[event.galley] = structs.replace(galley, pose=event.end)
        else:
            self._galleys[event.galley] = structs.replace(galley, side=event.side, seat=event.seat)

    def _counter_of(self, galley: str) -> StatisticsCounter:
        return self.captains[self._galleys[galley].seat]

    def _are_enemies(self, a: str, b: str) -> bool:
        return self._galleys[a].side != self._galleys[b].side

    def _count_meeting(self, a: str, b: str) -> None:  # a chance for both to ram
        if self._are_enemies(a, b):
            for galley in (a, b):
                self._counter_of(galley).count_attempts("rams", 0, 1)

    def _count_deed(self, by: str, to: str, deed_key: str, suffered_key: str) -> None:
        if self._are_enemies(by, to):
            self._counter_of(by).count_event(deed_key)
            self._counter_of(to).count_event(suffered_key)

    def _count_volley(self, event: VolleyDropped) -> None:
        captain = self._counter_of(event.by)
        captain.count_event("volleys")
        captain.count_attempts("spoiled", int(event.misfire), 1)
        captain.count_attempts("matches", event.hits, event.matches)
        afloat = tuple(galley for name, galley in self._galleys.items() if name not in self._sunk)
        shot = aim.AimedVolley(
            self._galleys[event.by], self._galleys[event.to], afloat, self._lying, self._sea, event.matches
        )
        captain.count_throws("matches", event.hits, *aim.hit_distribution(shot, event.aim_x_mm, event.aim_y_mm))
