"""Why: what happened to somebody's ships in a round, in order, with dice, sums and the numbers of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs import stored
from bot.presenters import log, wording
from bot.presenters.log import RoundLog
from bot.presenters.source import GameSource
from bot.texts import speech
from bot.texts.i18n import Localizer
from rules.core.protocol import Event
from rules.core.registry import RULESETS
from rules.interface import outcomes
from rules.interface.outcomes import ShipHolder

ALL_SHIPS: Final = "*"
"""Stands for the choice of all ships."""


class RoundReasons(Struct, frozen=True, kw_only=True):
    log: RoundLog
    round: int  # from 1; 0: before the first round
    state: str  # after the round, as JSON; secret: only jobs may decode it, to derive a seat's view


class Explanation(NamedTuple):
    lines: tuple[str, ...]  # those about one ship follow its name
    cited_rules: tuple[str, ...]  # numbers of the rules that the lines cite, in order
    ships: tuple[str, ...]  # ids of all ships with events that the reader may see, their own first
    ship: str = ""  # the chosen ship, or `ALL_SHIPS`; empty: the reader's own ships


class ExplainedEvent(NamedTuple):
    event: Event
    line: str


async def read_reasons(source: GameSource, user_id: int, round_no: int | None) -> RoundReasons:
    """Read a round (None: the last one). Raises `Refusal` if it was taken back, or the game has not begun."""
    chapters = await source.chapters()
    chapter = next((chapter for chapter in reversed(chapters) if round_no in (chapter.round, None)), None)
    if chapter is None:
        raise Refusal("stale")
    content = await source.read_chapter(chapter)
    round_log = await log.read_round_log(source, user_id, chapter.steps[-1])
    return RoundReasons(log=round_log, round=chapter.round, state=content.state)


def explain_round(
    localizer: Localizer, reasons: RoundReasons, holders: Sequence[ShipHolder], ship: str = ""
) -> Explanation:
    """Explain a round to its reader: the events of their own ships, of one ship, or of all (`ALL_SHIPS`).

    `holders` are all ships that the reader may see, after the round.
    """
    events = _explain_events(localizer, reasons.log)
    return explain_events(events, _own_ships(reasons.log, holders, events), ship)


def explain_events(events: Sequence[ExplainedEvent], own_ships: Iterable[str], ship: str = "") -> Explanation:
    """Choose and order the events of a round for its reader, as `explain_round` does.

    A reader without ships, and one to whose ships nothing happened, gets all events. Events that decide the game are
    never left out.
    """
    ships_with_events = [*dict.fromkeys(name for event in events for name in event.event.ship_ids)]
    own = [name for name in own_ships if name in ships_with_events]
    others = [name for name in ships_with_events if name not in own]
    if ship in ships_with_events:
        sections = [(ship, _events_of(events, ship))]
    elif own and ship != ALL_SHIPS:
        sections = _sections_by_ship(events, own)
    else:
        sections = [("", list(events))]
    section_events = [event for _, section in sections for event in section]
    deciding = [event for event in events if event.event.weight > 2 and event not in section_events]
    lines = [line for name, section in sections for line in _section_lines(name, section)]
    return Explanation(
        lines=(*lines, *(event.line for event in deciding)),
        cited_rules=tuple(
            dict.fromkeys(event.event.rule for event in [*section_events, *deciding] if event.event.rule)
        ),
        ships=(*own, *others),
        ship=ship,
    )


def _own_ships(facts: RoundLog, holders: Sequence[ShipHolder], events: Iterable[ExplainedEvent]) -> tuple[str, ...]:
    """Return the ships of the reader, including those that the enemy has just captured."""
    teams = facts.seated_game.game.setup.teams
    plain_events = [event.event for event in events]
    return outcomes.story_ships(holders, facts.reader_seat, teams, plain_events).own_ships


def _explain_events(localizer: Localizer, facts: RoundLog) -> list[ExplainedEvent]:
    rules = RULESETS[facts.seated_game.game.system]
    explained: list[ExplainedEvent] = []
    for step, late_answers in facts.steps:
        step_localizer = wording.localizer_with_stand_ins(facts.seated_game, localizer, late_answers)
        events = speech.visible_events(stored.read_events(rules, step.events), facts.reader_seat)
        explained += [ExplainedEvent(event, speech.explained_line(step_localizer, event)) for event in events]
    return explained


def _events_of(events: Iterable[ExplainedEvent], ship: str) -> list[ExplainedEvent]:
    return [event for event in events if ship in event.event.ship_ids]


def _sections_by_ship(events: Sequence[ExplainedEvent], ships: Iterable[str]) -> list[tuple[str, list[ExplainedEvent]]]:
    """Return what a story tells of each ship, in order; an event of two ships stands under the first."""
    sections: list[tuple[str, list[ExplainedEvent]]] = []
    rest = list(events)
    for ship in ships:
        section = _events_of(rest, ship)
        rest = [event for event in rest if event not in section]
        weighty = [event for event in section if event.event.weight]
        if weighty:
            sections.append((ship, weighty))
    return sections


def _section_lines(ship: str, events: Iterable[ExplainedEvent]) -> list[str]:
    return [*([f"**{ship}**"] if ship else []), *(event.line for event in events)]
