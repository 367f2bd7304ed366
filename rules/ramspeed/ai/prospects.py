"""Candidate orders of a ship: promising attacks, and good places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from rules.ramspeed.ai import judge, mate, passage, reach, worth
from rules.ramspeed.ai.reach import TargetPair
from rules.ramspeed.engine.geometry import aim, hulls, moves
from rules.ramspeed.engine.geometry.aim import AUTO_APPROACH
from rules.ramspeed.engine.geometry.hulls import Floats
from rules.ramspeed.engine.orders import (
    Alternative,
    BackOrder,
    FaceOrder,
    ForwardOrder,
    GrappleOrder,
    Manoeuvre,
    PivotSide,
    RamOrder,
    ShootOrder,
    StayOrder,
    SteerOrder,
    SwipeOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS
from rules.ramspeed.interface import aims

AlternativeChain = tuple[Alternative, ...]

_MAX_ENEMIES: Final = 4  # the nearest ones, for which orders are tried
_MAX_ATTACK_IN: Final = 14.0  # inches between the middles of ships
_MIN_ATTACK_VP: Final = 0.25  # victory points that an attack must promise to be part of a chain
_FORESEEN_SHARE: Final = 0.8
"""The value of an attack that depends on the enemy's expected move, compared with a legal one."""
_MAX_SINGLE_ATTACKS: Final = 5
_MAX_PLACES: Final = 6
_AHEAD_SHARES: Final = (0.35, 0.7, 1.0)  # parts of the allowance
_VEER_DEGREES: Final = (8, 16, CONSTANTS.veer_max)
_TURN_DEGREES: Final = (30, 60, 90, 135, 180)
_PIVOT_SIDES: Final[tuple[PivotSide, PivotSide]] = ("L", "R")
_THREAT_WEIGHTS: Final = {"struck": (0.5, 0.4), "striking": (0.2, 0.4)}
"""Weights of attacks on the ship and by the ship, from present and from expected places of enemies."""
_LESSER_SHARE: Final = 0.3  # the part of the smaller of these two values that is added to the larger
_VP_PER_INCH_AWAY: Final = 0.05
"""The cost of each inch beyond `judge.ENGAGED_INCHES`, higher than in `judge`, which sees a whole turn."""


class CandidateLines(NamedTuple):
    attacks: tuple[AlternativeChain, ...]  # chains of alternatives, each tried in order; the most promising chain first
    places: AlternativeChain  # alternatives without an attack, the best first


def candidate_lines(position: Position, expected_position: Position, ship: Ship) -> CandidateLines:
    """Return candidate orders, for enemies in their present and in their expected places."""
    near_enemies = sorted(position.enemies(ship), key=lambda foe: middle_distance(ship, foe))[:_MAX_ENEMIES]
    if position.is_immobile(ship):
        return CandidateLines(((),), (_with_shot(position, (StayOrder(),), ship, near_enemies),))
    return CandidateLines(
        _attack_chains(position, expected_position, ship, near_enemies),
        _best_places(position, expected_position, ship, near_enemies),
    )


def middle_distance(ship: Ship, other: Ship) -> float:
    return math.hypot(ship.x - other.x, ship.y - other.y)


def _with_shot(
    position: Position, steps: tuple[Manoeuvre, ...], moved_ship: Ship, near_enemies: Sequence[Ship]
) -> Alternative:
    """Return a manoeuvre with a shot at the nearest crew that may then be in range; without one if none may be."""
    if not fire.can_shoot(position, moved_ship):  # RS-14.2
        return Alternative(steps)
    shot = next(
        (ShootOrder(foe.id, "crew") for foe in near_enemies if foe.crew and _may_be_in_shot(moved_ship, foe)), None
    )
    return Alternative((*steps, shot) if shot else steps)


def _may_be_in_shot(moved_ship: Ship, foe: Ship) -> bool:
    foe_move = foe.forward_allowance + foe.ram_run_bonus + foe.ship_class.length
    return hulls.distance_bound(moved_ship, foe) <= CONSTANTS.missile_range + foe_move


