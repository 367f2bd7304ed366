"""The switches of the extra rules: islands, special vessels, boarding, crews (MX-0.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.errors import IllegalOrder
from rules.matchbox.table.sea import Sea
from rules.matchbox.table.state import Galley, Option

OPTIONS: Final[tuple[Option, ...]] = ("terrain", "vessels", "boarding", "crews")

PLAYABLE: Final = frozenset[Option](["terrain", "boarding"])
"""What games that are opened from chat can have."""


def shown(sea: Sea, galleys: Iterable[Galley] = ()) -> frozenset[Option]:
    """The options that a position shows by what is in it (MX-0.2)."""
    found: set[Option] = {"terrain"} if sea.land else set()
    for galley in galleys:
        if galley.vessel is not None or galley.burning:
            found.add("vessels")
        if galley.crew or galley.worn:
            found.add("crews")
    return frozenset(found)


def refuse_extras(sea: Sea, galleys: Iterable[Galley]) -> None:
    """Refuse what belongs to extra rules that games cannot play yet. Raises `IllegalOrder` (MX-0.2)."""
    extras = shown(sea, galleys) - PLAYABLE
    if extras:
        raise IllegalOrder("extras_not_yet", "MX-0.2", piece=min(extras))
