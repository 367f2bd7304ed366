"""Movement of a step, against a slow look at every moment of it (MB-5.2 to 5.5)."""

import random

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


def pose_at(way, t):
    return way.path.pose_at(min(t, way.fraction)) if way.fraction < 1 else way.path.pose_at(t)


@pytest.mark.parametrize("seed", range(60))
def test_a_galley_that_stops_touches_another_hull_and_would_overlap_it_the_moment_after(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    ways = movement.move_all(galleys, {galley.id: rng.choice("FLR") for galley in galleys}, TABLE)
    for name, way in ways.items():
        if way.fraction < 1:
            after = min(1.0, way.fraction + 1e-4)
            others = [other for other_name, other in ways.items() if other_name != name]
            # Poses are kept to a millionth of a millimetre; a shallower graze is overlooked.
            here = [GALLEY.make_box(pose_at(other, way.fraction)) for other in others]
            assert -1e-5 <= min(boxes.separation(GALLEY.make_box(way.end), other) for other in here) < 1e-6, name
            instants = [after if other.fraction == way.fraction else other.fraction for other in others]
            then = [other.path.hull_at(instant) for other, instant in zip(others, instants, strict=True)]
            assert min(boxes.separation(way.path.hull_at(after), other) for other in then) < 0, name


@pytest.mark.parametrize("seed", range(20))
def test_galley_order_does_not_matter(seed):
    rng = random.Random(seed)
    galleys = fleet(rng, 8)
    steps = {galley.id: rng.choice("FLR") for galley in galleys}
    ways = movement.move_all(galleys, steps, TABLE)
    back = movement.move_all(galleys[::-1], steps, TABLE)
    for name, way in ways.items():
        assert back[name].fraction == pytest.approx(way.fraction, abs=1e-9)


OPEN = Sea(1200.0, 800.0)


def test_a_way_is_at_the_edge_if_more_than_rounding_is_pushed_back():
    for y, at_edge in ((755.0, False), (755.0005, False), (755.002, True), (790.0, True)):
        path = path_of_order(Pose(600, y, 0), "F", OPEN)
        assert path.end == Pose(600, pytest.approx(800, abs=0.0006), 0)
        assert path.was_pushed_back == at_edge, y


def ways(**ships):
    """Move galleys, each given as a pose and an order."""
    galleys = [
        Galley(id=name, seat=0, side="south", holes=5, port=5, starboard=5, masts=3, pose=pose)
        for name, (pose, _) in ships.items()
    ]
    return movement.move_all(galleys, {name: order for name, (_, order) in ships.items()}, OPEN)


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


def test_a_meeting_is_looked_for_from_an_instant_on():
    a, b = path_of_order(Pose(600, 300, 0), "F", OPEN), path_of_order(Pose(600, 380, 0), "", OPEN)
    assert find_meeting(a, b) == pytest.approx(4 / 9)
    assert find_meeting(a, b, 0.25) == pytest.approx(4 / 9)
    far = path_of_order(Pose(600, 406, 0), "", OPEN)
    # 46 mm off: she gets no nearer than 1 mm.
    assert find_meeting(a, far) is None
    assert find_meeting(far, a) is None


def side_by_side(depth_mm, order="F"):
    """Return a hull that lies along another, this deep in its side, and its order."""
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
