"""Every kind of picture, of many positions and of every event."""

import pickle
from io import BytesIO
from typing import get_args

import numpy as np
import pytest
from PIL import Image

import render
from render.commission import Commission
from render.drawing.encode import MAX_STILL_BYTES, encode_still
from render.matchbox.window import shown_window
from rules.matchbox.engine.aim import aim_points
from rules.matchbox.engine.events import GameEvent
from tests.pictures import positions
from tests.pictures.golden import unlike

pytestmark = pytest.mark.game("matchbox")

KINDS = ("table", "plan", "volley", "round")


def opened(picture: render.Picture) -> Image.Image:
    image = Image.open(BytesIO(picture.data))
    assert (image.width, image.height) == (picture.width, picture.height)
    assert image.format == picture.format.upper()
    return image


@pytest.mark.parametrize("kind", KINDS)
def test_every_event_is_drawn(kind):
    view, events = positions.a_round()
    events = positions.on_deck(view) + events + positions.ceremonies() + positions.on_land()
    events += positions.of_vessels() + positions.in_a_scenario()
    assert {type(event) for event in events} == set(get_args(GameEvent))
    for event in events:
        opened(render.draw_still(view, [event], kind=kind, width=400))
    opened(render.draw_still(view, events, kind=kind, width=400))


@pytest.mark.parametrize("question", ["target", "aim", "casualties", "reorganize"])
def test_every_question_is_drawn(question):
    view = positions.asked(question)
    plain = render.draw_still(view, width=800)
    assert opened(render.draw_still(view, kind="plan", width=800)).width == 800
    if question in ("target", "aim"):
        assert unlike(plain.data, render.draw_still(view, kind="plan", width=800).data)[0] > 0.5


def test_the_picture_of_an_aim_shows_every_numbered_point_of_the_table():
    view = positions.asked("aim")
    west, south, east, north = shown_window(Commission(view=view, kind="plan"), ())
    assert east - west < 600
    for _, x, y in aim_points(view.galleys[2]):
        assert west < x < east
        assert south < y < north


def test_a_whole_round_of_many_galleys_keeps_within_the_limits_of_a_still():
    view, events = positions.a_round()
    crowd = positions.fleet(1, size=(900.0, 600.0), each=8)
    full = positions.view_of(crowd, width_mm=900.0, height_mm=600.0)
    for picture in (
        render.draw_still(full, names=positions.NAMES),
        render.draw_still(view, events, names=positions.NAMES, crop="action"),
        render.draw_still(view, events, kind="round", names=positions.NAMES, crop="action"),
        render.draw_still(positions.a_plan(), kind="plan", crop="action"),
    ):
        assert opened(picture).width == 1600
        assert len(picture.data) <= MAX_STILL_BYTES


@pytest.mark.parametrize("form", ["png", "webp"])
def test_a_picture_that_cannot_be_made_coarse_enough_is_made_smaller(form):
    noise = np.random.default_rng(0).integers(0, 255, (1200, 1600, 3), dtype=np.uint8)
    picture = encode_still(Image.fromarray(noise), form)
    assert picture.format == form
    assert len(picture.data) <= MAX_STILL_BYTES
    assert opened(picture).width < 1600


def test_a_picture_shows_its_events_and_nothing_of_a_plan_to_others():
    view, events = positions.a_round()
    bare = render.draw_still(view, width=800)
    assert unlike(bare.data, render.draw_still(view, events, width=800).data)[0] > 0.5
    plan = positions.a_plan()
    assert (
        unlike(render.draw_still(plan, width=800).data, render.draw_still(plan, kind="plan", width=800).data)[0] > 0.5
    )


def test_what_goes_to_a_worker_and_back_can_be_pickled():
    view, events = pickle.loads(pickle.dumps(positions.a_round()))
    picture = render.draw_still(view, events, width=400)
    assert pickle.loads(pickle.dumps(picture)) == picture


def test_the_same_values_give_the_same_picture():
    view, events = positions.a_round()
    assert render.draw_still(view, events, width=400) == render.draw_still(view, events, width=400)
