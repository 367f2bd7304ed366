"""The table and the land on it (MB-1.1)."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from msgspec import Struct

from rules.geometry.boxes import Pair
from rules.geometry.plane import Land
from rules.matchbox.engine.terrain import LandPiece, Terrain, terrain_of


class Sea(Struct, frozen=True, dict=True):
    """A table, with its width from west to east, and its islands, moles and reefs (MX-1.1)."""

    width_mm: float
    height_mm: float
    land: tuple[LandPiece, ...] = ()

    @cached_property
    def terrain(self) -> Terrain:
        return terrain_of(self.land)

    @cached_property
    def shore(self) -> Land | None:
        """Islands and moles, on which no hull may lie; None: there are none."""
        return self.terrain.land if any(piece.kind != "reef" for piece in self.land) else None

    @property
    def size_mm(self) -> Pair:
        return self.width_mm, self.height_mm


TABLE_BY_NAME: Final = {
    "coffee": Sea(900.0, 600.0),
    "kitchen": Sea(1200.0, 800.0),
    "dining": Sea(1600.0, 900.0),
    "banquet": Sea(2400.0, 1000.0),
}
"""Rule MB-1.1."""
