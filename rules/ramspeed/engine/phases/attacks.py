"""Carrying out rams, oar swipes and grapples that were found legal (RS-08, RS-09, RS-10)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.ramspeed.engine import events
from rules.ramspeed.engine.events import Defence, Dodge, OarsResult, RamResult
from rules.ramspeed.engine.geometry import modifiers, moves
from rules.ramspeed.engine.geometry.aim import LegalAttack
from rules.ramspeed.engine.geometry.hulls import forward_vector
from rules.ramspeed.engine.orders import AttackOrder, GrappleOrder, RamOrder, SwipeOrder
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.phases.play import TurnInProgress, sink_ship
from rules.ramspeed.engine.state import Link, Ship
from rules.ramspeed.engine.tables import TABLES

_RULE_BY_RAM_RESULT: Final[dict[RamResult, str]] = {
    "sunk": "RS-08.8",
    "stuck": "RS-08.9",
    "dead": "RS-08.10",
    "immobilised": "RS-08.11",
    "glanced": "RS-08.12",
}


def carry_out_attack(play: TurnInProgress, name: str, order: AttackOrder, aimed: LegalAttack) -> None:
    play.attacked = True
    match order:
        case RamOrder():
            _carry_out_ram(play, name, order, aimed)
        case SwipeOrder():
            _carry_out_swipe(play, name, order, aimed)
        case GrappleOrder():
            _carry_out_grapple(play, name, order, aimed)


# --- ram ---------------------------------------------------------------------------------------------------------


def _carry_out_ram(play: TurnInProgress, name: str, order: RamOrder, aimed: LegalAttack) -> None:
    ship, target = play.ship_now(name), order.target
    dice = play.throw_two_dice(f"ram {name}>{target}")
    total = sum(dice) + aimed.modifier
    result = ram_result(total)
    inches = aimed.run if result in ("sunk", "stuck") else aimed.stop_if_not_sunk
    ship = play.set_ship(moves.shift_ship(_after_pivot(ship, aimed), forward_vector(aimed.heading), inches))
    play.add_event(
        events.ShipRammed(
            by=name,
            to=target,
            heading=aimed.heading,
            run=aimed.run,
            zone=aimed.zone,
            modifier=aimed.modifier,
            modifiers=aimed.modifiers,
            dice=dice,
            total=total,
            result=result,
            x=ship.x,
            y=ship.y,
            rule=_RULE_BY_RAM_RESULT[result],
        )
    )
    match result:
        case "sunk":
            sink_ship(play, target, "ram", "RS-08.8")
        case "stuck":
            _tie_ships(play, Link(a=name, b=target, kind="stuck", fresh=True))
        case "dead":
            play.change_ship(target, dead=True)
        case "immobilised":
            play.change_ship(target, immob=True, fresh=True)
    if result not in ("sunk", "stuck"):
        fire.check_contact(play, name, target)


def ram_result(total: int) -> RamResult:
    """Return the result of a ram's total (RS-08.6, T2)."""
    table = TABLES.ram
    results: tuple[tuple[int, RamResult], ...] = (
        (table.sunk, "sunk"),
        (table.stuck, "stuck"),
        (table.dead, "dead"),
        (table.immobilised, "immobilised"),
    )
    return next((result for min_total, result in results if total >= min_total), "glanced")


# --- oar swipe ---------------------------------------------------------------------------------------------------


def _carry_out_swipe(play: TurnInProgress, name: str, order: SwipeOrder, aimed: LegalAttack) -> None:
    ship, target = play.ship_now(name), play.ship_now(order.target)
    defence = actual_defence(play, target)
    play.add_event(
        events.OarsSwiped(
            by=name,
            to=target.id,
            heading=aimed.heading,
            run=aimed.run,
            zone=aimed.zone,
            past=order.past,
            defence=defence,
            rule="RS-09.7",
        )
    )
    has_defended = defence != "grapple" and _roll_defence(play, target.id, defence, "RS-09.8")
    if has_defended and defence == "turn":
        _pass_dodged(play, ship, target, aimed, aimed.run + order.past)
        return
    if not has_defended:
        _roll_swipe(play, ship, target)
    x, y, heading = aimed.beside
    forward = forward_vector(heading)
    ship_past_target = moves.place_ship(ship, x + forward.x * order.past, y + forward.y * order.past, heading)
    play.set_moved_ship(ship_past_target, "RS-09.11")
    if defence == "grapple" and _roll_hooks(play, target.id, name, "RS-09.15"):
        play.set_moved_ship(_ship_alongside(ship, aimed), "RS-09.15")
        _tie_ships(play, Link(a=target.id, b=name, kind="grapple", fresh=True))


def actual_defence(play: TurnInProgress, target: Ship) -> Defence:
    """Return the defence that the target of a swipe can use, given its doctrine and condition (RS-09.9)."""
    preferred = play.doctrine_of(target).swipe
    cannot_turn = play.position.is_immobile(target)
    cannot_grapple = target.fire > 0 or target.is_derelict
    if (preferred == "turn" and cannot_turn) or (preferred == "grapple" and cannot_grapple):
        return "draw"
    return preferred


