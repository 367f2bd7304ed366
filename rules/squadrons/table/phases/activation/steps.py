"""One step of a galley's order: what forbids it, and how it is carried out (SQ 10.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import structs

from rules.squadrons.table import events
from rules.squadrons.table.notation.orders import (
    Anastrophe,
    Cut,
    Fire,
    Grapple,
    Jettison,
    Move,
    MoveCode,
    Pass,
    Rake,
    Ram,
    Sail,
    Step,
    Through,
    Transfer,
)
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.phases.combat import anastrophe, grappling, missiles, raking, ramming, reaction_rams, threat
from rules.squadrons.table.phases.command import command
from rules.squadrons.table.phases.movement import avoidance, moves
from rules.squadrons.table.phases.play import Play, Run
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship


def barred(position: Position, run: Run, step: Step) -> Barred | None:
    """Why the active galley may not carry out a step now; None: she may. The first rule of 10.3 that applies."""
    if run.gone:
        return Barred("SQ-06.16", "left_the_map")
    return _BARRED[type(step)](position, run, step)


def _jettison_barred(position: Position, run: Run) -> Barred | None:
    if run.moved or run.ended:
        return Barred("SQ-19.12", "before_moving")
    if not position.ship(run.ship).towers:
        return Barred("SQ-19.12", "no_towers")
    return None if run.left >= 1 else Barred("SQ-19.12", "too_few_points", "1")


def _sail_barred(position: Position, run: Run, step: Sail) -> Barred | None:
    """Why sails may not go up, or down (SQ-08.1, SQ-08.4)."""
    ship = position.ship(run.ship)
    if not position.options.wind:
        return Barred("SQ-08.1", "no_wind")
    if run.moved or run.ended:
        return Barred("SQ-08.1", "before_moving")
    if ship.sails == step.up:
        return Barred("SQ-08.1", "sails_are_so")
    if step.up and (ship.mast_down or ship.no_sails):
        return Barred("SQ-08.4", "no_mast")
    hasty = ship.speed == "M" and not ship.kind.tremiola
    beset = step.up and (hasty or position.enemies_beside(ship))
    if beset or run.left < moves.cost(position, ship, step):
        return Barred("SQ-08.1", "cannot_raise") if beset else Barred("SQ-06.1", "too_few_points", str(run.left))
    return None


_BARRED: Final[dict[type[Step], Callable[[Position, Run, Any], Barred | None]]] = {
    Move: lambda position, run, step: moves.barred(position, run, step.code),
    Through: lambda position, run, step: moves.ended(run) or raking.through_barred(position, run, step),
    Rake: lambda position, run, step: raking.barred(position, run, step.target),
    Ram: lambda position, run, step: ramming.barred(position, run, step.target, pots=step.pots),
    Anastrophe: anastrophe.barred,
    Grapple: lambda position, run, step: grappling.barred(position, run, step.target),
    Fire: missiles.barred,
    Cut: grappling.cut_barred,
    Jettison: lambda position, run, _: _jettison_barred(position, run),
    Sail: _sail_barred,
    Transfer: lambda position, run, step: command.transfer_barred(position, run.ship, step.leader, step.to),
    Pass: lambda *_: None,
}


def carry_out(play: Play, run: Run, step: Step) -> bool:
    """Carry out a legal step; whether it was Missed (SQ-10.9)."""
    return bool(_CARRIED_OUT[type(step)](play, run, step))


def _cut(play: Play, run: Run, step: Cut) -> None:
    grappling.cut(play, run, step, moves.allowance(play.position, play.ship(run.ship)))


def _jettison(play: Play, run: Run, _: Jettison) -> None:
    run.used += 1
    play.change(run.ship, jettisoned=True)
    play.say(events.Jettisoned(ship=run.ship, rule="SQ-19.12"))


def _sail(play: Play, run: Run, step: Sail) -> None:
    run.used += moves.cost(play.position, play.ship(run.ship), step)
    play.change(run.ship, sails=step.up)
    play.say(events.Sailed(ship=run.ship, up=step.up, rule="SQ-08.1"))


def _transfer(play: Play, run: Run, step: Transfer) -> None:
    command.transfer(play, step.leader, step.to)
    if run.moved:
        run.end("xfer")


# --- moves -------------------------------------------------------------------------------------------------------


def _move(play: Play, run: Run, code: MoveCode) -> None:
    """One hex or hexside; then enemies near by have a chance to avoid, or to ram (3.3, G.1 to G.3)."""
    ship = play.ship(run.ship)
    leaves = moves.leaves(play.position, ship, code)
    moves.mark(run, ship, code, moves.cost(play.position, ship, Move(code)))
    if leaves:
        _exit(play, run, ship, moves.reached(ship, code))
        return
    there = moves.reached(ship, code)
    after = play.change(run.ship, bow=there.bow, facing=there.facing)
    play.moved(run, code)
    if there.bow in play.position.ashore:
        play.change(run.ship, aground=play.position.turn)
        run.end("attack")
        play.say(events.Grounded(ship=run.ship, mp=run.used, rule="SQ-06.13"))
    elif not play.rehearsing:
        _approach(play, run, ship, after)


def _exit(play: Play, run: Run, ship: Ship, there: Place) -> None:
    """A ship leaves the map with her leader (SQ-06.16)."""
    run.gone = True
    play.change(run.ship, status="exited")
    play.say(events.Exited(ship=run.ship, mp=run.used, rule="SQ-06.16"))
    if leader := play.position.aboard(run.ship):
        play.drop_leader(leader.id)
    position = play.position
    bonus = position.exits
    if bonus and bonus.side == ship.side and _over(position, bonus.row, there):
        points = list(position.bonus)
        points[command.own(ship.side)] += bonus.points
        play.position = structs.replace(position, bonus=(points[0], points[1]))
        play.say(events.Rewarded(side=ship.side, points=bonus.points, ship=ship.id, rule="SQ-22.1"))


def _over(position: Position, row: int, there: Place) -> bool:
    """Whether a ship has left the map over a row, the first or the last one."""
    _, found = grid.column_and_row(there.bow)
    return found < row if row == 1 else found > position.height


def _approach(play: Play, run: Run, before: Ship, after: Ship) -> None:
    """Enemies beside hexes that she has newly occupied may avoid her (SQ-10.1); who is rammed so is no more."""
    entered = moves.entered(before, after)
    for name in avoidance.beside(play.position, after, entered):
        run.offered.add(name)
        enemy = play.ship(name)
        if not avoidance.fit(play.position, enemy):
            continue
        wish = avoidance.wish(play, enemy)
        near = wish == "threat" and threat.threatens(play.position, run, name)
        if avoidance.willing(play, enemy, run.ship, threatened=near):
            avoidance.attempt(play, name, run.ship)
    if play.position.options.reaction_ram:
        reaction_rams.crossed(play, run, entered)


_CARRIED_OUT: Final[dict[type[Step], Callable[[Play, Run, Any], bool | None]]] = {
    Move: lambda play, run, step: _move(play, run, step.code),
    Through: raking.through,
    Rake: raking.rake,
    Ram: ramming.ram,
    Anastrophe: anastrophe.attack,
    Grapple: grappling.grapple,
    Fire: missiles.fire,
    Cut: _cut,
    Jettison: _jettison,
    Sail: _sail,
    Transfer: _transfer,
    Pass: lambda *_: None,
}
