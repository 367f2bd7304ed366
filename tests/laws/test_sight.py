"""Every picture of a plan is low, and shows the nearest enemy or points at her from its edge; its words say where."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PIL import Image

from bot.texts import speech
from bot.texts.style import PLAIN_STYLE
from render.commission import Commission
from render.drawing.canvas import Canvas
from render.drawing.viewport import PlanSight
from render.marks.sighting import edge_crossing
from render.registry import PAINTERS
from rules.core.protocol import Draft
from rules.core.view import View
from tests.laws.length import times
from tests.laws.play import Tape, tape, tapes, words
from tests.samples import sample_answers

EVERY = times(9, 1)
"""Of a game's positions, one in so many is looked at."""
WIDTH = 640


def plans(game: Tape, first: int) -> Iterator[tuple[View, PlanSight]]:
    """Yield the views of captains who are asked something, without and with orders."""
    for number, turn in enumerate(game.turns[first % EVERY :: EVERY]):
        for request in (request for request in turn.requests if not request.battle):
            some = sample_answers(game.rules, turn.before, request)
            for text in ("", game.rules.format_answer(request, some[number % len(some)])):
                view = game.rules.view(turn.before, request.seat, Draft(text))
                sight = PAINTERS[type(view)].plan_sight
                if sight is not None:
                    yield view, sight(Commission(view=view, kind="plan", crop="action"))


@pytest.mark.parametrize(("system", "number"), tapes())
def test_every_plan_shows_the_nearest_enemy_or_points_at_her(system, number):
    for turn, (view, seen) in enumerate(plans(tape(system, number), number)):
        (west, south, east, north), foe = seen.window, seen.foe
        assert north - south <= 0.6 * (east - west), "a phone has room for orders and buttons below it"
        near = [
            piece.nearest_enemy
            for piece in view.pieces
            if piece.seat == view.seat and piece.afloat and piece.nearest_enemy
        ]
        assert (foe is None) == (not near)
        if foe is None:
            continue
        assert foe.id in {piece.id for piece in view.pieces if piece.afloat and piece.seat != view.seat}
        if not seen.is_foe_shown:
            canvas = Canvas(
                Image.new("RGB", (WIDTH, round(WIDTH * (north - south) / (east - west)))), seen.window, WIDTH
            )
            (x, y), (dx, dy) = edge_crossing(canvas, foe)
            assert 0 <= x <= canvas.image.width
            assert 0 <= y <= canvas.image.height
            (from_x, from_y), (to_x, to_y) = canvas.to_pixels(foe.start), canvas.to_pixels(foe.middle)
            assert (to_x - from_x) * dx + (to_y - from_y) * dy > 0, "it points to where she is"
        language = replace(words(system)[turn % 2], style=PLAIN_STYLE)
        assert language.say_text(min(near, key=lambda target: target.gap)) in speech.alt_text(language, view, ())
