"""What a galley could do as things stand: where she can row, which enemies she can attack, and with what chance.

No dice are rolled, and all others lie still. The panel, the hint and the plain computer captain look here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from msgspec import structs

from rules.squadrons.engine.notation.orders import (
    Flank,
    GrappleOrder,
    MoveOrder,
    OrderLine,
    OrderStep,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    Speed,
)
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.combat import grappling, openings, raking, ramming
from rules.squadrons.engine.phases.combat.openings import OpeningAttack
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves, reach
from rules.squadrons.engine.phases.movement.reach import ReachedPlace
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key

FLANKS: Final[tuple[Flank, Flank]] = ("p", "s")


class AttackPlan(NamedTuple):
    """An attack that a galley could make: by which way, and its odds."""

    ship: str
    target: str
    attack: OpeningAttack
    speed: Speed
    steps: tuple[OrderStep, ...]
    odds: RollOdds
    place: HexPose
    """Where she is when she attacks."""

    @property
    def to_line(self) -> OrderLine:
        """The orders that do it."""
        return OrderLine(self.ship, self.steps)


def set_speed(position: Position, ship: Ship, speed: Speed) -> tuple[Position, Ship]:
    """The position with a ship at a speed."""
    changed = structs.replace(ship, speed=speed)
    return position.with_ship(changed), changed


@lru_cache(maxsize=256)
def ways_ahead(position: Position, ship: Ship) -> tuple[reach.ReachLayer, ...]:
    """The places ahead and the moves that lead there, by movement points used."""
    points = reach.free_points(position, ship) if ship.is_afloat else 0
    return reach.reach_layers(position, ship, points)


def after_moves(
    position: Position, ship: Ship, there: ReachedPlace, codes: str
) -> tuple[Position, ActivationInProgress]:
    """The position, and the galley's activation, after moves ahead."""
    run = ActivationInProgress(ship.id, began_max=ship.speed == "M", announced=moves.movement_allowance(position, ship))
    run.used, run.has_moved, run.turns = len(codes), bool(codes), there.turns
    if codes:
        run.last_move = cast("Any", codes[-1])
        before = (there.facing - moves.TURN_BY_CODE[codes[-1]]) % 6
        run.place_before_move = HexPose(grid.next_hex(there.bow, there.facing + 3), before)
    return position.with_ship(structs.replace(ship, bow=there.bow, facing=there.facing)), run


@lru_cache(maxsize=512)
def best_attacks(position: Position, name: str, speed: Speed) -> tuple[AttackPlan, ...]:
    """The best of each kind of attack on each enemy that a galley can reach at a speed, the likeliest first."""
    position, ship = set_speed(position, position.ship_by_id(name), speed)
    if not ship.is_afloat or (speed == "M" and turn_start.why_max_barred(position, ship)):
        return ()
    foes = [one for one in position.ships if one.is_afloat and one.side != ship.side]
    if (
        not foes
        or min(grid.hex_distance(ship.hexes, one.hexes) for one in foes) > moves.movement_allowance(position, ship) + 1
    ):
        return ()
    near = openings.find_openings(tuple((one.id, one.place, one.size) for one in foes), ship.size, speed)
    best: dict[tuple[str, str], AttackPlan] = {}
    tried: set[tuple[str, OpeningAttack, Hashable]] = set()
    for layer in ways_ahead(position, ship):
        for there, codes in layer.items():
            for target, attack in near.get((there.bow, there.facing), ()):
                alike = target, attack, openings.odds_key(attack, there, codes)
                if alike not in tried and (plan := _attack_plan(position, ship, (there, codes), target, attack)):
                    tried.add(alike)
                    if (target, attack) not in best or plan.odds.chance > best[target, attack].odds.chance:
                        best[target, attack] = plan
    return tuple(sorted(best.values(), key=lambda plan: (-plan.odds.chance, id_sort_key(plan.target), plan.attack)))


def _attack_plan(
    position: Position, ship: Ship, way: tuple[ReachedPlace, str], target: str, attack: OpeningAttack
) -> AttackPlan | None:
    """An attack from a place ahead, reached by some moves; None: it is not legal."""
    there, codes = way
    lying, run = after_moves(position, ship, there, codes)
    last: OrderStep | None = None
    match attack:
        case "ram" if not ramming.why_ram_barred(lying, run, target):
            last, odds = RamOrder(target), ramming.ram_odds(lying, run, target)
        case "rake" if not raking.why_rake_barred(lying, run, target):
            last, odds = RakeOrder(target), raking.rake_odds(lying, run, target)
        case "grap" if not grappling.why_grapple_barred(lying, run, target):
            last, odds = GrappleOrder(target), grappling.grapple_odds(lying, run, target)
        case "X":
            passes = (PassThroughOrder(target, side) for side in FLANKS)
            last = next((one for one in passes if not raking.why_pass_barred(lying, run, one)), None)
            odds = raking.rake_odds(lying, run, target)
    if last is None:
        return None
    steps = (*(MoveOrder(cast("Any", code)) for code in codes), last)
    return AttackPlan(ship.id, target, attack, ship.speed, steps, odds, there.place)


def enemies_by_distance(position: Position, ship: Ship) -> list[Ship]:
    """Enemies on the map, the nearest first."""
    found = [one for one in position.ships if one.is_afloat and one.side != ship.side]
    return sorted(found, key=lambda one: (grid.hex_distance(ship.hexes, one.hexes), id_sort_key(one.id)))


def line_towards(position: Position, ship: Ship, goal: Ship, speed: Speed) -> OrderLine:
    """The line that brings a galley nearest to another, her bow towards her."""
    position, ship = set_speed(position, ship, speed)
    best: tuple[float, ...] = (math.inf,)
    found = ""
    for layer in ways_ahead(position, ship):
        for there, codes in layer.items():
            away = grid.hex_distance(there.place.covered_hexes(ship.size), goal.hexes)
            if away > best[0]:
                continue  # that she shows no side to a beak there makes it no better
            exposed = _count_exposing_enemies(position, ship, there.place) if away <= _FACING_HEXES else 0
            ahead = grid.hex_distance((there.place.hex_ahead,), goal.hexes)
            rank = away + 2 * exposed, ahead, len(codes), there.turns
            if rank < best:
                best, found = rank, codes
    return OrderLine(ship.id, tuple(MoveOrder(cast("Any", code)) for code in found))


_FACING_HEXES: Final = 3
"""Hexes within which it matters which way a galley faces."""


def _count_exposing_enemies(position: Position, ship: Ship, place: HexPose) -> int:
    """How many enemies point their beaks at a flank of hers."""
    flanks = grid.adjacent_hexes(place.bow, place.facing, ship.size).all_flanks
    return sum(
        one.place.hex_ahead in flanks or grid.next_hex(one.place.hex_ahead, one.facing) in flanks
        for one in position.ships
        if one.is_afloat and one.side != ship.side and one.ram_attack and not position.is_immobile(one)
    )


def end_place(position: Position, ship: Ship, line: OrderLine) -> HexPose:
    """Where the moves of a line lead, were nobody in the way."""
    there = ship
    for step in line.steps:
        if isinstance(step, MoveOrder):
            place = moves.place_after_move(there, step.code)
            if position.is_on_map(place.bow):
                there = structs.replace(there, bow=place.bow, facing=place.facing)
        elif isinstance(step, PassThroughOrder) and (target := position.ships_by_id.get(step.target)):
            place = raking.place_after_pass(there, target)
            there = structs.replace(there, bow=place.bow, facing=place.facing)
    return there.place
