"""A side hardly ever wins any more if its share of the strength of all, which is public, is as small as measured."""

from __future__ import annotations

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.core.registry import RULESETS
from rules.interface.hopeless import hopeless_seats, side_shares


def test_allies_are_weighed_together_against_all_others():
    shares = side_shares({0: 1.0, 1: 10.0, 2: 2.0, 3: 7.0}, (0, 1, 0, 1))
    assert shares == pytest.approx({0: 0.15, 1: 0.85})
    assert hopeless_seats({0: 1.0, 1: 10.0, 2: 2.0, 3: 7.0}, (0, 1, 0, 1), 0.16) == (0, 2)
    assert hopeless_seats({0: 1.0, 1: 10.0, 2: 2.0, 3: 7.0}, (0, 1, 0, 1), 0.14) == ()


def test_nobody_is_hopeless_if_nothing_is_measured_or_left():
    assert side_shares({}, (0, 1)) == side_shares({0: 0.0, 1: 0.0}, (0, 1)) == {}
    assert hopeless_seats({}, (0, 1), 0.5) == hopeless_seats({0: 0.0, 1: 0.0}, (0, 1), 0.5) == ()
    assert hopeless_seats({0: 0.0, 1: 5.0}, (0, 1), 0.0) == (), "0: the game has not been measured"


def test_a_seat_that_does_not_exist_is_an_error():
    with pytest.raises(IndexError):
        side_shares({5: 1.0}, (0, 1))


@pytest.mark.parametrize("system", RULESETS)
def test_no_side_of_a_default_game_begins_hopeless(system):
    rules = RULESETS[system]
    setup = Setup(system=system, teams=rules.seats({}))
    state = rules.start(rules.with_edition(setup), Dice("01")).state
    share = rules.hopeless_share({})
    assert hopeless_seats(rules.seat_strengths(state), setup.teams, share) == ()
    battles = next((spec.values for spec in rules.options if spec.key == rules.hopeless_shares.option), ())
    assert {*rules.hopeless_shares.shares} <= {*battles}
    assert all(
        0 < rules.hopeless_share({rules.hopeless_shares.option: name}) < 0.5 for name in rules.hopeless_shares.shares
    )
    assert rules.hopeless_share({rules.hopeless_shares.option: "no such battle"}) == 0
