"""An activation before any die: which steps would be illegal, were nobody to interrupt (SQ 10.3, step 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from rules.chance.cup import ListedDice
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
    """How a line would go."""

    ship: str
    announced_points: int
    places: tuple[HexPose, ...]
    """Where she lies, then where she is after each step of the main branch."""
    alternative: tuple[HexPose, ...] = ()
    """The same of the `else` branch."""
    step: str = ""
    """The first illegal step, canonical; empty: all are legal."""
    step_number: int = -1
    """Its place among the steps of both branches; -1: none, or the line as a whole."""
    barred: BarReason | None = None
    """Why it is illegal."""
    blocking_ship: str = ""
    """The galley of her own side that lies where she would go; empty: none does."""
    run: ActivationInProgress
    """As it is at the end."""


def rehearse_lines(position: Position, orders: SquadronOrders, *, capped: bool = False) -> tuple[RehearsedLine, ...]:
    """How the lines of one squadron would go, one after the other; an illegal step ends its line, not the others.

    Raises `KeyError` for a ship that there is not.
    """
    _, found = rehearse_position(position, orders, capped=capped)
    return found


def rehearse_position(
    position: Position, orders: SquadronOrders, *, capped: bool = False
) -> tuple[Position, tuple[RehearsedLine, ...]]:
    """The same, and the position after it."""
    play = TurnInProgress(position, ListedDice(()), Doctrines(), rehearsing=True)
    play.squadron = tuple(line.ship for line in orders.lines)
    found = tuple(_rehearse_line(play, line, capped=capped) for line in orders.lines)
    return play.position, found


def certain_part(lies: Sequence[Position], speed: Speed, line: OrderLine) -> OrderLine:
    """As much of a line as a galley can row at a speed wherever the others lie; all of it if there is one position."""
    most = len(line.steps)
    for one in lies if len(lies) > 1 else ():
        (found,) = rehearse_lines(
            one.with_ship(structs.replace(one.ship_by_id(line.ship), speed=speed)), SquadronOrders((line,))
        )
        most = min(most, max(0, found.step_number)) if found.barred else most
    return line if most == len(line.steps) else structs.replace(line, steps=line.steps[:most])


def first_illegal_line(position: Position, orders: SquadronOrders) -> RehearsedLine | None:
    """The first line of a message that is illegal; None: there is none."""
    play = TurnInProgress(position, ListedDice(()), Doctrines(), rehearsing=True)
    for line in orders.lines:
        found = _rehearse_line(play, line)
        if found.barred:
            return found
    return None


def why_line_barred(position: Position, line: OrderLine, *, capped: bool = False) -> tuple[str, BarReason] | None:
    """What is wrong with the points of a line (10.3): the step as it is named, and why; None: nothing."""
    ship = position.ship_by_id(line.ship)
    allowed = moves.max_announced(position, ship, line, confused=capped)
    cost = activation.line_cost(position, ship, line)
    if activation.has_anastrophe(line):
        return (f"m{cost}", BarReason("SQ-06.1", "too_many_points", str(allowed))) if cost > allowed else None
    announced = cost if line.mp is None else line.mp
    if announced > allowed:
        return f"m{announced}", BarReason("SQ-06.1", "too_many_points", str(allowed))
    if announced < cost or (announced > cost and not any(isinstance(step, RamOrder) for step in line.steps)):
        return f"m{announced}", BarReason("SQ-06.1", "points_differ", str(cost))
    return None


def _rehearse_line(play: TurnInProgress, line: OrderLine, *, capped: bool = False) -> RehearsedLine:
    run = activation.begin_run(play.position, line, capped=capped)
    play.runs[line.ship] = run
    start = play.ship_now(line.ship).place
    if wrong := why_line_barred(play.position, line, capped=capped):
        step, barred = wrong
        return RehearsedLine(
            ship=line.ship, announced_points=run.announced, places=(start,), step=step, barred=barred, run=run
        )
    walk = _RehearsalWalk(play, run)
    main = (start, *walk.walk_branch(line.steps))
    other: tuple[HexPose, ...] = ()
    if line.alternative is not None and not (walk.barred or run.is_movement_over or run.is_gone):
        other = (main[-1], *walk.walk_branch(line.alternative))
    return RehearsedLine(
        ship=line.ship,
        announced_points=run.announced,
        places=main,
        alternative=other,
        step=walk.step,
        step_number=walk.number if walk.barred else -1,
        barred=walk.barred,
        blocking_ship=walk.by,
        run=run,
    )


class _RehearsalWalk:
    """Steps of one galley, one after the other, up to the first illegal one."""

    def __init__(self, play: TurnInProgress, run: ActivationInProgress) -> None:
        self._play = play
        self._run = run
        self.barred: BarReason | None = None
        self.step = ""
        self.number = -1
        self.by = ""

    def walk_branch(self, branch: Sequence[OrderStep]) -> Iterator[HexPose]:
        """Where she is after each step."""
        for step in branch:
            self.number += 1
            self.barred = steps.why_barred(self._play.position, self._run, step)
            if self.barred:
                self.step = format_step(step)
                self.by = _blocking_friend(self._play.position, self._run.ship, self.barred)
                return
            steps.carry_out_step(self._play, self._run, step)
            yield self._play.ship_now(self._run.ship).place


def _blocking_friend(position: Position, name: str, barred: BarReason) -> str:
    """The galley of a ship's own side that lies in the hex which bars her; empty: none does."""
    if barred.code != "hex_taken":
        return ""
    side = position.ship_by_id(name).side
    found = (one.id for here, one in position.ships_by_hex.items() if grid.hex_label(here) == barred.expected)
    return next((one for one in found if position.ship_by_id(one).side == side and one != name), "")