# --- attacks -----------------------------------------------------------------------------------------------------


def _attack_chains(
    position: Position, expected_position: Position, ship: Ship, near_enemies: Sequence[Ship]
) -> tuple[AlternativeChain, ...]:
    """Return chains of attacks to choose from: all good ones, rams only, none, and the best ones each alone."""
    value_by_alternative: dict[Alternative, float] = {}
    for foe in near_enemies:
        if middle_distance(ship, foe) > _MAX_ATTACK_IN:
            continue
        positions_with_share = [(position, 1.0)]  # share of the value that counts
        if expected_position.ship_by_id(foe.id) != foe:
            positions_with_share.append((expected_position, _FORESEEN_SHARE))
        for position_tried, share in positions_with_share:
            for alternative, value in _attack_values(position_tried, ship, position_tried.ship_by_id(foe.id)):
                value_by_alternative[alternative] = max(value_by_alternative.get(alternative, -math.inf), value * share)
    best_first = sorted(value_by_alternative, key=lambda alternative: -value_by_alternative[alternative])
    good_attacks = tuple(
        alternative for alternative in best_first if value_by_alternative[alternative] > _MIN_ATTACK_VP
    )
    rams = tuple(alternative for alternative in good_attacks if isinstance(alternative.attack, RamOrder))
    single_attacks = [(alternative,) for alternative in best_first[:_MAX_SINGLE_ATTACKS]]
    return tuple(dict.fromkeys((good_attacks, rams, (), *single_attacks)))


def _attack_values(position: Position, ship: Ship, foe: Ship) -> Iterator[tuple[Alternative, float]]:
    """Yield each attack that a ship can make on an enemy now, with its value in victory points."""
    values_by_modifier = worth.ram_values(ship, foe)
    can_turn_first = ship.ship_class.turn_and_move
    approaches = (AUTO_APPROACH, aims.OPENING_APPROACH) if can_turn_first else (AUTO_APPROACH,)
    for approach in approaches:
        if attack := aim.aim_ram(position, ship, foe.id, approach).attack:
            # `values_by_modifier` has a value for each sum of modifiers
            first_sum, last_sum = worth.MODIFIER_SUMS[0], worth.MODIFIER_SUMS[-1]
            modifier_index = min(max(attack.modifier, first_sum), last_sum) - first_sum
            opening_turn: tuple[Manoeuvre, ...] = ()
            if approach is aims.OPENING_APPROACH:
                opening_turn = (TurnOrder(abs(attack.veer), "R" if attack.veer > 0 else "L"),)
            yield Alternative((*opening_turn, RamOrder(foe.id))), float(values_by_modifier[modifier_index])
            break
    if aim.aim_grapple(position, ship, GrappleOrder(foe.id)).attack:
        yield (
            Alternative((GrappleOrder(foe.id),)),
            worth.grapple_value(ship, foe, automatic=position.is_immobile(foe)),
        )
    if aim.aim_swipe(position, ship, SwipeOrder(foe.id)).attack:
        yield Alternative((SwipeOrder(foe.id),)), worth.swipe_value(ship, foe)


# --- places ------------------------------------------------------------------------------------------------------


def _candidate_manoeuvres(ship: Ship, near_enemies: Sequence[Ship]) -> Iterator[tuple[Manoeuvre, ...]]:
    yield (StayOrder(),)
    yield (BackOrder(ship.reverse_allowance),)
    for share in _AHEAD_SHARES:
        yield (ForwardOrder(round(ship.forward_allowance * share, 2)),)
    for side in _PIVOT_SIDES:
        for degrees in _VEER_DEGREES:
            for share in (0.5, 1.0):
                yield (VeerOrder(degrees, side, round(ship.forward_allowance * share, 2)),)
        for degrees in _TURN_DEGREES:
            if degrees <= ship.ship_class.turn:
                yield (TurnOrder(degrees, side),)
            if degrees <= CONSTANTS.opening_turn_max and ship.ship_class.turn_and_move:
                half_move = ForwardOrder(round(moves.PAIR_MOVE_SHARE * ship.forward_allowance, 2))
                yield (TurnOrder(degrees, side), half_move)
                yield (half_move, TurnOrder(degrees, side))
    for foe in near_enemies[:2]:
        yield (FaceOrder(foe.id),)
        yield (SteerOrder(foe.id, ship.ship_class.fwd),)


