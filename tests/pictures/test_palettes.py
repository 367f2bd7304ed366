"""Each game's stills and GIFs have its 256 colours, and a PNG holds just the pixels that were mapped to them."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import render
from render.drawing import encode
from render.drawing.encode import MAX_STILL_BYTES, encode_png, encode_still
from render.films.film import COMMON_COLOURS, gif_palette
from render.registry import PAINTERS
from tests.pictures import positions

PAINTED = [painter for painter in PAINTERS.values() if painter.view_type.__module__.startswith("rules.")]
GREYS = bytes(level for grey in range(256) for level in (grey, grey, grey))


@pytest.mark.parametrize("painter", PAINTED, ids=lambda painter: painter.view_type.__name__)
def test_a_palette_has_the_colours_of_small_things_as_they_are(painter):
    levels = painter.palette_levels
    colours = {tuple(levels[i : i + 3]) for i in range(0, len(levels), 3)}
    assert len(levels) == 768
    assert {*COMMON_COLOURS, *painter.palette_colours} <= colours


def test_a_file_of_too_few_colours_is_no_palette(tmp_path: Path):
    (tmp_path / "few").write_text("ffffff\n000000\n")
    with pytest.raises(ValueError, match="2 colours, not 256"):
        encode.read_levels(tmp_path / "few")


def test_a_pixel_takes_a_colour_near_to_it_and_all_of_them_are_as_bright_as_before():
    painted = Image.frombytes("RGB", (256, 1), GREYS)
    beside = np.asarray(encode.map_to_palette(painted, GREYS).convert("RGB"), float) - np.asarray(painted, float)
    assert np.abs(beside).max() <= 3
    assert abs(beside.mean()) < 0.6


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (200, 90)])
def test_a_png_is_read_as_it_was_written(size):
    pixels = np.random.default_rng(size[0]).integers(0, 256, size[::-1], dtype=np.uint8)
    with Image.open(BytesIO(encode_png(Image.fromarray(pixels, "P"), GREYS))) as read:
        read.load()
        assert (read.format, read.mode, read.size) == ("PNG", "P", size)
        assert bytes(read.getpalette() or ()) == GREYS
        assert np.array_equal(np.asarray(read), pixels)


def test_what_is_too_large_in_its_colours_is_made_smaller():
    noise = np.random.default_rng(0).integers(0, 255, (1200, 1600, 3), dtype=np.uint8)
    picture = encode_still(Image.fromarray(noise), palette=GREYS)
    assert len(picture.data) <= MAX_STILL_BYTES
    assert picture.width < 1600


@pytest.mark.game("matchbox")
def test_stills_and_gifs_of_a_game_have_its_colours():
    view, events = positions.a_round()
    levels = PAINTERS[type(view)].palette_levels
    with Image.open(BytesIO(render.draw_still(view, events, width=400).data)) as drawn:
        assert bytes(drawn.getpalette() or ()) == levels
    film = render.draw_film(view, events, width=320, form="gif")
    assert film is not None
    assert gif_palette(film.data) == levels
