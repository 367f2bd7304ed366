"""Pictures of games as the computer captains play them."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

import render
from render.drawing.encode import MAX_STILL_BYTES
from render.films.film import MAX_FILM_BYTES
from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.matchbox.game import Matchbox
from tests.pictures import positions

pytestmark = pytest.mark.game("matchbox")


@pytest.mark.parametrize(
    ("teams", "galleys", "table"),
    [((0, 1), "2", "kitchen"), ((0, 1, 0, 1, 0, 1), "1", "banquet"), ((0, 1), "1", "coffee")],
)
def test_a_game_is_drawn_from_its_first_galley_to_its_last(teams, galleys, table):
    rules = Matchbox()
    setup = Setup(system="matchbox", teams=teams, options={"galleys": galleys, "table": table})
    step = rules.start(setup, Dice("07" * 32))
    state, happened, drawn = step.state, list(step.events), 0
    while rules.pending_requests(state) and state.round <= 6:
        requests = rules.pending_requests(state)
        for request in requests[:1]:
            own = rules.view(state, request.seat)
            assert render.draw_still(own, kind="plan", names=positions.NAMES, width=400).width == 400
        answers = {each.id: rules.computer_answer(rules.view(state, each.seat), each, "00") for each in requests}
        step = rules.resolve(state, answers)
        state, happened = step.state, [*happened, *step.events]
        if not state.round or state.phase == "asking":
            continue
        view = rules.view(state, None)
        for kind in ("table", "volley", "round"):
            picture = render.draw_still(view, happened, kind=kind, names=positions.NAMES, width=800, crop="action")
            assert Image.open(BytesIO(picture.data)).size == (picture.width, picture.height)
            assert len(picture.data) <= MAX_STILL_BYTES
        if state.round == 3:
            film = render.draw_film(view, happened, width=320)
            assert film is not None
            assert len(film.data) <= MAX_FILM_BYTES
        happened, drawn = [], drawn + 1
    assert drawn >= 2
