"""Where a game turned: the biggest swing, towards who won, of what both sides had left that was never made good."""

from rules.interface.turning_point import StepStrength, turning_point


def stages(*balances: tuple[int, float, float], given_up: int = -1) -> list[StepStrength]:
    """Return the strengths of both seats after each of these rounds."""
    return [
        StepStrength(round=round_no, strength={0: mine, 1: theirs}, had_orders=number != given_up)
        for number, (round_no, mine, theirs) in enumerate(balances)
    ]


DUEL = stages((0, 10, 10), (1, 10, 9), (2, 4, 9), (3, 4, 2), (4, 3, 0))


def test_a_game_turned_when_the_winners_gained_most():
    assert turning_point(DUEL, (0, 1), (0,)) == 3
    assert turning_point(DUEL, (0, 1), (1,)) is None  # what they gained in round 2 they lost again
    assert turning_point(stages((0, 9, 9), (1, 5, 9), (2, 8, 3), (3, 8, 4), (4, 8, 0)), (0, 1), (0,)) == 2


def test_the_last_blow_which_everybody_sees_is_none():
    assert turning_point(stages((0, 9, 9), (1, 9, 8), (2, 9, 0)), (0, 1), (0,)) == 1
    assert turning_point(stages((0, 9, 9), (1, 9, 8), (2, 9, 8), (3, 9, 0)), (0, 1), (0,)) == 1


def test_the_round_that_ended_the_game_counts_if_it_brought_the_lead():
    assert turning_point(stages((0, 9, 9), (1, 9, 9), (2, 9, 0)), (0, 1), (0,)) == 2
    assert turning_point(stages((0, 0, 0), (1, 9, 2), (2, 10, 12), (3, 13, 12), (3, 16, 12)), (0, 1), (0,)) == 3


def test_a_larger_swing_before_the_lead_was_last_taken_does_not_count():
    assert turning_point(stages((0, 0, 0), (1, 9, 0), (2, 10, 12), (3, 14, 12), (4, 15, 12)), (0, 1), (0,)) == 3


def test_in_a_draw_it_is_the_biggest_swing_either_way():
    assert turning_point(DUEL, (0, 1), ()) == 3
    assert turning_point(stages((0, 9, 9), (1, 2, 9), (2, 2, 4)), (0, 1), ()) == 1


def test_steps_of_one_round_are_one_and_of_equals_the_last_counts():
    assert turning_point(stages((0, 9, 9), (1, 9, 7), (2, 9, 6), (2, 9, 4), (3, 9, 3)), (0, 1), (0,)) == 2
    assert turning_point(stages((0, 9, 9), (1, 9, 7), (2, 9, 5), (3, 9, 5)), (0, 1), (0,)) == 2


def test_allies_count_together():
    rows = [
        StepStrength(round=n, strength=dict(enumerate(left)))
        for n, left in enumerate(((5, 5, 5, 5), (5, 5, 1, 5), (5, 5, 1, 5)))
    ]
    assert turning_point(rows, (0, 1, 0, 1), (1, 3)) == 1
    assert turning_point(rows, (0, 1, 0, 1), (0, 2)) is None


def test_among_several_sides_it_is_the_lead_over_the_strongest_other():
    rows = [
        StepStrength(round=n, strength=dict(enumerate(left)))
        for n, left in enumerate(((5, 5, 5), (8, 9, 9), (14, 10, 11), (15, 12, 13), (17, 15, 14)))
    ]
    assert turning_point(rows, (0, 1, 2), (0,)) == 2  # though the others together have gained more than the winner


def test_giving_up_turns_nothing_nor_does_what_comes_before_the_first_round():
    assert turning_point(stages((0, 9, 9), (1, 9, 8), (1, 9, 0), given_up=2), (0, 1), (0,)) == 1
    assert turning_point(stages((0, 0, 0), (0, 9, 0), (1, 9, 9)), (0, 1), (0,)) is None


def test_a_game_that_measures_nothing_has_none():
    assert turning_point([StepStrength(round=1, strength={}), StepStrength(round=2, strength={})], (0, 1), (0,)) is None
    assert turning_point([], (0, 1), ()) is None
