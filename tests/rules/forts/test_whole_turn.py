"""A hint is for the whole player-turn, and two are enough for any: whatever the dice show, the second ends it."""

from collections import Counter

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.forts.engine.events import ActionSkipped, TurnEnded
from rules.forts.engine.state import ActionList, EndOrder
from rules.forts.game import Forts

GAME = Forts()
HINTS_MOST = 2
GAMES = 3


def request_to_act(state):
    return next(request for request in GAME.pending_requests(state) if request.kind == "act")


def hint(state):
    request = request_to_act(state)
    return GAME.advise(GAME.view(state, request.seat), request, "5eed")


def at(text, seed="0f"):
    return GAME.start(
        Setup(system="forts", teams=(0, 1), position=text, options={"colours": "first"}), Dice(seed)
    ).state


def followed(state):
    """Follow hints to the end of a game; return their number in each player-turn, and all events."""
    hints, events = Counter(), []
    while state.result is None:
        request = request_to_act(state)
        answer = hint(state)
        assert GAME.parse_answer(state, request, GAME.format_answer(request, answer)) == answer
        step = GAME.resolve(state, {request.id: answer})
        hints[request.round] += 1
        state = step.state
        events += step.events
    return hints, events


def test_two_hints_are_enough_for_any_turn():
    every, stopped = Counter(), Counter()
    for seed in range(GAMES):
        start = at(
            "two_forts 1 white none - 0 white=west BB/BB ; wBB@I6 0 s3 ; wGA@I7 0 s2 ; wFR@G6 1 s1 ; wBR@G7 2 s1"
            " ; rBB@M5 0 ; rGA@L4 2 ; rFR@M7 1 ; rBR@M8 2",
            f"{seed:064x}",
        )
        hints, events = followed(start)
        every.update(hints.values())
        stopped.update(event.reason for event in events if isinstance(event, ActionSkipped))
    assert max(every) == HINTS_MOST
    assert set(stopped) <= {"target_gone"}  # a die had sunk her


def test_a_hint_ends_where_what_comes_next_depends_on_a_die():
    state = at("two_forts 9 white wind - 0 white=west BB/BB ; wBB@I5 0 s3 ; wFR@H7 0 s1 ; rBB@R6 0 ; rGA@K5 3")
    answer = hint(state)
    assert answer.actions[-1] != EndOrder()
    assert GAME.reason_for(GAME.view(state, 0), answer).key == "reason.then_see"
    step = GAME.resolve(state, {request_to_act(state).id: answer})
    assert hint(step.state).actions[-1] == EndOrder()


def test_nobody_is_asked_in_a_turn_in_which_no_ship_can_do_anything():
    """The captain keeps a plan for the next one."""
    state = at("two_forts 2 red wind - 0 white=west BB/BB ; wBB@D5 0 ; wBR@C7 0 ; rBB@R6 0 s3")
    plan = next(request for request in GAME.pending_requests(state) if request.kind == "plan")
    state = GAME.resolve(state, {plan.id: GAME.parse_answer(state, plan, "calm: end")}).state
    for _ in range(20):
        step = GAME.resolve(state, {request_to_act(state).id: ActionList((EndOrder(),))})
        state = step.state
        idle = [event for event in step.events if isinstance(event, TurnEnded) and event.cause == "idle"]
        if idle:
            (over,) = idle
            assert over.seat == 1
            assert state.position.turn == over.turn + 1
            assert request_to_act(state).seat == 0
            return
    raise AssertionError("red never lay in a calm")
