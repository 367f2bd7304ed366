"""Previews of captains' lines, and the ship in focus with its line, if nobody interrupts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple, cast

from msgspec import structs

from rules.chance.dice import ListedDice
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
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.drafts import sheets, squadron_orders
from rules.squadrons.interface.drafts.answers import SheetLine
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.interface.preview.view import AttackKind, AttackPreview, NextStep, PlannedTrack

_MOVE_CODES: Final[tuple[MoveCode, ...]] = ("F", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit")
_ATTACKS_WITH_NEEDS: Final = ("ram", "rake", "grap", "fire")


class LineWalk(NamedTuple):
    play: TurnInProgress  # changed by each step
    run: ActivationInProgress  # activation of the galley; changed by each step

    @property
    def position(self) -> Position:
        return self.play.position


def with_speeds(position: Position, speeds: Mapping[str, str]) -> Position:
    """Return the position with a draft's speeds. Galleys that may not row at Max are at Cruise."""
    ships = []
    for ship in position.ships:
        speed = speeds.get(ship.id)
        if ship.is_afloat and speed and speed != ship.speed:
            is_max = speed == "M" and not turn_start.why_max_barred(position, ship)
            ships.append(structs.replace(ship, speed="M" if is_max else "C"))
        else:
            ships.append(ship)
    return structs.replace(position, ships=tuple(ships))


def planned_tracks(position: Position, lines: Sequence[OrderLine]) -> tuple[tuple[PlannedTrack, ...], Position]:
    """Return the tracks of lines carried out one after the other, and the position afterwards."""
    lines_afloat = tuple(line for line in lines if position.ship_by_id(line.ship).is_afloat)
    position_after, rehearsed = rehearsal.rehearse_position(position, SquadronOrders(lines_afloat))
    tracks = tuple(_planned_track(line, result) for line, result in zip(lines_afloat, rehearsed, strict=True))
    return tracks, position_after


def _planned_track(line: OrderLine, rehearsed: RehearsedLine) -> PlannedTrack:
    steps = line.all_steps
    return PlannedTrack(
        ship=rehearsed.ship,
        places=tuple(map(str, rehearsed.places)),
        alternative=tuple(map(str, rehearsed.alternative)),
        mp=rehearsed.announced_points,
        attacks=tuple(attack for step in steps for attack in _attack_targets(step)),
        step=rehearsed.step,
        rule=rehearsed.barred.rule if rehearsed.barred else "",
        by=rehearsed.blocking_ship,
    )


def walk_line(position: Position, line: OrderLine) -> LineWalk:
    """Return where a line leads. If it has an `else` branch, its attacks are skipped, as if their targets had gone."""
    walk = begin_walk(position, line)
    certain_steps = [
        step
        for step in line.steps
        if line.alternative is None or not isinstance(step, RamOrder | GrappleOrder | AnastropheOrder)
    ]
    for branch in (certain_steps, line.alternative or ()):
        for _ in walk_steps(walk, branch):
            pass  # the generator carries out each step
    return walk


def begin_walk(position: Position, line: OrderLine) -> LineWalk:
    play = TurnInProgress(position, ListedDice(()), Doctrines(), rehearsing=True)
    play.squadron = (line.ship,)
    run = play.runs[line.ship] = activation.begin_run(position, line)
    return LineWalk(play, run)


def attacks_of_step(walk: LineWalk, step: OrderStep) -> Iterator[tuple[AttackKind, str, odds.RollOdds]]:
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
    """Return, by ship, the odds of attacks in the main branches, carried out one line after the other."""
    odds_by_name = {}
    for line in lines:
        if position.ship_by_id(line.ship).is_afloat:
            odds_by_name[line.ship] = tuple(_odds_of_line(begin_walk(position, line), line))
            position, _ = rehearsal.rehearse_position(position, SquadronOrders((line,)))
    return odds_by_name


def _odds_of_line(walk: LineWalk, line: OrderLine) -> Iterator[AttackPreview]:
    for step in walk_steps(walk, line.steps):
        for attack, to, roll in attacks_of_step(walk, step):
            if attack in _ATTACKS_WITH_NEEDS:
                yield attack_preview(line.ship, to, attack, step, roll)


