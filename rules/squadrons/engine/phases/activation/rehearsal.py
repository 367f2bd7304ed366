"""A rehearsal of an activation without dice: which steps would be illegal if nobody interrupted (SQ-24.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from rules.chance.dice import ListedDice
from rules.squadrons.engine.notation.order_text import format_step
from rules.squadrons.engine.notation.orders import Doctrines, OrderLine, OrderStep, RamOrder, Speed, SquadronOrders
from rules.squadrons.engine.odds import BarReason
from rules.squadrons.engine.phases.activation import activation, steps
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import ActivationInProgress, TurnInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position


class RehearsedLine(Struct, frozen=True, kw_only=True):
    ship: str  # id
    announced_points: int  # movement points
    places: tuple[HexPose, ...]  # her place at the start and after each step of the main branch
    alternative: tuple[HexPose, ...] = ()  # her place at the start and after each step of the `else` branch
    step: str = ""  # the first illegal step in canonical notation; empty if all are legal
    step_number: int = -1
    """Index of `step` in both branches together; -1 if all are legal or the line as a whole is illegal."""
    barred: BarReason | None = None  # why `step` is illegal; None if all are legal
    blocking_ship: str = ""  # a galley of her own side in the hex that she wants to enter; empty if there is none
    run: ActivationInProgress  # her activation after the last legal step


def rehearse_lines(position: Position, orders: SquadronOrders) -> tuple[RehearsedLine, ...]:
    """Rehearse the lines of one squadron in order. An illegal step ends its line, but not the others.

    Raises `KeyError` for an unknown ship.
    """
    _, lines = rehearse_position(position, orders)
    return lines


def rehearse_position(position: Position, orders: SquadronOrders) -> tuple[Position, tuple[RehearsedLine, ...]]:
    play = TurnInProgress(position, ListedDice(()), Doctrines(), rehearsing=True)
    play.squadron = tuple(line.ship for line in orders.lines)
    lines = tuple(_rehearse_line(play, line) for line in orders.lines)
    return play.position, lines


def certain_part(positions: Sequence[Position], speed: Speed, line: OrderLine) -> OrderLine:
    """Return the part of a line that a galley can row at a speed in each of these positions.

    With a single position the whole line is returned unchecked.
    """
    if len(positions) < 2:
        return line
    steps_kept = len(line.steps)
    for position in positions:
        ship = structs.replace(position.ship_by_id(line.ship), speed=speed)
        (rehearsed,) = rehearse_lines(position.with_ship(ship), SquadronOrders((line,)))
        if rehearsed.barred:
            steps_kept = min(steps_kept, max(0, rehearsed.step_number))
    return line if steps_kept == len(line.steps) else structs.replace(line, steps=line.steps[:steps_kept])


def first_illegal_line(position: Position, orders: SquadronOrders) -> RehearsedLine | None:
    play = TurnInProgress(position, ListedDice(()), Doctrines(), rehearsing=True)
    for line in orders.lines:
        rehearsed = _rehearse_line(play, line)
        if rehearsed.barred:
            return rehearsed
    return None


def why_line_barred(position: Position, line: OrderLine) -> tuple[str, BarReason] | None:
    """Return what is wrong with the points of a line, and why; None if nothing is."""
    ship = position.ship_by_id(line.ship)
    allowed = moves.max_announced(position, ship, line)
    cost = activation.line_cost(position, ship, line)
    if activation.has_anastrophe(line):
        return (f"m{cost}", BarReason("SQ-06.1", "too_many_points", str(allowed))) if cost > allowed else None
    announced = cost if line.mp is None else line.mp
    if announced > allowed:
        return f"m{announced}", BarReason("SQ-06.1", "too_many_points", str(allowed))
    if announced < cost or (announced > cost and not any(isinstance(step, RamOrder) for step in line.steps)):
        return f"m{announced}", BarReason("SQ-06.1", "points_differ", str(cost))
    return None


def _rehearse_line(play: TurnInProgress, line: OrderLine) -> RehearsedLine:
    run = activation.begin_run(play.position, line)
    play.runs[line.ship] = run
    start = play.ship_now(line.ship).place
    if problem := why_line_barred(play.position, line):
        step, barred = problem
        return RehearsedLine(
            ship=line.ship, announced_points=run.announced, places=(start,), step=step, barred=barred, run=run
        )
    walk = _RehearsalWalk(play, run)
    main_places = (start, *walk.walk_branch(line.steps))
    alternative_places: tuple[HexPose, ...] = ()
    if line.alternative is not None and not (walk.barred or run.is_movement_over or run.is_gone):
        alternative_places = (main_places[-1], *walk.walk_branch(line.alternative))
    return RehearsedLine(
        ship=line.ship,
        announced_points=run.announced,
        places=main_places,
        alternative=alternative_places,
        step=walk.step,
        step_number=walk.number if walk.barred else -1,
        barred=walk.barred,
        blocking_ship=walk.blocking_ship,
        run=run,
    )


class _RehearsalWalk:
    def __init__(self, play: TurnInProgress, run: ActivationInProgress) -> None:
        self._play = play
        self._run = run
        self.barred: BarReason | None = None
        self.step = ""  # the first illegal step; empty if all are legal
        self.number = -1  # index of the last step tried, in both branches together
        self.blocking_ship = ""  # id of the ship of her own side that is in the way; empty if there is none

    def walk_branch(self, branch: Sequence[OrderStep]) -> Iterator[HexPose]:
        """Carry out steps, yield the place after each, and stop before the first illegal one, which is recorded."""
        for step in branch:
            self.number += 1
            self.barred = steps.why_barred(self._play.position, self._run, step)
            if self.barred:
                self.step = format_step(step)
                self.blocking_ship = _blocking_friend(self._play.position, self._run.ship, self.barred)
                return
            steps.carry_out_step(self._play, self._run, step)
            yield self._play.ship_now(self._run.ship).place


def _blocking_friend(position: Position, name: str, barred: BarReason) -> str:
    if barred.code != "hex_taken":
        return ""
    ship = position.ship_by_id(name)
    blockers = [blocker for here, blocker in position.ships_by_hex.items() if grid.hex_label(here) == barred.expected]
    return next((blocker.id for blocker in blockers if blocker.side == ship.side and blocker.id != name), "")
