"""The strongest computer captain, which treats a round as a game of simultaneous choices.

It collects orders for its galleys and for near enemies, simulates all combinations (`many_rounds`), and finds mixtures
from which neither side gains by departing (`find_mixtures`). It adds better replies and mixes again, and looks a second
round ahead for the best orders. It assumes that part of all enemies attack directly or play their first idea. It
maximizes its lead rather than its chance to win, and attacks harder the greater its lead, so that it finishes won
games. Its orders are drawn from its mixture and so are unpredictable, but it goes straight to an enemy out of reach
(`passage`). The number of trials is fixed: the answer depends only on the view and the seed, unless the search is
stopped early (`rules.ai.thinking`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

import numpy as np
from msgspec import UNSET, structs

from rules.ai.thinking import is_enough
from rules.matchbox.ai import foresight, grapples, many_rounds, passage, prospects
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
from rules.matchbox.engine import damage, orders, placing, points
from rules.matchbox.engine.state import SLOTS, FleetOrders, Galley, PendingDecision, Placement, StandingOrders
from rules.matchbox.interface.view import TableView


class Mixtures(NamedTuple):
    first: Floats  # probabilities of the first side's choices, [game, choice]
    second: Floats  # probabilities of the second side's choices, [game, choice]


def find_mixtures(first: Floats, second: Floats, turns: int) -> Mixtures:
    """Return mixtures for the gains of the first and the second side, both [game, first choice, second choice].

    Each turn, both sides choose by their regrets at not having made other choices, which never fall below 0. The result
    is the average of these choices, with later turns weighted more.
    """
    games, first_choices, second_choices = first.shape
    # For each side: how much more each choice would have gained so far, and the sum of its weighted probabilities.
    regrets = [np.zeros((games, first_choices)), np.zeros((games, second_choices))]
    totals = [np.zeros((games, first_choices)), np.zeros((games, second_choices))]
    for turn in range(1, turns + 1):
        mixtures = [_match_regrets(regret) for regret in regrets]
        gains = (first @ mixtures[1][:, :, None])[:, :, 0], (mixtures[0][:, None, :] @ second)[:, 0]
        for side, gain in enumerate(gains):
            regrets[side] = np.maximum(regrets[side] + gain - (gain * mixtures[side]).sum(axis=1, keepdims=True), 0.0)
            totals[side] += turn * mixtures[side]
    return Mixtures(*(total / total.sum(axis=1, keepdims=True) for total in totals))


def game_values(first: Floats, turns: int) -> Floats:  # for the first side; the second gains the negative
    mix = find_mixtures(first, -first, turns)
    return np.asarray(np.einsum("gij,gi,gj->g", first, mix.first, mix.second))


def _match_regrets(regrets: Floats) -> Floats:
    """Choose in proportion to regrets, or evenly if there are none."""
    total = regrets.sum(axis=1, keepdims=True)
    return np.where(total > 0, regrets / np.where(total > 0, total, 1.0), 1.0 / regrets.shape[1])


_FULL_EFFORT_GROUPS: Final = 2  # groups with the full number of trials. More groups share it.
_REPLIES_ADDED: Final = 4  # better replies that one search adds to a party's orders
_MATCHING_ROUNDS: Final = (300, 100)  # turns of regret matching for the first round and the second
_SECOND_ROUND_WEIGHT: Final = 0.5  # weight of the second round
_MIN_WEIGHT: Final = 0.06
_STRAIGHT_ENEMY_CHANCE: Final = 0.25  # probability of an enemy that attacks directly instead of playing the mixture
_PLAIN_ENEMY_CHANCE: Final = 0.2  # probability of an enemy that plays its first idea
_HASTE: Final = ApproachWeights(turning_mm=passage.TURN_COST_MM, pressing_worth=0.1)
_SECOND_ROUND_LISTS: Final = ("FFFFF", "LFFFF", "RFFFF", "XXXXF", "FXXXX", "LLFFF", "RRFFF", "FFXXX", "LFXXX", "RFXXX")
_CASUALTIES: Final[tuple[Literal["seaworthy", "fighting"], ...]] = ("seaworthy", "fighting")
_PREFERRED_HOLES: Final = 4  # 4/4 galleys won most games against both other types (docs/balance.md)


class SearchEffort(NamedTuple):
    first_orders: int  # orders of a party to begin with
    search_count: int  # searches for better replies
    lists_tried: tuple[int, int]
    """Lists tried as better replies: for a party of one galley, and for each galley of a larger one."""
    enemy_orders: int  # the likeliest enemy orders against which replies are tried
    deep_orders: int  # orders of each side for which a second round is simulated


class _OrderMix(NamedTuple):
    """Possible orders of a party and their probabilities."""

    orders: Sequence[PartyOrders]  # each gives every galley of the party a list
    weights: Floats  # probability of each of the orders


def choose_placement(view: TableView, seat: int) -> Placement:
    """Return places for a seat's galleys: close together for a captain alone on a side, else those proposed."""
    side = view.sides[seat]
    unplaced = [galley for galley in view.galleys if galley.id in view.to_place]
    fleet = [galley for galley in view.galleys if galley.side == side and galley not in unplaced]
    is_alone = view.sides.count(side) == 1
    placed = []
    for number, galley in enumerate(unplaced):
        built = points.build_of_galley(galley) if view.builds else _PREFERRED_HOLES
        placed_galley = placing.new_galley(galley.id, seat, side, built, galley.pose)  # where the rules propose
        if is_alone and view.placement_span is not None and fleet:
            strip = max(each.kind.strip_depth_mm for each in unplaced)
            area = placing.PlacementArea(side, *view.placement_span, view.sea, strip)
            mean_x = sum(other.pose.x_mm for other in fleet) / len(fleet)
            galleys_to_come = len(view.to_place) - number - 1
            placed_galley = placing.propose_galley(
                galley.id,
                seat,
                built,
                fleet,
                area,
                to_come=galleys_to_come,
                wish_x_mm=round(mean_x, 3),
                clear=view.scenario is UNSET,
            )
        placed.append(placed_galley)
        fleet.append(placed_galley)
    return Placement(tuple(placed))


