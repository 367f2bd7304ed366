"""Stories of a round for one reader: the results of the reader's own orders first, then what others did."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from bot.texts import repeats
from bot.texts.i18n import Localizer
from bot.texts.speech import MAX_MESSAGE_CHARS, pick_weightiest, section_mark, visible_events
from rules.core.protocol import Event, Seat
from rules.interface import outcomes
from rules.interface.outcomes import NO_SHIPS, EventLine, StoryShips

_SENTENCE_END_PATTERN: Final = re.compile(r"[.!?]( \([^()]*\))?$")
"""The end of a sentence, with dice in brackets after it. An actor in brackets does not end a sentence."""
_BRACKETS_PATTERN: Final = re.compile(r" \([^()]*\)")
MIN_LINES: Final = 12
"""The most lines of a story of `_FEW_SHIPS` ships or fewer."""
MAX_LINES: Final = 20
"""The most lines of a story of `_MANY_SHIPS` ships or more; between the two counts the limit grows linearly."""
_FEW_SHIPS: Final = 4
_MANY_SHIPS: Final = 30
_MIN_OTHERS_LINES: Final = 2
_OTHERS_LINES_BEFORE_BREAKS: Final = 3
"""Lines about others that take precedence over breaking the lines of own ships."""
LONG_LINE_CHARS: Final = 80
"""About two rows of a phone; longer lines are broken where there is room for more lines."""
_STEP_SEPARATOR: Final = " · "  # between the steps of a turn that one line tells
_MAX_HEADLINE_CHARS: Final = 160  # of a headline that is the first line of a story
_CONTINUATION: Final = "· "  # before a row that continues a broken line


class Story(NamedTuple):
    headline: str
    lines: tuple[str, ...]


class Paragraph(NamedTuple):
    heading: str  # the acting captain or squadron; empty: none, or that of the paragraph before
    rows: tuple[str, ...]  # sentences, one event or step each


class FullStory(NamedTuple):
    headline: str
    paragraphs: tuple[Paragraph, ...]


class Loss(NamedTuple):
    """A loss of the reader's ships by one event."""

    headline: str
    line: str  # the line of the story that tells it

    def is_told_in(self, texts: Iterable[str]) -> bool:
        """Return whether the texts have the headline or the line of the story, perhaps in rows."""
        joined = " ".join(texts)
        rows = [part.strip() for part in self.line.split(_STEP_SEPARATOR)]
        return repeats.says_all_of(texts, self.headline) or all(row in joined for row in rows)


class StorySummary(NamedTuple):
    own_news: tuple[str, ...]
    """Results of the reader's orders in versions of decreasing length; empty if nothing happened to the reader."""
    others_news: str
    """The best headline about others, else their first line about a ship; empty if there is neither."""
    own_headlines: tuple[str, ...] = ()  # the headlines about the reader's ships, best first
    losses: tuple[Loss, ...] = ()  # what the reader's ships lost, the gravest first
    is_quiet: bool = False
    """Whether the reader's ships carried out their orders and nothing else happened to them."""
    is_others_line_in_story: bool = False  # whether `others_news` is a line of the story and no headline
    is_without_headline: bool = False  # whether no result of the reader's orders makes a headline


class StoryFragment(NamedTuple):
    """A part of a story line, such as one step; it gets a line of its own where there is room."""

    text: str
    separator: str = ""  # text between this fragment and the one before it


class StoryLine(NamedTuple):
    fragments: tuple[StoryFragment, ...]  # in order; joined they are the line
    event_lines: tuple[EventLine, ...]  # the events that it tells, by ship
    heading: str = ""
    """The acting captain or ship. A story prints it once above consecutive lines that share it."""
    concerns_reader: bool = False  # whether it tells something about the reader's side
    harms_reader: bool = False  # whether it is bad news for the reader

    @property
    def text(self) -> str:
        return _join_fragments(self.fragments)

    @property
    def is_own(self) -> bool:
        return self.event_lines[0].is_own

    @property
    def events(self) -> list[Event]:
        return [event for line in self.event_lines for event in line.events]

    @property
    def sort_key(self) -> tuple[int, int, int]:
        """Importance: lines about the reader's ships and bad news rank highest."""
        events = self.events
        return (
            (self.is_own or self.concerns_reader) + self.harms_reader,
            max((event.weight for event in events), default=0),
            max((event.headline_score for event in events), default=0),
        )


