"""Land agrees with plain arithmetic: even-odd counting of crossings, separating axes, rays from corner to edge."""

import math
import random
from itertools import pairwise, product

import numpy as np
import pytest
import shapely

from rules.geometry import boxes
from rules.geometry.boxes import Box
from rules.geometry.plane import Land, hull_corners, hull_polygon

SIZE = 300.0
SQUARE = [(100, 100), (200, 100), (200, 200), (100, 200)]


def edges(ring):
    return list(zip(ring, [*ring[1:], ring[0]], strict=True))


def crossings(start, end, ring):
    """Return the shares of start-end at which it crosses edges of a ring, sorted."""
    (ax, ay), (bx, by) = start, end
    shares = []
    for (cx, cy), (dx, dy) in edges(ring):
        turn = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx)
        if turn:
            along = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / turn
            across = ((cx - ax) * (by - ay) - (cy - ay) * (bx - ax)) / turn
            if 0 <= along <= 1 and 0 <= across <= 1:
                shares.append(along)
    return sorted(shares)


def is_inside(point, ring):
    """Return if a line to the west crosses an odd number of edges."""
    x, y = point
    odd = False
    for (cx, cy), (dx, dy) in edges(ring):
        if (cy > y) != (dy > y) and x > cx + (y - cy) * (dx - cx) / (dy - cy):
            odd = not odd
    return odd


def has_in_common(a, b):
    return is_inside(a[0], b) or is_inside(b[0], a) or any(crossings(*edge, b) for edge in edges(a))


def length_inside(start, end, rings):
    cuts = sorted({0.0, 1.0, *(along for ring in rings for along in crossings(start, end, ring))})
    total = 0.0
    for low, high in pairwise(cuts):
        middle = tuple(a + (low + high) / 2 * (b - a) for a, b in zip(start, end, strict=True))
        if any(is_inside(middle, ring) for ring in rings):
            total += high - low
    return total * math.dist(start, end)


def first_contact(hull, way, reach, rings):
    """Return the shortest ray along the way from a corner of the hull to land, or back from one of the land to the
    hull."""
    ahead = (reach * way[0], reach * way[1])
    rays = [
        along * reach
        for sign, corners, outlines in ((1, hull, rings), (-1, [corner for ring in rings for corner in ring], [hull]))
        for (x, y), ring in product(corners, outlines)
        for along in crossings((x, y), (x + sign * ahead[0], y + sign * ahead[1]), ring)
    ]
    return min(rays, default=reach)


def an_island(rng, corners):
    """Return corners around a middle, by growing bearing: seldom convex, never crossing itself."""
    x, y = rng.uniform(0, SIZE), rng.uniform(0, SIZE)
    bearings = sorted(rng.uniform(0, 2 * math.pi) for _ in range(corners))
    return [(x + r * math.sin(b), y + r * math.cos(b)) for b in bearings for r in [rng.uniform(8, 45)]]


def tables(seed, count, corners=(3, 9)):
    rng = random.Random(seed)
    made = 0
    while made < count:
        rings = [an_island(rng, rng.randint(*corners)) for _ in range(rng.randint(1, 5))]
        if all(shapely.Polygon(ring).is_valid for ring in rings):
            made += 1
            yield rng, rings, Land(rings)


def a_hull(rng):
    taper = rng.choice([0.0, 12.0])
    place = rng.uniform(0, SIZE), rng.uniform(0, SIZE), rng.choice([rng.uniform(0, 360), 30.0 * rng.randrange(12)])
    corners = hull_corners(60.0, 35.0, *place, taper=taper)
    return corners, hull_polygon(60.0, 35.0, *place, taper=taper)


