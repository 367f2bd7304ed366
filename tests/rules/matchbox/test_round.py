"""Running a round, stopping at questions, and running it again with the answers."""

import random

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.matchbox.engine import round  # noqa: A004 - the game calls it so
from rules.matchbox.engine.events import VolleyDropped
from rules.matchbox.engine.state import StandingOrders
from tests.rules.matchbox.sea_room import TABLE, fleet, order_list

ASK = StandingOrders(target="ask", aim="ask", casualties="ask", reorganize="ask")


def start(seed, count=6):
    rng = random.Random(seed)
    galleys = fleet(rng, count)
    return rng, galleys, [order_list(rng, galley) for galley in galleys]


def answer(rng, question):
    if question.kind == "aim":
        return rng.choice(["steady", "safe", f"{rng.randrange(600)},{rng.randrange(450)}.125"])
    return rng.choice(question.choices)


@pytest.mark.parametrize("seed", range(25))
def test_events_told_before_a_question_stay_as_they_are(seed):
    rng, galleys, lists = start(seed)
    decided = {}
    outcome = round.run_round(TABLE, galleys, lists, {0: ASK, 1: ASK}, Dice(seed="0a"), decided)
    while outcome.decisions:
        assert len({question.key for question in outcome.decisions}) == len(outcome.decisions)
        assert not decided.keys() & {question.key for question in outcome.decisions}
        decided |= {question.key: answer(rng, question) for question in outcome.decisions}
        after = round.run_round(TABLE, galleys, lists, {0: ASK, 1: ASK}, Dice(seed="0a"), decided)
        assert after.events[: len(outcome.events)] == outcome.events
        outcome = after
    again = round.run_round(TABLE, galleys, lists, {0: ASK, 1: ASK}, Dice(seed="0a"), dict(reversed(decided.items())))
    assert again == outcome


@pytest.mark.parametrize("seed", range(15))
def test_galleys_may_stand_in_any_order_unless_they_fire(seed):
    _, galleys, lists = start(seed)
    galleys = tuple(structs.replace(galley, masts=0) for galley in galleys)
    lists = [structs.replace(order_list, orders=order_list.orders.replace("X", "")) for order_list in lists]
    one = round.run_round(TABLE, galleys, lists, {}, Dice(seed="0c"), {})
    other = round.run_round(TABLE, galleys[::-1], lists, {}, Dice(seed="0c"), {})
    assert {g.id: (g.port, g.starboard) for g in one.galleys} == {g.id: (g.port, g.starboard) for g in other.galleys}


def test_the_dice_give_each_match_one_block():
    _, galleys, lists = start(3, 8)
    outcome = round.run_round(TABLE, galleys, lists, {}, Dice(seed="0d", blocks_drawn=7), {})
    dropped = sum(event.matches for event in outcome.events if isinstance(event, VolleyDropped))
    assert dropped > 0
    assert outcome.dice == Dice(seed="0d", blocks_drawn=7 + dropped)