def tell_story(
    localizer: Localizer,
    events: Sequence[Event],
    seat: Seat | None,
    max_chars: int = MAX_MESSAGE_CHARS,
    *,
    quiet_key: str = "headline.quiet",
    story_ships: StoryShips = NO_SHIPS,
    orders_giver: str = "done",
    other_line_count: int = 0,
) -> Story:
    """Return the story of events that a seat may see (None: everybody), in at most `max_chars` characters.

    Lines of the reader's own ships are all included and come first, losses before gains; of either, the one that
    belongs to an important headline is at the top. If they are too long, they lose their least important events. If
    they are still too long, some ships are only named. The most important lines about others follow in order, while
    there is room. The headline is that of the best event, or the sentence with the key `quiet_key`. `orders_giver` is
    the suffix of the key `outcome.<…>` that says who gave the orders of the reader's ships. `other_line_count` lines
    stand elsewhere in the message.
    """
    builder = StoryBuilder.build(localizer, events, seat, story_ships=story_ships, orders_giver=orders_giver)
    return builder.tell(max_chars, quiet_key, other_line_count)


def _without_first_separator(fragments: Sequence[StoryFragment]) -> tuple[StoryFragment, ...]:
    first, *others = fragments
    return (first._replace(separator=""), *others)


def _shortening_texts(texts: Sequence[str]) -> list[str]:
    """Return the texts joined, then without the last one, and so on, down to the first alone."""
    return [" ".join(texts[:n]) for n in range(len(texts), 0, -1)]


def story_lines(localizer: Localizer, events: Sequence[Event], story_ships: StoryShips = NO_SHIPS) -> list[StoryLine]:
    writer = _StoryWriter(localizer=replace(localizer, rounds_numbers=True), story_ships=story_ships)
    return writer.write_lines(outcomes.event_lines(events, story_ships.own_ships))


def _is_short_deed(line: StoryLine) -> bool:
    """Return whether a line says in words, without orders in notation, what ships did, and is short enough to lead."""
    return len(line.text) <= _MAX_HEADLINE_CHARS and "`" not in line.text and any(e.ship_ids for e in line.events)


def _is_ending(event: Event | None) -> bool:
    return event is not None and event.weight > 2  # the game is decided


def max_lines(events: Iterable[Event]) -> int:
    """Return the most lines of a story, including its headline; it grows with the number of ships named."""
    ships = {ship for event in events for ship in event.ship_ids}
    share = (min(_MANY_SHIPS, max(_FEW_SHIPS, len(ships))) - _FEW_SHIPS) / (_MANY_SHIPS - _FEW_SHIPS)
    return round(MIN_LINES + share * (MAX_LINES - MIN_LINES))


