"""A fleet that comes in over its edge in the first turn does not wait beyond it, out of reach."""

from __future__ import annotations

from typing import Final

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.squadrons.game import Squadrons

GAME: Final = Squadrons()


@pytest.mark.parametrize("order", ["m0 F", "ram {enemy} F", "grap {enemy} F2", "xfer {side}L1 {side}1 F", "m1 F2", "F"])
def test_a_fleet_that_comes_in_cannot_stay_beyond_the_edge(order: str) -> None:
    options = {"battle": "60", "sides": "first", "deploy": "placed"}
    state = GAME.start(Setup(system="squadrons", teams=GAME.seats(options), options=options), Dice(seed="01")).state
    (first,) = GAME.pending_requests(state)
    state = GAME.resolve(state, {first.id: GAME.default_answer(state, first)}).state
    (second,) = GAME.pending_requests(state)
    state = GAME.resolve(state, {second.id: GAME.parse_answer(state, second, "enter")}).state
    side = state.captains[second.seat].side
    text = f"all: {order.format(enemy='R1' if side == 'B' else 'B1', side=side)}"
    answers = {
        one.id: GAME.parse_answer(state, one, text if one.seat == second.seat else "pass")
        for one in GAME.pending_requests(state)
    }
    position = GAME.resolve(state, answers).state.position
    assert position.turn == 2
    assert all(position.is_on_map(here) for ship in position.ships_of(side) for here in (ship.bow, ship.stern))
