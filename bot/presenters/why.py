"""Why: what happened to somebody's ships in a round, in order, with dice, sums and the numbers of the rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs import stored
from bot.presenters import log, wording
from bot.presenters.log import RoundLog
from bot.presenters.source import GameSource
from bot.texts import speech
from bot.texts.i18n import Localizer
from rules.core.protocol import Event, Seat
from rules.core.registry import RULESETS
from rules.interface import outcomes
from rules.interface.outcomes import ShipHolder

ALL_SHIPS: Final = "*"
"""Stands for the choice of all ships."""


class RoundReasons(Struct, frozen=True, kw_only=True):
    log: RoundLog
    round: int  # from 1; 0: before the first round
    state: str  # after the round, as JSON; secret: only jobs may decode it, to derive a seat's view
    state_before: str  # before the round, likewise; empty: the round is the game's first chapter


class Explanation(NamedTuple):
    lines: tuple[str, ...]  # those about one ship follow its name
    cited_rules: tuple[str, ...]  # numbers of the rules that the lines cite, in order
    ships: tuple[str, ...]  # ids of all ships with events that the reader may see, their own first
    ship: str = ""  # the chosen ship, or `ALL_SHIPS`; empty: the reader's own ships


class ExplainedEvent(NamedTuple):
    event: Event
    line: str


class _Section(NamedTuple):
    ships: tuple[str, ...]  # named in its heading; empty: no heading
    events: list[ExplainedEvent]


class ShipHolders(NamedTuple):
    """The ships that the reader may see, before and after a round."""

    before: tuple[ShipHolder, ...]
    after: tuple[ShipHolder, ...]


class Reader(NamedTuple):
    """The reader of an explanation."""

    seat: Seat | None  # None: a spectator
    own_ships: tuple[str, ...] = ()  # in display order
    gained_ships: frozenset[str] = frozenset()  # those that the reader's side captured in the round

    def is_harmed_by(self, event: Event) -> bool:
        ship = event.harmed_ship
        return self.seat in event.harmed_seats or (ship in self.own_ships and ship not in self.gained_ships)

    def is_concerned_by(self, event: Event) -> bool:
        return self.seat in event.concerned_seats or self.is_harmed_by(event)


async def read_reasons(source: GameSource, user_id: int, round_no: int | None) -> RoundReasons:
    """Read a round (None: the last one). Raises `Refusal` if it was taken back, or the game has not begun."""
    chapters = await source.chapters()
    index = next((n for n, chapter in reversed([*enumerate(chapters)]) if round_no in (chapter.round, None)), None)
    if index is None:
        raise Refusal("stale")
    chapter = chapters[index]
    step_before = await source.find_step(chapters[index - 1].steps[-1]) if index else None
    content = await source.read_chapter(chapter)
    return RoundReasons(
        log=await log.read_round_log(source, user_id, chapter.steps[-1]),
        round=chapter.round,
        state=content.state,
        state_before=step_before.state if step_before else "",
    )


def explain_round(localizer: Localizer, reasons: RoundReasons, holders: ShipHolders, ship: str = "") -> Explanation:
    """Explain a round to its reader: what concerned them and their ships, or one ship, or all (`ALL_SHIPS`)."""
    events = _explain_events(localizer, reasons.log)
    reader = find_reader(
        holders, reasons.log.reader_seat, reasons.log.seated_game.game.setup.teams, [event.event for event in events]
    )
    return explain_events(events, reader, ship, localizer.ship_name)


def find_reader(holders: ShipHolders, seat: Seat | None, teams: Sequence[int], events: Sequence[Event]) -> Reader:
    """Return the reader with the ships that they held before or after the round, also those captured in it."""
    after = outcomes.story_ships(holders.after, seat, teams, events)
    before = [holder.ship for holder in holders.before if seat is not None and holder.seat == seat]
    return Reader(seat, (*dict.fromkeys([*after.own_ships, *before]),), after.gained_ships)


def explain_events(
    events: Sequence[ExplainedEvent], reader: Reader, ship: str = "", name_of: Callable[[str], str] = str
) -> Explanation:
    """Choose and order the events of a round for its reader, as `explain_round` does.

    Events that concern the reader but name none of their ships come first, then those of each own ship; own ships that
    an event names together share a heading. A reader without ships gets all events, and so does one if nothing
    concerned them. Events that decide the game are never left out. `name_of` returns a ship's name in headings.
    """
    ships_with_events = [*dict.fromkeys(name for event in events for name in event.event.explained_ships)]
    own = [name for name in reader.own_ships if name in ships_with_events]
    others = [name for name in ships_with_events if name not in own]
    sections = [_Section((), list(events))]
    if ship in ships_with_events:
        sections = [_Section((ship,), _events_of(events, ship))]
    elif ship != ALL_SHIPS:
        sections = _sections_of_reader(events, reader) or sections
    section_events = [event for _, section in sections for event in section]
    deciding = [event for event in events if event.event.decides_game and event not in section_events]
    lines = [line for names, section in sections for line in _section_lines(", ".join(map(name_of, names)), section)]
    return Explanation(
        lines=(*lines, *(event.line for event in deciding)),
        cited_rules=tuple(
            dict.fromkeys(rule for event in [*section_events, *deciding] for rule in event.event.cited_rules)
        ),
        ships=(*own, *others),
        ship=ship,
    )


def _explain_events(localizer: Localizer, facts: RoundLog) -> list[ExplainedEvent]:
    rules = RULESETS[facts.seated_game.game.system]
    explained: list[ExplainedEvent] = []
    for step, late_answers in facts.steps:
        step_localizer = wording.localizer_with_stand_ins(facts.seated_game, localizer, late_answers)
        events = speech.visible_events(stored.read_events(rules, step.events), facts.reader_seat)
        explained += [ExplainedEvent(event, speech.explained_line(step_localizer, event)) for event in events]
    return explained


def _events_of(events: Iterable[ExplainedEvent], ship: str) -> list[ExplainedEvent]:
    return [event for event in events if ship in event.event.explained_ships]


def _sections_of_reader(events: Sequence[ExplainedEvent], reader: Reader) -> list[_Section]:
    """Return what concerns the reader, then what a story tells of each block of ships, in order.

    Reports that are never news, such as where one's fleet lies, need others beside them.
    """
    sections: list[_Section] = []
    rest = list(events)
    weighty_events = [event for event in events if event.event.weight or reader.is_harmed_by(event.event)]
    for ships in outcomes.ship_blocks((event.event for event in weighty_events), reader.own_ships):
        section = _events_of_block(rest, ships)
        rest = [event for event in rest if event not in section]
        weighty = [event for event in section if event in weighty_events]
        if weighty:
            sections.append(_Section(ships, weighty))
    concerning = [event for event in rest if reader.is_concerned_by(event.event)]
    if sections or any(event.event.headline_score for event in concerning):
        sections[:0] = [_Section((), concerning)] if concerning else []
    return sections


def _events_of_block(events: Sequence[ExplainedEvent], ships: Collection[str]) -> list[ExplainedEvent]:
    """Return the events that name one of the ships, each with those that continue it, such as a target's defence."""
    chosen: list[ExplainedEvent] = []
    previous: ExplainedEvent | None = None
    for event in events:
        names_block = not {*event.event.ship_ids}.isdisjoint(ships)
        continues_block = (
            event.event.continues_line
            and previous is not None
            and previous in chosen[-1:]
            and not {*event.event.ship_ids}.isdisjoint(previous.event.ship_ids)
        )
        if names_block or continues_block:
            chosen.append(event)
        previous = event
    return chosen


def _section_lines(heading: str, events: Iterable[ExplainedEvent]) -> list[str]:
    return [*([f"**{heading}**"] if heading else []), *(event.line for event in events)]