def _best_places(
    position: Position, expected_position: Position, ship: Ship, near_enemies: Sequence[Ship]
) -> AlternativeChain:
    """Return the manoeuvres that lead to the best places, then the mate's approach and `stay`, with shots added."""
    candidates = []  # orders, and the ship after them
    for steps in _candidate_manoeuvres(ship, near_enemies):
        moved_ship = moves.carry_out_manoeuvre(position, ship, steps).ship
        if moved_ship.is_afloat:
            candidates.append((_with_shot(position, steps, moved_ship, near_enemies), moved_ship))
    values = _place_values(position, expected_position, [moved_ship for _, moved_ship in candidates], near_enemies)
    best_first = np.argsort(-values, kind="stable")
    best = [candidates[number][0] for number in best_first[:_MAX_PLACES]]
    goal = next((foe for foe in near_enemies if foe.crew), near_enemies[0])
    approach = mate.manoeuvre_towards(position, ship, goal)
    moved_ship = moves.carry_out_manoeuvre(position, ship, (approach,)).ship
    approach_alternative = _with_shot(position, (approach,), moved_ship, near_enemies)
    stay_alternative = _with_shot(position, (StayOrder(),), ship, near_enemies)
    return tuple(dict.fromkeys((*best, approach_alternative, stay_alternative)))


def _place_values(
    position: Position, expected_position: Position, places: Sequence[Ship], near_enemies: Sequence[Ship]
) -> Floats:
    """Return the value of each place: attacks from there, attacks on the ship, and the distance of enemies."""
    # all pairs of attacker and target, and what each is for: the index of the place, whether the ship is striking or
    # struck, and the row (0: present, 1: expected places of enemies)
    pairs, uses = [], []
    for number, place in enumerate(places):
        for foe in near_enemies:
            is_foe_immobile = position.is_immobile(foe)
            can_foe_attack = not is_foe_immobile and foe.crew and (not foe.fire or foe.fireship)
            for row, position_tried in enumerate((position, expected_position)):
                foe_there = position_tried.ship_by_id(foe.id)
                pairs.append(TargetPair(place, foe_there, is_foe_immobile))
                uses.append((number, "striking", row))
                if can_foe_attack:
                    pairs.append(TargetPair(foe_there, place, is_target_immobile=False))
                    uses.append((number, "struck", row))
    attack_values = reach.best_attack_values(pairs, position.land).tolist()
    values = {kind: np.zeros((2, len(places))) for kind in _THREAT_WEIGHTS}
    for (number, kind, row), attack_value in zip(uses, attack_values, strict=True):
        value_so_far = float(values[kind][row, number])
        larger, smaller = max(value_so_far, attack_value), min(value_so_far, attack_value)
        values[kind][row, number] = larger + _LESSER_SHARE * smaller
    struck, striking = (np.array(weights) @ values[kind] for kind, weights in _THREAT_WEIGHTS.items())
    crewed = [foe for foe in near_enemies if foe.crew] or near_enemies
    inches = np.array([passage.rowing_distance(position, place, crewed) for place in places])
    urgency = 1 + judge.QUIET_TURN_FACTOR * position.quiet
    distance_cost = urgency * _VP_PER_INCH_AWAY * np.maximum(0.0, inches - judge.ENGAGED_INCHES)
    return np.asarray(striking - struck - distance_cost)
