"""What a galley could do as things stand: where she can row, whom she can attack and how likely it tells.

No dice are rolled, and all others lie still. The panel, the hint and the plain computer captain look here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from msgspec import structs

from rules.hexes import Hex
from rules.squadrons.table.notation.orders import Flank, Grapple, Line, Move, Rake, Ram, Speed, Step, Through
from rules.squadrons.table.odds import Odds
from rules.squadrons.table.phases.combat import grappling, raking, ramming
from rules.squadrons.table.phases.movement import moves
from rules.squadrons.table.phases.play import Run
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.grid import Place
from rules.squadrons.table.sea.state import Position, Ship, order_of

FLANKS: Final[tuple[Flank, Flank]] = ("p", "s")
_MOST_TURNS: Final = 2
"""Bow/flank entries beyond which it does not matter how many there were (SQ-13.5)."""


class Way(NamedTuple):
    """A way ahead: the moves, and where they lead."""

    codes: str
    """A letter a move: F, P, S."""
    place: Place
    before: Place
    """Where she lay before the last move."""
    turns: int


class Plan(NamedTuple):
    """An attack that a galley could make: by which way, and its odds."""

    ship: str
    target: str
    attack: str
    """`ram`, `rake`, `grap` or `X`."""
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
    return with_ship(position, changed), changed


def with_ship(position: Position, ship: Ship) -> Position:
    """The position with a ship as she is now."""
    return structs.replace(position, ships=tuple(ship if one.id == ship.id else one for one in position.ships))


def may_row_hard(position: Position, ship: Ship) -> bool:
    """Whether a galley may be set to Max (SQ-07.2)."""
    leader = position.aboard(ship.id)
    return not (
        ship.slowed or ship.held or ship.crippled or position.immobile(ship) or (leader and leader.reduced == "temp")
    )


@lru_cache(maxsize=256)
def ways(position: Position, ship: Ship) -> tuple[tuple[Way, ...], ...]:
    """The ways ahead, by movement points used; of several to the same place those with fewest turns."""
    start = Way("", ship.place, ship.place, 0)
    layers: list[tuple[Way, ...]] = [(start,)]
    if position.immobile(ship) or ship.crippled or not ship.afloat:
        return tuple(layers)
    own = set(ship.hexes)
    for _ in range(moves.allowance(position, ship)):
        found: dict[tuple[Place, int], Way] = {}
        for way in layers[-1]:
            for code, turn in moves.AHEAD.items():
                facing = (way.place.facing + turn) % 6
                bow = grid.step(way.place.bow, facing)
                if not position.on_map(bow) or bow in position.ashore:
                    continue
                if bow in position.occupied and bow not in own:
                    continue
                turns = min(_MOST_TURNS, way.turns + (code != "F"))
                there = Place(bow, facing)
                found.setdefault((there, turns), Way(way.codes + code, there, way.place, turns))
        layers.append(tuple(found.values()))
    return tuple(layers)


def moved(position: Position, ship: Ship, way: Way) -> tuple[Position, Run]:
    """The position, and the galley's activation, after a way."""
    run = Run(ship.id, began_max=ship.speed == "M", announced=moves.allowance(position, ship))
    run.used, run.moved, run.turns = len(way.codes), bool(way.codes), way.turns
    run.last = cast("Any", way.codes[-1:])
    run.before = way.before if way.codes else None
    there = structs.replace(ship, bow=way.place.bow, facing=way.place.facing)
    return with_ship(position, there), run


@lru_cache(maxsize=512)
def attacks(position: Position, name: str, speed: Speed) -> tuple[Plan, ...]:
    """The best of each kind of attack upon each enemy that a galley can reach at a speed, the likeliest first."""
    position, ship = set_speed(position, position.ship(name), speed)
    if not ship.afloat or (speed == "M" and not may_row_hard(position, ship)):
        return ()
    around = _around_enemies(position, ship)
    if not around or min(grid.distance(ship.hexes, (here,)) for here in around) > moves.allowance(position, ship):
        return ()
    best: dict[tuple[str, str], Plan] = {}
    for layer in ways(position, ship):
        for way in layer:
            if not around.isdisjoint(way.place.hexes(ship.size)):
                for plan in _from(position, ship, way):
                    key = (plan.target, plan.attack)
                    if key not in best or plan.odds.chance > best[key].odds.chance:
                        best[key] = plan
    return tuple(sorted(best.values(), key=lambda plan: (-plan.odds.chance, order_of(plan.target), plan.attack)))


def _around_enemies(position: Position, ship: Ship) -> frozenset[Hex]:
    """The hexes beside enemies."""
    return frozenset(here for one in position.ships if one.afloat and one.side != ship.side for here in one.beside.all)


def _from(position: Position, ship: Ship, way: Way) -> Iterator[Plan]:
    """What she could attack at the end of a way."""
    near = {
        there.id
        for here in way.place.hexes(ship.size)
        for around in grid.neighbours(here)
        if (there := position.occupied.get(around)) and there.side != ship.side
    }
    if not near:
        return
    lying, run = moved(position, ship, way)
    steps = tuple(Move(cast("Any", code)) for code in way.codes)

    def plan(attack: str, target: str, last: Step, odds: Odds) -> Plan:
        return Plan(ship.id, target, attack, ship.speed, (*steps, last), odds, way.place)

    for name in sorted(near, key=order_of):
        if not ramming.barred(lying, run, name):
            yield plan("ram", name, Ram(name), ramming.odds(lying, run, name))
        if not raking.barred(lying, run, name):
            yield plan("rake", name, Rake(name), raking.odds(lying, run, name))
        if not grappling.barred(lying, run, name):
            yield plan("grap", name, Grapple(name), grappling.odds(lying, run, name))
        for side in FLANKS:
            through = Through(name, side)
            if not raking.through_barred(lying, run, through):
                yield plan("X", name, through, raking.odds(lying, run, name))


def enemies(position: Position, ship: Ship) -> list[Ship]:
    """Enemies on the map, the nearest first."""
    found = [one for one in position.ships if one.afloat and one.side != ship.side]
    return sorted(found, key=lambda one: (grid.distance(ship.hexes, one.hexes), order_of(one.id)))


def nearer(position: Position, ship: Ship, goal: Ship, speed: Speed, *, short: int = 0) -> Line:
    """The way that brings a galley nearest to another, her bow towards her; some points short of all that she has."""
    position, ship = set_speed(position, ship, speed)
    best: tuple[tuple[int, ...], Way] | None = None
    layers = ways(position, ship)
    for layer in layers[: max(1, len(layers) - short)]:
        for way in layer:
            rank = _rank(position, ship, way, goal)
            if best is None or rank < best[0]:
                best = (rank, way)
    codes = best[1].codes if best else ""
    return Line(ship.id, tuple(Move(cast("Any", code)) for code in codes))


def _rank(position: Position, ship: Ship, way: Way, goal: Ship) -> tuple[int, ...]:
    """How far she would be, and whether she would show her side to the beak of an enemy."""
    away = grid.distance(way.place.hexes(ship.size), goal.hexes)
    ahead = grid.distance((way.place.ahead,), goal.hexes)
    exposed = _exposed(position, ship, way.place) if away <= _FACING_HEXES else 0
    return (away + 2 * exposed, ahead, len(way.codes), way.turns)


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
