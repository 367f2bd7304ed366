"""Each mark of a picture is in its legend, and each entry of a legend is in the picture."""

import random
from collections.abc import Iterator
from functools import partialmethod

import pytest
from msgspec import structs
from PIL import Image, ImageChops

import render
from bot.discord.messages import captain
from bot.discord.messages.board import SelectMenu
from bot.discord.messages.paging import PHONE_ROWS, count_phone_rows
from bot.jobs.values import DescribedPicture, PanelOptions
from bot.presenters.asked import TURNS_WITH_LEGEND
from render.commission import Commission
from render.drawing import marking
from render.drawing.canvas import Canvas
from render.drawing.marking import MarkRecorder, record_marks
from render.drawing.style import FULL_WIDTH
from render.registry import PAINTERS
from rules.core.protocol import EMPTY_DRAFT
from rules.interface.outcomes import ship_holders
from rules.matchbox.interface.view import TableView
from tests.laws.length import times
from tests.laws.panels import asked
from tests.laws.play import SYSTEMS, Tape, tape, tapes, words
from tests.laws.test_sight import drafts_with_texts

TURNS = times(2, 40)
"""Turns of a game whose pictures are painted."""
WIDTH = 400
PICTURE = DescribedPicture(data=b"", format="png", alt_text="x")
DRAWING_METHODS = ("draw_line", "fill_polygon", "draw_haze", "draw_glow", "draw_ring", "draw_text", "place_sprite")


def pictures(game: Tape, number: int) -> Iterator[Commission]:
    """Yield plans of a game's captains, and the table and all other kinds of pictures after some of its turns."""
    rng = random.Random(number)
    for turn in rng.sample(game.turns, min(TURNS, len(game.turns))):
        for request in (request for request in turn.requests if request.id in turn.answers and not request.battle):
            drafts = [draft for draft, _ in drafts_with_texts(game, turn, request)]
            for draft in rng.sample(drafts, times(1, len(drafts))):
                view = game.rules.view(turn.before, request.seat, draft)
                yield Commission(view=view, kind="plan", crop="action", width=WIDTH)
        view = game.rules.view(turn.step.state, None)
        events = [event for event in turn.step.events if event.seen_by is None]
        for kind in render.picture_kinds(type(view)):
            yield Commission(view=view, events=events, kind=kind, crop="action", width=WIDTH)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_drawing_on_a_picture_belongs_to_a_mark_that_its_legend_explains(system, number, monkeypatch):
    unnamed: list[tuple[Canvas, str]] = []  # drawings outside all marks
    marked_canvases: list[Canvas] = []
    open_marks = MarkRecorder.drawing

    def note_canvas(self, canvas, mark):
        marked_canvases.append(canvas)
        return open_marks(self, canvas, mark)

    def note_drawing(self, name, draw, *args, **kwargs):
        recorder = marking._recorder.get()
        if recorder is not None and not recorder.open_marks:
            unnamed.append((self, name))
        return draw(self, *args, **kwargs)

    monkeypatch.setattr(MarkRecorder, "drawing", note_canvas)
    for name in DRAWING_METHODS:
        draw = getattr(Canvas, name)
        monkeypatch.setattr(Canvas, name, partialmethod(note_drawing, name, draw))
    for commission in pictures(tape(system, number), number):
        painter = PAINTERS[type(commission.view)]
        marked_canvases.clear()
        unnamed.clear()
        with record_marks() as recorder:
            painter.paint(commission)
        assert recorder.samples.keys() <= set(painter.marks)
        assert not [name for canvas, name in unnamed if any(canvas is marked for marked in marked_canvases)]


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_legend_explains_the_marks_of_its_picture_and_no_others_in_both_languages(system, number):
    game = tape(system, number)
    for commission in list(pictures(game, number))[:: times(5, 1)]:
        painter = PAINTERS[type(commission.view)]
        with record_marks() as recorder:
            painter.paint(commission)
        for language in words(system):
            legends = render.draw_legends([commission], lambda mark, language=language: language.say(f"mark.{mark}"))
            explained = [mark for legend in legends for mark in legend.marks]
            assert sorted(explained) == sorted(recorder.samples)
            for legend in legends:
                alt_text = "\n".join(language.say(f"mark.{mark}") for mark in legend.marks)
                assert len(alt_text) <= render.MAX_LEGEND_CHARS


@pytest.mark.game("matchbox")
@pytest.mark.parametrize("number", [0, 4])  # in the second, a galley has sunk where another is struck later
def test_a_fleet_whose_captain_gave_up_is_drawn_afloat(number):
    game = tape("matchbox", number)
    last = game.turns[-1].step
    view = game.rules.view(last.state, None)
    assert isinstance(view, TableView)
    assert view.struck
    with record_marks() as recorder:
        PAINTERS[type(view)].paint(Commission(view=view, events=last.events, width=WIDTH))
    assert "struck" in recorder.samples
    assert "sunk" not in recorder.samples
    gave_up = [piece.place.key for piece in view.pieces if piece.id in view.struck]
    assert gave_up == ["place.struck"] * len(view.struck)


