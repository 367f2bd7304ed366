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
    if any(
        goals.is_near_goal(battle.goal, battle.galleys[mine], 1.5 * _max_reach(battle.galleys[mine]))
        for mine in battle.own
    ):
        return False
    round_land = battle.round_land

    def parted(mine: int, foe: int) -> float:
        gap = hull.hull_gap_mm(battle.galleys[mine], battle.galleys[foe])
        if round_land is None:
            return gap
        x, y = hull.hull_middle(battle.galleys[mine].pose, battle.galleys[mine].kind)
        return gap + float(round_land(foe, np.array([x]), np.array([y])).longer_mm[0])

    return all(
        parted(mine, foe) > _max_reach(battle.galleys[mine]) + _max_reach(battle.galleys[foe]) + RANGE_MM
        for mine in battle.own
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
    slack = _NEARLY_BEST_MM * len(battle.own)
    candidates = list(
        product(*(_candidate_lists(battle, number, rng, pools, plainest=plainest) for number in battle.own))
    )
    first = _carry_out(battle, battle.start.repeat(len(candidates)), candidates)
    way = _total_distance(battle, first)
    ranked = np.argsort(way, kind="stable")
    others = rng.permutation(ranked[_ORDERS_KEPT // 2 :]).tolist()
    if plainest:
        others.sort(key=lambda k: (way[k] > way.min() + slack, count_changes_and_turns(candidates[k])))
    selected: Ints = np.array([*ranked[: _ORDERS_KEPT // 2], *others[: _ORDERS_KEPT // 2]])
    own = [battle.galleys[number] for number in battle.own]
    plans = [
        [make_legal(plan, reach.max_moves(galley), galley.masts) for plan in _SECOND_ROUND_LISTS] for galley in own
    ]
    second = list(product(*plans))
    then = _carry_out(battle, first.pick_rounds(np.repeat(selected, len(second))), second * len(selected))
    soonest = _total_distance(battle, then).reshape(len(selected), -1).min(axis=1)
    if plainest:
        return min(
            (candidates[k] for k in selected[soonest <= soonest.min() + slack].tolist()), key=count_changes_and_turns
        )
    return candidates[int(selected[soonest.argmin()])]


def count_changes_and_turns(joint: PartyOrders) -> tuple[int, int]:
    """Return how often orders change from one kind to another, and how many turn. Less is plainer."""
    changes = sum(a != b for order_letters in joint for a, b in pairwise(order_letters))
    return changes, sum(order_letters.count(turn) for order_letters in joint for turn in "LR")


def _candidate_lists(
    battle: LocalBattle, number: int, rng: np.random.Generator, pools: Mapping[int, OrderPool], *, plainest: bool
) -> list[str]:
    galley = battle.galleys[number]
    pool = pools.get(number) or foresight.legal_lists(galley)
    track = foresight.pool_tracks(galley, pool, battle.sea)
    x, y, heading = track.x[:, -1], track.y[:, -1], track.heading[:, -1]
    alone = battle.start.repeat(len(pool))
    alone.x[number] = x + galley.kind.half_length_mm * np.sin(heading)
    alone.y[number] = y + galley.kind.half_length_mm * np.cos(heading)
    alone.heading[number] = np.degrees(heading)
    mended = (
        _FIRE_OUT_WORTH_MM
        if galley.burning
        else _OAR_WORTH_MM * foresight.mending_worth(galley) / foresight.EVENED_OARS_WEIGHT
    )
    gained = mended * np.array([order_letters.startswith("ZZ") for order_letters in pool])
    gained -= _LOSS_COST_MM * foresight.reef_damage(galley, pool, battle.sea)
    way = battle.distances_mm(alone, TURN_COST_MM)[number] - gained
    ranked = np.argsort(np.round(way, 6), kind="stable")
    most = _LISTS_TRIED[len(battle.own) > 1]
    others = rng.permutation(ranked[most // 2 :]).tolist()
    if plainest:
        others.sort(key=lambda k: (way[k] > way.min() + _NEARLY_BEST_MM, count_changes_and_turns((pool[k],))))
    return [pool[k] for k in (*ranked[: most // 2], *others[: most // 2])]


def _carry_out(battle: LocalBattle, start: FleetTables, joints: Sequence[PartyOrders]) -> FleetTables:
    """Simulate one party's orders, each on its own table. The enemy does not move."""
    doing = battle.order_numbers(joints, [("",) * len(battle.enemies)])
    return many_rounds.concatenate([end.fleets for end in battle.run_rounds(start, doing)])


def _total_distance(battle: LocalBattle, of: FleetTables) -> Floats:
    mine = list(battle.own)
    weaker = np.minimum(of.port, of.starboard)[mine]
    way = battle.distances_mm(of, TURN_COST_MM)[mine]
    lost = (parts_left(battle.start) - parts_left(of))[mine]
    spent = _LOSS_COST_MM * lost + _FIRE_OUT_WORTH_MM * of.burning[mine]
    return np.asarray(np.round((way - _OAR_WORTH_MM * weaker + spent).sum(axis=0), 6))
