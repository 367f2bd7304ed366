"""Every picture of a plan is low, and shows the nearest enemy or points at her from its edge; its words say where."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from math import hypot

import pytest
from PIL import Image

from bot.jobs.showing import names_in
from bot.texts import speech
from bot.texts.style import PLAIN_STYLE
from render.commission import Commission
from render.drawing.canvas import Canvas, Point, Rect, Sprite
from render.drawing.viewport import PlanSight
from render.marks.sighting import edge_crossing
from render.registry import PAINTERS
from rules.core.protocol import EMPTY_DRAFT, Draft, Request
from rules.core.view import Text, View
from tests.laws.length import times
from tests.laws.places import Points, current_ship, points_of
from tests.laws.play import Tape, Turn, tape, tapes, words
from tests.samples import sample_answers

EVERY = times(9, 1)
"""Of a game's positions, one in so many is looked at."""
WIDTH = 640
PAINTED = times(3, 60)
"""Requests of a game whose plans are painted."""
SELECTED_PX = 35.5
NEAR_PX = 8.0
HULL_PX = 18.0
OPENINGS = ("ram", "rake", "grap", "X")
FLEET_WIDTH = 42
"""Greatest width of a picture of a fleet with enemies in it, in edges of a hex."""


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


def painted_moments(game: Tape, number: int) -> list[tuple[Turn, Request]]:
    """Return some turns with a captain's request after placement, of which pictures are painted."""
    moments = [
        (turn, request)
        for turn in game.turns
        for request in turn.requests
        if request.id in turn.answers and not request.battle and request.kind != "place"
    ]
    return random.Random(number).sample(moments, min(PAINTED, len(moments)))


def drafts_with_texts(game: Tape, turn: Turn, request: Request) -> Iterator[tuple[Draft, tuple[Text, ...]]]:
    """Yield an empty draft, one in which a button was pressed, and full ones, with the texts that stand beside them."""
    rules, state = game.rules, turn.before
    options = [each for group in rules.draft_choices(state, request).groups for each in group.options if not each.fault]
    answer = turn.answers[request.id]
    pressed = [Draft(options[-1].draft, options[-1].focus)] if options else []
    full = Draft(rules.format_answer(request, answer))
    for draft in (EMPTY_DRAFT, *pressed, full):
        reason = [rules.reason_for(rules.view(state, request.seat), answer)] if draft is full else []
        yield (
            draft,
            (*rules.draft_lines(state, request, draft), *rules.draft_warnings(state, request, draft), *reason),
        )


def without_margin(window: Rect, whole: Rect) -> Rect:
    """Return a window without 0.4 % of its width at each edge, except where the map ends."""
    margin = 0.004 * (window[2] - window[0])
    west, south = (low if low <= least else low + margin for low, least in zip(window[:2], whole[:2], strict=True))
    east, north = (high if high >= most else high - margin for high, most in zip(window[2:], whole[2:], strict=True))
    return west, south, east, north


@pytest.mark.parametrize(("system", "number"), tapes())
def test_every_plan_shows_all_that_the_text_beside_it_names_or_points_to_it(system, number):
    game = tape(system, number)
    for turn in game.turns[number % EVERY :: EVERY]:
        for request in (request for request in turn.requests if request.id in turn.answers and not request.battle):
            for draft, texts in drafts_with_texts(game, turn, request):
                view = game.rules.view(turn.before, request.seat, draft)
                sight_of = PAINTERS[type(view)].plan_sight
                if sight_of is None:
                    continue
                written = " ".join(str(language.say_text(text)) for language in words(system) for text in texts)
                named = frozenset(names_in(texts))
                sight = sight_of(Commission(view=view, kind="plan", crop="action", named=named))
                west, south, east, north = without_margin(
                    sight.window, sight_of(Commission(view=view, kind="plan")).window
                )
                pointed_to = {landmark.id for landmark in sight.landmarks_outside}
                for name in {*re.findall(r"\b[A-Z]{1,2}\d{1,2}\b", written), *named}:
                    points = points_of(view, name)
                    is_shown = points is None or all(west <= x <= east and south <= y <= north for x, y in points)
                    is_pointed_to = any(landmark.endswith(name) for landmark in pointed_to)
                    assert is_shown or is_pointed_to, (request.id, draft, name)


def is_hull(sprite: Sprite) -> bool:
    """Return whether a sprite may be a hull: not small as marks are, and placed by its middle, as labels and flags are
    not."""
    width, height = sprite.image.size
    middle_error = abs(sprite.anchor[0] - width / 2) + abs(sprite.anchor[1] - height / 2)
    return max(width, height) > HULL_PX and middle_error < 4


