"""One ship's activation: the first legal alternative of her line is carried out (RS-21)."""

from __future__ import annotations

from typing import NamedTuple

from rules.ramspeed.table import events
from rules.ramspeed.table.geometry import aim, moves
from rules.ramspeed.table.geometry.aim import Mark
from rules.ramspeed.table.geometry.hindrance import hindrance_of
from rules.ramspeed.table.notation.sheets import write_alternative, write_step
from rules.ramspeed.table.orders import Alternative, Face, Ignite, Line, Manoeuvre, Shoot, Stay, Steer, Transfer
from rules.ramspeed.table.phases import attacks, fire, missiles, transfer
from rules.ramspeed.table.phases.play import Play
from rules.ramspeed.table.state import Position, with_ship

_STAY = Alternative((Stay(),))


class Verdict(NamedTuple):
    """Whether an alternative is legal now."""

    rule: str
    """Which rule forbids it (part 10.3); empty: it is legal."""
    mark: Mark | None = None
    """How its attack will go, if it holds one."""


def judge(position: Position, name: str, alternative: Alternative) -> Verdict:
    """Whether an alternative of a ship is legal, before any die of it is rolled (RS-21.1, RS-21.2)."""
    ship = position.ship(name)
    if alternative.ignites:
        ship = fire.as_fireship(ship)
        position = with_ship(position, ship)
    if alternative.attack:
        found = aim.attack(position, ship, alternative)
        return Verdict(found.rule, found.mark)
    steps = alternative.manoeuvres
    if any(isinstance(step, Steer | Face) and not position.ship(step.target).afloat for step in steps):
        return Verdict("RS-21.2")
    if order := alternative.transfer:
        there = moves.manoeuvred(position, ship, steps).ship
        return Verdict(transfer.forbidden(position, there, order))
    return Verdict("")


def activate(play: Play, line: Line) -> None:
    """Carry out a ship's line: its first legal alternative; she stays if there is none (RS-21.1)."""
    for alternative in line.alternatives:
        verdict = judge(play.position, line.ship, alternative)
        if not verdict.rule:
            _carry_out(play, line.ship, alternative, verdict.mark)
            return
        order = alternative.attack or alternative.transfer
        why = hindrance_of(play.position, play.ship(line.ship), order, verdict.rule)
        play.say(
            events.Skipped(ship=line.ship, order=write_alternative(alternative), why=why, rule=verdict.rule),
        )
    _carry_out(play, line.ship, _STAY, None)


def idle(play: Play, name: str) -> None:
    """A ship without a line may shoot, if her doctrine says so (part 8.3)."""
    ship = play.ship(name)
    if play.doctrine(ship).idle == "shoot" and (target := missiles.nearest(play.position, ship)):
        _carry_out(play, name, Alternative((Shoot(target, "crew"),)), None)


def _carry_out(play: Play, name: str, alternative: Alternative, mark: Mark | None) -> None:
    play.say(events.Acts(ship=name, order=write_alternative(alternative), rule="RS-21.1"))
    if alternative.ignites:
        fire.ignite(play, name)
    if mark and alternative.attack:
        attacks.carry_out(play, name, alternative.attack, mark)
        return
    manoeuvres = alternative.manoeuvres
    for step in alternative.steps:
        match step:
            case Ignite():
                pass
            case Shoot():
                _shoot(play, name, step)
            case Transfer():
                transfer.carry_out(play, name, step)
            case _ if step is manoeuvres[0]:
                _manoeuvre(play, name, manoeuvres)


def _shoot(play: Play, name: str, order: Shoot) -> None:
    """Shoot, or skip what is illegal (RS-21.3)."""
    if rule := missiles.forbidden(play.position, play.ship(name), play.ship(order.target)):
        why = hindrance_of(play.position, play.ship(name), order, rule)
        play.say(events.Skipped(ship=name, order=write_step(order), why=why, rule=rule))
    else:
        missiles.shoot(play, name, order)


def _manoeuvre(play: Play, name: str, steps: tuple[Manoeuvre, ...]) -> None:
    """One manoeuvre, or a bireme's pair (RS-05)."""
    sailed = moves.manoeuvred(play.position, play.ship(name), steps)
    if not sailed.ship.afloat:
        play.put(sailed.ship)
        play.say(events.Withdrawn(ship=name, rule="RS-06.2"))
    elif sailed.moves:
        play.moved(sailed.ship, "RS-05.7" if len(steps) > 1 else "RS-04.1")
