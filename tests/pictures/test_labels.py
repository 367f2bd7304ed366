"""Names never overlap, never leave the picture, and cover no hull where there is room elsewhere."""

from dataclasses import replace
from itertools import combinations

import pytest
from PIL import Image
from shapely.geometry import Point, Polygon, box

from render.drawing.canvas import Canvas, text_size
from render.drawing.style import NAME_SIZE
from render.marks.labels import Label, Obstacle, place_labels
from render.matchbox.names import place_names, ship_label
from rules.matchbox.engine.hull import hull_corners
from tests.pictures import positions

pytestmark = pytest.mark.game("matchbox")


def test_names_of_random_positions_never_overlap():
    for seed in range(100):
        size = positions.TABLES[seed % 4]
        ships = positions.fleet(seed, size=size, each=1 + seed % 8)
        canvas = Canvas(Image.new("RGB", (1600, round(1600 * size[1] / size[0]))), (0.0, 0.0, *size), 1600)
        placed = place_names(canvas, [ship_label(canvas, ship, seed % 5) for ship in ships], ships, ())
        assert len(placed) == len(ships)
        boxes = [box(*where) for _, where in placed]
        for area, other in combinations(boxes, 2):
            assert area.intersection(other).area == 0
        for area in boxes:
            assert box(0, 0, canvas.image.width, canvas.image.height).covers(area)
        for name, where in placed:
            wide, high = text_size(name.key, NAME_SIZE)
            assert where[2] - where[0] >= wide
            assert where[3] - where[1] >= high


def test_names_cover_no_hull_on_a_table_with_room():
    for seed in range(40):
        ships = positions.fleet(seed, each=3)
        canvas = Canvas(Image.new("RGB", (1600, 1067)), (0.0, 0.0, 1200.0, 800.0), 1600)
        hulls = [Polygon([canvas.to_pixels(corner) for corner in hull_corners(ship.pose)]) for ship in ships]
        for _, where in place_names(canvas, [ship_label(canvas, ship) for ship in ships], ships, ()):
            assert all(hull.intersection(box(*where)).area < 0.02 * hull.area for hull in hulls)


def test_a_name_stays_near_what_it_names():
    for seed in range(40):
        ships = positions.fleet(seed, each=2)
        canvas = Canvas(Image.new("RGB", (1600, 1067)), (0.0, 0.0, 1200.0, 800.0), 1600)
        for name, where in place_names(canvas, [ship_label(canvas, ship) for ship in ships], ships, ()):
            assert box(*where).distance(Point(name.near)) < 75 * canvas.scale


def label(wide: int, high: int, near: tuple[float, float]) -> Label:
    return Label("A1", Image.new("RGBA", (wide, high)), near, 10.0)


def blank(wide: int, high: int) -> Canvas:
    return Canvas(Image.new("RGB", (wide, high)), (0.0, 0.0, wide, high), 1600)


def test_a_name_without_any_room_is_left_out_or_shown_by_a_smaller_image():
    some, small = label(80, 40, (50.0, 50.0)), Image.new("RGBA", (20, 18))
    assert len(place_labels(blank(120, 60), [some] * 3, [])) == 1
    assert place_labels(blank(120, 60), [label(300, 40, (5.0, 5.0))], []) == []
    placed = place_labels(blank(120, 60), [some, replace(some, smaller=small)], [])
    assert {name.image.size for name, _ in placed} == {(80, 40), (20, 18)}


def test_a_name_goes_where_it_covers_least():
    wall = Obstacle(((0.0, 0.0), (300.0, 0.0), (300.0, 600.0), (0.0, 600.0)), 100)
    ((_, spot),) = place_labels(blank(600, 600), [label(60, 60, (290.0, 300.0))], [wall])
    assert spot[0] >= 294


def test_letters_can_be_read_on_a_phone():
    """A still of 1600 is seen 400 wide: letters stay at least 11 pixels high."""
    assert NAME_SIZE / 4 >= 11
