"""What ships move on: the table, and the land in it (MB-1.1)."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Sea(Struct, frozen=True):
    """A table and what lies in its water."""

    width_mm: float
    """East to west."""
    height_mm: float
    """South to north."""


TABLES: Final = {
    "coffee": Sea(900.0, 600.0),
    "kitchen": Sea(1200.0, 800.0),
    "dining": Sea(1600.0, 900.0),
    "banquet": Sea(2400.0, 1000.0),
}
"""MB-1.1: the tables by name."""
