"""Ships of Naval Battle can be told apart by class and side, in any colours; dice never overlap."""

from itertools import combinations

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image
from shapely.geometry import box

from render.commission import Commission
from render.drawing.style import FULL_WIDTH
from render.drawing.viewport import Viewport
from render.forts import marks
from render.forts.marks import die_label, hex_of_label, place_dice
from render.forts.painter import draw_ships, grid_of, make_canvas, ship_sprite_on, shown_window
from render.forts.ships import HULL_COLOURS, LIVERIES, SAIL_COLOURS, fort_sprite, ship_sprite, wreck_sprite
from render.seas import parchment
from render.seas.hexmap import HexCanvas, hexes_box
from rules.forts.engine import boards
from rules.forts.engine.state import CLASSES, CODES, COLOURS
from tests.pictures import forts_positions as positions
from tests.pictures.test_colours import SIGHT, contrast, difference

pytestmark = pytest.mark.game("forts")

SMALL = 11.6
"""Pixels of a hex's edge where the whole board is shown 400 wide."""


def sprite(colour, code, scale=SMALL, *, margin=None, flagship=False, east=True):
    full = CLASSES[code].margin
    return ship_sprite(
        colour, code, full if margin is None else margin, full, scale, flagship=flagship, east=east
    ).image


def grey_ship(colour, code):
    """A ship on the sea as a phone shows her, in grey: no colour is needed."""
    image = sprite(colour, code)
    sea = Image.new("RGB", image.size, parchment.SEA)
    sea.paste(image, None, image)
    return np.asarray(sea.convert("L"), dtype=float)


