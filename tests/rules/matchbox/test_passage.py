"""The admiral approaches an enemy who is out of reach, and presses one who is beaten."""

import random

import numpy as np
import pytest

from rules.chance.dice import derive_seed
from rules.matchbox.ai import battle, foresight, passage, prospects
from rules.matchbox.engine import hull, notation
from rules.matchbox.engine.events import HullsCollided, VolleyDropped
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import FleetOrders, Galley, OrderList, StandingOrders
from tests.laws.length import times
from tests.rules.matchbox.play import GAME, SEED, begin
from tests.rules.matchbox.sea_room import fleet, order_list

pytestmark = pytest.mark.slow

LOCKED = (
    "1200x800 ; A1:south 4-4+4/4 @174,327^313 ; A2:south 4-4+4/4 @187,358^281 ; B1:north 6-6+2/6 @1017,322^180",
    "1200x800 ; A1:south 4-4+4/4 @32,75^240 ; A2:south 4-4+4/4 @72,60^272 ; B1:north 6-6+2/6 @861,135^300",
)
"""Side by side, so that neither can turn towards the enemy while the other lies there."""


def seen(position: str) -> battle.LocalBattle:
    state = begin(position=position).state
    mine = [galley for galley in state.galleys if galley.seat == 0]
    return battle.local_battle(mine, state.galleys, state.sea, {}, prospects.side_lead)


def ordered(galleys: list[OrderList]) -> FleetOrders:
    return FleetOrders(tuple(galleys), StandingOrders())


@pytest.mark.parametrize("position", [LOCKED[0], pytest.param(LOCKED[1], marks=pytest.mark.long)])
@pytest.mark.parametrize("number", range(times(1, 3)))
def test_neighbours_make_room_for_each_other(position: str, number: int) -> None:
    """An enemy lies still, 700 or 800 mm off; four moves a round are 180 mm."""
    state = begin(position=position, captain="admiral", missed="hold").state
    for _ in range(6):
        first, second = GAME.pending_requests(state)
        answer = GAME.computer_answer(GAME.view(state, 0), first, derive_seed(SEED, f"{number} {first.id}"))
        state = GAME.resolve(state, {first.id: answer, second.id: GAME.parse_answer(state, second, "hold")}).state
    gaps = [hull.hull_gap_mm(own, state.galleys[-1]) for own in state.galleys if own.seat == 0]
    assert max(gaps) < 250


def test_nobody_is_met_or_hit_who_was_out_of_reach() -> None:
    rng = random.Random(7)
    far, near = 0, 0
    for _ in range(400):
        galleys = fleet(rng, 2, Sea(1200.0, 500.0))
        state = begin(position=notation.format_position(Sea(1200.0, 500.0), galleys)).state
        lists = [_straight(galley, galleys) if rng.random() < 0.5 else order_list(rng, galley) for galley in galleys]
        answers = {request.id: ordered([lists[request.seat]]) for request in GAME.pending_requests(state)}
        events = GAME.resolve(state, answers).events
        touched = any(isinstance(event, HullsCollided | VolleyDropped) for event in events)
        if passage.is_out_of_reach(
            battle.local_battle(galleys[:1], galleys, Sea(1200.0, 500.0), {}, prospects.side_lead)
        ):
            far += 1
            assert not touched, notation.format_position(Sea(1200.0, 500.0), galleys)
        near += touched
    assert far > 50
    assert near > 20


def _straight(galley: Galley, galleys: tuple[Galley, ...]) -> OrderList:
    foes = [other for other in galleys if other.side != galley.side]
    return OrderList(galley.id, foresight.plain_list(galley, foes, Sea(1200.0, 500.0)))


@pytest.mark.parametrize(("gap_mm", "far"), [(600, True), (300, False)])
def test_how_far_is_far(gap_mm: int, far: bool) -> None:
    position = f"1200x800 ; A1:south 6-6+2/6 @600,100^0 ; B1:north 4-4+4/4 @600,{100 + gap_mm}^180"
    assert passage.is_out_of_reach(seen(position)) is far


def test_the_way_is_seen_from_the_other_end_of_a_great_table() -> None:
    position = "2400x1000 ; A1:south 6-6+2/6 @100,80^270 ; B1:north 5-5+3/5 @2300,920^270"
    (drawn,) = passage.approach_orders(seen(position), np.random.default_rng(1))
    assert drawn in {"LLFFF", "LLLFF", "RRFFF", "RRRFF"}


def test_turning_is_a_part_of_the_way() -> None:
    position = "1200x800 ; A1:south 6-6+2/6 @600,100^{} ; B1:north 5-5+3/5 @600,700^180"
    there = [seen(position.format(heading)) for heading in (0, 60, 180, 300)]
    ways = [float(prospects.distance_to_enemy(table.start, table.is_enemy, 45.0)[0, 0]) for table in there]
    assert ways[0] < ways[1] < ways[2]
    assert ways[1] == pytest.approx(ways[3], abs=1)


def test_who_is_ahead_presses() -> None:
    """The farther captains are ahead, the more they gain by orders that bring them near."""
    position = "1200x800 ; A1:south 6-6+2/6 @600,100^0 ; B1:north 5-5+3/5 @600,700^180"
    gained = []
    for worth in (0.5, 0.75, 0.95):
        judged = seen(position)._replace(
            haste=battle.ApproachWeights(pressing_worth=0.1),
            worth_function=lambda of, *_, worth=worth: np.full(of.x.shape[1], worth),
        )
        near, away = judged.compute_gains([("FFFFF",), ("RRRFF",)], [("FFFFF",)]).own[:, 0]
        gained.append(near - away)
    assert 0 < gained[0] < gained[1] < gained[2]
