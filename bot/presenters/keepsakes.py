"""What captains bring home from a game that is over, such as what their ships' crews have learnt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct

from bot.lifecycle.people.keepsakes import ENGAGED_ACT, FETCHED_ACT, NAMED_ACT, UNTAUGHT_ACT_PREFIX, has_keepsakes
from bot.presenters import acts
from bot.presenters.source import GameSource
from bot.store.models.records import KeepsakeRow, LogEntryRow
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.core.errors import OrderError
from rules.core.keepsakes import KeepsakeUpdate, name_number
from rules.core.protocol import Seat
from rules.core.registry import RULESETS
from rules.core.view import Text

MAX_CHARS: Final = 1000
"""Characters of what captains bring home."""


class KeepsakeFacts(Struct, frozen=True, kw_only=True):
    """Whether, and why not, captains bring home what a game has taught."""

    has_any: bool = False
    """Whether they had brought something."""
    untaught_entry: LogEntryRow | None = None
    """Why it has taught nothing."""
    fetched_entry: LogEntryRow | None = None
    """That a captain has taken all of it home before."""
    engaged_entries: tuple[LogEntryRow, ...] = ()
    """What has come home from another game meanwhile."""
    named_entries: tuple[LogEntryRow, ...] = ()
    """What is new is called."""

    @property
    def is_taught(self) -> bool | None:
        """What the game has made of it, as `Ruleset.handed_on` takes it; None: nothing at all."""
        if (
            not self.has_any
            or self.fetched_entry
            or (self.untaught_entry and self.untaught_entry.kind != f"{UNTAUGHT_ACT_PREFIX}brief")
        ):
            return None
        return self.untaught_entry is None


async def read_keepsakes(source: GameSource) -> KeepsakeFacts:
    """What is known of a game that is over."""
    if not has_keepsakes(source.game) or source.game.phase != "over":
        return KeepsakeFacts()
    told = await source.audit_log()
    return KeepsakeFacts(
        has_any=True,
        untaught_entry=next((act for act in told if act.kind.startswith(UNTAUGHT_ACT_PREFIX)), None),
        fetched_entry=next((act for act in told if act.kind == FETCHED_ACT), None),
        engaged_entries=tuple(act for act in told if act.kind == ENGAGED_ACT),
        named_entries=tuple(act for act in told if act.kind == NAMED_ACT),
    )


def keepsake_lines(
    words: Localizer, facts: KeepsakeFacts, handed: Mapping[Seat, Sequence[KeepsakeUpdate]], seat: Seat | None = None
) -> list[str]:
    """A line for each thing that is worth one: of all captains, or of this seat's; and why nothing was learnt.

    Each captain has as much room, so that nobody's long names crowd out another's lines.
    """
    mine = {number: those for number, those in sorted(handed.items()) if seat in (None, number)}
    engaged = [act for act in facts.engaged_entries if act.seat in mine]
    apart = {act.params["crew"] for act in engaged}
    found: list[str] = [
        acts.log_entry_text(words, act) for act in (facts.fetched_entry, facts.untaught_entry, *engaged) if act
    ]
    for number, every in mine.items():
        those = [one for one in every if one.number is None or name_number(number, one.number) not in apart]
        found += _fitting_lines(words, [line for one in those for line in one.sentences], MAX_CHARS // len(mine))
        found += [acts.log_entry_text(words, act) for act in facts.named_entries if act.seat == number]
    return found


def _fitting_lines(words: Localizer, told: Sequence[Text], room: int) -> Iterator[str]:
    """As many of these as so many characters have room for, and how many more there are."""
    for at, text in enumerate(told):
        line = words.say_text(text)
        room -= words.style.counted_length(line) + 1
        if room < 0:
            yield words.say("panel.and_more", n=len(told) - at)
            return
        yield line


def list_pages(words: Localizer, rows: Sequence[KeepsakeRow]) -> list[str]:
    """Pages of what somebody keeps, a line each: what it is called, what it is, and which game has it just now."""
    return speech.split_pages(_keepsake_line(words, row) for row in rows)


def _keepsake_line(words: Localizer, row: KeepsakeRow) -> str:
    key = "keepsake.line" if row.game_id is None else "keepsake.line_away"
    return words.say(key, name=row.name, what=describe_keepsake(words, row), number=row.game_id)


def describe_keepsake(words: Localizer, row: KeepsakeRow) -> Markup:
    """What it is, in the words of its game; of one that can't be read any more only which game it is of."""
    if row.system not in playable_systems():
        return words.to_markup(row.system)
    own = replace(words, catalogue=Catalogue.load(words.catalogue.language, row.system))
    try:
        return own.say_text(RULESETS[row.system].describe_keepsake(row.body, away=row.game_id is not None))
    except OrderError:
        return own.say("game")
