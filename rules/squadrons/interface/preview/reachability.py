"""Hexes that bows can reach in one activation, of own ships and of enemies, for planning (SQ-06)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import Final

from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation.orders import MoveCode
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.phases.movement import reach as movement
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.preview.view import ReachableHex

_FORWARD_MOVES: Final[tuple[MoveCode, ...]] = ("F", "P", "S")
_TURN_MOVES: Final[tuple[MoveCode, ...]] = ("tp", "ts", "wp", "ws", "TA")
_BACK_MOVES: Final[tuple[MoveCode, ...]] = ("B", "Bp", "Bs")
_TWO_POINT_MOVES: Final = ("TA", *_BACK_MOVES)
THREAT_HEXES: Final = 10
"""Enemies farther from a ship than this are no threat in one turn."""


def reachable_hexes(position: Position, name: str, run: ActivationInProgress | None = None) -> tuple[ReachableHex, ...]:
    """Return the hexes that a ship's bow can reach with the fewest points, nearest first, without its present hex.

    `run` is her activation so far, None before it. Attacks, Pass-Through and land are ignored.
    """
    ship = position.ship_by_id(name)
    points = moves.movement_allowance(position, ship)
    if run is not None:
        points = 0 if run.ended_by or (ship.is_crippled and run.has_moved) else points - run.used
    backed, moved = (run.has_backed, run.has_moved) if run is not None else (False, False)
    bows = _points_by_bow(position, ship, points, ahead=not backed, astern=backed or not moved)
    reached = sorted(bows.items(), key=lambda item: (item[1], item[0]))
    return tuple(ReachableHex(hex=grid.hex_label(here), mp=mp) for here, mp in reached if here != ship.bow)


def threatened_hexes(position: Position, side: str, near: tuple[Hex, ...] = ()) -> tuple[str, ...]:
    """Return the hexes that bows of a side's enemies may enter in their next activations, at any possible speed.

    With `near`, only enemies within `THREAT_HEXES` of these hexes count.
    """
    threatened: set[Hex] = set()
    for ship in position.ships:
        is_far = grid.hex_distance(ship.hexes, near) > THREAT_HEXES if near and ship.is_afloat else False
        if ship.is_afloat and ship.side != side and not is_far:
            for variant in _at_possible_speeds(position, ship):
                threatened |= _points_by_bow(position, variant, moves.movement_allowance(position, variant)).keys()
    return tuple(sorted(map(grid.hex_label, threatened)))


def _at_possible_speeds(position: Position, ship: Ship) -> Iterable[Ship]:
    if position.phase in ("E", "F") and not ship.done:
        return (ship,)
    next_ship = structs.replace(ship, speed="C", half_speed=False, fatigue=max(0, ship.fatigue - 1))
    may_row_at_max = not turn_start.why_max_barred(position, next_ship)
    return (next_ship, structs.replace(next_ship, speed="M")) if may_row_at_max else (next_ship,)


def _points_by_bow(
    position: Position, ship: Ship, points: int, *, ahead: bool = True, astern: bool = True
) -> dict[Hex, int]:
    if position.is_immobile(ship) or not ship.is_afloat:
        return {}
    if ship.is_crippled:
        return _points_by_moves(
            position, ship, ("P", "tp", "wp") if ship.crippled_port else ("S", "ts", "ws"), min(points, 1)
        )
    turns: Sequence[MoveCode] = () if ship.speed == "M" or ship.sails else _TURN_MOVES
    best = _points_by_moves(position, ship, (*_FORWARD_MOVES, *turns), points) if ahead else {}
    if ship.speed == "C" and astern:
        for here, mp in _points_by_moves(position, ship, _BACK_MOVES, points).items():
            best[here] = min(mp, best.get(here, mp))
    return best


def _points_by_moves(position: Position, ship: Ship, codes: Sequence[MoveCode], points: int) -> dict[Hex, int]:
    free_sea = movement.free_hexes(position, ship)
    enemies = {here for here, other in position.ships_by_hex.items() if other.side != ship.side}
    best: dict[Hex, int] = {}
    visited: set[HexPose] = set()
    edge = [(0, ship.place)]
    while edge:
        used, here = heappop(edge)
        if here in visited:
            continue
        visited.add(here)
        best.setdefault(here.bow, used)
        for code in codes:
            there, entered = _place_after_move(here, ship.size, code)
            cost = used + (2 if code in _TWO_POINT_MOVES else 1)
            barred = code == "TA" and not enemies.isdisjoint(grid.adjacent_hexes(*here, ship.size).all_neighbours)
            if cost <= points and there not in visited and entered <= free_sea and not barred:
                heappush(edge, (cost, there))
    return best


@lru_cache(maxsize=65536)
def _place_after_move(here: HexPose, size: int, code: MoveCode) -> tuple[HexPose, frozenset[Hex]]:  # 4.3
    there = moves.place_after_move(structs.replace(_SHIP_BY_SIZE[size], bow=here.bow, facing=here.facing), code)
    return there, frozenset(there.covered_hexes(size)) - frozenset(here.covered_hexes(size))


_SHIP_BY_SIZE: Final = {1: Ship(id="B1", code="L"), 2: Ship(id="B1", code="5")}
