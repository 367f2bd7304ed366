"""Anastrophe: rake a ship, turn behind her, and ram her from the other side, as a whole activation (SQ-15)."""

from __future__ import annotations

from dataclasses import replace

from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import AnastropheOrder, Flank
from rules.squadrons.engine.odds import BarReason, RollOdds
from rules.squadrons.engine.phases.combat import missiles, raking, ramming
from rules.squadrons.engine.phases.movement import avoidance
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import ram_need


def why_barred(position: Position, run: ActivationInProgress, order: AnastropheOrder) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    # the first reason that applies is named
    ship, target = position.ship_by_id(run.ship), position.ships_by_id.get(order.target)
    if run.ended_by:
        return BarReason("SQ-13.14", "movement_ended")
    if not ship.ship_class.asterisk or ship.speed != "M":
        return BarReason("SQ-15.1", "no_anastrophe")
    if run.has_moved or run.used or position.is_immobile(ship):
        return BarReason("SQ-15.1", "not_her_whole_activation")
    if target is not None and target.is_afloat and target.aground:
        return BarReason("SQ-13.3", "target_aground")
    is_enemy = target is not None and target.is_afloat and target.side != ship.side
    if target is None or not is_enemy:
        return BarReason("SQ-15.2", "no_enemy", order.target)
    if target.size == 1:
        return BarReason("SQ-15.10", "target_too_small")
    if (ship.facing - target.facing) % 6 != 3 or ship.bow not in approach_hexes(target):
        return BarReason("SQ-15.2", "no_approach")
    if not ram_need(ship.ram_attack, target.ram_defence):
        return BarReason("SQ-13.4", "ram_hopeless", f"{ship.ram_attack}:{target.ram_defence}")
    if barred := _why_lane_barred(position, ship, target, order):
        return barred
    if not all(position.is_free(here) for here in turnaround_hexes(ship, target, order.side)):
        return BarReason("SQ-15.4", "no_room_to_turn")
    return None


def approach_hexes(target: Ship) -> tuple[Hex, ...]:
    """Return the six hexes where an anastrophe may start, by lane (ahead, port, starboard), nearer first."""
    around = target.adjacent_hexes
    nearer_hexes = (around.bow, *around.bow_flanks)
    return tuple(here for near in nearer_hexes for here in (near, grid.next_hex(near, target.facing)))


def _why_lane_barred(position: Position, ship: Ship, target: Ship, order: AnastropheOrder) -> BarReason | None:
    """Return why a galley may not take her lane past or through the target; None if she may."""
    ahead, port, starboard = (approach_hexes(target)[number : number + 2] for number in (0, 2, 4))
    lane_of_side = port if order.side == "p" else starboard
    lane = ahead if order.through else lane_of_side
    if ship.bow not in lane:
        return BarReason("SQ-15.3", "not_in_that_lane")
    if not order.through:
        flank = int(order.side == "s")  # 0 port, 1 starboard
        around = target.adjacent_hexes
        hexes_to_pass = [around.midships[flank], around.stern_flanks[flank]]
        if ship.bow != lane[0]:
            hexes_to_pass.append(lane[0])
        is_clear = all(position.is_free(here) for here in hexes_to_pass)
        return None if is_clear else BarReason("SQ-15.3", "lane_not_free")
    if ship.bow != lane[0] and not position.is_free(lane[0]):
        return BarReason("SQ-15.3", "lane_not_free")
    barred = raking.why_line_barred(position, ship, target, order.side)
    return BarReason("SQ-15.3", barred.code) if barred else None


def turnaround_hexes(ship: Ship, target: Ship, side: Flank) -> tuple[Hex, ...]:  # SQ-15.4
    around = target.adjacent_hexes
    return (around.stern, *around.stern_flanks, *ram_place(target, side).covered_hexes(ship.size))


def ram_place(target: Ship, side: Flank) -> HexPose:  # SQ-15.5, SQ-15.11: behind her, from the side not raked
    port, starboard = target.adjacent_hexes.stern_flanks
    if side == "p":
        return HexPose(starboard, (target.facing - 1) % 6)
    return HexPose(port, (target.facing + 1) % 6)


def ram_odds(position: Position, run: ActivationInProgress, order: AnastropheOrder) -> RollOdds:
    """Return the odds of the ram if the preceding rake fails (SQ-15.7)."""
    run_at_full_speed = replace(run, used=position.ship_by_id(run.ship).max_speed)
    return ramming.ram_odds(position, run_at_full_speed, order.target, rake_failed=True, anastrophe=True)


def carry_out_anastrophe(play: TurnInProgress, run: ActivationInProgress, order: AnastropheOrder) -> bool:
    # SQ-15.6, SQ-15.8, SQ-15.9. The target avoids (then return True), or shoots, is raked, shoots again and is rammed.
    name = order.target
    if not play.is_rehearsing and avoidance.offer_avoidance(play, run, name, "ana"):
        return True
    ship = play.ship_now(run.ship)
    new_place = ram_place(play.ship_now(name), order.side)
    run.used = max(run.used, ship.max_speed)
    run.has_automatic_fatigue = True
    is_raked = True
    if not play.is_rehearsing:
        missiles.react_with_fire(play, name, at=ship.id)
        is_raked = raking.roll_rake(play, run, name, order.side)
    run.end_movement("attack")
    run.has_moved = True
    run.last_move = "ana"
    run.place_before_move = ship.place
    play.change_ship(ship.id, bow=new_place.bow, facing=new_place.facing)
    if play.is_rehearsing:
        ramming.rehearse_ram(play, run, name)
        return False
    step = step_text(order)
    play.add_event(events.ShipMoved(ship=ship.id, step=step, to=str(new_place), mp=run.used, rule="SQ-15.5"))
    missiles.react_with_fire(play, name, at=ship.id)
    chances = ramming.ram_odds(play.position, run, name, rake_failed=not is_raked, anastrophe=True)
    ramming.resolve_ram(play, run, name, chances)
    return False


def step_text(order: AnastropheOrder) -> str:
    return f"ana {order.target} {'X ' * order.through}{order.side}"
