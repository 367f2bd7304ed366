"""A step is a pure function of a state and answers, and it is the same on paper as in memory."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.core.protocol import CALLED_OFF_KEY, AgreeDraw, CallOff, Concede
from tests.laws.length import times
from tests.laws.play import Position, asked, decode, encode, own, positions

EXAMPLES = settings(max_examples=times(18, 600))


@EXAMPLES
@given(positions())
def test_a_step_is_the_same_every_time_and_changes_nothing(position: Position):
    rules, state, requests, _ = position
    answers = position.answers()
    before = encode(state), encode(answers)
    views = [rules.view(state, seat) for seat in (None, *position.seats)]
    step = rules.resolve(state, answers)
    assert rules.resolve(state, answers) == step
    assert rules.resolve(state, dict(reversed(answers.items()))) == step
    assert asked(rules, state) == requests
    assert [rules.view(state, seat) for seat in (None, *position.seats)] == views
    assert (encode(state), encode(answers)) == before


@EXAMPLES
@given(positions())
def test_a_step_is_the_same_after_all_was_written_down_and_read_again(position: Position):
    rules, state, requests, _ = position
    answers = position.answers()
    step = rules.resolve(state, answers)
    again = decode(encode(state), rules.state_type)
    assert again == state
    read = {
        request.id: rules.parse_answer(again, request, rules.format_answer(request, answers[request.id]))
        for request in requests
    }
    assert read == answers
    repeated = rules.resolve(again, read)
    assert repeated == step
    assert encode(repeated) == encode(step)
    assert decode(encode(step.state), rules.state_type) == step.state
    assert decode(encode(step.events), tuple[rules.event_type, ...]) == step.events  # type: ignore[name-defined]


@EXAMPLES
@given(positions())
def test_views_can_be_written_down(position: Position):
    rules, state, _, _ = position
    for seat in (None, *position.seats):
        view = rules.view(state, seat)
        assert view.seat == seat
        assert decode(encode(view), rules.view_type) == view


@EXAMPLES
@given(positions())
def test_the_game_goes_on_if_everybody_misses_the_deadline(position: Position):
    rules, state, requests, _ = position
    answers = {request.id: rules.default_answer(state, request) for request in requests}
    step = rules.resolve(state, answers)
    own(rules.name).check(state, step.events, step.state)
    assert step.state != state


@EXAMPLES
@given(positions(), st.data())
def test_what_captains_do_unasked_is_a_step_like_any_other(position: Position, data: st.DataObject):
    rules, state, _, _ = position
    unasked = (st.just(AgreeDraw()), st.just(CallOff()))
    act = data.draw(st.one_of(*unasked, st.builds(Concede, st.sampled_from(position.seats))))
    before = encode(state)
    step = rules.apply_out_of_turn(state, act)
    assert rules.apply_out_of_turn(decode(before, rules.state_type), act) == step
    assert encode(state) == before
    own(rules.name).check(state, step.events, step.state)
    assert (rules.result(step.state) is None) == bool(rules.pending_requests(step.state))
    if not isinstance(act, Concede):
        result = rules.result(step.state)
        assert result.winners == ()
        assert (result.reason.key == CALLED_OFF_KEY) == result.is_called_off == (act == CallOff())


@EXAMPLES
@given(positions())
def test_one_who_is_left_when_the_others_give_up_has_won(position: Position):
    rules, state, _, rng = position
    teams = own(rules.name).teams(state)
    loser = teams[rng.randrange(len(teams))]
    for seat in (seat for seat, team in enumerate(teams) if team == loser):
        if rules.result(state) is None:
            state = rules.apply_out_of_turn(state, Concede(seat)).state
    while rules.result(state) is None:  # a round in hand is played to its end
        state = rules.resolve(
            state, {request.id: rules.default_answer(state, request) for request in asked(rules, state)}
        ).state
    winners = rules.result(state).winners
    assert set(winners) <= {seat for seat, team in enumerate(teams) if team != loser}


@EXAMPLES
@given(positions(), st.data())
def test_answers_to_something_else_are_no_step(position: Position, data: st.DataObject):
    rules, state, requests, _ = position
    answers = position.answers()
    waited_for = [request.id for request in requests if not request.optional]
    wrong = {request_id: answers[request_id] for request_id in waited_for}
    del wrong[data.draw(st.sampled_from(waited_for))]
    for given_answers in (wrong, {**answers, "nothing": next(iter(answers.values()))}):
        with pytest.raises(ValueError, match="asked for"):
            rules.resolve(state, given_answers)


@EXAMPLES
@given(positions())
def test_what_nobody_waits_for_may_be_answered_alone_and_leaves_the_other_questions_open(position: Position):
    rules, state, requests, _ = position
    answers = position.answers()
    waited_for = {request.id for request in requests if not request.optional}
    assert waited_for
    for request in requests:
        if request.optional:
            step = rules.resolve(state, {request.id: answers[request.id]})
            assert waited_for <= {other.id for other in rules.pending_requests(step.state)}
            own(rules.name).check(state, step.events, step.state)
    alone = rules.resolve(state, {request_id: answers[request_id] for request_id in waited_for})
    open_ids = {request.id for request in rules.pending_requests(alone.state)} & {request.id for request in requests}
    assert open_ids.isdisjoint(waited_for)
