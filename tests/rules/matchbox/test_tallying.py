"""Counts of captains' orders, rams and volleys, and the expected hits of the matches."""

import math
from functools import cache
from typing import NamedTuple

import pytest

from rules.chance.dice import Dice
from rules.interface.statistics import Statistics, SuccessRate
from rules.matchbox.engine import aim, counting
from rules.matchbox.engine import round as rounds
from rules.matchbox.engine.events import MatchesLaid, VolleyDropped
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import OrderList, State
from rules.matchbox.game import Matchbox
from tests.laws.length import times

ABEAM = "900x600 ; A1:south 4-4+4/4 @400,300^0 ; B1:north 4-4+4/4 @470,300^0"
CROWD = (
    "900x600 ; A1:south 4-4+4/4 @400,300^0 ; A2:south 5-5+3/5 @400,380^90"
    " ; B1:north 4-4+4/4 @500,300^200 ; B2:north 5-5+3/5 @330,220^300"
)
CORNER = "900x600 ; A1:south 4-4+4/4 @30,70^0 ; B1:north 4-4+4/4 @100,80^0"


def played(
    position: str, orders: dict[str, str], seed: str = "5eed", **fields: object
) -> tuple[State, rounds.RoundOutcome]:
    """Return a position of galleys, and one round from it."""
    state = Matchbox().state_at(position)
    lists = [OrderList(galley, text) for galley, text in orders.items()]
    table = state.sea
    return state, rounds.run_round(table, state.galleys, lists, {}, Dice(seed=seed), {}, **fields)


def tally(position: str, orders: dict[str, str], **fields: object) -> dict[int, Statistics]:
    state, outcome = played(position, orders, **fields)
    return counting.count_statistics(state, outcome.events)


def happened(captain: Statistics) -> dict[str, int]:
    """Return the counts that are not 0."""
    return {key: n for key, n in captain.counts.items() if n}


def test_orders_are_counted_by_kind_and_wishes_are_none():
    state = Matchbox().state_at("900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @450,520^180")
    lists = [OrderList("A1", "ZZFXR", ((4, 2),)), OrderList("B1", "FFF")]
    outcome = rounds.run_round(Sea(900.0, 600.0), state.galleys, lists, {}, Dice(seed="5eed"), {})
    counts = counting.count_statistics(state, outcome.events)
    assert counts[0].orders == {"F": 1, "R": 1, "X": 1, "ZZ": 1}
    assert counts[1].orders == {"F": 3}
    assert happened(counts[0]) == happened(counts[1]) == {"rounds": 1}
    assert counts[0].luck == counts[1].luck == {}


def test_a_frontal_ram_is_one_for_both():
    counts = tally("900x600 ; A1:south 6-6+2/6 @450,250^0 ; B1:north 6-6+2/6 @450,320^180", {"A1": "F", "B1": "F"})
    for captain in counts.values():
        assert happened(captain) == {"rammed": 1, "rams": 1, "rounds": 1}
        assert captain.rates["rams"] == SuccessRate(1, 1)


def test_a_ram_from_the_side_is_a_contact_for_both_and_a_ram_for_one():
    counts = tally("900x600 ; A1:south 6-6+2/6 @450,250^0 ; B1:north 6-6+2/6 @430,280^270", {"A1": "F"})
    assert counts[0].rates["rams"] == SuccessRate(1, 1)
    assert counts[1].rates["rams"] == SuccessRate(0, 1)
    assert (counts[0].counts["rams"], counts[1].counts["rammed"]) == (1, 1)


def test_what_allies_do_to_each_other_is_nobodys_deed():
    counts = tally(
        "900x600 ; A1:south 6-6+2/6 @450,250^0 ; C1:south 1-1+2/6 @430,280^270 ; B1:north 6-6+2/6 @800,520^180",
        {"A1": "F"},
    )
    for captain in counts.values():
        assert happened(captain) == {"rounds": 1}
        assert captain.rates == {}


