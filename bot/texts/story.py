"""A round in words: what came of the reader's own orders, then what others did."""

from __future__ import annotations

import re
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
"""What ends a sentence, also where its dice follow in brackets; who did it, in brackets, ends none."""
_BRACKETS_PATTERN: Final = re.compile(r" \([^()]*\)")
"""Dice and reasons, which a brief line does without."""
MIN_LINES: Final = 12
"""Lines that a story of `_FEW_SHIPS` ships or fewer may have."""
MAX_LINES: Final = 20
"""Lines that a story of `_MANY_SHIPS` ships or more may have; between these it is a straight line."""
_FEW_SHIPS: Final = 4
_MANY_SHIPS: Final = 30
_MIN_OTHERS_LINES: Final = 2
"""Lines that are left for what others did, however many ships the reader has."""
_OTHERS_LINES_BEFORE_BREAKS: Final = 3
"""Lines of what others did that come before breaking those of own ships."""
LONG_LINE_CHARS: Final = 80
"""Characters of a line, about two rows of a phone: a longer one is broken where there is room for more lines."""
_STEP_SEPARATOR: Final = " · "
"""Between what a ship was ordered and the steps of her round."""
_CONTINUATION: Final = "· "
"""Before what belongs to the ship above."""


class Story(NamedTuple):
    """A round's events as text for one message."""

    headline: str
    lines: tuple[str, ...]


class StorySummary(NamedTuple):
    """The most of a round, for one reader."""

    own_news: tuple[str, ...]
    """What came of the reader's orders, in ever fewer words; nothing if nothing befell the reader."""
    others_news: str
    """What others did that makes the best headline, or their first line of a ship; empty: nothing does."""
    is_quiet: bool = False
    """Whether the reader's ships did as they were ordered, and nothing else befell them."""
    is_others_line_in_story: bool = False
    """Whether what others did is that line, which stands in the story as it is, and no headline."""
    is_without_headline: bool = False
    """Whether nothing of what came of the reader's orders makes a headline: they know that they sailed."""


class StoryFragment(NamedTuple):
    """A step or a happening of a line: where there is room, it has a line of its own."""

    text: str
    separator: str = ""
    """What stands between it and the piece before it in the same line."""


class StoryLine(NamedTuple):
    """A line in words."""

    fragments: tuple[StoryFragment, ...]
    event_lines: tuple[EventLine, ...]
    """Those that are told together."""
    heading: str = ""
    """Who acts in it; told once above all such lines."""
    concerns_reader: bool = False
    """Whether it concerns the reader though it tells of none of their ships."""
    harms_reader: bool = False
    """Whether it is bad news for the reader."""

    @property
    def text(self) -> str:
        """All of it in one line."""
        return _join_fragments(self.fragments)

    @property
    def is_own(self) -> bool:
        """Whether it tells what came of the reader's own ships."""
        return self.event_lines[0].is_own

    @property
    def events(self) -> list[Event]:
        """All that it tells."""
        return [event for line in self.event_lines for event in line.events]

    @property
    def sort_key(self) -> tuple[int, int, int]:
        """How much it weighs: the reader's own ships more than anything else, and bad news more than other news."""
        events = self.events
        return (
            (self.is_own or self.concerns_reader) + self.harms_reader,
            max(map(_event_weight, events), default=0),
            max(map(_headline_score, events), default=0),
        )


def tell_story(
    words: Localizer,
    events: Sequence[Event],
    seat: Seat | None,
    most: int = MAX_MESSAGE_CHARS,
    *,
    nothing: str = "headline.quiet",
    whose: StoryShips = NO_SHIPS,
    by: str = "done",
    beside: int = 0,
) -> Story:
    """Return what a seat (None: everybody) may know of some events, in so many characters.

    The lines of the reader's own ships come first, and all of them: first that of a weighty headline. If there isn't
    room for all that befell them, they lose what weighs least; if there isn't even then, some ships are only named. Of
    the others' lines those of most weight follow, in order, as far as there is room. The headline is that of the event
    which makes the best one, or the sentence with the key `nothing`. `by` says whose orders the reader's ships had, as
    `outcome.<by>`; so many lines stand `beside` it in its message.
    """
    return StoryBuilder.build(words, events, seat, whose=whose, by=by).tell(most, nothing, beside)


