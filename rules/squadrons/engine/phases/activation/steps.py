"""One step of a galley's orders: what forbids it, and how it is carried out (SQ 10.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import structs

from rules.squadrons.engine import events
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    CutOrder,
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
from rules.squadrons.engine.phases.combat import (
    anastrophe,
    grappling,
    missiles,
    raking,
    ramming,
    reaction_rams,
    threat,
)
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.phases.movement import avoidance, moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship


def why_barred(position: Position, run: ActivationInProgress, step: OrderStep) -> BarReason | None:
    """Return why the active galley may not carry out a step now; None if she may.

    The first rule of 10.3 that applies wins.
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


def _why_sail_barred(position: Position, run: ActivationInProgress, step: SailOrder) -> BarReason | None:
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
    if cannot_raise or run.points_left < moves.step_cost(position, ship, step):
        return (
            BarReason("SQ-08.1", "cannot_raise")
            if cannot_raise
            else BarReason("SQ-06.1", "too_few_points", str(run.points_left))
        )
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
    """Carry out a legal step and return whether it Missed (SQ-10.9)."""
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


def _carry_out_move(play: TurnInProgress, run: ActivationInProgress, code: MoveCode) -> None:  # 3.3, G.1 to G.3
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
        play.change_ship(run.ship, aground=play.position.turn)
        run.end_movement("attack")
        play.add_event(events.ShipGrounded(ship=run.ship, mp=run.used, rule="SQ-06.13"))
    elif not play.is_rehearsing:
        _offer_avoidance(play, run, ship, after)


def _leave_map(play: TurnInProgress, run: ActivationInProgress, ship: Ship, last_place: HexPose) -> None:
    run.is_gone = True
    play.change_ship(run.ship, status="exited")
    play.add_event(events.ShipExited(ship=run.ship, mp=run.used, rule="SQ-06.16"))
    if leader := play.position.leader_aboard(run.ship):
        play.drop_leader(leader.id)
    position = play.position
    bonus = position.exits
    if bonus and bonus.side == ship.side and _left_over_row(position, bonus.row, last_place):
        points = list(position.bonus)
        points[command.side_index(ship.side)] += bonus.points
        play.position = structs.replace(position, bonus=(points[0], points[1]))
        play.add_event(events.PointsRewarded(side=ship.side, points=bonus.points, ship=ship.id, rule="SQ-22.1"))


def _left_over_row(position: Position, row: int, there: HexPose) -> bool:
    _, exit_row = grid.column_and_row(there.bow)
    return exit_row < row if row == 1 else exit_row > position.height


def _offer_avoidance(play: TurnInProgress, run: ActivationInProgress, before: Ship, after: Ship) -> None:  # SQ-10.1
    entered = moves.entered_hexes(before, after)
    for name in avoidance.enemies_beside(play.position, after, entered):
        run.ships_offered_avoidance.add(name)
        enemy = play.ship_now(name)
        if not avoidance.is_fit_to_avoid(play.position, enemy):
            continue
        doctrine = avoidance.avoid_doctrine(play, enemy)
        is_threatened = doctrine == "threat" and threat.is_threatening(play.position, run, name)
        if avoidance.will_try(play, enemy, run.ship, threatened=is_threatened):
            avoidance.attempt_avoidance(play, name, run.ship)
    if play.position.options.reaction_ram:
        reaction_rams.offer_reaction_rams(play, run, entered)


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
