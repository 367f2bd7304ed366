"""Whether a galley threatens another: what she could do now or after one more step (10.2, `threat`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from msgspec import structs

from rules.core.finding import with_updated
from rules.squadrons.engine.notation.orders import MoveCode, PassThroughOrder
from rules.squadrons.engine.phases.combat import grappling, raking, ramming
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea.state import Position

_MOVES_AHEAD: Final[tuple[MoveCode, ...]] = ("F", "P", "S")


def is_threatening(position: Position, run: ActivationInProgress, target: str) -> bool:
    """Return whether the active galley could attack the target now, or ram or rake it after one more step (SQ-24.4)."""
    if run.is_gone:
        return False
    return _threatens_now(position, run, target) or any(
        not (
            ramming.why_ram_barred(next_position, next_run, target)
            and raking.why_rake_barred(next_position, next_run, target)
        )
        for next_position, next_run in _positions_after_step(position, run)
    )


def _threatens_now(position: Position, run: ActivationInProgress, target: str) -> bool:
    return (
        not ramming.why_ram_barred(position, run, target)
        or not raking.why_rake_barred(position, run, target)
        or any(not raking.why_pass_barred(position, run, PassThroughOrder(target, side)) for side in ("p", "s"))
        or not grappling.why_grapple_barred(position, run, target)
    )


def _positions_after_step(
    position: Position, run: ActivationInProgress
) -> Iterator[tuple[Position, ActivationInProgress]]:
    ship = position.ship_by_id(run.ship)
    for code in _MOVES_AHEAD:
        if moves.why_move_barred(position, run, code) or moves.leaves_map(position, ship, code):
            continue
        place = moves.place_after_move(ship, code)
        if place.bow in position.land_hexes:
            continue
        moved = structs.replace(ship, bow=place.bow, facing=place.facing)
        next_run = replace(run)
        moves.note_move(next_run, ship, code, 1)
        yield structs.replace(position, ships=with_updated(position.ships, moved)), next_run
