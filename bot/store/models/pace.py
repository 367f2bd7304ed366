"""How long a captain has: when a phase of a game is over, as the game keeps it and as people type it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.texts import durations, zones

MIN_PHASE_BEFORE_CLOCK_S: Final = 21_600
"""Where phases end at a time of day, each has at least a quarter of a day; else it goes on to the next one."""
_SATURDAY: Final = 5
_DAY_S: Final = 86_400
_WEEK_DAYS: Final = 7


class Pace(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a phase that begins now is over."""

    seconds: int
    """How long a phase is; with `format_clock`, how long it is at least."""
    weekdays: bool = False
    """Saturdays and Sundays do not count."""
    clock: int | None = None
    """The minute of the day at which every phase ends."""
    zone: str = zones.UTC
    """Whose weekdays and clock these are."""
    parts: int = 1
    """Of a battle: how many of its rounds end within a phase of the game that it is played for, whose pace this is."""
    since: int | None = None
    """Of a battle whose rounds end at fixed hours: when the first of these phases began, in Unix seconds."""

    @property
    def phase_length_s(self) -> int:
        """How long a phase is as a rule, in seconds."""
        return (self.seconds if self.clock is None else _DAY_S) // self.parts

    def due_at(self, began: int, round_no: int) -> int:
        """When a question of a round that is asked at `began` is due, both in Unix seconds.

        Where rounds end at fixed hours, time that earlier ones have left is this one's. A round whose hour is over, or
        too near, as after hours without the bot, has half of a round's time; those that follow make up for it.
        """
        if self.since is None:
            return self.phase_end(began)
        hour = self._fixed_hour(self.since, round_no)
        return hour if hour - began >= self.phase_length_s // 4 else began + self.phase_length_s // 2

    def has_time_for(self, now: int, first: int, last: int) -> bool:
        """Whether rounds `first` to `last`, if that one is asked at `now`, still end by the last one's fixed hour."""
        if self.since is None:
            return True
        moment = now
        for round_no in range(first, last + 1):
            moment = self.due_at(moment, round_no)
        return moment <= self._fixed_hour(self.since, last)

    def _fixed_hour(self, since: int, round_no: int) -> int:
        """The hour at which a round ends, where the first phase began then."""
        whole, left = divmod(max(round_no, 1), self.parts)
        moment = since
        for _ in range(whole):
            moment = self.add_counted_s(moment, self.seconds)
        return (
            moment if not left else self.add_counted_s(moment, self.seconds) - (self.parts - left) * self.phase_length_s
        )

    def for_battle(self, parts: int, since: int) -> Pace:
        """The pace of a battle of which so many rounds end within a phase that began then; 0: at any hour."""
        return structs.replace(self, parts=parts, since=since) if parts else self

    def postponed(self, seconds: int) -> Pace:
        """The pace after a pause of so many seconds."""
        return self if self.since is None else structs.replace(self, since=self.since + seconds)

    def phase_end(self, now: int) -> int:
        """The moment at which a phase that begins `now` is over, both in Unix seconds.

        The end of a phase that got more time is likewise `deadline` of its old one.
        """
        return self.add_counted_s(now, self.seconds)

    def add_counted_s(self, moment: int, seconds: int) -> int:
        """Return when so many counted seconds have passed; with `format_clock`, the next such hour after that."""
        if self.clock is not None:
            return self._next_clock_time(moment + seconds)
        return self._add_weekday_s(moment, seconds) if self.weekdays else moment + seconds

    def resumed_deadline(self, deadline: int, *, paused_at: int, now: int) -> int:
        """What becomes of a deadline when a pause ends: it leaves what it left when the pause began."""
        if deadline <= paused_at:
            return deadline
        if self.since is not None:
            return now + deadline - paused_at
        if not self._may_end(deadline):
            return now + deadline - paused_at  # of a question that has hours, or longer by hours
        if self.weekdays and self.clock is None:
            return self.add_counted_s(now, self._counted_s(paused_at, deadline))
        return self.add_counted_s(now, deadline - paused_at)

    def moved_by_gap(self, moment: int, began: int, ended: int) -> int:
        """Return when something that was due at a moment is due after time in which nobody could act.

        It is later by that time, also where phases end at a time of day; time on days that don't count is made up for
        on the days that do. What was due before `began` is due. If the clock was set back, `ended` is before `began`,
        and all is earlier by that much.
        """
        if moment <= began:
            return min(moment, ended)
        later = moment + ended - began
        if not self.weekdays or self.since is not None or ended < began or not self._is_counted(moment):
            return later
        later = max(later, self._add_weekday_s(ended, self._counted_s(began, moment)))
        return later if self._is_counted(later) else self._add_weekday_s(later, 0)

    def _is_counted(self, moment: int) -> bool:
        return not _is_weekend(moment, zones.time_zone(self.zone))

    def _may_end(self, moment: int) -> bool:
        """Whether a phase may be over then, by the clock and the days that count."""
        if self.clock is not None:
            return self._next_clock_time(moment) == moment
        return not (self.weekdays and _is_weekend(moment, zones.time_zone(self.zone)))

    def _next_clock_time(self, earliest: int) -> int:
        zone = zones.time_zone(self.zone)
        day = datetime.fromtimestamp(earliest, zone).date()
        while True:
            moment = moment_of(day, self.clock or 0, zone)
            if moment >= earliest and not (self.weekdays and _is_weekend(moment, zone)):
                return moment
            day += timedelta(days=1)

    def _add_weekday_s(self, moment: int, seconds: int) -> int:
        for begin, end in self._working_weeks(moment):
            if begin + seconds < end:
                return begin + seconds
            seconds -= end - begin
        raise AssertionError("weeks never end")

    def _counted_s(self, begin: int, end: int) -> int:
        """Seconds between two moments that count, where weekends do not."""
        total = 0
        for first, last in self._working_weeks(begin):
            if first >= end:
                break
            total += min(last, end) - first
        return total

    def _working_weeks(self, moment: int) -> Iterator[tuple[int, int]]:
        """The rest of this working week from a moment on, if any, then the weeks that follow: begin and end."""
        zone = zones.time_zone(self.zone)
        day = datetime.fromtimestamp(moment, zone).date()
        monday = day - timedelta(days=day.weekday())
        begin = moment
        while True:
            end = moment_of(monday + timedelta(days=_SATURDAY), 0, zone)
            if begin < end:
                yield begin, end
            monday += timedelta(days=_WEEK_DAYS)
            begin = moment_of(monday, 0, zone)