@dataclass(frozen=True, kw_only=True)
class _StoryWriter:
    localizer: Localizer
    story_ships: StoryShips  # the reader's ships, and captured ones
    orders_giver: str = "done"  # suffix of the key `outcome.<…>` that tells a ship's orders

    def write_lines(self, lines: Iterable[EventLine]) -> list[StoryLine]:
        """Return lines in words; lines with the same merge key become one.

        Lines that are about no ship are merged only with their neighbours.
        """
        groups: dict[object, list[EventLine]] = {}
        run_no = 0  # counts runs of neighbouring lines about no ship that can be merged
        previous: tuple[str, Event | None, bool] | None = None
        for line in lines:
            merge_key = self._merge_key(line)
            if not line.ships and (merge_key, line.heading, line.closes_turn) != previous:
                run_no += 1
            previous = (merge_key, line.heading, line.closes_turn)
            # Lines without a ship share a key only within a run, and lines that cannot be merged share none.
            key = (merge_key, line.is_own, not line.ships and run_no) if merge_key else id(line)
            groups.setdefault(key, []).append(line)
        return [
            StoryLine(self._line_fragments(group_lines), tuple(group_lines), self._line_heading(group_lines[0]))
            for group_lines in groups.values()
        ]

    def shorten(self, lines: Sequence[StoryLine], room: int) -> list[StoryLine]:
        """Return lines of ships, shortened to `room` characters by dropping the least important events.

        Each line keeps one event. If that is still too long, the least important lines become one that only names their
        ships.
        """
        remaining = dict(enumerate(lines))
        excess = sum(map(self.line_length, lines)) - room
        while excess > 0:
            least_important = min(_dispensable_events(remaining), default=None)
            if least_important is None:
                break
            index, event_index = least_important.line_index, least_important.event_index
            (line,) = remaining[index].event_lines
            shorter = line._replace(events=(*line.events[:event_index], *line.events[event_index + 1 :]))
            rewritten = StoryLine(self._line_fragments([shorter]), (shorter,), remaining[index].heading)
            excess -= self.line_length(remaining[index]) - self.line_length(rewritten)
            remaining[index] = rewritten
        only_named: list[StoryLine] = []
        while excess > 0 and remaining:
            index = min(reversed(remaining), key=lambda line_index: remaining[line_index].sort_key)
            only_named = [line for n, line in enumerate(lines) if n == index or line in only_named]
            del remaining[index]
            excess = sum(map(self.line_length, [*remaining.values(), self._names_only_line(only_named)])) - room
        names_only_lines = [self._names_only_line(only_named)] if only_named else []
        return [*remaining.values(), *names_only_lines]

    def line_length(self, line: StoryLine) -> int:
        """Return the counted length of a line with the space after its heading and the line break."""
        return self.localizer.style.counted_length(line.heading) + self.localizer.style.counted_length(line.text) + 2

    def _names_only_line(self, lines: Sequence[StoryLine]) -> StoryLine:
        event_lines = tuple(line._replace(events=()) for story_line in lines for line in story_line.event_lines)
        ships = [self.localizer.say("outcome.ship", ship=ship) for line in event_lines for ship in line.ships]
        return StoryLine((StoryFragment(self.localizer.say("outcome.more", ships=ships)),), event_lines)

    def headline_text(self, event: Event) -> str:
        return self.localizer.headline_text(event, self._event_params(event))

    def is_loss(self, event: Event, seat: Seat | None) -> bool:
        """Return whether an event is bad news for the reader, who holds `seat` (None: nobody)."""
        own_ships, gained_ships = self.story_ships.own_ships, self.story_ships.gained_ships
        return seat in event.harmed_seats or (event.harmed_ship in own_ships and event.harmed_ship not in gained_ships)

    def _merge_key(self, line: EventLine) -> str:
        """Return the key of the sentence that merges this line with others; empty if it cannot be merged."""
        keys = {event.list_key for event in line.events}
        return keys.pop() if len(keys) == 1 else ""

    def _line_heading(self, line: EventLine) -> str:
        if line.heading:
            return self._event_sentence(line.heading)
        if line.closes_turn:
            return self.localizer.say("story.turn_closes")
        return "" if line.ships else section_mark(self.localizer, line.events[0]).rstrip()

    def _line_fragments(self, lines: Sequence[EventLine]) -> tuple[StoryFragment, ...]:
        """Return the parts of a line: a sentence of all events if they are orders or merged lines, else the steps."""
        first_line = lines[0]
        events = [event for line in lines for event in line.events]
        if all(event.tells_orders for event in events):  # nothing else happened to the ships
            is_own_or_neutral = first_line.is_own or not self.story_ships.own_ships
            key = f"outcome.{self.orders_giver}" if is_own_or_neutral else ""
            return (StoryFragment(self._merged_text(events, key)),)
        if len(lines) > 1:  # merged, because their sentences differ only in values
            return (StoryFragment(self._merged_text(events)),)
        if not first_line.ships:
            return _join_texts(self._event_texts(events, self._event_sentence))
        outcomes_of_orders = [event for event in events if not event.tells_orders]
        fragments = self._step_fragments(outcomes_of_orders)
        orders = [event for event in reversed(events) if event.tells_orders and event.weight]
        first_orders = {ship: event for event in orders for ship in event.ship_ids[:1]}
        order_texts = [self._event_sentence(first_orders[ship]) for ship in first_line.ships if ship in first_orders]
        if order_texts:
            order_fragments = [StoryFragment(text, _STEP_SEPARATOR if n else "") for n, text in enumerate(order_texts)]
            return (*order_fragments, fragments[0]._replace(separator=_STEP_SEPARATOR), *fragments[1:])
        first_ships = outcomes_of_orders[0].ship_ids
        ship = next((ship for ship in first_ships if ship in first_line.ships), first_line.ships[0])
        return (self._ship_fragment(ship, fragments[0].text), *fragments[1:])

    def _step_fragments(self, events: Iterable[Event]) -> tuple[StoryFragment, ...]:
        """Return a part for each step of a turn; if there is one step without a mark, a part for each event."""
        steps = [
            (mark, _join_texts(self._event_texts(events_of_step, self._event_clause)))
            for mark, events_of_step in groupby(events, key=self._step_mark)
        ]
        (first_mark, first_fragments), *_ = steps
        if len(steps) == 1 and not first_mark:
            return first_fragments
        return tuple(
            StoryFragment(mark + _join_fragments(fragments), _STEP_SEPARATOR if number else "")
            for number, (mark, fragments) in enumerate(steps)
        )

    def _ship_fragment(self, ship: str, sentence: str) -> StoryFragment:
        """Return a sentence with the ship in bold: where it begins with her, else before it."""
        if sentence.startswith((f"{ship} ", f"{ship}-")):  # an ending may follow
            return StoryFragment(
                f"{self.localizer.style.bold(self.localizer.to_markup(ship))}{sentence.removeprefix(ship)}"
            )
        name = self.localizer.style.bold(self.localizer.to_markup(self.localizer.ship_name(ship)))
        return StoryFragment(f"{name}{_STEP_SEPARATOR}{sentence}")

    def _event_texts(self, events: Iterable[Event], say: Callable[[Event], str]) -> list[str]:
        groups = (list(group) for _, group in groupby(events, key=lambda event: event.list_key or id(event)))
        return [self._merged_text(group) if len(group) > 1 else say(group[0]) for group in groups]

    def _merged_text(self, events: Sequence[Event], key: str = "") -> str:
        all_params = [self._event_params(event) for event in events]
        if len(events) == 1 and not key:
            return self._event_sentence(events[0])
        joined_params = {name: [params[name] for params in all_params] for name in all_params[0]}
        return self.localizer.say(key or events[0].list_key, **joined_params)

    def _step_mark(self, event: Event) -> str:
        section = event.section_heading
        if section and self.localizer.catalogue.has(f"clause.{section.key}"):
            return f"{self.localizer.say(f'clause.{section.key}', **section.params)} "
        return section_mark(self.localizer, event)

    def _event_sentence(self, event: Event) -> str:
        return self.localizer.event_text(event, self._event_params(event))

    def _event_clause(self, event: Event) -> str:
        return self.localizer.clause_text(event, self._event_params(event))

    def _event_params(self, event: Event) -> dict[str, Any]:
        """Return the values of an event's sentence; captured ships are given with their holder."""
        if not self.story_ships.captured_ships:
            return event.params
        return {name: self._with_holder(value) for name, value in event.params.items()}

    def _with_holder(self, value: Any) -> Any:  # noqa: ANN401 - any field's value
        match value:
            case str() if value in self.story_ships.captured_ships:
                key = "ship.yours" if value in self.story_ships.own_ships else "ship.held"
                return self.localizer.say(key, ship=value, seat=self.story_ships.captured_ships[value])
            case tuple():
                return tuple(map(self._with_holder, value))
        return value


