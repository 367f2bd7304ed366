"""Movement of a step, against a slow look at every moment of it (MB-5.2 to 5.5)."""

import random
from itertools import combinations

import pytest

from rules.matchbox import hull, movement
from rules.matchbox.state import Pose
from tests.rules.matchbox.sea_room import TABLE, fleet

DEEP_MM = 1e-5
"""A graze shallower than this is the search's to overlook."""


def pose_at(way, t):
    return way.path.pose(min(t, way.part)) if way.part < 1 else way.path.pose(t)


@pytest.mark.parametrize("seed", range(60))
def test_hulls_never_overlap_nor_leave_the_table(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    ways = movement.go(galleys, {galley.id: rng.choice("FLR") for galley in galleys}, TABLE)
    for t in [n / 100 for n in range(101)]:
        poses = {galley: pose_at(way, t) for galley, way in ways.items()}
        assert all(hull.on_table(pose, *TABLE) for pose in poses.values())
        assert min(hull.parted_mm(a, b) for a, b in combinations(poses.values(), 2)) >= -DEEP_MM


@pytest.mark.parametrize("seed", range(60))
def test_whoever_stops_would_overlap_the_moment_after(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    ways = movement.go(galleys, {galley.id: rng.choice("FLR") for galley in galleys}, TABLE)
    for name, way in ways.items():
        if way.part < 1:
            after = min(1.0, way.part + 1e-4)
            on = way.path.pose(after)
            others = [other for other in ways if other != name]
            assert any(
                hull.parted_mm(on, ways[other].path.pose(after if ways[other].part == way.part else ways[other].part))
                < 0
                for other in others
            ), name


@pytest.mark.parametrize("seed", range(20))
def test_galley_order_does_not_matter(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    steps = {galley.id: rng.choice("FLR") for galley in galleys}
    ways = movement.go(galleys, steps, TABLE)
    back = movement.go(galleys[::-1], steps, TABLE)
    for name, way in ways.items():
        assert back[name].part == pytest.approx(way.part, abs=1e-9)


@pytest.mark.parametrize("order", ["", "X", "Z1", "Z2"])
def test_other_orders_do_not_move(order):
    path = movement.path(Pose(100, 100, 30), order, TABLE)
    assert path.still
    assert path.length_mm == 0


def test_a_corner_that_swings_over_the_edge_is_held_on_the_table():
    path = movement.path(Pose(300, 450, 0), "R", TABLE)
    assert all(hull.on_table(path.pose(n / 50), *TABLE) for n in range(51))


def test_hulls_that_rounding_left_too_deep_may_part_but_not_slide():
    side, bow = Pose(300, 200, 90), Pose(270, 182.5 + 5e-7, 0)
    assert movement.meeting(movement.path(side, "F", TABLE), movement.path(bow, "", TABLE)) == 0.0
    assert movement.meeting(movement.path(side, "F", TABLE), movement.path(bow, "", TABLE), allowed=-1e-6) is None
    away = Pose(300, 217.5 - 5e-7, 0)
    aft = Pose(300, 157.5, 0)
    assert hull.parted_mm(away, aft) < 0
    assert movement.meeting(movement.path(away, "F", TABLE), movement.path(aft, "", TABLE)) is None


@pytest.mark.parametrize("pose", [Pose(0, 432.5, 270), Pose(600, 17.5, 90), Pose(582.5, 450, 0), Pose(17.5, 0, 180)])
def test_a_galley_pressed_against_the_edge_goes_nowhere(pose):
    path = movement.path(pose, "F", TABLE)
    assert path.still
    assert path.at_edge
