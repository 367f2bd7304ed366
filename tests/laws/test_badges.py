"""A badge with the odds of an attack is joined by lines to the two ships that it speaks about, and can be read."""

import random
from itertools import combinations
from math import hypot

import pytest

from bot.jobs.showing import names_in
from render.commission import Commission
from render.drawing.canvas import Canvas
from render.drawing.marking import record_marks
from render.marks import labels
from render.marks.labels import Label
from render.ramspeed import scene
from render.registry import PAINTERS
from render.squadrons import ids
from tests.laws.length import times
from tests.laws.places import points_of
from tests.laws.play import tape, tapes
from tests.laws.test_sight import drafts_with_texts

TURNS = times(4, 60)
WIDTH = 400
MIN_LETTER_PX = 11
MAX_READABLE = 6
"""Badges of one picture that all have room."""
NEAR_PX = 4.0
BADGES = ("odds", "barred")


def boxes_overlap(first, second):
    return min(first[2], second[2]) > max(first[0], second[0]) and min(first[3], second[3]) > max(first[1], second[1])


@pytest.mark.parametrize(("system", "number"), [each for each in tapes() if each[0] in ("ramspeed", "squadrons")])
def test_each_badge_is_joined_to_its_two_ships_and_six_of_them_can_be_read_on_a_phone(system, number, monkeypatch):
    asked: list[Label] = []
    placed: list[tuple[Label, labels.Rect]] = []
    lines: list[tuple[tuple[float, float], tuple[float, float]]] = []
    place, draw_leads, draw_line = labels.place_labels, labels.draw_leads, Canvas.draw_line

    def note_labels(canvas, wanted, obstacles, *rest):
        wanted = list(wanted)
        asked.extend(label for label in wanted if label.mark in BADGES)
        return place(canvas, wanted, obstacles, *rest)

    def note_placed(canvas, boxes):
        placed.extend((label, box) for label, box in boxes if label.mark in BADGES)
        draw_leads(canvas, boxes)

    def note_line(self, points, *args, **kwargs):
        lines.append((tuple(points[0]), tuple(points[-1])))
        draw_line(self, points, *args, **kwargs)

    for module in (scene, ids):
        monkeypatch.setattr(module, "place_labels", note_labels)
        monkeypatch.setattr(module, "draw_leads", note_placed)
    monkeypatch.setattr(Canvas, "draw_line", note_line)
    game, rng = tape(system, number), random.Random(number)
    for turn in rng.sample(game.turns, min(TURNS, len(game.turns))):
        for request in (request for request in turn.requests if request.id in turn.answers and not request.battle):
            for draft, texts in drafts_with_texts(game, turn, request):
                view = game.rules.view(turn.before, request.seat, draft)
                painter = PAINTERS[type(view)]
                named = frozenset(names_in(texts))
                commission = Commission(view=view, kind="plan", crop="action", width=WIDTH, named=named)
                asked.clear(), placed.clear(), lines.clear()
                with record_marks():
                    painter.paint(commission)
                assert len(placed) >= min(len(asked), MAX_READABLE), request.id
                for (_, first), (_, second) in combinations(placed, 2):
                    assert not boxes_overlap(first, second)
                for label, (left, top, right, bottom) in placed:
                    assert label.image.height >= MIN_LETTER_PX
                    assert label.pair is not None
                    assert (label.pair.start, label.pair.end) in lines
                    leads = [
                        (x, y)
                        for (from_x, from_y), (x, y) in lines
                        if left <= from_x <= right and top <= from_y <= bottom
                    ]
                    (ax, ay), (bx, by) = label.pair.start, label.pair.end
                    length = hypot(bx - ax, by - ay)
                    assert any(hypot(x - ax, y - ay) + hypot(x - bx, y - by) <= length + NEAR_PX for x, y in leads), (
                        "a line from the badge to the line between the ships"
                    )
                    assert points_of(view, label.key.split(".")[0]) is not None
