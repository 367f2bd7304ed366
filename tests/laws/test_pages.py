"""Pages of games: what a reader can point at in a step's picture."""

import itertools
import re

import pytest
from msgspec import structs

import render
from bot.texts import speech
from bot.texts.story import StoryBuilder
from render.commission import Commission
from tests.laws.length import times
from tests.laws.play import Tape, tape, tapes, words

SHIP = re.compile(r"[A-Z][0-9]+")
"""An id that is also a ship's name."""
STEPS = times(6, 60)
"""Steps of a game whose pictures are painted."""


def shown_steps(game: Tape):
    """Yield some steps with the view that everybody has."""
    steps = [game.start, *(turn.step for turn in game.turns)]
    for step in itertools.islice(reversed(steps), 0, None, max(1, len(steps) // STEPS)):
        yield step, game.rules.view(step.state, None)


def outlines_of(view, events):
    public = [event for event in events if event.seen_by is None]
    focus = tuple(piece.id for piece in view.pieces if piece.afloat)
    return render.draw_outlined(Commission(view=view, events=public, width=400, crop="action", focus=focus))


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_reader_can_point_at_each_ship_and_place_of_a_picture(system, number):
    for step, view in shown_steps(tape(system, number)):
        drawn = outlines_of(view, step.events)
        afloat = {piece.id for piece in view.pieces if piece.afloat}
        assert drawn.marks
        assert drawn.outlines.keys() == afloat | view.place_lines.keys()
        for outline in drawn.outlines.values():
            x, y = (sum(axis) / len(outline) for axis in zip(*outline, strict=True))
            assert 0 < x < 1
            assert 0 < y < 1
            assert len(outline) >= 3


@pytest.mark.parametrize(("system", "number"), tapes())
def test_what_a_reader_points_at_is_named_in_both_languages(system, number):
    for _, view in shown_steps(tape(system, number)):
        for language in words(system):
            for piece in view.pieces:
                assert speech.piece_text(language, structs.replace(piece, afloat=True), full=True).startswith(piece.id)
            for code, line in view.place_lines.items():
                assert code in language.say_text(line)


def test_captains_of_each_game_have_colours():
    for system, number in tapes():
        game = tape(system, number)
        assert len(render.seat_liveries(game.rules.view(game.start.state, None))) == len(game.setup.teams)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_page_tells_of_every_ship_to_which_something_happened(system, number):
    for language in words(system):
        for step, _ in shown_steps(tape(system, number)):
            public = [event for event in step.events if event.seen_by is None]
            story = StoryBuilder.build(language, public, None).tell_fully()
            told = " ".join([story.headline, *(row for part in story.paragraphs for row in (part.heading, *part.rows))])
            harmed = {event.harmed_ship for event in public if event.weight > 1 and SHIP.fullmatch(event.harmed_ship)}
            assert all(ship in told for ship in harmed), (harmed, told)
            assert all(row.strip() for part in story.paragraphs for row in part.rows)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_headline_tells_of_harm_rather_than_of_an_attack_that_failed(system, number):
    for step in (step for turn in tape(system, number).turns for step in [turn.step]):
        events = [event for event in step.events if event.seen_by is None and event.weight]
        best = max(events, key=lambda event: event.headline_score, default=None)
        if best and best.weight == 2 and any(event.harmed_ship and event.weight == 2 for event in events):
            assert best.harmed_ship or best.captured_ship or best.harmed_seats, type(best)
