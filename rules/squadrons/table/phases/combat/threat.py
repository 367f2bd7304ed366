"""Whether a galley threatens another: what she could do to it now, or after one more step (10.2, `threat`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from msgspec import structs

from rules.finding import updated
from rules.squadrons.table.notation.orders import MoveCode, Through
from rules.squadrons.table.phases.combat import grappling, raking, ramming
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.phases.play import Run
from rules.squadrons.table.sea.state import Position

_AHEAD: Final[tuple[MoveCode, ...]] = ("F", "P", "S")


def threatens(position: Position, run: Run, target: str) -> bool:
    """Whether she could ram, rake, pass through or grapple a ship at once, or ram or rake it by her very next step.

    Rules: SQ-24.4.
    """
    if run.gone:
        return False
    return _now(position, run, target) or any(
        not (ramming.barred(there, then, target) and raking.barred(there, then, target))
        for there, then in _next(position, run)
    )


def _now(position: Position, run: Run, target: str) -> bool:
    return (
        not ramming.barred(position, run, target)
        or not raking.barred(position, run, target)
        or any(not raking.through_barred(position, run, Through(target, side)) for side in ("p", "s"))
        or not grappling.barred(position, run, target)
    )


def _next(position: Position, run: Run) -> Iterator[tuple[Position, Run]]:
    """Where she could be after one step that keeps her afloat and on the map."""
    ship = position.ship(run.ship)
    for code in _AHEAD:
        if moves.barred(position, run, code) or moves.leaves(position, ship, code):
            continue
        place = moves.reached(ship, code)
        if place.bow in position.ashore:
            continue
        there = structs.replace(ship, bow=place.bow, facing=place.facing)
        then = replace(run)
        moves.mark(then, ship, code, 1)
        yield structs.replace(position, ships=updated(position.ships, there)), then
