"""Describe the keepsakes of a finished game, such as the skills of crews."""

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


class KeepsakeFacts(Struct, frozen=True, kw_only=True):
    """Whether captains keep what a game taught, and why not."""

    has_any: bool = False
    untaught_entry: LogEntryRow | None = None
    fetched_entry: LogEntryRow | None = None
    """That a captain took everything home earlier."""
    engaged_entries: tuple[LogEntryRow, ...] = ()
    """Keepsakes that returned from another game meanwhile."""
    named_entries: tuple[LogEntryRow, ...] = ()

    @property
    def is_taught(self) -> bool | None:
        """The argument of `Ruleset.handed_on`; None if the game changes no keepsakes."""
        if (
            not self.has_any
            or self.fetched_entry
            or (self.untaught_entry and self.untaught_entry.kind != f"{UNTAUGHT_ACT_PREFIX}brief")
        ):
            return None
        return self.untaught_entry is None


async def read_keepsakes(source: GameSource) -> KeepsakeFacts:
    if not has_keepsakes(source.game) or source.game.phase != "over":
        return KeepsakeFacts()
    log = await source.audit_log()
    return KeepsakeFacts(
        has_any=True,
        untaught_entry=next((act for act in log if act.kind.startswith(UNTAUGHT_ACT_PREFIX)), None),
        fetched_entry=next((act for act in log if act.kind == FETCHED_ACT), None),
        engaged_entries=tuple(act for act in log if act.kind == ENGAGED_ACT),
        named_entries=tuple(act for act in log if act.kind == NAMED_ACT),
    )


def keepsake_lines(
    localizer: Localizer,
    facts: KeepsakeFacts,
    handed: Mapping[Seat, Sequence[KeepsakeUpdate]],
    seat: Seat | None = None,
) -> list[str]:
    """Return lines about the keepsakes of all captains, or of one seat, and why nothing was learnt.

    Each captain has the same room, so that long names cannot displace the lines of others.
    """
    updates = {number: own_updates for number, own_updates in sorted(handed.items()) if seat in (None, number)}
    engaged = [act for act in facts.engaged_entries if act.seat in updates]
    engaged_crews = {act.params["crew"] for act in engaged}
    lines: list[str] = [
        acts.log_entry_text(localizer, act) for act in (facts.fetched_entry, facts.untaught_entry, *engaged) if act
    ]
    for number, seat_updates in updates.items():
        own_updates = [
            update
            for update in seat_updates
            if update.number is None or name_number(number, update.number) not in engaged_crews
        ]
        lines += _fitting_lines(
            localizer, [line for update in own_updates for line in update.sentences], MAX_CHARS // len(updates)
        )
        lines += [acts.log_entry_text(localizer, act) for act in facts.named_entries if act.seat == number]
    return lines


def _fitting_lines(localizer: Localizer, texts: Sequence[Text], room: int) -> Iterator[str]:
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
    own = replace(localizer, catalogue=Catalogue.load(localizer.catalogue.language, row.system))
    try:
        return own.say_text(rules.describe(row.body, away=row.game_id is not None))
    except OrderError:
        return own.say("game")
