from __future__ import annotations

from rules.ramspeed.engine import events
from rules.ramspeed.engine.geometry import hulls, moves
from rules.ramspeed.engine.orders import CrewTransferOrder
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.phases.play import TurnInProgress
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS, TABLES


def transfer_forbidden_by(position: Position, ship: Ship, order: CrewTransferOrder) -> str:
    """Return the rule that forbids a transfer from the ship's present place, or "" if it is legal."""
    partner = position.ship_by_id(order.partner)
    if position.is_immobile(ship):
        return "RS-04.5"
    if not partner.is_afloat or (partner.owner != ship.owner and partner.crew):
        return "RS-17.1"
    if position.is_locked(partner.id):
        return "RS-17.2"
    if not hulls.is_within(ship, partner, CONSTANTS.transfer):
        return "RS-17.1"
    donor, taker = (ship, partner) if order.way == "to" else (partner, ship)
    is_manning = partner.owner != ship.owner  # men go to a derelict of another player
    min_crew = CONSTANTS.prize_crew if is_manning else 1
    min_left = 1 if is_manning else 0
    is_possible = (
        order.crew >= min_crew
        and donor.crew - order.crew >= min_left
        and taker.crew + order.crew <= taker.ship_class.crew_max
    )
    return "" if is_possible else "RS-17.4"


def carry_out_transfer(play: TurnInProgress, name: str, order: CrewTransferOrder) -> None:
    """Carry out a legal transfer; docking with a burning ship may set the ship alight instead (RS-17.3).

    A transfer is no attack, so the ship may still shoot (RS-17.5).
    """
    ship, partner = play.ship_now(name), play.ship_now(order.partner)
    men_to_partner = order.crew if order.way == "to" else -order.crew
    is_dangerous = partner.fire and not ship.fire
    die = play.throw_die(f"transfer {name}>{partner.id}") if is_dangerous else None
    has_failed = die is not None and die >= TABLES.need.docking
    if not has_failed:
        play.change_ship(name, crew=ship.crew - men_to_partner)
        play.change_ship(partner.id, crew=partner.crew + men_to_partner)
    play.add_event(
        events.CrewTransferred(
            ship=name,
            partner=partner.id,
            crew=men_to_partner,
            die=die,
            done=not has_failed,
            rule="RS-17.1" if die is None else "RS-17.3",
        )
    )
    if has_failed:
        fire.catch_fire(play, name)
        return
    if partner.owner != ship.owner:
        play.change_ship(partner.id, owner=ship.owner, nation=ship.nation)
        play.captured.append(partner.id)
        play.add_event(events.DerelictManned(ship=partner.id, by=name, rule="RS-17.4"))
    if die is not None:
        slip = moves.carry_out_slip(play.position, play.ship_now(name), play.doctrine_of(ship).slip)
        if slip.is_move:
            play.set_moved_ship(slip.ship, "RS-17.3")
