"""Times in words: how long something lasts, and when phases end."""

from __future__ import annotations

from bot.store import pace
from bot.store.pace import Pace
from bot.store.records import Game
from bot.words.i18n import Words
from bot.words.style import Said


def length(words: Words, seconds: int) -> Said:
    """A length of time, such as `2 days and 12 hours`."""
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    counted = (("unit.day", days), ("unit.hour", hours), ("unit.minute", rest // 60))
    return words.say("pace.length", parts=[words.count(key, n) for key, n in counted if n])


def rhythm(words: Words, of: Pace) -> Said:
    """When the phases of a game end."""
    if of.clock is None:
        lasting = length(words, of.seconds)
        return words.say("pace.weekdays", length=lasting, zone=of.zone) if of.weekdays else lasting
    key = "pace.clock_weekdays" if of.weekdays else "pace.clock"
    return words.say(key, clock=pace.clock(of.clock), zone=of.zone)


def rhythm_for_all(words: Words, of: Pace, now: int) -> Said:
    """The same; a time of day is shown in every reader's own zone too."""
    if of.clock is None:
        return rhythm(words, of)
    return words.say("pace.for_you", pace=rhythm(words, of), when=of.deadline(now))


def deadline(words: Words, game: Game, when: int | None) -> Said:
    """Until when something must be done, in everybody's own time."""
    if game.paused_at is not None:
        return words.say("panel.paused")
    return words.say("panel.no_deadline") if when is None else words.say("panel.deadline", when=when)
