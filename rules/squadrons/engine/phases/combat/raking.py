"""Rakes, beside a ship or by passing through a line: legality, odds and resolution (SQ-14)."""

from __future__ import annotations

from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import Flank, PassThroughOrder, RakeOrder
from rules.squadrons.engine.odds import BarReason, RollOdds, compare, non_zero
from rules.squadrons.engine.phases.combat import missiles, sinking
from rules.squadrons.engine.phases.movement import avoidance, moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import rake_need


def why_unfit_to_rake(position: Position, ship: Ship) -> BarReason | None:
    if ship.is_crippled or ship.is_slowed or position.is_immobile(ship):
        return BarReason("SQ-14.3", "unfit_to_rake")
    return BarReason("SQ-14.3", "rake_under_sail") if ship.sails else None


def lane_hexes(ship: Ship, side: Flank) -> tuple[Hex, ...]:
    """Return the hexes beside a ship's middle; for a ship of one hex both flank hexes of the side (SQ-14.11)."""
    around = ship.adjacent_hexes
    flank = int(side == "s")  # 0 port, 1 starboard
    return (around.midships[flank],) if ship.size == 2 else (around.bow_flanks[flank], around.stern_flanks[flank])


def is_enemy_in_lane(position: Position, target: Ship, side: Flank, mover: str) -> bool:
    """Return whether a ship hostile to the side `mover` is beside a target."""
    ships_in_lane = (position.ships_by_hex.get(here) for here in lane_hexes(target, side))
    return any(ship is not None and ship.side != mover for ship in ships_in_lane)


# --- beside ------------------------------------------------------------------------------------------------------


def why_rake_barred(position: Position, run: ActivationInProgress, name: str) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    # the first reason that applies is named
    ship, target = position.ship_by_id(run.ship), position.ships_by_id.get(name)
    if run.ended_by:
        return BarReason("SQ-13.14", "movement_ended")
    if barred := why_unfit_to_rake(position, ship):
        return barred
    if target is not None and target.is_afloat and target.aground:
        return BarReason("SQ-14.3", "target_aground")
    if run.has_raked_here:
        return BarReason("SQ-14.1", "raked_in_step")
    if target is None or not target.is_afloat or target.side == ship.side:
        return BarReason("SQ-14.1", "no_enemy", name)
    place_before = run.place_before_move if run.last_move == "F" else None
    if place_before is None or passed_side(target, place_before.bow, ship.bow) is None:
        return BarReason("SQ-14.1" if target.size == 2 else "SQ-14.2", "no_rake_step")
    return None


def passed_side(target: Ship, bow_before: Hex, bow_now: Hex) -> Flank | None:
    """Return the side of a ship that a bow passes between two hexes; None if neither (SQ-14.1, SQ-14.2)."""
    adjacent = target.adjacent_hexes
    sides: tuple[Flank, Flank] = ("p", "s")
    for number, side in enumerate(sides):
        ends = (adjacent.bow_flanks[number], adjacent.stern_flanks[number])
        if target.size == 2:
            is_past = bow_now == adjacent.midships[number]
        else:
            is_past = bow_now in ends and bow_now != bow_before
        if is_past and bow_before in ends:
            return side
    return None


def rake_odds(position: Position, run: ActivationInProgress, name: str) -> RollOdds:  # SQ-14.5, SQ-14.6
    ship, target = position.ship_by_id(run.ship), position.ship_by_id(name)
    is_helpless = bool(target.is_crippled or position.grappled_to(name) or position.fouled_with(name))
    return RollOdds(
        rake_need(ship.crew_quality, target.crew_quality),
        2,
        non_zero(
            ("faster", compare(ship.printed_speed, target.printed_speed)),
            ("helpless", int(is_helpless)),
            ("slowed", int(target.is_slowed and position.is_mobile(target))),
            ("shaken", -run.strength_loss),
        ),
    )


def carry_out_rake(play: TurnInProgress, run: ActivationInProgress, order: RakeOrder) -> None:  # SQ-24.5, SQ-14.4
    target, ship = play.ship_now(order.target), play.ship_now(run.ship)
    side = passed_side(target, run.place_before_move.bow, ship.bow) if run.place_before_move else None
    if play.is_rehearsing or side is None:
        run.has_raked_here = True
        return
    missiles.react_with_fire(play, target.id, at=ship.id)
    roll_rake(play, run, target.id, side)


