"""Hulls on the table (MB-1.2)."""

import pytest

from rules.matchbox.engine import hull
from rules.matchbox.engine.kinds import KINDS
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley


@pytest.mark.parametrize(
    ("pose", "corners"),
    [
        (Pose(600, 300, 0), [(582.5, 300), (617.5, 300), (617.5, 240), (582.5, 240)]),
        (Pose(600, 300, 90), [(600, 317.5), (600, 282.5), (540, 282.5), (540, 317.5)]),
        (Pose(600, 300, 180), [(617.5, 300), (582.5, 300), (582.5, 360), (617.5, 360)]),
    ],
)
def test_corners_go_clockwise_from_the_bows_port_one(pose, corners):
    assert [tuple(corner) for corner in hull.hull_corners(pose)] == [pytest.approx(corner) for corner in corners]


@pytest.mark.parametrize(("written", "to"), [(hull.round_pose, 0.0004), (hull.round_kept_pose, 0.0000004)])
def test_a_heading_that_rounds_to_360_is_0(written, to):
    assert written(Pose(1.25, 2.5, 360 - to)) == Pose(1.25, 2.5, 0.0)
    assert written(Pose(1.25 + to, 2.5 - to, 359 + to)) == Pose(1.25, 2.5, 359.0)


@pytest.mark.parametrize(
    ("depth_mm", "told_mm"), [(-1.0, 0.0), (0.0, 0.0), (0.0115, 0.0), (0.0125, 0.0125), (5.0, 5.0)]
)
def test_an_overlap_counts_beyond_what_sliding_and_rounding_make(depth_mm, told_mm):
    first, second = (
        Galley(id=name, seat=0, side="south", holes=6, port=1, starboard=1, masts=0, pose=Pose(x, 100, 0))
        for name, x in (("A1", 100), ("A2", 135 - depth_mm))
    )
    assert hull.overlap_mm(first, second) == pytest.approx(told_mm)


def test_a_long_hull_that_writing_puts_over_the_edge_by_a_thousandth_is_on_the_table():
    """Her corners turn by 0.00106 mm if her heading does by half of 0.001 degrees."""
    sea, box = Sea(1600.0, 900.0), KINDS["heavy"].make_box
    assert hull.is_on_table(box(Pose(1535.0248459477, 713.8940596599, 335.899496)), sea)
    assert hull.is_on_table(box(Pose(1535.025, 713.894, 335.899)), sea)
    assert not hull.is_on_table(box(Pose(1535.026, 713.894, 335.899)), sea)
