"""Texts about a fleet's only Admiral, whose loss may end the battle (SQ-22.7)."""

from __future__ import annotations

from typing import Final

from rules.core.view import Text
from rules.geometry.hexes import Hex
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview import attack_plans

NEAR_HEXES: Final = 2
_MAX_NAMED: Final = 3


def only_admirals_ship(position: Position, side: str) -> Ship | None:
    """Return the ship of a side's only Admiral; None if the side has several or none afloat."""
    admirals = position.admirals(side)
    ship = position.ships_by_id.get(admirals[0].ship) if len(admirals) == 1 else None
    return ship if ship and ship.is_afloat else None


def admiral_goal(position: Position, side: str) -> Text | None:
    ship = only_admirals_ship(position, side)
    return Text("goal.admiral", {"ship": ship.id}) if ship else None


def admiral_danger(position: Position, side: str) -> Text | None:
    ship = only_admirals_ship(position, side)
    enemies = enemies_near(position, ship, ship.hexes) if ship else ()
    return Text("score.admiral", {"ship": ship.id, "foes": enemies}) if ship and enemies else None


def enemies_near(position: Position, ship: Ship, hexes: tuple[Hex, ...]) -> tuple[Text, ...]:
    """Return the nearest enemies of a ship within `NEAR_HEXES` of these hexes, at most `_MAX_NAMED`."""
    others = attack_plans.enemies_by_distance(position, ship)
    names = [name.id for name in others if grid.hex_distance(hexes, name.hexes) <= NEAR_HEXES]
    return tuple(Text("who.ship", {"ship": name}) for name in names[:_MAX_NAMED])
