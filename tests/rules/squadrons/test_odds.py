"""Odds of one roll: counted against all dice that there are."""

from itertools import product

import pytest

from rules.squadrons.engine.odds import RollModifier, RollOdds

ALL_TWO = [sum(dice) for dice in product(range(1, 7), repeat=2)]


@pytest.mark.parametrize("need", [0, *range(2, 13)])
@pytest.mark.parametrize("drm", range(-4, 8))
def test_the_chance_of_two_dice_is_what_counting_them_gives(need, drm):
    odds = RollOdds(need, 2, (RollModifier("speed", drm),))
    done = [total for total in ALL_TWO if need and min(12, total + drm) >= max(2, need)]
    assert odds.chance == pytest.approx(len(done) / 36)
    assert all((total in done) == odds.is_success(odds.adjust(total)) for total in ALL_TWO)
    assert not done or min(done) == odds.natural_need


@pytest.mark.parametrize("need", range(2, 8))
@pytest.mark.parametrize("drm", range(-2, 4))
def test_the_chance_of_one_die_is_what_counting_it_gives(need, drm):
    odds = RollOdds(need, 1, (RollModifier("range", drm),))
    done = [die for die in range(1, 7) if odds.is_success(odds.adjust(die))]
    assert odds.chance == pytest.approx(len(done) / 6)
    assert done == [die for die in range(1, 7) if die + drm >= need]


def test_of_two_dice_more_than_12_is_12_and_less_than_2_never_enough():
    assert RollOdds(12, 2, (RollModifier("speed", 2),)).adjust(12) == 12
    assert not RollOdds(2, 2, (RollModifier("crew", -1),)).is_success(1)
