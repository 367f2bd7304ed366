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

_MAX_ENEMIES: Final = 4
_MAX_ATTACK_IN: Final = 14.0
_MIN_ATTACK_VP: Final = 0.25  # victory points that an attack must promise to be part of a chain
_FORESEEN_SHARE: Final = 0.8
"""The value of an attack that depends on the enemy's expected move, compared with a legal one."""
_MAX_SINGLE_ATTACKS: Final = 5
_MAX_PLACES: Final = 6
_AHEAD_SHARES: Final = (0.35, 0.7, 1.0)
_VEER_DEGREES: Final = (8, 16, CONSTANTS.veer_max)
_TURN_DEGREES: Final = (30, 60, 90, 135, 180)
_PIVOT_SIDES: Final[tuple[PivotSide, PivotSide]] = ("L", "R")
_THREAT_WEIGHTS: Final = {"struck": (0.5, 0.4), "striking": (0.2, 0.4)}
"""Weights of attacks on the ship and by the ship, from present and from expected places of enemies."""
_LESSER_SHARE: Final = 0.3  # the part of the smaller of these two values that is added to the larger
_VP_PER_INCH_AWAY: Final = 0.05
"""The cost of each inch beyond `judge.ENGAGED_INCHES`, higher than in `judge`, which sees a whole turn."""


class CandidateLines(NamedTuple):
    attacks: tuple[AlternativeChain, ...]
    places: AlternativeChain


def candidate_lines(position: Position, foreseen: Position, ship: Ship) -> CandidateLines:
    """Return candidate orders, for enemies in their present and in their expected places."""
    near = sorted(position.enemies(ship), key=lambda foe: middle_distance(ship, foe))[:_MAX_ENEMIES]
    if position.is_immobile(ship):
        return CandidateLines(((),), (_with_shot(position, (StayOrder(),), ship, near),))
    return CandidateLines(_attack_chains(position, foreseen, ship, near), _best_places(position, foreseen, ship, near))


def middle_distance(ship: Ship, other: Ship) -> float:
    return math.hypot(ship.x - other.x, ship.y - other.y)


def _with_shot(position: Position, steps: tuple[Manoeuvre, ...], moved_ship: Ship, near: Sequence[Ship]) -> Alternative:
    """Add a shot at the nearest crew that may be within range after a manoeuvre.

    No shot is added if the ship has too few men to shoot (RS-14.2).
    """
    if not fire.can_shoot(position, moved_ship):
        return Alternative(steps)
    shot = next((ShootOrder(foe.id, "crew") for foe in near if foe.crew and _may_be_in_shot(moved_ship, foe)), None)
    return Alternative((*steps, shot) if shot else steps)


def _may_be_in_shot(moved_ship: Ship, foe: Ship) -> bool:
    comes = foe.forward_allowance + foe.ram_run_bonus + foe.ship_class.length
    return hulls.distance_bound(moved_ship, foe) <= CONSTANTS.missile_range + comes


# --- attacks -----------------------------------------------------------------------------------------------------


def _attack_chains(
    position: Position, foreseen: Position, ship: Ship, near: Sequence[Ship]
) -> tuple[AlternativeChain, ...]:
    hopes: dict[Alternative, float] = {}
    for foe in near:
        if middle_distance(ship, foe) > _MAX_ATTACK_IN:
            continue
        foreseen_foe = foreseen.ship_by_id(foe.id)
        for where, share in ((position, 1.0), *(((foreseen, _FORESEEN_SHARE),) if foreseen_foe != foe else ())):
            for alternative, hope in _attack_values(where, ship, where.ship_by_id(foe.id)):
                hopes[alternative] = max(hopes.get(alternative, -math.inf), hope * share)
    ranked = sorted(hopes, key=lambda alternative: -hopes[alternative])
    good = tuple(alternative for alternative in ranked if hopes[alternative] > _MIN_ATTACK_VP)
    rams = tuple(alternative for alternative in good if isinstance(alternative.attack, RamOrder))
    return tuple(dict.fromkeys((good, rams, (), *((alternative,) for alternative in ranked[:_MAX_SINGLE_ATTACKS]))))


