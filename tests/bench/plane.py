"""Questions of plane geometry to be timed: closed forms of boxes beside shapely, and land asked singly and in bulk."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import shapely

from rules.geometry import boxes as geometry
from rules.geometry.boxes import Box
from rules.geometry.plane import Land, hull_corners

HULLS = 1_000
BULK = 20_000
ISLANDS, CORNERS = 8, 20
TABLE_MM = (1200.0, 800.0)
HULL_MM = (60.0, 35.0)
REACH_MM = 45.0


def works() -> dict[str, Callable[[], object]]:
    """Each question by its name; hulls and land are made before."""
    rng = random.Random(1)
    places = np.array([[rng.uniform(0, size) for size in (*TABLE_MM, 360.0)] for _ in range(BULK)]).T
    corners = hull_corners(*HULL_MM, *places)
    boxes = [
        Box(x, y, *geometry.unit_vector(turn), HULL_MM[0] / 2, HULL_MM[1] / 2)
        for x, y, turn in places.T[:HULLS].tolist()
    ]
    hulls = shapely.polygons(corners[:HULLS])
    lines = shapely.linestrings(corners[:HULLS, :2])
    land = Land([_island(rng) for _ in range(ISLANDS)])
    north = geometry.unit_vector(0)
    return {
        "1,000 gaps of two boxes, in closed form": lambda: [geometry.box_gap(a, b) for a, b in pairwise(boxes)],
        "1,000 gaps of two boxes, by shapely, hulls known": lambda: [a.distance(b) for a, b in pairwise(hulls)],
        "1,000 gaps of two boxes, by shapely, hulls made": lambda: [
            shapely.Polygon(geometry.box_corners(a)).distance(b) for a, b in zip(boxes, hulls, strict=True)
        ],
        "1,000 hulls against eight islands": lambda: [land.touches_hull(hull) for hull in hulls],
        "1,000 lines of fire against eight islands": lambda: [land.bars_line(line) for line in lines],
        "1,000 ways to eight islands": lambda: [land.distance_to_land(hull, north, REACH_MM) for hull in hulls],
    }


def _island(rng: random.Random) -> list[tuple[float, float]]:
    x, y = (rng.uniform(100, size - 100) for size in TABLE_MM)
    bearings = sorted(rng.uniform(0, 2 * math.pi) for _ in range(CORNERS))
    return [(x + r * math.sin(b), y + r * math.cos(b)) for b in bearings for r in [rng.uniform(40, 100)]]