def test_soundings_are_never_too_deep_and_not_far_too_shallow():
    """Also for points off the table, whose places have numbers below 0."""
    shallow = 0
    for rng, rings, land in tables(6, 20):
        for _ in range(100):
            x, y = rng.uniform(-SIZE, 2 * SIZE), rng.uniform(-SIZE, 2 * SIZE)
            gap = min(shapely.Polygon(ring).distance(shapely.Point(x, y)) for ring in rings)
            assert gap - 12 <= land.distance_bound(x, y) <= gap
            shallow += land.distance_bound(x, y) <= 0
    assert shallow > 10
    assert Land([]).distance_bound(0, 0) == math.inf


def test_segments_meet_land_as_shapely_says():
    """Also those that begin at a corner, run along an edge, or lie within; none that is sounded meets it."""
    met, sounded = [], []
    for rng, rings, land in tables(9, 40):
        ring = rng.choice(rings)
        (ax, ay), (bx, by) = ring[:2]
        inside = shapely.Polygon(ring).representative_point().coords[0]
        places = [*ring, ((ax + bx) / 2, (ay + by) / 2), inside, (inside[0] + 1e-9, inside[1])]
        places += [(rng.uniform(0, SIZE), rng.uniform(0, SIZE)) for _ in range(20)]
        for start, end in zip(rng.sample(places, len(places)), rng.sample(places, len(places)), strict=True):
            if start != end:
                met.append(land.touches_segment(start, end))
                assert met[-1] == (land.distance_to(shapely.LineString((start, end))) == 0), (rings, start, end)
                sounded.append(land.is_surely_clear(start, end))
                assert not (met[-1] and sounded[-1]), (rings, start, end)
    assert 0.1 < sum(met) / len(met) < 0.9
    assert sum(sounded) > 10


def test_what_is_told_quickly_of_a_segment_is_so():
    """Whether it is surely off land, which is not known of all that are; whether land hides one end from the other."""
    certain, off, hidden = 0, 0, 0
    for rng, _, land in tables(12, 25):
        for _ in range(30):
            start, end = ((rng.uniform(0, SIZE), rng.uniform(0, SIZE)) for _ in range(2))
            line, most, margin = shapely.LineString((start, end)), rng.uniform(0, 30), rng.choice((0.0, 0.1, 8.0))
            assert land.hides_line(start, end, most) == land.bars_line(line, most)
            hidden += land.hides_line(start, end, most)
            gap = land.distance_to(line)
            assert land.edge_gaps([start], [end]) == [gap]
            surely = land.is_surely_beyond(start, end, margin)
            assert gap > margin or not surely
            certain, off = certain + surely, off + (gap > margin)
    assert hidden > 50
    assert off >= certain > 0.9 * off


def test_edges_in_an_extent_are_those_whose_own_extents_reach_into_it():
    for rng, _, land in tables(13, 15):
        ends = [np.array(ring.coords) for part in shapely.get_parts(land.shape) for ring in shapely.get_rings(part)]
        every = [tuple(map(tuple, edge)) for ring in ends for edge in pairwise(ring.tolist())]
        for _ in range(15):
            (west, east), (south, north) = (sorted((rng.uniform(0, SIZE), rng.uniform(0, SIZE))) for _ in range(2))
            inside = [
                (a, b)
                for a, b in every
                if max(a[0], b[0]) >= west and min(a[0], b[0]) <= east
                if max(a[1], b[1]) >= south and min(a[1], b[1]) <= north
            ]
            assert sorted(land.edges_within((west, south, east, north))) == sorted(inside)
            ends_of = [shapely.bounds(piece) for piece in land.pieces]
            reaches = [w <= east and e >= west and s <= north and n >= south for w, s, e, n in ends_of]
            assert land.may_reach((west, south, east, north)) == any(reaches)


