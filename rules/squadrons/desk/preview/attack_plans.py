"""What a galley could do as things stand: where she can row, which enemies she can attack, and with what chance.

No dice are rolled, and all others lie still. The panel, the hint and the plain computer captain look here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from msgspec import structs

from rules.squadrons.table.notation.orders import Flank, Grapple, Line, Move, Rake, Ram, Speed, Step, Through
from rules.squadrons.table.odds import Odds
from rules.squadrons.table.phases.combat import grappling, openings, raking, ramming
from rules.squadrons.table.phases.combat.openings import Attack
from rules.squadrons.table.phases.command import turn_start
from rules.squadrons.table.phases.movement import moves, reach
from rules.squadrons.table.phases.movement.reach import There
from rules.squadrons.table.phases.play import Run
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship, order_of

FLANKS: Final[tuple[Flank, Flank]] = ("p", "s")


class Plan(NamedTuple):
    """An attack that a galley could make: by which way, and its odds."""

    ship: str
    target: str
    attack: Attack
    speed: Speed
    steps: tuple[Step, ...]
    odds: Odds
    place: Place
    """Where she is when she attacks."""

    @property
    def line(self) -> Line:
        """The orders that do it."""
        return Line(self.ship, self.steps)


def set_speed(position: Position, ship: Ship, speed: Speed) -> tuple[Position, Ship]:
    """The position with a ship at a speed."""
    changed = structs.replace(ship, speed=speed)
    return position.with_ship(changed), changed


@lru_cache(maxsize=256)
def ways(position: Position, ship: Ship) -> tuple[reach.Layer, ...]:
    """The places ahead and the moves that lead there, by movement points used."""
    points = reach.points(position, ship) if ship.afloat else 0
    return reach.layers(position, ship, points)


def moved(position: Position, ship: Ship, there: There, codes: str) -> tuple[Position, Run]:
    """The position, and the galley's activation, after moves ahead."""
    run = Run(ship.id, began_max=ship.speed == "M", announced=moves.allowance(position, ship))
    run.used, run.moved, run.turns = len(codes), bool(codes), there.turns
    if codes:
        run.last = cast("Any", codes[-1])
        before = (there.facing - moves.AHEAD[codes[-1]]) % 6
        run.before = Place(grid.step(there.bow, there.facing + 3), before)
    return position.with_ship(structs.replace(ship, bow=there.bow, facing=there.facing)), run


@lru_cache(maxsize=512)
def attacks(position: Position, name: str, speed: Speed) -> tuple[Plan, ...]:
    """The best of each kind of attack on each enemy that a galley can reach at a speed, the likeliest first."""
    position, ship = set_speed(position, position.ship(name), speed)
    if not ship.afloat or (speed == "M" and turn_start.max_barred(position, ship)):
        return ()
    foes = [one for one in position.ships if one.afloat and one.side != ship.side]
    if not foes or min(grid.distance(ship.hexes, one.hexes) for one in foes) > moves.allowance(position, ship) + 1:
        return ()
    near = openings.of(tuple((one.id, one.place, one.size) for one in foes), ship.size, speed)
    best: dict[tuple[str, str], Plan] = {}
    tried: set[tuple[str, Attack, Hashable]] = set()
    for layer in ways(position, ship):
        for there, codes in layer.items():
            for target, attack in near.get((there.bow, there.facing), ()):
                alike = target, attack, openings.odds_hang_on(attack, there, codes)
                if alike not in tried and (plan := _plan(position, ship, (there, codes), target, attack)):
                    tried.add(alike)
                    if (target, attack) not in best or plan.odds.chance > best[target, attack].odds.chance:
                        best[target, attack] = plan
    return tuple(sorted(best.values(), key=lambda plan: (-plan.odds.chance, order_of(plan.target), plan.attack)))


def _plan(position: Position, ship: Ship, way: tuple[There, str], target: str, attack: Attack) -> Plan | None:
    """An attack from a place ahead, reached by some moves; None: it is not legal."""
    there, codes = way
    lying, run = moved(position, ship, there, codes)
    last: Step | None = None
    match attack:
        case "ram" if not ramming.barred(lying, run, target):
            last, odds = Ram(target), ramming.odds(lying, run, target)
        case "rake" if not raking.barred(lying, run, target):
            last, odds = Rake(target), raking.odds(lying, run, target)
        case "grap" if not grappling.barred(lying, run, target):
            last, odds = Grapple(target), grappling.odds(lying, run, target)
        case "X":
            passes = (Through(target, side) for side in FLANKS)
            last = next((one for one in passes if not raking.through_barred(lying, run, one)), None)
            odds = raking.odds(lying, run, target)
    if last is None:
        return None
    steps = (*(Move(cast("Any", code)) for code in codes), last)
    return Plan(ship.id, target, attack, ship.speed, steps, odds, there.place)


def enemies(position: Position, ship: Ship) -> list[Ship]:
    """Enemies on the map, the nearest first."""
    found = [one for one in position.ships if one.afloat and one.side != ship.side]
    return sorted(found, key=lambda one: (grid.distance(ship.hexes, one.hexes), order_of(one.id)))


def nearer(position: Position, ship: Ship, goal: Ship, speed: Speed) -> Line:
    """The line that brings a galley nearest to another, her bow towards her."""
    position, ship = set_speed(position, ship, speed)
    best: tuple[float, ...] = (math.inf,)
    found = ""
    for layer in ways(position, ship):
        for there, codes in layer.items():
            away = grid.distance(there.place.hexes(ship.size), goal.hexes)
            if away > best[0]:
                continue  # that she shows no side to a beak there makes it no better
            exposed = _exposed(position, ship, there.place) if away <= _FACING_HEXES else 0
            ahead = grid.distance((there.place.ahead,), goal.hexes)
            rank = away + 2 * exposed, ahead, len(codes), there.turns
            if rank < best:
                best, found = rank, codes
    return Line(ship.id, tuple(Move(cast("Any", code)) for code in found))


_FACING_HEXES: Final = 3
"""Hexes within which it matters which way a galley faces."""


def _exposed(position: Position, ship: Ship, place: Place) -> int:
    """How many enemies point their beaks at a flank of hers."""
    flanks = grid.beside(place.bow, place.facing, ship.size).flanks
    return sum(
        one.place.ahead in flanks or grid.step(one.place.ahead, one.facing) in flanks
        for one in position.ships
        if one.afloat and one.side != ship.side and one.ra and not position.immobile(one)
    )


def end_of(position: Position, ship: Ship, line: Line) -> Place:
    """Where the moves of a line lead, were nobody in the way."""
    there = ship
    for step in line.steps:
        if isinstance(step, Move):
            place = moves.reached(there, step.code)
            if position.on_map(place.bow):
                there = structs.replace(there, bow=place.bow, facing=place.facing)
        elif isinstance(step, Through) and (target := position.by_id.get(step.target)):
            place = raking.passed(there, target)
            there = structs.replace(there, bow=place.bow, facing=place.facing)
    return there.place