def is_long_enough(sprite: Sprite) -> bool:
    left, top, right, bottom = sprite.image.getchannel("A").getbbox() or (0, 0, 0, 0)
    return hypot(right - left, bottom - top) >= SELECTED_PX


def distance_from_middle(points: Points, at: Point, canvas: Canvas) -> float:
    xs, ys = zip(*map(canvas.to_pixels, points), strict=True)
    return hypot(at[0] - (min(xs) + max(xs)) / 2, at[1] - (min(ys) + max(ys)) / 2)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_the_selected_ship_of_a_plan_is_drawn_last_and_36_pixels_long_on_a_phone(system, number, monkeypatch):
    placed: list[tuple[Canvas, Sprite, Point]] = []
    place_sprite = Canvas.place_sprite

    def note_sprite(self: Canvas, sprite: Sprite, point: Point) -> None:
        placed.append((self, sprite, point))
        place_sprite(self, sprite, point)

    monkeypatch.setattr(Canvas, "place_sprite", note_sprite)
    game = tape(system, number)
    for turn, request in painted_moments(game, number):
        for draft, texts in drafts_with_texts(game, turn, request):
            view = game.rules.view(turn.before, request.seat, draft)
            painter, name = PAINTERS[type(view)], current_ship(view)
            points = points_of(view, name) if name else None
            if points is None or painter.plan_sight is None:
                continue
            placed.clear()
            named = frozenset(names_in(texts))
            painter.paint(Commission(view=view, kind="plan", crop="action", width=400, named=named))
            ships = {piece.id: points_of(view, piece.id) for piece in view.pieces if piece.afloat} | {name: points}
            outlines = {each: outline for each, outline in ships.items() if outline is not None}
            hulls = []
            for canvas, sprite, at in placed:
                distances = {each: distance_from_middle(outlines[each], at, canvas) for each in outlines}
                nearest = min(distances, key=lambda each, distances=distances: distances[each])
                if is_hull(sprite) and distances[nearest] < NEAR_PX:
                    hulls.append((nearest, sprite))
            last, sprite = hulls[-1]
            assert last == name, (request.id, draft)
            assert is_long_enough(sprite), (request.id, draft, sprite.image.getbbox())


def views_with_attacks(game: Tape, number: int) -> Iterator[tuple[View, str, set[str]]]:
    """Yield views with each ship chosen that may attack, and with none; her name, and the targets on offer."""
    rules = game.rules
    for turn in game.turns[number % 3 :: times(3, 1)]:
        for request in (request for request in turn.requests if not request.battle):
            drafts = [EMPTY_DRAFT]
            for group in rules.draft_choices(turn.before, request).groups:
                drafts += [Draft(option.draft, option.focus) for option in group.options if group.key == "unit"]
            all_targets: set[str] = set()
            for draft in reversed(drafts):
                view = rules.view(turn.before, request.seat, draft)
                groups = rules.draft_choices(turn.before, request, draft).groups if current_ship(view) else ()
                labels = [option.label for group in groups if group.key == "attack" for option in group.options]
                targets = {str(label.params["to"]) for label in labels if label.key.split(".")[1] in OPENINGS}
                all_targets |= targets
                yield view, current_ship(view), targets if current_ship(view) else all_targets


@pytest.mark.parametrize("number", range(times(6, 30)))
def test_a_fleets_plan_shows_all_enemies_that_are_offered_as_targets(number):
    for view, name, targets in views_with_attacks(tape("squadrons", number), number):
        sight_of = PAINTERS[type(view)].plan_sight
        if not targets or sight_of is None:
            continue
        sight = sight_of(Commission(view=view, kind="plan", crop="action"))
        west, south, east, north = sight.window
        hidden = {
            target
            for target in targets
            if not all(west <= x <= east and south <= y <= north for x, y in points_of(view, target) or ())
        }
        own = [points_of(view, piece.id) for piece in view.pieces if piece.afloat and piece.seat == view.seat]
        xs, ys = zip(*(point for points in own for point in points or ()), strict=True)
        # a fleet that already fills the largest picture hides enemies unless one of its ships is chosen
        fills = max(max(xs) - min(xs), (max(ys) - min(ys)) / 0.57) > FLEET_WIDTH - 12
        assert not hidden or (fills and not name), (name, hidden)
