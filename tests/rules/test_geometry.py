"""The closed forms agree with shapely."""

import math

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from rules.geometry import boxes as geometry
from rules.geometry.boxes import Box, Point

places = st.floats(-200, 200)
bearings = st.one_of(st.floats(0, 360, exclude_max=True), st.integers(0, 11).map(lambda n: 30.0 * n))
points = st.builds(Point, places, places)
boxes = st.builds(
    lambda x, y, bearing, along, across: Box(x, y, *geometry.unit_vector(bearing), along, across),
    places,
    places,
    bearings,
    st.floats(1, 60),
    st.floats(1, 60),
)


def polygon(box):
    return shapely.Polygon(geometry.box_corners(box))


@given(boxes, boxes)
@pytest.mark.slow
def test_gap(a, b):
    assert geometry.box_gap(a, b) == pytest.approx(polygon(a).distance(polygon(b)), abs=1e-6)


@given(boxes, boxes)
def test_separation_has_the_sign_of_overlap(a, b):
    parted = geometry.separation(a, b)
    area = polygon(a).intersection(polygon(b)).area
    if parted > 1e-6:
        assert area == 0
    if parted < -1e-3:
        assert area > 0


@given(boxes, boxes)
def test_edge_spans_are_what_parts_the_boxes(a, b):
    assert max(geometry.edge_gaps(a, b)) == pytest.approx(geometry.separation(a, b), abs=1e-9)


@given(boxes, points, points)
def test_segment_meets_box(box, a, b):
    apart = polygon(box).distance(shapely.LineString([a, b]))
    if apart == 0 or apart > 1e-6:
        assert geometry.segment_meets_box(a, b, box) == (apart == 0)


@given(boxes, points, bearings)
def test_ray_meets_box(box, start, bearing):
    way = geometry.unit_vector(bearing)
    ray = shapely.LineString([start, (start.x + 1e4 * way.x, start.y + 1e4 * way.y)])
    apart = polygon(box).distance(ray)
    if apart == 0 or apart > 1e-6:
        assert geometry.ray_meets_box(start, way, box) == (apart == 0)


@given(points, points, points, points)
def test_segments_meet(a, b, c, d):
    if math.dist(a, b) < 1e-3 or math.dist(c, d) < 1e-3:
        return
    apart = shapely.LineString([a, b]).distance(shapely.LineString([c, d]))
    if apart == 0 or apart > 1e-6:
        assert geometry.segments_meet(a, b, c, d) == (apart == 0)


def test_collinear_segments_meet_where_they_share_a_point():
    assert geometry.segments_meet(Point(0, 0), Point(0, 45), Point(0, 45), Point(0, 90))
    assert geometry.segments_meet(Point(0, 0), Point(0, 45), Point(0, 30), Point(0, 90))
    assert not geometry.segments_meet(Point(0, 0), Point(0, 45), Point(0, 45.001), Point(0, 90))


def test_within_sees_ahead_and_to_starboard():
    east = Box(10, 10, *geometry.unit_vector(90), 30, 17.5)
    assert geometry.to_box_frame(Point(40, 5), east) == pytest.approx((30, 5))
