"""Ships of Biremes … Oh My! can be told apart by class, side and state, in any colours; plates never overlap."""

from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from PIL import Image
from shapely.geometry import Polygon, box

from render.commission import Commission
from render.drawing.canvas import Canvas
from render.drawing.style import FULL_WIDTH
from render.marks import signs
from render.marks.labels import place_labels
from render.ramspeed import liveries as sea
from render.ramspeed.badges import LETTER_PX, Badge, draw_badge
from render.ramspeed.hull import ShipAppearance, hull_sprite, wreck_sprite
from render.ramspeed.liveries import IVORY, WINE, livery_of
from render.ramspeed.marks import ship_corners
from render.ramspeed.painter import shown_window
from render.ramspeed.scene import badge_label, hull_obstacles, is_in_window, make_canvas
from render.seas import water
from rules.ramspeed.engine.odds import AttackResult
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, NATIONS
from rules.ramspeed.interface.view import AimProblem, pose_of
from rules.ramspeed.retelling import VisibleState
from tests.pictures import ramspeed_positions as positions
from tests.pictures.test_colours import SIGHT, contrast, difference

pytestmark = pytest.mark.game("ramspeed")

PHONE = 9.4
"""Pixels an inch where a table of 40 inches is shown 400 wide."""


def looks(code="T", side=0, nation="athenian", **fields) -> ShipAppearance:
    return ShipAppearance(name="A1", code=code, nation=nation, side=side, **{"first_side": side, **fields})


def grey_ship(look, scale=PHONE, heading=90):
    """A ship on the sea in grey: no colour is needed."""
    image = hull_sprite(look, heading, scale, small=scale < 40).image
    water = Image.new("RGB", image.size, sea.SEA)
    water.paste(image, None, image)
    return np.asarray(water.convert("L"), dtype=float)


def outline(code, scale, part):
    """Return the pixels of a ship that are more opaque than `part` (of 255)."""
    alpha = np.asarray(hull_sprite(looks(code), 0, scale, small=False).image.getchannel("A"), dtype=float)
    return alpha > part


@pytest.mark.parametrize("code", CLASS_CODES)
def test_hulls_are_to_scale(code):
    kind, scale = CLASSES[code], 80.0
    solid = outline(code, scale, 250)
    rows, columns = np.flatnonzero(solid.any(axis=1)), np.flatnonzero(solid.any(axis=0))
    assert np.ptp(rows) == pytest.approx(kind.length * scale, abs=0.07 * scale)
    assert np.ptp(columns) == pytest.approx(kind.beam * scale, abs=0.07 * scale)