def _without_first_separator(pieces: Sequence[StoryFragment]) -> tuple[StoryFragment, ...]:
    """The same pieces with nothing before the first."""
    first, *others = pieces
    return (first._replace(separator=""), *others)


def _shortening_texts(texts: Sequence[str]) -> list[str]:
    """All of some texts in one line, then all but the last, and so on."""
    return [" ".join(texts[:n]) for n in range(len(texts), 0, -1)]


def story_lines(words: Localizer, events: Sequence[Event], whose: StoryShips = NO_SHIPS) -> list[StoryLine]:
    """Return all lines of events that a reader may know, with those of their own ships first."""
    return _StoryWriter(localizer=replace(words, rounds_numbers=True), ship_holders=whose).write_lines(
        outcomes.event_lines(events, whose.own_ships)
    )


def _is_ending(event: Event | None) -> bool:
    """Whether it says how the game ended."""
    return event is not None and event.weight > 2


def _headline_score(event: Event) -> int:
    return event.headline_score


def _event_weight(event: Event) -> int:
    return event.weight


def max_lines(events: Iterable[Event]) -> int:
    """Return how many lines a story may have with its headline: the more, the more ships it names."""
    ships = {ship for event in events for ship in event.ship_ids}
    more = (min(_MANY_SHIPS, max(_FEW_SHIPS, len(ships))) - _FEW_SHIPS) / (_MANY_SHIPS - _FEW_SHIPS)
    return round(MIN_LINES + more * (MAX_LINES - MIN_LINES))


