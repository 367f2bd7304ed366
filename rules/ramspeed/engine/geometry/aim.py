"""Legal attacks from a ship's place, for every veer, and the best of them (RS-07 to RS-10).

All veers are computed in one NumPy call. Nothing here rolls dice, so that plans can use this module, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from rules.ramspeed.engine.geometry import hulls, moves
from rules.ramspeed.engine.geometry.modifiers import Modifier, ram_modifiers, total
from rules.ramspeed.engine.orders import Alternative, GrappleOrder, RamOrder, SwipeOrder, TurnOrder, VeerOrder
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS

AUTO_VEERS_DEG: Final = (0, *(sign * degrees for degrees in range(1, CONSTANTS.veer_max + 1) for sign in (1, -1)))
"""The veers of an auto-aim in degrees to starboard, in the order of preference."""
_EDGE_TOLERANCE: Final = 1e-6  # inches by which a run may exceed the room to the edge (RS-06.2)
_SURE_FACTOR: Final = 2.0  # factor of a limit beyond which no rounding can bring a value within the limit


class LegalAttack(Struct, frozen=True, kw_only=True):
    veer: int  # the pivot before the attack, in degrees to starboard
    heading: int  # of the attacker after the pivot, degrees
    run: float  # inches to the hit or contact
    zone: hulls.ApproachZone  # angle of approach to the target
    modifier: int = 0  # sum of a ram's modifiers; 0 for other attacks
    modifiers: tuple[Modifier, ...] = ()  # their parts
    stop_if_not_sunk: float = 0.0  # inches after which a rammer stops if the target neither sinks nor sticks (RS-08.13)
    side_sign: int = 0  # the target's side of a swipe or grapple: +1 starboard, -1 port (RS-09.2)
    beside: tuple[float, float, int] = (0.0, 0.0, 0)
    """Unrounded x, y and heading alongside, for a swipe or grapple (RS-09.3)."""


class AimResult(NamedTuple):
    attack: LegalAttack | None  # None: no pivot is legal
    rule: str  # the rule that forbids the attack, if none is legal; else empty


class Approach(NamedTuple):
    """The beginning of an attack: a veer or a bireme's opening turn, then always ahead (RS-05.9)."""

    pivots: Sequence[int] = AUTO_VEERS_DEG  # pivots to try, in degrees to starboard, in the order of preference
    is_halved: bool = False  # whether only half the allowance remains, after a bireme's opening turn (RS-05.8)

    def allowance_of(self, ship: Ship) -> float:
        return moves.PAIR_MOVE_SHARE * ship.forward_allowance if self.is_halved else ship.forward_allowance


AUTO_APPROACH: Final = Approach()


class _AimTries(NamedTuple):
    position: Position
    ship: Ship  # before any pivot
    target: Ship
    degrees: Sequence[int]  # pivots that are tried, to starboard
    headings: list[int]  # after each pivot
    hulls: hulls.Hulls  # the attacker's hull after each pivot
    ways: hulls.Floats  # direction of the run after each pivot, unit vectors (n, 2)
    rel: list[int]  # the attacker's heading after each pivot minus the target's (RS-07.1, RS-07.5)


def axis_angle(rel: int) -> int:
    """Return the angle between two axes, given the difference of the headings (RS-07.1)."""
    return abs(rel) if abs(rel) <= 90 else 180 - abs(rel)


def approach_zone(rel: int) -> hulls.ApproachZone:
    """Return the zone of an attack from the attacker's heading minus the target's, -180 to 180 (RS-07.2, RS-07.3)."""
    angle = axis_angle(rel)
    if angle > CONSTANTS.oblique_max:
        return "dead_on"
    if angle > CONSTANTS.bow_on_max:
        return "oblique"
    return "bow_on" if abs(rel) > 90 else "stern_on"


_ZONE_BY_DEGREE: Final = tuple(approach_zone(hulls.signed_degrees(rel)) for rel in range(360))
_MAY_RAM_FROM: Final = np.array([zone in ("dead_on", "oblique") for zone in _ZONE_BY_DEGREE])
"""Whether ramming is allowed, by the difference of headings; negative ones index from the end (RS-07.4)."""
_MAY_GO_ALONGSIDE_FROM: Final = np.array([zone != "dead_on" for zone in _ZONE_BY_DEGREE])


def aim_attack(position: Position, ship: Ship, alternative: Alternative) -> AimResult:
    """Aim the attack of an alternative as ordered. Raises `ValueError` if it contains none."""
    approach = AUTO_APPROACH
    for step in alternative.manoeuvres:  # at most one before an attack
        pivot = moves.to_starboard_deg(step.degrees, step.side) if isinstance(step, TurnOrder | VeerOrder) else 0
        approach = Approach((pivot,), is_halved=isinstance(step, TurnOrder))
    match alternative.attack:
        case RamOrder(target):
            return aim_ram(position, ship, target, approach)
        case SwipeOrder() as order:
            return aim_swipe(position, ship, order, approach)
        case GrappleOrder() as order:
            return aim_grapple(position, ship, order, approach)
    raise ValueError("no attack")


