"""Time zones as people type them: by their IANA names, or as an offset such as `GMT+2`, which is ahead of UTC.

The IANA names `Etc/GMT+2` and the like mean the opposite; they are read as such only if they are typed whole.
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
OFFSET_PATTERN: Final = re.compile(
    r"(?<![\w/])(?P<name>UTC|GMT)\s*(?P<sign>[+\-−–])\s*(?P<hours>\d{1,2})(?:[:.]?(?P<minutes>\d\d))?(?![\w:]|\.\d)",
    re.IGNORECASE,
)
"""An offset from UTC, as it is typed."""
_SIGNS: Final = ("+", "-", "−", "–")
_MIN_OFFSET, _MAX_OFFSET, _OFFSET_STEP = timedelta(hours=-12), timedelta(hours=14), timedelta(minutes=15)
"""All offsets of the world lie between these, in steps of a quarter of an hour."""
_FRACTIONAL_OFFSETS: Final = (
    "-9:30",
    "-3:30",
    "+3:30",
    "+4:30",
    "+5:30",
    "+5:45",
    "+6:30",
    "+8:45",
    "+9:30",
    "+10:30",
    "+12:45",
)
"""Offsets in use that are no whole hours."""
_INVERTED_PATTERN: Final = re.compile(r"Etc/GMT[+-]\d")


@cache
def zone_names() -> tuple[str, ...]:
    """Every zone, such as `Europe/Budapest`, in order; the same on all machines."""
    listed = importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return tuple(sorted(name for name in listed if name != "Factory"))


def find_zone(text: str) -> str:
    """Return the zone of this name, of this city if it is in one zone only, or of this offset. Raises `Refusal`."""
    if offset := OFFSET_PATTERN.fullmatch(_with_utc_prefix(text)):
        return _format_offset(offset)
    found = _zones_by_name().get(_fold_name(text), [])
    if len(found) != 1:
        raise Refusal("zone", piece=text)
    return found[0]


def time_zone(name: str) -> tzinfo:
    """Return the time zone that `find_zone` has named."""
    offset = OFFSET_PATTERN.fullmatch(name)
    return timezone(_parse_offset(offset), name) if offset else ZoneInfo(name)


def _with_utc_prefix(text: str) -> str:
    """Return a typed zone, an offset always after a name: `+2` is `UTC+2`."""
    text = text.strip()
    return UTC + text if text.startswith(_SIGNS) else text


def _parse_offset(typed: re.Match[str]) -> timedelta:
    length = timedelta(hours=int(typed["hours"]), minutes=int(typed["minutes"] or 0))
    return length if typed["sign"] == "+" else -length


def _format_offset(typed: re.Match[str]) -> str:
    """Return an offset as people write it: `GMT+2`, `UTC-3:30`. Raises `Refusal` if it is none of the world's."""
    offset = _parse_offset(typed)
    if not _MIN_OFFSET <= offset <= _MAX_OFFSET or offset % _OFFSET_STEP or int(typed["minutes"] or 0) >= 60:
        raise Refusal("zone_offset", piece=typed[0])
    sign = "+" if typed["sign"] == "+" else "-"
    minutes = f":{typed['minutes']}" if int(typed["minutes"] or 0) else ""
    return f"{typed['name'].upper()}{sign}{int(typed['hours'])}{minutes}"


@cache
def _zones_by_name() -> dict[str, list[str]]:
    """Zones by what they may be called: by names, or by cities that aren't names, too."""
    called: dict[str, list[str]] = {}
    for name in zone_names():
        called.setdefault(_city_of(name), []).append(name)
    return called | {_fold_name(name): [name] for name in zone_names()}


def is_known(text: str) -> bool:
    """Return whether `find_zone` finds it."""
    try:
        find_zone(text)
    except Refusal:
        return False
    return True


def suggest_zones(typed: str, most: int) -> list[str]:
    """Return zones for what has been typed so far; first those whose city begins with it."""
    if offsets := _suggest_offsets(typed):
        return offsets[:most]
    wanted = _fold_name(typed)
    found = [name for name in zone_names() if wanted in _fold_name(name)]
    if not wanted.startswith("etc"):
        found = [name for name in found if not _INVERTED_PATTERN.match(name)]
    return sorted(found, key=lambda name: (not _city_of(name).startswith(wanted), name))[:most]


def _suggest_offsets(typed: str) -> list[str]:
    """Return the offsets that begin with what has been typed so far, such as `gmt+1`; first the one that it is."""
    begun = re.fullmatch(r"(UTC|GMT)\s*([+\-−–])\s*0?(\d{0,2}(?:[:.]\d{0,2})?)", _with_utc_prefix(typed), re.IGNORECASE)
    if begun is None:
        return []
    sign, digits = "+" if begun[2] == "+" else "-", begun[3].replace(".", ":")
    whole = range(1, int((_MAX_OFFSET if sign == "+" else -_MIN_OFFSET) / timedelta(hours=1)) + 1)
    usual = sorted(
        [*(f"{sign}{hours}" for hours in whole), *_FRACTIONAL_OFFSETS], key=lambda one: [*map(int, one[1:].split(":"))]
    )
    beginning = [begun[1].upper() + offset for offset in usual if offset.startswith(sign + digits)]
    return list(dict.fromkeys([*([find_zone(typed)] if is_known(typed) else []), *beginning]))


def _fold_name(name: str) -> str:
    return "_".join(name.casefold().split())


def _city_of(name: str) -> str:
    return _fold_name(name).rpartition("/")[2]
