"""Hulls, contacts, pivots and runs are those of plain arithmetic, wherever ships lie."""

import math
import random

import numpy as np
import pytest

from rules.ramspeed.engine.geometry import hulls, moves
from rules.ramspeed.engine.geometry.hulls import forward_vector
from rules.ramspeed.engine.state import Captain, Position, Ship
from tests.laws.length import times
from tests.rules.ramspeed import plain

POSITIONS = times(600, 10_000)
NEAR = 1e-6
"""Inches; places are stored to a thousandth."""


def ships(rng):
    """Draw two ships near each other; half of them at whole inches and quarter turns, where much touches exactly."""
    even = rng.random() < 0.5
    made = []
    for name in ("A1", "P1"):
        x, y = (rng.randrange(16, 25) if even else round(rng.uniform(16, 24), 3) for _ in "xy")
        heading = rng.randrange(0, 360, 90) if even else rng.randrange(360)
        if name == "P1" and rng.random() < 0.1:
            x, y, heading = made[0].x + rng.choice((0.5, -0.5, 0.55, 0.504)), made[0].y, made[0].heading
        code = rng.choice("BTQV")
        made.append(Ship(id=name, code=code, owner=name, side0=name, nation="other", x=x, y=y, heading=heading, crew=1))
    return made


def lying(*some):
    seats = (Captain("A1", "A1"), Captain("P1", "P1"))
    return Position(width=40.0, height=40.0, board="open", seats=seats, ships=some)


def corners(ship):
    return plain.hull(ship.code, ship.x, ship.y, ship.heading)


@pytest.fixture(scope="module")
def pairs():
    rng = random.Random(7)
    return [ships(rng) for _ in range(POSITIONS)]


def test_hulls_are_where_they_are(pairs):
    for ship, _ in pairs:
        for a, b in zip(hulls.hull_of(ship).corners[0].tolist(), corners(ship), strict=True):
            assert math.dist(a, b) < NEAR


def test_depth_and_distance(pairs):
    overlapping = 0
    for a, b in pairs:
        deep = plain.depth(corners(a), corners(b))
        depth = float(hulls.overlap_depth(hulls.hull_of(a), hulls.hull_of(b))[0, 0])
        assert (depth >= plain.COUNTS) == (deep >= plain.COUNTS)
        if deep >= 0:
            assert abs(depth - deep) < NEAR
            overlapping += 1
        assert abs(hulls.ship_distance(a, b) - plain.distance(corners(a), corners(b))) < NEAR
    assert 0.02 < overlapping / len(pairs) < 0.5


@pytest.mark.slow
def test_first_contacts(pairs):
    met = 0
    for a, b in pairs:
        way = forward_vector(a.heading)
        distance = float(hulls.contact_distances(hulls.hull_of(a), hulls.hull_of(b), hulls.stack_vectors([way]))[0, 0])
        wanted = plain.contact(corners(a), corners(b), way)
        assert math.isfinite(distance) == (wanted is not None), (a, b)
        if wanted is not None:
            met += 1
            assert abs(distance - wanted) < 1e-5, (a, b)
    assert met > len(pairs) / 10


def test_rooms_and_strikes(pairs):
    struck = 0
    for a, b in pairs:
        way = forward_vector(a.heading)
        ways = hulls.stack_vectors([way])
        wanted = plain.room(corners(a), way, 40.0, 40.0)
        assert abs(float(hulls.room_to_edge(hulls.hull_of(a), ways, 40.0, 40.0)[0]) - wanted) < NEAR
        tip = corners(a)[0]
        if plain.depth_at(corners(b)[::-1], tip) > -1e-3:
            continue
        # Rays that pass a corner to a hair's breadth are tried below.
        if any(abs((x - tip[0]) * way.y - (y - tip[1]) * way.x) < NEAR for x, y in corners(b)):
            continue
        run = plain.strike(tip, way, corners(b))
        distance = float(hulls.ray_distances(hulls.hull_of(a).corners[:, 0], ways, hulls.hull_of(b))[0])
        assert math.isfinite(distance) == (run is not None), (a, b)
        if run is not None:
            struck += 1
            assert abs(distance - run) < NEAR
    assert struck


def test_a_ray_along_a_side_strikes_it():
    tips = [(8.75, 30.0), (11.25, 30.0), (8.75 - 1e-7, 30.0)]
    distances = hulls.ray_distances(
        np.array(tips), hulls.stack_vectors([forward_vector(180)] * 3), hulls.single_hull("T", 10.0, 10.0, 90)
    )
    assert distances.tolist() == [pytest.approx(19.75), pytest.approx(20.0), math.inf]


def test_pivots(pairs):
    rng = random.Random(8)
    cut = 0
    for a, b in pairs[: POSITIONS // 6]:
        degrees = rng.choice((-1, 1)) * rng.randrange(1, 91)
        wanted = plain.pivot(a.code, a.x, a.y, a.heading, degrees, [corners(b)])
        assert moves.possible_pivot(lying(a, b), a, degrees) == wanted
        cut += wanted != degrees
    assert cut


def test_many_hulls_in_one_call_are_each_as_if_alone(pairs):
    for a, b in pairs[:20]:
        headings = range(a.heading - 25, a.heading + 26)
        together = hulls.hulls_at(a.code, a.x, a.y, headings)
        ways = hulls.stack_vectors([forward_vector(heading % 360) for heading in headings])
        distances = hulls.contact_distances(together, hulls.hull_of(b), ways)[:, 0]
        for number, heading in enumerate(headings):
            alone = hulls.contact_distances(
                hulls.single_hull(a.code, a.x, a.y, heading % 360), hulls.hull_of(b), ways[number : number + 1]
            )
            assert alone[0, 0] == pytest.approx(distances[number], abs=NEAR)