def moment_of(day: date, minute: int, zone: tzinfo) -> int:
    """A minute of a day, in Unix seconds; one that the clocks skip comes later by as much, of two it is the first."""
    return int(datetime.combine(day, time(minute // 60, minute % 60), zone).timestamp())


def _is_weekend(moment: int, zone: tzinfo) -> bool:
    return datetime.fromtimestamp(moment, zone).weekday() >= _SATURDAY


# --- as people type it -----------------------------------------------------------------------------------------------

CLOCK_PATTERN: Final = re.compile(r"(?<![\d:.])([01]?\d|2[0-3])[:.]([0-5]\d)(?![\d:.])")
"""A time of day, in two groups."""
_EACH_PATTERN: Final = r"(?:(?:on|only|every|each|csak|minden)\s+)*"
_WEEKDAYS_PATTERN: Final = re.compile(
    rf"\b{_EACH_PATTERN}(?:week\s?days?|work(?:ing)?\s?days?|(?:hétköznap|hetkoznap|munkanap)(?:ok|okon|onként|onkent)?)\b"
    r"(?:\s+only\b)?",
    re.IGNORECASE,
)
_DAILY_PATTERN: Final = re.compile(r"\b(?:daily|every\s?day|each day|naponta|naponként|minden\s?nap)\b", re.IGNORECASE)
_FILLER_PATTERN: Final = re.compile(r"(?:^|(?<=\s))(?:at|by|until|-?kor|-?ig)(?=\s|$)", re.IGNORECASE)


def parse_pace(text: str, zone: str = zones.UTC) -> Pace:
    """Read a pace: `24h`, `2d 12h weekdays`, `daily 20:00 Europe/Budapest`, `hétköznap 20:00 GMT+2`.

    `zone` is whose clock and weekdays are meant unless the text says otherwise. Raises `Refusal`.
    """
    offsets = [match[0] for match in zones.OFFSET_PATTERN.finditer(text)]  # their minutes are no time of day
    rest, weekdays = _WEEKDAYS_PATTERN.subn(" ", zones.OFFSET_PATTERN.sub(" ", text))
    rest, daily = _DAILY_PATTERN.subn(" ", rest)
    clocks = CLOCK_PATTERN.findall(rest)
    words = _FILLER_PATTERN.sub(" ", CLOCK_PATTERN.sub(" ", rest)).replace(",", " ").split()
    named = [word for word in words if "/" in word or (word.replace("_", "").isalpha() and zones.is_known(word))]
    length = " ".join(word for word in words if word not in named)
    named += offsets
    if len(named) > 1 or len(clocks) > 1 or (bool(clocks) == bool(length)) or (daily and not clocks):
        raise Refusal("pace", piece=text)
    zone = zones.find_zone(named[0]) if named else zone
    if clocks:
        minute = int(clocks[0][0]) * 60 + int(clocks[0][1])
        return Pace(seconds=MIN_PHASE_BEFORE_CLOCK_S, clock=minute, weekdays=weekdays > 0, zone=zone)
    try:
        return Pace(
            seconds=durations.parse_duration(length), weekdays=weekdays > 0, zone=zone if weekdays else zones.UTC
        )
    except Refusal as refused:
        if refused.key == "length_bounds":
            raise
        raise Refusal("pace", piece=text) from None


def format_pace(pace: Pace) -> str:
    """Write a pace as it may be typed: `parse_pace(write(pace)) == pace`."""
    ends = durations.format_duration(pace.seconds) if pace.clock is None else format_clock(pace.clock)
    zone = pace.zone if pace.weekdays or pace.clock is not None else ""
    return " ".join(filter(None, [ends, "weekdays" if pace.weekdays else "", zone]))


def format_clock(minute: int) -> str:
    """Write a minute of the day as `20:00`."""
    return f"{minute // 60:02}:{minute % 60:02}"


_COMMON_PACES: Final = ("12h", "24h", "48h", "72h", "24h weekdays", "48h weekdays", "20:00", "20:00 weekdays")


def suggest_paces(typed: str, zone: str, most: int) -> list[Pace]:
    """Paces for what has been typed so far: what it says, with zones that it may mean, or else those often chosen."""
    begun, _, last = typed.strip().rpartition(" ")
    texts = [
        typed,
        *(f"{begun} {name}" for name in (zones.suggest_zones(last, most) if begun and len(last) > 1 else ())),
    ]
    meant = [found for text in texts if (found := _try_parse(text, zone))]
    often = [parse_pace(text, zone) for text in _COMMON_PACES]
    return list(dict.fromkeys(meant or [found for found in often if typed.strip() in format_pace(found)] or often))[
        :most
    ]


def _try_parse(text: str, zone: str) -> Pace | None:
    try:
        return parse_pace(text, zone)
    except Refusal:
        return None
