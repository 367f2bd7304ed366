"""The path to an enemy who can't be reached this round: the smallest number of rounds.

Whatever both sides order, nobody can be met or hit within the round. So the enemy is assumed to lie still, and the best
orders are those after which the galleys reach it soonest. A second round is looked ahead, because neighbours may have
to make room for each other before either can turn. Rowers are moved on the way, while that costs nothing.
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

_LISTS_TRIED: Final = (64, 16)
"""Lists of each galley: of one alone, and of each of more."""
_ORDERS_KEPT: Final = 64
"""Orders of which a second round is looked at, half of them the best and half by lot."""
_SECOND_ROUND_LISTS: Final = ("FFFFF", "LFFFF", "RFFFF", "LLFFF", "RRFFF", "LLLFF", "RRRFF")
TURN_COST_MM: Final = 45.0
"""What it costs to turn by a right angle."""
_NEARLY_BEST_MM: Final = 25.0
"""Of the way to go, by which orders are nearly as good as the best: about half a move (MB-5.2)."""
_OAR_WORTH_MM: Final = 90.0
"""What an oar more on the weaker side, and so a move more in every round, is worth on the way."""


_LOSS_COST_MM: Final = 150.0
"""What an oar or a mast is worth there that reefs or fire would cost."""
_FIRE_OUT_WORTH_MM: Final = 500.0
"""What a fire that is put out is worth there: who is out of reach has time for it."""


def is_out_of_reach(battle: LocalBattle) -> bool:
    """Whether no galley can meet or hit an enemy in this round (MB-5.2, 5.3, 6.2), as land lies between them or not.

    Nor, in a scenario, be where she wants to be.
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
    """The orders that bring a party to the enemy soonest, from pools by galley or from all there are.

    `plainest`: of those that bring it there nearly as soon, those with the fewest changes of course.
    """
    slack = _NEARLY_BEST_MM * len(battle.own)
    tried = list(product(*(_candidate_lists(battle, number, rng, pools, plainest=plainest) for number in battle.own)))
    first = _carry_out(battle, battle.start.repeat(len(tried)), tried)
    way = _total_distance(battle, first)
    ranked = np.argsort(way, kind="stable")
    others = rng.permutation(ranked[_ORDERS_KEPT // 2 :]).tolist()
    if plainest:
        others.sort(key=lambda k: (way[k] > way.min() + slack, count_changes_and_turns(tried[k])))
    kept: Ints = np.array([*ranked[: _ORDERS_KEPT // 2], *others[: _ORDERS_KEPT // 2]])
    own = [battle.galleys[number] for number in battle.own]
    plans = [[make_legal(plan, reach.max_moves(one), one.masts) for plan in _SECOND_ROUND_LISTS] for one in own]
    second = list(product(*plans))
    then = _carry_out(battle, first.pick_rounds(np.repeat(kept, len(second))), second * len(kept))
    soonest = _total_distance(battle, then).reshape(len(kept), -1).min(axis=1)
    if plainest:
        return min((tried[k] for k in kept[soonest <= soonest.min() + slack].tolist()), key=count_changes_and_turns)
    return tried[int(kept[soonest.argmin()])]


def count_changes_and_turns(joint: PartyOrders) -> tuple[int, int]:
    """How often orders change from one kind to another, and how many of them turn: less is plainer."""
    changes = sum(a != b for drawn in joint for a, b in pairwise(drawn))
    return changes, sum(drawn.count(turn) for drawn in joint for turn in "LR")


def _candidate_lists(
    battle: LocalBattle, number: int, rng: np.random.Generator, pools: Mapping[int, OrderPool], *, plainest: bool
) -> list[str]:
    """Lists of one galley: those that bring her nearest with nobody in the way, and the plainest, or others by lot."""
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
    gained = mended * np.array([drawn.startswith("ZZ") for drawn in pool])
    gained -= _LOSS_COST_MM * foresight.reef_damage(galley, pool, battle.sea)
    way = battle.distances_mm(alone, TURN_COST_MM)[number] - gained
    ranked = np.argsort(np.round(way, 6), kind="stable")
    most = _LISTS_TRIED[len(battle.own) > 1]
    others = rng.permutation(ranked[most // 2 :]).tolist()
    if plainest:
        others.sort(key=lambda k: (way[k] > way.min() + _NEARLY_BEST_MM, count_changes_and_turns((pool[k],))))
    return [pool[k] for k in (*ranked[: most // 2], *others[: most // 2])]


def _carry_out(battle: LocalBattle, start: FleetTables, joints: Sequence[PartyOrders]) -> FleetTables:
    """Carry out one party's orders, each on its own table; the enemy lies still."""
    doing = battle.order_numbers(joints, [("",) * len(battle.enemies)])
    return many_rounds.concatenate([end.fleets for end in battle.run_rounds(start, doing)])


def _total_distance(battle: LocalBattle, of: FleetTables) -> Floats:
    """How far the galleys of a party still have to go, all in all, in mm: [table]."""
    mine = list(battle.own)
    weaker = np.minimum(of.port, of.starboard)[mine]
    way = battle.distances_mm(of, TURN_COST_MM)[mine]
    lost = (parts_left(battle.start) - parts_left(of))[mine]
    spent = _LOSS_COST_MM * lost + _FIRE_OUT_WORTH_MM * of.burning[mine]
    return np.asarray(np.round((way - _OAR_WORTH_MM * weaker + spent).sum(axis=0), 6))