class StoryBuilder(NamedTuple):
    """Events in the words of one reader, from which a story and its summary are made."""

    writer: _StoryWriter
    events: Sequence[Event]  # events that the reader may see
    lines: Sequence[StoryLine]  # lines of all events, before they are ordered and cut
    seat: Seat | None = None  # the reader; None: everybody

    @classmethod
    def build(
        cls,
        localizer: Localizer,
        events: Sequence[Event],
        seat: Seat | None,
        *,
        story_ships: StoryShips = NO_SHIPS,
        orders_giver: str = "done",
    ) -> StoryBuilder:
        """Return a builder for a seat (None: everybody); other parameters as in `tell_story`."""
        seen_events = visible_events(events, seat)
        localizer = replace(localizer, rounds_numbers=True)
        writer = _StoryWriter(localizer=localizer, story_ships=story_ships, orders_giver=orders_giver)
        lines = writer.write_lines(outcomes.event_lines(seen_events, story_ships.own_ships))
        marked_lines = [
            line._replace(
                concerns_reader=any(seat in event.concerned_seats for event in line.events),
                harms_reader=any(writer.is_loss(event, seat) for event in line.events),
            )
            for line in lines
        ]
        return cls(writer, seen_events, marked_lines, seat)

    def tell(
        self, max_chars: int = MAX_MESSAGE_CHARS, quiet_key: str = "headline.quiet", other_line_count: int = 0
    ) -> Story:
        localizer = self.writer.localizer
        headline, lines = self._choose_headline(quiet_key)
        if not lines:
            return Story(headline, ())
        room = max_chars - localizer.style.counted_length(headline) - 1
        row_limit = max(2 * _MIN_OTHERS_LINES, max_lines(self.events) - 1 - other_line_count)
        rows = _fit_lines(self.writer, lines, room, row_limit)
        if not any(line.is_own for line in lines):  # the line of an own ship must stay whole
            headline, rows = _split_headline(headline, rows, (line.heading for line in lines))
        return Story(headline, tuple(rows))

    def tell_fully(self, quiet_key: str = "headline.quiet") -> FullStory:
        """Return the story of all events, where there is room for each in a row of its own.

        The event of the headline has its row, too, unless it is all there is to tell.
        """
        headline, lines = self._choose_headline(quiet_key)
        paragraphs: list[Paragraph] = []
        last_heading = ""
        for line in lines:
            heading = line.heading if line.heading != last_heading else ""
            paragraphs.append(Paragraph(heading, tuple(_event_rows(line))))
            last_heading = line.heading
        return FullStory(headline, tuple(paragraphs))

    def _choose_headline(self, quiet_key: str) -> tuple[str, list[StoryLine]]:
        """Return the headline of the best event, and in order the lines that it does not make superfluous."""
        weighty_events = [event for event in self.events if event.weight]
        best_event = max(reversed(weighty_events), key=self._headline_rank, default=None)
        if best_event and best_event.headline_score:
            headline = self.writer.headline_text(best_event.with_totals(self.events))
        else:
            headline = str(self.writer.localizer.say(quiet_key))
        ordered_lines = self._order_lines(weighty_events)
        if [line.text for line in ordered_lines] == [headline]:
            return headline, []
        # The headline already says who has won.
        lines = [line for line in ordered_lines if line.events != [best_event] or not _is_ending(best_event)]
        is_quiet = not (best_event and best_event.headline_score)
        if is_quiet and self.seat is None and len(lines) == 1 and _is_short_deed(lines[0]):
            # What the only ship did says more to everybody than that there were no blows.
            return str(lines[0].text), []
        return headline, lines

    def _order_lines(self, weighty_events: Sequence[Event]) -> list[StoryLine]:
        """Return the lines, own ones and bad news for the reader first.

        Of own losses and of own gains, the first is that of the best headline, or for the end of a game of the best
        event before it.
        """
        before_end = [event for event in reversed(weighty_events) if not _is_ending(event)]
        best_cause = max(before_end, key=self._headline_rank, default=None)
        cause = best_cause if best_cause and best_cause.weight > 1 else None
        return sorted(
            self.lines,
            key=lambda line: (
                not line.is_own,
                not line.harms_reader,
                not line.concerns_reader,
                line.is_own and cause not in line.events,
            ),
        )

    def summarise(self) -> StorySummary:
        """Return the news of the reader's own ships, and the best of the others', for a panel."""
        own_lines = [line for line in self.lines if line.is_own or line.concerns_reader]
        own_lines.sort(key=lambda line: line.sort_key, reverse=True)
        others_lines = [line for line in self.lines if line not in own_lines]
        headlines = [*dict.fromkeys(self._rank_headlines(own_lines))]
        has_own_orders = bool(own_lines) and self.writer.orders_giver == "done"
        is_quiet = has_own_orders and all(event.tells_orders for line in own_lines for event in line.events)
        others_headline = next(self._rank_headlines(others_lines), "")
        return StorySummary(
            tuple(dict.fromkeys(self._own_versions(own_lines, headlines))),
            others_headline or self._first_ship_text(others_lines, allows_orders=is_quiet or bool(headlines)),
            tuple(headlines),
            self._losses(own_lines),
            is_quiet,
            is_others_line_in_story=not others_headline,
            is_without_headline=not headlines,
        )

    def _losses(self, lines: Sequence[StoryLine]) -> tuple[Loss, ...]:
        line_by_headline = {
            headline: line.text for line in lines for headline in self._rank_headlines([line], only_losses=True)
        }
        headlines = dict.fromkeys(self._rank_headlines(lines, only_losses=True))
        return tuple(Loss(headline, line_by_headline[headline]) for headline in headlines)

    def _own_versions(self, lines: Sequence[StoryLine], headlines: Sequence[str]) -> list[str]:
        """Return the news of the reader's own lines (most important first) in versions of decreasing length."""
        texts = [line.text for line in lines]
        # The end of a line alone is news only if the line makes a headline.
        fragments = lines[0].fragments if headlines else ()
        later_parts = [
            _join_fragments(_without_first_separator(fragments[start:])) for start in range(1, len(fragments))
        ]
        # The line of a ship that the reader has captured begins with somebody else's orders.
        own_ships = self.writer.story_ships.own_ships
        gained_ship = any(event.captured_ship in own_ships for line in lines for event in line.events)
        preferred, second = (headlines, texts) if gained_ship and headlines else (texts, headlines)
        return [
            *_shortening_texts(preferred),
            *_shortening_texts(second),
            *map(drop_brackets, texts[:1]),
            *later_parts,
            *map(drop_brackets, later_parts),
        ]

    def _first_ship_text(self, lines: Iterable[StoryLine], *, allows_orders: bool) -> str:
        """Return the first line about a ship, or an empty text.

        If the reader's lines make no headline, the orders of others are no news either; the story lists both.
        """
        for line in lines:
            tells_orders = any(event.tells_orders for event in line.events)
            if (allows_orders or not tells_orders) and any(event.ship_ids for event in line.events):
                return line.text
        return ""

    def _headline_rank(self, event: Event) -> tuple[int, bool]:
        return event.with_totals(self.events).headline_score, self._is_news(event)

    def _is_news(self, event: Event) -> bool:
        return self.seat is None or event.acting_seat != self.seat

    def _rank_headlines(self, lines: Iterable[StoryLine], *, only_losses: bool = False) -> Iterator[str]:
        """Return the lines' headlines, best first; among equals those of the reader's own ships first."""

        def rank(event: Event) -> tuple[bool, int, int, bool, bool]:
            harms_reader = self.writer.is_loss(event, self.seat)
            is_about_own_ship = any(ship in self.writer.story_ships.own_ships for ship in event.ship_ids[:1])
            return harms_reader, event.weight, event.headline_score, is_about_own_ship, self._is_news(event)

        events = [
            event.with_totals(self.events)
            for line in lines
            for event in _drop_lesser_causes(line.events)
            if event.weight and event.headline_score and (self.writer.is_loss(event, self.seat) or not only_losses)
        ]
        return map(self.writer.headline_text, sorted(events, key=rank, reverse=True))


