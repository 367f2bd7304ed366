"""A captain who gives up and takes it back alone has seen nothing."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from rules.core.protocol import Concede, Step
from rules.core.revealing import is_revealing
from tests.laws.length import times
from tests.laws.play import GAMES, SYSTEMS, Position, Tape, own, positions, tape

EXAMPLES = settings(max_examples=times(25, 600))


def recorded(system: str) -> Iterator[Tape]:
    return (tape(system, number) for number in range(GAMES))


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_told_of_dice_reveals_itself_whoever_set_it_going(system: str):
    """A captain who gives up in the middle of a round sets the same going as answers do, sometimes without dice."""
    thrown = [turn for game in recorded(system) for turn in game.turns if turn.step.state.dice != turn.before.dice]
    assert thrown
    for *_, step in thrown:
        assert is_revealing(step.state, Step(step.state, step.events), pending_before=(), pending=()), step.events


@pytest.mark.parametrize("system", SYSTEMS)
def test_giving_up_alone_reveals_nothing_where_the_game_has_just_begun_and_goes_on(system: str):
    for game in recorded(system):
        rules, state = game.rules, game.start.state
        for seat in range(len(own(system).teams(state))):
            step = rules.apply_out_of_turn(state, Concede(seat=seat))
            if rules.result(step.state) is None:
                before, pending = rules.pending_requests(state), rules.pending_requests(step.state)
                assert not is_revealing(state, step, pending_before=before, pending=pending), (game.setup, seat)


@EXAMPLES
@given(positions())
def test_giving_up_reveals_what_goes_on_without_those_who_gave_up(position: Position):
    rules, state, _, rng = position
    before, seat = rules.pending_requests(state), rng.choice(position.seats)
    step = rules.apply_out_of_turn(state, Concede(seat=seat))
    if rules.result(step.state) is not None:
        return
    pending = rules.pending_requests(step.state)
    later = max(request.round for request in pending) > max(request.round for request in before)
    reveals = step.state.dice != state.dice or later
    if reveals:
        assert is_revealing(state, step, pending_before=before, pending=pending)
    if not is_revealing(state, step, pending_before=before, pending=pending):
        # The other side sees that the captain has given up, and who has the pieces now: it is asked nothing it was not.
        teams = own(rules.name).teams(state)
        enemies = [other_seat for other_seat in position.seats if teams[other_seat] != teams[seat]]
        kinds = [
            (request.seat, request.kind, request.params)
            for request in pending
            if request.seat in enemies and not request.live
        ]
        assert all(kind in [(old.seat, old.kind, old.params) for old in before] for kind in kinds)


@EXAMPLES
@given(positions())
def test_answers_that_all_may_see_reveal_themselves(position: Position):
    rules, state, requests, _ = position
    before, answers = rules.pending_requests(state), position.answers()
    step = rules.resolve(state, answers)
    given_ids, pending = answers.keys(), rules.pending_requests(step.state)
    waited = any(not request.optional for request in requests)
    if waited or step.state.dice != state.dice:
        assert is_revealing(state, step, pending_before=before, pending=pending, answered_ids=given_ids)