def roll_rake(play: TurnInProgress, run: ActivationInProgress, name: str, side: Flank) -> bool:
    """Roll for a rake, apply its effect, and return whether it succeeds (SQ-14.7, SQ-14.10)."""
    run.has_raked_here = run.rake_tried = True
    chances = rake_odds(play.position, run, name)
    dice = play.throw_two_dice("rake")
    adjusted = chances.adjust(sum(dice))
    ok = chances.is_success(adjusted)
    play.add_event(
        events.ShipRaked(
            by=run.ship,
            target=name,
            side=side,
            need=chances.min_total,
            drm=chances.total_modifier,
            modifiers=chances.modifiers,
            dice=dice,
            adjusted=adjusted,
            ok=ok,
            rule="SQ-14.7" if ok else "SQ-14.10",
        )
    )
    if ok:
        sinking.cripple_side(play, name, side)
    return ok


# --- through -----------------------------------------------------------------------------------------------------


def why_pass_barred(position: Position, run: ActivationInProgress, order: PassThroughOrder) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    """Return why the active galley may not pass through a ship now; None if she may.

    The caller must have checked the rules that bar every move (SQ-05.15, SQ-13.14, SQ-19.7).
    """
    ship, target = position.ship_by_id(run.ship), position.ships_by_id.get(order.target)
    if barred := why_unfit_to_rake(position, ship):
        return barred
    if target is not None and target.is_afloat and target.aground:
        return BarReason("SQ-14.3", "target_aground")
    if ship.speed != "M":
        return BarReason("SQ-14.11", "not_at_max")
    if target is None or not target.is_afloat or target.side == ship.side:
        return BarReason("SQ-14.11", "no_enemy", order.target)
    if not is_in_line(ship, target) or run.last_move not in ("", "F"):
        return BarReason("SQ-14.11", "not_in_line")
    if barred := why_line_barred(position, ship, target, order.side):
        return barred
    if not all(position.is_free(here) for here in place_after_pass(ship, target).covered_hexes(ship.size)):
        return BarReason("SQ-14.12", "no_room_beyond")
    if run.points_left < pass_cost(ship):
        return BarReason("SQ-14.12", "too_few_points", str(pass_cost(ship)))
    return None


def is_in_line(ship: Ship, target: Ship) -> bool:
    turn = (ship.facing - target.facing) % 6
    around = target.adjacent_hexes
    is_bow_to_bow = turn == 3 and ship.bow == around.bow
    is_behind = turn == 0 and ship.bow == around.stern
    return is_bow_to_bow or is_behind


def why_line_barred(position: Position, ship: Ship, target: Ship, side: Flank) -> BarReason | None:
    """Return why a target is not in a closed line of ships through which one may pass, next to its enemy on `side`."""
    if any(all(position.is_free(here) for here in lane_hexes(target, flank)) for flank in ("p", "s")):
        return BarReason("SQ-14.11", "lane_open")
    if not any(is_enemy_in_lane(position, target, flank, ship.side) for flank in ("p", "s")):
        return BarReason("SQ-14.11", "no_enemy_beside")
    if not is_enemy_in_lane(position, target, side, ship.side):
        return BarReason("SQ-14.13", "no_enemy_on_that_side")
    return None


def pass_cost(ship: Ship) -> int:  # SQ-14.15
    return moves.PASS_COST + ship.size


def place_after_pass(ship: Ship, target: Ship) -> HexPose:
    bow = ship.bow
    for _ in range(target.size + ship.size):
        bow = grid.next_hex(bow, ship.facing)
    return HexPose(bow, ship.facing)


def carry_out_pass(play: TurnInProgress, run: ActivationInProgress, order: PassThroughOrder) -> bool:
    """Carry out a legal pass-through and return whether it Missed (SQ-24.5, SQ-14.14, SQ-14.16).

    The order is: Avoidance, the move, the target's fire, the rake.
    """
    name = order.target
    if not play.is_rehearsing and avoidance.offer_avoidance(play, run, name, "X"):
        return True
    ship = play.ship_now(run.ship)
    new_place = place_after_pass(ship, play.ship_now(name))
    run.used += pass_cost(ship)
    run.has_moved = True
    run.last_move = "X"
    run.place_before_move = ship.place
    run.has_raked_here = False
    play.change_ship(ship.id, bow=new_place.bow, facing=new_place.facing)
    if play.is_rehearsing:
        return False
    step = f"X {name}:{order.side}"
    play.add_event(events.ShipMoved(ship=ship.id, step=step, to=str(new_place), mp=run.used, rule="SQ-14.12"))
    missiles.react_with_fire(play, name, at=ship.id)
    roll_rake(play, run, name, order.side)
    return False
