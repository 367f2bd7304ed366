"""One volley: how many are dropped, where they land (MB-6.3, 6.6)."""

from statistics import NormalDist

import pytest

from rules.chance.dice import Dice
from rules.matchbox.engine import volley


def test_each_match_lands_by_one_block_of_the_dice():
    dice = Dice(seed="0dd5", blocks_drawn=3)
    landed, after = volley.drop_matches(dice, (600.0, 400.0), 50)
    assert after == Dice(seed="0dd5", blocks_drawn=53)
    for match in landed:
        (east, north, turn, _), dice = dice.draw_block()
        there = NormalDist(600, 20).inv_cdf(east), NormalDist(400, 20).inv_cdf(north), 360 * turn
        assert match == pytest.approx(there, abs=0.000501)
        assert match == tuple(round(number, 3) for number in match)


def test_a_bearing_that_rounds_to_360_is_0():
    dice = Dice(seed="360360", blocks_drawn=715_081)
    assert 359.9995 < 360 * dice.draw_block()[0][2] < 360
    (match,), _ = volley.drop_matches(dice, (600.0, 400.0), 1)
    assert match[2] == 0.0
