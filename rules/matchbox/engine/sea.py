"""Tables and maps: their size and land (MX-1)."""

from __future__ import annotations

from functools import cache, cached_property
from importlib.resources import files
from typing import Final, Literal

import msgspec
from msgspec import Struct

from rules.core.errors import UnreadableOrder
from rules.geometry.boxes import Pair
from rules.geometry.plane import Land
from rules.matchbox.engine.terrain import LandPiece, Terrain, terrain_of


class Sea(Struct, frozen=True, dict=True):
    """A table, with its width from west to east, and its islands, moles and reefs (MX-1.1)."""

    width_mm: float  # from the western to the eastern edge
    height_mm: float  # from the southern to the northern edge
    land: tuple[LandPiece, ...] = ()  # islands, moles and reefs; empty: open water

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


TABLE_BY_NAME: Final = {  # MB-1.1
    "coffee": Sea(900.0, 600.0),
    "kitchen": Sea(1200.0, 800.0),
    "dining": Sea(1600.0, 900.0),
    "banquet": Sea(2400.0, 1000.0),
}


MAP_NAMES: Final = ("skerry", "two-islands", "strait", "breakwaters", "lagoon", "archipelago", "harbour", "skerries")
"""Maps for even games, which are the same for both sides (MX-1.6)."""


class _MapFile(Struct, frozen=True, forbid_unknown_fields=True):
    table: Literal["coffee", "kitchen", "dining", "banquet"]  # name of the table that the map is made for
    pieces: tuple[LandPiece, ...]  # islands, moles and reefs


@cache
def load_maps() -> dict[str, Sea]:
    text = files(__package__).joinpath("data", "maps.toml").read_bytes()
    map_files = msgspec.toml.decode(text, type=dict[str, _MapFile])
    tables = {name: TABLE_BY_NAME[map_file.table] for name, map_file in map_files.items()}
    return {name: Sea(*tables[name].size_mm, map_file.pieces) for name, map_file in map_files.items()}


def read_map(name: str, size: Pair) -> tuple[LandPiece, ...]:
    """Return the pieces of a map. Raises `UnreadableOrder` if it is unknown or made for another table."""
    sea = load_maps().get(name)
    if sea is None:
        raise UnreadableOrder("no_such_map", piece=name, expected=", ".join(load_maps()))
    if sea.size_mm != size:
        raise UnreadableOrder("map_of_other_table", piece=name, width_mm=sea.width_mm, height_mm=sea.height_mm)
    return sea.land
