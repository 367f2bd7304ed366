"""A round's events sorted into lines for one reader, those of the reader's own ships first.

The order follows only from the ships that events name (`Event.ship_ids`) and is the same for every game.
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
    ship: str  # id of the ship
    seat: Seat  # the seat that holds it
    is_captured: bool = False
    """Whether the other side began with the ship, in games whose events do not report captures."""


class StoryShips(NamedTuple):
    own_ships: tuple[str, ...] = ()
    """The reader's ships, including those lost to captors in these events, in display order."""
    captured_ships: Mapping[str, Seat] = {}
    """Current holders of ships of the other side, except those captured in these events."""
    gained_ships: frozenset[str] = frozenset()  # ships that the reader's side has captured in these events


NO_SHIPS: Final = StoryShips()


class EventLine(NamedTuple):
    events: tuple[Event, ...]  # what the line reports, in order
    ships: tuple[str, ...] = ()
    """Ships whose whole story the line tells, in the order of their events; empty: it tells of one moment."""
    is_own: bool = False  # whether it is about the reader's own ship
    heading: Event | None = None  # the event that names who acts; None: no heading
    closes_turn: bool = False  # whether it tells what happened after all had acted


def ship_holders(view: View) -> tuple[ShipHolder, ...]:
    return tuple(ShipHolder(piece.id, piece.seat, piece.id in view.captured_ships) for piece in view.pieces)


def story_ships(
    ships: Iterable[ShipHolder], seat: Seat | None, teams: Sequence[int], events: Iterable[Event]
) -> StoryShips:
    """Return the ships of a seat (None: of a spectator) after events that may have changed their holders."""
    holders = tuple(ships)
    seat_by_ship = {holder.ship: holder.seat for holder in holders}
    captor_by_ship = _captors(events)
    own: list[str] = []
    captured: dict[str, Seat] = {}
    gained: set[str] = set()
    for holder in holders:
        is_newly_captured = holder.ship in captor_by_ship
        if seat is not None:
            # A ship that was captured and sank may be listed with her first holder, but her captor's is known.
            last_seat = seat_by_ship.get(captor_by_ship.get(holder.ship, ""), holder.seat)
            was_lost_by_seat = is_newly_captured and teams[last_seat] != teams[seat]
            if is_newly_captured and not was_lost_by_seat:
                gained.add(holder.ship)
            if holder.seat == seat or was_lost_by_seat:
                own.append(holder.ship)
        if holder.is_captured and not is_newly_captured:
            captured[holder.ship] = holder.seat
    return StoryShips(tuple(own), captured, frozenset(gained))


def _captors(events: Iterable[Event]) -> dict[str, str]:
    """Return for each captured ship a ship that captured her last and kept her own side; empty: none is named."""
    captures = [(event.captured_ship, event.ship_ids) for event in events if event.captured_ship]
    newly_captured = {ship for ship, _ in captures}
    return {ship: next((other for other in ships if other not in newly_captured), "") for ship, ships in captures}


@dataclass
class _OpenLine:
    """A line to which events are still added. `common_ships` are those that every event of it names."""

    ships: tuple[str, ...] = ()  # ships whose whole story the line tells
    is_own: bool = False  # whether it is about one of the reader's ships
    heading: Event | None = None  # the event that names who acts
    closes_turn: bool = False  # whether it begins after all have acted
    events: list[Event] = field(default_factory=list)  # events of the line so far
    common_ships: frozenset[str] = frozenset()  # ids of ships that every event of the line names

    @property
    def topic(self) -> str:
        return self.events[0].topic if self.events else ""

    def add_event(self, event: Event) -> None:
        ship_ids = frozenset(event.ship_ids)
        self.common_ships = self.common_ships & ship_ids if self.events else ship_ids
        self.events.append(event)


