"""Time zones by their IANA names, as people type them."""

from __future__ import annotations

import importlib.resources
from functools import cache
from typing import Final

from bot.errors import Refusal

UTC: Final = "UTC"


@cache
def names() -> tuple[str, ...]:
    """Every zone, such as `Europe/Budapest`, in order; the same on all machines."""
    listed = importlib.resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return tuple(sorted(name for name in listed if name != "Factory"))


def find(text: str) -> str:
    """Return the zone of this name, or of this city if it is in one zone only. Raises `Refusal`."""
    found = _called().get(_folded(text), [])
    if len(found) != 1:
        raise Refusal("zone", piece=text)
    return found[0]


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
    wanted = _folded(typed)
    found = [name for name in names() if wanted in _folded(name)]
    return sorted(found, key=lambda name: (not _city(name).startswith(wanted), name))[:most]


def _folded(name: str) -> str:
    return "_".join(name.casefold().split())


def _city(name: str) -> str:
    return _folded(name).rpartition("/")[2]
