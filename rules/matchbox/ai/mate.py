"""The computer captains, who see only what their seat sees. The view says how well they play.

The first mate carries out possible orders against a few guesses of the enemies' orders (`battle`), and takes one of the
best. It leaves out orders that can have no effect (`bearing`), and goes straight to an enemy out of reach (`passage`).
The deckhand and the admiral have modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Final

import numpy as np
from msgspec import structs

from rules.ai.thinking import is_enough
from rules.chance.dice import Dice
from rules.core.protocol import Request
from rules.matchbox.ai import admiral, bearing, deckhand, grapples, passage, prospects
from rules.matchbox.ai.battle import LocalBattle, OrderPool, PartyOrders, local_battle, make_legal, split_groups
from rules.matchbox.ai.goals import scenario_goal
from rules.matchbox.ai.many_hulls import Floats
from rules.matchbox.engine import placing, reach
from rules.matchbox.engine.state import Answer, Decision, FleetOrders, OrderList, Placement, StandingOrders
from rules.matchbox.interface import decisions, fleets
from rules.matchbox.interface.view import TableView

_LISTS_TRIED: Final = (40, 6)
"""How many lists of orders it considers: for one galley alone, and for each of two."""
_ADVANCE_CHANCE: Final = 0.45
"""How likely the enemies come straight on and fire."""
_OTHER_PLANS: Final = {"FFFFF": 0.2, "XXXXF": 0.15, "LFFFF": 0.1, "RFFFF": 0.1}
"""What else they may do, and how likely: row on, hold and fire, or evade."""
_BOARDING_CHANCE: Final = 0.2
"""And that they board who is within their reach, and weaker."""
_EQUAL_CHANCE: Final = 0.02
"""Orders whose chance of winning is within this of the best count as equal, so that it can't be predicted."""
_MAX_EQUAL: Final = 6
_LOSS_WEIGHT: Final = 0.1
"""What advice takes off the chance of winning for the loss of all oars and masts: to trade them evenly is no advice."""
_TYPE_CHOICES: Final = (6, 5, 5, 4)
_DECKHAND_TYPE_CHOICES: Final = (6, 6, 6, 5)
"""Oar holes of the types that they take, equally often (MB-1.3)."""


def advise(view: TableView, request: Request, seed: str) -> Answer:
    """The first mate's answer, however well computer captains play: of what is nearly as good as the best the plainest.

    It fires only if an enemy who lies still is in range and, more often than not, one who rows; and it runs into nobody
    bow to bow merely to lose as much as they do.
    """
    if request.kind == "orders":
        return _choose_fleet_orders(view, request.seat, seed, plainest=True)
    return computer_answer(structs.replace(view, captain_level="mate"), request, seed)


def computer_answer(view: TableView, request: Request, seed: str) -> Answer:
    """The answer to a request, from what the seat sees. The seed (hex) decides between equals."""
    if view.fleet_context:
        return fleets.computer_fleet(view.fleet_context, Dice(seed).throw_die(100)[0])
    if request.kind == "place":
        wise = view.captain_level == "admiral"
        return admiral.choose_placement(view, request.seat) if wise else _choose_placement(view, request, Dice(seed))
    if request.kind == "orders":
        if view.captain_level == "admiral":
            return admiral.choose_fleet_orders(view, request.seat, np.random.default_rng(int(seed, 16)))
        if view.captain_level == "deckhand":
            return deckhand.choose_fleet_orders(view, request.seat, Dice(seed))
        return _choose_fleet_orders(view, request.seat, seed)
    question = next(asked for asked in view.decisions if request.id.endswith(f".{asked.key}"))
    chosen = admiral.choose_decision(view, question) if view.captain_level == "admiral" else None
    return Decision(chosen) if chosen else decisions.default_decision(view.galleys, question)


