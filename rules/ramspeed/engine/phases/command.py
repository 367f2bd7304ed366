"""Command: ships far from their side's flagship roll a die before they obey (RS-22.4)."""

from __future__ import annotations

from typing import Final

import shapely

from rules.ramspeed.engine import events, orders
from rules.ramspeed.engine.events import Obedience
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.phases.play import TurnInProgress
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import TABLES

_MAX_STEER_DEG: Final = 90  # a ship that would have to turn further turns on the spot


def find_flagship(position: Position, side: str) -> Ship | None:
    """Return a side's flagship; None if it plays without one, or has lost her.

    She is the largest of the ships with which the side began, and of equals the one with the lowest number.
    """
    own = [ship for ship in position.ships if ship.side0 == side] if position.command else []
    flagship = max(own, key=lambda ship: ship.ship_class.rank, default=None)  # the first of equals
    if flagship is None or not flagship.is_afloat or not flagship.crew or position.side_of_ship(flagship) != side:
        return None
    return flagship


def is_out_of_command(position: Position, ship: Ship) -> bool:
    """Return whether a ship rolls before she obeys. Ships that could do nothing of their own don't."""
    if not ship.is_afloat or not ship.crew or position.is_locked(ship.id):
        return False
    flagship = find_flagship(position, position.side_of_ship(ship))
    return flagship is not None and not hulls.is_within(ship, flagship, TABLES.command.radius)


def dice_by_obedience() -> dict[Obedience, str]:
    """Return the dice of each result, such as `5–6`, from the best result to the worst."""
    table = TABLES.command
    lowest: dict[Obedience, int] = {"obeys": table.obeys, "moves": table.moves, "waits": table.waits, "charges": 1}
    ranges: dict[Obedience, str] = {}
    highest = 6
    for result, die in lowest.items():
        ranges[result] = str(die) if die == highest else f"{die}–{highest}"
        highest = die - 1
    return ranges


def command_area(flagship: Ship) -> tuple[tuple[float, float], ...]:
    """Return the outline, in inches, of where a part of a ship must lie so that she obeys without a die."""
    area = shapely.Polygon(hulls.hull_of(flagship).corners[0]).buffer(TABLES.command.radius)
    return tuple((float(x), float(y)) for x, y in shapely.get_coordinates(area))


def roll_obedience(play: TurnInProgress, name: str) -> Obedience:
    """Return how a ship obeys in this turn; a ship in command obeys without a die."""
    ship = play.ship_now(name)
    if not is_out_of_command(play.position, ship):
        return "obeys"
    die = play.throw_die(f"command {name}")
    obedience: Obedience = "charges"
    if die >= TABLES.command.obeys:
        obedience = "obeys"
    elif die >= TABLES.command.moves:
        obedience = "moves"
    elif die >= TABLES.command.waits:
        obedience = "waits"
    enemy = _nearest_enemy(play.position, ship) if obedience == "charges" else ""
    play.add_event(events.ObedienceRolled(ship=name, die=die, result=obedience, enemy=enemy, rule="RS-22.4"))
    return obedience


def without_attacks(alternatives: tuple[orders.Alternative, ...]) -> tuple[orders.Alternative, ...]:
    """Return what a ship may still do that moves but doesn't attack: orders without attacks, and none of the shots."""
    peaceful = (
        orders.Alternative(tuple(step for step in alternative.steps if not isinstance(step, orders.ShootOrder)))
        for alternative in alternatives
        if not alternative.attack
    )
    return tuple(alternative for alternative in peaceful if alternative.steps)


def charge_orders(position: Position, ship: Ship) -> tuple[orders.Alternative, ...]:
    """Return the orders that a ship gives herself: she rams or grapples the nearest enemy, or makes for them."""
    enemy = _nearest_enemy(position, ship)
    if not enemy:
        return ()
    attacks = orders.Alternative((orders.RamOrder(enemy),)), orders.Alternative((orders.GrappleOrder(enemy),))
    goal = position.ship_by_id(enemy)
    bearing = hulls.bearing_deg(ship.x, ship.y, goal.x, goal.y)
    turn_deg = abs(hulls.signed_degrees(bearing - ship.heading))
    approach: orders.Manoeuvre = orders.FaceOrder(enemy)
    if turn_deg <= _MAX_STEER_DEG:
        approach = orders.SteerOrder(enemy, ship.forward_allowance)
    return *attacks, orders.Alternative((approach,))


def _nearest_enemy(position: Position, ship: Ship) -> str:
    crewed = [enemy for enemy in position.enemies(ship) if enemy.crew]
    nearest = min(crewed, key=lambda enemy: hulls.measured_distance(ship, enemy), default=None)  # the first of equals
    return nearest.id if nearest else ""
