"""The first mate, who orders each ship's best attack, and the deckhand, who orders half of the ships at random."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from rules.chance.dice import Dice, derive_seed
from rules.ramspeed.ai import passage, worth
from rules.ramspeed.engine.geometry import hulls, moves
from rules.ramspeed.engine.geometry.hulls import bearing_deg, signed_degrees
from rules.ramspeed.engine.orders import (
    Alternative,
    AttackOrder,
    BackOrder,
    FaceOrder,
    ForwardOrder,
    GrappleOrder,
    Manoeuvre,
    OrderLine,
    PivotSide,
    RamOrder,
    ShootOrder,
    StayOrder,
    SteerOrder,
    SwipeOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS
from rules.ramspeed.interface import aims
from rules.ramspeed.interface.offers import TURN_FIRST_DEGREES
from rules.ramspeed.interface.view import AttackPreview

_ATTACK_TYPES: Final = (RamOrder, SwipeOrder, GrappleOrder)


def deckhand_lines(position: Position, player: str, acted: Sequence[str], seed: str) -> Iterator[OrderLine]:
    dice = Dice(seed=derive_seed(seed, "mistakes"))
    enemies = [other.id for other in position.ships_against(position.side_of_player(player))]
    for line in choose_lines(position, player, acted, seed):
        face, dice = dice.throw_die(2)
        if face == 1 or not enemies:
            yield line
        else:
            random, dice = random_line(position.ship_by_id(line.ship), enemies, dice)
            yield random


def random_line(ship: Ship, enemies: Sequence[str], dice: Dice) -> tuple[OrderLine, Dice]:
    """Return a line with a random attack, if it is legal, else a random manoeuvre; and the dice afterwards."""
    target, dice = dice.throw_die(len(enemies))
    kind, dice = dice.throw_die(len(_ATTACK_TYPES))
    attack: AttackOrder = _ATTACK_TYPES[kind - 1](enemies[target - 1])
    manoeuvre, dice = _random_manoeuvre(ship, dice)
    return OrderLine(ship.id, (Alternative((attack,)), Alternative((manoeuvre,)))), dice


def _random_manoeuvre(ship: Ship, dice: Dice) -> tuple[Manoeuvre, Dice]:
    kind, dice = dice.throw_die(3)
    side, dice = dice.throw_die(2)
    degrees, dice = dice.throw_die(ship.ship_class.turn if kind == 1 else CONSTANTS.veer_max)
    way: Manoeuvre = ForwardOrder()
    if kind == 1:
        way = TurnOrder(degrees, "R" if side == 1 else "L")
    elif kind == 2:
        way = VeerOrder(degrees, "R" if side == 1 else "L")
    return way, dice


_RESULT_WORTH: Final = {"sunk": 1.0, "stuck": 0.8, "dead": 0.6, "immobilised": 0.25, "bank": 0.5, "linked": 0.45}
_MAX_BOARDING_FACTOR: Final = 2.0
_MIN_ATTACK_VP: Final = 0.3  # the minimum value of an attack, since it takes the ship to where it will be attacked
_PIVOT_SIDES: Final[tuple[PivotSide, PivotSide]] = ("L", "R")
_CRAMPED_IN: Final = 1.0  # inches from a target ahead within which a ship that cannot attack it backs off


def choose_lines(position: Position, player: str, acted: Sequence[str], seed: str) -> Iterator[OrderLine]:
    mine = [ship for ship in position.ships_of(player) if ship.crew and ship.id not in acted]
    previews = {ship.id: aims.legal_attacks(position, ship) for ship in mine}
    best_attacks = {name: _best_attack(position, aims) for name, aims in previews.items()}
    tie_breaks, dice = {}, Dice(seed=derive_seed(seed, "whims"))
    for ship in mine:
        tie_breaks[ship.id], dice = dice.throw_die(1000)
    for ship in sorted(mine, key=lambda ship: (-_attack_worth(position, best_attacks[ship.id]), tie_breaks[ship.id])):
        aim, approach = best_attacks[ship.id], _approach_orders(position, ship, previews[ship.id])
        yield OrderLine(ship.id, (aims.alternative_of(ship, aim), approach) if aim else (approach,))


def _best_attack(position: Position, aims: Sequence[AttackPreview]) -> AttackPreview | None:
    attacks = [aim for aim in aims if aim.kind != "shot"]
    best = max(attacks, key=lambda aim: _attack_worth(position, aim), default=None)
    return best if best and _attack_worth(position, best) >= _MIN_ATTACK_VP else None


def _attack_worth(position: Position, aim: AttackPreview | None) -> float:
    if aim is None:
        return 0.0
    enemy, ship = position.ship_by_id(aim.target), position.ship_by_id(aim.by)
    hope = sum(_RESULT_WORTH.get(odd.result, 0.0) * odd.percent / 100 for odd in aim.odds)
    if aim.kind == "grapple":  # boarding counts by the ratio of its chances to win and to lose
        melee = worth.melee_odds(ship, enemy)
        hope *= min(_MAX_BOARDING_FACTOR, melee.win_chance / max(melee.loss_chance, 0.01))
    return hope * enemy.ship_class.value


def _approach_orders(position: Position, ship: Ship, aims: Sequence[AttackPreview]) -> Alternative:
    enemies = position.enemies(ship)
    shot = next((aim.target for aim in aims if aim.kind == "shot" and position.ship_by_id(aim.target).crew), None)
    if position.is_immobile(ship) or not enemies:
        return Alternative((ShootOrder(shot, "crew"),)) if shot else Alternative((StayOrder(),))
    goal = min(enemies, key=lambda other: (not other.crew, hulls.measured_distance(ship, other), other.id))
    move = manoeuvre_towards(position, ship, goal)
    return Alternative((move, ShootOrder(shot, "crew"))) if shot else Alternative((move,))


def manoeuvre_towards(position: Position, ship: Ship, goal: Ship) -> Manoeuvre:
    """Return a manoeuvre towards a ship; if obstacles block any turn and move, the one that goes farthest."""
    move = _direct_manoeuvre(position, ship, goal)
    if isinstance(move, StayOrder) or _ship_after_move(position, ship, move) != ship:
        return move
    ways: list[Manoeuvre] = [ForwardOrder(ship.ship_class.fwd), BackOrder(ship.ship_class.back)]
    ways += [VeerOrder(CONSTANTS.veer_max, side, ship.ship_class.fwd) for side in _PIVOT_SIDES]
    ends = [_ship_after_move(position, ship, way) for way in ways]
    rowed = [math.dist((ship.x, ship.y), (end.x, end.y)) for end in ends]
    return ways[rowed.index(max(rowed))] if any(rowed) else move


def _ship_after_move(position: Position, ship: Ship, move: Manoeuvre) -> Ship:
    return moves.carry_out_manoeuvre(position, ship, (move,)).ship


def _direct_manoeuvre(position: Position, ship: Ship, goal: Ship) -> Manoeuvre:
    """Return a course to a ship or round land between; astern if it is too near ahead to be attacked."""
    point = passage.shortest_course(position, (ship.x, ship.y), (goal.x, goal.y)).first_point
    off = signed_degrees(bearing_deg(ship.x, ship.y, *point) - ship.heading)
    if point == (goal.x, goal.y):
        if abs(off) > TURN_FIRST_DEGREES:
            return FaceOrder(goal.id)
        near = hulls.measured_distance(ship, goal) < _CRAMPED_IN
        if near and position.is_locked(goal.id):
            return StayOrder()  # the goal cannot leave: backing off and coming again would never end
        return BackOrder(ship.ship_class.back) if near else SteerOrder(goal.id, ship.ship_class.fwd)
    side: PivotSide = "R" if off > 0 else "L"
    if abs(off) > TURN_FIRST_DEGREES:
        return TurnOrder(min(abs(off), ship.ship_class.turn), side)
    away = round(math.dist((ship.x, ship.y), point), 2)
    inches = min(ship.ship_class.fwd, away)
    return VeerOrder(min(abs(off), CONSTANTS.veer_max), side, inches) if off else ForwardOrder(inches)
