"""What came of a round for one reader: its events sorted into lines, those of the reader's own ships first.

Events say which ships they befell (`Event.befell`); everything else here follows from that, whatever the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec import Struct

from rules.core.protocol import Event, Seat
from rules.core.view import View


class ShipHolder(Struct, frozen=True):
    """A ship as a view shows her."""

    ship: str
    seat: Seat
    """Whose she is now."""
    is_captured: bool = False
    """The other side began with her, and the events that name her don't say so."""


class StoryShips(NamedTuple):
    """Whose ships a story tells of."""

    own_ships: tuple[str, ...] = ()
    """The reader's, with those that were taken from them in these events, in the order in which they are told."""
    captured_ships: Mapping[str, Seat] = {}
    """Who holds ships of the other side; not of those that change hands in these events, as these say so."""


NO_SHIPS: Final = StoryShips()
"""For those who have no ships, where nobody takes any."""


class EventLine(NamedTuple):
    """Events that are told in one line."""

    events: tuple[Event, ...]
    ships: tuple[str, ...] = ()
    """Of what ships it tells everything; empty: it tells of a moment of the round."""
    is_own: bool = False
    """They are the reader's."""
    heading: Event | None = None
    """Who acts in it."""


def ship_holders(view: View) -> tuple[ShipHolder, ...]:
    """Who holds which ship."""
    return tuple(ShipHolder(piece.id, piece.seat, piece.id in view.captured_ships) for piece in view.pieces)


def story_ships(
    ships: Iterable[ShipHolder], seat: Seat | None, teams: Sequence[int], events: Iterable[Event]
) -> StoryShips:
    """Whose ships these are for a seat (None: everybody), after events that changed who holds them."""
    lost = {event.captured_ship for event in events}
    own, taken = list[str](), dict[str, Seat]()
    for one in ships:
        if seat is not None and (one.seat == seat or (one.ship in lost and teams[one.seat] != teams[seat])):
            own.append(one.ship)
        if one.is_captured and one.ship not in lost:
            taken[one.ship] = one.seat
    return StoryShips(tuple(own), taken)


@dataclass
class _OpenLine:
    """A line to which events are still added."""

    ships: tuple[str, ...] = ()
    is_own: bool = False
    heading: Event | None = None
    events: list[Event] = field(default_factory=list)
    common_ships: frozenset[str] = frozenset()
    """Ships that every event of a moment befell."""

    def add_event(self, event: Event) -> None:
        found = frozenset(event.ship_ids)
        self.common_ships = self.common_ships & found if self.events else found
        self.events.append(event)


class _EventSorter:
    """Sorts events, one after the other."""

    def __init__(self, own: Sequence[str]) -> None:
        self.own_lines: dict[str, _OpenLine] = {ship: _OpenLine((ship,), is_own=True) for ship in own}
        self.other_lines: list[_OpenLine] = []
        self._lines_by_ship: dict[str, _OpenLine] = {}
        self._heading: Event | None = None
        self._last_line: _OpenLine | None = None
        self._last_ships: frozenset[str] = frozenset()

    def sort_event(self, event: Event) -> None:
        if event.is_heading:
            self._heading, self._last_line = (event if event.weight else None), None
            return
        line = self._find_line(event)
        if line is None:
            return
        line.add_event(event)
        self._last_line, self._last_ships = line, frozenset(event.ship_ids)

    def _find_line(self, event: Event) -> _OpenLine | None:
        """The line to which an event belongs; None: it isn't told."""
        for ship in event.ship_ids:
            if ship in self.own_lines:
                return self.own_lines[ship]
        if not event.weight:
            return None
        if event.continues_line and self._last_line and not self._last_ships.isdisjoint(event.ship_ids):
            return self._last_line
        if event.tells_orders:
            return self._begin_line(_OpenLine(event.ship_ids[:1]))
        for ship in event.ship_ids:
            if ship in self._lines_by_ship:
                return self._lines_by_ship[ship]
        return self._moment_line(event)

    def _moment_line(self, event: Event) -> _OpenLine:
        last = self._last_line
        goes_on = last and not (last.is_own or last.ships or last.common_ships.isdisjoint(event.ship_ids))
        if last and goes_on and last.events[-1].section_heading == event.section_heading:
            return last
        return self._begin_line(_OpenLine(heading=self._heading))

    def _begin_line(self, line: _OpenLine) -> _OpenLine:
        self.other_lines.append(line)
        self._lines_by_ship.update(dict.fromkeys(line.ships, line))
        return line


def event_lines(events: Sequence[Event], own: Sequence[str] = ()) -> tuple[EventLine, ...]:
    """Events that may be told, as lines: one for each own ship of which there is anything to tell, then the others'.

    Within a line events keep their order. The others' lines are one for each ship whose orders are told, and one for
    each moment: events that follow one another and befell the same ship.
    """
    sorting = _EventSorter(own)
    for event in _story_events(events):
        sorting.sort_event(event)
    found = [*(line for line in sorting.own_lines.values() if line.events), *sorting.other_lines]
    return tuple(EventLine(_told_events(line.events), line.ships, line.is_own, line.heading) for line in found)


def _told_events(events: Sequence[Event]) -> tuple[Event, ...]:
    """Events of a line; orders that weigh nothing only if there is nothing else."""
    return tuple(event for event in events if event.weight) or tuple(events)


def _story_events(events: Sequence[Event]) -> Iterable[Event]:
    """Events of which stories tell, merged or taken apart, each of its kind once."""
    said = set[str]()
    merged = [*(one.merge_with(after) for one, after in pairwise(events)), *events[-1:]]
    for event in (part for whole in merged for part in whole.split_by_ship()):
        if not (event.weight or event.tells_orders or event.is_heading) or event.dedup_key in said:
            continue
        said |= {event.dedup_key} - {""}
        yield event
