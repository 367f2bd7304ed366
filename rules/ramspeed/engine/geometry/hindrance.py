"""Reasons why a ship cannot carry out an order, shown where the rule number says less."""

from __future__ import annotations

from typing import Final, Literal

from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.orders import AttackOrder, CrewTransferOrder, RamOrder, ShootOrder, SwipeOrder
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS

HindranceKind = Literal["", "deserted", "undermanned", "locked", "burning", "stopped", "gone", "far"]
"""`deserted` to `stopped` describe the ship itself: no crew, too few men to shoot, locked, on fire or unable to move.

`gone` and `far` describe the target: no longer afloat, or out of reach on any course. Empty: none of these.
"""
_AMBIGUOUS_RULES: Final = frozenset({"RS-04.5", "RS-08.4", "RS-09.5", "RS-10.1", "RS-14.2", "RS-14.3", "RS-17.1"})
OUT_OF_REACH_RULES: Final = frozenset({"RS-08.5", "RS-09.6", "RS-10.1"})
_SHOT_RULES: Final = frozenset({"RS-14.2", "RS-14.3"})  # rules of shots, which a ship may fire even if it cannot move


def find_hindrance(
    position: Position, ship: Ship, order: AttackOrder | ShootOrder | CrewTransferOrder | None, rule: str
) -> HindranceKind:
    """Return why a ship cannot do something that breaks a rule, or "" if the rule itself explains it."""
    if order is None or not rule:
        return ""
    other = position.ship_by_id(order.partner if isinstance(order, CrewTransferOrder) else order.target)
    if rule in _AMBIGUOUS_RULES and (state := _hindering_state(position, ship, other, rule)):
        return state
    return "far" if isinstance(order, AttackOrder) and other.is_afloat and is_out_of_reach(ship, other, order) else ""


def _hindering_state(position: Position, ship: Ship, other: Ship, rule: str) -> HindranceKind:
    """Return the state of either ship that prevents the order, or "" if neither prevents it."""
    if not other.is_afloat:
        return "gone"
    if ship.is_derelict:
        return "deserted"
    if rule == "RS-14.2" and ship.crew < CONSTANTS.missile_crew:
        return "undermanned"
    if position.is_locked(ship.id):
        return "locked"
    if ship.fire and not ship.fireship:
        return "burning"
    return "stopped" if rule not in _SHOT_RULES and position.is_immobile(ship) else ""


def is_out_of_reach(ship: Ship, other: Ship, attack: AttackOrder) -> bool:
    """Return whether no course brings the ship to the other, ignoring all other rules."""
    return not hulls.is_within(ship, other, attack_reach(ship, attack))


def attack_reach(ship: Ship, attack: AttackOrder) -> float:
    """Return the greatest distance in inches at which an attack can reach an enemy (RS-08.5, RS-09.6, RS-10.1)."""
    match attack:
        case RamOrder():
            return ship.forward_allowance + ship.ram_run_bonus
        case SwipeOrder():
            return ship.forward_allowance - attack.past
    return ship.forward_allowance
