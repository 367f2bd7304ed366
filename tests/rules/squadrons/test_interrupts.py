"""An activation in which captains are asked goes on as it began: it is carried out again, and nothing told changes."""

from itertools import count

import pytest

from rules.chance.dice import Dice
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.orders import DoctrineLine, Doctrines
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.play import DecisionNeeded, RecordedDice, TurnInProgress
from rules.squadrons.engine.sea import position_text
from tests.rules.squadrons import crowds

ASKING = Doctrines(
    tuple(
        DoctrineLine(who=side, values={"avoid": "ask", "fire": "ask", "retract": "ask", "board": "good"})
        for side in "BR"
    )
)
SEEDS = range(400)


def asked_through(case, seed):
    """Return all that a captain was shown before each question, each question, and the end."""
    lies = position_text.parse_position(case["position"])
    orders = order_text.parse_orders(case["activate"]["orders"])
    dice, fell, decided, events_before, questions = Dice(seed=f"{seed:04x}"), (), [], [], []
    for number in count():
        play = TurnInProgress(lies, RecordedDice(dice, fell), ASKING, decided)
        try:
            activation.run_activation(play, case["activate"]["squadron"], orders)
        except DecisionNeeded as question:
            events_before.append(tuple(play.events))
            questions.append(question)
            dice, fell = play.dice_source.dice, play.dice_source.dice_thrown
            decided.append(question.offered[(seed + number) % len(question.offered)])
        else:
            return play, events_before, questions, decided
    raise AssertionError("without end")


@pytest.mark.parametrize("part", range(4))
@pytest.mark.slow
def test_what_was_told_stays_told(part):
    kinds = set()
    for seed in SEEDS[part::4]:
        case = crowds.case(seed)
        if "activate" not in case:
            continue
        play, events_before, questions, decided = asked_through(case, seed)
        for events in events_before:
            assert tuple(play.events[: len(events)]) == events, seed
        kinds |= {question.key for question in questions}
        lies = position_text.parse_position(case["position"])
        for question in questions:
            if question.key != "retract":
                assert lies.ship_by_id(question.ship).side != lies.ship_by_id(question.by).side, seed
        # A captain who is asked everything at once, with the answers that were given, sees the same.
        again = TurnInProgress(lies, RecordedDice(Dice(seed=f"{seed:04x}")), ASKING, decided)
        activation.run_activation(
            again, case["activate"]["squadron"], order_text.parse_orders(case["activate"]["orders"])
        )
        assert (again.events, again.position) == (play.events, play.position), seed
    assert kinds >= {"avoid", "fire"}
