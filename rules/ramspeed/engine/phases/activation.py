"""The activation of one ship: carry out the first legal alternative of its line (RS-21)."""

from __future__ import annotations

from typing import NamedTuple

from rules.ramspeed.engine import events
from rules.ramspeed.engine.geometry import aim, moves
from rules.ramspeed.engine.geometry.aim import LegalAttack
from rules.ramspeed.engine.geometry.hindrance import find_hindrance
from rules.ramspeed.engine.notation.sheets import format_alternative, format_step
from rules.ramspeed.engine.orders import (
    Alternative,
    CrewTransferOrder,
    FaceOrder,
    IgniteOrder,
    Manoeuvre,
    OrderLine,
    ShootOrder,
    StayOrder,
    SteerOrder,
)
from rules.ramspeed.engine.phases import attacks, fire, missiles, transfer
from rules.ramspeed.engine.phases.play import TurnInProgress
from rules.ramspeed.engine.state import Position, with_ship

_STAY_ALTERNATIVE = Alternative((StayOrder(),))


class Legality(NamedTuple):
    rule: str
    """The rule that forbids the alternative (part 10.3); empty: it is legal."""
    attack: LegalAttack | None = None


def check_legality(position: Position, name: str, alternative: Alternative) -> Legality:
    ship = position.ship_by_id(name)
    if alternative.is_igniting:
        ship = fire.ship_as_fireship(ship)
        position = with_ship(position, ship)
    if alternative.attack:
        aimed = aim.aim_attack(position, ship, alternative)
        return Legality(aimed.rule, aimed.attack)
    steps = alternative.manoeuvres
    if any(
        isinstance(step, SteerOrder | FaceOrder) and not position.ship_by_id(step.target).is_afloat for step in steps
    ):
        return Legality("RS-21.2")
    if order := alternative.transfer:
        moved_ship = moves.carry_out_manoeuvre(position, ship, steps).ship
        return Legality(transfer.transfer_forbidden_by(position, moved_ship, order))
    return Legality("")


def activate_ship(play: TurnInProgress, line: OrderLine) -> None:
    """Carry out the first legal alternative of a ship's line, or `stay` if there is none (RS-21.1)."""
    for alternative in line.alternatives:
        verdict = check_legality(play.position, line.ship, alternative)
        if not verdict.rule:
            _carry_out(play, line.ship, alternative, verdict.attack)
            return
        order = alternative.attack or alternative.transfer
        why = find_hindrance(play.position, play.ship_now(line.ship), order, verdict.rule)
        play.add_event(
            events.OrderSkipped(ship=line.ship, order=format_alternative(alternative), why=why, rule=verdict.rule),
        )
    _carry_out(play, line.ship, _STAY_ALTERNATIVE, None)


def act_without_line(play: TurnInProgress, name: str) -> None:
    """Let a ship without a line shoot, if its doctrine says so (part 8.3)."""
    ship = play.ship_now(name)
    if play.doctrine_of(ship).idle == "shoot" and (target := missiles.nearest_target(play.position, ship)):
        _carry_out(play, name, Alternative((ShootOrder(target, "crew"),)), None)


def _carry_out(play: TurnInProgress, name: str, alternative: Alternative, mark: LegalAttack | None) -> None:
    play.add_event(events.ShipActivated(ship=name, order=format_alternative(alternative), rule="RS-21.1"))
    if alternative.is_igniting:
        fire.ignite_ship(play, name)
    if mark and alternative.attack:
        attacks.carry_out_attack(play, name, alternative.attack, mark)
        return
    manoeuvres = alternative.manoeuvres
    for step in alternative.steps:
        match step:
            case IgniteOrder():
                pass
            case ShootOrder():
                _shoot_or_skip(play, name, step)
            case CrewTransferOrder():
                transfer.carry_out_transfer(play, name, step)
            case _ if step is manoeuvres[0]:
                _carry_out_manoeuvre(play, name, manoeuvres)


def _shoot_or_skip(play: TurnInProgress, name: str, order: ShootOrder) -> None:
    """Shoot, or report an illegal shot as skipped (RS-21.3)."""
    if rule := missiles.shot_forbidden_by(play.position, play.ship_now(name), play.ship_now(order.target)):
        why = find_hindrance(play.position, play.ship_now(name), order, rule)
        play.add_event(events.OrderSkipped(ship=name, order=format_step(order), why=why, rule=rule))
    else:
        missiles.carry_out_shot(play, name, order)


def _carry_out_manoeuvre(play: TurnInProgress, name: str, steps: tuple[Manoeuvre, ...]) -> None:
    sailed = moves.carry_out_manoeuvre(play.position, play.ship_now(name), steps)
    if not sailed.ship.is_afloat:
        play.set_ship(sailed.ship)
        play.add_event(events.ShipWithdrawn(ship=name, rule="RS-06.2"))
    elif sailed.is_move:
        play.set_moved_ship(sailed.ship, "RS-05.7" if len(steps) > 1 else "RS-04.1")