def test_sinkings_are_counted_for_both():
    counts = tally(
        ABEAM.replace("B1:north 4-4", "B1:north 1-1"), {"A1": "X"}, drops={"A1@1": [(700.0, 280.0, 270.0)] * 8}
    )
    assert counts[0].rates["matches"] == SuccessRate(8, 8)
    assert happened(counts[0]) == {"rounds": 1, "sunk": 1, "volleys": 1}
    assert happened(counts[1]) == {"lost": 1, "rounds": 1}


def test_a_spoiled_volley_hits_with_nothing():
    on_deck = (470.0, 270.0, 0.0)
    counts = tally(ABEAM, {"A1": "X"}, drops={"A1@1": [(700.0, 280.0, 270.0)] * 7 + [on_deck]})
    assert counts[0].rates["matches"] == SuccessRate(0, 8)
    assert counts[0].rates["spoiled"] == SuccessRate(1, 1)


def test_a_volley_dropped_far_from_everything_is_owed_next_to_nothing():
    state, outcome = played(ABEAM, {"A1": "X"}, aims={"A1@1": (20.0, 20.0)})
    luck = counting.count_statistics(state, outcome.events)[0].luck["matches"]
    # 8 matches, heads or tails, at a hull of 70 mm across that is 500 mm away: 8 to 9 degrees of 360 each way.
    assert luck.expected == pytest.approx(8 * 2 * 7 / 360, rel=0.25)


def test_what_a_volley_is_owed_is_what_the_aim_map_says_of_its_point():
    state, outcome = played(CROWD, {"A1": "X"})
    volley = next(event for event in outcome.events if isinstance(event, VolleyDropped))
    laid = [event for event in outcome.events if isinstance(event, MatchesLaid)][1]
    by, to = (next(galley for galley in state.galleys if galley.id == name) for name in (volley.by, volley.to))
    shot = aim.AimedVolley(by, to, state.galleys, laid.lying, Sea(900.0, 600.0), volley.matches)
    at = volley.aim_x_mm, volley.aim_y_mm
    expected, _ = aim.hit_distribution(shot, *at)
    assert expected == pytest.approx(aim.chances_at(aim.near_map(shot), *at)[0], rel=0.01)
    assert counting.count_statistics(state, outcome.events)[0].luck["matches"].expected == expected


class Sample(NamedTuple):
    """Hits of many volleys by the resolver, and the expected hits."""

    got: float
    expected: float
    variance: float
    squares: float
    """Of how far each captain's round was off."""


@cache
def sample() -> Sample:
    sums = [0.0] * 4
    for position in (ABEAM, CORNER):
        _, first = played(position, {"A1": "X", "B1": "X"})
        volleys = [event for event in first.events if isinstance(event, VolleyDropped)]
        aims = {f"{galley.by}@{step}": (galley.aim_x_mm, galley.aim_y_mm) for galley in volleys for step in range(1, 5)}
        for seed in range(times(600, 3000)):
            state, outcome = played(position, {"A1": "XXXX", "B1": "XXXX"}, seed=f"{seed:08x}", aims=aims)
            for captain in counting.count_statistics(state, outcome.events).values():
                luck = captain.luck["matches"]
                added = luck.got, luck.expected, luck.variance, (luck.got - luck.expected) ** 2
                sums = [a + b for a, b in zip(sums, added, strict=True)]
    return Sample(*sums)


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "holds"), [(1.0, True), (0.95, False), (1.05, False)])
def test_thousands_of_volleys_give_what_they_owe_and_would_show_it_if_that_were_five_percent_off(factor, holds):
    hits = sample()
    off = hits.got - factor * hits.expected
    assert (abs(off) < 4 * math.sqrt(hits.variance)) == holds


def test_the_error_bar_is_as_long_as_it_should_be():
    hits = sample()
    assert hits.squares == pytest.approx(hits.variance, rel=0.2)
