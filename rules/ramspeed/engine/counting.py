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
    name_of,
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
        self._owners = {ship.id: state.seat_of(ship.owner) for ship in state.position.ships}
        self._attacker = ""  # the ship that rammed or swiped last
        self._stuck: dict[str, str] = {}  # the rammer of each stuck ship, which sinks when the two separate

    def _counter_of(self, ship: str) -> StatisticsCounter:
        return self.by_seat[self._owners[ship]]

    def count(self, event: Event) -> None:
        match event:
            case TurnBegan():
                for ship in event.ships:
                    owner = name_of(ship.owner)
                    if isinstance(owner, int):
                        self._owners[ship.id] = owner
            case OrderOfPlaySet():  # the turn is carried out; if the game ends before, it does not count
                for counter in self.by_seat.values():
                    counter.count_event("turns")
            case ShipMoved():
                self._counter_of(event.ship).count_order("move")
            case ShipSunk():
                self._counter_of(event.ship).count_event("lost")
                if rammer := self._rammer_of_sunk(event):
                    self._counter_of(rammer).count_event("sunk")
            case ShipCaptured():
                owner = name_of(event.player)
                if isinstance(owner, int):
                    self.by_seat[owner].count_event("taken")
                    self._owners[event.ship] = owner
            case DerelictManned():
                self._owners[event.ship] = self._owners[event.by]
                self._counter_of(event.by).count_event("taken")
            case _:
                self._count_attack(event)

    def _rammer_of_sunk(self, event: ShipSunk) -> str:
        """Return the ship whose ram sank another, at once or when they separated; empty if no ram did."""
        if event.cause == "ram":
            return self._attacker
        return self._stuck.get(event.ship, "") if event.cause == "separation" else ""

    def _count_attack(self, event: Event) -> None:
        match event:
            case ShipRammed():
                counter = self._counter_of(event.by)
                self._attacker = event.by
                if event.result == "stuck":
                    self._stuck[event.to] = event.by
                counter.count_attempted_order("ram", event.result in _HARMFUL_RESULTS, *event.dice)
            case OarsSwiped():
                self._attacker = event.by
                self._counter_of(event.by).count_order("swipe")
            case SwipeResolved():
                counter = self._counter_of(self._attacker)
                counter.count_attempts("oars", int(event.result != "none"), 1)
                counter.count_dice("oars.dice", sum(event.dice), len(event.dice))
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
