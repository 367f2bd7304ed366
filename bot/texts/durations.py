"""Durations as people type them: `24h`, `2d 12h`, `90 min`."""

from __future__ import annotations

import re
from typing import Final

from bot.errors import Refusal

# By the first letter of a unit, in English or Hungarian.
_SECONDS_BY_UNIT: Final = {"d": 86_400, "n": 86_400, "h": 3_600, "ó": 3_600, "o": 3_600, "m": 60, "p": 60, "s": 1}
_PART_PATTERN: Final = re.compile(
    r"([0-9]{1,9})\s*(d|days?|n|nap|h|hours?|ó|óra|o|ora|m|min|minutes?|p|perc|s|sec|seconds?)(?![a-zó])", re.IGNORECASE
)
MIN_DURATION_S: Final = 60
MAX_DURATION_S: Final = 30 * 86_400


def parse_duration(text: str) -> int:
    """Return a typed duration in seconds, rounded down to minutes, from a minute to 30 days. Raises `Refusal`."""
    unread_text = _PART_PATTERN.sub("", text).strip(" ,+")
    seconds = sum(int(number) * _SECONDS_BY_UNIT[unit[0].lower()] for number, unit in _PART_PATTERN.findall(text))
    if unread_text or not text.strip(" ,+"):
        raise Refusal("phase_length", piece=text[:40])
    if not MIN_DURATION_S <= seconds <= MAX_DURATION_S:
        raise Refusal("length_bounds", piece=text[:40], least=MIN_DURATION_S // 60, most=MAX_DURATION_S // 86_400)
    return seconds - seconds % 60


_COMMON_DURATIONS_S: Final = (
    *(minutes * 60 for minutes in (5, 10, 15, 30)),
    *(hours * 3_600 for hours in (1, 2, 3, 6, 12)),
    *(days * 86_400 for days in (1, 2, 3, 4, 5, 7, 10, 14, 21, 30)),
)


def suggest_durations(typed: str, usual_s: int) -> list[int]:
    """Return durations (seconds) that an incomplete input can mean, else common ones near `usual_s`."""
    stripped = typed.strip()
    texts = [
        stripped,
        *(f"{stripped}{unit}" for unit in ("h", "d", "min") if stripped.isascii() and stripped.isdecimal()),
    ]
    possible_lengths = [seconds for text in texts if (seconds := _try_parse(text))]
    common_lengths = [seconds for seconds in _COMMON_DURATIONS_S if usual_s // 8 <= seconds <= 3 * usual_s]
    allowed_usual = min(max(usual_s, MIN_DURATION_S), MAX_DURATION_S)
    return list(dict.fromkeys(possible_lengths or sorted({*common_lengths, allowed_usual})))


def _try_parse(text: str) -> int | None:
    try:
        return parse_duration(text)
    except Refusal:
        return None


def format_duration(total_s: int) -> str:
    """Return a duration in seconds as `2d 12h`."""
    days, rest_s = divmod(total_s, 86_400)
    hours, rest_s = divmod(rest_s, 3_600)
    counts = ((days, "d"), (hours, "h"), (rest_s // 60, "min"))
    return " ".join(f"{count}{unit}" for count, unit in counts if count)
