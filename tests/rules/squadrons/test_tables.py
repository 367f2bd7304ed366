"""The tables hold what the rules say of them."""

from itertools import product

import pytest

from rules.squadrons.engine.odds import RollModifier, RollOdds
from rules.squadrons.engine.tables import (
    CLASSES,
    TABLES,
    board_need,
    fatigue_level,
    missile_result,
    rake_need,
    ram_need,
)


def test_x37_a_class_costs_what_its_ratings_say():
    assert {
        code: galley.m + galley.crew + galley.rd + galley.towers + galley.engines - galley.cost
        for code, galley in CLASSES.items()
    } == dict.fromkeys(CLASSES, 0)
    assert len(CLASSES) == 21


def test_the_ramming_table_follows_its_rule():
    def rule(more):
        if more >= 6:
            return 2
        if more >= 0:
            return 8 - more
        return {-1: 10, -2: 11}.get(more, 12 if more >= -5 else 0)

    for ra in range(1, 12):
        for rd in range(2, 13):
            assert ram_need(ra, rd) == rule(ra - rd), (ra, rd)
    assert ram_need(0, 2) == 0


def test_the_boarding_table_follows_its_rule():
    def rule(more):
        if more >= 5:
            return 2
        return {4: 3, 3: 4, 2: 6}.get(more, 8 - more) if more >= -4 else 0

    for attackers in range(1, 25):
        for defender in range(12):
            assert board_need(attackers, defender) == rule(attackers - defender), (attackers, defender)
    assert board_need(0, 0) == 0


def test_the_raking_table_follows_its_rule():
    assert all(rake_need(a, b) == 8 - (a - b) for a in range(5) for b in range(5))


def test_fatigue_never_falls_with_the_die_nor_rises_with_the_crew():
    for crew in range(1, 5):
        levels = [fatigue_level(adjusted, crew) for adjusted in range(-2, 15)]
        assert levels == sorted(levels)
        assert 1 not in levels
    for adjusted in range(-2, 15):
        levels = [fatigue_level(adjusted, crew) for crew in range(5)]
        assert levels == sorted(levels, reverse=True)
    assert fatigue_level(4, 3) == 0
    assert fatigue_level(7, 3) == 2
    assert fatigue_level(TABLES.fatigue.anastrophe, 2) == 3


@pytest.mark.parametrize(
    ("m", "least_d", "least_df"), [(0, 7, 8), (1, 6, 7), (2, 6, 7), (3, 5, 6), (6, 4, 5), (7, 3, 5), (20, 3, 5)]
)
def test_missiles(m, least_d, least_df):
    assert [missile_result(m, die) for die in (least_d - 1, least_d, least_df)] == ["-", "D", "D/F"]


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
