"""The lessons: their hints reach the goal, and what is tried wrongly is named."""

import pytest

from rules.campaign import GAME
from rules.chance.dice import Dice
from rules.core.protocol import Setup


def verdict(key: str, orders: str | None = None) -> str:
    """What comes of a lesson when its pupil seals these orders, or those of its hint."""
    lesson = next(one for one in GAME.lessons if one.key == key)
    setup = Setup(system="campaign", teams=(0, 1), options=lesson.options, position=lesson.position)
    state = GAME.start(setup, Dice(seed="00")).state
    asked = {one.id: one for one in GAME.pending_requests(state)}
    given = {**lesson.script, "t1.orders.A": lesson.solution if orders is None else orders}
    assert given.keys() == asked.keys()
    step = GAME.resolve(state, {name: GAME.parse_answer(state, asked[name], text) for name, text in given.items()})
    found = GAME.judge_lesson(key, step.state, step.events)
    assert found.is_reached == found.reason.key.endswith("reached")
    return found.reason.key.rpartition(".")[2]


@pytest.mark.parametrize("key", [lesson.key for lesson in GAME.lessons])
def test_the_hint_reaches_the_goal(key: str) -> None:
    assert verdict(key) == "reached"


@pytest.mark.parametrize(
    ("key", "orders", "why"),
    [
        ("attack", "A1 A2: EGU attack", "few"),
        ("attack", "A1 A2 A3: EGU hold", "held"),
        ("attack", "", "none"),
        ("siege", "A1: SOU > SUN", "slow"),
        ("siege", "A1 A2: SOU", "none"),
    ],
)
def test_what_is_missing_is_named(key: str, orders: str, why: str) -> None:
    assert verdict(key, orders) == why