def sails(code):
    """The outline of her sails as a phone shows it."""
    alpha = np.asarray(sprite("white", code).getchannel("A"), dtype=float) > 128
    return alpha[: alpha.shape[0] // 2]


def test_classes_have_outlines_of_their_own_on_a_phone():
    for code, other in combinations(CODES, 2):
        a, b = sails(code), sails(other)
        assert (a ^ b).sum() > 0.2 * min(a.sum(), b.sum()), (code, other)


@pytest.mark.parametrize("code", CODES)
def test_sides_are_told_apart_without_colour(code):
    assert np.abs(grey_ship("white", code) - grey_ship("red", code)).mean() > 12


@pytest.mark.parametrize("sight", SIGHT)
def test_sails_hulls_and_letters_stand_out_from_the_sea(sight):
    assert contrast(SAIL_COLOURS["white"], SAIL_COLOURS["red"], sight) > 4
    for colour in COLOURS:
        assert difference(SAIL_COLOURS[colour], parchment.SEA, sight) > 30
        assert contrast(SAIL_COLOURS[colour], parchment.SEA, sight) > 2
        wood, letters = HULL_COLOURS[colour]
        assert contrast(wood, letters, sight) > 7
        assert difference(wood, parchment.SEA, sight) > 30
        assert difference(wood, parchment.LAND, sight) > 20
        assert contrast(LIVERIES[colour].on_base, LIVERIES[colour].base, sight) > 4.5
    assert contrast(parchment.INK, parchment.PAPER, sight) > 7


def test_only_red_sails_have_bands():
    assert {LIVERIES[colour].pattern for colour in COLOURS} == {"stripes", "bands"}
    white, red = (np.asarray(sprite(colour, "GA", 60.0).convert("RGB"), dtype=int) for colour in COLOURS)
    top = white.shape[0] * 2 // 5
    pale = [np.abs(image[:top] - LIVERIES["red"].mark).max(axis=2).__lt__(12).sum() for image in (white, red)]
    assert pale[1] > 300 > pale[0]


@pytest.mark.parametrize("code", CODES)
def test_as_many_fields_are_lit_as_hits_are_left(code):
    full = CLASSES[code].margin
    lit = []
    for margin in range(full + 1):
        pixels = np.asarray(sprite("red", code, 50.0, margin=margin).convert("RGB"), dtype=int)
        lit.append(int((np.abs(pixels - (150, 226, 90)).max(axis=2) < 10).sum()))
    assert lit[0] == 0
    steps = np.diff(lit)
    assert steps.min() > 0
    assert np.ptp(steps) <= 0.35 * steps.mean()


def test_a_flagship_has_a_star_and_ships_face_the_enemy():
    plain, leads = (np.asarray(sprite("white", "FR", flagship=flag), dtype=int) for flag in (False, True))
    assert np.abs(plain - leads).max(axis=2).__gt__(60).sum() > 30
    west = sprite("white", "FR", east=False)
    assert np.abs(np.asarray(west, dtype=int) - plain).max(axis=2).__gt__(60).sum() > 30


def test_forts_and_wrecks_show_whose_they_are():
    for paint in (lambda colour: fort_sprite(colour, 40.0, east=True), lambda colour: wreck_sprite(colour, "BB", 40.0)):
        white, red = (np.asarray(paint(colour).image, dtype=int) for colour in COLOURS)
        assert np.abs(white - red).max(axis=2).__gt__(60).sum() > 60


def test_letters_can_be_read_on_a_phone():
    """A still of 1600 is seen 400 wide: letters stay at least 11 pixels high."""
    assert parchment.LETTER_PX / 4 >= 11
    view = positions.view_of(positions.afloat())
    commission = Commission(view=view)
    canvas = make_canvas(commission, shown_window(commission, ()), FULL_WIDTH)
    assert 0.94 * canvas.scale / 4 >= 10.8


def test_dice_never_overlap_and_keep_off_ships():
    for seed in range(40):
        ships = positions.fleets(seed)
        view = positions.view_of(ships)
        commission = Commission(view=view)
        seen = shown_window(commission, ())
        canvas = HexCanvas(Image.new("RGB", (1500, 894)), seen, FULL_WIDTH)
        dice = [die_label(canvas, str(i), str(1 + i % 6), ships[i % 3].hex, hit=bool(i % 2)) for i in range(7)]
        placed = place_dice(canvas, dice, [each.hex for each in ships])
        boxes = [box(*place) for _, place in placed]
        assert len(boxes) == 7
        for area, other in combinations(boxes, 2):
            assert area.intersection(other).area == 0
        for each in ships:
            x, y = canvas.hex_pixel(hex_of_label(each.hex))
            half = 0.5 * canvas.scale
            assert all(area.intersection(box(x - half, y - half, x + half, y + half)).area == 0 for area in boxes)


@pytest.mark.parametrize("current", ["wGA", "wFR", "wBR"])
def test_the_names_of_hexes_within_reach_are_written_in_ink(current):
    view = positions.ordering(current)
    commission = Commission(view=view, kind="plan", crop="action")
    canvas = make_canvas(commission, shown_window(commission, ()), FULL_WIDTH)
    reach = next(each.hexes for each in view.reaches if each.ship == current)
    marks.tint_hexes(canvas, reach, marks.REACH_COLOUR, 0.6, "reach")
    marks.write_tinted_names(canvas, reach)
    assert marks.tinted_name_px(canvas) * 400 / FULL_WIDTH >= 9
    for label in reach:
        x, y = canvas.hex_pixel(hex_of_label(label), 0.0, -0.5)
        top = canvas.image.crop(
            (round(x - 0.5 * canvas.scale), round(y - 12), round(x + 0.5 * canvas.scale), round(y + 12))
        )
        dark = np.asarray(top.convert("L"), dtype=int) < 70
        assert 0.06 < dark.mean() < 0.6, label


def test_a_window_holds_what_must_be_seen_and_stays_on_the_map():
    window_of_map = grid_of(boards.TWO_FORTS).whole_window
    viewport = Viewport(whole=window_of_map, margin=0.9, min_width=13.0, min_aspect=0.5, max_aspect=0.72)
    assert viewport.fit_window([]) == window_of_map
    for label in boards.all_hexes(boards.TWO_FORTS):
        inner = hexes_box([hex_of_label(label)])
        west, south, east, north = viewport.fit_window([inner])
        assert window_of_map[0] <= west + 0.01 <= inner[0] + 0.02
        assert inner[2] - 0.02 <= east <= window_of_map[2] + 0.01
        assert window_of_map[1] <= south + 0.01 <= inner[1] + 0.02
        assert inner[3] - 0.02 <= north <= window_of_map[3] + 0.01
        assert 0.49 < (north - south) / (east - west) < 0.73


@pytest.mark.parametrize("white", ["west", "east"])
def test_ships_at_their_moorings_cover_neither_each_other_nor_the_names_of_their_hexes(white):
    view = positions.placing()
    harbour = view.board.harbour_of(white)
    berthed = [replace(each, hex=label) for each, label in zip(view.ships, harbour.start, strict=True)]
    view = replace(view, white=white, ships=tuple(berthed), start_hexes=harbour.start)
    commission = Commission(view=view, kind="plan")
    canvas = make_canvas(commission, shown_window(commission, ()), 1600)
    masks = []
    for each in view.ships:
        drawn, at = ship_sprite_on(canvas, view, each), canvas.hex_pixel(hex_of_label(each.hex))
        alpha = np.asarray(drawn.image.getchannel("A")) > 200
        left, top = round(at[0] - drawn.anchor[0]), round(at[1] - drawn.anchor[1])
        mask = np.zeros((canvas.image.height + 400, canvas.image.width + 400), bool)
        mask[top + 200 : top + 200 + alpha.shape[0], left + 200 : left + 200 + alpha.shape[1]] = alpha
        masks.append(mask)
    for number, one in enumerate(masks):
        for other in masks[:number]:
            assert (one & other).sum() < 0.02 * one.sum(), "but for tips of bows"
    # The names of their hexes are written over them: the picture is another where they stand.
    draw_ships(canvas, view, view.ships)
    covered = np.asarray(canvas.image.copy(), float)
    marks.write_covered_names(canvas, [each.hex for each in view.ships])
    written = np.asarray(canvas.image, float)
    for each in view.ships:
        x, y = canvas.hex_pixel(hex_of_label(each.hex), 0.0, -0.6)
        part = np.s_[round(y) - 20 : round(y) + 20, round(x) - 30 : round(x) + 30]
        assert np.abs(written[part] - covered[part]).mean() > 5
