"""The way of one galley through an order step (MB-5.2 to 5.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from rules.geometry import boxes
from rules.geometry.boxes import Box, Outline
from rules.matchbox.engine import hull, laying
from rules.matchbox.engine.kinds import GALLEY, VesselKind
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea

MAX_EDGE_CURVATURE_MM: Final = 75.0
"""Bound on the second derivative, in mm per step², of how far a turning hull's corner overhangs an edge.

A galley's corner is 62.5 mm from the prow and turns by π/3 in a step: 62.5 × (π/3)² = 68.5. The prow itself goes
straight. If the bound were too small, a push by the table's edge could be missed.
"""


class Path(Struct, frozen=True, gc=False):
    """The way of a galley through a step, from t = 0 to t = 1. `turn_deg` is positive to starboard."""

    start: Pose  # pose at the beginning of the step
    end: Pose  # pose at its end if nothing stops the galley
    turn_deg: float = 0.0  # how far the heading turns in the step
    was_pushed_back: bool = False  # whether the path was cut at the table's edge (MB-5.4)
    sea: Sea | None = None  # the table; None: no corner can swing over its edge on the way
    kind: VesselKind = GALLEY  # the kind of vessel, which has a size and speed

    def pose_at(self, t: float) -> Pose:  # at fraction t of the step (MB-5.3)
        if t <= 0:
            return self.start
        if t >= 1:
            return self.end
        here = self._free_pose(t)
        return hull.push_back(here, self.sea, self.kind) if self.sea else here

    def _free_pose(self, t: float) -> Pose:
        start, end = self.start, self.end
        return Pose(
            start.x_mm + t * (end.x_mm - start.x_mm),
            start.y_mm + t * (end.y_mm - start.y_mm),
            (start.heading_deg + t * self.turn_deg) % 360 if self.turn_deg else start.heading_deg,
        )

    def is_smooth(self, low: float, high: float) -> bool:
        """Return whether the way surely has no kink between two instants.

        A kink is where an edge starts or stops to push the hull, or pushes another corner.
        """
        if not self.sea:
            return True
        heading = self.start.heading_deg
        crosses = (heading + low * self.turn_deg) // 90 != (heading + high * self.turn_deg) // 90
        # At its start and end the hull may slightly overhang the edge without being pushed.
        if crosses or low <= 0 or high >= 1:
            return False
        doubt = MAX_EDGE_CURVATURE_MM * (high - low) ** 2 / 8  # between two instants an overhang may be greater by this
        begin, end = (hull.edge_overhangs(self.kind.make_box(self._free_pose(t)), self.sea) for t in (low, high))
        return all(min(pair) > doubt or max(pair) < -doubt for pair in zip(begin, end, strict=True))

    def hull_at(self, t: float) -> Box:
        return self.kind.make_box(self.pose_at(t) if t > 0 else self.start)

    def outlines_at(self, instants: Sequence[float]) -> list[Outline]:
        """Return the hull's corners at fractions of the step, equal to those of `hull_at` to the last digit."""
        if self.sea:
            return [boxes.box_corners(self.hull_at(t)) for t in instants]
        x, y, heading, turn = self.start.x_mm, self.start.y_mm, self.start.heading_deg, self.turn_deg
        shift_x, shift_y = self.end.x_mm - x, self.end.y_mm - y
        along, across = self.kind.half_length_mm, self.kind.half_width_mm
        first, last = self.first_hull, self.last_hull
        outlines = []
        for t in instants:
            if t <= 0 or t >= 1:
                outlines.append(boxes.box_corners(first if t <= 0 else last))
                continue
            angle = math.radians((heading + t * turn) % 360 if turn else heading)
            ux, uy = math.sin(angle), math.cos(angle)
            middle_x, middle_y = x + t * shift_x - along * ux, y + t * shift_y - along * uy
            outlines.append(boxes.box_corners((middle_x, middle_y, ux, uy, along, across)))
        return outlines

    @property
    def first_hull(self) -> Box:
        return self.kind.make_box(self.start)

    @property
    def last_hull(self) -> Box:
        return self.kind.make_box(self.end)

    @property
    def is_still(self) -> bool:
        return self.start == self.end

    @property
    def length_mm(self) -> float:
        return math.hypot(self.end.x_mm - self.start.x_mm, self.end.y_mm - self.start.y_mm)

    @property
    def sweep_radius_mm(self) -> float:
        return self.length_mm + self.kind.half_length_mm * math.radians(abs(self.turn_deg))


def path_of_order(pose: Pose, order: str, sea: Sea, kind: VesselKind = GALLEY) -> Path:
    """Return the way that an order asks for, as far as the table's edge allows it (MB-5.2 to 5.4)."""
    free_end = laying.pose_after_order(pose, order, kind)
    end = hull.push_back(free_end, sea, kind)
    if end is pose:
        return Path(pose, pose, kind=kind)
    pushed_mm, turn = 0.0, kind.turn_by_order_deg.get(order, 0.0)
    if end is not free_end:
        pushed_mm = math.hypot(end.x_mm - free_end.x_mm, end.y_mm - free_end.y_mm)
        if not turn and math.hypot(end.x_mm - pose.x_mm, end.y_mm - pose.y_mm) <= hull.LENGTH_TOLERANCE_MM:
            end = pose  # pressed against the edge, so rounding must not count as a move
    swings_out = bool(turn) and _may_cross_edge(pose, end, sea, kind.prow_reach_mm)
    return Path(pose, end, turn, pushed_mm > hull.POSE_PRECISION_MM, sea if swings_out else None, kind)


def _may_cross_edge(start: Pose, end: Pose, sea: Sea, reach: float) -> bool:
    """Return whether a corner within `reach` of the prow might leave the table between two poses on it."""
    east, north = sea.width_mm - reach, sea.height_mm - reach
    return not (
        reach <= start.x_mm <= east
        and reach <= start.y_mm <= north
        and reach <= end.x_mm <= east
        and reach <= end.y_mm <= north
    )
