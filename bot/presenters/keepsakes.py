"""Describe the keepsakes of a finished game, such as the skills of crews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from msgspec import Struct

from bot.lifecycle.people.keepsakes import (
    ENGAGED_ACT,
    FETCHED_ACT,
    NAMED_ACT,
    ONLY_LOSSES_ACTS,
    UNTAUGHT_ACT_PREFIX,
    has_keepsakes,
)
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


class KeepsakeFacts(Struct, frozen=True, kw_only=True):
    """Whether captains keep what a game taught, and why not."""

    has_any: bool = False  # whether captains brought keepsakes into the game
    untaught_entry: LogEntryRow | None = None  # says why captains keep nothing of what the game taught
    fetched_entry: LogEntryRow | None = None  # says that a captain took everything home before the end
    engaged_entries: tuple[LogEntryRow, ...] = ()  # each says that a changed keepsake was in use elsewhere
    named_entries: tuple[LogEntryRow, ...] = ()  # names that captains gave to keepsakes

    @property
    def is_taught(self) -> bool | None:
        """The argument of `Ruleset.handed_on`; None if the game changes no keepsakes."""
        only_losses_count = self.untaught_entry and self.untaught_entry.kind in ONLY_LOSSES_ACTS
        changes_nothing = self.untaught_entry and not only_losses_count
        if not self.has_any or self.fetched_entry or changes_nothing:
            return None
        return self.untaught_entry is None


async def read_keepsakes(source: GameSource) -> KeepsakeFacts:
    if not has_keepsakes(source.game) or source.game.phase != "over":
        return KeepsakeFacts()
    log = await source.audit_log()
    return KeepsakeFacts(
        has_any=True,
        untaught_entry=next((entry for entry in log if entry.kind.startswith(UNTAUGHT_ACT_PREFIX)), None),
        fetched_entry=next((entry for entry in log if entry.kind == FETCHED_ACT), None),
        engaged_entries=tuple(entry for entry in log if entry.kind == ENGAGED_ACT),
        named_entries=tuple(entry for entry in log if entry.kind == NAMED_ACT),
    )


def keepsake_lines(
    localizer: Localizer,
    facts: KeepsakeFacts,
    all_updates: Mapping[Seat, Sequence[KeepsakeUpdate]],
    seat: Seat | None = None,
) -> list[str]:
    """Return lines about the keepsakes of all captains, or of one seat, and why nothing was learnt.

    Each captain has the same room, so that long names cannot displace the lines of others.
    """
    updates_by_seat = {key: updates for key, updates in sorted(all_updates.items()) if seat in (None, key)}
    engaged_entries = [entry for entry in facts.engaged_entries if entry.seat in updates_by_seat]
    engaged_crews = {entry.params["crew"] for entry in engaged_entries}
    general_entries = (facts.fetched_entry, facts.untaught_entry, *engaged_entries)
    lines: list[str] = [acts.log_entry_text(localizer, entry) for entry in general_entries if entry]
    for captain_seat, updates in updates_by_seat.items():
        own_updates = [
            update
            for update in updates
            if update.number is None or name_number(captain_seat, update.number) not in engaged_crews
        ]
        sentences = [sentence for update in own_updates for sentence in update.sentences]
        lines += _lines_that_fit(localizer, sentences, MAX_CHARS // len(updates_by_seat))
        lines += [acts.log_entry_text(localizer, entry) for entry in facts.named_entries if entry.seat == captain_seat]
    return lines


def _lines_that_fit(localizer: Localizer, texts: Sequence[Text], room: int) -> Iterator[str]:
    """Yield the texts that fit into `room` characters, then how many more there are."""
    for index, text in enumerate(texts):
        line = localizer.say_text(text)
        room -= localizer.style.counted_length(line) + 1
        if room < 0:
            yield localizer.say("panel.and_more", n=len(texts) - index)
            return
        yield line


def list_pages(localizer: Localizer, rows: Sequence[KeepsakeRow]) -> list[str]:
    return speech.split_pages(_keepsake_line(localizer, row) for row in rows)


def _keepsake_line(localizer: Localizer, row: KeepsakeRow) -> str:
    key = "keepsake.line" if row.game_id is None else "keepsake.line_away"
    return localizer.say(key, name=row.name, what=describe_keepsake(localizer, row), number=row.game_id)


def describe_keepsake(localizer: Localizer, row: KeepsakeRow) -> Markup:
    """Return a keepsake's description in the words of its game, or only the game's name if it is unreadable."""
    rules = RULESETS[row.system].keepsakes if row.system in playable_systems() else None
    if rules is None:
        return localizer.to_markup(row.system)
    localizer_of_game = replace(localizer, catalogue=Catalogue.load(localizer.catalogue.language, row.system))
    is_away = row.game_id is not None  # another game uses the keepsake now
    try:
        return localizer_of_game.say_text(rules.describe(row.body, away=is_away))
    except OrderError:
        return localizer_of_game.say("game")
