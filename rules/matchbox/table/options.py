"""The switches of the extra rules: islands, special vessels, boarding, crews (MX-0.1)."""

from __future__ import annotations

from typing import Final, Literal

from rules.matchbox.table.sea import Sea

Option = Literal["terrain", "vessels", "boarding", "crews"]
OPTIONS: Final[tuple[Option, ...]] = ("terrain", "vessels", "boarding", "crews")


def shown(sea: Sea) -> frozenset[Option]:
    """The options that a position shows by what is in it (MX-0.2)."""
    return frozenset({"terrain"} if sea.land else ())
