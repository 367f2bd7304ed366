"""What captains did and threw in a game, counted from its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.protocol import Event, Seat
from rules.ramspeed.table.events import (
    DefenceTried,
    DerelictManned,
    HooksThrown,
    OarsSwiped,
    ShipCaptured,
    ShipGrappled,
    ShipMoved,
    ShipRammed,
    ShipSunk,
    ShotFired,
    SwipeResolved,
    TurnBegan,
)
from rules.ramspeed.table.events.base import name_of
from rules.ramspeed.table.state import State
from rules.tally import Statistics, StatisticsCounter

_COUNT_KEYS: Final = ("turns", "sunk", "lost", "taken")
_HARMFUL_RESULTS: Final = ("sunk", "stuck", "dead", "immobilised")


def count_statistics(state: State, events: Iterable[Event]) -> dict[Seat, Statistics]:
    """The tally of each seat, from all events of a game and its last state."""
    count = _EventCounter(state)
    for event in events:
        count.take(event)
    return {seat: book.tally() for seat, book in sorted(count.books.items())}


def seat_strengths(state: State) -> dict[Seat, float]:
    """What each seat has left: the value of its ships, as far as they are manned."""
    found = dict.fromkeys(sorted(state.seats), 0.0)
    for ship in state.position.ships:
        if ship.afloat:
            found[state.seat(ship.owner)] += ship.kind.value * ship.crew / ship.kind.crew_max
    return found


class _EventCounter:
    """Takes one event after another; ships belong to the captain who has them when the turn begins."""

    def __init__(self, state: State) -> None:
        self.books = {seat: StatisticsCounter(*_COUNT_KEYS) for seat in state.seats}
        self._owners = {ship.id: state.seat(ship.owner) for ship in state.position.ships}
        self._attacker = ""
        self._stuck: dict[str, str] = {}
        """Who has rammed a ship so that she sinks as soon as they part."""

    def _of(self, ship: str) -> StatisticsCounter:
        return self.books[self._owners[ship]]

    def take(self, event: Event) -> None:
        match event:
            case TurnBegan():
                for ship in event.ships:
                    owner = name_of(ship.owner)
                    if isinstance(owner, int):
                        self._owners[ship.id] = owner
                for book in self.books.values():
                    book.happened("turns")
            case ShipMoved():
                self._of(event.ship).ordered("move")
            case ShipSunk():
                self._of(event.ship).happened("lost")
                rammer = {"ram": self._attacker, "separation": self._stuck.get(event.ship, "")}.get(event.cause, "")
                if rammer:
                    self._of(rammer).happened("sunk")
            case ShipCaptured():
                owner = name_of(event.player)
                if isinstance(owner, int):
                    self.books[owner].happened("taken")
                    self._owners[event.ship] = owner
            case DerelictManned():
                self._owners[event.ship] = self._owners[event.by]
                self._of(event.by).happened("taken")
            case _:
                self._attack(event)

    def _attack(self, event: Event) -> None:
        match event:
            case ShipRammed():
                book, self._attacker = self._of(event.by), event.by
                if event.result == "stuck":
                    self._stuck[event.to] = event.by
                book.attempted("ram", event.result in _HARMFUL_RESULTS, *event.dice)
            case OarsSwiped():
                self._attacker = event.by
                self._of(event.by).ordered("swipe")
            case SwipeResolved():
                book = self._of(self._attacker)
                book.tried("oars", int(event.result != "none"), 1)
                book.threw_dice("oars.dice", sum(event.dice), len(event.dice))
            case ShipGrappled():
                self._of(event.by).ordered("grapple")
            case HooksThrown():
                book = self._of(event.by)
                book.tried("hooks", int(event.success), 1)
                book.threw_dice("hooks.dice", event.dice[0])
            case DefenceTried():
                self._of(event.ship).tried("defence", int(event.success), 1)
            case ShotFired():
                book = self._of(event.by)
                book.ordered("shoot_crew" if event.kind == "crew" else "shoot_fire")
                book.threw_dice("shots.dice", event.die)