def attack_preview(by: str, to: str, attack: AttackKind, step: OrderStep, roll: odds.RollOdds) -> AttackPreview:
    return AttackPreview(
        by=by,
        target=to,
        attack=attack,
        step=order_text.format_step(step),
        min_roll=roll.natural_need,
        drm=roll.total_modifier,
        dice_count=roll.dice_count,
        percent=round(100 * roll.chance),
    )


def walk_steps(walk: LineWalk, order_steps: Sequence[OrderStep]) -> Iterator[OrderStep]:
    """Carry out the steps up to the first illegal one, and yield each before it is carried out."""
    for step in order_steps:
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
    """Yield all moves of a galley with the rule that forbids each. Her announced points become her full allowance."""
    ship = walk.position.ship_by_id(walk.run.ship)
    if not ship.is_afloat:
        return
    walk.run.announced = moves.movement_allowance(walk.position, ship)
    for code in _MOVE_CODES:
        barred = moves.why_move_barred(walk.position, walk.run, code)
        yield NextStep(
            step=code,
            to=None if code == "exit" else str(moves.place_after_move(ship, code)),
            mp=moves.step_cost(walk.position, ship, MoveOrder(code)),
            rule=barred.rule if barred else "",
        )


class ShipInFocus:
    def __init__(self, context: OrderContext, draft: OrderDraft) -> None:
        self.context = context
        self.draft = draft
        self.name = draft.focus
        speeds = {} if context.fixed_squadrons else sheets.speeds_of_sheet(context, draft.sheet)
        self.start = with_speeds(context.position, speeds)
        self.lines = squadron_orders.sort_lines(context, draft.sheet, sheets.lines_of_sheet(context, draft.sheet))
        self.line = next((line for line in self.lines if line.ship == self.name), OrderLine(self.name))

    @cached_property
    def position_before(self) -> Position:
        """Return the position after the lines that are carried out before hers."""
        earlier_lines = self.lines[: self.lines.index(self.line)] if self.line in self.lines else self.lines
        _, position = planned_tracks(self.start, earlier_lines)
        return position

    @property
    def ship_before(self) -> Ship:
        return self.position_before.ship_by_id(self.name)

    @property
    def is_adding_else(self) -> bool:
        return self.line.alternative is not None

    def walk_line(self, line: OrderLine | None = None) -> LineWalk:
        """Return where a line leads, by default hers, up to the end of its `else` branch."""
        return walk_line(self.position_before, line or self.line)

    def points_left(self, line: OrderLine | None = None) -> int:
        """Return the movement points that a line, by default hers, leaves of the allowance."""
        line = line or self.line
        allowance = moves.max_announced(self.position_before, self.ship_before, line)
        return allowance - activation.line_cost(self.position_before, self.ship_before, line)

    def with_line(self, line: OrderLine) -> OrderDraft:
        return sheets.with_line(self.draft, SheetLine(self.name, structs.replace(line, mp=None)))

    def with_steps(self, *more: OrderStep) -> OrderDraft:
        return self.with_branch((*self.current_branch, *more))

    def with_only(self, *steps: OrderStep) -> OrderDraft:
        return self.with_line(OrderLine(self.name, steps))

    @property
    def current_branch(self) -> tuple[OrderStep, ...]:
        return self.line.steps if self.line.alternative is None else self.line.alternative

    def with_branch(self, steps: tuple[OrderStep, ...]) -> OrderDraft:
        if self.line.alternative is None:
            return self.with_line(structs.replace(self.line, steps=steps))
        return self.with_line(structs.replace(self.line, alternative=steps))

    def without_last_step(self) -> OrderDraft:
        line = self.line
        if line.alternative is not None:
            return self.with_line(structs.replace(line, alternative=line.alternative[:-1] or None))
        if len(line.steps) > 1:
            return self.with_line(structs.replace(line, steps=line.steps[:-1]))
        return sheets.without_line(self.draft, self.name)
