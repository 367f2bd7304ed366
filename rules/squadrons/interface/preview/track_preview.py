"""Where a captain's lines would lead, one after the other, were nobody to interrupt them (10.3, rehearsal)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, cast

from msgspec import structs

from rules.chance.cup import ListedDice
from rules.squadrons.engine import odds
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    CutOrder,
    Doctrines,
    GrappleOrder,
    MoveCode,
    MoveOrder,
    OrderLine,
    OrderStep,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    SquadronOrders,
    VolleyOrder,
)
from rules.squadrons.engine.phases.activation import activation, rehearsal, steps
from rules.squadrons.engine.phases.activation.rehearsal import RehearsedLine
from rules.squadrons.engine.phases.combat import anastrophe, grappling, missiles, raking, ramming
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea.state import Position
from rules.squadrons.interface.preview.view import AttackKind, AttackPreview, NextStep, PlannedTrack

_MOVE_CODES: Final[tuple[MoveCode, ...]] = ("F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit")
_ATTACKS_WITH_NEEDS: Final = ("ram", "rake", "grap", "fire")
"""Attacks of which a line tells what they need."""


class LineWalk(NamedTuple):
    """Where a galley stands in the middle of her line."""

    play: TurnInProgress
    run: ActivationInProgress

    @property
    def position(self) -> Position:
        """The position at this moment of the line."""
        return self.play.position


def with_speeds(position: Position, speeds: Mapping[str, str]) -> Position:
    """The position with galleys at the speeds that a draft says; what is not allowed stays at Cruise."""
    ships = []
    for ship in position.ships:
        speed = speeds.get(ship.id)
        if ship.is_afloat and speed and speed != ship.speed:
            hard = speed == "M" and not turn_start.why_max_barred(position, ship)
            ships.append(structs.replace(ship, speed="M" if hard else "C"))
        else:
            ships.append(ship)
    return structs.replace(position, ships=tuple(ships))


def planned_tracks(position: Position, lines: Sequence[OrderLine]) -> tuple[tuple[PlannedTrack, ...], Position]:
    """The tracks of lines, and the position after all of them."""
    mine = tuple(line for line in lines if position.ship_by_id(line.ship).is_afloat)
    after, found = rehearsal.rehearse_position(position, SquadronOrders(mine))
    return tuple(_planned_track(line, one) for line, one in zip(mine, found, strict=True)), after


def _planned_track(line: OrderLine, one: RehearsedLine) -> PlannedTrack:
    steps = (*line.steps, *(line.alternative or ()))
    return PlannedTrack(
        ship=one.ship,
        places=tuple(map(str, one.places)),
        alternative=tuple(map(str, one.alternative)),
        mp=one.announced_points,
        attacks=tuple(attack for step in steps for attack in _attack_targets(step)),
        step=one.step,
        rule=one.barred.rule if one.barred else "",
        by=one.blocking_ship,
    )


def walk_line(position: Position, line: OrderLine) -> LineWalk:
    """Where a line leads from where a galley lies; one that has an `else` as if its attacks found nobody."""
    walk = begin_walk(position, line)
    tried = [
        step
        for step in line.steps
        if line.alternative is None or not isinstance(step, RamOrder | GrappleOrder | AnastropheOrder)
    ]
    for branch in (tried, line.alternative or ()):
        for _ in walk_steps(walk, branch):
            pass
    return walk


def begin_walk(position: Position, line: OrderLine) -> LineWalk:
    """A galley before the first step of her line."""
    play = TurnInProgress(position, ListedDice(()), Doctrines(), rehearsing=True)
    play.squadron = (line.ship,)
    run = play.runs[line.ship] = activation.begin_run(position, line)
    return LineWalk(play, run)


def attacks_of_step(walk: LineWalk, step: OrderStep) -> Iterator[tuple[AttackKind, str, odds.RollOdds]]:
    """The attacks of a step from where a walk has led: kind, target and odds of each."""
    position, run = walk.position, walk.run
    match step:
        case RamOrder(target):
            yield "ram", target, ramming.ram_odds(position, run, target)
        case GrappleOrder(target):
            yield "grap", target, grappling.grapple_odds(position, run, target)
        case RakeOrder(target):
            yield "rake", target, raking.rake_odds(position, run, target)
        case PassThroughOrder(target):
            yield "X", target, raking.rake_odds(position, run, target)
        case AnastropheOrder(target):
            yield "ana", target, anastrophe.ram_odds(position, run, step)
        case VolleyOrder(shots):
            for shot in shots:
                m = position.ship_by_id(run.ship).manpower if shot.m is None else shot.m
                yield "fire", shot.target, missiles.shot_odds(position, run.ship, shot.target, m)


def odds_by_ship(position: Position, lines: Sequence[OrderLine]) -> dict[str, tuple[AttackPreview, ...]]:
    """The odds of rams, rakes, grapples and shots of the main branches of lines, one line after the other, by ship."""
    found = {}
    for line in lines:
        if position.ship_by_id(line.ship).is_afloat:
            found[line.ship] = tuple(_odds_of_line(begin_walk(position, line), line))
            position, _ = rehearsal.rehearse_position(position, SquadronOrders((line,)))
    return found


def _odds_of_line(walk: LineWalk, line: OrderLine) -> Iterator[AttackPreview]:
    for step in walk_steps(walk, line.steps):
        for attack, to, found in attacks_of_step(walk, step):
            if attack in _ATTACKS_WITH_NEEDS:
                yield attack_preview(line.ship, to, attack, step, found)


def attack_preview(by: str, to: str, attack: AttackKind, step: OrderStep, found: odds.RollOdds) -> AttackPreview:
    """The odds of an attack as a view has them."""
    return AttackPreview(
        by=by,
        target=to,
        attack=attack,
        step=order_text.format_step(step),
        min_roll=found.natural_need,
        min_roll_by_table=found.min_total,
        drm=found.total_modifier,
        dice_count=found.dice_count,
        percent=round(100 * found.chance),
    )


def walk_steps(walk: LineWalk, given: Sequence[OrderStep]) -> Iterator[OrderStep]:
    """The steps up to the first illegal one, each before it is carried out."""
    for step in given:
        if steps.why_barred(walk.position, walk.run, step):
            return
        yield step
        steps.carry_out_step(walk.play, walk.run, step)


def _attack_targets(step: OrderStep) -> Iterator[tuple[AttackKind, str]]:
    kind = order_text.format_step(step).split(" ")[0]
    match step:
        case VolleyOrder():
            yield from (("fire", shot.target) for shot in step.shots)
        case CutOrder():
            yield from (("cut", name) for name in step.ships)
        case _ if target := getattr(step, "target", ""):
            yield cast("AttackKind", kind), target


def possible_next_steps(walk: LineWalk) -> Iterator[NextStep]:
    """The moves that a galley could make next, with all that she has left."""
    ship = walk.position.ship_by_id(walk.run.ship)
    if not ship.is_afloat:
        return
    walk.run.announced = moves.movement_allowance(walk.position, ship)
    for code in _MOVE_CODES:
        wrong = moves.why_move_barred(walk.position, walk.run, code)
        yield NextStep(
            step=code,
            to=None if code == "exit" else str(moves.place_after_move(ship, code)),
            mp=moves.step_cost(walk.position, ship, MoveOrder(code)),
            rule=wrong.rule if wrong else "",
        )
