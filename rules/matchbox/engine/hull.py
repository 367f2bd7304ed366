"""Hulls on the table as boxes, placed by prow and heading (MB-1.2)."""

from __future__ import annotations

import math
from typing import Final, Literal

from rules.geometry import boxes
from rules.geometry.boxes import Box, Extent, Pair, Point
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley

CONTACT_MM: Final = 0.1  # hulls this near are in contact (MB-5.6)
POSE_PRECISION_MM: Final = 0.001  # precision of written poses, in mm and degrees
MAX_SLIDE_MM: Final = 0.01  # how deep galleys in contact at the start of a step may slide into each other (MB-5.5)
LENGTH_TOLERANCE_MM: Final = 1e-6  # tolerance for comparisons of lengths with limits, above floating-point noise
_ROUNDING_MARGIN: Final = 0.499
"""A value this near to a whole number rounds to it. Close to a half, floating point may decide wrongly."""
_MAX_EXACT: Final = 1e10  # below this a float resolves a ten-thousandth


def hull_of(galley: Galley) -> Box:
    return galley.kind.make_box(galley.pose)


def hull_corners(pose: Pose, kind: VesselKind = GALLEY) -> tuple[Pair, Pair, Pair, Pair]:
    return boxes.box_corners(kind.make_box(pose))


def hull_middle(pose: Pose, kind: VesselKind = GALLEY) -> Point:
    return Point(*kind.make_box(pose)[:2])


def hull_gap_mm(a: Galley, b: Galley) -> float:
    return boxes.box_gap(hull_of(a), hull_of(b))


def overlap_mm(a: Galley, b: Galley) -> float:
    """Return how deep two hulls overlap; 0: no more than sliding and rounding allow."""
    depth = -boxes.separation(hull_of(a), hull_of(b))
    return depth if depth > MAX_SLIDE_MM + 2 * POSE_PRECISION_MM else 0.0


def hull_extent(hull: Box, margin: float = 0.0) -> Extent:
    """Return the west, south, east and north bounds of a hull in mm, with a margin on each side."""
    east = hull.half_length * abs(hull.ux) + hull.half_width * abs(hull.uy) + margin
    north = hull.half_length * abs(hull.uy) + hull.half_width * abs(hull.ux) + margin
    return hull.x - east, hull.y - north, hull.x + east, hull.y + north


def edge_overhangs(hull: Box, sea: Sea) -> tuple[float, float, float, float]:
    # How far a hull extends over the western, southern, eastern and northern edge, in mm; negative: its distance.
    west, south, east, north = hull_extent(hull)
    return -west, -south, east - sea.width_mm, north - sea.height_mm


def is_on_table(hull: Box, sea: Sea) -> bool:
    """Return whether the whole hull is on the table, within the precision of written poses."""
    longest = math.hypot(2 * hull.half_length, hull.half_width)
    return (
        max(edge_overhangs(hull, sea))
        <= POSE_PRECISION_MM / 2 + math.radians(POSE_PRECISION_MM / 2) * longest + LENGTH_TOLERANCE_MM
    )


def push_back(pose: Pose, sea: Sea, kind: VesselKind = GALLEY) -> Pose:
    """Return the pose after the least straight shift that brings the whole hull onto the table (MB-5.4)."""
    max_reach = kind.prow_reach_mm
    if max_reach <= pose.x_mm <= sea.width_mm - max_reach and max_reach <= pose.y_mm <= sea.height_mm - max_reach:
        return pose
    west, south, east, north = edge_overhangs(kind.make_box(pose), sea)
    x, y = max(0.0, west) - max(0.0, east), max(0.0, south) - max(0.0, north)
    return Pose(pose.x_mm + x, pose.y_mm + y, pose.heading_deg) if x or y else pose


def round_pose(pose: Pose) -> Pose:
    """Return the pose rounded to 0.001 mm and degrees, as in positions (MX-6.1)."""
    return _round_pose(pose, 1e3)


def round_kept_pose(pose: Pose) -> Pose:
    """Return the pose rounded to a millionth, as stored between the steps of a round."""
    return _round_pose(pose, 1e6)


def round_thousandths(value: float) -> float:
    """Return `round(value, 3)`, but faster. Gaps are compared with ranges and other gaps so rounded (MB-6.3)."""
    return _round_to(value, 1e3)


def _round_pose(pose: Pose, parts: float) -> Pose:
    """Return a pose rounded to 1 / `parts` mm and degrees, by `_round_to`."""
    x, y, heading = pose.x_mm, pose.y_mm, pose.heading_deg
    turned = _round_to(heading, parts) % 360 if heading else 0.0
    # Faster than `_round_to`, for nearly all poses: they are on the table, and clearly nearest to one number of parts.
    scaled_x, scaled_y = x * parts, y * parts
    whole_x, whole_y = math.floor(scaled_x + 0.5), math.floor(scaled_y + 0.5)
    if (
        1.0 < scaled_x < _MAX_EXACT
        and 1.0 < scaled_y < _MAX_EXACT
        and abs(scaled_x - whole_x) < _ROUNDING_MARGIN > abs(scaled_y - whole_y)
    ):
        return Pose(whole_x / parts, whole_y / parts, turned)
    return Pose(_round_to(x, parts), _round_to(y, parts), turned)


def _round_to(value: float, parts: float) -> float:
    """Round to 1 / `parts` exactly as `round` does, in a tenth of its time."""
    scaled = value * parts
    whole = math.floor(scaled + 0.5)
    if 1.0 < scaled < _MAX_EXACT and abs(scaled - whole) < _ROUNDING_MARGIN:
        return whole / parts
    return round(value, 3 if parts == 1e3 else 6)


def is_abeam(firer: Galley, other: Galley) -> bool:
    """Return whether the middle of the other hull is in the broadside zone of the first, ends included (MB-6.9)."""
    own, target = hull_of(firer), hull_of(other)
    ahead = (target.x - own.x) * own.ux + (target.y - own.y) * own.uy
    return abs(ahead) <= own.half_length + LENGTH_TOLERANCE_MM


def facing_side(galley: Galley, other: Galley) -> Literal["port", "starboard", "either"]:
    """Return the side of a hull on which the other's middle is; `either`: exactly fore or aft (MB-5.12)."""
    to_starboard_mm = boxes.to_box_frame(hull_of(other)[:2], hull_of(galley)).y
    if abs(to_starboard_mm) <= POSE_PRECISION_MM + LENGTH_TOLERANCE_MM:
        return "either"
    return "starboard" if to_starboard_mm > 0 else "port"
