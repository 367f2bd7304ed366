"""The named maps in `data/maps.toml` beside this file (MX-1.6)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec
from msgspec import Struct

from rules.core.errors import UnreadableOrder
from rules.geometry.boxes import Pair
from rules.matchbox.engine.sea import TABLE_BY_NAME, Sea
from rules.matchbox.engine.terrain import LandPiece

MAP_NAMES: Final = ("skerry", "two-islands", "strait", "breakwaters", "lagoon", "archipelago", "harbour", "skerries")
"""Maps for even games, which are the same for both sides (MX-1.6)."""


class _MapFile(Struct, frozen=True, forbid_unknown_fields=True):
    table: Literal["coffee", "kitchen", "dining", "banquet"]
    pieces: tuple[LandPiece, ...]


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
