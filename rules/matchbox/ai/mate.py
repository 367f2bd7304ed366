"""The computer captains. They see only what their seat may see, and the view contains their level.

The first mate simulates candidate orders against a few guesses of the enemies' orders (`battle`) and chooses one of the
best. It omits orders that cannot have an effect (`bearing`), and goes straight to an enemy out of reach (`passage`).
The deckhand goes straight at the nearest enemy. The admiral has a module of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final

import numpy as np
from msgspec import structs

from rules.ai.thinking import is_enough
from rules.chance.dice import Dice
from rules.core.finding import find_by_id
from rules.core.protocol import Request
from rules.core.view import Text
from rules.geometry.boxes import Pair
from rules.matchbox.ai import admiral, bearing, fairway, foresight, grapples, passage, prospects
from rules.matchbox.ai.battle import LocalBattle, OrderPool, PartyOrders, local_battle, make_legal, split_groups
from rules.matchbox.ai.bearing import InRangeChance
from rules.matchbox.ai.goals import scenario_goal
from rules.matchbox.ai.many_hulls import Floats
from rules.matchbox.engine import hull, orders, placing, reach
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import (
    MATCH_MM,
    SLOTS,
    Answer,
    Decision,
    FleetOrders,
    Galley,
    Placement,
    StandingOrders,
)
from rules.matchbox.interface import decisions, fleets
from rules.matchbox.interface.view import TableView

_MAX_MEETING_MM: Final = 2 * SLOTS * MATCH_MM  # galleys farther apart cannot meet within a round
_MAX_VOLLEYS: Final = 1  # shots in a round while the galley can row
_MEND_ORDER: Final = "ZZ"
_WAYS_CONSIDERED: Final = 3  # ways round a friend from which the deckhand chooses


def choose_deckhand_orders(view: TableView, seat: int, dice: Dice) -> FleetOrders:
    """Return orders straight at the nearest enemy or the goal, round friends or, in panic, anywhere."""
    sea = view.sea
    foes = [galley for galley in view.galleys if galley.side != view.sides[seat]]
    tracks = {galley.id: foresight.guessed_tracks(galley, sea) for galley in view.galleys}
    lists = []
    goal = scenario_goal(view)
    for galley in view.galleys:
        if galley.seat == seat:
            # Own galleys before this one have their real tracks already.
            friends = [tracks[friend.id] for friend in _friends_near(galley, view)]
            is_shaken, dice = _is_shaken(galley, dice)
            has_destination = goal is not None and goal.has_destination(galley)
            straight = goal.straight_list(galley) if goal and has_destination else _straight_list(galley, foes, sea)
            letters, dice = _swap_orders(straight, dice)
            is_way_free = (has_destination and not friends) or bool(
                foresight.is_clear(foresight.follow_tracks(galley, [letters], sea), friends).all()
            )
            if is_shaken or not is_way_free:
                clear_lists = _clear_lists(galley, foes, friends, sea)
                candidates = (clear_lists if is_shaken else clear_lists[:_WAYS_CONSIDERED]) or [letters]
                face, dice = dice.throw_die(len(candidates))
                letters = candidates[face - 1]
            tracks[galley.id] = foresight.follow_tracks(galley, [letters], sea)
            letters = grapples.replace_fire_by_grapple(galley, letters, foes) if view.allows_boarding else letters
            lists.append(orders.list_without_wishes(galley.id, letters))
    return FleetOrders(tuple(lists), view.standing_orders)


def _straight_list(galley: Galley, foes: list[Galley], sea: Sea) -> str:
    """Return orders straight at the enemy. A galley that burns or has few oars on one side first mends."""
    weaker = min(galley.port, galley.starboard)
    mends = foresight.mending_worth(galley) > 0
    single_shot = structs.replace(galley, masts=min(_MAX_VOLLEYS, galley.masts))
    if mends and all(hull.hull_gap_mm(galley, foe) > weaker * galley.kind.move_mm for foe in foes):
        # Moves and mending share one stock of matches and five steps (MB-3.3, 3.6).
        moves_left = min(reach.max_moves(galley), galley.holes - len(_MEND_ORDER))
        rowers = structs.replace(single_shot, port=moves_left, starboard=moves_left)
        return (_MEND_ORDER + make_legal(foresight.plain_list(rowers, foes, sea), moves_left, galley.masts))[:SLOTS]
    return make_legal(foresight.plain_list(single_shot, foes, sea), reach.max_moves(galley), galley.masts)


def _is_shaken(galley: Galley, dice: Dice) -> tuple[bool, Dice]:
    """Return whether the deckhand panics, on average every second time with a damaged galley, and the next dice."""
    if (galley.port, galley.starboard, galley.masts) == (galley.holes, galley.holes, galley.mast_holes):
        return False, dice
    face, dice = dice.throw_die(2)
    return face == 1, dice


def _swap_orders(letters: str, dice: Dice) -> tuple[str, Dice]:
    """Return the orders with two neighbouring ones exchanged at random, and the next dice."""
    if len(letters) < 2 or "ZZ" in letters:
        return letters, dice
    face, dice = dice.throw_die(len(letters) - 1)
    return letters[: face - 1] + letters[face] + letters[face - 1] + letters[face + 1 :], dice


def _clear_lists(galley: Galley, foes: list[Galley], friends: list[foresight.HullTracks], sea: Sea) -> list[str]:
    """Return lists that keep clear of friends and hardly fire, those that end nearest to an enemy first."""
    lists = foresight.legal_lists(galley)
    track = foresight.pool_tracks(galley, lists, sea)
    shots = np.array([letters.count("X") for letters in lists])
    fires_little = shots <= max(_MAX_VOLLEYS, shots.min())
    x, y = track.x[:, -1], track.y[:, -1]
    foe_middles = [hull.hull_middle(foe.pose, foe.kind) for foe in foes]
    distance_left = np.min(
        [np.hypot(x - foe.x, y - foe.y) + _detour_length(sea, foe, x, y) for foe in foe_middles], axis=0
    )
    is_suitable = fires_little & foresight.is_clear(track, friends)
    return [lists[k] for k in np.argsort(np.round(distance_left, 6), kind="stable") if is_suitable[k]]


def _detour_length(sea: Sea, goal: Pair, x: Floats, y: Floats) -> Floats | float:
    return fairway.find_detours(sea, goal, x, y).longer_mm if sea.shore else 0.0


def _friends_near(galley: Galley, view: TableView) -> list[Galley]:
    return [
        other
        for other in view.galleys
        if other.side == galley.side and other is not galley and hull.hull_gap_mm(galley, other) < _MAX_MEETING_MM
    ]


_MAX_LINES: Final = 3  # shots that a hint mentions, the least likely first
_CERTAIN_CHANCE: Final = 0.99  # more certain shots are not mentioned


def describe_odds(view: TableView, answer: Answer, _: str) -> tuple[Text, ...]:
    """Return sentences with the chance of a target for each shot, except almost certain ones."""
    if not isinstance(answer, FleetOrders):
        return ()
    uncertain: list[tuple[InRangeChance, str, int]] = []  # the chance, the galley's id and the step of each shot
    for order_list in answer.lists:
        galley = find_by_id(view.galleys, order_list.galley)
        foes = [other for other in view.galleys if other.side != galley.side]
        chances_by_step = bearing.in_range_chances(galley, order_list.orders, foes, view.sea) if foes else {}
        uncertain += [
            (in_range, galley.id, step)
            for step, in_range in chances_by_step.items()
            if in_range.chance < _CERTAIN_CHANCE
        ]
    return tuple(_chance_line(*each) for each in sorted(uncertain)[:_MAX_LINES])


def _chance_line(share: InRangeChance, galley: str, step: int) -> Text:
    key = "fire" if share.includes_rowing else "guess" if share.chance else "vain"
    return Text(f"promise.{key}", {"galley": galley, "step": step, "share": share.chance})


_LISTS_TRIED: Final = (40, 6)  # lists considered for one galley alone, and for each of two
_ADVANCE_CHANCE: Final = 0.45  # probability that the enemies attack directly
_OTHER_PLANS: Final = {"FFFFF": 0.2, "XXXXF": 0.15, "LFFFF": 0.1, "RFFFF": 0.1}  # other enemy lists' probabilities
_BOARDING_CHANCE: Final = 0.2  # weight of the plan that the enemies board a weaker galley within reach
_EQUAL_CHANCE: Final = 0.02  # orders within this chance of the best count as equal, so that the choice is unpredictable
_MAX_EQUAL: Final = 6  # nearly equal orders from which the mate draws
_LOSS_WEIGHT: Final = 0.1
"""Part of the chance to win that advice deducts for losing everything, so that it avoids even trades."""
_TYPE_CHOICES: Final = (6, 5, 5, 4)
_DECKHAND_TYPE_CHOICES: Final = (6, 6, 6, 5)
"""Oar holes of the types that the captains choose with equal probability (MB-1.3)."""


def advise(view: TableView, request: Request, seed: str) -> Answer:
    """Return the first mate's advice at any level: the plainest of the nearly best orders.

    It fires only if an enemy that does not move is in range and, mostly, one that rows. It avoids frontal collisions in
    which both lose equally.
    """
    if request.kind == "orders":
        return _choose_mate_orders(view, request.seat, seed, plainest=True)
    return computer_answer(structs.replace(view, captain_level="mate"), request, seed)


def computer_answer(view: TableView, request: Request, seed: str) -> Answer:
    """Return the answer to a request from what the seat sees. The seed (hex) decides between equals."""
    if view.fleet_context:
        return fleets.computer_fleet(view.fleet_context, Dice(seed).throw_die(100)[0])
    if request.kind == "place":
        is_admiral = view.captain_level == "admiral"
        return (
            admiral.choose_placement(view, request.seat) if is_admiral else _choose_placement(view, request, Dice(seed))
        )
    if request.kind == "orders":
        if view.captain_level == "admiral":
            return admiral.choose_fleet_orders(view, request.seat, np.random.default_rng(int(seed, 16)))
        if view.captain_level == "deckhand":
            return choose_deckhand_orders(view, request.seat, Dice(seed))
        return _choose_mate_orders(view, request.seat, seed)
    # A question in the middle of a round, with an id such as `r2.3.loss.A1.0`.
    question = next(decision for decision in view.decisions if request.id.endswith(f".{decision.key}"))
    choice = admiral.choose_decision(view, question) if view.captain_level == "admiral" else None
    return Decision(choice) if choice else decisions.default_decision(view.galleys, question)


def _choose_placement(view: TableView, request: Request, dice: Dice) -> Placement:
    types = _DECKHAND_TYPE_CHOICES if view.captain_level == "deckhand" else _TYPE_CHOICES
    placed = []
    for galley in view.galleys:
        if galley.id in view.to_place and view.builds:
            placed.append(galley)
        elif galley.id in view.to_place:
            face, dice = dice.throw_die(len(types))
            placed.append(placing.new_galley(galley.id, request.seat, galley.side, types[face - 1], galley.pose))
    return Placement(tuple(placed))


def _choose_mate_orders(view: TableView, seat: int, seed: str, *, plainest: bool = False) -> FleetOrders:
    """Return the first mate's orders, found group by group. `plainest` prefers simple orders, as for a hint."""
    dice, rng = Dice(seed), np.random.default_rng(int(seed, 16))
    orders_by_id: dict[str, str] = {}
    fleet = [galley for galley in view.galleys if galley.seat == seat]
    for group in split_groups(fleet):
        battle = local_battle(
            group,
            view.galleys,
            view.sea,
            orders_by_id,
            prospects.win_chances,
            boarding=view.allows_boarding,
            sinks=view.sink_rule,
            goal=scenario_goal(view),
        )
        if is_enough():
            group_orders = battle.advance_orders(battle.own)
        else:
            group_orders, dice = _choose_group_orders(battle, view.standing_orders, dice, rng, plainest=plainest)
        orders_by_id.update(zip((galley.id for galley in group), group_orders, strict=True))
    lists = tuple(orders.list_without_wishes(galley.id, orders_by_id[galley.id]) for galley in fleet)
    return FleetOrders(lists, view.standing_orders)


