"""A host's scenario: land fits a picture, and orders can be written against every flagship."""

from __future__ import annotations

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.core.registry import RULESETS
from rules.ramspeed.engine.state import State

GAME = RULESETS["ramspeed"]
EXAMPLE = GAME.example_scenario
CORNER = "[[16, 0], [20, 0], [19, 7], [17, 7]]"


def begun(setup: Setup) -> State:
    return GAME.start(setup, Dice(seed="00")).state


def admitted(text: str) -> Setup:
    """A game with this scenario, as a lobby takes it. Raises `OrderError`."""
    setup = Setup(system="ramspeed", teams=(0, 1), options={"sides": "first"}, scenario=text)
    begun(setup)
    GAME.check_setup(setup)
    return setup


def test_land_lies_on_the_table() -> None:
    assert CORNER in EXAMPLE
    admitted(EXAMPLE)
    admitted(EXAMPLE.replace(CORNER, "[[32, 0], [36, 0], [36, 4]]"))
    # Such land took a picture 13 s and more, and gigabytes.
    for far in ("[[100, 0], [1e5, 1], [1e5, 2]]", "[[-1e7, 30], [1e7, 30], [1e7, 1e7]]", "[[-1, 0], [2, 0], [2, 2]]"):
        with pytest.raises(OrderError) as refused:
            admitted(EXAMPLE.replace(CORNER, far))
        assert refused.value.fault.params["expected"] == "0 … 36 × 0 … 24"


def test_every_ship_that_a_scenario_names_can_be_attacked() -> None:
    with pytest.raises(OrderError) as refused:
        admitted(EXAMPLE.replace('"E1 Q', '"LO1 Q'))  # `lo` is Hungarian for `shoot`
    assert refused.value.fault.piece == "LO1"
    for name in ("OR1", "IN1", "B1", "L2", "J3", "R4", "LA1"):
        state = begun(admitted(EXAMPLE.replace('"E1 Q', f'"{name} Q')))
        one = next(one for one in GAME.pending_requests(state) if one.seat == 0)
        draft = GAME.type_text(state, one, Draft(), f"W1: ram {name} or fwd 4")
        assert draft.text == f"W1: ram {name} or fwd 4"
        assert GAME.format_answer(one, GAME.parse_answer(state, one, draft.text)) == draft.text
