"""The ways round land: how much longer they are than straight ones, and where they begin.

The sea is cut into squares. From the square of a goal the way spreads to all others, eight neighbours each, dearer near
the shore and hardly ever over it. What that adds to the same way over open water is the detour.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import shapely

from rules.geometry import Pair
from rules.matchbox.captains import many_shores
from rules.matchbox.captains.many_hulls import Floats, Ints
from rules.matchbox.table.sea import Sea

_PITCH_MM: Final = 20.0
_SHY_MM: Final = 35.0
"""So near to land a hull's middle is better not."""
_NEAR_SHORE: Final = 3.0
_ON_LAND: Final = 60.0
"""What a millimetre there counts beside one of open water."""
_SLIGHT_MM: Final = 12.0
"""Detours shorter than this are none: she may go straight."""
_DIAGONAL: Final = 2.0**0.5
_WAYS: Final = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)


class Detours(NamedTuple):
    """What ways from many places to one goal are like."""

    longer_mm: Floats
    """By how much they are longer than the straight ones; 0: nothing lies between."""
    ux: Floats
    """Where they begin: unit vectors; not to be used where there is no detour."""
    uy: Floats


class _Field(NamedTuple):
    """Of one goal."""

    left_mm: Floats
    """The way to go from each square, [east, north]."""
    ux: Floats
    uy: Floats
    goal: tuple[int, int]


class Way(NamedTuple):
    """What is left to go from many places."""

    left_mm: Floats
    ux: Floats
    """Where it begins: unit vectors."""
    uy: Floats


class Chart(NamedTuple):
    """The ways to some waters, from each square: [east, north]."""

    left_mm: Floats
    ux: Floats
    uy: Floats

    def at(self, x: Floats, y: Floats) -> Way:
        """From places; between the middles of squares it's what is in between."""
        across = np.clip(np.asarray(x) / _PITCH_MM - 0.5, 0.0, self.left_mm.shape[0] - 1.001)
        along = np.clip(np.asarray(y) / _PITCH_MM - 0.5, 0.0, self.left_mm.shape[1] - 1.001)
        i, j = across.astype(np.int64), along.astype(np.int64)
        u, v = across - i, along - j
        south = self.left_mm[i, j] * (1 - u) + self.left_mm[i + 1, j] * u
        north = self.left_mm[i, j + 1] * (1 - u) + self.left_mm[i + 1, j + 1] * u
        return Way(np.asarray(south * (1 - v) + north * v), self.ux[i, j], self.uy[i, j])


def chart(sea: Sea, waters: shapely.Polygon) -> Chart:
    """The ways to all squares of water whose middles lie in a polygon."""
    cost = np.pad(_cost(sea), 1, constant_values=np.inf)
    across, along = (np.arange(_PITCH_MM / 2, length, _PITCH_MM) for length in sea.size)
    inside = shapely.contains(waters, shapely.points(*np.meshgrid(across, along, indexing="ij")))
    left = np.full(cost.shape, np.inf)
    left[1:-1, 1:-1][inside & (_cost(sea) < _ON_LAND)] = 0.0
    return Chart(*_spread(cost, left))


def detours(sea: Sea, goal: Pair, x: Floats, y: Floats) -> Detours:
    """The ways from places to a goal."""
    field = _field(sea, _cell(sea, goal[0]), _cell(sea, goal[1]))
    i, j = _cells(x, field.left_mm.shape[0]), _cells(y, field.left_mm.shape[1])
    across, along = np.abs(i - field.goal[0]), np.abs(j - field.goal[1])
    open_water = _PITCH_MM * (np.maximum(across, along) + (_DIAGONAL - 1) * np.minimum(across, along))
    longer = np.maximum(0.0, field.left_mm[i, j] - open_water)
    return Detours(np.where(longer > _SLIGHT_MM, longer, 0.0), field.ux[i, j], field.uy[i, j])


def course(sea: Sea, here: Pair, goal: Pair) -> Pair:
    """The direction in which to go from a place to a goal: not a unit vector where it is straight."""
    if sea.shore:
        found = detours(sea, goal, np.array([here[0]]), np.array([here[1]]))
        if found.longer_mm[0] > 0:
            return float(found.ux[0]), float(found.uy[0])
    return goal[0] - here[0], goal[1] - here[1]


def _cell(sea: Sea, place: float) -> int:
    return int(min(max(place, 0.0), max(sea.size)) // _PITCH_MM)


def _cells(places: Floats, most: int) -> Ints:
    return np.asarray(np.clip(np.asarray(places) // _PITCH_MM, 0, most - 1).astype(np.int64))


@lru_cache(maxsize=8)
def _cost(sea: Sea) -> Floats:
    """What a millimetre of each square counts."""
    across, along = (np.arange(_PITCH_MM / 2, length, _PITCH_MM) for length in sea.size)
    off = many_shores.land_chart(sea).at(*np.meshgrid(across, along, indexing="ij"))
    return np.where(off <= 0.0, _ON_LAND, np.where(off < _SHY_MM, _NEAR_SHORE, 1.0))


@lru_cache(maxsize=256)
def _field(sea: Sea, east: int, north: int) -> _Field:
    cost = np.pad(_cost(sea), 1, constant_values=np.inf)
    left = np.full(cost.shape, np.inf)
    goal = min(east, cost.shape[0] - 3), min(north, cost.shape[1] - 3)
    left[goal[0] + 1, goal[1] + 1] = 0.0
    return _Field(*_spread(cost, left), goal)


def _spread(cost: Floats, left: Floats) -> tuple[Floats, Floats, Floats]:
    """The way from each square to where none is left, and where it begins; both arrays have a rim of one square."""
    inside = left[1:-1, 1:-1]
    wide, high = inside.shape
    steps = [
        (
            (slice(1 + i, 1 + i + wide), slice(1 + j, 1 + j + high)),
            _PITCH_MM * (_DIAGONAL if i and j else 1.0) * (_part(cost, i, j) + cost[1:-1, 1:-1]) / 2,
        )
        for i, j in _WAYS
    ]
    while True:
        before = inside.copy()
        for part, price in steps:
            np.minimum(inside, left[part] + price, out=inside)
        if np.array_equal(before, inside):
            break
    onward = np.stack([left[part] + price for part, price in steps]).argmin(axis=0)
    way = np.array(_WAYS, np.float64)[onward]
    way /= np.hypot(way[..., 0], way[..., 1])[..., None]
    smooth = _smoothed(way)
    return inside.copy(), smooth[..., 0], smooth[..., 1]


def _part(cost: Floats, i: int, j: int) -> Floats:
    wide, high = cost.shape[0] - 2, cost.shape[1] - 2
    return cost[1 + i : 1 + i + wide, 1 + j : 1 + j + high]


def _smoothed(way: Floats) -> Floats:
    """Directions of eight, made less abrupt by those of neighbours."""
    padded = np.pad(way, ((1, 1), (1, 1), (0, 0)), mode="edge")
    wide, high = way.shape[:2]
    total = way + np.sum([padded[1 + i : 1 + i + wide, 1 + j : 1 + j + high] for i, j in _WAYS], axis=0)
    length = np.hypot(total[..., 0], total[..., 1])[..., None]
    return np.asarray(np.where(length > 0, total / np.where(length > 0, length, 1.0), way))
