"""What a lesson's hint orders reaches its goal, whatever the dice and no matter who acts first; staying never does."""

import pytest

from rules.chance.dice import Dice
from rules.core.protocol import Setup
from rules.ramspeed import GAME


def tried(lesson, seed, orders):
    state = GAME.start(Setup(system="ramspeed", teams=(0, 1), position=lesson.position), Dice(seed=f"{seed:02x}")).state
    texts = {**lesson.script, "t1.orders.0": orders}
    answers = {one.id: GAME.parse_answer(state, one, texts[one.id]) for one in GAME.pending_requests(state)}
    step = GAME.resolve(state, answers)
    return GAME.judge_lesson(lesson.key, step.state, step.events)


@pytest.mark.parametrize("lesson", GAME.lessons, ids=lambda lesson: lesson.key)
def test_a_hint_reaches_the_goal_and_to_stay_does_not(lesson):
    reached = [tried(lesson, seed, lesson.solution).is_reached for seed in range(12)]
    assert sum(reached) >= 11  # of the boarded, one man may be left
    assert not tried(lesson, 0, "stay").is_reached
