"""Galleys of the fleet game can be told apart by side and state, in any colours; every id is there and can be read."""

from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from render.commission import Commission
from render.drawing.style import FULL_WIDTH
from render.marks import signs
from render.marks.labels import place_labels
from render.squadrons import plates, sea
from render.squadrons.hull import ShipAppearance, hull_sprite
from render.squadrons.ids import place_plates
from render.squadrons.liveries import BLUE_LIVERY, RED_LIVERY, SQUADRON_COLOURS
from render.squadrons.scene import hull_obstacles, make_canvas, shown_window
from tests.pictures import squadrons_positions as positions
from tests.pictures.test_colours import SIGHT, contrast, difference

WHOLE = 22.0
"""Pixels an edge where all of the largest fleets' map is shown 1,600 wide."""
PHONE = 11.0
"""Pixels an edge in a crop that is shown 400 wide."""


def looks(side=0, **fields) -> ShipAppearance:
    return ShipAppearance(side=side, **{"first_side": side, "size": 2, "weight": 8, **fields})


def grey_ship(look, scale=WHOLE, heading=60):
    """A ship on the sea in grey: no colour is needed."""
    image = hull_sprite(look, heading, scale).image
    water = Image.new("RGB", image.size, sea.SEA)
    water.paste(image, None, image)
    return np.asarray(water.convert("L"), dtype=float)


def test_sides_are_told_apart_without_colour():
    for scale in (PHONE, WHOLE):
        assert np.abs(grey_ship(looks(0), scale) - grey_ship(looks(1), scale)).max() > 60
    assert BLUE_LIVERY.pattern != RED_LIVERY.pattern


@pytest.mark.parametrize("sight", SIGHT)
def test_decks_and_letters_stand_out(sight):
    assert contrast(BLUE_LIVERY.base, RED_LIVERY.base, sight) > 7
    for livery in (BLUE_LIVERY, RED_LIVERY):
        assert contrast(livery.on_base, livery.base, sight) > 7
        assert contrast(livery.mark, livery.base, sight) > 4
        assert difference(livery.base, sea.SEA, sight) > 20
    for colour in (*SQUADRON_COLOURS[0], *SQUADRON_COLOURS[1]):
        assert contrast(signs.INK, colour, sight) > 4, "a pennant's number"


def test_every_state_shows_on_the_hull():
    states = {
        "": {},
        "fast": {"is_fast": True},
        "rammed": {"is_rammed": True},
        "port": {"is_port_shorn": True},
        "starboard": {"is_starboard_shorn": True},
        "towers": {"has_towers": True},
        "captured": {"first_side": 1},
        "squadron": {"squadron": 1},
        "sails": {"has_sails_up": True},
        "small": {"size": 1},
    }
    for scale in (PHONE, WHOLE):
        pictures = {name: hull_sprite(looks(**fields), 60, scale).image for name, fields in states.items()}
        for (state, a), (other, b) in combinations(pictures.items(), 2):
            assert a.size != b.size or (np.abs(np.asarray(a, int) - np.asarray(b, int)).max(axis=2) > 40).sum() > 8, (
                scale, state, other,
            )  # fmt: skip


def test_facing_is_seen():
    six = [grey_ship(looks(), PHONE, 60 * facing) for facing in range(6)]
    for hull, other in combinations(six, 2):
        assert (np.abs(hull - other) > 40).sum() > 30


def test_what_a_ship_has_suffered_has_a_sign_and_its_number():
    hurt = positions.ship(
        "B1",
        "5",
        "1010N",
        rammed="R1",
        crippled_port=True,
        crippled_starboard=True,
        fatigue=3,
        half_speed=True,
        held="CAP",
    )
    states = plates.ship_states(hurt)
    assert set(states) == {"captured", "rammed", "crippled-port", "crippled-starboard", "fatigue:3", "half"}
    drawn = [np.asarray(plates.draw_states((state,), 40), dtype=int) for state in (*states, "fatigue:2", "recaptured")]
    for a, b in combinations(drawn, 2):
        assert a.shape != b.shape or (np.abs(a - b).max(axis=2) > 60).sum() > 30


def test_men_are_dots_and_those_lost_are_struck_out():
    base = {"ship": "B1", "side": 0, "full_men": 4}
    four, two = (np.asarray(plates.draw_plate(plates.ShipPlate(men=men, **base), 44), dtype=int) for men in (4, 2))
    assert (np.abs(four - two).max(axis=2) > 60).sum() > 40
    assert plates.draw_plate(plates.ShipPlate(ship="B1", side=0, men=0, full_men=0), 44).height < four.shape[0]


def test_letters_can_be_read_on_a_phone():
    """A crop of 1600 is seen 400 wide: letters stay at least 11 pixels high."""
    for scale in (5.0, WHOLE, 60.0):
        assert plates.plate_letter_px(scale, 1.0, crop=True) / 4 >= 11
        assert plates.plate_letter_px(scale / 4, 0.25, crop=True) >= 11
    assert plates.plate_letter_px(WHOLE, 1.0, crop=False) >= 15


@pytest.mark.parametrize(("count", "crop"), [(15, "action"), (30, "action"), (30, "whole")])
def test_every_id_is_there_and_none_covers_another(count, crop):
    """Of thirty a side too; in a plan on a phone, and where all is shown."""
    where = positions.battle(count)
    for view in (positions.view_of(where, side="B", seat=0), positions.crowd(count, 2 * count)):
        kind = "plan" if crop == "action" else "table"
        commission = Commission(view=view, kind=kind, crop=crop, width=FULL_WIDTH)
        canvas = make_canvas(commission, shown_window(commission, ()), FULL_WIDTH)
        upon, free, size = place_plates(canvas, view.position, commission)
        assert size >= (44 if crop == "action" else 15)
        placed = [*upon, *place_labels(canvas, free, hull_obstacles(canvas, view.position))]
        names = {label.key for label, _ in placed if not label.key.endswith(".states")}
        assert names >= {ship.id for ship in view.position.ships if canvas.is_in_window(ship.bow)}
        for (_, area), (_, other) in combinations(upon, 2):
            across = min(area[2], other[2]) - max(area[0], other[0])
            down = min(area[3], other[3]) - max(area[1], other[1])
            assert min(across, down) <= 2.01


def test_leaders_fly_pennants_that_differ():
    kinds = [(admiral, reduced) for admiral in (False, True) for reduced in (False, True)]
    looks_of = (
        plates.LeaderPennant(side=0, number=1, is_admiral=admiral, is_reduced=reduced) for admiral, reduced in kinds
    )
    flags = [plates.draw_pennant(look, 40) for look in looks_of]
    for flag, other in combinations(flags, 2):
        assert flag.size != other.size or (np.abs(np.asarray(flag, int) - np.asarray(other, int)) > 60).sum() > 60


def test_no_two_squadrons_of_the_two_sides_share_a_colour():
    every = [*SQUADRON_COLOURS[0], *SQUADRON_COLOURS[1]]
    assert len(set(every)) == len(every)
