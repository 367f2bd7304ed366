"""Where a captain's lines would lead, one after the other, were nobody to interrupt them (10.3, rehearsal)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from msgspec import structs

from rules.cup import Listed
from rules.squadrons.desk.preview.view import Attack, NextStep, Odds, Track
from rules.squadrons.table import odds
from rules.squadrons.table.notation import order_text
from rules.squadrons.table.notation.orders import (
    Anastrophe,
    Cut,
    Doctrines,
    Fire,
    Grapple,
    Line,
    Move,
    MoveCode,
    Orders,
    Rake,
    Ram,
    Step,
    Through,
)
from rules.squadrons.table.phases.activation import activation, rehearsal, steps
from rules.squadrons.table.phases.activation.rehearsal import Rehearsed
from rules.squadrons.table.phases.combat import anastrophe, grappling, missiles, raking, ramming
from rules.squadrons.table.phases.command import turn_start
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.phases.play import Play, Run
from rules.squadrons.table.sea.state import Position

_MOVES: Final[tuple[MoveCode, ...]] = ("F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit")
_NEEDS: Final = ("ram", "rake", "grap", "fire")
"""Attacks of which a line tells what they need."""


class Walk(NamedTuple):
    """Where a galley stands in the middle of her line."""

    play: Play
    run: Run

    @property
    def position(self) -> Position:
        """The position at this moment of the line."""
        return self.play.position


def at_speeds(position: Position, speeds: Mapping[str, str]) -> Position:
    """The position with galleys at the speeds that a draft says; what is not allowed stays at Cruise."""
    ships = []
    for ship in position.ships:
        speed = speeds.get(ship.id)
        if ship.afloat and speed and speed != ship.speed:
            hard = speed == "M" and not turn_start.max_barred(position, ship)
            ships.append(structs.replace(ship, speed="M" if hard else "C"))
        else:
            ships.append(ship)
    return structs.replace(position, ships=tuple(ships))


def tracks(position: Position, lines: Sequence[Line]) -> tuple[tuple[Track, ...], Position]:
    """The tracks of lines, and the position after all of them."""
    mine = tuple(line for line in lines if position.ship(line.ship).afloat)
    after, found = rehearsal.rehearsed(position, Orders(mine))
    return tuple(_track(line, one) for line, one in zip(mine, found, strict=True)), after


def _track(line: Line, one: Rehearsed) -> Track:
    steps = (*line.steps, *(line.alternative or ()))
    return Track(
        ship=one.ship,
        places=tuple(map(str, one.places)),
        alternative=tuple(map(str, one.alternative)),
        mp=one.announced,
        attacks=tuple(attack for step in steps for attack in _attacks(step)),
        step=one.step,
        rule=one.barred.rule if one.barred else "",
        by=one.by,
    )


def walked(position: Position, line: Line) -> Walk:
    """Where a line leads from where a galley lies; one that has an `else` as if its attacks found nobody."""
    walk = begun(position, line)
    tried = [
        step for step in line.steps if line.alternative is None or not isinstance(step, Ram | Grapple | Anastrophe)
    ]
    for branch in (tried, line.alternative or ()):
        for _ in carried_out(walk, branch):
            pass
    return walk


def begun(position: Position, line: Line) -> Walk:
    """A galley before the first step of her line."""
    play = Play(position, Listed(()), Doctrines(), rehearsing=True)
    play.squadron = (line.ship,)
    run = play.runs[line.ship] = activation.begin(position, line)
    return Walk(play, run)


def attacks_by(walk: Walk, step: Step) -> Iterator[tuple[Attack, str, odds.Odds]]:
    """The attacks of a step from where a walk has led: kind, target and odds of each."""
    position, run = walk.position, walk.run
    match step:
        case Ram(target):
            yield "ram", target, ramming.odds(position, run, target)
        case Grapple(target):
            yield "grap", target, grappling.odds(position, run, target)
        case Rake(target):
            yield "rake", target, raking.odds(position, run, target)
        case Through(target):
            yield "X", target, raking.odds(position, run, target)
        case Anastrophe(target):
            yield "ana", target, anastrophe.odds(position, run, step)
        case Fire(shots):
            for shot in shots:
                m = position.ship(run.ship).m if shot.m is None else shot.m
                yield "fire", shot.target, missiles.odds(position, run.ship, shot.target, m)


def needs(position: Position, lines: Sequence[Line]) -> dict[str, tuple[Odds, ...]]:
    """The odds of rams, rakes, grapples and shots of the main branches of lines, one line after the other, by ship."""
    found = {}
    for line in lines:
        if position.ship(line.ship).afloat:
            found[line.ship] = tuple(_needs(begun(position, line), line))
            position, _ = rehearsal.rehearsed(position, Orders((line,)))
    return found


def _needs(walk: Walk, line: Line) -> Iterator[Odds]:
    for step in carried_out(walk, line.steps):
        for attack, to, found in attacks_by(walk, step):
            if attack in _NEEDS:
                yield shown(line.ship, to, attack, step, found)


def shown(by: str, to: str, attack: Attack, step: Step, found: odds.Odds) -> Odds:
    """The odds of an attack as a view has them."""
    return Odds(
        by=by,
        to=to,
        attack=attack,
        step=order_text.write_step(step),
        need=found.bare,
        table=found.need,
        drm=found.drm,
        dice=found.dice,
        percent=round(100 * found.chance),
    )


def carried_out(walk: Walk, given: Sequence[Step]) -> Iterator[Step]:
    """The steps up to the first illegal one, each before it is carried out."""
    for step in given:
        if steps.barred(walk.position, walk.run, step):
            return
        yield step
        steps.carry_out(walk.play, walk.run, step)


def _attacks(step: Step) -> Iterator[tuple[Attack, str]]:
    kind = order_text.write_step(step).split(" ")[0]
    match step:
        case Fire():
            yield from (("fire", shot.target) for shot in step.shots)
        case Cut():
            yield from (("cut", name) for name in step.ships)
        case _ if target := getattr(step, "target", ""):
            yield cast("Attack", kind), target


def next_steps(walk: Walk) -> Iterator[NextStep]:
    """The moves that a galley could make next, with all that she has left."""
    ship = walk.position.ship(walk.run.ship)
    if not ship.afloat:
        return
    walk.run.announced = moves.allowance(walk.position, ship)
    for code in _MOVES:
        wrong = moves.barred(walk.position, walk.run, code)
        yield NextStep(
            step=code,
            to=None if code == "exit" else str(moves.reached(ship, code)),
            mp=moves.cost(walk.position, ship, Move(code)),
            rule=wrong.rule if wrong else "",
        )
