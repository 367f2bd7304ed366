"""Battles that aren't even are played as a match; what both games bring is added."""

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.protocol import AgreeDraw, Concede, Setup
from rules.core.registry import RULESETS
from rules.squadrons.engine.tables import FLEETS, SCENARIOS

SQUADRONS = RULESETS["squadrons"]


def begin(**options):
    return SQUADRONS.start(
        Setup(system="squadrons", teams=(0, 1), options={"sides": "first", **options}), Dice("07")
    ).state


def with_bonus(state, blue, red):
    return structs.replace(state, position=structs.replace(state.position, bonus=(blue, red)))


def test_a_battle_with_equal_fleets_is_no_match():
    assert not any(SQUADRONS.is_uneven({"battle": points}) for points in FLEETS)
    assert not SQUADRONS.is_uneven({})


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_says_itself_whether_it_is_uneven(name):
    assert SQUADRONS.is_uneven({"battle": name}) == SCENARIOS[name].uneven


@pytest.mark.parametrize(("blue", "red", "points"), [(0, 0, (0, 30)), (12, 5, (12, 30)), (60, 5, (29, 30))])
def test_the_winner_has_the_target_and_the_loser_less(blue, red, points):
    state = with_bonus(begin(battle="marines"), blue, red)
    over = SQUADRONS.apply_out_of_turn(state, Concede(seat=0)).state
    assert SQUADRONS.match_points(over) == dict(enumerate(points))


def test_in_a_draw_each_side_has_what_it_scored():
    state = with_bonus(begin(battle="marines"), 12, 40)
    over = SQUADRONS.apply_out_of_turn(state, AgreeDraw()).state
    assert SQUADRONS.match_points(over) == {0: 12, 1: 30}
