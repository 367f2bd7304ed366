"""The admiral: plays a round as a game in which both sides choose at once.

It collects orders for its galleys and for enemies near them, carries out all against all (`many_rounds`), and finds the
mixtures from which neither side would depart (`mixing`). Then it adds better replies to these and mixes again; for the
orders that are left it looks a second round ahead. Partly it expects an enemy of habits: one who comes straight on, or
plays the first thing they think of. It judges by how far it is ahead, not by its chances, and presses harder the
further it is ahead, so that it doesn't dawdle when it has nearly won. Its orders are drawn from its own mixture, so
they can't be predicted; but it goes straight to an enemy out of reach (`passage`). How much it thinks is counted: the
answer depends only on the view and the seed, unless somebody says that it takes too long (`rules.ai.thinking`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

import numpy as np
from msgspec import UNSET, structs

from rules.ai.thinking import is_enough
from rules.matchbox.ai import foresight, grapples, many_rounds, mixing, passage, prospects
from rules.matchbox.ai.battle import (
    ApproachWeights,
    Gains,
    LocalBattle,
    PartyOrders,
    local_battle,
    make_legal,
    split_groups,
)
from rules.matchbox.ai.goals import scenario_goal
from rules.matchbox.ai.many_hulls import Floats, Ints
from rules.matchbox.engine import damage, placing, points
from rules.matchbox.engine.state import (
    SLOTS,
    FleetOrders,
    Galley,
    OrderList,
    PendingDecision,
    Placement,
    StandingOrders,
)
from rules.matchbox.interface.view import TableView

_FULL_EFFORT_GROUPS: Final = 2
"""Groups that are thought about fully; more of them share the same number of trials."""
_REPLIES_ADDED: Final = 4
_MATCHING_ROUNDS: Final = (300, 100)
"""Of regret matching, in the first round and the second."""
_SECOND_ROUND_WEIGHT: Final = 0.5
"""How much the second round counts beside the first."""
_MIN_WEIGHT: Final = 0.06
"""Orders that are hardly ever to be given are not given."""
_STRAIGHT_ENEMY_CHANCE: Final = 0.25
"""Probability of an enemy who comes straight on and fires, instead of playing the mixture."""
_PLAIN_ENEMY_CHANCE: Final = 0.2
"""Probability of an enemy who plays the first thing they think of."""
_HASTE: Final = ApproachWeights(turning_mm=passage.TURN_COST_MM, pressing_worth=0.1)
_SECOND_ROUND_LISTS: Final = ("FFFFF", "LFFFF", "RFFFF", "XXXXF", "FXXXX", "LLFFF", "RRFFF", "FFXXX", "LFXXX", "RFXXX")
"""Orders of a second round."""
_CASUALTIES: Final[tuple[Literal["seaworthy", "fighting"], ...]] = ("seaworthy", "fighting")
_PREFERRED_HOLES: Final = 4
"""The type of its galleys: 4/4 has won most games against both other types (docs/balance.md)."""


class SearchEffort(NamedTuple):
    """How much is tried for one group."""

    first_orders: int
    """Orders of each party to begin with."""
    search_count: int
    """How often better replies are looked for."""
    lists_tried: tuple[int, int]
    """Lists that are tried as better replies: for the galley of a party of one, and for each of a greater one."""
    enemy_orders: int
    """The enemy's orders that they are tried against, the likeliest."""
    deep_orders: int
    """Orders of each party of which a second round is looked at."""


class _OrderMix(NamedTuple):
    """What a party might order, and how often it should."""

    orders: Sequence[PartyOrders]
    weights: Floats


