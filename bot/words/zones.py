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
OFFSET: Final = re.compile(
    r"(?<![\w/])(?P<name>UTC|GMT)\s*(?P<sign>[+\-−–])\s*(?P<hours>\d{1,2})(?:[:.]?(?P<minutes>\d\d))?(?![\w:]|\.\d)",
    re.IGNORECASE,
)
"""An offset from UTC, as it is typed."""
_SIGNS: Final = ("+", "-", "−", "–")
_WEST_MOST, _EAST_MOST, _STEP = timedelta(hours=-12), timedelta(hours=14), timedelta(minutes=15)
"""All offsets of the world lie between these, in steps of a quarter of an hour."""
_ODD: Final = ("-9:30", "-3:30", "+3:30", "+4:30", "+5:30", "+5:45", "+6:30", "+8:45", "+9:30", "+10:30", "+12:45")
"""Offsets in use that are no whole hours."""
_INVERTED: Final = re.compile(r"Etc/GMT[+-]\d")


@cache
def names() -> tuple[str, ...]:
    """Every zone, such as `Europe/Budapest`, in order; the same on all machines."""
    listed = importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return tuple(sorted(name for name in listed if name != "Factory"))


def find(text: str) -> str:
    """Return the zone of this name, of this city if it is in one zone only, or of this offset. Raises `Refusal`."""
    if offset := OFFSET.fullmatch(_named(text)):
        return _offset_name(offset)
    found = _called().get(_folded(text), [])
    if len(found) != 1:
        raise Refusal("zone", piece=text)
    return found[0]


def tz(name: str) -> tzinfo:
    """Return the time zone that `find` has named."""
    offset = OFFSET.fullmatch(name)
    return timezone(_offset(offset), name) if offset else ZoneInfo(name)


def _named(text: str) -> str:
    """Return a typed zone, an offset always after a name: `+2` is `UTC+2`."""
    text = text.strip()
    return UTC + text if text.startswith(_SIGNS) else text


def _offset(typed: re.Match[str]) -> timedelta:
    length = timedelta(hours=int(typed["hours"]), minutes=int(typed["minutes"] or 0))
    return length if typed["sign"] == "+" else -length


def _offset_name(typed: re.Match[str]) -> str:
    """Return an offset as people write it: `GMT+2`, `UTC-3:30`. Raises `Refusal` if it is none of the world's."""
    offset = _offset(typed)
    if not _WEST_MOST <= offset <= _EAST_MOST or offset % _STEP or int(typed["minutes"] or 0) >= 60:
        raise Refusal("zone_offset", piece=typed[0])
    sign = "+" if typed["sign"] == "+" else "-"
    minutes = f":{typed['minutes']}" if int(typed["minutes"] or 0) else ""
    return f"{typed['name'].upper()}{sign}{int(typed['hours'])}{minutes}"


@cache
def _called() -> dict[str, list[str]]:
    """Zones by what they may be called: by names, or by cities that aren't names, too."""
    called: dict[str, list[str]] = {}
    for name in names():
        called.setdefault(_city(name), []).append(name)
    return called | {_folded(name): [name] for name in names()}


def known(text: str) -> bool:
    """Return whether `find` finds it."""
    try:
        find(text)
    except Refusal:
        return False
    return True


def suggest(typed: str, most: int) -> list[str]:
    """Return zones for what has been typed so far; first those whose city begins with it."""
    if offsets := _offsets(typed):
        return offsets[:most]
    wanted = _folded(typed)
    found = [name for name in names() if wanted in _folded(name)]
    if not wanted.startswith("etc"):
        found = [name for name in found if not _INVERTED.match(name)]
    return sorted(found, key=lambda name: (not _city(name).startswith(wanted), name))[:most]


def _offsets(typed: str) -> list[str]:
    """Return the offsets that begin with what has been typed so far, such as `gmt+1`; first the one that it is."""
    begun = re.fullmatch(r"(UTC|GMT)\s*([+\-−–])\s*0?(\d{0,2}(?:[:.]\d{0,2})?)", _named(typed), re.IGNORECASE)
    if begun is None:
        return []
    sign, digits = "+" if begun[2] == "+" else "-", begun[3].replace(".", ":")
    whole = range(1, int((_EAST_MOST if sign == "+" else -_WEST_MOST) / timedelta(hours=1)) + 1)
    usual = sorted([*(f"{sign}{hours}" for hours in whole), *_ODD], key=lambda one: [*map(int, one[1:].split(":"))])
    beginning = [begun[1].upper() + offset for offset in usual if offset.startswith(sign + digits)]
    return list(dict.fromkeys([*([find(typed)] if known(typed) else []), *beginning]))


def _folded(name: str) -> str:
    return "_".join(name.casefold().split())


def _city(name: str) -> str:
    return _folded(name).rpartition("/")[2]
