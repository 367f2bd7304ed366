"""Grapples, and attempts to get free of grapples and rams (SQ-16, SQ-18)."""

from __future__ import annotations

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import SIDES, CutOrder, GrappleOrder
from rules.squadrons.engine.odds import BarReason, RollOdds, non_zero
from rules.squadrons.engine.phases.combat import missiles
from rules.squadrons.engine.phases.movement import avoidance, moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.engine.tables import TABLES


def _value_by_crew(row: tuple[int, ...], crew: int) -> int:
    return row[min(crew, len(row) - 1)]  # the last value is for any better Crew


# --- grapple -----------------------------------------------------------------------------------------------------


def why_grapple_barred(position: Position, run: ActivationInProgress, name: str) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    # the first reason that applies is named; a galley aground may not grapple (SQ-16.8)
    ship, target = position.ship_by_id(run.ship), position.ships_by_id.get(name)
    if run.grapple_tried:
        return BarReason("SQ-16.4", "grapple_tried")
    if ship.speed == "M":
        return BarReason("SQ-16.3", "grapple_at_max")
    if ship.aground:
        return BarReason("SQ-06.15", "grapples_aground")
    if ship.collided:
        return BarReason("SQ-16.3", "has_collided")
    if ship.rammed and name not in position.fouled_with(ship.id):
        return BarReason("SQ-16.3", "rammed_grapples_fouled")
    if target is None or not target.is_afloat or target.side == ship.side:
        return BarReason("SQ-16.1", "no_enemy", name)
    if name in position.grappled_to(ship.id):
        return BarReason("SQ-16.1", "grappled_already")
    has_just_rammed = run.just_rammed == name and grid.hex_distance(ship.hexes, target.hexes) == 1
    return None if has_just_rammed or share_flank_side(ship, target) else BarReason("SQ-16.1", "no_common_side")


def share_flank_side(ship: Ship, target: Ship) -> bool:  # SQ-16.1
    own_sides = grid.flank_hexsides(ship.bow, ship.facing, ship.size)
    target_sides = grid.flank_hexsides(target.bow, target.facing, target.size)
    return any((there, here) in target_sides for here, there in own_sides)


def grapple_odds(position: Position, run: ActivationInProgress, name: str) -> RollOdds:  # SQ-16.5, SQ-16.6
    ship, target = position.ship_by_id(run.ship), position.ship_by_id(name)
    is_helpless = bool(target.is_crippled or position.linked_to(name))
    faces_opposite = (ship.facing - target.facing) % 6 == 3
    is_opposite = faces_opposite and position.is_mobile(target) and not target.is_slowed
    return RollOdds(
        _value_by_crew(TABLES.by_crew.grapple, ship.crew_quality),
        1,
        non_zero(
            ("helpless", int(is_helpless)),
            ("target_sail", int(target.sails)),
            ("opposite", -int(is_opposite)),
            ("under_sail", -int(ship.sails)),
            ("device", position.options.devices[SIDES.index(ship.side)]),
        ),
    )


def carry_out_grapple(play: TurnInProgress, run: ActivationInProgress, order: GrappleOrder) -> bool:  # SQ-24.5
    """Carry out a legal grapple and return whether the target dodged it."""
    target_id = order.target
    if not play.is_rehearsing and avoidance.offer_avoidance(play, run, target_id, "grap"):
        return True
    run.grapple_tried = True
    run.end_movement("attack")
    if play.is_rehearsing:
        return False
    missiles.react_with_fire(play, target_id, at=run.ship)
    odds = grapple_odds(play.position, run, target_id)
    die = play.throw_die("grapple")
    holds = odds.is_success(odds.adjust(die))
    play.add_event(
        events.ShipGrappled(
            by=run.ship,
            target=target_id,
            need=odds.min_total,
            drm=odds.total_modifier,
            modifiers=odds.modifiers,
            die=die,
            ok=holds,
            rule="SQ-16.7",
        )
    )
    if holds:
        play.add_grapple(run.ship, target_id)
    return False


# --- cutting loose -----------------------------------------------------------------------------------------------


def why_cut_barred(position: Position, run: ActivationInProgress, order: CutOrder) -> BarReason | None:
    if run.has_moved or run.ended_by:
        return BarReason("SQ-18.1", "cut_before_moving")
    if run.cut_tried:
        return BarReason("SQ-18.1", "cut_tried")
    held = position.grappled_to(run.ship)
    not_grappled = next((name for name in order.ships if name not in held), None)
    return BarReason("SQ-18.1", "not_grappled", not_grappled) if not_grappled else None


def cut_odds(position: Position, ship_id: str, holder_id: str, *, single: bool) -> RollOdds:
    """Return the odds of cutting loose from one ship; `single` if the order names no other (SQ-17.12, SQ-18.2)."""
    ship, holder = position.ship_by_id(ship_id), position.ship_by_id(holder_id)
    is_own_side = ship.side == holder.side
    is_better_crew = single and not is_own_side and ship.crew_quality > holder.crew_quality
    is_helpless = bool(ship.is_crippled or position.fouled_with(ship_id))
    device = 0 if is_own_side else position.options.devices[SIDES.index(holder.side)]
    return RollOdds(
        _value_by_crew(TABLES.by_crew.cut, ship.crew_quality),
        1,
        non_zero(
            ("repulsed", int(ship.repulsed)),
            ("crew", int(is_better_crew)),
            ("own_side", 2 * is_own_side),
            ("helpless", -int(is_helpless)),
            ("device", -device),
        ),
    )


def carry_out_cut(play: TurnInProgress, run: ActivationInProgress, order: CutOrder, allowance: int) -> None:
    """Carry out a legal attempt with a die for each ship. It costs points only if all succeed (SQ-18.3)."""
    run.cut_tried = True
    is_single = len(order.ships) == 1
    results = [_roll_cut(play, run.ship, holder_id, single=is_single) for holder_id in order.ships]
    if all(results):
        run.used += min(moves.MAX_CUT_COST, allowance)


def _roll_cut(play: TurnInProgress, ship_id: str, holder_id: str, *, single: bool) -> bool:
    """Try to cut a grapple and return whether it is cut. A rehearsal assumes that it is."""
    is_cut = True
    if not play.is_rehearsing:
        odds = cut_odds(play.position, ship_id, holder_id, single=single)
        die = play.throw_die("cut")
        is_cut = odds.is_success(odds.adjust(die))
        play.add_event(
            events.CutTried(
                ship=ship_id,
                of=holder_id,
                need=odds.min_total,
                drm=odds.total_modifier,
                modifiers=odds.modifiers,
                die=die,
                ok=is_cut,
                rule="SQ-18.1",
            )
        )
    if is_cut:
        play.release(ship_id, holder_id, "grapple")
    return is_cut


# --- fouled ------------------------------------------------------------------------------------------------------


def unfoul_odds(position: Position, name: str) -> RollOdds:  # SQ-18.5
    return RollOdds(_value_by_crew(TABLES.by_crew.unfoul, position.ship_by_id(name).crew_quality), 1)


def roll_unfoul(play: TurnInProgress, name: str, of: str) -> None:
    chances = unfoul_odds(play.position, name)
    die = play.throw_die("unfoul")
    ok = chances.is_success(die)
    play.add_event(
        events.UnfoulTried(
            ship=name,
            of=of,
            need=chances.min_total,
            die=die,
            ok=ok,
            still_grappled=ok and of in play.position.grappled_to(name),
            rammed=play.ship_now(of).rammed == name,
            rule="SQ-18.5",
        )
    )
    if ok:
        play.release(name, of, "foul")
        play.change_ship(name, half_speed=True)