def _drop_lesser_causes(events: Sequence[Event]) -> Iterator[Event]:
    """Yield events, except those that a later, better headline about the same ships makes superfluous.

    For example, a ship that loses oars was obviously hit.
    """
    for index, event in enumerate(events):
        later_about_same_ships = (other for other in events[index + 1 :] if {*other.ship_ids} == {*event.ship_ids})
        if not any(other.headline_score > event.headline_score for other in later_about_same_ships):
            yield event


def drop_brackets(text: str) -> str:
    return _BRACKETS_PATTERN.sub("", text)


def _join_texts(texts: Iterable[str]) -> tuple[StoryFragment, ...]:
    fragments = list[StoryFragment]()
    for text in texts:
        separator = ""
        if fragments:
            separator = " " if _SENTENCE_END_PATTERN.search(fragments[-1].text) else "; "
        fragments.append(StoryFragment(text, separator))
    return tuple(fragments)


def _join_fragments(fragments: Iterable[StoryFragment]) -> str:
    return "".join(f"{fragment.separator}{fragment.text}" for fragment in fragments)


class _DispensableEvent(NamedTuple):
    """An event that a line can do without. The least one is dropped first."""

    weight: int
    headline_score: int
    line_index: int
    event_index: int  # within the line


def _dispensable_events(lines: Mapping[int, StoryLine]) -> Iterator[_DispensableEvent]:
    """Yield events that can be dropped from lines that were not merged.

    Orders stay, and of the other events at least one for each ship of the line.
    """
    for index, line in lines.items():
        if len(line.event_lines) == 1:
            (event_line,) = line.event_lines
            droppable = [
                (event_index, event) for event_index, event in enumerate(event_line.events) if not event.tells_orders
            ]
            naming_counts = Counter(ship for _, event in droppable for ship in {*event.ship_ids})
            yield from (
                _DispensableEvent(event.weight, event.headline_score, index, event_index)
                for event_index, event in droppable
                if len(droppable) > 1
                and all(naming_counts[ship] > 1 for ship in {*event.ship_ids} & {*event_line.ships})
            )


