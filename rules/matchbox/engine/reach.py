"""The area that a galley cannot leave in a round, with any orders and any stops (MB-5).

It is one convex shape that contains every point of the hull at any time of the round. Galleys may be stopped in the
middle of a step, pushed back by the table's edges, and back off at the end. So the shape is not a union of courses, but
a bound: for each direction, how far a hull can get with a number of moves.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
from shapely.geometry import Polygon, box

from rules.geometry.boxes import Pair
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, SLOTS, Galley

Floats = npt.NDArray[np.float64]

MAX_ERROR_MM: Final = 7.0
"""More than the error of whole degrees: 0.75 mm for each of five moves in length, 0.4 mm each in direction by half a
degree, and 0.6 mm for the farthest corner."""
_FULL_TURN_DEG: Final = 360
_PITCH_DEG: Final = 10  # angle between directions of bounds
_MOVE_PARTS: Final = 30  # a move may be stopped after each of these parts: at most two degrees of a turn
_DIRECTIONS_DEG: Final = np.arange(0, _FULL_TURN_DEG, _PITCH_DEG)


def max_moves(galley: Galley) -> int:
    """Return how many moves and turns a vessel may be ordered in a round (MB-3.3 to 3.6, MX-2.3)."""
    return min(galley.kind.max_moves, galley.port, galley.starboard, galley.holes)


def reach_outline(galley: Galley, sea: Sea) -> tuple[Pair, ...]:
    """Return corners, in mm, of a convex shape that the vessel cannot leave in a round."""
    count, kind = max_moves(galley), galley.kind
    x, y = galley.pose.x_mm, galley.pose.y_mm
    max_reach = count * kind.move_mm + kind.prow_reach_mm + MAX_ERROR_MM
    # The bearing inward from each edge of the table, and the prow's distance from that edge.
    edge_distances = ((90, x), (0, y), (270, sea.width_mm - x), (180, sea.height_mm - y))
    edges = tuple(inward for inward, gap in edge_distances if gap <= max_reach)
    bounds = _reach_bounds(edges, kind)[count, round(galley.pose.heading_deg) % _FULL_TURN_DEG] + MAX_ERROR_MM
    if sea.shore:
        bounds += kind.clearance_mm  # poling off land may add this (MX-1.12)
    corners = []
    for number, direction in enumerate(_DIRECTIONS_DEG):
        turn, beside = math.radians(direction), math.radians(_PITCH_DEG)
        # The corner where the bounds of this direction and the next meet.
        bound, next_bound = bounds[number], bounds[(number + 1) % len(_DIRECTIONS_DEG)]
        across = (next_bound - bound * math.cos(beside)) / math.sin(beside)
        ahead, aside = (math.sin(turn), math.cos(turn)), (math.cos(turn), -math.sin(turn))
        corners.append((x + bound * ahead[0] + across * aside[0], y + bound * ahead[1] + across * aside[1]))
    shape = Polygon(corners).convex_hull.intersection(box(0.0, 0.0, sea.width_mm, sea.height_mm))
    return tuple((float(east), float(north)) for east, north in shape.exterior.coords[:-1])


@lru_cache(maxsize=16)
def _reach_bounds(edges: tuple[int, ...], kind: VesselKind = GALLEY) -> Floats:
    """Return how far a hull can get from its prow's place, in mm, by moves left, heading and direction number.

    `edges` are bearings inward from table edges that may push the hull. The bound assumes that they always push.
    """
    heading, turn_deg = np.arange(_FULL_TURN_DEG), round(kind.turn_deg)
    bounds = np.empty((SLOTS + 1, _FULL_TURN_DEG, len(_DIRECTIONS_DEG)))
    angle = np.radians(heading[:, None] - _DIRECTIONS_DEG[None, :])
    # The last part is the hull itself, and up to a match of backing off (MB-5.13).
    astern = np.maximum(0.0, -kind.length_mm * np.cos(angle))
    bounds[0] = astern + kind.half_width_mm * np.abs(np.sin(angle)) + np.maximum(0.0, -MATCH_MM * np.cos(angle))
    for count in range(1, SLOTS + 1):
        best = bounds[count - 1].copy()
        for turn in (0, -1, 1):
            move_angle = np.radians(heading + turn * turn_deg)
            # A stopped turn leaves a heading between. A stopped straight move is within the reach of the whole.
            parts = [*range(1, _MOVE_PARTS + 1)] if turn else [_MOVE_PARTS]
            for part in parts:
                distance = kind.move_mm * part / _MOVE_PARTS
                after = (heading + turn * part * turn_deg // _MOVE_PARTS) % _FULL_TURN_DEG
                step = distance * np.cos(move_angle[:, None] - np.radians(_DIRECTIONS_DEG)[None, :])
                for inward in edges:
                    depth_growth = _hull_depth(after, inward, kind) - _hull_depth(heading, inward, kind)
                    pushed = np.maximum(0.0, depth_growth - distance * np.cos(move_angle - math.radians(inward)))
                    step += pushed[:, None] * np.maximum(0.0, np.cos(np.radians(_DIRECTIONS_DEG - inward)))[None, :]
                np.maximum(best, step + bounds[count - 1][after], out=best)
        bounds[count] = best
    bounds.setflags(write=False)
    return bounds


def _hull_depth(heading: npt.NDArray[np.int_], inward: int, kind: VesselKind) -> Floats:
    # How far a hull extends from its prow towards an edge, from which the bearing `inward` leads away.
    angle = np.radians(heading - inward)
    return np.maximum(0.0, kind.length_mm * np.cos(angle)) + kind.half_width_mm * np.abs(np.sin(angle))
