"""What came of a round for one reader: its events sorted into lines, those of the reader's own ships first.

Events say which ships they befell (`Event.befell`); everything else here follows from that, whatever the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from rules.protocol import Event, Seat
from rules.view import View


class ShipHolder(Struct, frozen=True):
    """A ship as a view shows her."""

    ship: str
    seat: Seat
    """Whose she is now."""
    taken: bool = False
    """The other side began with her, and the events that name her don't say so."""


class StoryShips(NamedTuple):
    """Whose ships a story tells of."""

    own: tuple[str, ...] = ()
    """The reader's, with those that were taken from them in these events, in the order in which they are told."""
    taken: Mapping[str, Seat] = {}
    """Who holds ships of the other side; not of those that change hands in these events, as these say so."""


NO_SHIPS: Final = StoryShips()
"""For those who have no ships, where nobody takes any."""


class EventLine(NamedTuple):
    """Events that are told in one line."""

    events: tuple[Event, ...]
    ships: tuple[str, ...] = ()
    """Of what ships it tells everything; empty: it tells of a moment of the round."""
    own: bool = False
    """They are the reader's."""
    heading: Event | None = None
    """Who acts in it."""


def ship_holders(view: View) -> tuple[ShipHolder, ...]:
    """Who holds which ship."""
    return tuple(ShipHolder(piece.id, piece.seat, piece.id in view.taken) for piece in view.pieces)


def story_ships(
    ships: Iterable[ShipHolder], seat: Seat | None, teams: Sequence[int], events: Iterable[Event]
) -> StoryShips:
    """Whose ships these are for a seat (None: everybody), after events that changed who holds them."""
    lost = {event.changed_hands for event in events}
    own, taken = list[str](), dict[str, Seat]()
    for one in ships:
        if seat is not None and (one.seat == seat or (one.ship in lost and teams[one.seat] != teams[seat])):
            own.append(one.ship)
        if one.taken and one.ship not in lost:
            taken[one.ship] = one.seat
    return StoryShips(tuple(own), taken)


@dataclass
class _OpenLine:
    """A line to which events are still added."""

    ships: tuple[str, ...] = ()
    own: bool = False
    heading: Event | None = None
    events: list[Event] = field(default_factory=list)
    common: frozenset[str] = frozenset()
    """Ships that every event of a moment befell."""

    def add(self, event: Event) -> None:
        found = frozenset(event.concerned)
        self.common = self.common & found if self.events else found
        self.events.append(event)


class _EventSorter:
    """Sorts events, one after the other."""

    def __init__(self, own: Sequence[str]) -> None:
        self.mine: dict[str, _OpenLine] = {ship: _OpenLine((ship,), own=True) for ship in own}
        self.others: list[_OpenLine] = []
        self._by_ship: dict[str, _OpenLine] = {}
        self._heading: Event | None = None
        self._last: _OpenLine | None = None
        self._before: frozenset[str] = frozenset()

    def take(self, event: Event) -> None:
        if event.heads:
            self._heading, self._last = (event if event.weight else None), None
            return
        line = self._line(event)
        if line is None:
            return
        line.add(event)
        self._last, self._before = line, frozenset(event.concerned)

    def _line(self, event: Event) -> _OpenLine | None:
        """The line to which an event belongs; None: it isn't told."""
        for ship in event.concerned:
            if ship in self.mine:
                return self.mine[ship]
        if not event.weight:
            return None
        if event.follows and self._last and not self._before.isdisjoint(event.concerned):
            return self._last
        if event.tells_orders:
            return self._begun(_OpenLine(event.concerned[:1]))
        for ship in event.concerned:
            if ship in self._by_ship:
                return self._by_ship[ship]
        return self._moment(event)

    def _moment(self, event: Event) -> _OpenLine:
        last = self._last
        goes_on = last and not (last.own or last.ships or last.common.isdisjoint(event.concerned))
        if last and goes_on and last.events[-1].section == event.section:
            return last
        return self._begun(_OpenLine(heading=self._heading))

    def _begun(self, line: _OpenLine) -> _OpenLine:
        self.others.append(line)
        self._by_ship.update(dict.fromkeys(line.ships, line))
        return line


def event_lines(events: Sequence[Event], own: Sequence[str] = ()) -> tuple[EventLine, ...]:
    """Events that may be told, as lines: one for each own ship of which there is anything to tell, then the others'.

    Within a line events keep their order. The others' lines are one for each ship whose orders are told, and one for
    each moment: events that follow one another and befell the same ship.
    """
    sorting = _EventSorter(own)
    for event in _story_events(events):
        sorting.take(event)
    found = [*(line for line in sorting.mine.values() if line.events), *sorting.others]
    return tuple(EventLine(_told_events(line.events), line.ships, line.own, line.heading) for line in found)


def _told_events(events: Sequence[Event]) -> tuple[Event, ...]:
    """Events of a line; orders that weigh nothing only if there is nothing else."""
    return tuple(event for event in events if event.weight) or tuple(events)


def _story_events(events: Sequence[Event]) -> Iterable[Event]:
    """Events of which stories tell, merged or taken apart, each of its kind once."""
    said = set[str]()
    merged = [*(one.merged_with(after) for one, after in pairwise(events)), *events[-1:]]
    for event in (part for whole in merged for part in whole.apart()):
        if not (event.weight or event.tells_orders or event.heads) or event.dedup_key in said:
            continue
        said |= {event.dedup_key} - {""}
        yield event
