"""Answers of games that were begun by earlier versions are read as they were taken."""

from __future__ import annotations

from typing import Final

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.squadrons.game import Squadrons

GAME: Final = Squadrons()


def test_a_line_that_forms_squadrons_once_they_act_one_by_one_is_read_as_it_was_taken() -> None:
    options = {"battle": "150", "sides": "first", "order": "squadron"}
    state = GAME.start(Setup(system="squadrons", teams=GAME.seats(options), options=options), Dice("00")).state
    while not any(one.kind == "act" for one in GAME.pending_requests(state)):
        asked = GAME.pending_requests(state)
        state = GAME.resolve(state, {one.id: GAME.parse_answer(state, one, "pass") for one in asked}).state
    (asked,) = GAME.pending_requests(state)
    side = state.captains[asked.seat].side
    squadron = next(one for one in state.squadrons if one.side == side and one.number)
    flagship = next(name for name in squadron.ships if name == squadron.flagship)
    text = f"act {flagship}\nall: F\nSQ{squadron.number} astern"
    answer = GAME.parse_answer(state, asked, text)
    assert GAME.parse_answer(state, asked, GAME.format_answer(asked, answer)) == answer
    assert GAME.resolve(state, {asked.id: answer}).state != state
