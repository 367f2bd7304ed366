"""An activation before any die: which steps would be illegal, were nobody to interrupt (SQ 10.3, step 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from rules.cup import Listed
from rules.squadrons.table.notation.order_text import write_step
from rules.squadrons.table.notation.orders import Doctrines, Line, Orders, Ram, Speed, Step
from rules.squadrons.table.odds import Barred
from rules.squadrons.table.phases.activation import activation, steps
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.phases.play import Play, Run
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position


class Rehearsed(Struct, frozen=True, kw_only=True):
    """How a line would go."""

    ship: str
    announced: int
    places: tuple[Place, ...]
    """Where she lies, then where she is after each step of the main branch."""
    alternative: tuple[Place, ...] = ()
    """The same of the `else` branch."""
    step: str = ""
    """The first illegal step, canonical; empty: all are legal."""
    number: int = -1
    """Its place among the steps of both branches; -1: none, or the line as a whole."""
    barred: Barred | None = None
    """Why it is illegal."""
    by: str = ""
    """The galley of her own side that lies where she would go; empty: none does."""
    run: Run
    """As it is at the end."""


def rehearse(position: Position, orders: Orders, *, capped: bool = False) -> tuple[Rehearsed, ...]:
    """How the lines of one squadron would go, one after the other; an illegal step ends its line, not the others.

    Raises `KeyError` for a ship that there is not.
    """
    _, found = rehearsed(position, orders, capped=capped)
    return found


def rehearsed(position: Position, orders: Orders, *, capped: bool = False) -> tuple[Position, tuple[Rehearsed, ...]]:
    """The same, and the position after it."""
    play = Play(position, Listed(()), Doctrines(), rehearsing=True)
    play.squadron = tuple(line.ship for line in orders.lines)
    found = tuple(_line(play, line, capped=capped) for line in orders.lines)
    return play.position, found


def surely(lies: Sequence[Position], speed: Speed, line: Line) -> Line:
    """As much of a line as a galley can row at a speed wherever the others lie; all of it if there is one position."""
    most = len(line.steps)
    for one in lies if len(lies) > 1 else ():
        (found,) = rehearse(one.with_ship(structs.replace(one.ship(line.ship), speed=speed)), Orders((line,)))
        most = min(most, max(0, found.number)) if found.barred else most
    return line if most == len(line.steps) else structs.replace(line, steps=line.steps[:most])


def first_fault(position: Position, orders: Orders) -> Rehearsed | None:
    """The first line of a message that is illegal; None: there is none."""
    play = Play(position, Listed(()), Doctrines(), rehearsing=True)
    for line in orders.lines:
        found = _line(play, line)
        if found.barred:
            return found
    return None


def line_barred(position: Position, line: Line, *, capped: bool = False) -> tuple[str, Barred] | None:
    """What is wrong with the points of a line (10.3): the step as it is named, and why; None: nothing."""
    ship = position.ship(line.ship)
    allowed = moves.allowed(position, ship, line, confused=capped)
    cost = activation.price(position, ship, line)
    if activation.anastrophic(line):
        return (f"m{cost}", Barred("SQ-06.1", "too_many_points", str(allowed))) if cost > allowed else None
    announced = cost if line.mp is None else line.mp
    if announced > allowed:
        return f"m{announced}", Barred("SQ-06.1", "too_many_points", str(allowed))
    if announced < cost or (announced > cost and not any(isinstance(step, Ram) for step in line.steps)):
        return f"m{announced}", Barred("SQ-06.1", "points_differ", str(cost))
    return None


def _line(play: Play, line: Line, *, capped: bool = False) -> Rehearsed:
    run = activation.begin(play.position, line, capped=capped)
    play.runs[line.ship] = run
    start = play.ship(line.ship).place
    if wrong := line_barred(play.position, line, capped=capped):
        step, barred = wrong
        return Rehearsed(ship=line.ship, announced=run.announced, places=(start,), step=step, barred=barred, run=run)
    walk = _Walk(play, run)
    main = (start, *walk.through(line.steps))
    other: tuple[Place, ...] = ()
    if line.alternative is not None and not (walk.barred or run.over or run.gone):
        other = (main[-1], *walk.through(line.alternative))
    return Rehearsed(
        ship=line.ship,
        announced=run.announced,
        places=main,
        alternative=other,
        step=walk.step,
        number=walk.number if walk.barred else -1,
        barred=walk.barred,
        by=walk.by,
        run=run,
    )


class _Walk:
    """Steps of one galley, one after the other, up to the first illegal one."""

    def __init__(self, play: Play, run: Run) -> None:
        self._play = play
        self._run = run
        self.barred: Barred | None = None
        self.step = ""
        self.number = -1
        self.by = ""

    def through(self, branch: Sequence[Step]) -> Iterator[Place]:
        """Where she is after each step."""
        for step in branch:
            self.number += 1
            self.barred = steps.barred(self._play.position, self._run, step)
            if self.barred:
                self.step = write_step(step)
                self.by = _friend(self._play.position, self._run.ship, self.barred)
                return
            steps.carry_out(self._play, self._run, step)
            yield self._play.ship(self._run.ship).place


def _friend(position: Position, name: str, barred: Barred) -> str:
    """The galley of a ship's own side that lies in the hex which bars her; empty: none does."""
    if barred.code != "hex_taken":
        return ""
    side = position.ship(name).side
    found = (one.id for here, one in position.occupied.items() if grid.label(here) == barred.expected)
    return next((one for one in found if position.ship(one).side == side and one != name), "")
