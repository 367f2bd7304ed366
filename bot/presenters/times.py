"""Durations and deadlines in words."""

from __future__ import annotations

from bot.store.models.pace import Pace, format_clock
from bot.store.models.records import Game
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


def duration_text(localizer: Localizer, seconds: int) -> Markup:
    """Return a duration, such as `2 days and 12 hours`."""
    days, seconds_of_day = divmod(seconds, 86_400)
    hours, seconds_of_hour = divmod(seconds_of_day, 3_600)
    minutes = seconds_of_hour // 60
    counts = (("unit.day", days), ("unit.hour", hours), ("unit.minute", minutes))
    return localizer.say("pace.length", parts=[localizer.count_noun(key, n) for key, n in counts if n])


def pace_text(localizer: Localizer, pace: Pace) -> Markup:
    if pace.clock is None:
        lasting = duration_text(localizer, pace.seconds)
        return localizer.say("pace.weekdays", length=lasting, zone=pace.zone) if pace.weekdays else lasting
    key = "pace.clock_weekdays" if pace.weekdays else "pace.clock"
    return localizer.say(key, clock=format_clock(pace.clock), zone=pace.zone)


def public_pace_text(localizer: Localizer, pace: Pace, now: int) -> Markup:
    """Return a pace; a time of day is added in each reader's own time zone."""
    if pace.clock is None:
        return pace_text(localizer, pace)
    return localizer.say("pace.for_you", pace=pace_text(localizer, pace), when=pace.phase_end(now))


def deadline_text(localizer: Localizer, game: Game, deadline: int | None) -> Markup:
    if game.paused_at is not None:
        return localizer.say("panel.paused")
    return localizer.say("panel.no_deadline") if deadline is None else localizer.say("panel.deadline", when=deadline)
