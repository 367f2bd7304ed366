"""When a player is left in peace: while he is away, and in his quiet hours."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from bot.store.pace import moment_of
from bot.store.records import Player
from bot.words import zones

ROOM_SECONDS: Final = 1_800
"""Whoever is written to only after his quiet hours must have at least so much time left."""


def is_away(player: Player, now: int) -> bool:
    """Whether he has announced that he is away `now`."""
    return player.away_from is not None and player.away_to is not None and player.away_from <= now < player.away_to


def is_quiet(player: Player, now: int) -> bool:
    """Whether his quiet hours are on."""
    return _quiet(player, now) is not None


def considerate(player: Player, due: int, deadline: int) -> int | None:
    """When to remind him rather than at `due`: when he is back, after his quiet hours, or else just before them.

    None if no such moment comes before the deadline; the moment may have passed.
    """
    if is_away(player, due):
        due = player.away_to or due
    quiet = _quiet(player, due)
    if quiet:
        begin, end = quiet
        due = end if end + ROOM_SECONDS <= deadline else begin - 60
    return due if due < deadline and not is_away(player, due) else None


def _quiet(player: Player, moment: int) -> tuple[int, int] | None:
    """Begin and end of the quiet hours in which a moment lies."""
    if player.quiet_from is None or player.quiet_to is None:
        return None
    zone = ZoneInfo(player.zone or zones.UTC)
    today = datetime.fromtimestamp(moment, zone).date()
    for day in (today - timedelta(days=1), today):
        last = day if player.quiet_from < player.quiet_to else day + timedelta(days=1)
        begin, end = moment_of(day, player.quiet_from, zone), moment_of(last, player.quiet_to, zone)
        if begin <= moment < end:
            return begin, end
    return None
