"""Hulls on the table (MB-1.2)."""

import pytest

from rules.matchbox import hull
from rules.matchbox.state import Pose


@pytest.mark.parametrize(
    ("pose", "corners"),
    [
        (Pose(600, 300, 0), [(582.5, 300), (617.5, 300), (617.5, 240), (582.5, 240)]),
        (Pose(600, 300, 90), [(600, 317.5), (600, 282.5), (540, 282.5), (540, 317.5)]),
        (Pose(600, 300, 180), [(617.5, 300), (582.5, 300), (582.5, 360), (617.5, 360)]),
    ],
)
def test_corners_go_clockwise_from_the_bows_port_one(pose, corners):
    assert [tuple(corner) for corner in hull.corners(pose)] == [pytest.approx(corner) for corner in corners]
