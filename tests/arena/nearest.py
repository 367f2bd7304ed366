"""A greedy player of Biremes … Oh My!: straight at the nearest enemy, and the best attack that there is now."""

from __future__ import annotations

from typing import Final

from rules.core.protocol import Request
from rules.ramspeed.engine.geometry import hulls, moves
from rules.ramspeed.engine.orders import Alternative, FaceOrder, Manoeuvre, OrderLine, OrderSheet, StayOrder, SteerOrder
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.interface import aims
from rules.ramspeed.interface.order_drafts import Answer, SheetOrders
from rules.ramspeed.interface.view import AttackPreview, SeaView

_WORTH: Final = {"sunk": 1.0, "stuck": 0.8, "dead": 0.6, "immobilised": 0.25, "bank": 0.5, "linked": 0.45}
"""Of what may come of an attack, as parts of the enemy ship's value."""
_TEETH: Final = 0.3
_ANGLE_MOST: Final = 60  # degrees; a ship that has the enemy farther abaft turns first


def greedy(view: SeaView, request: Request, seed: str) -> Answer:
    position = view.position
    player = position.players[view.seats.index(request.seat)]
    options = [(ship, _best(position, ship)) for ship in position.ships_of(player) if ship.crew]
    options.sort(key=lambda option: -_worth(position, option[1]))
    return SheetOrders(OrderSheet(tuple(OrderLine(ship.id, _chain(position, ship, aim)) for ship, aim in options)))


def _best(position: Position, ship: Ship) -> AttackPreview | None:
    attacks = [attack for attack in aims.legal_attacks(position, ship) if attack.kind != "shot"]
    best = max(attacks, key=lambda option: _worth(position, option), default=None)
    return best if _worth(position, best) >= _TEETH else None


def _worth(position: Position, aim: AttackPreview | None) -> float:
    if aim is None:
        return 0.0
    enemy, ship = position.ship_by_id(aim.target), position.ship_by_id(aim.by)
    hope = sum(_WORTH.get(odd.result, 0.0) * odd.percent / 100 for odd in aim.odds)
    if aim.kind == "grapple":  # boarders are worth what they outnumber
        hope *= min(2.0, ship.crew / max(1, enemy.crew))
    return hope * enemy.ship_class.value


def _chain(position: Position, ship: Ship, aim: AttackPreview | None) -> tuple[Alternative, ...]:
    enemies = position.enemies(ship)
    way: Manoeuvre = StayOrder()
    if enemies:
        goal = min(enemies, key=lambda other: (hulls.measured_distance(ship, other), other.id))
        near = abs(moves.degrees_towards(ship, goal)) <= _ANGLE_MOST
        way = SteerOrder(goal.id, ship.ship_class.fwd) if near else FaceOrder(goal.id)
    return (*((aims.alternative_of(ship, aim),) if aim else ()), Alternative((way,)))
