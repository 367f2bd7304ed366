"""The computer captains, who see no more than their seat does. How well they play, the view says.

A deckhand gives orders that are legal, and keeps out of the way. The first mate tries, for each galley, all lists of
orders against a few guesses of what the enemies will do, and takes one of the best: rams with a run, volleys in range,
on the way to the enemy and clear of friends and of the table's edge. The admiral has a file of his own (`admiral`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from rules.dice import Dice
from rules.matchbox import admiral, damage, foresight, hull, placing
from rules.matchbox.foresight import Track
from rules.matchbox.state import MATCH_MM, SLOTS, Answer, Decision, FleetOrders, Galley, OrderList, Placement, Question
from rules.matchbox.view import TableView
from rules.matchbox.volley import RANGE_MM
from rules.protocol import Request

_NEAREST: Final = 4
"""Enemies that a galley minds."""
_MEET_MM: Final = 2 * SLOTS * MATCH_MM
"""Galleys farther apart cannot meet within a round."""
_ALIKE: Final = 0.35
"""Lists that are worth less than the best by no more than this are as good to him: so he cannot be read."""
_MOST_ALIKE: Final = 6
_TYPES: Final = (6, 5, 5, 4)
_TYPES_OF_A_DECKHAND: Final = (6, 6, 6, 5)
"""Oar holes of the types that they take, equally often (MB-1.3)."""


def answer(view: TableView, request: Request, seed: str) -> Answer:
    """Answer a request from what a seat sees. The seed (hex) is for his whims."""
    if request.kind in {"place", "orders"} and view.captain == "admiral":
        answers = admiral.placement if request.kind == "place" else admiral.fleet_orders
        return answers(view, request.seat, np.random.default_rng(int(seed, 16)))
    if request.kind == "place":
        return _placement(view, request, Dice(seed))
    if request.kind == "orders":
        return _fleet_orders(view, request.seat, Dice(seed))
    question = next(asked for asked in view.questions if request.id.endswith(f".{asked.key}"))
    wise = admiral.decision(view, question) if view.captain == "admiral" else None
    return Decision(wise or _decision(view, question))


def _placement(view: TableView, request: Request, dice: Dice) -> Placement:
    """Take the places that the view proposes, which are legal, with types by whim."""
    types = _TYPES_OF_A_DECKHAND if view.captain == "deckhand" else _TYPES
    mine = []
    for galley in view.galleys:
        if galley.id in view.to_place:
            face, dice = dice.die(len(types))
            mine.append(placing.new_galley(galley.id, request.seat, galley.side, types[face - 1], galley.pose))
    return Placement(tuple(mine))


def _fleet_orders(view: TableView, seat: int, dice: Dice) -> FleetOrders:
    """Choose a list for each galley in turn, clear of those chosen before, and keep the captain's standing orders."""
    table = (view.width_mm, view.height_mm)
    tracks = {galley.id: foresight.guesses(galley, table) for galley in view.galleys}
    chosen = []
    for galley in view.galleys:
        if galley.seat != seat:
            continue
        foes = [tracks[enemy.id] for enemy in _nearest(galley, view)]
        friends = [tracks[friend.id] for friend in _friends_near(galley, view)]
        if view.captain == "deckhand":
            drawn, dice = _any(galley, friends, table, dice)
        else:
            drawn, dice = _choose(galley, foes, friends, table, dice)
        tracks[galley.id] = foresight.track(galley, [drawn], table)
        chosen.append(OrderList(galley.id, drawn, ((0, 0),) * drawn.count("ZZ")))
    return FleetOrders(tuple(chosen), view.standing)


def _nearest(galley: Galley, view: TableView) -> list[Galley]:
    """Give the nearest enemy, and the next of those that he can come to fight in this round."""
    gaps = sorted(
        (round(hull.gap_mm(galley.pose, other.pose), 6), other.id, other)
        for other in view.galleys
        if other.side != galley.side
    )
    return [other for gap, _, other in gaps[:_NEAREST] if other is gaps[0][2] or gap < _MEET_MM + RANGE_MM]


def _friends_near(galley: Galley, view: TableView) -> list[Galley]:
    return [
        other
        for other in view.galleys
        if other.side == galley.side and other is not galley and hull.gap_mm(galley.pose, other.pose) < _MEET_MM
    ]


def _choose(
    galley: Galley, foes: Sequence[Track], friends: Sequence[Track], table: tuple[float, float], dice: Dice
) -> tuple[str, Dice]:
    orders = foresight.lists(galley)
    value = np.round(foresight.worth(galley, orders, foresight.track(galley, orders, table), foes, friends), 6)
    best = np.argsort(-value, kind="stable")[:_MOST_ALIKE]
    alike = [orders[k] for k in best if value[k] >= value[best[0]] - _ALIKE]
    face, dice = dice.die(len(alike))
    return alike[face - 1], dice


def _any(galley: Galley, friends: Sequence[Track], table: tuple[float, float], dice: Dice) -> tuple[str, Dice]:
    """Choose as a deckhand would: hardly any fire, and anything that runs neither into the edge nor into friends."""
    orders = foresight.lists(galley)
    clear = foresight.clear(foresight.track(galley, orders, table), friends)
    least = min(drawn.count("X") for drawn in orders)
    shy = [drawn for drawn in orders if drawn.count("X") <= max(1, least)]
    fair = [drawn for drawn, is_clear in zip(orders, clear, strict=True) if is_clear and drawn in shy] or shy
    face, dice = dice.die(len(fair))
    return fair[face - 1], dice


def _decision(view: TableView, question: Question) -> str:
    galley = next(galley for galley in view.galleys if galley.id == question.galley)
    if question.kind == "aim":
        return "steady"
    if question.kind == "target":
        there = {other.id: other for other in view.galleys}
        return min(question.choices, key=lambda choice: round(hull.gap_mm(galley.pose, there[choice].pose), 6))
    if question.kind == "reorganize":
        return "{}-{}".format(*damage.reorganize(galley, (0, 0)))
    splits = {tuple(int(part) for part in choice.replace("+", "-").split("-")): choice for choice in question.choices}
    options = [(port, starboard, masts) for port, starboard, masts in splits]
    return splits[damage.choose(options, galley, "seaworthy")]
