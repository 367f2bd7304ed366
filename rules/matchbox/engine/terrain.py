"""Islands, moles and reefs, and which of them may lie on a table together (MX-1.1 to 1.6)."""

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
MAX_PIECES: Final = 40  # MX-1.4
CORNER_COUNTS: Final = range(3, 41)  # allowed numbers of corners of a piece (MX-1.4)
MIN_AREA_MM2: Final = 400.0  # MX-1.3
MIN_EDGE_MM: Final = 0.001
"""Minimum distance of consecutive corners, because lengths are written with three decimals (MX-1.3)."""
MAX_CROSSINGS: Final = 400
"""Maximum number of crossing outlines. It is no rule, but otherwise joined land could have hundreds of thousands of
corners, and computer captains would think for minutes."""
MIN_PASSAGE_MM: Final = 90.0  # two matches (MX-1.5)
_TOLERANCE_MM: Final = 1e-6


class LandPiece(Struct, frozen=True):
    """An island, a mole or a reef (MX-1.1): a polygon with its edge (MX-1.2).

    Corners are in mm, in either direction, and the first is not repeated.
    """

    # whether it blocks hulls and sight (island), only hulls (mole), or damages hulls (reef)
    kind: Literal["island", "mole", "reef"]
    corners: Ring  # x east and y north in mm, in order along the outline


class Terrain:
    """The pieces on a table as geometry. `land` contains islands and moles, on which no hull may lie."""

    def __init__(self, pieces: Sequence[LandPiece]) -> None:
        # Positions that `check_pieces` has not seen may repeat corners.
        self._rings = [(piece.kind, _without_repeats(piece.corners)) for piece in pieces]
        self.land = Land(ring for kind, ring in self._rings if kind != "reef")

    @cached_property
    def islands(self) -> Land:  # land that blocks sight (MX-1.13)
        return Land(ring for kind, ring in self._rings if kind == "island")

    @cached_property
    def reefs(self) -> Land:  # shallows that may damage hulls (MX-1.15)
        return Land(ring for kind, ring in self._rings if kind == "reef")


@lru_cache(maxsize=16)
def terrain_of(pieces: tuple[LandPiece, ...]) -> Terrain:
    return Terrain(pieces)


def check_pieces(pieces: Sequence[LandPiece], width_mm: float, height_mm: float) -> None:
    """Raise `IllegalOrder` for pieces that may not lie on a table of this size (MX-1.3 to 1.5)."""
    if len(pieces) > MAX_PIECES:
        raise IllegalOrder("too_many_pieces", "MX-1.4", piece=str(len(pieces)), most=MAX_PIECES)
    for number, piece in enumerate(pieces, 1):
        _check_shape(f"{piece.kind} {number}", piece.corners, width_mm, height_mm)
    if (count := _count_crossings(pieces)) > MAX_CROSSINGS:
        raise IllegalOrder("too_many_crossings", "MX-1.4", piece="", given=count, most=MAX_CROSSINGS)
    _check_room(pieces, width_mm, height_mm)


def _without_repeats(ring: Ring) -> Ring:
    return tuple(corner for before, corner in pairwise((ring[-1], *ring)) if math.dist(before, corner) >= MIN_EDGE_MM)


def _check_shape(name: str, ring: Ring, width_mm: float, height_mm: float) -> None:
    """Raise `IllegalOrder` if a piece has too few or many corners, leaves the table, is small or crosses itself."""
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
    """Return how often edges of pieces cross. Corners that lie on other edges do not count."""
    x, y = np.concatenate([piece.corners for piece in pieces]).T
    to_x, to_y = np.concatenate([np.roll(piece.corners, -1, axis=0) for piece in pieces]).T

    def sides(at_x: Floats, at_y: Floats) -> Floats:  # on which side of each edge points lie, [edge, point]
        across, up = at_x - x[:, None], at_y - y[:, None]
        turns: Floats = np.sign((to_x - x)[:, None] * up - (to_y - y)[:, None] * across)
        return turns

    separates = sides(x, y) * sides(to_x, to_y) < 0  # whether the ends of one edge lie on two sides of another
    return int(np.count_nonzero(separates & separates.T)) // 2


def _check_room(pieces: Sequence[LandPiece], width_mm: float, height_mm: float) -> None:
    """Raise `IllegalOrder` if pieces leave no room to row between them or at the table's edges (MX-1.5)."""
    joined_land = shapely.get_parts(
        shapely.union_all([Polygon(piece_of_land.corners) for piece_of_land in pieces if piece_of_land.kind != "reef"])
    )
    for number, piece in enumerate(joined_land):
        for other in joined_land[:number]:
            gap = float(shapely.distance(piece, other))
            # Pieces that touch in a point count as one.
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
    # Land that touches in a point separates the water, so grow it by a tiny amount.
    barred = shapely.buffer(shapely.union_all(joined_land), _TOLERANCE_MM, join_style="mitre")
    water = shapely.box(0.0, 0.0, width_mm, height_mm).difference(barred)
    part_count = len(shapely.get_parts(water))
    if part_count != 1:
        raise IllegalOrder("water_in_pieces", "MX-1.5", piece="", parts=part_count)


def _piece_and_point(land: Polygon, pieces: Sequence[LandPiece]) -> str:  # such as `island 2 (300,360)`
    middle: Pair = land.representative_point().coords[0]
    number, candidate = next(
        (number, candidate)
        for number, candidate in enumerate(pieces, 1)
        if candidate.kind != "reef" and shapely.intersects(land, Polygon(candidate.corners))
    )
    return f"{candidate.kind} {number} ({middle[0]:.0f},{middle[1]:.0f})"
