"""Attacks that a galley could make now: where she can row, which enemies she can attack, and with what chance.

No dice are rolled, and all other ships stay in place. The panel, hints and the simple computer captain use this.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, cast

from msgspec import structs

from rules.geometry.hexes import Hex
from rules.squadrons.engine.notation import orders
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.phases.combat import grappling, raking, ramming
from rules.squadrons.engine.phases.command import turn_start
from rules.squadrons.engine.phases.movement import moves, reach
from rules.squadrons.engine.phases.movement.reach import ReachedPlace
from rules.squadrons.engine.phases.play import ActivationInProgress
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.grid import HexPose
from rules.squadrons.engine.sea.state import Position, Ship, id_sort_key

OpeningAttack = Literal["ram", "rake", "grap", "X"]
AttacksByPlace = dict[tuple[Hex, int], list[tuple[str, OpeningAttack]]]
"""For each bow and facing of a galley, the ships that she may attack and the kind of attack."""


@lru_cache(maxsize=16)
def find_openings(targets: tuple[tuple[str, HexPose, int], ...], size: int, speed: orders.Speed) -> AttacksByPlace:
    """Return from where a galley of this size may attack targets (id, place, size), judged only by their places."""
    illegal_attack = "X" if speed == "C" else "grap"  # SQ-14.11, SQ-16.3
    attacks: AttacksByPlace = {}
    for name, (target_bow, target_facing), target_size in targets:
        for offset, facing, attack in _openings_about(target_facing, target_size, size):
            if attack != illegal_attack:
                bow = Hex(target_bow.q + offset.q, target_bow.r + offset.r)
                attacks.setdefault((bow, facing), []).append((name, attack))
    return attacks


@lru_cache(maxsize=24)
def _openings_about(target_facing: int, target_size: int, size: int) -> tuple[tuple[Hex, int, OpeningAttack], ...]:
    """Return bow, facing and attack of each way to attack a target whose bow is at the origin.

    Rules: SQ-13.2, SQ-14.1, SQ-14.2, SQ-14.11, SQ-16.1.
    """
    target = structs.replace(SHIP_BY_SIZE[target_size], facing=target_facing)
    around = {there for here in target.hexes for there in grid.neighbours(here)}
    bows = around | {grid.next_hex(stern, facing) for stern in around for facing in range(6)}
    openings: list[tuple[Hex, int, OpeningAttack]] = []
    for bow, facing in sorted((bow, facing) for bow in bows for facing in range(6)):
        ship = structs.replace(SHIP_BY_SIZE[size], bow=bow, facing=facing)
        possible: dict[OpeningAttack, object] = {
            "ram": ramming.is_pointing_at(ship, target),
            "rake": raking.passed_side(target, grid.next_hex(bow, facing + 3), bow),
            "grap": grappling.share_flank_side(ship, target),
            "X": raking.is_in_line(ship, target),
        }
        openings += [(bow, facing, attack) for attack, is_possible in possible.items() if is_possible]
    return tuple(openings)


SHIP_BY_SIZE: Final = {1: Ship(id="B1", code="L"), 2: Ship(id="B1", code="5")}


def odds_key(attack: OpeningAttack, place: ReachedPlace, codes: str) -> Hashable:
    """Return a key of the odds of an attack on one ship. Paths with equal keys have equal odds."""
    match attack:
        case "ram":
            return len(codes), place.turns  # SQ-13.5
        case "grap":
            return place.facing  # SQ-16.6
        case _:
            return None


class AttackPlan(NamedTuple):
    ship: str  # id
    target: str  # id of the enemy
    attack: OpeningAttack
    speed: orders.Speed  # at which she rows there
    steps: tuple[orders.OrderStep, ...]  # moves, then the attack
    odds: RollOdds
    place: HexPose  # from where she attacks

    @property
    def to_line(self) -> orders.OrderLine:
        return orders.OrderLine(self.ship, self.steps)


def set_speed(position: Position, ship: Ship, speed: orders.Speed) -> tuple[Position, Ship]:
    changed = structs.replace(ship, speed=speed)
    return position.with_ship(changed), changed


@lru_cache(maxsize=256)
def reachable_layers(position: Position, ship: Ship) -> tuple[reach.ReachLayer, ...]:
    points = reach.free_points(position, ship) if ship.is_afloat else 0
    return reach.reach_layers(position, ship, points)


def after_moves(
    position: Position, ship: Ship, there: ReachedPlace, codes: str
) -> tuple[Position, ActivationInProgress]:
    """Return the position and the activation of a ship after moves ahead (one letter each) to a place."""
    run = ActivationInProgress(ship.id, began_max=ship.speed == "M", announced=moves.movement_allowance(position, ship))
    run.used = len(codes)
    run.has_moved = bool(codes)
    run.turns = there.turns
    if codes:
        run.last_move = cast("Any", codes[-1])
        facing_before = (there.facing - moves.TURN_OF_MOVE_AHEAD[codes[-1]]) % 6
        run.place_before_move = HexPose(grid.next_hex(there.bow, there.facing + 3), facing_before)
    return position.with_ship(structs.replace(ship, bow=there.bow, facing=there.facing)), run


@lru_cache(maxsize=512)
def best_attacks(position: Position, name: str, speed: orders.Speed) -> tuple[AttackPlan, ...]:
    """Return the best plan for each kind of attack on each enemy in reach at a speed, the likeliest first."""
    position, ship = set_speed(position, position.ship_by_id(name), speed)
    if not ship.is_afloat or (speed == "M" and turn_start.why_max_barred(position, ship)):
        return ()
    enemies = [enemy for enemy in position.ships if enemy.is_afloat and enemy.side != ship.side]
    distances = [grid.hex_distance(ship.hexes, enemy.hexes) for enemy in enemies]
    if not enemies or min(distances) > moves.movement_allowance(position, ship) + 1:
        return ()
    attacks_by_place = find_openings(tuple((enemy.id, enemy.place, enemy.size) for enemy in enemies), ship.size, speed)
    best: dict[tuple[str, str], AttackPlan] = {}
    planned: set[tuple[str, OpeningAttack, Hashable]] = set()  # attacks whose odds are known
    for layer in reachable_layers(position, ship):
        for there, codes in layer.items():
            for target, attack in attacks_by_place.get((there.bow, there.facing), ()):
                attack_key = target, attack, odds_key(attack, there, codes)
                if attack_key in planned:
                    continue
                plan = _attack_plan(position, ship, (there, codes), target, attack)
                if plan is None:
                    continue
                planned.add(attack_key)
                if (target, attack) not in best or plan.odds.chance > best[target, attack].odds.chance:
                    best[target, attack] = plan
    return tuple(sorted(best.values(), key=lambda plan: (-plan.odds.chance, id_sort_key(plan.target), plan.attack)))


def plans_at_speeds(position: Position, ship: Ship, *, fixed: bool) -> list[AttackPlan]:
    """Return her best attacks at each of her legal speeds; `fixed`: at her present one."""
    speeds = (ship.speed,) if fixed else turn_start.legal_speeds(position, ship)
    return [plan for speed in speeds for plan in best_attacks(position, ship.id, speed)]


def _attack_plan(
    position: Position, ship: Ship, path: tuple[ReachedPlace, str], target: str, attack: OpeningAttack
) -> AttackPlan | None:
    """Return the plan of an attack after a path (its end, and moves of one letter each); None if it is illegal."""
    there, codes = path
    moved_position, run = after_moves(position, ship, there, codes)
    attack_order: orders.OrderStep | None = None
    match attack:
        case "ram" if not ramming.why_ram_barred(moved_position, run, target):
            attack_order, odds = orders.RamOrder(target), ramming.ram_odds(moved_position, run, target)
        case "rake" if not raking.why_rake_barred(moved_position, run, target):
            attack_order, odds = orders.RakeOrder(target), raking.rake_odds(moved_position, run, target)
        case "grap" if not grappling.why_grapple_barred(moved_position, run, target):
            attack_order, odds = orders.GrappleOrder(target), grappling.grapple_odds(moved_position, run, target)
        case "X":
            passes = (orders.PassThroughOrder(target, side) for side in orders.FLANKS)
            attack_order = next(
                (order for order in passes if not raking.why_pass_barred(moved_position, run, order)), None
            )
            odds = raking.rake_odds(moved_position, run, target)
    if attack_order is None:
        return None
    steps = (*(orders.MoveOrder(cast("Any", code)) for code in codes), attack_order)
    return AttackPlan(ship.id, target, attack, ship.speed, steps, odds, there.place)


def enemies_by_distance(position: Position, ship: Ship) -> list[Ship]:
    enemies = [enemy for enemy in position.ships if enemy.is_afloat and enemy.side != ship.side]
    return sorted(enemies, key=lambda enemy: (grid.hex_distance(ship.hexes, enemy.hexes), id_sort_key(enemy.id)))


def line_towards(position: Position, ship: Ship, goal: Ship, speed: orders.Speed) -> orders.OrderLine:
    """Return the moves to the place nearest to a goal, where few enemies point at the ship's flanks."""
    position, ship = set_speed(position, ship, speed)
    best_rank: tuple[float, ...] = (math.inf,)
    best_codes = ""
    for layer in reachable_layers(position, ship):
        for there, codes in layer.items():
            distance = grid.hex_distance(there.place.covered_hexes(ship.size), goal.hexes)
            if distance > best_rank[0]:
                continue  # facing cannot improve a greater distance
            enemy_count = _count_exposing_enemies(position, ship, there.place) if distance <= _FACING_HEXES else 0
            distance_ahead = grid.hex_distance((there.place.hex_ahead,), goal.hexes)
            rank = distance + 2 * enemy_count, distance_ahead, len(codes), there.turns
            if rank < best_rank:
                best_rank = rank
                best_codes = codes
    return orders.OrderLine(ship.id, tuple(orders.MoveOrder(cast("Any", code)) for code in best_codes))


