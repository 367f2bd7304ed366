"""Where a hull lies on the table (MB-1.2)."""

from __future__ import annotations

from msgspec import Struct


class Pose(Struct, frozen=True, gc=False):
    """Where a hull lies (MB-1.2)."""

    x_mm: float
    """Prow, east of the table's south-west corner."""
    y_mm: float
    """Prow, north of the table's south-west corner."""
    heading_deg: float
    """Compass bearing, 0 <= heading < 360."""
