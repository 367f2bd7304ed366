from __future__ import annotations

from rules.ramspeed.engine import events
from rules.ramspeed.engine.geometry import hulls
from rules.ramspeed.engine.orders import ShootOrder
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.phases.play import TurnInProgress
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS, TABLES


def shot_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule that forbids the shot, or "" if it is legal (RS-14.2, RS-14.3)."""
    if not can_shoot(position, ship):
        return "RS-14.2"
    hostile = target.is_afloat and position.side_of_ship(target) != position.side_of_ship(ship)
    return "" if hostile and hulls.is_within(ship, target, CONSTANTS.missile_range) else "RS-14.3"


def can_shoot(position: Position, ship: Ship) -> bool:
    enough = ship.is_afloat and ship.crew >= CONSTANTS.missile_crew
    return enough and not ship.fire and not position.is_locked(ship.id)


def carry_out_shot(play: TurnInProgress, name: str, order: ShootOrder) -> None:
    """Carry out a legal shot (RS-14.4, RS-14.5)."""
    play.attacked = True
    die = play.throw_die(f"shot {name}>{order.target}")
    distance = hulls.measured_distance(play.ship_now(name), play.ship_now(order.target))
    target = play.ship_now(order.target)
    lost = min(target.crew, die) if order.kind == "crew" else 0
    caught = order.kind == "fire" and die >= TABLES.need.ignite
    if lost:
        target = play.change_ship(target.id, crew=target.crew - lost)
    play.add_event(
        events.ShotFired(
            by=name,
            to=target.id,
            kind=order.kind,
            distance=distance,
            die=die,
            crew=target.crew,
            lost=lost,
            caught=caught,
            rule="RS-14.4",
        )
    )
    if caught:
        fire.catch_fire(play, target.id)


def nearest_target(position: Position, ship: Ship) -> str:
    """Return the nearest enemy with crew in range, of equals the lower id, or "" if no shot is possible (part 8.3)."""
    if not can_shoot(position, ship):
        return ""
    near = [
        (hulls.measured_distance(ship, other), number, other.id)
        for number, other in enumerate(position.ships)
        if other.crew and other.id != ship.id and not shot_forbidden_by(position, ship, other)
    ]
    return min(near)[2] if near else ""
