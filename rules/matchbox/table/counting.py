"""What a captain did and threw in a game, counted from its events."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, Literal

from msgspec import structs

from rules.matchbox.table import aim
from rules.matchbox.table.events import (
    Collided,
    MatchesLaid,
    Moved,
    OrdersRevealed,
    Rammed,
    RoundBegan,
    Sank,
    VolleyDropped,
)
from rules.matchbox.table.incidents import Captured
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import Galley, LaidMatch, State
from rules.protocol import Event, Fate, Outcome, Seat
from rules.sides import seat_of
from rules.tally import Tally, Tallying

_ORDERS: Final = ("F", "L", "R", "X", "ZZ")
_GRAPPLE: Final = "G"
_COUNTS: Final = ("rounds", "rams", "rammed", "volleys", "sunk", "lost")


def outcome(state: State) -> Outcome:
    """What became of each galley, by id: afloat, struck, sunk, or in the enemy's hands; under who began with her."""
    there = (*state.galleys, *(state.left or ()))
    afloat = {galley.id for galley in there}
    taken = {galley.id for galley in state.galleys if galley.side != state.sides[seat_of(galley.id)]}
    every = sorted((*there, *state.lost), key=lambda galley: (seat_of(galley.id), int(galley.id[1:])))
    ships = tuple(
        Fate(
            id=galley.id,
            seat=seat_of(galley.id),
            end="taken" if galley.id in taken else _end(state, galley.id, afloat),
            parts={"port": galley.port, "starboard": galley.starboard, "masts": galley.masts},
        )
        for galley in every
    )
    return Outcome(ships=ships, rounds=max(0, state.round - 1), gave_up=state.conceded)


def _end(state: State, galley: str, afloat: Collection[str]) -> Literal["afloat", "struck", "sunk"]:
    return "afloat" if galley in afloat else "struck" if galley in state.struck else "sunk"


def tally(state: State, events: Iterable[Event]) -> dict[Seat, Tally]:
    """Count for each seat, from all events of a game and its last state.

    What is done between allies is nobody's deed: rams and sinkings are counted between enemies only.
    """
    book = _Book(state.sea, len(state.sides))
    for event in events:
        book.enter(event)
    return {seat: captain.tally() for seat, captain in book.captains.items()}


def strength(state: State) -> dict[Seat, float]:
    """Oars and masts that each seat's galleys have left."""
    left = dict.fromkeys(range(len(state.sides)), 0.0)
    for galley in (*state.galleys, *(state.left or ())):
        left[galley.seat] += galley.port + galley.starboard + galley.masts
    return left


class _Book:
    """Follows a game from event to event, with what lies on the table."""

    def __init__(self, sea: Sea, seats: int) -> None:
        self.captains = {seat: Tallying(*_COUNTS) for seat in range(seats)}
        self._sea = sea
        self._galleys: dict[str, Galley] = {}
        self._sunk: set[str] = set()
        self._lying: tuple[LaidMatch, ...] = ()

    def enter(self, event: Event) -> None:
        """Count what happened."""
        match event:
            case RoundBegan():
                self._galleys = {galley.id: galley for galley in event.galleys}
                self._sunk = set()
                for seat in {galley.seat for galley in event.galleys}:
                    self.captains[seat].happened("rounds")
            case OrdersRevealed():
                self._ordered(event)
            case MatchesLaid():
                self._lying = event.lying
            case Moved():
                self._change(event)
            case Captured():
                self._deed(event.by, event.galley, "taken", "lost")
                self._change(event)
            case Collided():
                self._meet(event.a, event.b)
            case Rammed():
                self._deed(event.by, event.to, "rams", "rammed")
                if self._enemies(event.by, event.to):
                    self._captain(event.by).tried("rams", 1, 0)
            case VolleyDropped():
                self._fire(event)
            case Sank():
                self._deed(event.by, event.galley, "sunk", "lost")
                self._sunk.add(event.galley)

    def _ordered(self, event: OrdersRevealed) -> None:
        for kind in _ORDERS:
            self.captains[event.seat].ordered(kind, event.orders.count(kind))
        if _GRAPPLE in event.orders:  # without boarding, tallies are as they were
            self.captains[event.seat].ordered(_GRAPPLE, event.orders.count(_GRAPPLE))

    def _change(self, event: Moved | Captured) -> None:
        galley = self._galleys[event.galley]
        if isinstance(event, Moved):
            self._galleys[event.galley] = structs.replace(galley, pose=event.end)
        else:
            self._galleys[event.galley] = structs.replace(galley, side=event.side, seat=event.seat)

    def _captain(self, galley: str) -> Tallying:
        return self.captains[self._galleys[galley].seat]

    def _enemies(self, a: str, b: str) -> bool:
        return self._galleys[a].side != self._galleys[b].side

    def _meet(self, a: str, b: str) -> None:
        if self._enemies(a, b):
            for galley in (a, b):
                self._captain(galley).tried("rams", 0, 1)

    def _deed(self, by: str, to: str, done: str, suffered: str) -> None:
        if self._enemies(by, to):
            self._captain(by).happened(done)
            self._captain(to).happened(suffered)

    def _fire(self, event: VolleyDropped) -> None:
        captain = self._captain(event.by)
        captain.happened("volleys")
        captain.tried("spoiled", int(event.misfire), 1)
        captain.tried("matches", event.hits, event.matches)
        afloat = tuple(galley for name, galley in self._galleys.items() if name not in self._sunk)
        shot = aim.Shot(self._galleys[event.by], self._galleys[event.to], afloat, self._lying, self._sea, event.matches)
        captain.threw("matches", event.hits, *aim.fortune(shot, event.aim_x_mm, event.aim_y_mm))
