"""Two turns in a row that a side lets pass, after which the other may claim the win (SQ-24.1)."""

import pytest

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Setup
from rules.core.registry import RULESETS

SQUADRONS = RULESETS["squadrons"]


def begun(missed="hold", teams=(0, 1), **options):
    setup = Setup(system="squadrons", teams=teams, options={"sides": "first", **options}, missed=missed)
    return SQUADRONS.start(setup, Dice(seed="11")).state


def turn(state, *texts):
    """Play a turn; with None as text, that captain's deadline passes."""
    requests = SQUADRONS.pending_requests(state)
    answers = {
        request.id: SQUADRONS.default_answer(state, request)
        if text is None
        else SQUADRONS.parse_answer(state, request, text)
        for request, text in zip(requests, texts, strict=True)
    }
    return SQUADRONS.resolve(state, answers)


@pytest.mark.parametrize("missed", ["hold", "mate"])
def test_the_win_is_claimed_from_a_side_that_let_two_turns_pass_and_does_not_come_back(missed):
    state = begun(missed)
    for _ in range(2):
        (mine, _) = SQUADRONS.pending_requests(state)
        with pytest.raises(OrderError) as refused:
            SQUADRONS.parse_answer(state, mine, "claim")
        assert (refused.value.fault.code, refused.value.fault.rule) == ("no_claim", "SQ-24.1")
        state = turn(state, "pass", None).state
    assert state.idle == (0, 2)
    (mine, his) = SQUADRONS.pending_requests(state)
    with pytest.raises(OrderError):
        SQUADRONS.parse_answer(state, his, "claim")
    offered = [option for group in SQUADRONS.draft_choices(state, mine, Draft()).groups for option in group.options]
    pressed = next(option for option in offered if option.token == "all.claim")
    assert SQUADRONS.format_answer(mine, SQUADRONS.parse_answer(state, mine, pressed.draft)) == "pass\nclaim"
    over = turn(state, "követelem", None)
    assert [(event.reason, event.winner) for event in over.events] == [("claimed", "B")]
    assert over.state.result.winners == (0,)


def test_one_who_is_back_in_that_turn_plays_on():
    state = begun()
    for _ in range(2):
        state = turn(state, "pass", None).state
    state = turn(state, "claim", "all: F1").state
    assert (state.result, state.idle) == (None, (0, 0))
    state = turn(state, "pass", None).state
    with pytest.raises(OrderError):
        SQUADRONS.parse_answer(state, SQUADRONS.pending_requests(state)[0], "claim")


def test_one_who_says_that_all_stay_is_there():
    state = begun()
    for _ in range(3):
        state = turn(state, "pass", "pass").state
    assert state.idle == (0, 0)


def test_a_side_is_there_as_long_as_one_of_its_captains_is():
    state = begun(battle="100", teams=(0, 1, 1, 0))
    for _ in range(3):
        seats = [request.seat for request in SQUADRONS.pending_requests(state)]
        state = turn(state, *("pass" if seat in (0, 2) else None for seat in seats)).state
    assert state.idle == (0, 0)


def test_one_squadron_that_the_captain_orders_is_enough():
    state = begun(order="squadron")
    state = turn(state, "pass\nall C", None).state
    assert state.idle == (0, 1)
    while SQUADRONS.pending_requests(state)[0].kind == "act":
        (request,) = SQUADRONS.pending_requests(state)
        order = (
            SQUADRONS.parse_answer(state, request, "pass") if request.seat else SQUADRONS.default_answer(state, request)
        )
        state = SQUADRONS.resolve(state, {request.id: order}).state
        if request.seat:
            assert state.idle == (0, 0)
