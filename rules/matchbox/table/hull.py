"""Hulls on the table: 60 × 35 mm boxes, placed by prow and heading (MB-1.2)."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, Literal

from rules import geometry
from rules.geometry import Box, Extent, Pair, Point
from rules.matchbox.table.state import HULL_LENGTH_MM, HULL_WIDTH_MM, Pose

HALF_LENGTH_MM: Final = HULL_LENGTH_MM / 2
HALF_WIDTH_MM: Final = HULL_WIDTH_MM / 2
REACH_MM: Final = math.hypot(HALF_LENGTH_MM, HALF_WIDTH_MM)
"""From the middle of a hull to its corners."""
PROW_REACH_MM: Final = math.hypot(HULL_LENGTH_MM, HALF_WIDTH_MM)
"""From the prow to the farthest corner."""
CONTACT_MM: Final = 0.1
"""MB-5.6: hulls this near are in contact."""
GRAIN_MM: Final = 0.001
"""Poses are written to this."""
SLIDE_MM: Final = 0.01
"""MB-5.5: galleys that were in contact when a step began may slide into each other so deep."""
NOISE_MM: Final = 1e-6
"""Lengths are compared with limits of the rules to this, above the noise of floating point."""


_TIE: Final = 1e-3
"""Nearer than this to the middle between two whole numbers, floating point may take the wrong one."""
_EXACT: Final = 1e10
"""Below this a float tells whole numbers and a ten-thousandth of one apart."""


@lru_cache(maxsize=2048)
def box(pose: Pose) -> Box:
    """The hull as a box."""
    ux, uy = geometry.direction(pose.heading_deg)
    return Box(pose.x_mm - HALF_LENGTH_MM * ux, pose.y_mm - HALF_LENGTH_MM * uy, ux, uy, HALF_LENGTH_MM, HALF_WIDTH_MM)


def corners(pose: Pose) -> tuple[Pair, Pair, Pair, Pair]:
    """Corners of the hull in mm, clockwise from the bow's port one."""
    return geometry.corners(box(pose))


def middle(pose: Pose) -> Point:
    """The middle of the hull in mm."""
    hull = box(pose)
    return Point(hull.x, hull.y)


def gap_mm(a: Pose, b: Pose) -> float:
    """Shortest distance between two hulls; 0 if they touch."""
    return geometry.gap(box(a), box(b))


def parted_mm(a: Pose, b: Pose) -> float:
    """Width of the widest strip along an edge that parts two hulls; negative: how deep they overlap."""
    return geometry.separation(box(a), box(b))


def overlap_mm(a: Pose, b: Pose) -> float:
    """How deep two hulls overlap; 0 if they do not, or no more than sliding along each other and rounding make them."""
    depth = -parted_mm(a, b)
    return depth if depth > SLIDE_MM + 2 * GRAIN_MM else 0.0


def extent(pose: Pose) -> Extent:
    """West, south, east and north ends of the hull in mm: with the table's size, all that its edges ask for."""
    hull = box(pose)
    east = HALF_LENGTH_MM * abs(hull.ux) + HALF_WIDTH_MM * abs(hull.uy)
    north = HALF_LENGTH_MM * abs(hull.uy) + HALF_WIDTH_MM * abs(hull.ux)
    return hull.x - east, hull.y - north, hull.x + east, hull.y + north


def overhangs(pose: Pose, width: float, height: float) -> tuple[float, float, float, float]:
    """How far the hull reaches over the west, south, east and north edge; negative: how far off it lies."""
    west, south, east, north = extent(pose)
    return -west, -south, east - width, north - height


def on_table(pose: Pose, width: float, height: float) -> bool:
    """Whether the whole hull lies on a table of this size in mm."""
    west, south, east, north = extent(pose)
    return west >= -GRAIN_MM and south >= -GRAIN_MM and east <= width + GRAIN_MM and north <= height + GRAIN_MM


def pushed_back(pose: Pose, width: float, height: float) -> Pose:
    """The pose moved straight back, the least way, so that the whole hull lies on the table (MB-5.4)."""
    far = PROW_REACH_MM
    if far <= pose.x_mm <= width - far and far <= pose.y_mm <= height - far:
        return pose
    west, south, east, north = overhangs(pose, width, height)
    x, y = max(0.0, west) - max(0.0, east), max(0.0, south) - max(0.0, north)
    return Pose(pose.x_mm + x, pose.y_mm + y, pose.heading_deg) if x or y else pose


def rounded(pose: Pose) -> Pose:
    """The pose to 0.001 mm and 0.001 degrees, as positions are written (MB part 11)."""
    return _rounded(pose, 1e3)


def kept(pose: Pose) -> Pose:
    """The pose to a millionth, as it is kept from step to step within a round."""
    return _rounded(pose, 1e6)


def _rounded(pose: Pose, parts: float) -> Pose:
    x, y, heading = pose.x_mm, pose.y_mm, pose.heading_deg
    return Pose(_to(x, parts), _to(y, parts), _to(heading, parts) % 360)


def _to(value: float, parts: float) -> float:
    """The nearest whole number of such parts of one: what `round` gives to the last digit, at a tenth of its time."""
    scaled = value * parts
    whole = math.floor(scaled + 0.5)
    if 1.0 < scaled < _EXACT and abs(scaled - whole) < 0.5 - _TIE:
        return whole / parts
    return round(value, 3 if parts == 1e3 else 6)


def abeam(of: Pose, other: Pose) -> bool:
    """Whether the middle of the other hull lies in the broadside zone of the first, its ends included (MB-6.9)."""
    return abs(geometry.within(middle(other), box(of)).x) <= HALF_LENGTH_MM + NOISE_MM


def facing(of: Pose, other: Pose) -> Literal["port", "starboard", "either"]:
    """The side of a hull on which the middle of the other lies; `either` if exactly fore and aft (MB-5.12)."""
    abreast = geometry.within(middle(other), box(of)).y
    if abs(abreast) <= GRAIN_MM + NOISE_MM:
        return "either"
    return "starboard" if abreast > 0 else "port"