def _choose_placement(view: TableView, request: Request, dice: Dice) -> Placement:
    """The places that the view proposes, which are legal, with types by whim."""
    types = _DECKHAND_TYPE_CHOICES if view.captain_level == "deckhand" else _TYPE_CHOICES
    mine = []
    for galley in view.galleys:
        if galley.id in view.to_place and view.builds:
            mine.append(galley)
        elif galley.id in view.to_place:
            face, dice = dice.throw_die(len(types))
            mine.append(placing.new_galley(galley.id, request.seat, galley.side, types[face - 1], galley.pose))
    return Placement(tuple(mine))


def _choose_fleet_orders(view: TableView, seat: int, seed: str, *, plainest: bool = False) -> FleetOrders:
    """Choose lists for a few galleys at a time, and keep the captain's standing orders."""
    dice, rng = Dice(seed), np.random.default_rng(int(seed, 16))
    decided: dict[str, str] = {}
    fleet = [galley for galley in view.galleys if galley.seat == seat]
    for group in split_groups(fleet):
        battle = local_battle(
            group,
            view.galleys,
            view.sea,
            decided,
            prospects.win_chances,
            boarding=view.allows_boarding,
            goal=scenario_goal(view),
        )
        if is_enough():
            drawn = battle.advance_orders(battle.own)
        else:
            drawn, dice = _choose_group_orders(battle, view.standing_orders, dice, rng, plainest=plainest)
        decided.update(zip((galley.id for galley in group), drawn, strict=True))
    lists = [OrderList(one.id, decided[one.id], ((0, 0),) * decided[one.id].count("ZZ")) for one in fleet]
    return FleetOrders(tuple(lists), view.standing_orders)


def _choose_group_orders(
    battle: LocalBattle, standing: StandingOrders, dice: Dice, rng: np.random.Generator, *, plainest: bool
) -> tuple[PartyOrders, Dice]:
    """Orders for one group: the way to a far enemy, or the best of some that can have an effect."""
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
    """Carry out what promises well by rough measure, in every combination, and take one of the best."""
    likely = battle.likely_lists(battle.own, _LISTS_TRIED[len(battle.own) > 1], pools)
    advance = battle.advance_orders(battle.own)
    straight = all(drawn in pools[number] for drawn, number in zip(advance, battle.own, strict=True))
    tried = list(dict.fromkeys((*([advance] if straight else []), *product(*likely))))
    guessed, weights = _guess_enemy_orders(battle)
    gains = battle.compute_gains(tried, guessed, standing, caution=_LOSS_WEIGHT if plainest else 0.0)
    value = np.round(gains.own @ weights, 6)
    if plainest:
        return min(
            (tried[k] for k in np.flatnonzero(value >= value.max() - _EQUAL_CHANCE)),
            key=passage.count_changes_and_turns,
        ), dice
    best = np.argsort(-value, kind="stable")[:_MAX_EQUAL]
    alike = [tried[k] for k in best if value[k] >= value[best[0]] - _EQUAL_CHANCE]
    face, dice = dice.throw_die(len(alike))
    return alike[face - 1], dice


def _guess_enemy_orders(battle: LocalBattle) -> tuple[list[PartyOrders], Floats]:
    """What the enemies may do, and how likely each is."""
    foes = [battle.galleys[foe] for foe in battle.enemies]
    guessed = {battle.advance_orders(battle.enemies): _ADVANCE_CHANCE}
    for plan, likely in _OTHER_PLANS.items():
        joint = tuple(make_legal(plan, reach.max_moves(foe), foe.masts) for foe in foes)
        guessed[joint] = guessed.get(joint, 0.0) + likely
    if battle.allows_boarding:
        held = battle.advance_orders(battle.enemies)
        pairs = zip(foes, held, strict=True)
        boards = tuple(
            grapples.replace_fire_by_grapple(foe, drawn, [battle.galleys[own] for own in battle.own])
            for foe, drawn in pairs
        )
        guessed[boards] = guessed.get(boards, 0.0) + (_BOARDING_CHANCE if boards != held else 0.0)
    return list(guessed), np.array(list(guessed.values()))
