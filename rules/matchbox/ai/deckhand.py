"""The weakest computer captain: it attacks directly, fires once a round, mixes up orders, and panics when damaged.

It considers where galleys are, not where they will be. Moving aside, or waiting and firing, beats it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import structs

from rules.chance.dice import Dice
from rules.geometry.boxes import Pair
from rules.matchbox.ai import fairway, foresight, grapples
from rules.matchbox.ai.battle import make_legal
from rules.matchbox.ai.goals import scenario_goal
from rules.matchbox.ai.many_hulls import Floats
from rules.matchbox.engine import hull, reach
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import MATCH_MM, SLOTS, FleetOrders, Galley, OrderList
from rules.matchbox.interface.view import TableView

_MAX_MEETING_MM: Final = 2 * SLOTS * MATCH_MM  # galleys farther apart cannot meet within a round
_MAX_VOLLEYS: Final = 1  # shots in a round while the galley can row
_MEND_ORDER: Final = "ZZ"
_WAYS_CONSIDERED: Final = 3  # ways round a friend from which it chooses


def choose_fleet_orders(view: TableView, seat: int, dice: Dice) -> FleetOrders:
    """Send each galley straight at the nearest enemy, round friends in the way or, in panic, anywhere."""
    sea = view.sea
    foes = [galley for galley in view.galleys if galley.side != view.sides[seat]]
    tracks = {galley.id: foresight.guessed_tracks(galley, sea) for galley in view.galleys}
    lists = []
    goal = scenario_goal(view)
    for galley in view.galleys:
        if galley.seat == seat:
            friends = [tracks[friend.id] for friend in _friends_near(galley, view)]
            shaken, dice = _is_shaken(galley, dice)
            has_destination = goal is not None and goal.has_destination(galley)
            letters, dice = _swap_orders(
                goal.straight_list(galley) if goal and has_destination else _straight_list(galley, foes, sea), dice
            )
            if shaken or not (
                (has_destination and not friends)
                or foresight.is_clear(foresight.follow_tracks(galley, [letters], sea), friends).all()
            ):
                ways = _clear_lists(galley, foes, friends, sea)[: None if shaken else _WAYS_CONSIDERED] or [letters]
                face, dice = dice.throw_die(len(ways))
                letters = ways[face - 1]
            tracks[galley.id] = foresight.follow_tracks(galley, [letters], sea)
            letters = grapples.replace_fire_by_grapple(galley, letters, foes) if view.allows_boarding else letters
            lists.append(OrderList(galley.id, letters, ((0, 0),) * letters.count("ZZ")))
    return FleetOrders(tuple(lists), view.standing_orders)


def _straight_list(galley: Galley, foes: list[Galley], sea: Sea) -> str:
    """Return orders straight at the enemy. A galley that burns or has few oars on one side first mends."""
    weaker = min(galley.port, galley.starboard)
    mends = foresight.mending_worth(galley) > 0
    single_shot = structs.replace(galley, masts=min(_MAX_VOLLEYS, galley.masts))
    if mends and all(hull.hull_gap_mm(galley, foe) > weaker * galley.kind.move_mm for foe in foes):
        # Moves and mending share one stock of matches and five steps (MB-3.3, 3.6).
        left = min(reach.max_moves(galley), galley.holes - len(_MEND_ORDER))
        rowers = structs.replace(single_shot, port=left, starboard=left)
        return (_MEND_ORDER + make_legal(foresight.plain_list(rowers, foes, sea), left, galley.masts))[:SLOTS]
    return make_legal(foresight.plain_list(single_shot, foes, sea), reach.max_moves(galley), galley.masts)


def _is_shaken(galley: Galley, dice: Dice) -> tuple[bool, Dice]:
    if (galley.port, galley.starboard, galley.masts) == (galley.holes, galley.holes, galley.mast_holes):
        return False, dice
    face, dice = dice.throw_die(2)
    return face == 1, dice


def _swap_orders(orders: str, dice: Dice) -> tuple[str, Dice]:
    if len(orders) < 2 or "ZZ" in orders:
        return orders, dice
    face, dice = dice.throw_die(len(orders) - 1)
    return orders[: face - 1] + orders[face] + orders[face - 1] + orders[face + 1 :], dice


def _clear_lists(galley: Galley, foes: list[Galley], friends: list[foresight.HullTracks], sea: Sea) -> list[str]:
    orders = foresight.legal_lists(galley)
    track = foresight.pool_tracks(galley, orders, sea)
    least = min(order_letters.count("X") for order_letters in orders)
    fires_little = np.array([order_letters.count("X") <= max(_MAX_VOLLEYS, least) for order_letters in orders])
    x, y = track.x[:, -1], track.y[:, -1]
    foe_middles = [hull.hull_middle(foe.pose, foe.kind) for foe in foes]
    left = np.min([np.hypot(x - foe.x, y - foe.y) + _detour_length(sea, foe, x, y) for foe in foe_middles], axis=0)
    left = np.where(fires_little & foresight.is_clear(track, friends), np.round(left, 6), np.inf)
    return [orders[k] for k in np.argsort(left, kind="stable") if np.isfinite(left[k])]


def _detour_length(sea: Sea, goal: Pair, x: Floats, y: Floats) -> Floats | float:
    return fairway.find_detours(sea, goal, x, y).longer_mm if sea.shore else 0.0


def _friends_near(galley: Galley, view: TableView) -> list[Galley]:
    return [
        other
        for other in view.galleys
        if other.side == galley.side and other is not galley and hull.hull_gap_mm(galley, other) < _MAX_MEETING_MM
    ]