# --- which attacks are forbidden ---------------------------------------------------------------------------------


def _is_hostile(position: Position, ship: Ship, target: Ship) -> bool:
    return position.side_of_ship(ship) != position.side_of_ship(target)


def _can_attack(position: Position, ship: Ship) -> bool:
    """Return whether the ship may attack (RS-08.4); if it burns, only as a manned fireship (RS-15.4, RS-16.2)."""
    has_crew = ship.is_afloat and ship.crew >= 1
    is_fire_no_hindrance = not ship.fire or ship.fireship
    return has_crew and is_fire_no_hindrance and not position.is_immobile(ship)


def ram_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule by which attacker or target are unfit for a ram, or "" (RS-08.4)."""
    return "" if _can_attack(position, ship) and target.is_afloat and _is_hostile(position, ship, target) else "RS-08.4"


def swipe_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule by which attacker or target are unfit for an oar swipe, or "" (RS-09.5)."""
    can_swipe = _can_attack(position, ship) and not ship.fire
    is_enemy = target.is_afloat and _is_hostile(position, ship, target)
    can_be_swiped = is_enemy and target.crew >= 1 and not position.is_locked(target.id)
    return "" if can_swipe and can_be_swiped else "RS-09.5"


def grapple_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule by which attacker or target are unfit for a grapple, or "" (RS-10.1, RS-10.7)."""
    if not (_can_attack(position, ship) and target.is_afloat):
        return "RS-10.1"
    if _is_hostile(position, ship, target):
        return ""
    # a ship of one's own side may be grappled if it is linked to an enemy
    has_enemy = any(_is_hostile(position, ship, other) for other in position.cluster_of(target.id))
    return "" if has_enemy else "RS-10.7"


# --- the three attacks -------------------------------------------------------------------------------------------


def aim_ram(position: Position, ship: Ship, name: str, approach: Approach = AUTO_APPROACH) -> AimResult:
    """Aim a ram at the legal pivot with the highest modifier, of equals the first (RS-08.1 to RS-08.5, RS-08.14)."""
    target = position.ship_by_id(name)
    if rule := ram_forbidden_by(position, ship, target):
        return AimResult(None, rule)
    max_run = approach.allowance_of(ship) + ship.ram_run_bonus
    tries = _make_tries(position, ship, target, _pivots_to_try(approach, ship, target, max_run))
    tips = tries.hulls.corners[:, 0]  # of the ram, after each pivot
    exact_runs = hulls.ray_distances(tips, tries.ways, hulls.hull_of(target))
    hit = np.isfinite(exact_runs)
    runs = _round_all(exact_runs)
    contact_points = tips + tries.ways * np.where(hit, exact_runs, 0.0)[:, None]
    target_axis = np.array(hulls.forward_vector(target.heading))
    inches_from_middle = np.abs((contact_points - (target.x, target.y)) @ target_axis)  # along the target's hull
    max_from_middle = target.ship_class.length / 2 - CONSTANTS.flank_margin
    zones = [_ZONE_BY_DEGREE[rel % 360] for rel in tries.rel]
    checks = (
        ("RS-06.3", _is_uncut(tries)),
        ("RS-07.4", _MAY_RAM_FROM[tries.rel]),
        ("RS-08.1", hit),
        ("RS-08.2", _round_all(inches_from_middle) <= _with_tolerance(max_from_middle)),
        ("RS-08.4", runs >= ship.ship_class.ram_min),
        ("RS-08.5", runs <= _with_tolerance(max_run)),
    )
    broken_rule, legal = _passing_tries(checks, lambda which: _is_run_clear(tries, runs, which), "RS-08.3")
    if not legal.any():
        return AimResult(None, broken_rule)
    is_target_immobile = position.is_immobile(target)
    modifiers = {
        number: ram_modifiers(ship, target, zones[number], float(runs[number]), held=is_target_immobile)
        for number in np.flatnonzero(legal).tolist()
    }
    best = max(modifiers, key=lambda number: (total(modifiers[number]), -number))
    contact = float(hulls.contact_distances(tries.hulls, hulls.hull_of(target), tries.ways)[best, 0])
    inches_to_contact = contact if np.isfinite(contact) else float(runs[best])
    return AimResult(
        LegalAttack(
            veer=tries.degrees[best],
            heading=tries.headings[best],
            run=float(runs[best]),
            zone=zones[best],
            modifier=total(modifiers[best]),
            modifiers=modifiers[best],
            stop_if_not_sunk=max(0.0, hulls.floor_inches(inches_to_contact - CONSTANTS.gap)),
        ),
        "",
    )


def aim_swipe(position: Position, ship: Ship, order: SwipeOrder, approach: Approach = AUTO_APPROACH) -> AimResult:
    """Aim an oar swipe at the first legal pivot (RS-09.1 to RS-09.6, RS-09.16)."""
    target = position.ship_by_id(order.target)
    if rule := swipe_forbidden_by(position, ship, target):
        return AimResult(None, rule)
    tries = _make_tries(position, ship, target, _pivots_to_try(approach, ship, target, approach.allowance_of(ship)))
    runs = _contact_runs(tries)
    run_limit, has_minimum = ship.ship_class.swipe_min, position.swipe_run == "minimum"
    checks = (
        ("RS-06.3", _is_uncut(tries)),
        ("RS-07.4", _MAY_GO_ALONGSIDE_FROM[tries.rel]),
        ("RS-09.1", np.isfinite(runs)),
        ("RS-09.5", runs >= run_limit if has_minimum else runs <= _with_tolerance(run_limit)),
        ("RS-09.6", runs + order.past <= _with_tolerance(approach.allowance_of(ship))),
    )
    return _aim_alongside(tries, runs, order, checks)


def aim_grapple(position: Position, ship: Ship, order: GrappleOrder, approach: Approach = AUTO_APPROACH) -> AimResult:
    """Aim a grapple at the first legal pivot (RS-09.1 to RS-09.4, RS-09.16, RS-10.1)."""
    target = position.ship_by_id(order.target)
    if rule := grapple_forbidden_by(position, ship, target):
        return AimResult(None, rule)
    tries = _make_tries(position, ship, target, _pivots_to_try(approach, ship, target, approach.allowance_of(ship)))
    runs = _contact_runs(tries)
    checks = (
        ("RS-06.3", _is_uncut(tries)),
        ("RS-07.4", _MAY_GO_ALONGSIDE_FROM[tries.rel]),
        ("RS-09.1", np.isfinite(runs)),
        ("RS-10.1", runs <= _with_tolerance(approach.allowance_of(ship))),
    )
    return _aim_alongside(tries, runs, order, checks)


# --- what they share ---------------------------------------------------------------------------------------------

_RuleCheck = tuple[str, hulls.Bools]  # a rule, and which tries obey it


def _with_tolerance(inches: float) -> float:
    """Return a limit that a number of two decimals does not exceed by a floating point error."""
    return inches + _EDGE_TOLERANCE


def _round_all(values: hulls.Floats) -> hulls.Floats:
    return np.asarray(np.floor(100 * (values + 0.005 + hulls.ROUNDING_TOLERANCE)) / 100)


def _pivots_to_try(approach: Approach, ship: Ship, target: Ship, max_run: float) -> Sequence[int]:
    """Return all pivots, or only the first for a target surely out of reach, as that shows which rule it breaks."""
    return approach.pivots if hulls.distance_bound(ship, target) <= max_run + _SURE_FACTOR else approach.pivots[:1]


def _make_tries(position: Position, ship: Ship, target: Ship, pivots: Sequence[int]) -> _AimTries:
    headings = [(ship.heading + degrees) % 360 for degrees in pivots]
    return _AimTries(
        position,
        ship,
        target,
        pivots,
        headings,
        hulls.hulls_at(ship.code, ship.x, ship.y, headings),
        hulls.stack_vectors([hulls.forward_vector(heading) for heading in headings]),
        [hulls.signed_degrees(heading - target.heading) for heading in headings],
    )


def _is_uncut(tries: _AimTries) -> hulls.Bools:
    """Return which pivots can be made in full, as no obstacle cuts them (RS-06.3)."""
    degrees = np.array(tries.degrees)
    to_port, to_starboard = min(0, int(degrees.min())), max(0, int(degrees.max()))
    left, right = moves.pivot_range(tries.position, tries.ship, to_port, to_starboard)
    return (left <= degrees) & (degrees <= right)


def _passing_tries(
    checks: Sequence[_RuleCheck], costly_check: Callable[[hulls.Bools], hulls.Bools], costly_rule: str
) -> tuple[str, hulls.Bools]:
    """Return the rule that the first try breaks, and which tries pass all checks.

    `costly_check`, for `costly_rule`, runs only on the tries that pass the other checks. The first try of an auto-aim
    is the one straight ahead.
    """
    legal = np.logical_and.reduce([passed for _, passed in checks])
    if legal.any():
        legal = legal & costly_check(legal)
    for rule, passed in checks:
        if not passed[0]:
            return rule, legal
    return costly_rule, legal


def _third_parties(tries: _AimTries, near: hulls.Hulls, reach: float) -> hulls.Hulls:
    return hulls.find_obstacles(tries.position, without=[tries.ship.id, tries.target.id], near=near, reach=reach).shapes


def _is_run_clear(tries: _AimTries, runs: hulls.Floats, which: hulls.Bools) -> hulls.Bools:
    """Return which runs, of those in `which`, are clear of land, the edge and third ships (RS-08.3, RS-09.4)."""
    moving_hulls, ways, runs_tried = tries.hulls.select(which), tries.ways[which], runs[which]
    room = hulls.room_to_edge(moving_hulls, ways, tries.position.width, tries.position.height)
    stays_on_table = runs_tried <= room + _EDGE_TOLERANCE
    passed = np.zeros(len(which), dtype=np.bool_)
    obstacles = _third_parties(tries, moving_hulls, float(runs_tried.max()))
    passed[which] = stays_on_table & hulls.is_way_clear(moving_hulls, obstacles, ways, runs_tried)
    return passed


def _contact_runs(tries: _AimTries) -> hulls.Floats:
    """Return the runs to first contact: 0 if hulls touch already, infinite without contact (RS-09.1)."""
    target_hull = hulls.hull_of(tries.target)
    exact_runs = hulls.contact_distances(tries.hulls, target_hull, tries.ways)[:, 0]
    distances = hulls.hull_distances(tries.hulls, target_hull, _SURE_FACTOR * CONSTANTS.adjacent)
    touching = _round_all(distances) <= _with_tolerance(CONSTANTS.adjacent)
    return np.where(touching, 0.0, _round_all(exact_runs))


def _side_sign(starboard: float, ordered_sign: int) -> int:
    """Return the target's side of an offset (inches to starboard): 1, or -1 for port; the ordered one if it is 0."""
    if hulls.round_inches(abs(starboard)) < 0.01:
        return ordered_sign
    return 1 if starboard > 0 else -1


