"""The players of the arena: computer captains of every level, and simple-minded players to measure them by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, get_args

from msgspec import structs

from rules.core.protocol import Request
from rules.matchbox.ai import foresight
from rules.matchbox.ai.battle import make_legal
from rules.matchbox.engine.state import Answer, FleetOrders, Level, OrderList
from rules.matchbox.game import Matchbox
from rules.matchbox.interface.view import TableView

GAME: Final = Matchbox()
Player = Callable[[TableView, Request, str], Answer]


def _captain(level: Level) -> Player:
    return lambda view, request, seed: GAME.computer_answer(structs.replace(view, captain_level=level), request, seed)


def greedy(view: TableView, request: Request, seed: str) -> Answer:
    if request.kind != "orders":
        return GAME.computer_answer(structs.replace(view, captain_level="mate"), request, seed)
    foes = [galley for galley in view.galleys if galley.side != view.sides[request.seat]]
    table = view.sea
    lists = [
        OrderList(galley.id, foresight.plain_list(galley, foes, table))
        for galley in view.galleys
        if galley.seat == request.seat
    ]
    return FleetOrders(tuple(lists), view.standing_orders)


def ahead(view: TableView, request: Request, seed: str) -> Answer:
    if request.kind != "orders":
        return GAME.computer_answer(structs.replace(view, captain_level="mate"), request, seed)
    lists = [
        OrderList(galley.id, make_legal("FFFFF", min(galley.port, galley.starboard), galley.masts))
        for galley in view.galleys
        if galley.seat == request.seat
    ]
    return FleetOrders(tuple(lists), view.standing_orders)


PLAYERS: Final[Mapping[str, Player]] = {
    **{level: _captain(level) for level in get_args(Level)},
    "greedy": greedy,
    "ahead": ahead,
}
