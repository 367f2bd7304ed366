"""Pictures and films of games that are played at random, whatever the game."""

import pytest

import render
from render.films.film import MAX_FILM_BYTES
from render.registry import PAINTERS
from rules.core.protocol import Draft
from tests.laws.length import times
from tests.laws.play import SYSTEMS, tape
from tests.pictures.golden import opened
from tests.pictures.positions import NAMES

TURNS = times(5, 60)
"""Of a game, the first and the last among them."""


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_game_is_drawn_from_its_beginning_to_its_end(system):
    game, filmed = tape(system, 1), False
    for number, turn in enumerate([*game.turns[:: max(1, len(game.turns) // TURNS)], game.turns[-1]]):
        drawn, crop = [], ("action", "whole")[number % 2]
        for request in [request for request in turn.requests if request.id in turn.answers and not request.battle][:1]:
            draft = Draft(game.rules.format_answer(request, turn.answers[request.id]))
            own = game.rules.view(turn.before, request.seat, draft)
            drawn.append(render.draw_still(own, kind="plan", crop=crop, names=NAMES, width=300))
        view = game.rules.view(turn.step.state, None)
        events = [event for event in turn.step.events if event.seen_by is None]
        kinds = ("table", "round", *PAINTERS[type(view)].kinds)
        drawn += [render.draw_still(view, events, kind=kind, crop=crop, names=NAMES, width=300) for kind in kinds]
        for picture in drawn:
            opened(picture)
        if not filmed and (film := render.draw_film(view, events, width=240)):
            filmed = True
            assert len(film.data) <= MAX_FILM_BYTES
    assert filmed
    assert render.draw_film(view, ()) is None, "there is no film of nothing"