def choose_decision(view: TableView, question: PendingDecision) -> str | None:
    """Return the best target, loss or enemy to board; None: no preference."""
    side = view.sides[question.seat]
    names = [galley.id for galley in view.galleys]
    # For each choice, the galleys afterwards and the number of the galley that is fired at (None: no galley).
    tables: list[tuple[tuple[Galley, ...], int | None]] = []
    if question.kind == "grapple":
        galleys_by_id = {galley.id: galley for galley in view.galleys}
        return grapples.best_to_board(
            galleys_by_id[question.galley], [galleys_by_id[choice] for choice in question.choices]
        ).id
    if question.kind == "target":
        tables = [(view.galleys, names.index(choice)) for choice in question.choices]
    elif question.kind == "casualties":
        hurt_number = names.index(question.galley)
        for choice in question.choices:
            port, starboard, masts = map(int, choice.replace("+", "-").split("-"))
            hurt_galley = damage.apply_loss(view.galleys[hurt_number], (port, starboard, masts))
            tables.append(((*view.galleys[:hurt_number], hurt_galley, *view.galleys[hurt_number + 1 :]), None))
    if not tables:
        return None
    enemy = np.array([galley.side != side for galley in view.galleys])
    worth = []
    for galleys, target in tables:
        hits = np.zeros((2, len(galleys), 1))
        if target is not None:
            hits[:, target] = 0.5  # an assumed hit on either side, to compare targets
        lead = prospects.side_lead(many_rounds.fleet_table(galleys, view.sink_rule), hits, enemy)
        worth.append(round(float(lead[0]), 9))
    return question.choices[worth.index(max(worth))]


