"""The switches of the extra rules: islands, special vessels, boarding, crews (MX-0.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import ExtraRule, Galley

OPTIONS: Final[tuple[ExtraRule, ...]] = ("terrain", "vessels", "boarding", "crews")


def options_shown(sea: Sea, galleys: Iterable[Galley] = ()) -> frozenset[ExtraRule]:
    """The options that a position shows by what is in it (MX-0.2)."""
    found: set[ExtraRule] = {"terrain"} if sea.land else set()
    for galley in galleys:
        if galley.vessel is not None or galley.burning:
            found.add("vessels")
        if galley.crew or galley.worn:
            found.add("crews")
    return frozenset(found)
