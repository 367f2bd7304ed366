"""Follow the leader (SQ 9.5): galleys in line row along the track of the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final, cast

from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import MoveOrder, OrderLine, OrderStep
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position

_CODE_BY_TURN: Final = {0: "F", 1: "S", 5: "P"}
_TURN_BY_CODE: Final = {code: turn for turn, code in _CODE_BY_TURN.items()}


def follower_lines(position: Position, ships: Sequence[str], line: OrderLine) -> Iterator[OrderLine]:
    """Yield the lines of all ships of a squadron in line astern; the first ship has `line`.

    A ship that cannot reach the next hex of the track stops.
    """
    if not ships:
        return
    first = position.ship_by_id(ships[0])
    yield structs.replace(line, ship=first.id)
    track = list(_bow_track(first.bow, first.facing, line.steps))
    ahead = list(reversed(track))  # from the leader's last hex back to where her bow is now
    for previous, name in pairwise(ships):
        ahead += [here for here in position.ship_by_id(previous).hexes if here not in ahead]
        ship = position.ship_by_id(name)
        steps = tuple(_moves_along(ship.bow, ship.facing, list(reversed(ahead)), len(track) - 1))
        yield OrderLine(name, steps)
        ahead += [here for here in ship.hexes if here not in ahead]


def _bow_track(bow: Hex, facing: int, steps: Sequence[OrderStep]) -> Iterator[Hex]:
    yield bow
    for step in steps:
        turn = _TURN_BY_CODE.get(step.code) if isinstance(step, MoveOrder) else None
        if turn is None:
            continue
        facing = (facing + turn) % 6
        bow = grid.next_hex(bow, facing)
        yield bow


def _moves_along(bow: Hex, facing: int, track: Sequence[Hex], most: int) -> Iterator[OrderStep]:
    for here in track[:most]:
        way = grid.direction_to(bow, here)
        code = None if way is None else _CODE_BY_TURN.get((way - facing) % 6)
        if way is None or code is None:
            return
        yield MoveOrder(cast("Any", code))
        bow, facing = here, way
