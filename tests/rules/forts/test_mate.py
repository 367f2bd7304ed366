"""The computer captain: it hunts, guards and besieges, and its games end."""

from collections import Counter

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.forts.engine.state import ActionList, EndOrder, MoveOrder, ShootOrder
from rules.forts.game import Forts

GAME = Forts()


def begin(position="", seed="0f", **options):
    setup = Setup(system="forts", teams=(0, 1), position=position, options={"colours": "first", **options})
    return GAME.start(setup, Dice(seed=seed)).state


def required_requests(state):
    return [request for request in GAME.pending_requests(state) if not request.optional]


def whole_turn(state, seed="5eed"):
    """Return the computer captain's actions in one player-turn, except ending it."""
    turn, done = state.position.turn, []
    while state.result is None and state.position.turn == turn:
        (request,) = required_requests(state)
        answer = GAME.computer_answer(GAME.view(state, request.seat), request, seed)
        assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer
        state = GAME.resolve(state, {request.id: answer}).state
        assert isinstance(answer, ActionList)
        done += answer.actions
    assert done[-1] == EndOrder() or state.result
    return state, [action for action in done if action != EndOrder()]


@pytest.mark.parametrize("seed", range(4))
def test_mates_fight_it_out(seed):
    state = begin(seed=f"{seed:064x}")
    while state.result is None:
        answers = {
            request.id: GAME.computer_answer(GAME.view(state, request.seat), request, f"{seed:02x}{state.answered:02x}")
            for request in required_requests(state)
        }
        state = GAME.resolve(state, answers).state
    assert state.result.reason.key in {"reason.flagship", "reason.fort"}


def test_it_shoots_at_a_flagship_about_to_sink():
    state = begin("two_forts 9 white wind - 0 white=west BB/FR ; wBB@K4 0 s3 ; rBB@K3 0 ; rFR@M5 3")
    _, done = whole_turn(state)
    first = next(action for action in done if isinstance(action, ShootOrder))
    assert first.targets[0].code == "FR"


def test_it_takes_a_fort_that_nobody_guards():
    state = begin("two_forts 9 white wind - 0 white=west BB/BB ; wBB@P5 0 s3 ; rBB@D3 0 ; rFR@E5 0")
    state, done = whole_turn(state)
    assert state.position.siege is not None
    assert any(isinstance(action, MoveOrder) and action.hex in {"R5", "R6", "S5", "S7"} for action in done)


def test_it_stays_beside_the_fort_that_it_besieges():
    state = begin("two_forts 9 white wind - 0 white=west BB/BB ; wBB@R5 0 s3 ; rBB@D3 0")
    state, done = whole_turn(state)
    assert state.position.siege is not None
    assert not any(isinstance(action, MoveOrder) for action in done)


def test_it_guards_its_fort():
    """With a siege open, everything that can shoots at the besieger."""
    state = begin(
        "two_forts 10 red wind w9 0 white=west BB/BB ; wBB@R5 4 ; wFR@O7 1 ; rBB@O5 0 s3 ; rGA@P6 0 s2 ; rFR@N5 0 s1"
    )
    _, done = whole_turn(state)
    shots = [target.code for action in done if isinstance(action, ShootOrder) for target in action.targets]
    assert Counter(shots)["BB"] >= 1
    assert shots[0] == "BB"


def test_it_closes_in_from_afar():
    state = begin("two_forts 9 white wind - 0 white=west BB/BB ; wBB@D5 0 s3 ; wGA@F5 0 s2 ; rBB@R5 0 ; rGA@P5 0")
    _, done = whole_turn(state)
    galleon = next(action for action in done if isinstance(action, MoveOrder) and action.ship == "GA")
    assert galleon.hex > "F"


def test_it_lies_still_in_a_calm_but_for_the_brig():
    state = begin("two_forts 9 white calm - 0 white=west BB/BB ; wBB@D5 0 s3 ; wBR@F5 0 s1 ; rBB@R5 0")
    _, done = whole_turn(state)
    assert {action.ship for action in done} <= {"BR"}
