"""Why a ship cannot do what she is ordered: said to captains in place of the rule, where that says less (part 10.3)."""

from __future__ import annotations

from typing import Final, Literal

from rules.ramspeed.table.geometry import hulls
from rules.ramspeed.table.orders import Attack, Ram, Shoot, Swipe, Transfer
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

Hindrance = Literal["", "deserted", "undermanned", "locked", "burning", "stopped", "gone", "far"]
"""Of her: no crew, too few men to shoot, held in a fight, on fire, or not able to move; of the other: no longer there,
or out of reach of any course. Empty: none of it."""
_RULES: Final = frozenset({"RS-04.5", "RS-08.4", "RS-09.5", "RS-10.1", "RS-14.2", "RS-14.3", "RS-17.1"})
"""That also forbid something for other reasons."""
OUT_OF_REACH_RULES: Final = frozenset({"RS-08.5", "RS-09.6", "RS-10.1"})
"""By which an attack is forbidden because the enemy is too far away."""
_SHOTS: Final = frozenset({"RS-14.2", "RS-14.3"})
"""A ship that cannot move may shoot."""


def hindrance_of(position: Position, ship: Ship, order: Attack | Shoot | Transfer | None, rule: str) -> Hindrance:
    """Why a ship cannot do something that breaks a rule; empty where the rule says it."""
    if order is None or not rule:
        return ""
    other = position.ship(order.partner if isinstance(order, Transfer) else order.target)
    if rule in _RULES and (state := _state(position, ship, other, rule)):
        return state
    return "far" if isinstance(order, Attack) and other.afloat and out_of_reach(ship, other, order) else ""


def _state(position: Position, ship: Ship, other: Ship, rule: str) -> Hindrance:
    if not other.afloat:
        return "gone"
    if ship.derelict:
        return "deserted"
    if rule == "RS-14.2" and ship.crew < CONSTANTS.missile_crew:
        return "undermanned"
    if position.locked(ship.id):
        return "locked"
    if ship.fire and not ship.fireship:
        return "burning"
    return "stopped" if rule not in _SHOTS and position.immobile(ship) else ""


def out_of_reach(ship: Ship, other: Ship, attack: Attack) -> bool:
    """Whether no course brings her to the other, whatever else is wrong."""
    return not hulls.within(ship, other, reach(ship, attack))


def reach(ship: Ship, attack: Attack) -> float:
    """Inches at which an attack still reaches an enemy (RS-08.5, RS-09.6, RS-10.1)."""
    match attack:
        case Ram():
            return ship.fwd + ship.ram_bonus
        case Swipe():
            return ship.fwd - attack.past
    return ship.fwd
