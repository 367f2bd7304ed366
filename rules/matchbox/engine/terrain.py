"""Islands, moles and reefs: what they are, and which may lie on a table together (MX-1.1 to 1.6)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import shapely
from msgspec import Struct
from shapely import Polygon

from rules.core.errors import IllegalOrder
from rules.geometry.boxes import Pair
from rules.geometry.plane import Floats, Land, Ring

LAND_KINDS: Final = ("island", "mole", "reef")
MAX_PIECES: Final = 40
"""MX-1.4."""
CORNER_COUNTS: Final = range(3, 41)
"""MX-1.4: how many a piece may have."""
MIN_AREA_MM2: Final = 400.0
"""MX-1.3."""
MIN_EDGE_MM: Final = 0.001
"""MX-1.3: an outline touches itself where corners are one, and lengths are written to three decimals."""
MAX_CROSSINGS: Final = 400
"""How often outlines may cross. No rule says so, but if they cross everywhere, joined land has hundreds of thousands of
corners, about which captains think for minutes."""
MIN_PASSAGE_MM: Final = 90.0
"""MX-1.5: two matches."""
_TOLERANCE_MM: Final = 1e-6


class LandPiece(Struct, frozen=True):
    """An island, a mole or a reef (MX-1.1): a polygon, its edge included (MX-1.2)."""

    kind: Literal["island", "mole", "reef"]
    corners: Ring
    """In mm, in either direction, the first not repeated."""


class Terrain:
    """The pieces on a table, ready to be asked."""

    def __init__(self, pieces: Sequence[LandPiece]) -> None:
        """Take pieces whose outlines neither cross nor touch themselves (`check_pieces` says so)."""
        # A game that began before `check_pieces` refused corners named twice goes on without the second.
        self._rings = [(piece.kind, _without_repeats(piece.corners)) for piece in pieces]
        self.land = Land(ring for kind, ring in self._rings if kind != "reef")
        """Islands and moles, on which no hull may lie."""

    @cached_property
    def islands(self) -> Land:
        """What hides (MX-1.13)."""
        return Land(ring for kind, ring in self._rings if kind == "island")

    @cached_property
    def reefs(self) -> Land:
        """What hulls go over at a price (MX-1.15)."""
        return Land(ring for kind, ring in self._rings if kind == "reef")


@lru_cache(maxsize=16)
def terrain_of(pieces: tuple[LandPiece, ...]) -> Terrain:
    """The terrain of these pieces, made once for all who ask."""
    return Terrain(pieces)


def check_pieces(pieces: Sequence[LandPiece], width_mm: float, height_mm: float) -> None:
    """Refuse pieces that may not lie on a table of this size. Raises `IllegalOrder` (MX-1.3 to 1.5)."""
    if len(pieces) > MAX_PIECES:
        raise IllegalOrder("too_many_pieces", "MX-1.4", piece=str(len(pieces)), most=MAX_PIECES)
    for number, piece in enumerate(pieces, 1):
        _check_shape(f"{piece.kind} {number}", piece.corners, width_mm, height_mm)
    if (given := _count_crossings(pieces)) > MAX_CROSSINGS:
        raise IllegalOrder("too_many_crossings", "MX-1.4", piece="", given=given, most=MAX_CROSSINGS)
    _check_room(pieces, width_mm, height_mm)


def _without_repeats(ring: Ring) -> Ring:
    """A ring without corners that are the same as the one before."""
    return tuple(corner for before, corner in pairwise((ring[-1], *ring)) if math.dist(before, corner) >= MIN_EDGE_MM)


def _check_shape(name: str, ring: Ring, width_mm: float, height_mm: float) -> None:
    if len(ring) not in CORNER_COUNTS:
        least, most = CORNER_COUNTS[0], CORNER_COUNTS[-1]
        raise IllegalOrder("corners_of_land", "MX-1.4", piece=name, given=len(ring), least=least, most=most)
    for x, y in ring:
        if not (0 <= x <= width_mm and 0 <= y <= height_mm):
            raise IllegalOrder("land_off_table", "MX-1.3", piece=name, x_mm=x, y_mm=y)
    for (x, y), after in pairwise((*ring, ring[0])):
        if math.dist((x, y), after) < MIN_EDGE_MM:
            raise IllegalOrder("corner_twice", "MX-1.3", piece=name, x_mm=x, y_mm=y)
    outline = Polygon(ring)
    if not outline.is_valid:
        raise IllegalOrder("land_crosses_itself", "MX-1.3", piece=name)
    if outline.area < MIN_AREA_MM2 - _TOLERANCE_MM:
        raise IllegalOrder("land_too_small", "MX-1.3", piece=name, area_mm2=outline.area, least_mm2=MIN_AREA_MM2)


def _count_crossings(pieces: Sequence[LandPiece]) -> int:
    """How often edges of pieces cross edges of others, corners that lie on others left out."""
    x, y = np.concatenate([one.corners for one in pieces]).T
    to_x, to_y = np.concatenate([np.roll(one.corners, -1, axis=0) for one in pieces]).T

    def sides(at_x: Floats, at_y: Floats) -> Floats:
        """On which side of each edge, down, points lie, across."""
        across, up = at_x - x[:, None], at_y - y[:, None]
        turns: Floats = np.sign((to_x - x)[:, None] * up - (to_y - y)[:, None] * across)
        return turns

    parted = sides(x, y) * sides(to_x, to_y) < 0
    return int(np.count_nonzero(parted & parted.T)) // 2


def _check_room(pieces: Sequence[LandPiece], width_mm: float, height_mm: float) -> None:
    """MX-1.5: room to row between pieces that do not touch, and between each and the table's edges."""
    joined = shapely.get_parts(shapely.union_all([Polygon(one.corners) for one in pieces if one.kind != "reef"]))
    for number, piece in enumerate(joined):
        for other in joined[:number]:
            gap = float(shapely.distance(piece, other))
            # Land that meets in a point is one piece.
            if _TOLERANCE_MM < gap < MIN_PASSAGE_MM - _TOLERANCE_MM:
                raise IllegalOrder(
                    "land_too_close",
                    "MX-1.5",
                    piece=_piece_and_point(piece, pieces),
                    gap_mm=gap,
                    least_mm=MIN_PASSAGE_MM,
                )
        west, south, east, north = piece.bounds
        for gap in (west, south, width_mm - east, height_mm - north):
            if _TOLERANCE_MM < gap < MIN_PASSAGE_MM - _TOLERANCE_MM:
                raise IllegalOrder(
                    "land_near_edge",
                    "MX-1.5",
                    piece=_piece_and_point(piece, pieces),
                    gap_mm=gap,
                    least_mm=MIN_PASSAGE_MM,
                )
    # Land that meets in a point parts the water; so grow it by next to nothing.
    barred = shapely.buffer(shapely.union_all(joined), _TOLERANCE_MM, join_style="mitre")
    water = shapely.box(0.0, 0.0, width_mm, height_mm).difference(barred)
    parts = len(shapely.get_parts(water))
    if parts != 1:
        raise IllegalOrder("water_in_pieces", "MX-1.5", piece="", parts=parts)


def _piece_and_point(land: Polygon, pieces: Sequence[LandPiece]) -> str:
    """Joined land by one of the pieces that it is made of, as they were given, and a point in it."""
    middle: Pair = land.representative_point().coords[0]
    number, one = next(
        (number, one)
        for number, one in enumerate(pieces, 1)
        if one.kind != "reef" and shapely.intersects(land, Polygon(one.corners))
    )
    return f"{one.kind} {number} ({middle[0]:.0f},{middle[1]:.0f})"
