"""The aim map against dropped matches, judged by the rules (MB-6.5 to 6.9)."""

import random

import numpy as np
import pytest

from rules.matchbox import aim, hull, laying, volley
from rules.matchbox.state import TYPES, Galley, Pose

TABLE = (1200.0, 800.0)
VOLLEYS = 8000


def galley(name, x, y, heading, holes=5):
    seat = "AB".index(name[0])
    return Galley(
        id=name,
        seat=seat,
        side=("south", "north")[seat],
        holes=holes,
        port=holes,
        starboard=holes,
        masts=TYPES[holes],
        pose=Pose(x, y, heading),
    )


SCENES = {
    "abeam": ([galley("A1", 600, 300, 0), galley("B1", 700, 300, 0)], 3),
    "ahead": ([galley("A1", 600, 300, 20), galley("B1", 610, 400, 200)], 4),
    "in the corner": ([galley("A1", 100, 60, 20), galley("B1", 20, 100, 170)], 8),
    "in a crowd": (
        [
            galley("A1", 600, 300, 33),
            galley("A2", 700, 410, 300),
            galley("B1", 640, 390, 140),
            galley("B2", 560, 420, 77),
        ],
        6,
    ),
}


def scene(name):
    galleys, count = SCENES[name]
    lying = laying.lay(galleys, {one.id: ("X", "F", "R", "F", "X") for one in galleys}).lying
    target = next(one for one in galleys if one.id == "B1")
    return galleys[0], target, galleys, lying, count


def dropped(name, point, seed):
    """Hits and misfires of many volleys, as the rules judge them: their means."""
    firer, target, galleys, lying, count = scene(name)
    throw = random.Random(seed)
    landed = [
        (throw.gauss(point[0], 20), throw.gauss(point[1], 20), throw.uniform(0, 360)) for _ in range(VOLLEYS * count)
    ]
    drops = volley.judge(firer, target, galleys, lying, table=TABLE, landed=landed)
    fell = [drops[first : first + count] for first in range(0, len(drops), count)]
    spoiled = [any(drop.touches for drop in volley) for volley in fell]
    hits = [0 if bad else sum(bool(drop.hit) for drop in one) for one, bad in zip(fell, spoiled, strict=True)]
    return sum(hits) / VOLLEYS, sum(spoiled) / VOLLEYS


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("away", [(60, 0), (-40, 60), (0, -80), (30, 90)])
def test_the_map_foretells_dropped_matches(name, away):
    firer, target, galleys, lying, count = scene(name)
    middle = hull.middle(target.pose)
    x, y = (min(max(round(m + d, -1), 0), length) for m, d, length in zip(middle, away, TABLE, strict=True))
    chart = aim.aim_map(firer, target, galleys, lying, TABLE, count=count)
    hits, misfire = aim.chances(chart, x, y)
    found_hits, found_misfire = dropped(name, (x, y), seed=42)
    # Four standard errors of the sample, and 0.01 for the raster.
    assert hits == pytest.approx(found_hits, abs=0.01 + 4 * (count * max(found_hits, 0.05) / VOLLEYS) ** 0.5)
    assert misfire == pytest.approx(found_misfire, abs=0.01 + 4 * (0.25 / VOLLEYS) ** 0.5)


@pytest.mark.parametrize("name", SCENES)
def test_steady_is_the_best_of_the_whole_table_and_safe_is_safe(name):
    firer, target, galleys, lying, count = scene(name)
    chart = aim.aim_map(firer, target, galleys, lying, TABLE, count=count)
    at = {
        kind: aim.best_aim(firer, target, galleys, lying, TABLE, count=count, kind=kind) for kind in ("steady", "safe")
    }
    assert aim.chances(chart, *at["steady"])[0] == pytest.approx(chart.expected_hits.max(), abs=1e-5)
    steady, safe = aim.chances(chart, *at["steady"]), aim.chances(chart, *at["safe"])
    assert safe[1] <= 0.05 + 1e-5
    assert safe[0] <= steady[0] + 1e-5
    assert all(place % 10 == 0 for point in at.values() for place in point)


def test_a_broadside_counts_both_ends():  # MB-6.9
    _, target, _, _, count = scene("abeam")
    firers = [galley("A1", 600, 300, 0), galley("A1", 600, 300, 90)]
    charts = [aim.aim_map(firer, target, [target], [], TABLE, count=count) for firer in firers]
    assert hull.abeam(firers[0].pose, target.pose)
    assert not hull.abeam(firers[1].pose, target.pose)
    assert charts[0].expected_hits == pytest.approx(2 * charts[1].expected_hits)
    assert charts[0].misfire == pytest.approx(charts[1].misfire)


def test_a_match_off_the_table_neither_hits_nor_spoils():  # MB-6.6
    firer, target = galley("A1", 200, 700, 0), galley("B1", 30, 60, 0)
    chart = aim.aim_map(firer, target, [firer, target], [], TABLE, count=1)
    inside, corner = aim.chances(chart, 60, 100), aim.chances(chart, 0, 0)
    assert 0 < corner[1] < 0.3
    assert corner[0] < inside[0]


def test_among_equals_the_westernmost_then_the_southernmost():
    xs, ys = np.array([10.0, 20.0, 30.0]), np.array([40.0, 50.0])
    hits = np.array([[0.1, 0.2], [0.5, 0.5000001], [0.5, 0.5]])
    risk = np.array([[0.02, 0.04], [0.3, 0.2], [0.3, 0.3]])
    assert aim.best(aim.AimMap(xs, ys, hits, risk), "steady") == (20.0, 40.0)
    assert aim.best(aim.AimMap(xs, ys, hits, risk), "safe") == (10.0, 50.0)
    assert aim.best(aim.AimMap(xs, ys, hits, risk + 0.1), "safe") == (10.0, 40.0)


def test_the_lettered_points_lie_about_the_target():
    points = aim.points(galley("B1", 600, 430, 0))
    assert [letter for letter, _, _ in points] == list("ABCDEFGHIJKLMNOPQRSTUVWXY")
    assert points[12][1:] == (600.0, 400.0)
    assert points[0][1:] == (520.0, 480.0)
