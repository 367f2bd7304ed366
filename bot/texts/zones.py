"""Time zones as people type them: IANA names, cities, or offsets such as `GMT+2`, which is ahead of UTC.

IANA names such as `Etc/GMT+2` mean the opposite; they are accepted only if they are typed in full.
"""

from __future__ import annotations

import importlib.resources
import re
from datetime import timedelta, timezone, tzinfo
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo

from bot.errors import Refusal

UTC: Final = "UTC"
OFFSET_PATTERN: Final = re.compile(  # such as "UTC+5:45"
    r"(?<![\w/])(?P<name>UTC|GMT)\s*(?P<sign>[+\-−–])\s*(?P<hours>[0-9]{1,2})(?:[:.]?(?P<minutes>[0-9]{2}))?(?![\w:]|\.\d)",
    re.IGNORECASE,
)
_SIGNS: Final = ("+", "-", "−", "–")
_MIN_OFFSET = timedelta(hours=-12)
_MAX_OFFSET = timedelta(hours=14)
_OFFSET_STEP = timedelta(minutes=15)
# All zones' offsets that are no whole hours.
_FRACTIONAL_OFFSETS: Final = (
    *("-9:30", "-3:30", "+3:30", "+4:30", "+5:30", "+5:45"),
    *("+6:30", "+8:45", "+9:30", "+10:30", "+12:45"),
)
_INVERTED_PATTERN: Final = re.compile(r"Etc/GMT[+-]\d")  # Etc/GMT+2 is behind UTC


@cache
def zone_names() -> tuple[str, ...]:
    """Return all IANA zones, sorted, from the `tzdata` package, because systems differ."""
    listed = importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return tuple(sorted(name for name in listed if name != "Factory"))


def find_zone(text: str) -> str:
    """Return the zone with this name or offset, or of this city if it is in one zone only. Raises `Refusal`."""
    if offset := OFFSET_PATTERN.fullmatch(_with_utc_prefix(text)):
        return _format_offset(offset)
    zones = _zones_by_name().get(_fold_name(text), [])
    if len(zones) != 1:
        raise Refusal("zone", piece=text)
    return zones[0]


def time_zone(name: str) -> tzinfo:
    offset = OFFSET_PATTERN.fullmatch(name)
    return timezone(_parse_offset(offset), name) if offset else ZoneInfo(name)


def _with_utc_prefix(text: str) -> str:
    text = text.strip()
    return UTC + text if text.startswith(_SIGNS) else text


def _parse_offset(match: re.Match[str]) -> timedelta:
    length = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    return length if match["sign"] == "+" else -length


def _format_offset(match: re.Match[str]) -> str:
    """Return an offset such as `GMT+2` or `UTC-3:30`. Raises `Refusal` if no place has it."""
    offset = _parse_offset(match)
    if not _MIN_OFFSET <= offset <= _MAX_OFFSET or offset % _OFFSET_STEP or int(match["minutes"] or 0) >= 60:
        raise Refusal("zone_offset", piece=match[0])
    sign = "+" if match["sign"] == "+" else "-"
    minutes = f":{match['minutes']}" if int(match["minutes"] or 0) else ""
    return f"{match['name'].upper()}{sign}{int(match['hours'])}{minutes}"


@cache
def _zones_by_name() -> dict[str, list[str]]:
    """Return the zones of each city, and each zone by its name; keys as from `_fold_name`."""
    zones_by_city: dict[str, list[str]] = {}
    for name in zone_names():
        zones_by_city.setdefault(_city_of(name), []).append(name)
    return zones_by_city | {_fold_name(name): [name] for name in zone_names()}


def is_known(text: str) -> bool:
    try:
        find_zone(text)
    except Refusal:
        return False
    return True


def suggest_zones(typed: str, max_count: int) -> list[str]:
    """Return at most `max_count` zones for an incomplete input; those whose city begins with it come first."""
    if offsets := _suggest_offsets(typed):
        return offsets[:max_count]
    prefix = _fold_name(typed)
    matches = [name for name in zone_names() if prefix in _fold_name(name)]
    if not prefix.startswith("etc"):
        matches = [name for name in matches if not _INVERTED_PATTERN.match(name)]
    return sorted(matches, key=lambda name: (not _city_of(name).startswith(prefix), name))[:max_count]


def _suggest_offsets(typed: str) -> list[str]:
    # An incomplete offset, such as "UTC+5:".
    match = re.fullmatch(
        r"(UTC|GMT)\s*([+\-−–])\s*0?([0-9]{0,2}(?:[:.][0-9]{0,2})?)", _with_utc_prefix(typed), re.IGNORECASE
    )
    if match is None:
        return []
    name = match[1].upper()
    sign = "+" if match[2] == "+" else "-"
    digits = match[3].replace(".", ":")
    max_hours = int((_MAX_OFFSET if sign == "+" else -_MIN_OFFSET) / timedelta(hours=1))
    whole_offsets = [f"{sign}{hours}" for hours in range(1, max_hours + 1)]
    offsets = sorted([*whole_offsets, *_FRACTIONAL_OFFSETS], key=lambda offset: [*map(int, offset[1:].split(":"))])
    exact_matches = [find_zone(typed)] if is_known(typed) else []
    longer_matches = [name + offset for offset in offsets if offset.startswith(sign + digits)]
    return list(dict.fromkeys([*exact_matches, *longer_matches]))


def _fold_name(name: str) -> str:
    return "_".join(name.casefold().split())


def _city_of(name: str) -> str:
    return _fold_name(name).rpartition("/")[2]
