"""Drawing in all games: pens, films' windows and tempi, and layers above a plan."""

import importlib.util

import numpy as np
import pytest
from PIL import Image

from render.commission import Commission
from render.drawing import backgrounds
from render.drawing.canvas import Canvas, Sprite
from render.drawing.pen import HullPen, Pen
from render.films.film import Film, Tempo, sinking_sprite
from render.marks.legend import name_bar_height
from tests.pictures import positions

CALM = Tempo(move_frames=4, missile_frames=4, sink_frames=4, begin_ms=900, result_ms=800, end_ms=2000)


def opaque(image: Image.Image) -> float:
    """Return the sum of an image's opacity, in pixels."""
    return float(np.asarray(image.getchannel("A"), float).sum() / 255)


def test_a_frame_is_the_whole_picture_with_another_window():
    commission = Commission(view=positions.view_of(positions.duel()), width=400)
    edge, still = Image.new("RGB", (400, 300), (9, 9, 9)), Canvas(Image.new("RGB", (360, 200)), (0, 0, 36, 20), 400)
    film = Film(commission, still, edge, CALM, margin=20)
    over = film.copy_still()
    over.image.paste((200, 0, 0), (0, 0, *over.image.size))
    frame = film.complete_frame(over, 66)
    top = name_bar_height(400) + 20
    assert frame.ms == 66
    assert frame.image.getpixel((20, top)) == (200, 0, 0)
    assert frame.image.getpixel((19, top)) == frame.image.getpixel((20, top - 1)) == (9, 9, 9)
    assert film.still.image.getpixel((0, 0)) == (0, 0, 0), "what lies still is as it was"


def test_a_ship_that_goes_down_dwindles_and_fades():
    ship = Sprite(Image.new("RGBA", (100, 100), (255, 255, 255, 255)), (50, 50))
    early, late = sinking_sprite(ship, 0.2), sinking_sprite(ship, 0.8)
    assert 100 > early.image.width > late.image.width == round(100 * (1 - 0.45 * 0.8))
    assert 10_000 > opaque(early.image) > opaque(late.image)
    assert late.anchor == (late.image.width / 2, late.image.height / 2)
    assert opaque(sinking_sprite(ship, 1.0).image) == 0


@pytest.mark.parametrize(("heading", "ahead"), [(0, (0, -1)), (90, (1, 0)), (180, (0, 1)), (270, (-1, 0))])
def test_a_point_ahead_of_a_ship_is_where_she_heads(heading, ahead):
    pen = HullPen(heading, 10.0, 40, oversampling=2)
    x, y = pen.to_pixels(3.0, 0.0)
    assert (x - 80, y - 80) == pytest.approx((60 * ahead[0], 60 * ahead[1]))
    assert pen.outline_pixels(((-0.5, 1.0), (0.5, 0.0)), 4.0, 1.0)[0] == pytest.approx(pen.to_pixels(-2.0, 1.0))
    assert pen.outline_pixels(((-0.5, 1.0), (0.5, 0.0)), 4.0, 1.0)[-1] == pytest.approx(pen.to_pixels(-2.0, -1.0))


def test_what_a_pen_draws_is_as_large_as_it_is_shown():
    pen = Pen(40, 40)
    pen.fill_disc((0.5, 0.5), 0.25, (255, 0, 0))
    image = pen.finish()
    assert image.size == (40, 40)
    assert opaque(image) == pytest.approx(np.pi * 10**2, rel=0.05)


def test_only_the_latest_backgrounds_of_all_games_are_kept():
    drawn = []
    spec = importlib.util.find_spec(backgrounds.__name__)
    module = importlib.util.module_from_spec(spec)  # as the bot has it: its tests keep more in this process
    spec.loader.exec_module(module)

    @module.cache_background
    def background(width, *, height):
        drawn.append(width)
        return Image.new("RGB", (width, height))

    first = background(1, height=2)
    assert background(1, height=2) is first
    for width in range(2, 2 + module.MAX_CACHED):
        background(width, height=2)
    assert background(1, height=2) is not first
    assert drawn == [*range(1, 2 + module.MAX_CACHED), 1]
    assert module._draw.cache_info().currsize == module.MAX_CACHED