@dataclass(frozen=True, kw_only=True)
class _StoryWriter:
    """Puts lines of events into words."""

    localizer: Localizer
    ship_holders: StoryShips
    orders_giver: str = "done"

    def write_lines(self, lines: Iterable[EventLine]) -> list[StoryLine]:
        """Lines in words; what is the same of several ships is one line, of moments only if they are neighbours."""
        found: dict[object, list[EventLine]] = {}
        group, last = 0, None
        for line in lines:
            same = self._merge_key(line)
            if not line.ships and (same, line.heading) != last:
                group += 1
            last = (same, line.heading)
            key = (same, line.is_own, not line.ships and group) if same else id(line)
            found.setdefault(key, []).append(line)
        return [
            StoryLine(self._line_fragments(alike), tuple(alike), self._line_heading(alike[0]))
            for alike in found.values()
        ]

    def shorten(self, lines: Sequence[StoryLine], room: int) -> list[StoryLine]:
        """Lines of ships in so many characters: without the events of least weight, but with one each.

        If there isn't room for that either, the lines of least rank become one, which only names their ships.
        """
        found = dict(enumerate(lines))
        over = sum(map(self.line_length, lines)) - room
        while over > 0 and (least := min(_dispensable_events(found), default=None)):
            *_, at, nth = least
            (line,) = found[at].event_lines
            shorter = line._replace(events=(*line.events[:nth], *line.events[nth + 1 :]))
            told = StoryLine(self._line_fragments([shorter]), (shorter,), found[at].heading)
            over -= self.line_length(found[at]) - self.line_length(told)
            found[at] = told
        named: list[StoryLine] = []
        while over > 0 and found:
            at = min(reversed(found), key=lambda one: found[one].sort_key)
            named = [one for n, one in enumerate(lines) if n == at or one in named]
            del found[at]
            over = sum(map(self.line_length, [*found.values(), self._names_only_line(named)])) - room
        return [*found.values(), *([self._names_only_line(named)] if named else [])]

    def line_length(self, line: StoryLine) -> int:
        """Characters that a line takes."""
        return self.localizer.style.counted_length(line.heading) + self.localizer.style.counted_length(line.text) + 2

    def _names_only_line(self, lines: Sequence[StoryLine]) -> StoryLine:
        """One line for ships of which there is no room to tell what befell them."""
        every = tuple(line._replace(events=()) for one in lines for line in one.event_lines)
        ships = [self.localizer.say("outcome.ship", ship=ship) for line in every for ship in line.ships]
        return StoryLine((StoryFragment(self.localizer.say("outcome.more", ships=ships)),), every)

    def headline_text(self, event: Event) -> str:
        """An event as a headline."""
        return self.localizer.headline_text(event, self._event_params(event))

    def _merge_key(self, line: EventLine) -> str:
        """The sentence that tells this line together with others; empty: it has a line of its own."""
        keys = {event.list_key for event in line.events}
        return keys.pop() if len(keys) == 1 else ""

    def _line_heading(self, line: EventLine) -> str:
        """Who acts in a line, or the mark of the step of which it tells alone."""
        if line.heading:
            return self._event_sentence(line.heading)
        return "" if line.ships else section_mark(self.localizer, line.events[0]).rstrip()

    def _line_fragments(self, lines: Sequence[EventLine]) -> tuple[StoryFragment, ...]:
        """A line in words, or several that are told together."""
        first = lines[0]
        events = [event for line in lines for event in line.events]
        if all(event.tells_orders for event in events):
            done = first.is_own or not self.ship_holders.own_ships
            return (StoryFragment(self._merged_text(events, f"outcome.{self.orders_giver}" if done else "")),)
        if len(lines) > 1:
            return (StoryFragment(self._merged_text(events)),)
        if not first.ships:
            return _join_texts(self._event_texts(events, self._event_sentence))
        orders = [event for event in events if event.tells_orders and event.weight]
        begun = self._event_sentence(orders[0]) if orders else ""
        others = [event for event in events if not event.tells_orders]
        what = self._step_fragments(others)
        if begun:
            return (StoryFragment(begun), what[0]._replace(separator=_STEP_SEPARATOR), *what[1:])
        return (self._ship_fragment(first.ships[0], what[0].text), *what[1:])

    def _step_fragments(self, events: Iterable[Event]) -> tuple[StoryFragment, ...]:
        """What befell a ship: a piece for each step of the round or, where rounds have none, for each happening."""
        steps = [
            (mark, _join_texts(self._event_texts(of_step, self._event_clause)))
            for mark, of_step in groupby(events, key=self._step_mark)
        ]
        (first, happened), *_ = steps
        if len(steps) == 1 and not first:
            return happened
        return tuple(
            StoryFragment(mark + _join_fragments(told), _STEP_SEPARATOR if n else "")
            for n, (mark, told) in enumerate(steps)
        )

    def _ship_fragment(self, ship: str, what: str) -> StoryFragment:
        """How a line of a ship begins: her name stands out."""
        if what.startswith((f"{ship} ", f"{ship}-")):  # an ending may follow
            return StoryFragment(
                f"{self.localizer.style.bold(self.localizer.to_markup(ship))}{what.removeprefix(ship)}"
            )
        return StoryFragment(f"{self.localizer.say('outcome.ship', ship=ship)}{_STEP_SEPARATOR}{what}")

    def _event_texts(self, events: Iterable[Event], say: Callable[[Event], str]) -> list[str]:
        """Events in words; neighbours of one `list_key` in one sentence."""
        several = (list(alike) for _, alike in groupby(events, key=lambda event: event.list_key or id(event)))
        return [self._merged_text(alike) if len(alike) > 1 else say(alike[0]) for alike in several]

    def _merged_text(self, events: Sequence[Event], key: str = "") -> str:
        """One sentence for several events of the same `list_key`: that, or the one of another key."""
        values = [self._event_params(event) for event in events]
        if len(events) == 1 and not key:
            return self._event_sentence(events[0])
        return self.localizer.say(
            key or events[0].list_key, **{name: [one[name] for one in values] for name in values[0]}
        )

    def _step_mark(self, event: Event) -> str:
        """The mark of a step within a line; empty: it happened in none."""
        section = event.section_heading
        if section and self.localizer.catalogue.has(f"clause.{section.key}"):
            return f"{self.localizer.say(f'clause.{section.key}', **section.params)} "
        return section_mark(self.localizer, event)

    def _event_sentence(self, event: Event) -> str:
        return self.localizer.event_text(event, self._event_params(event))

    def _event_clause(self, event: Event) -> str:
        return self.localizer.clause_text(event, self._event_params(event))

    def _event_params(self, event: Event) -> dict[str, Any]:
        """What its sentence may name; of ships that were taken it says whose they are."""
        taken = self.ship_holders.captured_ships
        return {name: self._with_holder(value) for name, value in event.params.items()} if taken else event.params

    def _with_holder(self, value: Any) -> Any:  # noqa: ANN401 - any field's value
        match value:
            case str() if value in self.ship_holders.captured_ships:
                key = "ship.yours" if value in self.ship_holders.own_ships else "ship.held"
                return self.localizer.say(key, ship=value, seat=self.ship_holders.captured_ships[value])
            case tuple():
                return tuple(map(self._with_holder, value))
        return value


