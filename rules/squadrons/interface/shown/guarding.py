"""What captains read of a fleet's only Admiral, whose loss may end the battle (SQ-22.7)."""

from __future__ import annotations

from typing import Final

from rules.core.view import Text
from rules.geometry.hexes import Hex
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview import attack_plans

NEAR_HEXES: Final = 2
"""Hexes: enemies no farther away than this are named."""
_MAX_NAMED: Final = 3


def only_admirals_ship(position: Position, side: str) -> Ship | None:
    """The ship on which a side's only Admiral is, on the map; None if losing her makes no fleet withdraw."""
    admirals = position.admirals(side)
    ship = position.ships_by_id.get(admirals[0].ship) if len(admirals) == 1 else None
    return ship if ship and ship.is_afloat else None


def admiral_goal(position: Position, side: str) -> Text | None:
    """That the fleet may withdraw without its Admiral."""
    ship = only_admirals_ship(position, side)
    return Text("goal.admiral", {"ship": ship.id}) if ship else None


def admiral_danger(position: Position, side: str) -> Text | None:
    """Which enemies are near the Admiral; None if there are none."""
    ship = only_admirals_ship(position, side)
    foes = enemies_near(position, ship, ship.hexes) if ship else ()
    return Text("score.admiral", {"ship": ship.id, "foes": foes}) if ship and foes else None


def enemies_near(position: Position, ship: Ship, hexes: tuple[Hex, ...]) -> tuple[Text, ...]:
    """The first few enemies near a ship, were she on these hexes, the nearest to where she is first."""
    others = attack_plans.enemies_by_distance(position, ship)
    found = [one.id for one in others if grid.hex_distance(hexes, one.hexes) <= NEAR_HEXES]
    return tuple(Text("who.ship", {"ship": one}) for one in found[:_MAX_NAMED])
