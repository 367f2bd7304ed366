"""Where bows can be brought in one activation: of one's own ship, and of all enemies, for plans (SQ-06)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import Final

from msgspec import structs

from rules.hexes import Hex
from rules.squadrons.desk.preview.view import Reached
from rules.squadrons.table.notation.orders import MoveCode
from rules.squadrons.table.phases.command import turn_start
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.phases.play import Run
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship

_FORWARD: Final[tuple[MoveCode, ...]] = ("F", "P", "S")
_TURNS: Final[tuple[MoveCode, ...]] = ("tp", "ts", "wp", "ws")
_BACK: Final[tuple[MoveCode, ...]] = ("B", "Bp", "Bs")
_DEAR: Final = ("TA", *_BACK)
"""Moves of two points."""


NEAR: Final = 10
"""Hexes: enemies farther away than this from a ship are no threat to her in one turn."""


def reach(position: Position, name: str, run: Run | None = None) -> tuple[Reached, ...]:
    """Hexes to which the bow of a ship can be brought, with the fewest points, nearest first; not where it is.

    `run`: what she has done in her activation so far; None: nothing. Attacks, Pass-Through and land are left out.
    """
    ship = position.ship(name)
    points = moves.allowance(position, ship)
    if run is not None:
        points = 0 if run.ended or (ship.crippled and run.moved) else points - run.used
    backed, moved = (run.backed, run.moved) if run is not None else (False, False)
    bows = _bows(position, ship, points, ahead=not backed, astern=backed or not moved)
    found = sorted(bows.items(), key=lambda item: (item[1], item[0]))
    return tuple(Reached(hex=grid.label(here), mp=mp) for here, mp in found if here != ship.bow)


def threats(position: Position, side: str, near: tuple[Hex, ...] = ()) -> tuple[str, ...]:
    """Hexes to which bows of the enemies of a side may come in their next activations, whatever speed they take.

    Of enemies near some hexes alone, if any are given.
    """
    found: set[Hex] = set()
    for ship in position.ships:
        far = grid.distance(ship.hexes, near) > NEAR if near and ship.afloat else False
        if ship.afloat and ship.side != side and not far:
            for one in _speeds(position, ship):
                found |= _bows(position, one, moves.allowance(position, one)).keys()
    return tuple(sorted(map(grid.label, found)))


def _speeds(position: Position, ship: Ship) -> Iterable[Ship]:
    """A ship at the speeds that she may have when she is activated next."""
    if position.phase in ("E", "F") and not ship.done:
        return (ship,)
    fresh = structs.replace(ship, speed="C", half_speed=False, fatigue=max(0, ship.fatigue - 1))
    able = not turn_start.max_barred(position, fresh)
    return (fresh, structs.replace(fresh, speed="M")) if able else (fresh,)


def _bows(position: Position, ship: Ship, points: int, *, ahead: bool = True, astern: bool = True) -> dict[Hex, int]:
    """Points by hex of the bow."""
    if position.immobile(ship) or not ship.afloat:
        return {}
    taken = frozenset(here for here, other in position.occupied.items() if other.id != ship.id) | position.ashore
    sea = _Sea(position, ship, taken)
    if ship.crippled:
        codes: Sequence[MoveCode] = ("P", "tp", "wp") if ship.crippled_port else ("S", "ts", "ws")
        best: dict[Hex, int] = {}
        for code in codes if points > 0 else ():
            there = sea.after(ship.place, code)
            if there is not None:
                best.setdefault(there.bow, 1)
        return best
    forward = _FORWARD if ship.speed == "M" else (*_FORWARD, *sea.turns)
    best = sea.flood(forward, points) if ahead else {}
    if ship.speed == "C" and astern:
        for here, mp in sea.flood(_BACK, points).items():
            best[here] = min(mp, best.get(here, mp))
    return best


class _Sea:
    """The hexes about one ship."""

    def __init__(self, position: Position, ship: Ship, taken: frozenset[Hex]) -> None:
        self.position, self.ship, self.taken = position, ship, taken
        self.enemies = frozenset(here for here, other in position.occupied.items() if other.side != ship.side)
        self.turns: tuple[MoveCode, ...] = () if ship.sails else (*_TURNS, "TA")

    def flood(self, codes: Sequence[MoveCode], points: int) -> dict[Hex, int]:
        """Fewest points by hex of the bow, with these moves alone."""
        start = self.ship.place
        done: dict[Place, int] = {}
        ahead: list[tuple[int, Place]] = [(0, start)]
        best: dict[Hex, int] = {}
        while ahead:
            used, here = heappop(ahead)
            if here in done:
                continue
            done[here] = used
            best.setdefault(here.bow, used)
            for code in codes:
                price = 2 if code in _DEAR else 1
                there = self.after(here, code) if used + price <= points else None
                if there is not None and there not in done:
                    heappush(ahead, (used + price, there))
        return best

    def after(self, here: Place, code: MoveCode) -> Place | None:
        """Where a move takes her; None: it may not be."""
        there = _after(here, self.ship.size, code)
        if code in _FORWARD:
            return there if self._free(there.bow) else None
        if code in _BACK:
            return there if self._free(there.stern(self.ship.size)) else None
        if code == "TA":
            beside = grid.beside(here.bow, here.facing, self.ship.size).all
            return None if self.enemies.intersection(beside) else there
        swung = there.stern(self.ship.size) if code[0] == "t" else there.bow
        return there if self.ship.size == 1 or self._free(swung) else None

    def _free(self, here: Hex) -> bool:
        return here not in self.taken and self.position.on_map(here)


@lru_cache(maxsize=65536)
def _after(here: Place, size: int, code: MoveCode) -> Place:
    """Where a move takes a ship of a size (4.3)."""
    return moves.reached(_SHIPS[size].at(here), code)


class _Model:
    """A ship of a size, wherever she is."""

    def __init__(self, kind: str) -> None:
        self.ship = Ship(id="B1", code=kind)

    def at(self, here: Place) -> Ship:
        return structs.replace(self.ship, bow=here.bow, facing=here.facing)


_SHIPS: Final = {1: _Model("L"), 2: _Model("5")}