class StoryBuilder(NamedTuple):
    """Events in the words of one reader, of which a story and a gist are made."""

    writer: _StoryWriter
    events: Sequence[Event]
    """Those that the reader may know of."""
    lines: Sequence[StoryLine]
    seat: Seat | None = None
    """The reader's."""

    @classmethod
    def build(
        cls,
        words: Localizer,
        events: Sequence[Event],
        seat: Seat | None,
        *,
        whose: StoryShips = NO_SHIPS,
        by: str = "done",
    ) -> StoryBuilder:
        """Put into words what a seat (None: everybody) may know of events; `whose` and `by` as for `tell_story`."""
        seen = visible_events(events, seat)
        teller = _StoryWriter(localizer=replace(words, rounds_numbers=True), ship_holders=whose, orders_giver=by)
        lines = teller.write_lines(outcomes.event_lines(seen, whose.own_ships))
        told = [
            one._replace(
                concerns_reader=any(seat in event.concerned_seats for event in one.events),
                harms_reader=any(seat in event.harmed_seats for event in one.events),
            )
            for one in lines
        ]
        return cls(teller, seen, told, seat)

    def tell(self, most: int = MAX_MESSAGE_CHARS, nothing: str = "headline.quiet", beside: int = 0) -> Story:
        """Return all of it as far as there is room, as `tell_story` does."""
        words = self.writer.localizer
        told = [event for event in self.events if event.weight]
        best = max(reversed(told), key=self._headline_rank, default=None)
        headline = (
            self.writer.headline_text(best.with_totals(self.events))
            if best and best.headline_score
            else words.say(nothing)
        )
        # How it came to what the headline says is read first; of an end, what came before it.
        before = max(
            (event for event in reversed(told) if not _is_ending(event)), key=self._headline_rank, default=None
        )
        leads = before if before and before.weight > 1 else None
        every = sorted(
            self.lines,
            key=lambda one: (
                not one.is_own,
                not one.harms_reader,
                not one.concerns_reader,
                one.is_own and leads not in one.events,
            ),
        )
        if [one.text for one in every] == [headline]:
            return Story(headline, ())
        # The headline says who has won.
        lines = [one for one in every if one.events != [best] or not _is_ending(best)]
        room = most - words.style.counted_length(headline) - 1
        lines_left = max(2 * _MIN_OTHERS_LINES, max_lines(self.events) - 1 - beside)
        fitted = _fit_lines(self.writer, lines, room, lines_left)
        if not any(one.is_own for one in every):  # who has ships of their own there reads of each in her line
            headline, fitted = _split_headline(headline, fitted)
        return Story(headline, tuple(fitted))

    def summarise(self) -> StorySummary:
        """Return what came of the reader's orders, and the most that others did."""
        mine = sorted(
            (one for one in self.lines if one.is_own or one.concerns_reader), key=lambda one: one.sort_key, reverse=True
        )
        others = [one for one in self.lines if one not in mine]
        texts, headlines = [one.text for one in mine], [*dict.fromkeys(self._rank_headlines(mine))]
        # Of what makes no headline the end of a line alone is no news: all of it comes in order.
        top = mine[:1] if headlines else []
        happened = [
            _join_fragments(_without_first_separator(one.fragments[n:]))
            for one in top
            for n in range(1, len(one.fragments))
        ]
        # Of a ship that the reader has got by it, her line begins with what somebody else had ordered.
        got = any(event.captured_ship in self.writer.ship_holders.own_ships for one in mine for event in one.events)
        whole = (
            [*_shortening_texts(headlines), *_shortening_texts(texts)]
            if got and headlines
            else [*_shortening_texts(texts), *_shortening_texts(headlines)]
        )
        ways = [*whole, *map(drop_brackets, texts[:1]), *happened, *map(drop_brackets, happened)]
        as_ordered = bool(mine) and self.writer.orders_giver == "done"
        quiet = as_ordered and all(event.tells_orders for one in mine for event in one.events)
        # Beside own lines that make no headline what others ordered is none either: all of that comes in order.
        news = (one for one in others if quiet or headlines or not any(event.tells_orders for event in one.events))
        of_ships = (one.text for one in news if any(event.ship_ids for event in one.events))
        head = next(self._rank_headlines(others), "")
        theirs = head or next(of_ships, "")
        return StorySummary(
            tuple(dict.fromkeys(ways)),
            theirs,
            quiet,
            is_others_line_in_story=not head,
            is_without_headline=not headlines,
        )

    def _headline_rank(self, event: Event) -> tuple[int, bool]:
        return event.with_totals(self.events).headline_score, self._is_news(event)

    def _is_news(self, event: Event) -> bool:
        """Whether the reader doesn't know of it already."""
        return self.seat is None or event.acting_seat != self.seat

    def _rank_headlines(self, lines: Iterable[StoryLine]) -> Iterator[str]:
        """The headlines that these lines make, the best first; of equal ones, that of the reader's own ship."""

        def weighs(event: Event) -> tuple[bool, int, int, bool, bool]:
            harms = self.seat in event.harmed_seats
            return (
                harms,
                event.weight,
                event.headline_score,
                not {*event.ship_ids[:1]}.isdisjoint(self.writer.ship_holders.own_ships),
                self._is_news(event),
            )

        found = [
            event.with_totals(self.events)
            for one in lines
            for event in _drop_lesser_causes(one.events)
            if event.weight and event.headline_score
        ]
        return map(self.writer.headline_text, sorted(found, key=weighs, reverse=True))


