"""Statistics of captains, counted from the events of a game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.protocol import Event, Seat
from rules.interface.statistics import Statistics, StatisticsCounter, count_events
from rules.squadrons.engine.events import (
    AvoidanceTried,
    CaptainConceded,
    ShipBoarded,
    ShipGrappled,
    ShipMoved,
    ShipRaked,
    ShipRammed,
    ShipSunk,
    ShotFired,
    SquadronsFormed,
    TurnBegan,
)
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.sea.state import Squadron, State

_COUNT_KEYS: Final = ("turns", "rammed", "taken", "lost")


def count_statistics(state: State, events: Iterable[Event]) -> dict[Seat, Statistics]:
    return count_events(_EventCounter(state), events)


def seat_strengths(state: State) -> dict[Seat, float]:
    """Return the points of each seat's ships. Rammed ships count 0.3, crippled ones 0.6 of their cost."""
    strengths = {captain.seat: 0.0 for captain in state.captains}
    for name, seat in command.owner_by_ship(state).items():
        ship = state.position.ship_by_id(name)
        share = 0.3 if ship.rammed else 0.6 if ship.is_crippled else 1.0
        strengths[seat] += ship.ship_class.cost * share
    return strengths


class _EventCounter:
    """Counts event by event. A ship belongs to the captain of her squadron's leader, else to the first of her side."""

    def __init__(self, state: State) -> None:
        self.by_seat = {captain.seat: StatisticsCounter(*_COUNT_KEYS) for captain in state.captains}
        self._captains = state.captains
        self._conceded: set[Seat] = set()
        self._squadrons: tuple[Squadron, ...] = ()
        self._holders = {ship.id: ship.builder for ship in state.position.ships}  # side that holds each ship now

    def _counter_of(self, ship: str) -> StatisticsCounter:
        side = self._holders[ship]
        captains = [captain for captain in self._captains if captain.side == side]
        playing = [captain for captain in captains if captain.seat not in self._conceded] or captains
        leaders = {squadron.leader for squadron in self._squadrons if squadron.side == side and ship in squadron.ships}
        return self.by_seat[next((captain for captain in playing if leaders & {*captain.leaders}), playing[0]).seat]

    def count(self, event: Event) -> None:
        match event:
            case TurnBegan():
                self._holders = {ship.id: ship.side for ship in event.position.ships}
                for counter in self.by_seat.values():
                    counter.count_event("turns")
            case ShipMoved():
                self._counter_of(event.ship).count_order("move")
            case ShipSunk():
                self._counter_of(event.ship).count_event("lost")
            case ShipBoarded():
                counter = self._counter_of(event.by[0].ship)
                is_captured = event.result == "captured"
                counter.count_attempted_order("board", is_captured, *event.dice)
                if is_captured:
                    counter.count_event("taken")
                    self._counter_of(event.target).count_event("lost")
                    self._holders[event.target] = self._holders[event.by[0].ship]
            case SquadronsFormed():
                self._squadrons = event.squadrons
            case CaptainConceded():
                self._conceded.add(event.seat)
            case _:
                self._count_attack(event)

    def _count_attack(self, event: Event) -> None:
        match event:
            case ShipRammed():
                counter = self._counter_of(event.by)
                hit = event.result == "rammed"
                counter.count_attempted_order("ram", hit, *event.dice)
                if hit:
                    counter.count_event("rammed")
            case ShipRaked():
                self._counter_of(event.by).count_attempted_order("rake", event.ok, *event.dice)
            case ShipGrappled():
                self._counter_of(event.by).count_attempted_order("grapple", event.ok, event.die)
            case ShotFired():
                self._counter_of(event.by).count_attempted_order("fire", event.result != "-", event.die)
            case AvoidanceTried():
                self._counter_of(event.ship).count_attempts("avoid", int(event.ok), 1)
