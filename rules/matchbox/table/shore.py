"""Land and the hulls beside it: where it stops them, and how they come off it again (MX-1.8 to 1.15)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from shapely import Point

from rules import geometry
from rules.blows import Facing
from rules.geometry import Box
from rules.matchbox.table import hull
from rules.matchbox.table.path import Path
from rules.plane import Land

Floats = npt.NDArray[np.float64]

KEEP_MM: Final = 0.05
"""MX-1.8: no hull comes nearer to land."""
NEAR_MM: Final = 0.1
"""MX-1.10, 1.11: land so near to the bow is what a bow in contact is among hulls."""
ROUNDING_MM: Final = 1e-6
"""MX-1.8: what is left to rounding."""
FINEST: Final = 1e-6
"""The shortest part of a turn that is searched. In it a corner that passes another at 0.05 mm comes nearer by no more
than (0.11 mm)² / 0.05 mm × `FINEST`, 0.00000003 mm."""
_EQUALLY_MM: Final = 0.01
"""MX-1.10: bow corners so nearly as far from land are equally far."""
_FIRST_CUTS: Final = 16
_CUTS: Final = 8
_SECTIONS: Final = 32
REEF_RUN: Final[Mapping[str, float]] = {"light": math.inf, "normal": 2, "deep": 1}
"""MX-1.15: from which forward of an unbroken run on a reef costs, by draught."""
SHRUNK_MM: Final = 0.05
"""MX-1.15: how much smaller all round the hull is that meets a reef."""


def stop(path: Path, land: Land) -> float | None:
    """The instant at which land stops a hull on its way through a step; None: it does not (MX-1.8).

    In a turn she keeps the heading that she has reached, and nothing is hurt (MX-1.9).
    """
    if path.still or not land.near(_waters(path)):
        return None
    start = geometry.corners(path.first)
    gap = float(land.gaps([start])[0])
    keep = min(KEEP_MM, gap) - min(ROUNDING_MM, gap / 2)
    if path.turn_deg:
        return None if gap - _rate(path) >= keep else _in_turn(path, land, keep)
    return land.stop(start, (path.end.x_mm - path.start.x_mm, path.end.y_mm - path.start.y_mm), keep)


def _waters(path: Path) -> geometry.Extent:
    """What holds all that the hull can be over, and what is so near that it must stop."""
    if not path.turn_deg:
        (west, south, east, north), (to_west, to_south, to_east, to_north) = map(hull.extent, (path.first, path.last))
        return (
            min(west, to_west) - KEEP_MM,
            min(south, to_south) - KEEP_MM,
            max(east, to_east) + KEEP_MM,
            max(north, to_north) + KEEP_MM,
        )
    x, y = path.start.x_mm, path.start.y_mm
    reach = path.kind.prow_reach_mm + path.length_mm * (2 if path.sea else 1) + KEEP_MM
    return x - reach, y - reach, x + reach, y + reach


def _rate(path: Path) -> float:
    """What no point of a hull goes faster than, in mm per step; twice that where the table's edge pushes it."""
    rate = path.length_mm + math.radians(abs(path.turn_deg)) * path.kind.prow_reach_mm
    return 2 * rate if path.sea else rate


def _in_turn(path: Path, land: Land, keep: float) -> float | None:
    """The same where the hull turns, by bracketing.

    No point of a hull moves faster than `rate`. So between two instants it comes no nearer to land than half of what it
    is off at both together, less half of what it can go meanwhile; stretches of time in which that is far enough are
    dropped, and the others cut into shorter ones.
    """
    rate = _rate(path)
    times, cuts = np.array([[0.0, 1.0]]), _FIRST_CUTS
    while len(times):
        instants = np.linspace(times[:, 0], times[:, 1], cuts + 1, axis=1)
        gaps = _gaps(path, land, instants)
        low, high = instants[:, :-1].ravel(), instants[:, 1:].ravel()
        at_low, at_high = gaps[:, :-1].ravel(), gaps[:, 1:].ravel()
        width = float(high[0] - low[0])
        doubtful = (at_low + at_high - rate * width) / 2 < keep
        near = np.flatnonzero(at_high < keep)
        if len(near):
            doubtful[near[0] + 1 :] = False
        if width < FINEST:
            return _last_off(path, land, keep, (float(low[near[0]]), float(high[near[0]]))) if len(near) else None
        times, cuts = np.stack((low[doubtful], high[doubtful]), axis=1), _CUTS
    return None


def _last_off(path: Path, land: Land, keep: float, within: tuple[float, float]) -> float:
    """The last instant at which the hull is far enough off, between one at which it is and one at which it is not."""
    low, high = within
    while high - low > 1e-13:
        instants = np.linspace(low, high, _SECTIONS + 1)
        first = int(np.argmax(_gaps(path, land, instants[1:]) < keep))
        low, high = float(instants[first]), float(instants[first + 1])
    return low


def _gaps(path: Path, land: Land, instants: Floats) -> Floats:
    """How far off land the hull is at each instant."""
    outlines = np.array([geometry.corners(path.hull(t)) for t in instants.ravel().tolist()])
    return land.gaps(outlines).reshape(instants.shape)


# --- aground, reefs, sight -------------------------------------------------------------------------------------------


def bow_gap_mm(own: Box, land: Land) -> float:
    """How far land is from the bow edge (MX-1.10)."""
    return float(land.edge_gaps(*geometry.corners(own)[:2])) if _beside(own, land, NEAR_MM) else math.inf


def bow_ashore(own: Box, land: Land) -> bool:
    """Whether land is so near the bow edge that she is aground, or backs off (MX-1.10, 1.11)."""
    return bow_gap_mm(own, land) <= NEAR_MM + hull.NOISE_MM


def runs_aground(before: Box, after: Box, land: Land) -> bool:
    """Whether land lies at the bow after a move, and did not before it (MX-1.10)."""
    return bow_ashore(after, land) and not bow_ashore(before, land)


def facing(own: Box, land: Land) -> Facing:
    """The side that a grounding hurts: that of the bow corner nearer to land (MX-1.10)."""
    port, starboard = (land.gap(Point(corner)) for corner in geometry.corners(own)[:2])
    if abs(port - starboard) <= _EQUALLY_MM + hull.NOISE_MM:
        return "either"
    return "port" if port < starboard else "starboard"


def over(own: Box, reefs: Land) -> bool:
    """Whether a hull, a little smaller than it is, meets a reef (MX-1.15)."""
    if not _beside(own, reefs, 0.0):
        return False
    shrunk = own._replace(half_length=own.half_length - SHRUNK_MM, half_width=own.half_width - SHRUNK_MM)
    return bool(reefs.gaps([geometry.corners(shrunk)])[0] == 0)


def _beside(own: Box, land: Land, margin: float) -> bool:
    """Whether land may be so near to a hull, as far as extents tell."""
    west, south, east, north = hull.extent(own)
    reach = margin + hull.NOISE_MM
    return land.near((west - reach, south - reach, east + reach, north + reach))