def _drop_lesser_causes(events: Sequence[Event]) -> Iterator[Event]:
    """Events without those after which there was a greater one between the same ships: who loses oars was hit."""
    for n, event in enumerate(events):
        later = (one for one in events[n + 1 :] if {*one.ship_ids} == {*event.ship_ids})
        if not any(one.headline_score > event.headline_score for one in later):
            yield event


def drop_brackets(text: str) -> str:
    """A line without what stands in brackets."""
    return _BRACKETS_PATTERN.sub("", text)


def _join_texts(texts: Iterable[str]) -> tuple[StoryFragment, ...]:
    """Clauses and sentences, one after the other."""
    told = list[StoryFragment]()
    for text in texts:
        after = "" if not told else " " if _SENTENCE_END_PATTERN.search(told[-1].text) else "; "
        told.append(StoryFragment(text, after))
    return tuple(told)


def _join_fragments(pieces: Iterable[StoryFragment]) -> str:
    """Pieces in one line."""
    return "".join(f"{piece.separator}{piece.text}" for piece in pieces)


def _dispensable_events(lines: Mapping[int, StoryLine]) -> Iterator[tuple[int, int, int, int]]:
    """Events that lines of one ship can do without: weight, worth as a headline, which line, and which event there.

    What she was ordered stays, and of all else what weighs most.
    """
    for at, one in lines.items():
        if len(one.event_lines) == 1:
            befell = [(n, event) for n, event in enumerate(one.event_lines[0].events) if not event.tells_orders]
            yield from ((event.weight, event.headline_score, at, n) for n, event in befell if len(befell) > 1)


