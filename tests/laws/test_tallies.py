"""Counts of a game are consistent, and every catalogue has words for them."""

import math
from functools import cache

import pytest

from rules.interface.statistics import Statistics, add_statistics
from tests.laws.play import SYSTEMS, decode, encode, tape, tapes, words


@cache
def tallies(system: str, number: int) -> dict[int, Statistics]:
    game = tape(system, number)
    steps = (game.start, *(turn.step for turn in game.turns))
    return game.rules.count_statistics(steps[-1].state, [event for step in steps for event in step.events])


@pytest.mark.parametrize(("system", "number"), tapes())
def test_counts_are_whole_and_chances_are_chances(system, number):
    statistics = tallies(system, number)
    assert sorted(statistics) == list(range(len(tape(system, number).setup.teams)))
    for tally in statistics.values():
        assert min(tally.orders.values(), default=1) > 0
        assert min(tally.counts.values()) >= 0
        for rate in tally.rates.values():
            assert 0 <= rate.hits <= rate.tries
        for key, luck in tally.luck.items():
            tries = tally.rates[key].tries if key in tally.rates else math.inf
            assert 0 <= luck.got <= tries
            assert 0 <= luck.expected <= tries
            assert luck.variance >= 0
        assert decode(encode(tally), Statistics) == tally


@pytest.mark.parametrize(("system", "number"), tapes())
def test_who_did_something_does_not_depend_on_who_has_the_ship_later(system, number):
    game = tape(system, number)
    steps = (game.start, *(turn.step for turn in game.turns))
    for count in range(1, len(steps), max(1, len(steps) // 4)):
        events = [event for step in steps[:count] for event in step.events]
        now, later = (game.rules.count_statistics(state, events) for state in (steps[count - 1].state, steps[-1].state))
        assert now == later


@pytest.mark.parametrize("system", SYSTEMS)
def test_over_many_games_something_of_everything_is_counted_and_can_be_said(system):
    every = add_statistics(
        tally for name, number in tapes() if name == system for tally in tallies(system, number).values()
    )
    assert every.orders
    assert all(every.counts.values())
    assert every.rates
    assert every.luck
    for speech in words(system):
        for key in every.orders:
            assert speech.say(f"ordered.{key}")
        for key, n in every.counts.items():
            assert str(n) in speech.count_noun(f"fact.{key}", n)
        for key, rate in every.rates.items():
            assert speech.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries)
        for key in every.luck:
            assert speech.say(f"luck.{key}")


@pytest.mark.parametrize("system", SYSTEMS)
def test_over_many_games_dice_give_what_they_are_expected_to(system):
    every = add_statistics(
        tally for name, number in tapes() if name == system for tally in tallies(system, number).values()
    )
    for luck in every.luck.values():
        assert luck.variance > 0
        assert abs(luck.got - luck.expected) < 4 * math.sqrt(luck.variance)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_what_is_left_is_measured_of_every_seat_or_of_none(system, number):
    game = tape(system, number)
    for step in (game.start, *(turn.step for turn in game.turns)):
        left = game.rules.seat_strengths(step.state)
        assert sorted(left) in ([], list(range(len(game.setup.teams))))
        assert all(value >= 0 for value in left.values())


@pytest.mark.parametrize(("system", "number"), [pair for pair in tapes() if pair[0] != "campaign"])
def test_a_captured_ship_is_lost_by_those_who_had_her(system, number):
    game = tape(system, number)
    events = [event for step in (game.start, *(turn.step for turn in game.turns)) for event in step.events]
    found_empty = sum(type(event).__name__ == "DerelictManned" for event in events)
    counts = [tally.counts for tally in tallies(system, number).values()]
    lost, taken = (sum(each.get(key, 0) for each in counts) for key in ("lost", "taken"))
    assert lost >= taken - found_empty
