"""A galley's picture says where her bow is, how many oars and masts are left, and stays on the canvas."""

import itertools
from math import cos, hypot, radians, sin

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from render.commission import Commission
from render.matchbox import marks
from render.matchbox.hull import DECK_HEIGHT_MM, galley_sprite
from render.matchbox.liveries import LIVERIES
from render.matchbox.window import shown_window
from rules.matchbox.engine.hull import hull_corners
from rules.matchbox.engine.notation import parse_position
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.state import Galley
from rules.matchbox.retelling import split_moments
from tests.pictures import positions

pytestmark = pytest.mark.game("matchbox")


def ship(side="south", heading=0.0, **fields) -> Galley:
    base = {"id": "A1", "seat": 0, "side": side, "holes": 6, "port": 6, "starboard": 6, "masts": 2}
    return Galley(**{**base, "pose": Pose(0.0, 0.0, heading), **fields})


def seen(picture: Image.Image) -> np.ndarray:
    """Colours as they look on the wood."""
    ground = Image.new("RGBA", picture.size, (110, 74, 44, 255))
    ground.alpha_composite(picture)
    return np.asarray(ground.convert("RGB"), dtype=np.float32)


def near(pixels: np.ndarray, colour, within: float) -> np.ndarray:
    return np.abs(pixels - np.array(colour, dtype=np.float32)).max(axis=2) < within


@pytest.mark.parametrize("side", ["south", "north"])
@pytest.mark.parametrize("heading", [0, 37, 90, 144, 180, 200, 270, 301])
def test_the_prow_triangle_is_at_the_bow(side, heading):
    sprite = galley_sprite(ship(side, heading, masts=0), 4.0, bold=True)
    rows, columns = np.nonzero(near(seen(sprite.image), LIVERIES[side].mark, 40))
    east, south = columns - sprite.anchor[0], rows - sprite.anchor[1] + DECK_HEIGHT_MM * 4.0
    ahead = east * sin(radians(heading)) - south * cos(radians(heading))
    inside = np.hypot(east, south) < 31 * 4
    assert ahead[inside].mean() > 4.0 * 4.0


@pytest.mark.parametrize("heading", range(0, 360, 45))
@pytest.mark.parametrize("side", ["south", "north"])
def test_heading_can_be_told_on_a_phone(side, heading):
    """A galley and the same turned about are unlike even where the whole table is 400 pixels wide."""

    def small(bearing: float) -> np.ndarray:
        sprite = galley_sprite(ship(side, bearing), 1.29)
        image = Image.fromarray(seen(sprite.image).astype(np.uint8))
        return np.asarray(image.resize((image.width // 4, image.height // 4), Image.Resampling.BOX), dtype=np.float32)

    gap = np.abs(small(heading) - small((heading + 180) % 360)).mean(axis=2)
    assert np.sort(gap.ravel())[-40:].mean() > 45


def runs(line: np.ndarray) -> int:
    """Count the separate stretches of a line that are true."""
    return int(np.count_nonzero(np.diff(np.concatenate(([False], line)).astype(int)) == 1))


@pytest.mark.parametrize("holes", [4, 5, 6])
def test_there_are_as_many_oars_as_are_left(holes):
    scale = 6.0
    for left in range(holes + 1):
        sprite = galley_sprite(ship(holes=holes, port=left, starboard=holes - left), scale)
        alpha = np.asarray(sprite.image)[:, :, 3]
        for sign, oars in ((-1, left), (1, holes - left)):
            beyond = round(sprite.anchor[0] + sign * (17.5 + 15) * scale)
            assert runs(alpha[:, beyond] > 200) == oars


@pytest.mark.parametrize("holes", [4, 5, 6])
def test_there_are_as_many_masts_and_holes_as_she_has(holes):
    scale = 8.0
    for left in range(8 - holes + 1):
        sprite = galley_sprite(ship("north", holes=holes, masts=left), scale)
        pixels = seen(sprite.image)
        middle = round(sprite.anchor[0])
        empty = near(pixels, (0, 0, 0), 12)[:, middle - 4 : middle + 5].all(axis=1)
        bright = near(pixels, (255, 240, 206), 14)[:, middle - 14 : middle - 9].all(axis=1)
        assert runs(empty) == 8 - holes - left
        assert runs(bright) == left


def test_what_is_lost_stays_lost():
    """The oars of a galley with fewer are among those of the same galley with more."""
    sprites = [galley_sprite(ship(port=left), 6.0) for left in range(7)]
    column = round(sprites[0].anchor[0] - (17.5 + 15) * 6.0)
    there = [np.asarray(sprite.image)[:, column, 3] > 200 for sprite in sprites]
    for fewer, more in itertools.pairwise(there):
        assert (more[fewer]).all()


@pytest.mark.parametrize("crop", ["whole", "action"])
def test_no_hull_is_cut_by_the_edge(crop):
    for seed in range(50):
        size = positions.TABLES[seed % 4]
        ships = positions.fleet(seed, size=size, each=1 + seed % 3)
        view = positions.view_of(ships, width_mm=size[0], height_mm=size[1])
        west, south, east, north = shown_window(Commission(view=view, crop=crop), ())
        for x, y in (corner for ship in ships for corner in hull_corners(ship.pose)):
            assert west < x < east
            assert south < y < north


def test_a_crop_to_some_galleys_shows_those():
    ships = positions.duel()
    commission = Commission(view=positions.view_of(ships), crop="action", focus=("A2",))
    west, south, east, north = shown_window(commission, ())
    assert east - west < 600
    assert all(west < x < east and south < y < north for x, y in hull_corners(ships[1].pose))


def test_the_window_of_a_round_holds_all_that_happened():
    view, events = positions.a_round()
    moments = split_moments(view, events)
    west, south, east, north = shown_window(Commission(view=view, events=events, crop="action", kind="round"), moments)
    for act in moments:
        for galley in act.after_movement.galleys.values():
            assert all(west < x < east and south < y < north for x, y in hull_corners(galley.pose))


def test_a_ram_is_marked_where_the_bow_meets_the_hull():
    rammer, rammed = parse_position("1200x800 ; A1:south 6-6+2/6 @570,382^0 ; B1:north 6-6+2/6 @600,400^90").galleys
    assert marks.strike_point(rammer, rammed) == pytest.approx((570.0, 382.0))
    x, y = marks.strike_point(replace(rammer, pose=Pose(560.0, 375.0, 40.0)), rammed)
    assert hypot(x - 560.0, y - 375.0) == pytest.approx(17.5)
