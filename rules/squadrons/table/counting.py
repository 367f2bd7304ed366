"""What captains did and threw in a game, counted from its events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.protocol import Event, Seat
from rules.squadrons.table.events import Avoided, Boarded, Fired, Grappled, Moved, Raked, Rammed, Sunk, TurnBegan
from rules.squadrons.table.phases.command import ownership
from rules.squadrons.table.sea.state import State
from rules.tally import Tally, Tallying

_COUNTS: Final = ("turns", "rammed", "taken", "lost")


def tally(state: State, events: Iterable[Event]) -> dict[Seat, Tally]:
    """Count for each seat, from all events of a game and its last state."""
    count = _Count(state)
    for event in events:
        count.take(event)
    return {seat: book.tally() for seat, book in sorted(count.books.items())}


def strength(state: State) -> dict[Seat, float]:
    """What each seat has left, in points of its ships; less for ships that cannot fight."""
    found = {one.seat: 0.0 for one in state.captains}
    for name, seat in ownership.owners(state).items():
        ship = state.position.ship(name)
        share = 0.3 if ship.rammed else 0.6 if ship.crippled else 1.0
        found[seat] += ship.kind.cost * share
    return found


class _Count:
    """Takes one event after another; a ship belongs to the first captain of the side that holds her."""

    def __init__(self, state: State) -> None:
        self.books = {one.seat: Tallying(*_COUNTS) for one in state.captains}
        self._first = {side: min(one.seat for one in state.captains if one.side == side) for side in ("B", "R")}
        self._owners = dict(ownership.owners(state))
        self._held = {ship.id: ship.builder for ship in state.position.ships}

    def _of(self, ship: str) -> Tallying:
        return self.books[self._owners.get(ship, self._first[self._held[ship]])]

    def take(self, event: Event) -> None:
        """Count one event."""
        match event:
            case TurnBegan():
                self._held = {ship.id: ship.side for ship in event.position.ships}
                for book in self.books.values():
                    book.happened("turns")
            case Moved():
                self._of(event.ship).ordered("move")
            case Sunk():
                self._of(event.ship).happened("lost")
            case Boarded():
                book = self._of(event.by[0].ship)
                taken = event.result == "captured"
                book.attempted("board", taken, *event.dice)
                if taken:
                    book.happened("taken")
                    self._held[event.target] = self._held[event.by[0].ship]
            case _:
                self._attack(event)

    def _attack(self, event: Event) -> None:
        match event:
            case Rammed():
                book = self._of(event.by)
                told = event.result == "rammed"
                book.attempted("ram", told, *event.dice)
                if told:
                    book.happened("rammed")
            case Raked():
                self._of(event.by).attempted("rake", event.ok, *event.dice)
            case Grappled():
                self._of(event.by).attempted("grapple", event.ok, event.die)
            case Fired():
                self._of(event.by).attempted("fire", event.result != "-", event.die)
            case Avoided():
                self._of(event.ship).tried("avoid", int(event.ok), 1)
