"""The way to an enemy out of reach in this round, in the fewest rounds.

Nobody can be met or hit within the round. So the enemy is assumed not to move, and the best orders are those after
which the galleys arrive soonest. The search looks a second round ahead, because neighbours may have to make room before
they can turn. Rowers are moved on the way if that costs no time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Final

import numpy as np

from rules.matchbox.ai import foresight, goals, many_rounds
from rules.matchbox.ai.battle import ANY_LISTS, LocalBattle, OrderPool, PartyOrders, make_legal, parts_left
from rules.matchbox.ai.many_hulls import Floats, Ints
from rules.matchbox.ai.many_rounds import FleetTables
from rules.matchbox.engine import hull, reach
from rules.matchbox.engine.state import Galley
from rules.matchbox.engine.volley import RANGE_MM

_LISTS_TRIED: Final = (64, 16)  # lists for a galley alone, and for each of several
_ORDERS_KEPT: Final = 64  # orders for which a second round is searched, half of them the best and half random
_SECOND_ROUND_LISTS: Final = ("FFFFF", "LFFFF", "RFFFF", "LLFFF", "RRFFF", "LLLFF", "RRRFF")
TURN_COST_MM: Final = 45.0  # the cost of a right-angle turn
_NEARLY_BEST_MM: Final = 25.0  # orders within this distance of the best are nearly as good: about half a move (MB-5.2)
_OAR_WORTH_MM: Final = 90.0  # the worth of an additional oar on the weaker side, and so of a move more in every round
_LOSS_COST_MM: Final = 150.0  # the cost of an oar or a mast lost to reefs or fire
_FIRE_OUT_WORTH_MM: Final = 500.0  # the worth of an extinguished fire, because there is time for it out of reach


def is_out_of_reach(battle: LocalBattle) -> bool:
    """Return whether no galley can meet or hit an enemy in this round, considering land (MB-5.2, 5.3, 6.2).

    In a scenario, galleys near their destination are never out of reach.
    """
    own_galleys = [battle.galleys[own] for own in battle.own]
    if any(goals.is_near_goal(battle.goal, galley, 1.5 * _max_reach(galley)) for galley in own_galleys):
        return False
    round_land = battle.round_land

    def distance_between(own: int, foe: int) -> float:
        gap = hull.hull_gap_mm(battle.galleys[own], battle.galleys[foe])
        if round_land is None:
            return gap
        x, y = hull.hull_middle(battle.galleys[own].pose, battle.galleys[own].kind)
        return gap + float(round_land(foe, np.array([x]), np.array([y])).longer_mm[0])

    return all(
        distance_between(own, foe) > _max_reach(battle.galleys[own]) + _max_reach(battle.galleys[foe]) + RANGE_MM
        for own in battle.own
        for foe in battle.enemies
    )


def _max_reach(galley: Galley) -> float:
    return galley.kind.move_mm * reach.max_moves(galley) + galley.kind.half_width_mm


def approach_orders(
    battle: LocalBattle, rng: np.random.Generator, pools: Mapping[int, OrderPool] = ANY_LISTS, *, plainest: bool = False
) -> PartyOrders:
    """Return the orders that bring a party to the enemy soonest, from pools by galley or all legal lists.

    `plainest` prefers, of nearly equal orders, those with the fewest changes of course.
    """
    tolerance_mm = _NEARLY_BEST_MM * len(battle.own)
    lists_by_galley = (_candidate_lists(battle, number, rng, pools, plainest=plainest) for number in battle.own)
    candidates = list(product(*lists_by_galley))
    after_first = _carry_out(battle, battle.start.repeat(len(candidates)), candidates)
    distances = _total_distance(battle, after_first)
    # Select the best orders by their first round, and others at random or, for `plainest`, the simplest.
    ranked = np.argsort(distances, kind="stable")
    others = rng.permutation(ranked[_ORDERS_KEPT // 2 :]).tolist()
    if plainest:
        others.sort(
            key=lambda k: (distances[k] > distances.min() + tolerance_mm, count_changes_and_turns(candidates[k]))
        )
    selected: Ints = np.array([*ranked[: _ORDERS_KEPT // 2], *others[: _ORDERS_KEPT // 2]])
    own = [battle.galleys[number] for number in battle.own]
    plans = [
        [make_legal(plan, reach.max_moves(galley), galley.masts) for plan in _SECOND_ROUND_LISTS] for galley in own
    ]
    second_rounds = list(product(*plans))
    after_second = _carry_out(
        battle, after_first.pick_rounds(np.repeat(selected, len(second_rounds))), second_rounds * len(selected)
    )
    least_distances = _total_distance(battle, after_second).reshape(len(selected), -1).min(axis=1)
    if plainest:
        nearly_best = selected[least_distances <= least_distances.min() + tolerance_mm].tolist()
        return min((candidates[k] for k in nearly_best), key=count_changes_and_turns)
    return candidates[int(selected[least_distances.argmin()])]


def count_changes_and_turns(party_orders: PartyOrders) -> tuple[int, int]:
    """Return how often orders change from one kind to another, and how many turn. The fewer, the plainer."""
    changes = sum(a != b for order_letters in party_orders for a, b in pairwise(order_letters))
    return changes, sum(order_letters.count(turn) for order_letters in party_orders for turn in "LR")


def _candidate_lists(
    battle: LocalBattle, number: int, rng: np.random.Generator, pools: Mapping[int, OrderPool], *, plainest: bool
) -> list[str]:
    """Return the lists that bring a galley nearest to the enemy, and as many others: random ones, or the `plainest`."""
    galley = battle.galleys[number]
    pool = pools.get(number) or foresight.legal_lists(galley)
    track = foresight.pool_tracks(galley, pool, battle.sea)
    x, y, heading = track.x[:, -1], track.y[:, -1], track.heading[:, -1]
    tables = battle.start.repeat(len(pool))
    tables.x[number] = x + galley.kind.half_length_mm * np.sin(heading)
    tables.y[number] = y + galley.kind.half_length_mm * np.cos(heading)
    tables.heading[number] = np.degrees(heading)
    mending_worth_mm = (
        _FIRE_OUT_WORTH_MM
        if galley.burning
        else _OAR_WORTH_MM * foresight.mending_worth(galley) / foresight.EVENED_OARS_WEIGHT
    )
    gains_mm = mending_worth_mm * np.array([order_letters.startswith("ZZ") for order_letters in pool])
    gains_mm -= _LOSS_COST_MM * foresight.reef_damage(galley, pool, battle.sea)
    distances = battle.distances_mm(tables, TURN_COST_MM)[number] - gains_mm
    ranked = np.argsort(np.round(distances, 6), kind="stable")
    lists_for_one, lists_for_each = _LISTS_TRIED
    count = lists_for_each if len(battle.own) > 1 else lists_for_one
    others = rng.permutation(ranked[count // 2 :]).tolist()
    if plainest:
        others.sort(
            key=lambda k: (distances[k] > distances.min() + _NEARLY_BEST_MM, count_changes_and_turns((pool[k],)))
        )
    return [pool[k] for k in (*ranked[: count // 2], *others[: count // 2])]


def _carry_out(battle: LocalBattle, start: FleetTables, joints: Sequence[PartyOrders]) -> FleetTables:
    """Simulate one party's orders, each on its own table. The enemy does not move."""
    order_codes = battle.order_numbers(joints, [("",) * len(battle.enemies)])
    return many_rounds.concatenate([end.fleets for end in battle.run_rounds(start, order_codes)])


def _total_distance(battle: LocalBattle, tables: FleetTables) -> Floats:
    """Return how far the own party has to go on each table, in mm, with oars and losses converted into mm."""
    own_numbers = list(battle.own)
    weaker_sides = np.minimum(tables.port, tables.starboard)[own_numbers]
    distances = battle.distances_mm(tables, TURN_COST_MM)[own_numbers]
    losses = (parts_left(battle.start) - parts_left(tables))[own_numbers]
    costs = _LOSS_COST_MM * losses + _FIRE_OUT_WORTH_MM * tables.burning[own_numbers]
    return np.asarray(np.round((distances - _OAR_WORTH_MM * weaker_sides + costs).sum(axis=0), 6))
