"""Where a galley's order matches would lie with nothing in the way (MB-4.2, 4.3)."""

import pytest

from rules.matchbox.engine import laying
from rules.matchbox.engine.pose import Pose


def test_the_way_of_a_list():
    matches, poses = laying.lay_free(Pose(600.0, 300.0, 0.0), "FZZXR")
    assert [(match.galley, match.step, match.order, match.is_headless) for match in matches] == [
        ("", 1, "F", False),
        ("", 2, "Z", False),
        ("", 3, "Z", False),
        ("", 4, "X", True),
        ("", 5, "R", False),
    ]
    # 60 degrees to starboard of north: 45 sin 60 = 38.971 mm east, 45 cos 60 = 22.5 mm north.
    assert [place for match in matches for place in laying.match_ends(match)] == [
        pytest.approx(place, abs=0.001)
        for place in (
            *((600, 300), (600, 345)),
            *((597, 390), (597, 345)),
            *((603, 390), (603, 345)),
            *((577.5, 345), (622.5, 345)),
            *((600, 345), (638.971, 367.5)),
        )
    ]
    assert [(pose.x_mm, pose.y_mm, pose.heading_deg) for pose in poses] == [
        pytest.approx(place, abs=0.001) for place in (*[(600, 345, 0)] * 4, (638.971, 367.5, 60))
    ]