def _fit_lines(writer: _StoryWriter, lines: Sequence[StoryLine], room: int, row_limit: int) -> list[str]:
    """Return rows: the lines of own ships, broken where there is room, and the most important lines of others.

    `lines` begins with own lines. The rows take at most `room` characters. The last row says how many events were left
    out, if any were.
    """
    localizer = writer.localizer
    full_own_lines = [line for line in lines if line.is_own]
    last_row_chars = localizer.style.counted_length(localizer.say("thread.left_out", n=_count_events(lines))) + 1
    own_chars = sum(map(writer.line_length, full_own_lines))
    own_fit = own_chars <= room - last_row_chars
    own_lines = full_own_lines if own_fit else writer.shorten(full_own_lines, room - last_row_chars)
    candidates = [*_join_shortest(own_lines, row_limit - _MIN_OTHERS_LINES - 1), *lines[len(full_own_lines) :]]
    ranks = [line.sort_key for line in candidates]
    costs = [writer.line_length(line) for line in candidates]
    max_breaks = (room - last_row_chars - own_chars) // len(_CONTINUATION) if own_fit else 0

    def pick_candidates(last_row_count: int) -> list[int]:
        extra_rows = min(_extra_own_rows(candidates, row_limit - last_row_count), max_breaks)
        room_for_lines = room - last_row_count * last_row_chars - extra_rows * len(_CONTINUATION)
        return pick_weightiest(ranks, costs, room_for_lines, row_limit - extra_rows - last_row_count)

    indices = pick_candidates(last_row_count=0)
    if len(indices) < len(candidates) or not own_fit:  # something is left out, and the last row says so
        indices = pick_candidates(last_row_count=1)
    selected = [candidates[index] for index in indices]
    left_out_count = _count_events(lines) - _count_events(selected)
    last_row = [localizer.say("thread.left_out", n=left_out_count)] if left_out_count else []
    unused_chars = room - sum(costs[index] for index in indices) - (last_row_chars if last_row else 0)
    return [*_break_lines(selected, row_limit - len(last_row), unused_chars), *last_row]


