"""Counting: how many lists of orders are legal, and how many results two small tables have over all joint orders.

The counts of results are kept per first order of the first galley, so that a difference says where to look.
"""

from collections import defaultdict
from functools import cache
from itertools import product

import pytest
from msgspec import structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.matchbox.engine import notation, orders
from rules.matchbox.engine.round import run_round
from rules.matchbox.engine.state import MASTS_BY_HOLES, SLOTS, Galley, StandingOrders
from rules.matchbox.interface.order_drafts import all_lists

LISTS = {
    "6-6+2/6": 1182,
    "5-5+3/5": 1276,
    "4-4+4/4": 931,
    "6-2+2/6": 210,
    "3-5+1/5": 336,
    "4-4+0/4": 109,
    "2-3+1/6": 147,
    "1-1+4/4": 58,
    "1-6+0/6": 18,
    "1-1+0/4": 10,
}
"""Legal lists by crew."""

RAMMING = "400x300 ; A1:south 2-2+0/6 @200,100^0 ; B1:north 1-1+0/4 @222,190^150"
FIRING = "500x400 ; A1:south 1-1+1/5 @200,150^30 ; B1:north 1-1+2/5 @300,210^300"
RESULTS = {
    RAMMING: {"F": (10, 100, 24), "L": (10, 100, 16), "R": (10, 100, 19), "ZZ": (15, 150, 52)},
    FIRING: {"F": (4, 228, 5), "L": (4, 228, 5), "R": (4, 228, 5), "X": (10, 570, 14), "ZZ": (14, 798, 20)},
}
"""By first order of A1: lists of A1, joint orders, distinct results."""


def crew(text):
    return notation.parse_position(f"600x400 ; A1:south {text} @300,200^0").galleys[0]


@cache
def strings():
    """Yield every string of the five letters, with both matches of a `ZZ`, that fits into a round."""
    tokens = [token for length in range(SLOTS + 1) for token in product(("F", "L", "R", "X", "ZZ"), repeat=length)]
    return frozenset(text for text in map("".join, tokens) if len(text) <= SLOTS)


def legal(galley: Galley, text: str) -> bool:
    """Return if the orders are legal by MB-3.3 to 3.7, written here a second time."""

    def carried_out(text: str) -> bool:
        moves, fire, crossed = (sum(letter in kind for letter in text) for kind in ("FLR", "X", "Z"))
        return (
            len(text) <= 5
            and moves <= min(galley.port, galley.starboard)
            and fire <= galley.masts
            and moves + crossed <= galley.holes
        )

    return carried_out(text) and not any(carried_out(text + more) for more in "FX")


@pytest.mark.parametrize("text", LISTS)
def test_legal_lists(text):
    galley = crew(text)
    expected = {text for text in strings() if legal(galley, text)}
    listed = [order_list.orders for order_list in all_lists(galley)]
    assert set(listed) == expected
    assert len(listed) == len(set(listed)) == LISTS[text]


@pytest.mark.parametrize("text", LISTS)
def test_every_other_string_is_refused(text):
    galley = crew(text)
    for one in strings():
        try:
            orders.parse_legal(galley, one)
        except OrderError:
            accepted = False
        else:
            accepted = True
        assert accepted == legal(galley, one), one


@pytest.mark.parametrize("holes", MASTS_BY_HOLES)
def test_every_galley_afloat_has_a_legal_list(holes):
    for port, starboard, masts in product(range(1, holes + 1), range(1, holes + 1), range(MASTS_BY_HOLES[holes] + 1)):
        galley = structs.replace(crew(f"{holes}-{holes}+0/{holes}"), port=port, starboard=starboard, masts=masts)
        assert next(all_lists(galley))


@pytest.mark.parametrize("position", RESULTS)
def test_results_over_all_joint_orders(position):
    counted = count(position)
    for first, numbers in counted.items():
        print(f"{first}: {numbers[0]} lists, {numbers[1]} joint orders, {numbers[2]} results")  # noqa: T201 -- read when they differ
    assert counted == RESULTS[position]


def count(position):
    """Return for each first order of the first galley its lists, joint orders, and distinct results."""
    table = notation.parse_position(position)
    first, second = table.galleys
    aims = {f"{galley}@{step}": (250.0, 180.0) for galley in ("A1", "B1") for step in range(1, SLOTS + 1)}
    lists, joint, results = defaultdict(int), defaultdict(int), defaultdict(set)
    for mine in all_lists(first):
        key = orders.split_orders(mine.orders)[0]
        lists[key] += 1
        for theirs in all_lists(second):
            joint[key] += 1
            outcome = run_round(
                table.sea,
                table.galleys,
                (mine, theirs),
                {0: StandingOrders(), 1: StandingOrders()},
                Dice(seed="c0"),
                {},
                aims=aims,
            )
            results[key].add(notation.format_position(table.sea, outcome.galleys))
    return {key: (lists[key], joint[key], len(results[key])) for key in lists}
