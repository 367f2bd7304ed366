"""A draft is read again as it was taken: no line is lost."""

from __future__ import annotations

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.core.registry import RULESETS

GAME = RULESETS["squadrons"]


@pytest.mark.parametrize(
    "typed",
    ["doctrine all: protect=none", "all: C pass", "mind: M marad", "all: pass", "doctrine all: protect=B1, b2 b2"],
)
def test_what_was_taken_is_read_again_as_it_was_written(typed: str) -> None:
    options = {"battle": "rams", "sides": "first"}
    setup = Setup(system="squadrons", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(seed="00")).state
    asked = GAME.pending_requests(state)[0]
    draft = GAME.type_text(state, asked, Draft(), "B1: F3 ram R1\nsequence SQ1")
    draft = GAME.type_text(state, asked, draft, typed)
    assert GAME.type_text(state, asked, Draft(), draft.text).text == draft.text
    sealed = GAME.format_answer(asked, GAME.parse_answer(state, asked, draft.text))
    assert sealed == draft.text
    assert GAME.format_answer(asked, GAME.parse_answer(state, asked, sealed)) == sealed


@pytest.mark.parametrize("nobody", ["nobody", "SQ1", "none B1", "B1 none"])
def test_only_ships_are_protected(nobody: str) -> None:
    options = {"battle": "rams", "sides": "first"}
    setup = Setup(system="squadrons", teams=GAME.seats(options), options=options)
    state = GAME.start(setup, Dice(seed="00")).state
    with pytest.raises(OrderError):
        GAME.type_text(state, GAME.pending_requests(state)[0], Draft(), f"doctrine all: protect={nobody}")