def _aim_alongside(
    tries: _AimTries, runs: hulls.Floats, order: SwipeOrder | GrappleOrder, checks: Sequence[_RuleCheck]
) -> AimResult:
    """Return the first try that passes all checks and can go alongside (RS-09.2 to RS-09.4)."""
    position, ship, target = tries.position, tries.ship, tries.target
    past = order.past if isinstance(order, SwipeOrder) else 0.0
    finite_runs = np.where(np.isfinite(runs), runs, 0.0)
    # the attacker's middle at first contact, from the target's middle: inches ahead and to starboard of it
    at_contact = tries.ways * finite_runs[:, None] + (ship.x - target.x, ship.y - target.y)
    forward = hulls.forward_vector(target.heading)
    ahead = at_contact @ np.array(forward)
    starboard = at_contact @ np.array((forward.y, -forward.x))
    ordered_sign = -1 if order.side == "P" else 1
    side_signs = np.array([_side_sign(float(offset), ordered_sign) for offset in starboard])
    max_ahead = (ship.ship_class.length + target.ship_class.length) / 2 - CONSTANTS.overlap_min
    abeam = (ship.ship_class.beam + target.ship_class.beam) / 2 + CONSTANTS.gap
    # the attacker's middle once alongside, first from the target's middle, then on the table
    ahead_alongside, starboard_alongside = np.clip(ahead, -max_ahead, max_ahead), side_signs * abeam
    xs = target.x + forward.x * ahead_alongside + forward.y * starboard_alongside
    ys = target.y + forward.y * ahead_alongside - forward.x * starboard_alongside
    headings = [target.heading if abs(rel) <= 90 else (target.heading + 180) % 360 for rel in tries.rel]

    def can_go_alongside(which: hulls.Bools) -> hulls.Bools:
        alongside = hulls.hulls_at(ship.code, xs[which], ys[which], np.array(headings)[which])
        obstacles = _third_parties(tries, alongside, past)
        ways = hulls.stack_vectors([hulls.forward_vector(heading) for heading in compress(headings, which)])
        fits = hulls.is_free(alongside, obstacles) & hulls.is_on_table(alongside, position.width, position.height)
        if past:
            fits &= past <= hulls.room_to_edge(alongside, ways, position.width, position.height) + _EDGE_TOLERANCE
            fits &= hulls.is_way_clear(alongside, obstacles, ways, np.full(len(ways), past))
        passed = _is_run_clear(tries, finite_runs, which)
        passed[which] &= fits
        return passed

    broken_rule, legal = _passing_tries(checks, can_go_alongside, "RS-09.4")
    if not legal.any():
        return AimResult(None, broken_rule)
    best = int(np.argmax(legal))
    return AimResult(
        LegalAttack(
            veer=tries.degrees[best],
            heading=tries.headings[best],
            run=float(runs[best]),
            zone=approach_zone(tries.rel[best]),
            side_sign=int(side_signs[best]),
            beside=(float(xs[best]), float(ys[best]), headings[best]),
        ),
        "",
    )