def swipe_result(total: int) -> OarsResult:
    """Return the result of an oar swipe's total (T4)."""
    return "bank" if total >= TABLES.swipe.bank else "immobilised" if total >= TABLES.swipe.immobilised else "none"


def _roll_swipe(play: TurnInProgress, ship: Ship, target: Ship) -> None:
    dice = play.throw_two_dice(f"swipe {ship.id}>{target.id}")
    swipe_modifiers = modifiers.swipe_modifiers(ship, target)
    modifier = modifiers.total(swipe_modifiers)
    total = sum(dice) + modifier
    result = swipe_result(total)
    if result == "bank":
        if target.halved:  # the second bank that is lost
            play.change_ship(target.id, dead=True)
        else:
            play.change_ship(target.id, banks_lost=1)
    elif result == "immobilised":
        play.change_ship(target.id, immob=True, fresh=True)
    rule = {"bank": "RS-09.13", "immobilised": "RS-09.14", "none": "RS-09.12"}[result]
    play.add_event(
        events.SwipeResolved(
            ship=target.id,
            modifier=modifier,
            modifiers=swipe_modifiers,
            dice=dice,
            total=total,
            result=result,
            rule=rule,
        )
    )


# --- grapple -----------------------------------------------------------------------------------------------------


def _carry_out_grapple(play: TurnInProgress, name: str, order: GrappleOrder, aimed: LegalAttack) -> None:
    ship, target = play.ship_now(name), play.ship_now(order.target)
    is_automatic = play.position.is_immobile(target)
    play.add_event(
        events.ShipGrappled(
            by=name,
            to=target.id,
            heading=aimed.heading,
            run=aimed.run,
            zone=aimed.zone,
            automatic=is_automatic,
            rule="RS-10.2" if is_automatic else "RS-10.1",
        )
    )
    tries_to_turn = not is_automatic and play.doctrine_of(target).grapple == "turn"
    if tries_to_turn and _roll_defence(play, target.id, "turn", "RS-10.3"):
        _pass_dodged(play, ship, target, aimed, aimed.run)
        return
    play.set_moved_ship(_ship_alongside(ship, aimed), "RS-10.4")
    if is_automatic or _roll_hooks(play, name, target.id, "RS-10.4"):
        _tie_ships(play, Link(a=name, b=target.id, kind="grapple", fresh=True))
        return
    slip = moves.carry_out_slip(play.position, play.ship_now(target.id), play.doctrine_of(target).slip)
    if slip.is_move:
        play.set_moved_ship(slip.ship, "RS-10.5")


def _roll_hooks(play: TurnInProgress, name: str, target: str, rule: str) -> bool:
    dice = play.throw_two_dice(f"grapple {name}>{target}")
    grapple_modifiers = modifiers.grapple_modifiers(play.ship_now(name), play.ship_now(target))
    modifier = modifiers.total(grapple_modifiers)
    success = dice[0] + modifier >= dice[1]
    play.add_event(
        events.HooksThrown(
            by=name,
            to=target,
            modifier=modifier,
            modifiers=grapple_modifiers,
            dice=dice,
            success=success,
            rule=rule,
        )
    )
    return success


# --- what they share ---------------------------------------------------------------------------------------------


def _after_pivot(ship: Ship, aimed: LegalAttack) -> Ship:
    return structs.replace(ship, heading=aimed.heading)


def _ship_alongside(ship: Ship, aimed: LegalAttack) -> Ship:
    return moves.place_ship(ship, *aimed.beside)


def _tie_ships(play: TurnInProgress, link: Link) -> None:
    """Link two ships, and check whether fire spreads (RS-15.7)."""
    play.add_link(link)
    # the position may have the ids in the other order
    new_link = next(item for item in play.position.links if item.includes(link.a) and item.includes(link.b))
    fire.check_new_link(play, new_link)


def _roll_defence(play: TurnInProgress, target: str, option: Dodge, rule: str) -> bool:
    """Roll for a quick turn or for drawing in the oars (RS-09.8, RS-10.3), and return whether it succeeds."""
    die = play.throw_die(f"defence {target}")
    success = die >= (TABLES.need.quick_turn if option == "turn" else TABLES.need.draw)
    play.add_event(events.DefenceTried(ship=target, option=option, die=die, success=success, rule=rule))
    return success


def _pass_dodged(play: TurnInProgress, ship: Ship, target: Ship, aimed: LegalAttack, inches: float) -> None:
    """Move a target that turned away, then the attacker, who goes straight on (RS-09.10)."""
    attacker = play.set_ship(_after_pivot(ship, aimed))
    play.set_moved_ship(moves.dodge(play.position, target, aimed.side_sign), "RS-09.10")
    play.set_moved_ship(moves.sail_ship(play.position, attacker, inches), "RS-09.10")