def choose_placement(view: TableView, seat: int) -> Placement:
    """Galleys side by side, so that they meet the enemy together; where allies are to come, as proposed."""
    side = view.sides[seat]
    asked = [galley for galley in view.galleys if galley.id in view.to_place]
    fleet = [galley for galley in view.galleys if galley.side == side and galley not in asked]
    alone = view.sides.count(side) == 1 and view.placement_span is not None
    placed = []
    for number, galley in enumerate(asked):
        built = points.build_of_galley(galley) if view.builds else _PREFERRED_HOLES
        new = placing.new_galley(galley.id, seat, side, built, galley.pose)
        if alone and view.placement_span is not None and fleet:
            strip = max(one.kind.strip_depth_mm for one in asked)
            where = placing.PlacementArea(side, *view.placement_span, view.sea, strip)
            beside = sum(other.pose.x_mm for other in fleet) / len(fleet)
            to_come = len(view.to_place) - number - 1
            clear, wish = view.scenario is UNSET, round(beside, 3)
            new = placing.propose_galley(
                galley.id, seat, built, fleet, where, to_come=to_come, wish_x_mm=wish, clear=clear
            )
        placed.append(new)
        fleet.append(new)
    return Placement(tuple(placed))


def choose_decision(view: TableView, question: PendingDecision) -> str | None:
    """The best target, loss or enemy to board; None: no preference."""
    side = view.sides[question.seat]
    names = [galley.id for galley in view.galleys]
    tables: list[tuple[tuple[Galley, ...], int | None]] = []
    if question.kind == "grapple":
        there = {galley.id: galley for galley in view.galleys}
        return grapples.best_to_board(there[question.galley], [there[choice] for choice in question.choices]).id
    if question.kind == "target":
        tables = [(view.galleys, names.index(choice)) for choice in question.choices]
    elif question.kind == "casualties":
        hurt = names.index(question.galley)
        for choice in question.choices:
            port, starboard, masts = map(int, choice.replace("+", "-").split("-"))
            lost = damage.apply_loss(view.galleys[hurt], (port, starboard, masts))
            tables.append(((*view.galleys[:hurt], lost, *view.galleys[hurt + 1 :]), None))
    if not tables:
        return None
    enemy = np.array([galley.side != side for galley in view.galleys])
    worth = []
    for galleys, target in tables:
        hits = np.zeros((2, len(galleys), 1))
        if target is not None:
            hits[:, target] = 0.5
        worth.append(round(float(prospects.side_lead(many_rounds.fleet_table(galleys), hits, enemy)[0]), 9))
    return question.choices[worth.index(max(worth))]


def choose_fleet_orders(view: TableView, seat: int, rng: np.random.Generator) -> FleetOrders:
    """Orders for a captain's galleys, found a few at a time, with standing orders to go with them."""
    decided: dict[str, str] = {}
    standing = StandingOrders()
    fleet = [galley for galley in view.galleys if galley.seat == seat]
    sea = view.sea
    parts = split_groups(fleet)
    effort = effort_for(len(parts))
    for group in parts:
        battle = local_battle(
            group,
            view.galleys,
            sea,
            decided,
            prospects.side_lead,
            haste=_HASTE,
            boarding=view.allows_boarding,
            goal=scenario_goal(view),
        )
        if is_enough():
            drawn = battle.advance_orders(battle.own)
        elif passage.is_out_of_reach(battle):
            drawn = passage.approach_orders(battle, rng)
        else:
            mine, theirs = _find_mixtures(battle, effort, rng)
            drawn = _draw_orders(mine, rng)
            standing = standing if is_enough() else _choose_standing_orders(battle, drawn, theirs)
        decided.update(zip((galley.id for galley in group), drawn, strict=True))
    lists = [OrderList(one.id, decided[one.id], ((0, 0),) * decided[one.id].count("ZZ")) for one in fleet]
    return FleetOrders(tuple(lists), structs.replace(standing, prize=view.standing_orders.prize))


def effort_for(groups: int) -> SearchEffort:
    """Return the effort for each of so many groups: together hardly more than `_FULL_EFFORT_GROUPS` of them get."""
    if groups <= _FULL_EFFORT_GROUPS:
        return SearchEffort(first_orders=14, search_count=2, lists_tried=(400, 90), enemy_orders=4, deep_orders=5)
    share = _FULL_EFFORT_GROUPS / groups
    less = math.sqrt(share)  # of what is tried in pairs
    # One search fewer: small batches take nearly as long as large ones.
    return SearchEffort(
        first_orders=int(14 * less),
        search_count=1,
        lists_tried=(int(400 * share), int(90 * share)),
        enemy_orders=3,
        deep_orders=int(5 * less),
    )