def test_no_two_classes_look_alike_on_a_phone():
    for one, other in combinations(CLASS_CODES, 2):
        a, b = (grey_ship(looks(code)) for code in (one, other))
        side = min(a.shape[0], b.shape[0])
        a, b = (x[(x.shape[0] - side) // 2 :, (x.shape[1] - side) // 2 :][:side, :side] for x in (a, b))
        assert np.abs(a - b).max() > 40, (one, other)


@pytest.mark.parametrize("code", CLASS_CODES)
@pytest.mark.parametrize("nation", NATIONS)
def test_sides_are_told_apart_without_colour_even_of_one_nation(code, nation):
    first, second = (grey_ship(looks(code, side, nation)) for side in (0, 1))
    assert np.abs(first - second).max() > 60
    assert livery_of(0, nation).pattern != livery_of(1, nation).pattern


@pytest.mark.parametrize("sight", SIGHT)
def test_decks_marks_and_letters_stand_out(sight):
    assert contrast(IVORY, WINE, sight) > 7
    assert difference(IVORY, sea.SEA, sight) > 40
    assert difference(WINE, sea.SEA, sight) > 20
    for nation in NATIONS:
        for side in (0, 1):
            colours = livery_of(side, nation)
            assert contrast(colours.mark, colours.base, sight) > 4, nation
            assert contrast(colours.on_base, colours.base, sight) > 7


STATES = {
    "prize": {"first_side": 1},
    "derelict": {"derelict": True},
    "halved": {"halved": True},
    "dead": {"dead": True},
    "immobilised": {"immobilised": True},
    "fireship": {"fireship": True},
    "beached": {"beached": True},
}


@pytest.mark.parametrize("code", CLASS_CODES)
def test_every_state_shows_on_the_hull(code):
    pictures = {name: grey_ship(looks(code, **fields), 60.0) for name, fields in {"": {}, **STATES}.items()}
    for (state, a), (other, b) in combinations(pictures.items(), 2):
        assert (np.abs(a - b) > 25).sum() > 25, (code, state, other)
    with_bridge = grey_ship(looks("V", corvus=True), 60.0)
    assert (np.abs(with_bridge - grey_ship(looks("V"), 60.0)) > 25).sum() > 100


def test_a_wreck_is_no_ship():
    look = looks()
    under = np.asarray(wreck_sprite(look, 30, 60.0, small=False).image.getchannel("A"), dtype=float)
    assert 0 < under.max() < 200


def test_everything_that_may_come_of_an_attack_has_a_sign_of_its_own():
    names = [*get_args(AttackResult), *(name for name in get_args(AimProblem) if name not in ("far", "near", "unfit"))]
    drawn = {name: np.asarray(signs.draw_sign(name, 40), dtype=float) for name in names}
    for (result, a), (other, b) in combinations(drawn.items(), 2):
        assert (np.abs(a - b).max(axis=2) > 60).sum() > 60, (result, other)


def test_crew_shows_as_a_bar_and_losses_beside_it():
    base = {"ship": "A1", "side": 0, "nation": "athenian", "full_crew": 20}
    lit = []
    for crew in (0, 5, 10, 20):
        pixels = np.asarray(draw_badge(Badge(crew=crew, **base), 44), dtype=int)
        bar = pixels[round(pixels.shape[0] * 0.82) :]
        lit.append(int(((bar[..., 1] > 150) & (bar[..., 2] < 130)).sum()))
    assert lit[0] == 0
    assert lit[3] > lit[2] > 0
    assert draw_badge(Badge(crew=5, lost_crew=7, **base), 44).width > draw_badge(Badge(crew=5, **base), 44).width
    assert draw_badge(Badge(crew=None, **base), 44).width < draw_badge(Badge(crew=5, **base), 44).width


def test_letters_can_be_read_on_a_phone():
    """A still of 1600 is seen 400 wide: letters stay at least 11 pixels high."""
    assert LETTER_PX / 4 >= 11


def test_plates_never_overlap_and_keep_off_ships():
    for seed in range(12):
        view = positions.crowd(seed, 12 + seed * 2)
        commission = Commission(view=view)
        window = shown_window(commission, ())
        canvas = Canvas(Image.new("RGB", (1492, 995)), window, FULL_WIDTH)
        fleet = VisibleState.from_position(view.position)
        labels = [badge_label(canvas, ship, fleet, view) for ship in fleet.afloat]
        placed = place_labels(canvas, labels, hull_obstacles(canvas, fleet))
        assert len(placed) == len(labels) == sum(is_in_window(canvas, ship) for ship in fleet.afloat)
        boxes = [box(*where) for _, where in placed]
        for area, other in combinations(boxes, 2):
            assert area.intersection(other).area == 0
        shapes = [
            Polygon([canvas.to_pixels(p) for p in ship_corners(ship.code, pose_of(ship))]) for ship in fleet.afloat
        ]
        covered = sum(area.intersection(ship).area for area in boxes for ship in shapes)
        assert covered < 0.03 * sum(ship.area for ship in shapes)


def test_land_lies_where_the_rules_have_it_and_runs_on_beyond_the_edge():
    view = positions.opening("cove")
    canvas = make_canvas(Commission(view=view, width=1000), (0.0, 0.0, 36.0, 30.0), 1000)
    pixels = np.asarray(canvas.image, dtype=int)

    def blue(x, y):
        across, down = canvas.to_pixels((x, y))
        spot = (
            pixels[round(down) - 2 : round(down) + 3, round(across) - 2 : round(across) + 3].reshape(-1, 3).mean(axis=0)
        )
        return spot[2] > spot[0]

    for x, y in ((18, 28), (16, 18), (23, 13.3), (0.2, 29), (35.7, 26), (18, 29.8), (14.35, 17.1)):
        assert not blue(x, y), (x, y)
    for x, y in ((18, 10), (16, 16.4), (20, 25.3), (0.3, 21.2), (1, 1)):
        assert blue(x, y), (x, y)


@pytest.mark.parametrize("turned", [False, True])
def test_land_of_which_only_a_row_of_pixels_is_seen_is_drawn(turned):
    """At the lower edge of a crop. Without it neither the picture nor its message was made."""
    land, table = (((10.0, 10.0), (20.0, 10.0), (20.0, 20.0), (10.0, 20.0)),), (40.0, 40.0)
    for step in range(60):
        edge = 19.0 + 0.02 * step
        window = (0.0, 30.0 - edge - 14.94, 20.0, 30.0 - edge) if turned else (0.0, edge, 20.0, edge + 14.94)
        shape = water.join_land(land, table)
        image = water.draw_sea((200, 149), window, shape, 200, sea.SEA_STYLE, turned=turned)
        assert image.size == (200, 149)