def choose_fleet_orders(view: TableView, seat: int, rng: np.random.Generator) -> FleetOrders:
    """Return orders for a captain's galleys, found group by group, with standing orders that suit the last group."""
    orders_by_id: dict[str, str] = {}
    standing = StandingOrders()
    fleet = [galley for galley in view.galleys if galley.seat == seat]
    sea = view.sea
    groups = split_groups(fleet)
    effort = effort_for(len(groups))
    for group in groups:
        battle = local_battle(
            group,
            view.galleys,
            sea,
            orders_by_id,
            prospects.side_lead,
            haste=_HASTE,
            boarding=view.allows_boarding,
            sinks=view.sink_rule,
            goal=scenario_goal(view),
        )
        if is_enough():
            group_orders = battle.advance_orders(battle.own)
        elif passage.is_out_of_reach(battle):
            group_orders = passage.approach_orders(battle, rng)
        else:
            own_mix, enemy_mix = _find_mixtures(battle, effort, rng)
            group_orders = _draw_orders(own_mix, rng)
            standing = standing if is_enough() else _choose_standing_orders(battle, group_orders, enemy_mix)
        orders_by_id.update(zip((galley.id for galley in group), group_orders, strict=True))
    lists = tuple(orders.list_without_wishes(galley.id, orders_by_id[galley.id]) for galley in fleet)
    return FleetOrders(lists, structs.replace(standing, prize=view.standing_orders.prize))


def effort_for(groups: int) -> SearchEffort:
    """Return the effort for each group, so that the total is about that of `_FULL_EFFORT_GROUPS`."""
    if groups <= _FULL_EFFORT_GROUPS:
        return SearchEffort(first_orders=14, search_count=2, lists_tried=(400, 90), enemy_orders=4, deep_orders=5)
    share = _FULL_EFFORT_GROUPS / groups
    root_share = math.sqrt(share)  # for numbers of orders of both parties, which are multiplied
    # One search less, because small batches take nearly as long as large ones.
    return SearchEffort(
        first_orders=int(14 * root_share),
        search_count=1,
        lists_tried=(int(400 * share), int(90 * share)),
        enemy_orders=3,
        deep_orders=int(5 * root_share),
    )


# --- thinking --------------------------------------------------------------------------------------------------------


def _find_mixtures(battle: LocalBattle, effort: SearchEffort, rng: np.random.Generator) -> tuple[_OrderMix, _OrderMix]:
    """Return mixtures of orders for the own party and for the enemy from which neither gains by departing."""
    own_orders, enemy_orders = (
        _first_orders(battle, party, effort.first_orders, rng) for party in (battle.own, battle.enemies)
    )
    # Probabilities with which the enemy plays its first ideas even if they do not pay. The first one attacks directly.
    habits = np.full(len(enemy_orders), _PLAIN_ENEMY_CHANCE / len(enemy_orders))
    habits[0] += _STRAIGHT_ENEMY_CHANCE
    gains = battle.compute_gains(own_orders, enemy_orders)
    for _ in range(effort.search_count):
        if is_enough():
            break
        own_weights, enemy_weights = _mix_against(gains, habits)
        own_mix, enemy_mix = _OrderMix(tuple(own_orders), own_weights), _OrderMix(tuple(enemy_orders), enemy_weights)
        own_replies = _search_replies(battle, battle.own, own_mix, enemy_mix, rng, effort=effort)
        enemy_replies = _search_replies(battle, battle.enemies, enemy_mix, own_mix, rng, effort=effort)
        if is_enough():
            break
        own_orders = own_orders + _new_best_replies(own_orders, own_replies)
        enemy_orders = enemy_orders + _new_best_replies(enemy_orders, enemy_replies)
        habits = np.pad(habits, (0, len(enemy_orders) - len(habits)))  # later ideas are never a habit
        gains = battle.compute_gains(own_orders, enemy_orders)
    # Keep only the likeliest orders of both parties, for which a second round is affordable.
    own_best, enemy_best = (
        np.sort(np.argsort(-weights, kind="stable")[: effort.deep_orders]) for weights in _mix_against(gains, habits)
    )
    own_orders, enemy_orders = [own_orders[k] for k in own_best], [enemy_orders[k] for k in enemy_best]
    gains = Gains(*(gain[np.ix_(own_best, enemy_best)] for gain in gains))
    if not is_enough():
        later = _second_round_worth(battle, own_orders, enemy_orders)
        gains = Gains(
            gains.own + _SECOND_ROUND_WEIGHT * (later - gains.own),
            gains.enemy + _SECOND_ROUND_WEIGHT * (1.0 - later - gains.enemy),
        )
    own_weights, enemy_weights = _mix_against(gains, habits[enemy_best])
    return _OrderMix(own_orders, own_weights), _OrderMix(enemy_orders, enemy_weights)