def _choose_group_orders(
    battle: LocalBattle, standing: StandingOrders, dice: Dice, rng: np.random.Generator, *, plainest: bool
) -> tuple[PartyOrders, Dice]:
    foes = [battle.galleys[foe] for foe in battle.enemies]
    pools = {
        number: bearing.sensible_lists(
            battle.galleys[number],
            foes,
            battle.sea,
            certain=plainest,
            beaches=battle.goal is not None and battle.goal.wants_to_beach(battle.galleys[number]),
        )
        for number in battle.own
    }
    if passage.is_out_of_reach(battle):
        return passage.approach_orders(battle, rng, pools, plainest=plainest), dice
    return _best_orders(battle, pools, standing, dice, plainest=plainest)


def _best_orders(
    battle: LocalBattle, pools: Mapping[int, OrderPool], standing: StandingOrders, dice: Dice, *, plainest: bool
) -> tuple[PartyOrders, Dice]:
    """Try combinations of likely lists against guesses of the enemy's orders, and return one of the best."""
    lists_for_one, lists_for_each = _LISTS_TRIED
    max_lists = lists_for_each if len(battle.own) > 1 else lists_for_one
    combinations = [*product(*battle.likely_lists(battle.own, max_lists, pools))]
    advance = battle.advance_orders(battle.own)
    may_advance = all(order_letters in pools[number] for order_letters, number in zip(advance, battle.own, strict=True))
    if may_advance:
        combinations.insert(0, advance)
    candidates = list(dict.fromkeys(combinations))
    enemy_orders, weights = _guess_enemy_orders(battle)
    gains = battle.compute_gains(candidates, enemy_orders, standing, caution=_LOSS_WEIGHT if plainest else 0.0)
    value = np.round(gains.own @ weights, 6)
    if plainest:
        nearly_best = [candidates[k] for k in np.flatnonzero(value >= value.max() - _EQUAL_CHANCE)]
        return min(nearly_best, key=passage.count_changes_and_turns), dice
    best_numbers = np.argsort(-value, kind="stable")[:_MAX_EQUAL]
    equals = [candidates[k] for k in best_numbers if value[k] >= value[best_numbers[0]] - _EQUAL_CHANCE]
    face, dice = dice.throw_die(len(equals))
    return equals[face - 1], dice


def _guess_enemy_orders(battle: LocalBattle) -> tuple[list[PartyOrders], Floats]:
    """Return possible orders of the enemy, and the weight of each: a direct attack, simple plans, and boarding."""
    foes = [battle.galleys[foe] for foe in battle.enemies]
    weight_by_orders = {battle.advance_orders(battle.enemies): _ADVANCE_CHANCE}
    for plan, chance in _OTHER_PLANS.items():
        party_orders = tuple(make_legal(plan, reach.max_moves(foe), foe.masts) for foe in foes)
        weight_by_orders[party_orders] = weight_by_orders.get(party_orders, 0.0) + chance
    if battle.allows_boarding:
        advance = battle.advance_orders(battle.enemies)
        own = [battle.galleys[number] for number in battle.own]
        boarding_orders = tuple(
            grapples.replace_fire_by_grapple(foe, order_letters, own)
            for foe, order_letters in zip(foes, advance, strict=True)
        )
        if boarding_orders != advance:
            weight_by_orders[boarding_orders] = weight_by_orders.get(boarding_orders, 0.0) + _BOARDING_CHANCE
    return list(weight_by_orders), np.array(list(weight_by_orders.values()))