_FACING_HEXES: Final = 3  # within this distance of the goal, facings count


def _count_exposing_enemies(position: Position, ship: Ship, place: HexPose) -> int:
    """Return how many enemies that can ram point at a flank of the ship at a place, from one or two hexes."""
    flanks = grid.adjacent_hexes(place.bow, place.facing, ship.size).all_flanks
    return sum(
        enemy.place.hex_ahead in flanks or grid.next_hex(enemy.place.hex_ahead, enemy.facing) in flanks
        for enemy in position.ships
        if enemy.is_afloat and enemy.side != ship.side and enemy.ram_attack and not position.is_immobile(enemy)
    )


def end_place(position: Position, ship: Ship, line: orders.OrderLine) -> HexPose:
    """Return where a line ends if all its moves and pass-throughs succeed; moves off the map are ignored."""
    moved = ship
    for step in line.steps:
        if isinstance(step, orders.MoveOrder):
            place = moves.place_after_move(moved, step.code)
            if position.is_on_map(place.bow):
                moved = structs.replace(moved, bow=place.bow, facing=place.facing)
        elif isinstance(step, orders.PassThroughOrder) and (target := position.ships_by_id.get(step.target)):
            place = raking.place_after_pass(moved, target)
            moved = structs.replace(moved, bow=place.bow, facing=place.facing)
    return moved.place