@pytest.mark.game("matchbox")
def test_ranges_are_drawn_only_for_a_galley_with_masts():
    game = tape("matchbox", 2)  # in which galleys lose their masts
    views = [
        game.rules.view(turn.before, request.seat, draft)
        for turn in game.turns[-times(15, 99) :]
        for request in turn.requests
        if request.id in turn.answers and not request.battle
        for draft, _ in drafts_with_texts(game, turn, request)
    ]
    galleys = [next((galley for galley in view.galleys if galley.id == view.current_galley), None) for view in views]
    for has_masts in (True, False):
        chosen = [
            view for view, galley in zip(views, galleys, strict=True) if galley and bool(galley.masts) == has_masts
        ]
        assert chosen
        marks = []
        for view in chosen[-times(3, 40) :]:
            with record_marks() as recorder:
                PAINTERS[type(view)].paint(Commission(view=view, kind="plan", crop="action", width=WIDTH))
            marks.append("range" in recorder.samples)
        assert any(marks) == has_masts


@pytest.mark.parametrize(("system", "number"), tapes())
def test_the_first_plans_show_the_mark_that_the_panel_explains(system, number):
    game = tape(system, number)
    for turn in game.turns:
        for request in (each for each in turn.requests if each.round <= TURNS_WITH_LEGEND and not each.battle):
            view = game.rules.view(turn.before, request.seat, EMPTY_DRAFT)
            if not (view.pieces and request.round):
                continue  # fleets are still chosen, and the panel explains no mark
            with record_marks() as recorder:
                PAINTERS[type(view)].paint(Commission(view=view, kind="plan", crop="action", width=WIDTH))
            assert render.first_mark(type(view)) in recorder.samples, request.id


@pytest.mark.parametrize(("system", "number"), tapes())
def test_in_two_turns_of_a_first_game_the_panel_explains_a_mark_and_one_press_shows_all(system, number):
    game = tape(system, number)
    for turn in game.turns[: times(2 * TURNS_WITH_LEGEND, len(game.turns))]:
        for request in (each for each in turn.requests if not each.battle):
            view = game.rules.view(turn.before, request.seat, EMPTY_DRAFT)
            is_explained = bool(view.pieces) and 1 <= request.round <= TURNS_WITH_LEGEND
            offer = PanelOptions(
                choices=game.rules.draft_choices(turn.before, request), ship_holders=ship_holders(view)
            )
            for language in words(system):
                meaning = language.say(f"mark.{render.first_mark(type(view))}")
                for is_first_game in (True, False):
                    pending = structs.replace(asked(system, request), is_first_game=is_first_game)
                    page = captain.panel_layout(language, pending, offer).all_pages(PICTURE)[0]
                    texts = [block for block in page if isinstance(block, str)]
                    assert any(meaning in text for text in texts) == (is_explained and is_first_game), request.id
                    buttons = [button for block in page if isinstance(block, list) for button in block]
                    shows_button = is_first_game and 1 <= request.round <= TURNS_WITH_LEGEND
                    assert any(button.custom_id.verb == "legend" for button in buttons) == shows_button
                    rows = [block for block in page if isinstance(block, list)]
                    pressed = [block for block in page if isinstance(block, list | SelectMenu)]
                    row = next((row for row in rows if "legend" in {button.custom_id.verb for button in row}), [])
                    assert count_phone_rows(row) <= 1
                    if shows_button and row[-1].custom_id.verb != "page":
                        # More has no room for it, a further row would push options off, and theirs has room at its end.
                        assert row[-1].custom_id.verb == "legend"
                        assert rows[-1][-1].custom_id.verb == "page"
                        assert count_phone_rows([*rows[-1], row[-1]]) > 1
                        assert sum(map(count_phone_rows, pressed)) == PHONE_ROWS


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_legend_shows_whole_each_mark_that_is_not_much_larger_than_a_sample(system, monkeypatch):
    samples: list[tuple[float, float, Image.Image]] = []
    cut_changed = marking._cut_changed

    def note_sample(before, after, px):
        box, sample = ImageChops.difference(before, after).convert("L").getbbox(), cut_changed(before, after, px)
        if box and sample:
            samples.append(((box[2] - box[0]) / px, (box[3] - box[1]) / px, sample))
        return sample

    monkeypatch.setattr(marking, "_cut_changed", note_sample)
    for commission in list(pictures(tape(system, 0), 0))[:4]:
        with record_marks():
            PAINTERS[type(commission.view)].paint(commission)
    whole = [(width, height, sample) for width, height, sample in samples if width <= 500 and height <= 300]
    assert whole
    for width, height, sample in whole:
        scale = min(1.0, 300 / (width + 16), 170 / (height + 16))
        px = WIDTH / FULL_WIDTH
        for side, mark in zip(sample.size, (width, height), strict=True):
            assert abs(side - px * max(84, scale * (mark + 16))) <= 3, "a part, or not in the middle"
