"""Statistics of captains in a game, counted from its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.protocol import Event, Seat
from rules.interface.statistics import Statistics, StatisticsCounter, count_events
from rules.ramspeed.engine.events import (
    DefenceTried,
    DerelictManned,
    HooksThrown,
    OarsSwiped,
    OrderOfPlaySet,
    ShipCaptured,
    ShipGrappled,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    ShotFired,
    SwipeResolved,
    TurnBegan,
)
from rules.ramspeed.engine.state import State

_COUNT_KEYS: Final = ("turns", "sunk", "lost", "taken")
_HARMFUL_RESULTS: Final = ("sunk", "stuck", "dead", "immobilised")


def count_statistics(state: State, events: Iterable[Event]) -> dict[Seat, Statistics]:
    return count_events(_EventCounter(state), events)


def seat_strengths(state: State) -> dict[Seat, float]:
    """Return the strength left to each seat: the value of its ships, times the manned part of each."""
    strengths = dict.fromkeys(sorted(state.seats), 0.0)
    for ship in state.position.ships:
        if ship.is_afloat:
            strengths[state.seat_of(ship.owner)] += ship.ship_class.value * ship.crew / ship.ship_class.crew_max
    return strengths


class _EventCounter:
    """A counter of events; each ship belongs to the captain who has it when the turn begins."""

    def __init__(self, state: State) -> None:
        self.by_seat = {seat: StatisticsCounter(*_COUNT_KEYS) for seat in state.seats}
        self._seat_of = state.seat_of
        self._owners = {ship.id: state.seat_of(ship.owner) for ship in state.position.ships}
        self._attacker: StatisticsCounter | None = None  # of the captain whose ship rammed or swiped last
        self._stuck: dict[str, StatisticsCounter] = {}
        """Counters of the captains who rammed each stuck ship, which sinks when the two separate."""

    def _counter_of(self, ship: str) -> StatisticsCounter:
        return self.by_seat[self._owners[ship]]

    def count(self, event: Event) -> None:
        match event:
            case TurnBegan():
                self._owners = {ship.id: self._seat_of(ship.owner) for ship in event.ships}
            case OrderOfPlaySet():  # the turn is carried out; if the game ends before, it does not count
                for counter in self.by_seat.values():
                    counter.count_event("turns")
            case ShipMoved():
                self._counter_of(event.ship).count_order("move")
            case ShipSunk():
                self._counter_of(event.ship).count_event("lost")
                if rammer := self._rammer_of_sunk(event):
                    rammer.count_event("sunk")
            case ShipCaptured():
                self._counter_of(event.ship).count_event("lost")
                self._owners[event.ship] = self._seat_of(event.player)
                self._counter_of(event.ship).count_event("taken")
            case DerelictManned():
                self._owners[event.ship] = self._owners[event.by]
                self._counter_of(event.by).count_event("taken")
            case _:
                self._count_attack(event)

    def _rammer_of_sunk(self, event: ShipSunk) -> StatisticsCounter | None:
        """Return the counter of the captain whose ram sank a ship, at once or when the two separated, if a ram did."""
        if event.cause == "ram":
            return self._attacker
        return self._stuck.get(event.ship) if event.cause == "separation" else None

    def _count_attack(self, event: Event) -> None:
        match event:
            case ShipRammed():
                counter = self._counter_of(event.by)
                self._attacker = counter
                if event.result == "stuck":
                    self._stuck[event.to] = counter
                counter.count_attempted_order("ram", event.result in _HARMFUL_RESULTS, *event.dice)
            case OarsSwiped():
                self._attacker = self._counter_of(event.by)
                self._attacker.count_order("swipe")
            case SwipeResolved() if self._attacker is not None:
                self._attacker.count_attempts("oars", int(event.result != "none"), 1)
                self._attacker.count_dice("oars.dice", sum(event.dice), len(event.dice))
            case ShipGrappled():
                self._counter_of(event.by).count_order("grapple")
            case HooksThrown():
                counter = self._counter_of(event.by)
                counter.count_attempts("hooks", int(event.success), 1)
                counter.count_dice("hooks.dice", event.dice[0])
            case DefenceTried():
                self._counter_of(event.ship).count_attempts("defence", int(event.success), 1)
            case ShotFired():
                counter = self._counter_of(event.by)
                counter.count_order("shoot_crew" if event.kind == "crew" else "shoot_fire")
                counter.count_dice("shots.dice", event.die)
