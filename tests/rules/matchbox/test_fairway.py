"""Ways round land: walked step by step, and against the shortest of all straight lines from corner to corner."""

import random

import numpy as np
import pytest
import shapely

from rules.geometry.boxes import Pair
from rules.matchbox.ai import fairway
from rules.matchbox.engine.sea import Sea, load_maps
from rules.matchbox.engine.terrain import LandPiece
from tests.laws.length import times

PLACES = times(6, 40)
STEP_MM = 15.0
CLEAR_MM = 2.0
"""So far off land are all ways: 12 mm, but for what a line of sight errs by at the far end of a table."""
WIDE_MM = 35.0
"""So far off it a way is compared with the shortest."""
LONGER_MM = 32.0
"""Than that, as ways turn about corners that are not round."""


def places(sea: Sea, count: int) -> np.ndarray:
    """Return random places off land."""
    rng, places_found = random.Random(5), list[Pair]()
    while len(places_found) < count:
        place = rng.uniform(0, sea.width_mm), rng.uniform(0, sea.height_mm)
        if sea.terrain.land.distance_to(shapely.Point(place)) > WIDE_MM + 1:
            places_found.append(place)
    return np.array(places_found)


def walk(sea: Sea, here: Pair, goal: Pair) -> list[Pair]:
    """Follow a way, step by step."""
    way = [here]
    while fairway.find_detours(sea, goal, np.array([here[0]]), np.array([here[1]])).longer_mm[0] > 0:
        east, north = fairway.direction_to(sea, here, goal)
        here = here[0] + STEP_MM * east, here[1] + STEP_MM * north
        way.append(here)
        assert len(way) < 1000, (way[0], goal)
    return [*way, goal]


def shortest(sea: Sea, ends: np.ndarray) -> np.ndarray:
    """Return the lengths of shortest ways between places that go nowhere nearer to land: [place, place]."""
    corners = shapely.get_coordinates(shapely.buffer(sea.terrain.land.shape, WIDE_MM, quad_segs=3))
    nodes = np.concatenate((ends, corners[((corners >= 0) & (corners <= sea.size_mm)).all(axis=1)]))
    shut = shapely.buffer(sea.terrain.land.shape, WIDE_MM - 2.0)
    shapely.prepare(shut)
    starts, other = np.triu_indices(len(nodes), 1)
    lines = shapely.linestrings(np.stack((nodes[starts], nodes[other]), axis=1))
    apart = np.zeros((len(nodes), len(nodes)))
    apart[starts, other] = apart[other, starts] = np.where(
        shapely.intersects(shut, lines), np.inf, shapely.length(lines)
    )
    for by in range(len(nodes)):
        apart = np.minimum(apart, apart[:, by, None] + apart[by])
    return apart[: len(ends), : len(ends)]


@pytest.mark.parametrize("name", load_maps())
def test_ways_lead_round_land_to_where_they_should_and_are_hardly_longer_than_the_shortest(name):
    sea = load_maps()[name]
    ends = places(sea, PLACES)
    least, bent = shortest(sea, ends), 0
    for k, goal in enumerate(ends.tolist()):
        detours = fairway.find_detours(sea, tuple(goal), *ends.T)
        straight = np.hypot(*(ends - goal).T)
        assert (straight + detours.longer_mm <= least[k] + LONGER_MM).all()
        for here, longer, far in zip(ends.tolist(), detours.longer_mm.tolist(), straight.tolist(), strict=True):
            way = walk(sea, tuple(here), tuple(goal))
            assert len(way) == 2 or longer > 0
            assert sea.terrain.land.distance_to(shapely.LineString(way)) > CLEAR_MM, (here, goal)
            # She may find that she can cut a corner as she goes.
            assert -60.0 < shapely.length(shapely.LineString(way)) - (far + longer) < 2.0
            bent += len(way) > 2
    assert bent > 0


def test_land_of_many_corners_has_few_marks_and_ways_lead_round_it_all_the_same():
    """A map of a host's own may have 1,600 corners, and what is seen from each would take seconds."""
    angles = np.arange(40) * (np.pi / 20)
    far = np.where(np.arange(40) % 2, 40.0, 30.0)
    star = np.stack((far * np.cos(angles), far * np.sin(angles)), axis=1)
    middles = [(200.0 + 200 * column, 240.0 + 175 * row) for column in range(5) for row in range(3)]
    sea = Sea(1200.0, 800.0, tuple(LandPiece("island", tuple(map(tuple, star + middle))) for middle in middles))
    assert len(fairway._sea_marks(sea.terrain.land, sea.size_mm).lookouts.x) <= 250
    ends = places(sea, 8).tolist()
    for here, goal in zip(ends[:4], ends[4:], strict=True):
        assert sea.terrain.land.distance_to(shapely.LineString(walk(sea, tuple(here), tuple(goal)))) > CLEAR_MM


def test_ways_round_land_are_longer_than_those_over_open_water():
    sea = load_maps()["strait"]
    detours = fairway.find_detours(sea, (100.0, 700.0), np.array([100.0, 600.0]), np.array([100.0, 700.0]))
    assert detours.longer_mm[0] > 300
    assert detours.longer_mm[1] == 0
    assert (
        fairway.direction_to(sea, (100.0, 100.0), (100.0, 700.0))[0] > 0.5
    )  # the coast ahead reaches from the west edge
    assert fairway.direction_to(Sea(1200.0, 800.0), (100.0, 100.0), (100.0, 700.0)) == (0.0, 600.0)


def test_the_middle_of_an_island_is_farther_away_than_all_water_but_not_infinitely():
    sea = load_maps()["two-islands"]
    middle = shapely.centroid(sea.terrain.land.shape.geoms[0])
    detours = fairway.find_detours(sea, (100.0, 100.0), np.array([middle.x]), np.array([middle.y]))
    assert detours.longer_mm[0] == sum(sea.size_mm)