def test_a_hull_is_stopped_where_it_would_come_too_near():
    stopped = 0
    for rng, _, land in tables(14, 40):
        for _ in range(3):
            corners, hull = a_hull(rng)
            keep = rng.choice((0.05, 3.0))
            if land.distance_to(hull) <= keep:
                continue
            shift = np.array(rng.choice([(rng.uniform(-80, 80), rng.uniform(-80, 80)), (60.0, 0.0), (0.0, -60.0)]))
            share = land.fraction_to_land([*map(tuple, corners)], tuple(shift), keep)
            last = 1.0 if share is None else share
            on_the_way = corners + np.linspace(0, last, 100)[:, None, None] * shift
            assert land.hull_gaps(on_the_way).min() >= keep - 1e-9
            if share is not None:
                stopped += 1
                assert land.hull_gaps([corners + (share + 1e-6) * shift])[0] < keep
    assert stopped > 15
    assert Land([]).fraction_to_land([(0, 0), (1, 0), (1, 1)], (5, 5), 0.1) is None


@pytest.mark.slow
def test_hulls_meet_land_as_crossings_say():
    met = 0
    for rng, rings, land in tables(1, 100):
        for _ in range(30):
            corners, hull = a_hull(rng)
            wanted = any(has_in_common(list(map(tuple, corners)), ring) for ring in rings)
            assert land.touches_hull(hull) == wanted
            met += wanted
    assert 500 < met < 2400


def test_lines_of_fire_are_barred_as_crossings_say():
    barred = 0
    for rng, rings, land in tables(4, 100):
        for _ in range(20):
            ends = [(rng.uniform(0, SIZE), rng.uniform(0, SIZE)) for _ in range(2)]
            within = length_inside(*ends, rings)
            line = shapely.LineString(ends)
            assert land.bars_line(line) == (within > 0)
            if within:
                barred += 1
                assert land.bars_line(line, within * 0.999)
                assert not land.bars_line(line, within * 1.001)
    assert 500 < barred < 1500


@pytest.mark.slow
def test_first_contact_is_where_a_corner_meets_an_edge():
    stopped = 0
    for rng, rings, land in tables(5, 100):
        for _ in range(20):
            corners, hull = a_hull(rng)
            way, reach = boxes.unit_vector(rng.uniform(0, 360)), rng.uniform(1, 200)
            distance = land.distance_to_land(hull, way, reach)
            if land.touches_hull(hull):
                assert distance == 0
                continue
            wanted = first_contact(list(map(tuple, corners)), way, reach, rings)
            assert distance == pytest.approx(wanted, abs=1e-5)
            stopped += wanted < reach
            # The answer holds: up to there the way is free, and beyond it is not.
            assert not land.touches_hull(
                shapely.transform(hull, lambda at, d=distance, w=way: at + np.multiply(d - 1e-4, w))
            )
            if distance < reach - 1:
                assert any(
                    land.touches_hull(
                        shapely.transform(hull, lambda at, d=distance + more, w=way: at + np.multiply(d, w))
                    )
                    for more in (1e-6, 1e-3, 0.1)
                )
    assert stopped > 200


def test_a_tapered_hull_has_its_tip_first_and_exact_quarter_turns():
    east = hull_corners(2.5, 0.5, 10, 20, 90, taper=0.5)
    assert east.tolist() == [[11.25, 20], [10.75, 19.75], [8.75, 19.75], [8.75, 20.25], [10.75, 20.25]]
    assert hull_corners(2.0, 1.0, 0, 0, 180).tolist() == [[0.5, -1], [-0.5, -1], [-0.5, 1], [0.5, 1]]
    assert [hull_corners(2, 1, 0, 0, turn)[0].tolist() for turn in (-90, 360, 630)] == [
        [-1, -0.5],
        [-0.5, 1],
        [-1, -0.5],
    ]


def test_a_hull_without_a_taper_is_a_box():
    for heading in (0, 17, 90, 211.5):
        box = Box(7, 9, *boxes.unit_vector(heading), 30, 17.5)
        assert hull_corners(60, 35, 7, 9, heading) == pytest.approx(np.array(boxes.box_corners(box)))


