"""How much the admiral thinks: counted, never timed, and no more for a large fleet than for a small one."""

import pytest

from rules.ramspeed.captains import admiral


@pytest.mark.parametrize("afloat", [2, 12, 30, 40, 41, 60])
def test_a_large_fleet_is_thought_about_no_longer_than_a_small_one(afloat):
    samples, turns = admiral.trials(afloat)
    both_sheets = 2 * samples
    assert both_sheets < turns
    assert max(turns, both_sheets) * afloat <= admiral.WORK
    if afloat > 40:  # each ship takes longer where there are many
        assert turns * afloat**2 <= admiral.WORK * 40