def _fit_lines(teller: _StoryWriter, lines: Sequence[StoryLine], room: int, most: int) -> list[str]:
    """The lines of own ships, broken where there is room, then the others' of most weight; and where the rest is."""
    words, own = teller.localizer, [one for one in lines if one.is_own]
    spare = words.style.counted_length(words.say("thread.left_out", n=_count_events(lines))) + 1
    fits = sum(map(teller.line_length, own)) <= room - spare
    mine = own if fits else teller.shorten(own, room - spare)
    every = [*_join_shortest(mine, most - _MIN_OTHERS_LINES - 1), *lines[len(own) :]]
    ranks = [one.sort_key for one in every]
    costs = [teller.line_length(one) for one in every]
    breaks = (room - spare - sum(map(teller.line_length, own))) // len(_CONTINUATION) if fits else 0
    for left_out in (False, True):
        more = min(_extra_own_lines(every, most - left_out), breaks)
        kept = pick_weightiest(
            ranks, costs, room - (spare if left_out else 0) - more * len(_CONTINUATION), most - more - left_out
        )
        if len(kept) == len(every) and fits:
            break
    shown = [every[index] for index in kept]
    ends = [words.say("thread.left_out", n=missing)] if (missing := _count_events(lines) - _count_events(shown)) else []
    unused = room - sum(costs[index] for index in kept) - (spare if ends else 0)
    return [*_break_lines(shown, most - len(ends), unused), *ends]


def _split_headline(headline: str, lines: Sequence[str]) -> tuple[str, list[str]]:
    """A headline as a line says it, with its dice, if one does, and what is left of the lines."""
    fuller = repeats.find_fuller(lines, headline).removeprefix(_CONTINUATION)
    if fuller not in ("", headline):
        headline = fuller[:1].upper() + fuller[1:]
    return headline, [*repeats.drop_repeated(lines, [headline])]


def _extra_own_lines(lines: Sequence[StoryLine], most: int) -> int:
    """How many more lines own ships get than one each, where the others' keep some."""
    own = [one for one in lines if one.is_own]
    others = min(len(lines) - len(own), _OTHERS_LINES_BEFORE_BREAKS)
    return max(0, min(sum(len(_line_rows(one)) for one in own), most - others) - len(own))


def _count_events(lines: Iterable[StoryLine]) -> int:
    """How many events these lines tell."""
    return sum(len(one.events) for one in lines)


def _break_lines(lines: Sequence[StoryLine], most: int, room: int) -> list[str]:
    """Lines, the first below each heading with it, and long ones broken between their pieces.

    As far as there is room for so many lines, and for so many more characters; of what has no room the others' pieces
    are put together first, and the shortest neighbours.
    """
    rows = [_line_rows(one) for one in lines]
    while (more := sum(map(len, rows)) - len(rows)) and (len(rows) + more > most or more * len(_CONTINUATION) > room):
        pairs = [
            (lines[at].is_own, len(of_line[n].text) + len(of_line[n + 1].text), at, n)
            for at, of_line in enumerate(rows)
            for n in range(len(of_line) - 1)
        ]
        *_, at, n = min(pairs)
        rows[at][n : n + 2] = [_join_pair(rows[at][n], rows[at][n + 1])]
    before = ["", *(one.heading for one in lines)]
    found = list[str]()
    for last, one, (first, *rest) in zip(before, lines, rows, strict=False):
        heads = one.heading and one.heading != last
        found += [
            f"{one.heading} {first.text}" if heads else first.text,
            *(f"{_CONTINUATION}{row.text}" for row in rest),
        ]
    return found


def _line_rows(line: StoryLine) -> list[StoryFragment]:
    """What a line becomes where there is room: steps each in a line, of other happenings as many as two rows hold."""
    first, *others = line.fragments
    if len(line.text) <= LONG_LINE_CHARS:
        return [StoryFragment(line.text)]
    found = [first]
    for piece in others:
        together = _join_pair(found[-1], piece)
        if piece.separator == _STEP_SEPARATOR or len(together.text) > LONG_LINE_CHARS:
            found.append(piece)
        else:
            found[-1] = together
    return found


def _join_pair(piece: StoryFragment, other: StoryFragment) -> StoryFragment:
    """Two neighbours in one."""
    return piece._replace(text=f"{piece.text}{other.separator}{other.text}")


def _join_shortest(lines: Sequence[StoryLine], most: int) -> list[StoryLine]:
    """The same in at most so many lines: while there are more, the two neighbours that are shortest become one."""
    found = list(lines)
    while len(found) > most:
        at = min(range(len(found) - 1), key=lambda index: len(found[index].text) + len(found[index + 1].text))
        one, other = found[at : at + 2]
        begun, *rest = other.fragments
        found[at : at + 2] = [
            StoryLine((*one.fragments, begun._replace(separator=" "), *rest), (*one.event_lines, *other.event_lines))
        ]
    return found