def _attack_values(position: Position, ship: Ship, foe: Ship) -> Iterator[tuple[Alternative, float]]:
    hopes = worth.ram_values(ship, foe)
    for how in (AUTO_APPROACH, aims.OPENING_APPROACH) if ship.ship_class.turn_and_move else (AUTO_APPROACH,):
        if mark := aim.aim_ram(position, ship, foe.id, how).attack:
            place = min(max(mark.modifier, worth.MODIFIER_SUMS[0]), worth.MODIFIER_SUMS[-1]) - worth.MODIFIER_SUMS[0]
            turned: tuple[Manoeuvre, ...] = ()
            if how is aims.OPENING_APPROACH:
                turned = (TurnOrder(abs(mark.veer), "R" if mark.veer > 0 else "L"),)
            yield Alternative((*turned, RamOrder(foe.id))), float(hopes[place])
            break
    if aim.aim_grapple(position, ship, GrappleOrder(foe.id)).attack:
        yield (
            Alternative((GrappleOrder(foe.id),)),
            worth.grapple_value(ship, foe, automatic=position.is_immobile(foe)),
        )
    if aim.aim_swipe(position, ship, SwipeOrder(foe.id)).attack:
        yield Alternative((SwipeOrder(foe.id),)), worth.swipe_value(ship, foe)


# --- places ------------------------------------------------------------------------------------------------------


def _candidate_manoeuvres(ship: Ship, near: Sequence[Ship]) -> Iterator[tuple[Manoeuvre, ...]]:
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
                half = round(moves.PAIR_MOVE_SHARE * ship.forward_allowance, 2)
                yield (TurnOrder(degrees, side), ForwardOrder(half))
                yield (ForwardOrder(half), TurnOrder(degrees, side))
    for foe in near[:2]:
        yield (FaceOrder(foe.id),)
        yield (SteerOrder(foe.id, ship.ship_class.fwd),)


def _best_places(position: Position, foreseen: Position, ship: Ship, near: Sequence[Ship]) -> AlternativeChain:
    candidates = []
    for steps in _candidate_manoeuvres(ship, near):
        moved_ship = moves.carry_out_manoeuvre(position, ship, steps).ship
        if moved_ship.is_afloat:
            candidates.append((_with_shot(position, steps, moved_ship, near), moved_ship))
    worths = _place_values(position, foreseen, [moved_ship for _, moved_ship in candidates], near)
    best = [candidates[place][0] for place in np.argsort(-worths, kind="stable")[:_MAX_PLACES]]
    nearer = mate.manoeuvre_towards(position, ship, next((foe for foe in near if foe.crew), near[0]))
    moved_ship = moves.carry_out_manoeuvre(position, ship, (nearer,)).ship
    return tuple(
        dict.fromkeys(
            (*best, _with_shot(position, (nearer,), moved_ship, near), _with_shot(position, (StayOrder(),), ship, near))
        )
    )


def _place_values(position: Position, foreseen: Position, places: Sequence[Ship], near: Sequence[Ship]) -> Floats:
    """Return the value of each place: attacks from there, attacks on the ship, and the distance of enemies."""
    pairs, tags = [], []
    for number, place in enumerate(places):
        for foe in near:
            is_foe_immobile = position.is_immobile(foe)
            for which, where in enumerate((position, foreseen)):
                other = where.ship_by_id(foe.id)
                pairs.append(TargetPair(place, other, is_foe_immobile))
                tags.append((number, "striking", which))
                if not is_foe_immobile and foe.crew and (not foe.fire or foe.fireship):
                    pairs.append(TargetPair(other, place, is_target_immobile=False))
                    tags.append((number, "struck", which))
    most = {kind: np.zeros((2, len(places))) for kind in _THREAT_WEIGHTS}
    for (number, kind, which), hope in zip(tags, reach.best_attack_values(pairs, position.land).tolist(), strict=True):
        now = float(most[kind][which, number])
        most[kind][which, number] = max(now, hope) + _LESSER_SHARE * min(now, hope)
    struck, striking = (np.array(weights) @ most[kind] for kind, weights in _THREAT_WEIGHTS.items())
    crewed = [foe for foe in near if foe.crew] or near
    inches = np.array([passage.rowing_distance(position, place, crewed) for place in places])
    press = 1 + judge.QUIET_TURN_FACTOR * position.quiet
    return np.asarray(striking - struck - press * _VP_PER_INCH_AWAY * np.maximum(0.0, inches - judge.ENGAGED_INCHES))
