"""The deckhand: orders that are legal and keep out of the way, with hardly any fire."""

from __future__ import annotations

from typing import Final

from rules.dice import Dice
from rules.matchbox.captains import foresight
from rules.matchbox.desk.view import TableView
from rules.matchbox.table import hull
from rules.matchbox.table.state import MATCH_MM, SLOTS, FleetOrders, Galley, OrderList

_MEET_MM: Final = 2 * SLOTS * MATCH_MM
"""Galleys farther apart cannot meet within a round."""


def fleet_orders(view: TableView, seat: int, dice: Dice) -> FleetOrders:
    """Choose any list for each galley in turn that runs neither into the edge nor into friends."""
    table = (view.width_mm, view.height_mm)
    tracks = {galley.id: foresight.guesses(galley, table) for galley in view.galleys}
    chosen = []
    for galley in view.galleys:
        if galley.seat == seat:
            orders = foresight.lists(galley)
            friends = [tracks[friend.id] for friend in _friends_near(galley, view)]
            clear = foresight.clear(foresight.track(galley, orders, table), friends)
            least = min(drawn.count("X") for drawn in orders)
            shy = [drawn for drawn in orders if drawn.count("X") <= max(1, least)]
            fair = [drawn for drawn, is_clear in zip(orders, clear, strict=True) if is_clear and drawn in shy] or shy
            face, dice = dice.die(len(fair))
            drawn = fair[face - 1]
            tracks[galley.id] = foresight.track(galley, [drawn], table)
            chosen.append(OrderList(galley.id, drawn, ((0, 0),) * drawn.count("ZZ")))
    return FleetOrders(tuple(chosen), view.standing)


def _friends_near(galley: Galley, view: TableView) -> list[Galley]:
    return [
        other
        for other in view.galleys
        if other.side == galley.side and other is not galley and hull.gap_mm(galley.pose, other.pose) < _MEET_MM
    ]
