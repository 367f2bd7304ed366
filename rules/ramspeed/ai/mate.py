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
    kind, dice = dice.throw_die(3)  # 1 turn, 2 veer, 3 ahead
    side, dice = dice.throw_die(2)
    degrees, dice = dice.throw_die(ship.ship_class.turn if kind == 1 else CONSTANTS.veer_max)
    manoeuvre: Manoeuvre = ForwardOrder()
    if kind == 1:
        manoeuvre = TurnOrder(degrees, "R" if side == 1 else "L")
    elif kind == 2:
        manoeuvre = VeerOrder(degrees, "R" if side == 1 else "L")
    return manoeuvre, dice


_RESULT_WORTH: Final = {"sunk": 1.0, "stuck": 0.8, "dead": 0.6, "immobilised": 0.25, "bank": 0.5, "linked": 0.45}
_MAX_BOARDING_FACTOR: Final = 2.0
_MIN_ATTACK_VP: Final = 0.3  # the minimum value of an attack, since it takes the ship to where it will be attacked
_PIVOT_SIDES: Final[tuple[PivotSide, PivotSide]] = ("L", "R")
_CRAMPED_IN: Final = 1.0  # inches from a target ahead within which a ship that cannot attack it backs off


def choose_lines(position: Position, player: str, acted: Sequence[str], seed: str) -> Iterator[OrderLine]:
    own_ships = [ship for ship in position.ships_of(player) if ship.crew and ship.id not in acted]
    previews_by_ship = {ship.id: aims.legal_attacks(position, ship) for ship in own_ships}
    best_attacks = {name: _best_attack(position, previews) for name, previews in previews_by_ship.items()}
    dice = Dice(seed=derive_seed(seed, "whims"))
    tie_breaks: dict[str, int] = {}
    for ship in own_ships:
        tie_breaks[ship.id], dice = dice.throw_die(1000)
    worths = {name: _attack_worth(position, attack) for name, attack in best_attacks.items()}
    for ship in sorted(own_ships, key=lambda ship: (-worths[ship.id], tie_breaks[ship.id])):
        attack = best_attacks[ship.id]
        approach = _approach_orders(position, ship, previews_by_ship[ship.id])
        yield OrderLine(ship.id, (aims.alternative_of(ship, attack), approach) if attack else (approach,))


def _best_attack(position: Position, previews: Sequence[AttackPreview]) -> AttackPreview | None:
    attacks = [attack for attack in previews if attack.kind != "shot"]
    best = max(attacks, key=lambda attack: _attack_worth(position, attack), default=None)
    return best if best and _attack_worth(position, best) >= _MIN_ATTACK_VP else None


def _attack_worth(position: Position, attack: AttackPreview | None) -> float:
    if attack is None:
        return 0.0
    enemy, ship = position.ship_by_id(attack.target), position.ship_by_id(attack.by)
    share = sum(_RESULT_WORTH.get(odd.result, 0.0) * odd.percent / 100 for odd in attack.odds)
    if attack.kind == "grapple":  # boarding counts by the ratio of its chances to win and to lose
        melee = worth.melee_odds(ship, enemy)
        share *= min(_MAX_BOARDING_FACTOR, melee.win_chance / max(melee.loss_chance, 0.01))
    return share * enemy.ship_class.value


def _approach_orders(position: Position, ship: Ship, previews: Sequence[AttackPreview]) -> Alternative:
    enemies = position.enemies(ship)
    shot_targets = [shot.target for shot in previews if shot.kind == "shot" and position.ship_by_id(shot.target).crew]
    shots = tuple(ShootOrder(target, "crew") for target in shot_targets[:1])
    if position.is_immobile(ship) or not enemies:
        return Alternative(shots or (StayOrder(),))
    goal = min(enemies, key=lambda other: (not other.crew, hulls.measured_distance(ship, other), other.id))
    return Alternative((manoeuvre_towards(position, ship, goal), *shots))


def manoeuvre_towards(position: Position, ship: Ship, goal: Ship) -> Manoeuvre:
    """Return a manoeuvre towards a ship; if obstacles block any turn and move, the one that goes farthest."""
    direct = _direct_manoeuvre(position, ship, goal)
    if isinstance(direct, StayOrder) or _ship_after_move(position, ship, direct) != ship:
        return direct
    manoeuvres: list[Manoeuvre] = [ForwardOrder(ship.ship_class.fwd), BackOrder(ship.ship_class.back)]
    manoeuvres += [VeerOrder(CONSTANTS.veer_max, side, ship.ship_class.fwd) for side in _PIVOT_SIDES]
    moved_ships = [_ship_after_move(position, ship, manoeuvre) for manoeuvre in manoeuvres]
    distances = [math.dist((ship.x, ship.y), (moved.x, moved.y)) for moved in moved_ships]
    return manoeuvres[distances.index(max(distances))] if any(distances) else direct


def _ship_after_move(position: Position, ship: Ship, manoeuvre: Manoeuvre) -> Ship:
    return moves.carry_out_manoeuvre(position, ship, (manoeuvre,)).ship


def _direct_manoeuvre(position: Position, ship: Ship, goal: Ship) -> Manoeuvre:
    """Return a move towards a ship, or round land between them; astern if the ship is too near ahead to attack."""
    point = passage.shortest_course(position, (ship.x, ship.y), (goal.x, goal.y)).first_point
    degrees_off = signed_degrees(bearing_deg(ship.x, ship.y, *point) - ship.heading)  # positive: to starboard
    if point == (goal.x, goal.y):
        if abs(degrees_off) > TURN_FIRST_DEGREES:
            return FaceOrder(goal.id)
        is_cramped = hulls.measured_distance(ship, goal) < _CRAMPED_IN
        if is_cramped and position.is_locked(goal.id):
            return StayOrder()  # the goal cannot leave: backing off and coming again would never end
        return BackOrder(ship.ship_class.back) if is_cramped else SteerOrder(goal.id, ship.ship_class.fwd)
    side: PivotSide = "R" if degrees_off > 0 else "L"
    if abs(degrees_off) > TURN_FIRST_DEGREES:
        return TurnOrder(min(abs(degrees_off), ship.ship_class.turn), side)
    inches = min(ship.ship_class.fwd, round(math.dist((ship.x, ship.y), point), 2))
    veer = min(abs(degrees_off), CONSTANTS.veer_max)
    return VeerOrder(veer, side, inches) if veer else ForwardOrder(inches)