def _draw_orders(mix: _OrderMix, rng: np.random.Generator) -> PartyOrders:
    # Orders with a very small probability are never given.
    weights = np.where(mix.weights >= min(_MIN_WEIGHT, mix.weights.max()), mix.weights, 0.0)
    return mix.orders[int(rng.choice(len(weights), p=weights / weights.sum()))]


def _new_best_replies(known: Sequence[PartyOrders], replies: Sequence[tuple[float, PartyOrders]]) -> list[PartyOrders]:
    ranked = sorted(replies, key=lambda reply: -round(reply[0], 9))
    distinct = dict.fromkeys(orders for _, orders in ranked)
    return [orders for orders in distinct if orders not in known][:_REPLIES_ADDED]


def _mix_against(gains: Gains, habits: Floats) -> tuple[Floats, Floats]:
    """Return probabilities of the own and the enemy's orders, if the enemy keeps to `habits` part of the time."""
    free = 1.0 - habits.sum()
    own_gains = free * gains.own + (gains.own @ habits)[:, None]
    mix = find_mixtures(own_gains[None], gains.enemy[None], _MATCHING_ROUNDS[0])
    return mix.first[0], free * mix.second[0] + habits


def _first_orders(battle: LocalBattle, party: Sequence[int], count: int, rng: np.random.Generator) -> list[PartyOrders]:
    """Return up to `count` orders of a party: a direct attack, the two likeliest, and random likely ones."""
    lists_by_galley = battle.likely_lists(party, count)
    party_orders = [battle.advance_orders(party)]
    party_orders += [tuple(lists[k % len(lists)] for lists in lists_by_galley) for k in range(2)]
    while len(party_orders) < count:
        party_orders.append(tuple(lists[int(rng.integers(len(lists)))] for lists in lists_by_galley))
    return list(dict.fromkeys(party_orders))


def _search_replies(
    battle: LocalBattle,
    party: Sequence[int],
    own: _OrderMix,
    against: _OrderMix,
    rng: np.random.Generator,
    *,
    effort: SearchEffort,
) -> list[tuple[float, PartyOrders]]:
    """Try other lists for one galley at a time, and return these orders with their gains against the enemy's mixture.

    Return nothing if time is up.
    """
    if is_enough():
        return []
    likeliest = np.argsort(-against.weights, kind="stable")[: effort.enemy_orders]
    enemy_orders = [against.orders[k] for k in likeliest]
    weights = against.weights[likeliest] / against.weights[likeliest].sum()
    candidates: list[PartyOrders] = []
    lists_for_one, lists_for_each = effort.lists_tried
    max_lists = lists_for_each if len(party) > 1 else lists_for_one
    for place, number in enumerate(party):
        pool = foresight.legal_lists(battle.galleys[number])
        pool += battle.grappling_lists(number, pool)
        base = own.orders[int(rng.choice(len(own.orders), p=own.weights))]  # orders of which one list is replaced
        numbers = rng.choice(len(pool), min(len(pool), max_lists), replace=False)
        candidates += [(*base[:place], pool[k], *base[place + 1 :]) for k in numbers]
    if party is battle.own:
        value = battle.compute_gains(candidates, enemy_orders).own @ weights
    else:
        value = weights @ battle.compute_gains(enemy_orders, candidates).enemy
    return list(zip(value.tolist(), candidates, strict=True))


