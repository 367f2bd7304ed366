"""Pages of games: what a reader can point at in a step's picture."""

import itertools
import re

import pytest
from msgspec import structs

import render
from bot.jobs import stored
from bot.jobs.page_steps import draw_page_step, page_seats
from bot.jobs.showing import PictureSubject, make_commission
from bot.jobs.values import PictureStyle, StillSettings
from bot.pages.describing import _standing_lines
from bot.presenters.wording import end_reason_text
from bot.texts import speech
from bot.texts.story import StoryBuilder
from render.commission import Commission
from render.drawing.viewport import Viewport, contains_points
from render.matchbox.window import shown_window
from rules.core.protocol import Request
from rules.core.sides import letter_of
from rules.interface.outcomes import StoryShips
from rules.matchbox.game import Matchbox
from rules.matchbox.retelling import split_moments
from tests.laws import panels
from tests.laws.length import times
from tests.laws.places import points_of
from tests.laws.play import Tape, tape, tapes, words

SHIP = re.compile(r"[A-Z][0-9]+")
"""An id that is also a ship's name."""
NAME = re.compile(r"\b[A-Z]{1,3}[0-9]{0,2}\b")
"""Of a ship, a hex or a place."""
STEPS = times(6, 60)
"""Steps of a game whose pictures are painted."""


