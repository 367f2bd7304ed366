"""In what state a ship is unfit for what she is ordered: said to captains in place of the rule (part 10.3)."""

from __future__ import annotations

from typing import Final, Literal

from rules.ramspeed.state import Position, Ship

Unfit = Literal["", "deserted", "locked", "burning", "stopped", "gone"]
"""Of her: no crew, held in a fight, on fire, or not able to move; of the other: no longer there. Empty: none of it."""
_RULES: Final = frozenset({"RS-04.5", "RS-08.4", "RS-09.5", "RS-10.1", "RS-14.2", "RS-14.3", "RS-17.1"})
"""That also forbid something for other reasons."""
_SHOTS: Final = frozenset({"RS-14.2", "RS-14.3"})
"""A ship that cannot move may shoot."""


def unfit(position: Position, ship: Ship, target: str | None, rule: str) -> Unfit:
    """Why a ship is unfit for an order about a target that breaks a rule; empty where the rule says it."""
    if rule not in _RULES:
        return ""
    if target and not position.ship(target).afloat:
        return "gone"
    if ship.derelict:
        return "deserted"
    if position.locked(ship.id):
        return "locked"
    if ship.fire and not ship.fireship:
        return "burning"
    return "stopped" if rule not in _SHOTS and position.immobile(ship) else ""
