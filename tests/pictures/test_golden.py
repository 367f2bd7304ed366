"""Pictures of all games look as they did, and as they were painted."""

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFilter

import render
from render.commission import Commission
from render.drawing.encode import encode_still
from render.registry import PAINTERS
from tests.pictures import campaign_positions, forts_positions, positions, ramspeed_positions, squadrons_positions
from tests.pictures.golden import FOLDER, GOLDEN, drawn, unlike

ROUNDS: dict[str, Any] = {
    "matchbox": positions.a_round,
    "forts": forts_positions.a_turn,
    "ramspeed": ramspeed_positions.a_turn,
    "squadrons": squadrons_positions.a_turn,
    "campaign": campaign_positions.a_turn,
}


@pytest.mark.parametrize("system", GOLDEN)
def test_pictures_look_as_they_did(system):
    for name, picture in drawn(system).items():
        mean, most = unlike((FOLDER / f"{name}.webp").read_bytes(), picture.data)
        assert mean < 1.5, name
        assert most < 12, name


def test_no_golden_picture_is_left_over_and_all_of_them_are_small():
    names = {name for pictures in GOLDEN.values() for name in pictures(lambda *_, **__: None)}
    assert {path.stem for path in FOLDER.glob("*.webp")} == names
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 320_000 * len(GOLDEN)


@pytest.mark.parametrize("system", ROUNDS)
def test_a_png_has_no_edges_between_shades_that_its_picture_has_not(system):
    view, events = ROUNDS[system]()
    painted = PAINTERS[type(view)].paint(Commission(view=view, events=events))
    picture = Image.open(BytesIO(encode_still(painted, palette=PAINTERS[type(view)].palette_levels).data))
    assert picture.mode == "P", "a byte a pixel"
    # An eye sees shades over some pixels.
    seen, meant = (
        np.asarray(image.convert("RGB").filter(ImageFilter.GaussianBlur(2)), float) for image in (picture, painted)
    )
    assert np.abs(seen - meant).mean() < 0.8


def test_the_comparison_sees_a_galley_that_has_gone():
    ships = positions.duel()
    full, fewer = (render.draw_still(positions.view_of(some), width=800).data for some in (ships, ships[:3]))
    assert unlike(full, full) == (0.0, 0.0)
    assert unlike(full, fewer)[1] > 12