# --- the second round ------------------------------------------------------------------------------------------------


def _second_round_worth(
    battle: LocalBattle, own_orders: Sequence[PartyOrders], enemy_orders: Sequence[PartyOrders]
) -> Floats:
    """Return the worth of each pair of orders if a second round follows, [own orders, enemy orders].

    In that round each side chooses among `_SECOND_ROUND_LISTS`, by one number for all its galleys.
    """
    order_codes = battle.order_numbers(own_orders, enemy_orders)
    ends = battle.run_rounds(battle.start.repeat(order_codes.shape[2]), order_codes)
    after = many_rounds.concatenate([prospects.apply_expected_losses(end.fleets, end.hits) for end in ends])
    count, pairs, plans = len(battle.galleys), order_codes.shape[2], len(_SECOND_ROUND_LISTS)
    second = np.zeros((SLOTS, count, pairs, plans, plans), np.int64)  # [step, galley, pair, own plan, enemy plan]
    max_moves = np.array([[galley.kind.max_moves] for galley in battle.galleys])
    # Oars on the weaker side limit a galley's moves.
    moves = np.clip(np.minimum(after.port, after.starboard), 0, max_moves)
    for number in range(count):
        plans_by_pair = [
            _remaining_moves(int(most), int(masts))
            for most, masts in zip(moves[number], after.masts[number], strict=True)
        ]
        # Each galley numbers its plans differently, so that galleys of a side do not all do the same.
        own_plans = np.roll(np.stack(plans_by_pair, axis=1), 3 * number, axis=2)
        second[:, number] = own_plans[:, :, None, :] if battle.is_enemy[number] else own_plans[:, :, :, None]
    start = after.pick_rounds(np.repeat(np.arange(pairs), plans * plans))
    worth = battle.judge_outcomes(battle.run_rounds(start, second.reshape(SLOTS, count, -1)))
    values = game_values(worth.reshape(pairs, plans, plans), _MATCHING_ROUNDS[1])
    return values.reshape(len(own_orders), len(enemy_orders))


@cache
def _remaining_moves(weaker: int, masts: int) -> Ints:
    """Return what a galley with so many oars on its weaker side can carry out of each plan, [step, plan]."""
    plans = np.array([many_rounds.order_numbers(make_legal(plan, weaker, masts)) for plan in _SECOND_ROUND_LISTS]).T
    plans.setflags(write=False)
    return plans


# --- standing orders -------------------------------------------------------------------------------------------------


def _choose_standing_orders(battle: LocalBattle, party_orders: PartyOrders, enemy_mix: _OrderMix) -> StandingOrders:
    """Return the best target and kind of casualties for these orders against the enemy's mixture."""
    targets = ("nearest", "weakest", *(battle.galleys[foe].id for foe in battle.enemies))
    candidates = [
        StandingOrders(target=target, casualties=casualties)
        for target in (targets if len(battle.enemies) > 1 else targets[:1])
        for casualties in _CASUALTIES
    ]
    order_codes = battle.order_numbers([party_orders] * len(candidates), enemy_mix.orders)
    standing_by_round = [candidate for candidate in candidates for _ in enemy_mix.orders]
    start = battle.start.repeat(len(standing_by_round))
    values = battle.judge_outcomes(battle.run_rounds(start, order_codes, standing_by_round))
    worth = np.round(values.reshape(len(candidates), -1) @ enemy_mix.weights, 6)
    return candidates[int(worth.argmax())]
