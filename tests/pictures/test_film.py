"""A round in motion, within the limits of a chat."""

import itertools
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import render
from render.commission import Commission
from render.films.film import MAX_FILM_BYTES, Frame, encode_film, gif_palette
from render.matchbox.film import film_frames
from render.registry import PAINTERS
from rules.matchbox.engine import events as happened
from tests.pictures import positions

pytestmark = pytest.mark.game("matchbox")


def played(picture: render.Picture) -> tuple[list[np.ndarray], int]:
    """The frames of a film, and its length in ms."""
    image, shots, long = Image.open(BytesIO(picture.data)), [], 0
    for number in range(image.n_frames):
        image.seek(number)
        image.load()
        long += image.info["duration"]
        shots.append(np.asarray(image.convert("RGB"), dtype=np.int16))
    return shots, long


@pytest.mark.parametrize("form", ["webp", "gif"])
def test_a_round_is_filmed(form):
    view, events = positions.a_round()
    picture = render.draw_film(view, events, names=positions.NAMES, caption="3. forduló", form=form)
    assert picture is not None
    assert picture.format == form
    assert not picture.reduced
    assert len(picture.data) <= MAX_FILM_BYTES
    shots, long = played(picture)
    assert 3_000 <= long <= 12_100
    assert len(shots) > 40
    assert shots[0].shape == (picture.height, picture.width, 3)
    assert sum(np.abs(a - b).max() > 30 for a, b in itertools.pairwise(shots)) > 40


def test_the_film_ends_with_the_table_as_it_is_after_the_round():
    view, events = positions.a_round()
    commission = Commission(view=view, events=events, kind="round", width=640, crop="whole")
    last = film_frames(commission)[-1]
    assert last.ms > 1_500
    after = positions.a_round()[0]
    still = Image.open(BytesIO(render.draw_still(after, width=640).data)).convert("RGB")
    assert still.size == last.image.size
    for ship in after.galleys:
        x, y = (ship.pose.x_mm + 13) * 640 / 1226, (813 - ship.pose.y_mm) * 640 / 1226 + 26
        spot = tuple(round(edge) for edge in (x - 3, y - 3, x + 3, y + 3))
        here, there = (np.asarray(image.crop(spot), dtype=float).mean() for image in (last.image, still))
        assert abs(here - there) < 25


def test_a_round_in_which_nothing_can_be_seen_is_not_filmed():
    ships = positions.duel()
    events = (
        happened.RoundBegan(round=1, galleys=ships),
        happened.VolleyHeld(step=2, by="A1", reason="range"),
        happened.RoundEnded(round=1),
    )
    assert render.draw_film(positions.view_of(ships), events, width=320) is None


def test_a_gif_keeps_the_colours_of_small_things():
    grey = [Frame(Image.new("RGB", (64, 48), (level, level, level)), 100) for level in range(0, 250, 10)]
    small = (1, 250, 3)
    palettes = [gif_palette(encode_film(grey, "gif", fixed_colours=pure).data) for pure in ((), [small])]
    assert [bytes(small) in palette for palette in palettes] == [False, True]


def test_every_painter_names_the_colours_of_its_sides():
    for painter in PAINTERS.values():
        assert len(set(painter.palette_colours)) == len(painter.palette_colours) >= 2


def test_a_film_that_weighs_too_much_gets_fewer_frames_then_smaller_ones():
    chance = np.random.default_rng(1)
    noisy = [Image.fromarray(chance.integers(0, 255, (300, 400, 3), dtype=np.uint8)) for _ in range(60)]
    picture = encode_film([Frame(image, 100) for image in noisy], "gif")
    assert picture.reduced
    assert len(picture.data) <= MAX_FILM_BYTES
    shots, long = played(picture)
    assert len(shots) == 30
    assert long == 6_000