# --- thinking --------------------------------------------------------------------------------------------------------


def _find_mixtures(battle: LocalBattle, effort: SearchEffort, rng: np.random.Generator) -> tuple[_OrderMix, _OrderMix]:
    """One's own mixture of orders, and what the enemy is expected to order."""
    mine, theirs = (_first_orders(battle, party, effort.first_orders, rng) for party in (battle.own, battle.enemies))
    habits = np.full(len(theirs), _PLAIN_ENEMY_CHANCE / len(theirs))
    habits[0] += _STRAIGHT_ENEMY_CHANCE
    gains = battle.compute_gains(mine, theirs)
    for _ in range(effort.search_count):
        if is_enough():
            break
        for_me, for_them = _mix_against(gains, habits)
        mix, against = _OrderMix(tuple(mine), for_me), _OrderMix(tuple(theirs), for_them)
        for_mine = _new_best_replies(mine, _search_replies(battle, battle.own, mix, against, rng, effort=effort))
        for_theirs = _new_best_replies(
            theirs, _search_replies(battle, battle.enemies, against, mix, rng, effort=effort)
        )
        if is_enough():
            break
        mine, theirs = mine + for_mine, theirs + for_theirs
        habits = np.pad(habits, (0, len(theirs) - len(habits)))
        gains = battle.compute_gains(mine, theirs)
    kept = [
        np.sort(np.argsort(-weights, kind="stable")[: effort.deep_orders]) for weights in _mix_against(gains, habits)
    ]
    mine, theirs = [mine[k] for k in kept[0]], [theirs[k] for k in kept[1]]
    now = gains = Gains(*(gain[np.ix_(*kept)] for gain in gains))
    if not is_enough():
        later = _second_round_worth(battle, mine, theirs)
        gains = Gains(
            now.own + _SECOND_ROUND_WEIGHT * (later - now.own),
            now.enemy + _SECOND_ROUND_WEIGHT * (1.0 - later - now.enemy),
        )
    for_me, for_them = _mix_against(gains, habits[kept[1]])
    return _OrderMix(mine, for_me), _OrderMix(theirs, for_them)


def _draw_orders(mix: _OrderMix, rng: np.random.Generator) -> PartyOrders:
    kept = np.where(mix.weights >= min(_MIN_WEIGHT, mix.weights.max()), mix.weights, 0.0)
    return mix.orders[int(rng.choice(len(kept), p=kept / kept.sum()))]


def _new_best_replies(known: Sequence[PartyOrders], found: Sequence[tuple[float, PartyOrders]]) -> list[PartyOrders]:
    """The best of the replies that are not known yet."""
    ranked = sorted(found, key=lambda reply: -round(reply[0], 9))
    return [joint for joint in dict.fromkeys(joint for _, joint in ranked) if joint not in known][:_REPLIES_ADDED]


def _mix_against(gains: Gains, habits: Floats) -> tuple[Floats, Floats]:
    """The own mixture and the enemy's, who follows habits by these odds and otherwise plays their best."""
    free = 1.0 - habits.sum()
    mix = mixing.find_mixtures(
        (free * gains.own + (gains.own @ habits)[:, None])[None], gains.enemy[None], _MATCHING_ROUNDS[0]
    )
    return mix.first[0], free * mix.second[0] + habits


def _first_orders(battle: LocalBattle, party: Sequence[int], count: int, rng: np.random.Generator) -> list[PartyOrders]:
    """Orders to begin with: straight at the enemy, and whatever is best by rough measure."""
    short = battle.likely_lists(party, count)
    joints = [battle.advance_orders(party)]
    joints += [tuple(lists[k % len(lists)] for lists in short) for k in range(2)]
    joints += [tuple(lists[int(rng.integers(len(lists)))] for lists in short) for _ in range(count - len(joints))]
    return list(dict.fromkeys(joints))


