"""The place of a hull on the table (MB-1.2)."""

from __future__ import annotations

from msgspec import Struct


class Pose(Struct, frozen=True, gc=False):
    """The place of a prow, from the table's south-west corner, and a compass bearing, 0 <= heading < 360."""

    x_mm: float  # of the prow, from the table's western edge
    y_mm: float  # of the prow, from the table's southern edge
    heading_deg: float  # clockwise from north
