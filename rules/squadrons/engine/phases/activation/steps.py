"""One step of a galley's orders: what forbids it, how it is carried out, and reaction rams (SQ-12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from rules.core.finding import with_updated
from rules.geometry.hexes import Hex
from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import (
    SIDES,
    AnastropheOrder,
    CutOrder,
    FleetSide,
    GrappleOrder,
    JettisonOrder,
    LeaderTransferOrder,
    MoveCode,
    MoveOrder,
    OrderStep,
    PassOrder,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    SailOrder,
    VolleyOrder,
)
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.phases.aftermath import victory
from rules.squadrons.engine.phases.combat import anastrophe, grappling, missiles, raking, ramming, sinking
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.phases.movement import avoidance, moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key, other_side
from rules.squadrons.engine.tables import ram_need


def can_react(position: Position, name: str, by: str) -> bool:  # SQ-12.1, SQ-12.2
    ship, mover = position.ship_by_id(name), position.ship_by_id(by)
    return (
        position.options.reaction_ram
        and ship.is_afloat
        and ship.side != mover.side
        and ramming.why_unfit_to_ram(position, ActivationInProgress(ship=name), ship) is None
        and not mover.aground
        and ramming.is_pointing_at(ship, mover)
        and ram_need(ship.ram_attack, mover.ram_defence) > 0
    )


def offer_reaction_rams(play: TurnInProgress, run: ActivationInProgress, entered: Sequence[Hex]) -> None:
    """Let every enemy whose hex ahead was entered ram the active galley (SQ-12)."""
    bow = (play.ship_now(run.ship).bow,)
    enemies = [ship for ship in play.position.ships if ship.is_afloat and ship.place.hex_ahead in entered]
    for ship in sorted(enemies, key=lambda enemy: (grid.hex_distance(bow, enemy.hexes), id_sort_key(enemy.id))):
        if can_react(play.position, ship.id, run.ship) and _wants_to_react(play, ship.id, run.ship):
            _roll_reaction_ram(play, run, ship.id)


def _wants_to_react(play: TurnInProgress, name: str, by: str) -> bool:
    doctrine = play.doctrine_of(play.ship_now(name), "rram")
    if doctrine == "ask":
        doctrine = play.ask_captain(name, "rram", by, ("on", "off"))
    return doctrine == "on"


def _roll_reaction_ram(play: TurnInProgress, run: ActivationInProgress, name: str) -> None:
    """Roll whether a ship reacts, then for her ram. If it fails, her target loses strength and a point (SQ-12.3)."""
    ship = play.ship_now(name)
    die = play.throw_die("reaction_ram")
    ok = die <= ship.crew_quality
    play.add_event(
        events.ReactionRolled(ship=name, by=run.ship, die=die, crew=ship.crew_quality, ok=ok, rule="SQ-12.1")
    )
    if not ok:
        return
    play.change_ship(name, ram_tried=True)
    reaction_run = ActivationInProgress(ship=name)
    chances = ramming.ram_odds(play.position, reaction_run, run.ship)
    hit, natural = ramming.roll_ram(play, name, run.ship, chances)
    if hit:
        ramming.apply_successful_ram(play, reaction_run, run.ship, natural)
        run.end_movement("attack")
        return
    sinking.mark_collided(play, name)
    run.strength_loss = 1
    run.used += min(1, run.points_left)


_MOVES_AHEAD: Final[tuple[MoveCode, ...]] = ("F", "P", "S")


def is_threatening(position: Position, run: ActivationInProgress, target: str) -> bool:
    """Return whether the active galley could attack the target now, or ram or rake it after one more step (SQ-24.4)."""
    if run.is_gone:
        return False
    if _threatens_now(position, run, target):
        return True
    for next_position, next_run in _positions_after_step(position, run):
        can_ram = ramming.why_ram_barred(next_position, next_run, target) is None
        if can_ram or raking.why_rake_barred(next_position, next_run, target) is None:
            return True
    return False


def _threatens_now(position: Position, run: ActivationInProgress, target: str) -> bool:
    return (
        not ramming.why_ram_barred(position, run, target)
        or not raking.why_rake_barred(position, run, target)
        or any(not raking.why_pass_barred(position, run, PassThroughOrder(target, side)) for side in ("p", "s"))
        or not grappling.why_grapple_barred(position, run, target)
    )


def _positions_after_step(
    position: Position, run: ActivationInProgress
) -> Iterator[tuple[Position, ActivationInProgress]]:
    """Yield the position and the activation after each legal move ahead that stays on the sea."""
    ship = position.ship_by_id(run.ship)
    for code in _MOVES_AHEAD:
        if moves.why_move_barred(position, run, code) or moves.leaves_map(position, ship, code):
            continue
        place = moves.place_after_move(ship, code)
        if place.bow in position.land_hexes:
            continue
        moved = structs.replace(ship, bow=place.bow, facing=place.facing)
        next_run = replace(run)
        moves.note_move(next_run, ship, code, 1)
        yield structs.replace(position, ships=with_updated(position.ships, moved)), next_run


def why_barred(position: Position, run: ActivationInProgress, step: OrderStep) -> BarReason | None:
    """Return why the active galley may not carry out a step now; None if she may.

    Of several reasons the first is named.
    """
    if run.is_gone:
        return BarReason("SQ-06.16", "left_the_map")
    return _BARRED_CHECKS[type(step)](position, run, step)


def _why_jettison_barred(position: Position, run: ActivationInProgress) -> BarReason | None:
    if run.has_moved or run.ended_by:
        return BarReason("SQ-19.12", "before_moving")
    if not position.ship_by_id(run.ship).has_towers:
        return BarReason("SQ-19.12", "no_towers")
    return None if run.points_left >= 1 else BarReason("SQ-19.12", "too_few_points", "1")


def _why_sail_barred(position: Position, run: ActivationInProgress, step: SailOrder) -> BarReason | None:  # noqa: PLR0911 - a table of checks
    ship = position.ship_by_id(run.ship)
    if not position.options.wind:
        return BarReason("SQ-08.1", "no_wind")
    if run.has_moved or run.ended_by:
        return BarReason("SQ-08.1", "before_moving")
    if ship.sails == step.up:
        return BarReason("SQ-08.1", "sails_are_so")
    if step.up and (ship.mast_down or ship.no_sails):
        return BarReason("SQ-08.4", "no_mast")
    too_fast = ship.speed == "M" and not ship.ship_class.tremiola
    cannot_raise = step.up and (too_fast or position.enemies_beside(ship))
    if cannot_raise:
        return BarReason("SQ-08.1", "cannot_raise")
    if run.points_left < moves.step_cost(position, ship, step):
        return BarReason("SQ-06.1", "too_few_points", str(run.points_left))
    return None


_BARRED_CHECKS: Final[dict[type[OrderStep], Callable[[Position, ActivationInProgress, Any], BarReason | None]]] = {
    MoveOrder: lambda position, run, step: moves.why_move_barred(position, run, step.code),
    PassThroughOrder: lambda position, run, step: (
        moves.why_movement_over(run) or raking.why_pass_barred(position, run, step)
    ),
    RakeOrder: lambda position, run, step: raking.why_rake_barred(position, run, step.target),
    RamOrder: lambda position, run, step: ramming.why_ram_barred(position, run, step.target, pots=step.pots),
    AnastropheOrder: anastrophe.why_barred,
    GrappleOrder: lambda position, run, step: grappling.why_grapple_barred(position, run, step.target),
    VolleyOrder: missiles.why_volley_barred,
    CutOrder: grappling.why_cut_barred,
    JettisonOrder: lambda position, run, _: _why_jettison_barred(position, run),
    SailOrder: _why_sail_barred,
    LeaderTransferOrder: lambda position, run, step: command.why_transfer_barred(
        position, run.ship, step.leader, step.to
    ),
    PassOrder: lambda *_: None,
}


def carry_out_step(play: TurnInProgress, run: ActivationInProgress, step: OrderStep) -> bool:
    """Carry out a legal step and return whether it Missed, that is, the target avoided it (SQ-10.9)."""
    return bool(_STEP_ACTIONS[type(step)](play, run, step))


def _carry_out_cut(play: TurnInProgress, run: ActivationInProgress, step: CutOrder) -> None:
    grappling.carry_out_cut(play, run, step, moves.movement_allowance(play.position, play.ship_now(run.ship)))


def _carry_out_jettison(play: TurnInProgress, run: ActivationInProgress, _: JettisonOrder) -> None:
    run.used += 1
    play.change_ship(run.ship, jettisoned=True)
    play.add_event(events.TowersJettisoned(ship=run.ship, rule="SQ-19.12"))


def _carry_out_sail(play: TurnInProgress, run: ActivationInProgress, step: SailOrder) -> None:
    run.used += moves.step_cost(play.position, play.ship_now(run.ship), step)
    play.change_ship(run.ship, sails=step.up)
    play.add_event(events.SailsChanged(ship=run.ship, up=step.up, rule="SQ-08.1"))


def _carry_out_transfer(play: TurnInProgress, run: ActivationInProgress, step: LeaderTransferOrder) -> None:
    command.try_transfer(play, step.leader, step.to)
    if run.has_moved:
        run.end_movement("xfer")


# --- moves -------------------------------------------------------------------------------------------------------


def _carry_out_move(play: TurnInProgress, run: ActivationInProgress, code: MoveCode) -> None:
    ship = play.ship_now(run.ship)
    leaves = moves.leaves_map(play.position, ship, code)
    moves.note_move(run, ship, code, moves.step_cost(play.position, ship, MoveOrder(code)))
    if leaves:
        _leave_map(play, run, ship, moves.place_after_move(ship, code))
        return
    place = moves.place_after_move(ship, code)
    after = play.change_ship(run.ship, bow=place.bow, facing=place.facing)
    play.add_move_event(run, code)
    if place.bow in play.position.land_hexes:
        sinking.mark_grounded(play, run.ship)
        run.end_movement("attack")
        play.add_event(events.ShipGrounded(ship=run.ship, mp=run.used, rule="SQ-06.13"))
    elif not play.is_rehearsing:
        _offer_avoidance(play, run, ship, after)


def _leave_map(play: TurnInProgress, run: ActivationInProgress, ship: Ship, last_place: HexPose) -> None:
    run.is_gone = True
    _add_bonus(play, other_side(ship.builder), victory.hull_points(ship))  # a prize stays scored (SQ-22.4)
    play.change_ship(run.ship, status="exited")
    play.add_event(events.ShipExited(ship=run.ship, mp=run.used, rule="SQ-06.16"))
    if leader := play.position.leader_aboard(run.ship):
        play.drop_leader(leader.id)
    position = play.position
    exits = position.exits
    if exits and exits.side == ship.side and _left_over_row(position, exits.row, last_place):
        _add_bonus(play, ship.side, exits.points)
        play.add_event(events.PointsRewarded(side=ship.side, points=exits.points, ship=ship.id, rule="SQ-22.1"))


def _add_bonus(play: TurnInProgress, side: FleetSide, points: int) -> None:
    bonus_by_side = list(play.position.bonus)
    bonus_by_side[SIDES.index(side)] += points
    play.position = structs.replace(play.position, bonus=(bonus_by_side[0], bonus_by_side[1]))


def _left_over_row(position: Position, row: int, place: HexPose) -> bool:
    _, row_beyond = grid.column_and_row(place.bow)
    return row_beyond < row if row == 1 else row_beyond > position.height  # the first or the last row


def _offer_avoidance(play: TurnInProgress, run: ActivationInProgress, before: Ship, after: Ship) -> None:  # SQ-10.1
    """Let enemies next to the hexes just entered avoid the active galley, then let them ram her in reaction."""
    entered = moves.entered_hexes(before, after)
    for name in avoidance.enemies_beside(play.position, after, entered):
        run.ships_offered_avoidance.add(name)
        enemy = play.ship_now(name)
        if not avoidance.is_fit_to_avoid(play.position, enemy):
            continue
        doctrine = avoidance.avoid_doctrine(play, enemy)
        is_threatened = doctrine == "threat" and is_threatening(play.position, run, name)
        if avoidance.will_try(play, enemy, run.ship, threatened=is_threatened):
            avoidance.attempt_avoidance(play, name, run.ship)
    if play.position.options.reaction_ram:
        offer_reaction_rams(play, run, entered)


_STEP_ACTIONS: Final[dict[type[OrderStep], Callable[[TurnInProgress, ActivationInProgress, Any], bool | None]]] = {
    MoveOrder: lambda play, run, step: _carry_out_move(play, run, step.code),
    PassThroughOrder: raking.carry_out_pass,
    RakeOrder: raking.carry_out_rake,
    RamOrder: ramming.carry_out_ram,
    AnastropheOrder: anastrophe.carry_out_anastrophe,
    GrappleOrder: grappling.carry_out_grapple,
    VolleyOrder: missiles.carry_out_volley,
    CutOrder: _carry_out_cut,
    JettisonOrder: _carry_out_jettison,
    SailOrder: _carry_out_sail,
    LeaderTransferOrder: _carry_out_transfer,
    PassOrder: lambda *_: None,
}