def test_a_trireme_stops_where_the_games_own_case_says():
    # Ramspeed's case G13: a trireme at (10, 10), heading north, and a square of land 2.75 ahead of her tip.
    trireme = hull_polygon(2.5, 0.5, 10, 10, 0, taper=0.5)
    assert Land([[(8, 14), (12, 14), (12, 16), (8, 16)]]).distance_to_land(trireme, (0, 1), 6) == pytest.approx(2.75)


@pytest.mark.parametrize(
    ("x", "y", "way", "wanted"),
    [
        (82.5, 50, (0, 1), 300),  # along a quay, touching
        (82.5, 70, (1, 0), 300),  # along the quay's end, her bow touching
        (82.5, 150, (1, 0), 0),  # into the quay she lies at
        (82.5, 150, (-1, 0), 300),  # off it
        (82.4, 150, (1, 0), 0.1),
        (150, 40, (0, 1), 30),
        (150, 150, (0, 1), 0),  # on the land
        (80, 40, (0, 1), 300),  # past it
    ],
)
def test_what_is_grazed_stops_nobody(x, y, way, wanted):
    assert Land([SQUARE]).distance_to_land(hull_polygon(60, 35, x, y, 0), way, 300) == pytest.approx(wanted, abs=1e-6)


def test_an_overlap_may_be_allowed_some_depth():
    touching = hull_polygon(60, 35, 150, 70, 0)
    assert Land([SQUARE]).distance_to_land(touching, (0, 1), 300, depth=0.004999) == pytest.approx(0.004999)
    # The bow's edge lies 0.003 within the square's side: less than what counts.
    assert Land([SQUARE]).distance_to_land(hull_polygon(60, 35, 82.503, 40, 0), (0, 1), 300, depth=0.004999) == 300
    assert Land([SQUARE]).distance_to_land(hull_polygon(60, 35, 82.503, 40, 0), (0, 1), 300) == pytest.approx(30)


def test_pieces_that_touch_are_one():
    east = [(200, 100), (300, 100), (300, 200), (200, 200)]
    land = Land([SQUARE, east])
    assert land.shape.geom_type == "Polygon"
    assert land.bars_line(shapely.LineString([(200, 0), (200, 300)]), most=99)
    assert land.distance_to(hull_polygon(60, 35, 200, 60, 0)) == pytest.approx(10)


def test_without_land_nothing_is_in_the_way():
    land, hull = Land([]), hull_polygon(60, 35, 0, 0, 0)
    assert not land.touches_hull(hull)
    assert not land.bars_line(shapely.LineString([(0, 0), (1, 1)]))
    assert land.distance_to_land(hull, (0, 1), 7) == 7
    assert land.distance_to(hull) == math.inf


def test_touching_is_meeting_but_a_corner_bars_no_line():
    land = Land([SQUARE])
    assert land.touches_hull(hull_polygon(60, 35, 82.5, 150, 0))
    assert not land.bars_line(shapely.LineString([(50, 150), (150, 50)]))
    assert land.bars_line(shapely.LineString([(100, 0), (100, 300)]))


@pytest.mark.parametrize(
    "ring",
    [
        [(0, 0), (1, 1)],
        [(0, 0), (1, 1), (2, 2)],
        [(0, 0), (2, 2), (2, 0), (0, 2)],
        [(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1)],
        [(0, 0), (1, 0), (math.nan, 1)],
        [(0, 0), (1, 0), (math.inf, 1)],
    ],
)
def test_an_outline_that_is_none_is_refused_by_its_number(ring):
    with pytest.raises(ValueError, match="piece 1"):
        Land([SQUARE, ring])


def test_land_within_an_extent_is_known_by_its_west_and_east_ends():
    land = Land([SQUARE, [(300, 0), (340, 0), (320, 50)]])
    assert land.parts_within((0.0, 0.0, 500.0, 40.0)) == ((300.0, 340.0),)
    assert sorted(land.parts_within((0.0, 0.0, 500.0, 150.0))) == [(100.0, 200.0), (300.0, 340.0)]
    assert land.parts_within((400.0, 0.0, 500.0, 100.0)) == ()