def _search_replies(
    battle: LocalBattle,
    party: Sequence[int],
    own: _OrderMix,
    against: _OrderMix,
    rng: np.random.Generator,
    *,
    effort: SearchEffort,
) -> list[tuple[float, PartyOrders]]:
    """Try other lists for one galley at a time, each with its gain against the enemy's mixture. Empty: no time."""
    top = np.argsort(-against.weights, kind="stable")[: effort.enemy_orders]
    weights, enemy = against.weights[top] / against.weights[top].sum(), [against.orders[k] for k in top]
    tried: list[PartyOrders] = []
    if is_enough():
        return []
    for place, number in enumerate(party):
        pool = foresight.legal_lists(battle.galleys[number])
        pool += battle.grappling_lists(number, pool)
        base = own.orders[int(rng.choice(len(own.orders), p=own.weights))]
        picked = rng.choice(len(pool), min(len(pool), effort.lists_tried[len(party) > 1]), replace=False)
        tried += [(*base[:place], pool[k], *base[place + 1 :]) for k in picked]
    if party is battle.own:
        value = battle.compute_gains(tried, enemy).own @ weights
    else:
        value = weights @ battle.compute_gains(enemy, tried).enemy
    return list(zip(value.tolist(), tried, strict=True))


# --- the second round ------------------------------------------------------------------------------------------------


def _second_round_worth(battle: LocalBattle, mine: Sequence[PartyOrders], theirs: Sequence[PartyOrders]) -> Floats:
    """What each pair of orders is worth if a second round follows: [mine, theirs].

    In it every galley of a side has a plan of the same number, but plans are handed round from galley to galley.
    """
    doing = battle.order_numbers(mine, theirs)
    ends = battle.run_rounds(battle.start.repeat(doing.shape[2]), doing)
    after = many_rounds.concatenate([prospects.apply_expected_losses(end.fleets, end.hits) for end in ends])
    count, cells, plans = len(battle.galleys), doing.shape[2], len(_SECOND_ROUND_LISTS)
    second = np.zeros((SLOTS, count, cells, plans, plans), np.int64)
    most = np.array([[galley.kind.max_moves] for galley in battle.galleys])
    weaker = np.clip(np.minimum(after.port, after.starboard), 0, most)
    for number in range(count):
        own = np.stack(
            [
                _remaining_moves(int(oars), int(masts))
                for oars, masts in zip(weaker[number], after.masts[number], strict=True)
            ],
            axis=1,
        )
        turned = np.roll(own, 3 * number, axis=2)
        second[:, number] = turned[:, :, None, :] if battle.is_enemy[number] else turned[:, :, :, None]
    start = after.pick_rounds(np.repeat(np.arange(cells), plans * plans))
    worth = battle.judge_outcomes(battle.run_rounds(start, second.reshape(SLOTS, count, -1)))
    values = mixing.game_values(worth.reshape(cells, plans, plans), _MATCHING_ROUNDS[1])
    return values.reshape(len(mine), len(theirs))


@cache
def _remaining_moves(weaker: int, masts: int) -> Ints:
    """What a galley can still do of each plan: [step, plan]."""
    plans = np.array([many_rounds.order_numbers(make_legal(plan, weaker, masts)) for plan in _SECOND_ROUND_LISTS]).T
    plans.setflags(write=False)
    return plans


# --- standing orders -------------------------------------------------------------------------------------------------


def _choose_standing_orders(battle: LocalBattle, drawn: PartyOrders, theirs: _OrderMix) -> StandingOrders:
    """Choose the standing orders that go best with what was drawn, against the enemy's mixture."""
    targets = ("nearest", "weakest", *(battle.galleys[foe].id for foe in battle.enemies))
    found = [
        StandingOrders(target=target, casualties=casualties)
        for target in (targets if len(battle.enemies) > 1 else targets[:1])
        for casualties in _CASUALTIES
    ]
    doing = battle.order_numbers([drawn] * len(found), theirs.orders)
    each = [one for one in found for _ in theirs.orders]
    ends = battle.judge_outcomes(battle.run_rounds(battle.start.repeat(len(each)), doing, each))
    worth = np.round(ends.reshape(len(found), -1) @ theirs.weights, 6)
    return found[int(worth.argmax())]
