"""Durations and deadlines in words."""

from __future__ import annotations

from bot.store.models import pace
from bot.store.models.pace import Pace
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


def pace_text(localizer: Localizer, of: Pace) -> Markup:
    if of.clock is None:
        lasting = duration_text(localizer, of.seconds)
        return localizer.say("pace.weekdays", length=lasting, zone=of.zone) if of.weekdays else lasting
    key = "pace.clock_weekdays" if of.weekdays else "pace.clock"
    return localizer.say(key, clock=pace.format_clock(of.clock), zone=of.zone)


def public_pace_text(localizer: Localizer, of: Pace, now: int) -> Markup:
    """Return a pace; a time of day is added in each reader's own time zone."""
    if of.clock is None:
        return pace_text(localizer, of)
    return localizer.say("pace.for_you", pace=pace_text(localizer, of), when=of.phase_end(now))


def deadline_text(localizer: Localizer, game: Game, when: int | None) -> Markup:
    if game.paused_at is not None:
        return localizer.say("panel.paused")
    return localizer.say("panel.no_deadline") if when is None else localizer.say("panel.deadline", when=when)
