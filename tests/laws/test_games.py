"""Whole games: they end, they keep their own laws, and all that is asked and told in them can be answered and said."""

from itertools import islice

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import CAPTAINS_OPTION
from rules.core.registry import RULESETS
from tests.laws.length import times
from tests.laws.play import SYSTEMS, asked, encode, own, tape, tapes, words
from tests.samples import sample_answers

MOST_ENDLESS_STEPS = 100


@pytest.mark.timeout(0)
@pytest.mark.parametrize(("system", "number"), tapes())
def test_random_play_ends(system, number):
    game = tape(system, number)
    assert game.turns
    *underway, last = game.states
    assert [game.rules.result(state) for state in underway] == [None] * len(underway)
    assert game.rules.result(last) is not None
    assert game.rules.pending_requests(last) == ()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_game_ends_when_nobody_plays(system):
    """Every question is answered as the deadline answers it where no computer stands in.

    A game without any limit goes on until the bot calls off what nobody plays, and can be called off at any moment.
    """
    rules = RULESETS[system]
    for number, wanted in islice(enumerate(own(system).SETUPS), 0, None, times(3, 1)):
        state = start = rules.start(rules.with_edition(wanted), Dice(seed=f"{number:02x}")).state
        steps = 0
        is_endless = getattr(own(system), "is_endless", lambda _: False)(start)
        while rules.result(state) is None:
            if is_endless:
                assert rules.result(rules.call_off(state).state) is not None
                if steps == MOST_ENDLESS_STEPS:
                    break
            assert steps < own(system).most_steps(start), wanted
            requests = asked(rules, state)
            # A battle that nobody plays ends by itself, and its end is the answer.
            answers = {
                request.id: sample_answers(rules, state, request)[0]
                if request.battle
                else rules.default_answer(state, request)
                for request in requests
            }
            state, steps = rules.resolve(state, answers).state, steps + 1
        assert steps


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_games_own_laws_hold(system, number):
    game = tape(system, number)
    own(system).check(None, game.start.events, game.start.state)
    for turn in game.turns:
        own(system).check(turn.before, turn.step.events, turn.step.state)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_as_long_as_it_goes_on_somebody_is_asked_and_nothing_twice(system, number):
    game = tape(system, number)
    seats = range(len(game.setup.teams))
    open_now: set[str] = set()
    asked_ids: set[str] = set()
    for turn in game.turns:
        ids = [request.id for request in turn.requests]
        assert ids
        assert len(ids) == len(set(ids))
        assert all(request.seat in seats or request.battle for request in turn.requests)
        assert asked_ids.isdisjoint(set(ids) - open_now)
        asked_ids |= set(ids)
        # What a captain did unasked may leave the questions to the others open.
        open_now = set(ids) if turn.act else set()


@pytest.mark.parametrize(("system", "number"), tapes())
def test_all_that_happens_is_told_in_every_language(system, number):
    game = tape(system, number)
    seats = range(len(game.setup.teams))
    for speech in words(system):
        for step in (game.start, *(turn.step for turn in game.turns)):
            assert all(speech.event_text(event) for event in step.events)
            assert all(event.seen_by is None or set(event.seen_by) <= set(seats) for event in step.events)
        for turn in game.turns:
            for request in turn.requests:
                assert speech.say(f"request.{request.kind}", round=request.round, **request.params)
        assert speech.say_text(game.rules.result(game.states[-1]).reason)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_setups_tried_are_each_different_and_try_every_option(system):
    setups = own(system).SETUPS
    assert len({encode(setup) for setup in setups}) == len(setups)
    for spec in RULESETS[system].options:
        tried = {setup.options.get(spec.key, spec.default) for setup in setups if not setup.position}
        if spec.key == CAPTAINS_OPTION:  # said by the teams
            tried = {str(setup.teams.count(0)) for setup in setups if not setup.position}
        assert len(tried) > 1, spec.key
        assert tried <= set(spec.values), spec.key
    assert {setup.missed for setup in setups} == {"hold", "mate"}
