"""What ships move on: the table, and the land in it (MB-1.1)."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from msgspec import Struct

from rules.geometry.boxes import Pair
from rules.geometry.plane import Land
from rules.matchbox.engine.terrain import LandPiece, Terrain, terrain_of


class Sea(Struct, frozen=True, dict=True):
    """A table and what lies in its water."""

    width_mm: float
    """East to west."""
    height_mm: float
    """South to north."""
    land: tuple[LandPiece, ...] = ()
    """Islands, moles and reefs (MX-1.1)."""

    @cached_property
    def terrain(self) -> Terrain:
        """The same, ready to be asked."""
        return terrain_of(self.land)

    @cached_property
    def shore(self) -> Land | None:
        """Islands and moles, on which no hull may lie; None without any."""
        return self.terrain.land if any(piece.kind != "reef" for piece in self.land) else None

    @property
    def size_mm(self) -> Pair:
        """Width and height in mm."""
        return self.width_mm, self.height_mm


TABLE_BY_NAME: Final = {
    "coffee": Sea(900.0, 600.0),
    "kitchen": Sea(1200.0, 800.0),
    "dining": Sea(1600.0, 900.0),
    "banquet": Sea(2400.0, 1000.0),
}
"""MB-1.1: the tables by name."""
