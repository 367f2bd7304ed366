"""Switches of the extra rules: islands, special vessels, boarding and crews (MX-0.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import ExtraRule, Galley

OPTIONS: Final[tuple[ExtraRule, ...]] = ("terrain", "vessels", "boarding", "crews")


def options_shown(sea: Sea, galleys: Iterable[Galley] = ()) -> frozenset[ExtraRule]:
    """Return the extra rules that a position uses (MX-0.2)."""
    used_options: set[ExtraRule] = {"terrain"} if sea.land else set()
    for galley in galleys:
        if galley.vessel is not None or galley.burning:
            used_options.add("vessels")
        if galley.crew or galley.worn:
            used_options.add("crews")
    return frozenset(used_options)
