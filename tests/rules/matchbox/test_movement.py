"""Movement of a step, against a slow look at every moment of it (MB-5.2 to 5.5)."""

import random
from itertools import combinations

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.geometry import boxes
from rules.matchbox.engine import hull, movement
from rules.matchbox.engine.kinds import GALLEY
from rules.matchbox.engine.meeting import find_meeting, sliding_limits
from rules.matchbox.engine.path import Path, path_of_order
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import Galley
from tests.rules.matchbox.play import GAME, SEED, orders
from tests.rules.matchbox.sea_room import TABLE, fleet

DEEP_MM = 1e-5
"""A graze shallower than this is the search's to overlook."""


def pose_at(way, t):
    return way.path.pose_at(min(t, way.fraction)) if way.fraction < 1 else way.path.pose_at(t)


@pytest.mark.parametrize("seed", range(60))
def test_hulls_never_overlap_nor_leave_the_table(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    ways = movement.move_all(galleys, {galley.id: rng.choice("FLR") for galley in galleys}, TABLE)
    for t in [n / 100 for n in range(101)]:
        poses = {galley: pose_at(way, t) for galley, way in ways.items()}
        assert all(hull.is_on_table(GALLEY.make_box(pose), TABLE) for pose in poses.values())
        assert (
            min(boxes.separation(GALLEY.make_box(a), GALLEY.make_box(b)) for a, b in combinations(poses.values(), 2))
            >= -DEEP_MM
        )


@pytest.mark.parametrize("seed", range(60))
def test_a_galley_that_stops_would_overlap_the_moment_after(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    ways = movement.move_all(galleys, {galley.id: rng.choice("FLR") for galley in galleys}, TABLE)
    for name, way in ways.items():
        if way.fraction < 1:
            after = min(1.0, way.fraction + 1e-4)
            on = way.path.pose_at(after)
            others = [other for other in ways if other != name]
            assert any(
                boxes.separation(
                    GALLEY.make_box(on),
                    ways[other].path.hull_at(after if ways[other].fraction == way.fraction else ways[other].fraction),
                )
                < 0
                for other in others
            ), name


@pytest.mark.parametrize("seed", range(40))
def test_a_galley_that_stops_touches_another_hull(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    ways = movement.move_all(galleys, {galley.id: rng.choice("FLR") for galley in galleys}, TABLE)
    for name, way in ways.items():
        if way.fraction < 1:
            others = [pose_at(other, way.fraction) for found, other in ways.items() if found != name]
            # Poses are kept to a millionth of a millimetre.
            own = GALLEY.make_box(way.end)
            assert min(boxes.separation(own, GALLEY.make_box(other)) for other in others) < 1e-6, name


@pytest.mark.parametrize("seed", range(20))
def test_galley_order_does_not_matter(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    steps = {galley.id: rng.choice("FLR") for galley in galleys}
    ways = movement.move_all(galleys, steps, TABLE)
    back = movement.move_all(galleys[::-1], steps, TABLE)
    for name, way in ways.items():
        assert back[name].fraction == pytest.approx(way.fraction, abs=1e-9)


@pytest.mark.parametrize("order", ["", "X", "Z1", "Z2"])
def test_other_orders_do_not_move(order):
    path = path_of_order(Pose(100, 100, 30), order, TABLE)
    assert path.is_still
    assert path.length_mm == 0


@pytest.mark.parametrize("order", ["L", "R"])
@pytest.mark.parametrize("pose", [Pose(300, 450, 0), Pose(600, 225, 90), Pose(300, 0, 180), Pose(0, 225, 270)])
def test_a_corner_that_swings_over_the_edge_is_held_on_the_table(pose, order):
    path = path_of_order(pose, order, TABLE)
    assert all(hull.is_on_table(path.hull_at(n / 50), TABLE) for n in range(51))
    assert path.was_pushed_back


OPEN = Sea(1200.0, 800.0)


def test_the_way_forward():
    path = path_of_order(Pose(600, 300, 90), "F", OPEN)
    assert path == Path(Pose(600, 300, 90), Pose(645, 300, 90))
    assert not path.is_still
    assert path.length_mm == pytest.approx(45)
    assert [path.pose_at(t) for t in (-1.0, 0.0, 0.2, 1.0, 1.5)] == [
        path.start,
        path.start,
        Pose(609, pytest.approx(300), 90),
        path.end,
        path.end,
    ]


@pytest.mark.parametrize(
    ("order", "east", "half", "after"),
    [("R", 45 * 3**0.5 / 2, 30, 60), ("L", -45 * 3**0.5 / 2, 330, 300)],
)
def test_the_way_of_a_turn(order, east, half, after):
    # MB-5.3: at half of the step the prow is at half of its straight way, the heading at half of its turn.
    path = path_of_order(Pose(600, 300, 0), order, OPEN)
    assert path.end == Pose(pytest.approx(600 + east), pytest.approx(322.5), after)
    assert path.pose_at(0.5) == Pose(pytest.approx(600 + east / 2), pytest.approx(311.25), half)
    assert path.length_mm == pytest.approx(45)
    assert not path.was_pushed_back


def test_a_way_is_at_the_edge_if_more_than_rounding_is_pushed_back():
    for y, at_edge in ((755.0, False), (755.0005, False), (755.002, True), (790.0, True)):
        path = path_of_order(Pose(600, y, 0), "F", OPEN)
        assert path.end == Pose(600, pytest.approx(800, abs=0.0006), 0)
        assert path.was_pushed_back == at_edge, y


def ways(**ships):
    """What becomes of galleys that stand and are ordered so."""
    galleys = [
        Galley(id=name, seat=0, side="south", holes=5, port=5, starboard=5, masts=3, pose=pose)
        for name, (pose, _) in ships.items()
    ]
    return movement.move_all(galleys, {name: order for name, (_, order) in ships.items()}, OPEN)


def test_bow_to_bow_both_stop_half_way_between():
    gone = ways(A=(Pose(600, 300, 0), "F"), B=(Pose(600, 380, 180), "F"), C=(Pose(100, 300, 0), "F"))
    assert [gone[name].fraction for name in "ABC"] == [pytest.approx(8 / 9), pytest.approx(8 / 9), 1.0]
    assert [gone[name].end.y_mm for name in "ABC"] == [pytest.approx(340), pytest.approx(340), 345]
    assert [gone[name].gained_mm for name in "ABC"] == [pytest.approx(40), pytest.approx(40), pytest.approx(45)]


def test_a_galley_that_lies_still_is_not_stopped():
    gone = ways(A=(Pose(600, 300, 0), "F"), B=(Pose(600, 380, 0), ""))
    assert (gone["A"].fraction, gone["A"].end.y_mm) == (pytest.approx(4 / 9), pytest.approx(320))
    assert (gone["B"].fraction, gone["B"].end) == (1.0, Pose(600, 380, 0))


def test_the_one_behind_goes_on_until_she_meets_the_one_that_stopped():
    # 20 mm to the hull that lies still; 5 mm between the two that row.
    gone = ways(A=(Pose(600, 235, 0), "F"), B=(Pose(600, 300, 0), "F"), C=(Pose(600, 380, 0), ""))
    assert [gone[name].fraction for name in "ABC"] == [pytest.approx(5 / 9), pytest.approx(4 / 9), 1.0]
    again = ways(C=(Pose(600, 380, 0), ""), B=(Pose(600, 300, 0), "F"), A=(Pose(600, 235, 0), "F"))
    assert {name: way.fraction for name, way in again.items()} == {name: gone[name].fraction for name in "ABC"}


def test_a_galley_that_was_stopped_does_not_get_where_others_would_have_met_her():
    # A's bow strikes the side of B, who crosses her way, after 34.5 mm; unless she meets C after 10 mm.
    crossing = {"A": (Pose(600, 300, 0), "F"), "B": (Pose(560, 352, 90), "F")}
    assert [way.fraction for way in ways(**crossing).values()] == [pytest.approx(34.5 / 45)] * 2
    gone = ways(**crossing, C=(Pose(670, 327.5, 90), ""))
    assert [gone[name].fraction for name in "ABC"] == [pytest.approx(10 / 45), 1.0, 1.0]


def test_a_galley_that_has_gone_by_is_not_met_where_the_other_stops():
    # B's stern has left A's way (x 617.5) after 17.5 mm; A comes there after 35 mm, and meets C after 40 mm.
    gone = ways(A=(Pose(600, 300, 0), "F"), B=(Pose(660, 352.5, 90), "F"), C=(Pose(577.5, 400, 0), ""))
    assert [gone[name].fraction for name in "ABC"] == [pytest.approx(40 / 45), 1.0, 1.0]


def test_pairs_that_meet_at_once_all_stop():
    gone = ways(
        A=(Pose(200, 300, 0), "F"),
        B=(Pose(200, 380, 0), ""),
        C=(Pose(500, 300, 0), "F"),
        D=(Pose(500, 380, 0), ""),
        E=(Pose(800, 300, 0), "F"),
        F=(Pose(800, 370, 0), ""),
    )
    assert [gone[name].fraction for name in "ACE"] == [pytest.approx(4 / 9), pytest.approx(4 / 9), pytest.approx(2 / 9)]


def test_a_meeting_is_looked_for_from_an_instant_on():
    a, b = path_of_order(Pose(600, 300, 0), "F", OPEN), path_of_order(Pose(600, 380, 0), "", OPEN)
    assert find_meeting(a, b) == pytest.approx(4 / 9)
    assert find_meeting(a, b, 0.25) == pytest.approx(4 / 9)
    far = path_of_order(Pose(600, 406, 0), "", OPEN)
    # 46 mm off: she gets no nearer than 1 mm.
    assert find_meeting(a, far) is None
    assert find_meeting(far, a) is None


def side_by_side(depth_mm, order="F"):
    """A hull that lies along another, so deep in its side, and what it is ordered."""
    pose, other = Pose(300, 200, 90), Pose(270, 182.5 + depth_mm, 0)
    return (
        path_of_order(pose, order, TABLE),
        path_of_order(other, "", TABLE),
        boxes.separation(GALLEY.make_box(pose), GALLEY.make_box(other)),
    )


@pytest.mark.parametrize("depth_mm", [-0.05, 0.0, 5e-7, 0.009])
def test_who_was_in_contact_slides_as_deep_as_she_lay(depth_mm):
    a, b, begun = side_by_side(depth_mm)
    assert find_meeting(a, b, limits=sliding_limits(begun)) is None
    assert find_meeting(b, a, limits=sliding_limits(begun)) is None


@pytest.mark.parametrize("depth_mm", [-0.05, 0.0, 0.004, 0.012])
def test_who_would_come_too_deep_is_stopped_where_she_lay_no_deeper_than_before(depth_mm):
    bow, side = Pose(300, 182.5 + depth_mm, 0), Pose(330, 200, 90)
    pressing, lying = path_of_order(bow, "F", TABLE), path_of_order(side, "", TABLE)
    begun = boxes.separation(GALLEY.make_box(bow), GALLEY.make_box(side))
    assert begun == pytest.approx(-depth_mm)
    assert find_meeting(pressing, lying, limits=sliding_limits(begun)) == pytest.approx(
        max(0.0, -depth_mm) / 45, abs=1e-9
    )


def test_who_slides_into_a_turn_is_stopped_where_she_was_last_no_deeper():
    # Her stern swings out, into the side that she lies along.
    turning, lying = path_of_order(Pose(300, 200, 90), "L", TABLE), path_of_order(Pose(300, 165, 90), "", TABLE)
    assert boxes.separation(GALLEY.make_box(turning.start), GALLEY.make_box(lying.start)) == pytest.approx(0, abs=1e-9)
    t = find_meeting(turning, lying, limits=sliding_limits(0.0))
    assert t == pytest.approx(0, abs=1e-6)
    apart = path_of_order(Pose(300, 200.05, 90), "L", TABLE)
    t = find_meeting(apart, lying, limits=sliding_limits(0.05))
    assert 0 < t < 0.1
    lying_box = GALLEY.make_box(lying.start)
    assert boxes.separation(GALLEY.make_box(apart.pose_at(t)), lying_box) == pytest.approx(0, abs=1e-9)
    assert boxes.separation(GALLEY.make_box(apart.pose_at(t + 1e-3)), lying_box) < -hull.MAX_SLIDE_MM


def test_who_was_not_in_contact_may_not_even_graze():
    a, b, _ = side_by_side(0.0)
    grazing = Path(Pose(100, 200, 90), Pose(300, 199.995, 90))
    assert find_meeting(grazing, b) is not None
    assert find_meeting(a, b) is None


@pytest.mark.parametrize("pose", [Pose(0, 432.5, 270), Pose(600, 17.5, 90), Pose(582.5, 450, 0), Pose(17.5, 0, 180)])
def test_a_galley_pressed_against_the_edge_goes_nowhere(pose):
    path = path_of_order(pose, "F", TABLE)
    assert path.is_still
    assert path.was_pushed_back


def test_galleys_in_contact_slide_along_each_other():
    """A1 will lie 0.0000002 mm deep in B1's side (W14), along which B1 slides all the same (MB-5.5)."""
    position = "1200x800 ; A1:south 6-6+2/6 @600,330^40 ; B1:north 5-5+3/5 @650,400^90"
    start = GAME.start(Setup(system="matchbox", teams=(0, 1), position=position), Dice(SEED)).state
    after = GAME.resolve(start, orders(start, A="A1 FFFXX", B="B1 XXXFF")).state
    (ship,) = (galley for galley in after.galleys if galley.id == "B1")
    assert ship.pose.x_mm == pytest.approx(740.0)