def shown_steps(game: Tape):
    """Yield some steps with the view that everybody has."""
    steps = [game.start, *(turn.step for turn in game.turns)]
    for step in itertools.islice(reversed(steps), 0, None, max(1, len(steps) // STEPS)):
        yield step, game.rules.view(step.state, None)


def outlines_of(view, events, kept_window=None):
    public = [event for event in events if event.seen_by is None]
    focus = tuple(piece.id for piece in view.pieces if piece.afloat)
    return render.draw_outlined(
        Commission(view=view, events=public, width=400, crop="action", focus=focus, kept_window=kept_window)
    )


def story_text(language, step):
    public = [event for event in step.events if event.seen_by is None]
    story = StoryBuilder.build(language, public, None).tell_fully()
    return " ".join([story.headline, *(row for part in story.paragraphs for row in (part.heading, *part.rows))])


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_reader_can_point_at_each_ship_and_place_of_a_picture_and_finds_there_what_the_text_names(system, number):
    window = None
    for step, view in shown_steps(tape(system, number)):
        drawn = outlines_of(view, step.events, window)
        if drawn.window and drawn.window != window:
            assert outlines_of(view, step.events, drawn.window).window == drawn.window
        window = drawn.window
        assert len(drawn.sample_boxes) == len(drawn.marks)
        assert all(box[2] > 1 and box[3] > 1 for box in drawn.sample_boxes)
        afloat = {piece.id for piece in view.pieces if piece.afloat}
        assert drawn.marks
        assert drawn.outlines.keys() == afloat | view.place_lines.keys()
        for outline in drawn.outlines.values():
            x, y = (sum(axis) / len(outline) for axis in zip(*outline, strict=True))
            assert 0 < x < 1
            assert 0 < y < 1
            assert len(outline) >= 3
        for name in NAME.findall(story_text(words(system)[0], step)):
            assert name not in view.place_lines or name in drawn.outlines
            points = points_of(view, name)
            assert points is None or drawn.window is None or contains_points(drawn.window, points), name


def test_a_window_stays_until_it_shows_too_little_or_far_too_much():
    viewport = Viewport(whole=(0, 0, 100, 80), margin=2, min_width=20, min_aspect=0.5, max_aspect=0.8)
    window = viewport.fit_window([(30, 30, 50, 40)])
    assert viewport.fit_window([(32, 31, 49, 40)], kept=window) == window
    assert viewport.fit_window([(30, 30, 52, 40)], kept=window) != window  # too near to the edge
    assert viewport.fit_window([(30, 30, 50, 40)], [(50, 35, 60, 36)], kept=window) != window  # it would cut a ship
    whole = viewport.fit_window([])
    assert viewport.fit_window([(30, 30, 40, 35)], kept=whole) == viewport.fit_window([(30, 30, 40, 35)])


def test_a_picture_shows_where_ships_went_down_far_from_all_others():
    game = Matchbox()
    state = game.state_at(
        "1800x600 ; A1:south 1-1+0/6 @200,250^0 ; A2:south 5-5+3/5 @1500,80^0"
        " ; B1:north 1-1+0/6 @200,320^180 ; B2:north 5-5+3/5 @1500,500^180"
    )
    orders = ("A1 F; A2 RRRRR", "B1 F; B2 RRRRR")
    answers = {
        request.id: game.parse_answer(state, request, orders[request.seat]) for request in game.pending_requests(state)
    }
    step = game.resolve(state, answers)
    view = game.view(step.state, None)
    assert [piece.id for piece in view.pieces if piece.afloat] == ["A2", "B2"]
    style = PictureStyle(system="matchbox", language="en", names={}, stills=StillSettings(width_px=400))
    commission = make_commission(view, step.events, style, PictureSubject())
    window = shown_window(commission, split_moments(view, step.events))
    assert contains_points(window, [(200, 250), (200, 320), (1500, 80), (1500, 500)])


def test_all_pictures_of_a_page_show_the_same_part_of_a_small_map():
    game = tape("forts", 0)
    style = PictureStyle(system="forts", language="en", names={0: "A", 1: "B"}, stills=StillSettings(width_px=400))
    windows = set()
    for turn in (game.turns[4], game.turns[-1]):
        view = game.rules.view(turn.step.state, None)
        events = [stored.encode(turn.step.events)]
        state = stored.encode(turn.step.state)
        drawn = draw_page_step(
            "forts",
            state,
            events,
            style,
            round_number=view.round,
            told_events_json=events,
            kept_window=(3.0, 3.0, 16.0, 12.0),
        )
        windows.add(drawn.window)
        assert any(mark.name == "to_move" for mark in drawn.marks) == (view.active is not None)
        beside_older_text = Commission(view=view, told_round=view.round + 1)
        assert not beside_older_text.is_turn_of("red", view.active, ["white"])
        assert beside_older_text.is_turn_of("white", view.active, ["white"]) == (view.active is not None)
        assert not beside_older_text.is_turn_of("white", view.active, ["white", "red"])
    [window] = windows
    view = game.rules.view(game.start.state, None)
    assert all(contains_points(window, points_of(view, fort)) for fort in (view.board.west.fort, view.board.east.fort))


@pytest.mark.parametrize(("system", "number"), tapes())
def test_what_a_reader_points_at_is_named_in_both_languages(system, number):
    for _, view in shown_steps(tape(system, number)):
        for language in words(system):
            for piece in view.pieces:
                assert speech.piece_text(language, structs.replace(piece, afloat=True), full=True).startswith(piece.id)
            for code, line in view.place_lines.items():
                assert code in language.say_text(line)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_page_counts_the_same_for_all_captains_who_have_ships(system, number):
    for _, view in shown_steps(tape(system, number)):
        lines = list(_standing_lines(words(system)[0], view, len(tape(system, number).setup.teams)))
        counts = [
            re.sub(r"^.*?ships afloat", "", re.sub(r"[0-9]+(/[0-9]+)?", "n", line))
            for line in lines
            if "afloat" in line
        ]
        assert len({*counts}) <= 1, counts


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_captains_letter_is_that_of_the_ships_and_never_an_enemys(system, number):
    game = tape(system, number)
    letters: dict[int, str] = {}  # by seat, from when it has ships
    for state in game.states[:: times(5, 1)]:
        for seat, shown in enumerate(page_seats(game.rules, game.rules.view(state, None))):
            if game.rules.ships_have_captains_letters:
                assert shown.letter == letter_of(seat)
                assert all(ship[0] in map(letter_of, range(len(game.setup.teams))) for ship in shown.ships)
            elif shown.ships:
                known = letters.setdefault(seat, shown.letter)
                assert shown.letter in (known, "")
                assert not shown.letter or any(ship.startswith(shown.letter) for ship in shown.ships)
    for seat, letter in letters.items():
        others = {other for enemy, other in letters.items() if game.setup.teams[enemy] != game.setup.teams[seat]}
        assert not letter or letter not in others


def test_captains_of_each_game_have_colours():
    for system, number in tapes():
        game = tape(system, number)
        assert len(render.seat_liveries(game.rules.view(game.start.state, None))) == len(game.setup.teams)


def test_a_side_keeps_its_colours_when_its_first_ship_is_captured():
    game = tape("ramspeed", 4)
    view = game.rules.view(game.start.state, None)
    position = view.position
    prize, captor = position.ships[0], position.ships[-1]
    assert prize.nation != captor.nation
    captured = structs.replace(prize, owner=captor.owner, nation=captor.nation)
    later = structs.replace(view, position=structs.replace(position, ships=(captured, *position.ships[1:])))
    assert render.seat_liveries(later) == render.seat_liveries(view)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_page_tells_of_every_ship_to_which_something_happened(system, number):
    for language in words(system):
        for step, _ in shown_steps(tape(system, number)):
            public = [event for event in step.events if event.seen_by is None]
            story = StoryBuilder.build(language, public, None).tell_fully()
            told = story_text(language, step)
            harmed = {event.harmed_ship for event in public if event.weight > 1 and SHIP.fullmatch(event.harmed_ship)}
            assert all(ship in told for ship in harmed), (harmed, told)
            assert all(row.strip() for part in story.paragraphs for row in part.rows)


def test_what_a_volley_breaks_is_told_once_beside_it_and_to_its_victim_in_their_own_line():
    step = tape("matchbox", 0).turns[2].step
    english = words("matchbox")[0]
    story = StoryBuilder.build(english, step.events, None).tell_fully()
    losses = [row for part in story.paragraphs for row in part.rows if " loses " in row]
    assert losses
    assert all(": 1 hit; " in row for row in losses), losses
    victims = {event.harmed_ship for event in step.events if event.harmed_ship}
    for victim in victims:
        own = StoryBuilder.build(english, step.events, 0, story_ships=StoryShips((victim,)))
        assert f"{victim} loses" in own.lines[0].text


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_page_lists_each_event_also_that_of_the_headline(system, number):
    for language in words(system):
        for step, _ in shown_steps(tape(system, number)):
            builder = StoryBuilder.build(language, step.events, None)
            story = builder.tell_fully()
            lines = [line for line in builder.lines if max(event.weight for event in line.events) < 3]
            rows = [row for part in story.paragraphs for row in part.rows]
            assert len(rows) >= len(lines) or (not rows and len(lines) == 1), story


@pytest.mark.parametrize(("system", "number"), tapes())
def test_the_last_step_of_a_game_says_who_has_won_and_why(system, number):
    game = tape(system, number)
    step = game.turns[-1].step
    result = game.rules.result(step.state)
    seated_game = panels.asked(system, Request(id="r1.orders.0", seat=0, kind="orders", round=1)).seated_game
    for language in words(system):
        reason = end_reason_text(language, seated_game, result)
        assert len(reason.split()) >= 2, reason
        told = story_text(language, step)
        assert told.strip()
        sides = {piece.side for piece in game.rules.view(step.state, None).pieces if piece.seat in result.winners}
        winners = [f"captain {seat}" for seat in result.winners] + [language.say(f"side.{side}") for side in sides]
        is_told = any(winner.lower() in told.lower() for winner in winners)
        assert is_told or not result.winners, (told, winners)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_headline_tells_of_harm_rather_than_of_an_attack_that_failed(system, number):
    for step in (step for turn in tape(system, number).turns for step in [turn.step]):
        events = [event for event in step.events if event.seen_by is None and event.weight]
        best = max(events, key=lambda event: event.headline_score, default=None)
        if best and best.weight == 2 and any(event.harmed_ship and event.weight == 2 for event in events):
            assert best.harmed_ship or best.captured_ship or best.harmed_seats, type(best)
