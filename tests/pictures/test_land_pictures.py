"""Islands, moles and reefs as they are seen on a phone, also by people who see few colours; and lines of sight."""

from io import BytesIO

import numpy as np
import pytest
import shapely
from msgspec import UNSET, structs
from PIL import Image
from shapely.geometry import Polygon

import render
from render.commission import Commission
from render.matchbox.painter import make_canvas
from render.matchbox.window import shown_window
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.matchbox.engine import events as happened
from rules.matchbox.engine import scenarios
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import load_maps
from rules.matchbox.engine.state import Galley
from tests.pictures import positions
from tests.pictures.golden import unlike
from tests.pictures.test_colours import SIGHT, difference
from tests.rules.matchbox.play import GAME

pytestmark = pytest.mark.game("matchbox")
PHONE = 400


def on_map(name: str, galleys=(), **fields):
    sea = load_maps()[name]
    return positions.view_of(galleys, width_mm=sea.width_mm, height_mm=sea.height_mm, land=sea.land, **fields)


@pytest.fixture(scope="module")
def seen():
    """Return mean colours of each kind of land and of water, as a phone shows them."""

    def mean(name: str, kind: str) -> np.ndarray:
        commission = Commission(view=on_map(name), events=(), width=PHONE)
        canvas = make_canvas(commission, shown_window(commission, ()), PHONE)
        pixels = np.asarray(canvas.image, float)
        shapes = [Polygon(piece.corners) for piece in load_maps()[name].land]
        inside = [Polygon(piece.corners) for piece in load_maps()[name].land if piece.kind == kind]
        size = load_maps()[name].width_mm, load_maps()[name].height_mm
        at = np.stack(np.meshgrid(*(np.arange(20.0, most - 20, 4.0) for most in size)), axis=-1).reshape(-1, 2)
        points = shapely.points(at)
        if kind == "water":
            wanted = np.all([shapely.distance(shape, points) > 15 for shape in shapes], axis=0)
        else:
            wanted = np.any([shapely.contains(shape, points) for shape in inside], axis=0)
        return np.mean([pixels[int(row), int(column)] for column, row in map(canvas.to_pixels, at[wanted])], axis=0)

    return {
        "water": mean("strait", "water"),
        "island": mean("strait", "island"),
        "reef": mean("strait", "reef"),
        "mole": mean("breakwaters", "mole"),
    }


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(
    ("one", "other"), [("reef", "water"), ("reef", "island"), ("island", "water"), ("mole", "water")]
)
def test_land_and_shallow_water_are_told_apart_on_a_phone(seen, sight, one, other):
    assert difference(seen[one], seen[other], sight) > 15


def ship(name: str, side: str, x: float, y: float, heading: float) -> Galley:
    return Galley(
        id=name, seat="AB".index(name[0]), side=side, holes=5, port=5, starboard=5, masts=3, pose=Pose(x, y, heading)
    )


def test_who_is_hidden_has_a_line_of_sight_that_ends_at_the_island():
    """A volley that is held because of an island, and one that nobody is in range of."""
    ships = (ship("A1", "south", 390.0, 300.0, 0.0), ship("B1", "north", 525.0, 330.0, 180.0))
    began = happened.RoundBegan(round=3, galleys=ships)
    pictures = {}
    for reason in ("sight", "range"):
        held = happened.VolleyHeld(step=1, by="A1", reason=reason)
        # Something must have been seen to happen in the step.
        moved = happened.ShipMoved(step=1, galley="B1", order="F", start=ships[1].pose, end=ships[1].pose, part=0.5)
        drawn = render.draw_still(on_map("skerry", ships), (began, moved, held), kind="round", width=800)
        pictures[reason] = np.asarray(Image.open(BytesIO(drawn.data)).convert("RGB"), float)
    assert np.abs(pictures["sight"] - pictures["range"]).max() > 60


@pytest.mark.parametrize("seat", [0, 1])
def test_a_plan_shows_the_land_from_either_side(seat):
    """Turned by half the map is itself, and so is its picture but for light and wood."""
    view = on_map("strait", positions.lined_up(seat).galleys, seat=seat, current_galley="AB"[seat] + "1")
    commission = Commission(view=view, events=(), kind="plan", width=PHONE, crop="whole")
    canvas = make_canvas(commission, shown_window(commission, ()), PHONE)
    across = (0.0, 1200.0) if seat == 0 else (1200.0, 0.0)
    west, east = (canvas.image.getpixel(tuple(map(int, canvas.to_pixels((abs(x - 60.0), 400.0))))) for x in across)
    assert canvas.turned == (seat == 1)
    assert min(west) > 90
    assert min(east) > 90


@pytest.mark.parametrize("title", scenarios.SCENARIOS)
def test_what_a_scenario_is_about_is_drawn_with_how_it_stands(title):
    options = {"scenario": title, "deployment": "ready"}
    state = GAME.start(Setup(system="matchbox", teams=(0, 1), options=options), Dice("5eed")).state
    view = GAME.view(state, None)
    plain = structs.replace(view, scenario=UNSET)
    assert unlike(render.draw_still(view, width=400).data, render.draw_still(plain, width=400).data)[0] > 0.2
    key = scenarios.SCENARIOS[title].score_keys[0]
    further = structs.replace(view, score_so_far={**view.score_so_far, key: 1})
    assert render.draw_still(view, width=400).data != render.draw_still(further, width=400).data
    assert view.note_lines  # and in words
    # The small map marks it where a plan shows another part of the table.
    away = structs.replace(GAME.view(state, state.sides.index("south")), score_so_far=UNSET)
    near, without = (
        render.draw_still(view, kind="plan", crop="action", width=400).data
        for view in (away, structs.replace(away, scenario=UNSET))
    )
    assert unlike(near, without)[0] > 0.0
