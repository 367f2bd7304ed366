"""Represent the time that a captain has for an answer, and read and write it as people type it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from msgspec import Struct, structs

from bot.errors import Refusal
from bot.texts import durations, zones

MIN_PHASE_BEFORE_CLOCK_S: Final = 21_600
"""With a daily deadline, a phase that would be shorter lasts until the next day's deadline."""
_SATURDAY: Final = 5
_DAY_S: Final = 86_400
_WEEK_DAYS: Final = 7


class Pace(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule for when a phase that begins at a given time ends."""

    seconds: int  # length of a phase; with `clock`, its minimum length
    weekdays: bool = False  # whether Saturdays and Sundays do not count
    clock: int | None = None  # minute of the day at which every phase ends; None: phases end at any time
    zone: str = zones.UTC  # IANA time zone of `clock` and `weekdays`
    parts: int = 1
    """In a battle: the number of its rounds that fit into one phase of the parent game, whose pace this is."""
    since: int | None = None  # in a battle whose rounds end at fixed hours: when the first phase began (Unix seconds)

    @property
    def phase_length_s(self) -> int:
        return (self.seconds if self.clock is None else _DAY_S) // self.parts

    def due_at(self, began: int, round_no: int) -> int:
        """Return when a question of a round that is asked at `began` is due, both in Unix seconds.

        If rounds end at fixed hours, a round gets the time that earlier rounds left over. If its hour has passed or is
        less than a quarter of a round away, as after an outage, the round gets half of its usual time, and later rounds
        are shortened to catch up.
        """
        if self.since is None:
            return self.phase_end(began)
        fixed_hour = self._fixed_hour(self.since, round_no)
        return fixed_hour if fixed_hour - began >= self.phase_length_s // 4 else began + self.phase_length_s // 2

    def has_time_for(self, now: int, first: int, last: int) -> bool:
        """Return whether rounds `first` to `last` end by the last one's fixed hour if `first` begins `now`."""
        if self.since is None:
            return True
        round_end = now
        for round_no in range(first, last + 1):
            round_end = self.due_at(round_end, round_no)
        return round_end <= self._fixed_hour(self.since, last)

    def _fixed_hour(self, since: int, round_no: int) -> int:
        """Return when a battle's round ends (Unix seconds); `parts` rounds fit into each phase of the parent game."""
        whole_phases, rounds_in_phase = divmod(max(round_no, 1), self.parts)
        phase_begin = since
        for _ in range(whole_phases):
            phase_begin = self.add_counted_s(phase_begin, self.seconds)
        if rounds_in_phase == 0:
            return phase_begin
        phase_end = self.add_counted_s(phase_begin, self.seconds)
        return phase_end - (self.parts - rounds_in_phase) * self.phase_length_s

    def for_battle(self, parts: int, since: int) -> Pace:
        return structs.replace(self, parts=parts, since=since)

    def postponed(self, seconds: int) -> Pace:
        return self if self.since is None else structs.replace(self, since=self.since + seconds)

    def phase_end(self, now: int) -> int:
        """Return when a phase that begins `now` ends, both in Unix seconds.

        This also gives the new end of an extended phase, with its old deadline as `now`.
        """
        return self.add_counted_s(now, self.seconds)

    def add_counted_s(self, moment: int, seconds: int) -> int:
        """Return when this many counted seconds have passed; with `clock`, the next such time of day after that."""
        if self.clock is not None:
            return self._next_clock_time(moment + seconds)
        return self._add_weekday_s(moment, seconds) if self.weekdays else moment + seconds

    def resumed_deadline(self, deadline: int, *, paused_at: int, now: int) -> int:
        """Return a deadline moved by a pause that ends now. The time that was left at its beginning is kept."""
        if deadline <= paused_at:
            return deadline
        time_left_s = deadline - paused_at
        if self.since is not None:
            return now + time_left_s
        if not self._may_end(deadline):
            return now + time_left_s  # the deadline was given or extended in hours, not by the clock
        if self.weekdays and self.clock is None:
            return self.add_counted_s(now, self._counted_s(paused_at, deadline))
        return self.add_counted_s(now, time_left_s)

    def moved_by_gap(self, moment: int, began: int, ended: int) -> int:
        """Return when something due at `moment` is due after an outage from `began` to `ended` (all Unix seconds).

        It moves by the length of the outage, even if phases end at a time of day. Lost time on days that don't count is
        replaced on days that do. What was due by `began` is due at once. If the clock was set back, `ended` is before
        `began`, and everything moves to an earlier time.
        """
        if moment <= began:
            return min(moment, ended)
        outage_s = ended - began
        moved = moment + outage_s
        if not self.weekdays or self.since is not None or ended < began or not self._is_counted(moment):
            return moved
        moved_by_weekdays = max(moved, self._add_weekday_s(ended, self._counted_s(began, moment)))
        return moved_by_weekdays if self._is_counted(moved_by_weekdays) else self._add_weekday_s(moved_by_weekdays, 0)

    def _is_counted(self, moment: int) -> bool:
        return not _is_weekend(moment, zones.time_zone(self.zone))

    def _may_end(self, moment: int) -> bool:
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
        # Returns when this many seconds of working days have passed.
        for begin, end in self._working_weeks(moment):
            if begin + seconds < end:
                return begin + seconds
            seconds -= end - begin
        raise AssertionError("weeks never end")

    def _counted_s(self, begin: int, end: int) -> int:
        # Returns the seconds of working days between two moments.
        total = 0
        for week_begin, week_end in self._working_weeks(begin):
            if week_begin >= end:
                break
            total += min(week_end, end) - week_begin
        return total

    def _working_weeks(self, moment: int) -> Iterator[tuple[int, int]]:
        """Yield the working weeks, Monday to Friday, from `moment` on, as (begin, end) in Unix seconds."""
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
    """Return a minute of a day in Unix seconds.

    A minute that a clock change skips is moved later by the change. Of a repeated minute, the first is returned.
    """
    return int(datetime.combine(day, time(minute // 60, minute % 60), zone).timestamp())


def _is_weekend(moment: int, zone: tzinfo) -> bool:
    return datetime.fromtimestamp(moment, zone).weekday() >= _SATURDAY


# --- as people type it -----------------------------------------------------------------------------------------------

CLOCK_PATTERN: Final = re.compile(
    r"(?<![\d:.])([01]?[0-9]|2[0-3])[:.]([0-5][0-9])(?![\d:.])"
)  # hour and minute, as in 20:00
_EACH_PATTERN: Final = r"(?:(?:on|only|every|each|csak|minden)\s+)*"
# Such as "weekdays", "on working days only" or "hétköznaponként".
_WEEKDAYS_PATTERN: Final = re.compile(
    rf"\b{_EACH_PATTERN}(?:week\s?days?|work(?:ing)?\s?days?|(?:hétköznap|hetkoznap|munkanap)(?:ok|okon|onként|onkent)?)\b"
    r"(?:\s+only\b)?",
    re.IGNORECASE,
)
_DAILY_PATTERN: Final = re.compile(r"\b(?:daily|every\s?day|each day|naponta|naponként|minden\s?nap)\b", re.IGNORECASE)
_FILLER_PATTERN: Final = re.compile(r"(?:^|(?<=\s))(?:at|by|until|-?kor|-?ig)(?=\s|$)", re.IGNORECASE)


def parse_pace(text: str, zone: str = zones.UTC) -> Pace:
    """Read a pace such as `24h`, `2d 12h weekdays`, `daily 20:00 Europe/Budapest` or `hétköznap 20:00 GMT+2`.

    `zone` is used unless the text names a time zone. Raises `Refusal`.
    """
    utc_offsets = [match[0] for match in zones.OFFSET_PATTERN.finditer(text)]  # their minutes are no time of day
    without_weekdays, weekday_count = _WEEKDAYS_PATTERN.subn(" ", zones.OFFSET_PATTERN.sub(" ", text))
    rest, daily_count = _DAILY_PATTERN.subn(" ", without_weekdays)
    clock_times = CLOCK_PATTERN.findall(rest)
    words = _FILLER_PATTERN.sub(" ", CLOCK_PATTERN.sub(" ", rest)).replace(",", " ").split()
    zone_names = [word for word in words if "/" in word or (word.replace("_", "").isalpha() and zones.is_known(word))]
    length = " ".join(word for word in words if word not in zone_names)
    zone_names += utc_offsets
    has_one_end = bool(clock_times) != bool(length)  # a time of day or a length, not both
    if len(zone_names) > 1 or len(clock_times) > 1 or not has_one_end or (daily_count and not clock_times):
        raise Refusal("pace", piece=text)
    zone = zones.find_zone(zone_names[0]) if zone_names else zone
    weekdays = weekday_count > 0
    if clock_times:
        minute = int(clock_times[0][0]) * 60 + int(clock_times[0][1])
        return Pace(seconds=MIN_PHASE_BEFORE_CLOCK_S, clock=minute, weekdays=weekdays, zone=zone)
    try:
        return Pace(seconds=durations.parse_duration(length), weekdays=weekdays, zone=zone if weekdays else zones.UTC)
    except Refusal as refusal:
        if refusal.key == "length_bounds":
            raise
        raise Refusal("pace", piece=text) from None


def format_pace(pace: Pace) -> str:
    end_rule = durations.format_duration(pace.seconds) if pace.clock is None else format_clock(pace.clock)
    zone = pace.zone if pace.weekdays or pace.clock is not None else ""
    return " ".join(filter(None, [end_rule, "weekdays" if pace.weekdays else "", zone]))


def format_clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


_COMMON_PACES: Final = ("12h", "24h", "48h", "72h", "24h weekdays", "48h weekdays", "20:00", "20:00 weekdays")


def suggest_paces(typed: str, zone: str, most: int) -> list[Pace]:
    """Return up to `most` paces for typed text: those that it may mean, else common ones."""
    length, _, zone_start = typed.strip().rpartition(" ")
    texts = [typed]
    if length and len(zone_start) > 1:  # the last word may be the beginning of a time zone
        texts += [f"{length} {zone_name}" for zone_name in zones.suggest_zones(zone_start, most)]
    meant_paces = [pace for text in texts if (pace := _try_parse(text, zone))]
    common_paces = [parse_pace(text, zone) for text in _COMMON_PACES]
    matching_paces = [pace for pace in common_paces if typed.strip() in format_pace(pace)]
    return list(dict.fromkeys(meant_paces or matching_paces or common_paces))[:most]


def _try_parse(text: str, zone: str) -> Pace | None:
    try:
        return parse_pace(text, zone)
    except Refusal:
        return None