def _split_headline(headline: str, rows: Sequence[str], headings: Iterable[str]) -> tuple[str, list[str]]:
    """Return the headline and the rows without it.

    The headline is replaced by the sentence that says the same and adds the dice, if there is one. If that follows one
    of the `headings`, the heading stays above the next row.
    """
    beginnings = sorted({f"{heading} " for heading in headings if heading}, key=len, reverse=True)
    row_headings = [next((start for start in beginnings if row.startswith(start)), "") for row in rows]
    bodies = [row.removeprefix(start) for row, start in zip(rows, row_headings, strict=True)]
    fuller_sentence = repeats.find_fuller(bodies, headline).removeprefix(_CONTINUATION)
    if fuller_sentence not in ("", headline):
        headline = fuller_sentence[:1].upper() + fuller_sentence[1:]
    kept_rows: list[str] = []
    pending_heading = ""
    for start, body in zip(row_headings, bodies, strict=True):
        pending_heading = start or pending_heading
        for kept in repeats.drop_repeated([body], [headline]):
            kept_rows.append(pending_heading + (kept.removeprefix(_CONTINUATION) if pending_heading else kept))
            pending_heading = ""
    return headline, kept_rows


def _extra_own_rows(lines: Sequence[StoryLine], row_limit: int) -> int:
    """Return how many rows breaking the lines of own ships may add, while the lines of others keep their rows."""
    own_lines = [line for line in lines if line.is_own]
    others_count = min(len(lines) - len(own_lines), _OTHERS_LINES_BEFORE_BREAKS)
    row_count = sum(len(_line_rows(line)) for line in own_lines)
    return max(0, min(row_count, row_limit - others_count) - len(own_lines))