class _EventSorter:
    def __init__(self, own_blocks: Iterable[tuple[str, ...]]) -> None:
        self.own_lines = [_OpenLine(ships, is_own=True) for ships in own_blocks]
        self._own_line_by_ship = {ship: line for line in self.own_lines for ship in line.ships}
        self.other_lines: list[_OpenLine] = []  # lines about ships of others, in the order of their first events
        self._lines_by_ship: dict[str, _OpenLine] = {}  # lines that tell the whole story of another captain's ship
        self._heading: Event | None = None  # the last heading
        self._has_headings = False  # whether somebody's acts have been told under a heading
        self._closes_turn = False  # whether all have acted
        self._last_line: _OpenLine | None = None  # the line of the event before; None after a heading
        self._last_ships: frozenset[str] = frozenset()  # ships of the event before
        self._told: list[tuple[Event, _OpenLine]] = []  # events of the present part of the round, with their lines

    def sort_event(self, event: Event) -> None:
        if event.is_heading:
            self._heading = event if event.weight else None
            self._has_headings = self._has_headings or bool(event.weight)
            self._closes_turn = False
            self._last_line = None
            return
        if event.closes_turn and self._has_headings:
            self._heading, self._closes_turn = None, True
        line = self._find_line(event)
        if line is None:
            return
        line.add_event(event)
        if self._told and self._told[-1][0].section_heading != event.section_heading:
            self._told.clear()
        self._told.append((event, line))
        self._last_line, self._last_ships = line, frozenset(event.ship_ids)

    def _find_line(self, event: Event) -> _OpenLine | None:
        """Return the line to which an event belongs; None: it is not shown. May begin a line."""
        for ship in event.ship_ids:
            if ship in self._own_line_by_ship:
                return self._own_line_by_ship[ship]
        if not event.weight:
            return None
        if continued_line := self._continued_line(event):
            return continued_line
        if event.tells_orders:
            return self._begin_line(_OpenLine(event.ship_ids[:1]))
        for ship in event.ship_ids:
            if ship in self._lines_by_ship:
                return self._lines_by_ship[ship]
        return self._moment_line(event)

    def _continued_line(self, event: Event) -> _OpenLine | None:
        """Return the line of an event of which this one is a part or, in a story for everybody, a consequence."""
        if event.continues_line and self._last_line and not self._last_ships.isdisjoint(event.ship_ids):
            return self._last_line
        causing_lines = [line for cause, line in self._told if cause.causes(event)]
        return causing_lines[-1] if causing_lines and not self.own_lines else None

    def _moment_line(
        self, event: Event
    ) -> _OpenLine:  # the last line if the event continues its moment, else a new line
        last = self._last_line
        if last and not last.is_own and not last.ships:
            shares_ship = not last.common_ships.isdisjoint(event.ship_ids)
            is_same_part = last.closes_turn == self._closes_turn
            if shares_ship and is_same_part and last.events[-1].section_heading == event.section_heading:
                return last
        return self._begin_line(_OpenLine(heading=self._heading, closes_turn=self._closes_turn))

    def _begin_line(self, line: _OpenLine) -> _OpenLine:
        self.other_lines.append(line)
        self._lines_by_ship.update(dict.fromkeys(line.ships, line))
        return line


def ship_blocks(events: Iterable[Event], ships: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return ships in blocks: ships that an event names together share one.

    Within a block, ships are in the order in which events first name them. The story of a block keeps the order of
    time for each of its ships, so that no result stands before its cause.
    """
    block_by_ship: dict[str, tuple[str, ...]] = {ship: (ship,) for ship in ships}
    first_named: dict[str, int] = {}
    for event in events:
        named = [ship for ship in event.ship_ids if ship in block_by_ship]
        for ship in named:
            first_named.setdefault(ship, len(first_named))
        block = tuple(dict.fromkeys(member for ship in named for member in block_by_ship[ship]))
        block_by_ship |= dict.fromkeys(block, block)
    blocks = dict.fromkeys(block_by_ship.values())
    return tuple(tuple(sorted(block, key=lambda ship: first_named.get(ship, 0))) for block in blocks)


def event_lines(events: Sequence[Event], own: Sequence[str] = ()) -> tuple[EventLine, ...]:
    """Return events as lines: first one for each block of own ships with events, then those of others.

    Events keep their order within a line. Others have one line for each ship whose orders are reported, and one for
    each moment, which is a run of events that name a common ship.
    """
    shown_events = tuple(_story_events(events))
    sorter = _EventSorter(ship_blocks((event for event in shown_events if event.weight), own))
    for event in shown_events:
        sorter.sort_event(event)
    own_lines = (line for line in sorter.own_lines if line.events)
    lines = [*own_lines, *_group_topics(sorter.other_lines)]
    return tuple(
        EventLine(_weighty_events(line.events), line.ships, line.is_own, line.heading, line.closes_turn)
        for line in lines
    )


def _group_topics(lines: Sequence[_OpenLine]) -> list[_OpenLine]:
    """Return lines in order, each after the last one that shares its topic."""
    first_places: dict[str, int] = {}
    for place, line in enumerate(lines):
        first_places.setdefault(line.topic, place)
    return [
        line
        for _, line in sorted(
            enumerate(lines), key=lambda entry: first_places[entry[1].topic] if entry[1].topic else entry[0]
        )
    ]


def _weighty_events(events: Sequence[Event]) -> tuple[Event, ...]:
    # Events of weight 0 are shown only in a line that has no others.
    return tuple(event for event in events if event.weight) or tuple(events)


def _story_events(events: Sequence[Event]) -> Iterable[Event]:
    """Yield the events that a story shows: each merged with the next, split by ship, and without repetitions."""
    seen_keys = set[str]()
    merged = [*(event.merge_with(after) for event, after in pairwise(events)), *events[-1:]]
    for whole_event in merged:
        for event in whole_event.split_by_ship():
            is_shown = event.weight or event.tells_orders or event.is_heading
            if not is_shown or event.dedup_key in seen_keys:
                continue
            if event.dedup_key:
                seen_keys.add(event.dedup_key)
            yield event
