"""Decide when a player gets no reminders: during an announced absence and in quiet hours."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from bot.store.models.pace import moment_of
from bot.store.models.records import Player
from bot.texts import zones

MIN_TIME_LEFT_S: Final = 1_800
"""A reminder waits for the end of quiet hours only if the player then has this many seconds left."""


def is_away(player: Player, now: int) -> bool:
    return player.away_from is not None and player.away_to is not None and player.away_from <= now < player.away_to


def is_quiet(player: Player, now: int) -> bool:
    return _quiet_period(player, now) is not None


def considerate_time(player: Player, due: int, deadline: int) -> int | None:
    """Return when to remind instead of at `due`: after an absence or quiet hours, else just before the quiet hours.

    None if there is no such moment before the deadline. The moment may have passed.
    """
    after_absence = (player.away_to or due) if is_away(player, due) else due
    quiet_end = _end_of_quiet_hours(player, after_absence)
    may_wait = quiet_end == after_absence or quiet_end + MIN_TIME_LEFT_S <= deadline
    remind_at = quiet_end if may_wait else _just_before_quiet_hours(player, after_absence)
    return remind_at if remind_at < deadline and not is_away(player, remind_at) else None


def _end_of_quiet_hours(player: Player, moment: int) -> int:
    # Where the clocks skip the only hour between two quiet periods, one follows the other.
    while quiet_period := _quiet_period(player, moment):
        _, moment = quiet_period
    return moment


def _just_before_quiet_hours(player: Player, moment: int) -> int:
    """Return the last minute before the quiet hours that contain `moment`; `moment` itself outside of quiet hours."""
    while quiet_period := _quiet_period(player, moment):
        moment = quiet_period[0] - 60
    return moment


def _quiet_period(player: Player, moment: int) -> tuple[int, int] | None:
    """Return begin and end (Unix seconds) of the quiet hours that contain `moment`; None if none do."""
    if player.quiet_from is None or player.quiet_to is None:
        return None
    zone = zones.time_zone(player.zone or zones.UTC)
    today = datetime.fromtimestamp(moment, zone).date()
    for day in (today - timedelta(days=1), today):
        last_day = day if player.quiet_from < player.quiet_to else day + timedelta(days=1)
        begin, end = moment_of(day, player.quiet_from, zone), moment_of(last_day, player.quiet_to, zone)
        if begin <= moment < end:
            return begin, end
    return None