def _count_events(lines: Iterable[StoryLine]) -> int:
    return sum(len(line.events) for line in lines)


class _RowPair(NamedTuple):
    """Two neighbouring rows of a line. The least pair is joined first."""

    is_own: bool  # whether the line is about a ship of the reader
    length: int  # of both, in characters
    line_index: int
    first_row: int  # index within the line


def _break_lines(lines: Sequence[StoryLine], row_limit: int, room: int) -> list[str]:
    """Return the rows of lines, with a heading before the first line below it and long lines broken.

    If that exceeds `row_limit` rows, or `room` characters for the continuation marks, neighbouring rows are joined
    again: those of others first, and the shortest first.
    """
    rows = [_line_rows(line) for line in lines]
    while (extra_rows := sum(map(len, rows)) - len(rows)) and (
        len(rows) + extra_rows > row_limit or extra_rows * len(_CONTINUATION) > room
    ):
        pairs = [
            _RowPair(lines[index].is_own, len(line_rows[n].text) + len(line_rows[n + 1].text), index, n)
            for index, line_rows in enumerate(rows)
            for n in range(len(line_rows) - 1)
        ]
        pair = min(pairs)
        rows_of_line, first = rows[pair.line_index], pair.first_row
        rows_of_line[first : first + 2] = [_join_pair(rows_of_line[first], rows_of_line[first + 1])]
    previous_headings = ["", *(line.heading for line in lines)]
    texts = list[str]()
    for previous_heading, line, (first_row, *more_rows) in zip(previous_headings, lines, rows, strict=False):
        starts_group = line.heading and line.heading != previous_heading
        texts.append(f"{line.heading} {first_row.text}" if starts_group else first_row.text)
        texts += [f"{_CONTINUATION}{row.text}" for row in more_rows]
    return texts


def _line_rows(line: StoryLine) -> list[StoryFragment]:
    """Return the rows of a line: one if it is short, else one for each step.

    Other fragments share rows of at most `LONG_LINE_CHARS`.
    """
    first, *others = line.fragments
    if len(line.text) <= LONG_LINE_CHARS:
        return [StoryFragment(line.text)]
    rows = [first]
    for fragment in others:
        joined = _join_pair(rows[-1], fragment)
        if fragment.separator == _STEP_SEPARATOR or len(joined.text) > LONG_LINE_CHARS:
            rows.append(fragment)
        else:
            rows[-1] = joined
    return rows


def _event_rows(line: StoryLine) -> list[str]:
    """Return a row for each sentence or step of a line; clauses of one sentence share a row."""
    rows: list[str] = []
    for fragment in line.fragments:
        if rows and fragment.separator not in (" ", _STEP_SEPARATOR):
            rows[-1] += f"{fragment.separator}{fragment.text}"
        else:
            rows.append(fragment.text)
    return rows


def _join_pair(fragment: StoryFragment, next_fragment: StoryFragment) -> StoryFragment:
    return fragment._replace(text=f"{fragment.text}{next_fragment.separator}{next_fragment.text}")


def _join_shortest(lines: Sequence[StoryLine], max_count: int) -> list[StoryLine]:
    """Return at most `max_count` lines, by joining the two shortest neighbours repeatedly."""
    joined = list(lines)
    while len(joined) > max_count:
        index = min(range(len(joined) - 1), key=lambda n: len(joined[n].text) + len(joined[n + 1].text))
        line, next_line = joined[index : index + 2]
        first_fragment, *more_fragments = next_line.fragments
        fragments = (*line.fragments, first_fragment._replace(separator=" "), *more_fragments)
        joined[index : index + 2] = [StoryLine(fragments, (*line.event_lines, *next_line.event_lines))]
    return joined
