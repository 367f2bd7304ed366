"""Durations and deadlines in words."""

from __future__ import annotations

from bot.store.models import pace
from bot.store.models.pace import Pace
from bot.store.models.records import Game
from bot.texts.i18n import Localizer
from bot.texts.style import Markup


def duration_text(words: Localizer, seconds: int) -> Markup:
    """Return a duration, such as `2 days and 12 hours`."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    counted = (("unit.day", days), ("unit.hour", hours), ("unit.minute", rest // 60))
    return words.say("pace.length", parts=[words.count_noun(key, n) for key, n in counted if n])


def pace_text(words: Localizer, of: Pace) -> Markup:
    if of.clock is None:
        lasting = duration_text(words, of.seconds)
        return words.say("pace.weekdays", length=lasting, zone=of.zone) if of.weekdays else lasting
    key = "pace.clock_weekdays" if of.weekdays else "pace.clock"
    return words.say(key, clock=pace.format_clock(of.clock), zone=of.zone)


def public_pace_text(words: Localizer, of: Pace, now: int) -> Markup:
    """Return a pace; a time of day is added in each reader's own time zone."""
    if of.clock is None:
        return pace_text(words, of)
    return words.say("pace.for_you", pace=pace_text(words, of), when=of.phase_end(now))


def deadline_text(words: Localizer, game: Game, when: int | None) -> Markup:
    if game.paused_at is not None:
        return words.say("panel.paused")
    return words.say("panel.no_deadline") if when is None else words.say("panel.deadline", when=when)
