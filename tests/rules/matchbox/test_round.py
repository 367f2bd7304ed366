"""Running a round, stopping at questions, and running it again with the answers (MB part 10)."""

import random

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.matchbox.engine import hull, round  # noqa: A004 - the game calls it so
from rules.matchbox.engine.events import PartsLost, RowersReseated, ShipSunk, VolleyDropped
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


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.slow
def test_books_balance(seed):
    _, galleys, lists = start(seed, 8)
    outcome = round.run_round(TABLE, galleys, lists, {}, Dice(seed="0b"), {})
    assert outcome.decisions == ()
    left = {galley.id: galley for galley in (*outcome.galleys, *outcome.sunk)}
    for galley in galleys:
        lost = [event for event in outcome.events if isinstance(event, PartsLost) and event.galley == galley.id]
        after = left[galley.id]
        oars = galley.port + galley.starboard - after.port - after.starboard
        assert oars == sum(event.port + event.starboard for event in lost)
        assert galley.masts - after.masts == sum(event.masts for event in lost)
        assert max(after.port, after.starboard) <= galley.holes
    assert {event.galley for event in outcome.events if isinstance(event, ShipSunk)} == {g.id for g in outcome.sunk}
    assert outcome.had_loss == any(isinstance(event, PartsLost) for event in outcome.events)
    for galley in outcome.galleys:
        assert min(galley.port, galley.starboard) >= 1
        assert hull.is_on_table(hull.hull_of(galley), TABLE)
        assert hull.round_pose(galley.pose) == galley.pose
        assert all(hull.overlap_mm(galley, other) == 0 for other in outcome.galleys if other is not galley)


@pytest.mark.parametrize("seed", range(15))
def test_galleys_may_stand_in_any_order_unless_they_fire(seed):
    _, galleys, lists = start(seed)
    galleys = tuple(structs.replace(galley, masts=0) for galley in galleys)
    lists = [structs.replace(one, orders=one.orders.replace("X", "")) for one in lists]
    one = round.run_round(TABLE, galleys, lists, {}, Dice(seed="0c"), {})
    other = round.run_round(TABLE, galleys[::-1], lists, {}, Dice(seed="0c"), {})
    assert {g.id: (g.port, g.starboard) for g in one.galleys} == {g.id: (g.port, g.starboard) for g in other.galleys}


def test_the_dice_give_each_match_one_block():
    _, galleys, lists = start(3, 8)
    outcome = round.run_round(TABLE, galleys, lists, {}, Dice(seed="0d", blocks_drawn=7), {})
    dropped = sum(event.matches for event in outcome.events if isinstance(event, VolleyDropped))
    assert dropped > 0
    assert outcome.dice == Dice(seed="0d", blocks_drawn=7 + dropped)


@pytest.mark.parametrize(
    ("key", "choice", "rule"),
    [("1.target.A1", "A2", "MB-6.2"), ("1.aim.A1", "900,10", "MB-6.5"), ("1.aim.A1", "here", "")],
)
def test_a_choice_that_is_not_allowed_is_refused(key, choice, rule):
    galleys = fleet(random.Random(1), 2)
    facing = [
        structs.replace(
            galley,
            port=3,
            starboard=3,
            masts=2,
            holes=5,
            pose=structs.replace(galley.pose, x_mm=x, y_mm=200, heading_deg=0),
        )
        for galley, x in zip(galleys, (200, 300), strict=True)
    ]
    lists = [round.OrderList(galley.id, "X") for galley in facing]
    with pytest.raises(OrderError) as refused:
        round.run_round(TABLE, facing, lists, {}, Dice(seed="00"), {key: choice})
    assert refused.value.fault.rule == rule


def test_reorganizing_is_asked_unless_it_was_wished():
    galley = structs.replace(fleet(random.Random(1), 1)[0], holes=6, port=2, starboard=5)
    asked = round.run_round(TABLE, [galley], [round.OrderList("A1", "ZZ", ((0, 0),))], {0: ASK}, Dice(seed="00"), {})
    assert asked.decisions[0].choices == ("1-6", "2-5", "3-4", "4-3", "5-2", "6-1")
    assert asked.decisions[0].key == "2.split.A1"
    for wishes, decided in (((4, 3),), {}), (((0, 0),), {"2.split.A1": "4-3"}):
        done = round.run_round(
            TABLE, [galley], [round.OrderList("A1", "ZZ", wishes)], {0: ASK}, Dice(seed="00"), decided
        )
        assert [(e.port, e.starboard) for e in done.events if isinstance(e, RowersReseated)] == [(4, 3)]
