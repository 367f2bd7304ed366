"""Legal attacks from a ship's place, for every veer, and the best of them (RS-07 to RS-10, part 10.3).

All veers are computed in one NumPy call. Nothing here rolls dice, so that plans can use this module, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from rules.ramspeed.engine.geometry import hulls, moves
from rules.ramspeed.engine.orders import Alternative, GrappleOrder, RamOrder, SwipeOrder, TurnOrder, VeerOrder
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CLASS_CODES, CONSTANTS, TABLES

AUTO_VEERS_DEG: Final = (0, *(sign * degrees for degrees in range(1, CONSTANTS.veer_max + 1) for sign in (1, -1)))
"""The veers of an auto-aim in degrees to starboard, in the order of preference (part 10.3)."""
_EDGE_TOLERANCE: Final = 1e-6  # inches by which a run may exceed the room to the edge (RS-06.2)
_SURE_FACTOR: Final = 2.0  # factor of a limit beyond which no rounding can bring a value within the limit


class LegalAttack(Struct, frozen=True, kw_only=True):
    veer: int  # the pivot before the attack, in degrees to starboard
    heading: int
    run: float
    zone: hulls.ApproachZone
    modifier: int = 0
    stop_if_not_sunk: float = 0.0  # inches after which a rammer stops if the target neither sinks nor sticks (RS-08.13)
    side_sign: int = 0  # the target's side of a swipe or grapple: +1 starboard, -1 port (RS-09.2)
    beside: tuple[float, float, int] = (0.0, 0.0, 0)
    """Unrounded x, y and heading alongside, for a swipe or grapple (RS-09.3)."""


class AimResult(NamedTuple):
    attack: LegalAttack | None
    rule: str  # the rule that forbids the attack, if none is legal (part 10.3); else empty


class Approach(NamedTuple):
    """The beginning of an attack: a veer or a bireme's opening turn, then always ahead (RS-05.9)."""

    pivots: Sequence[int] = AUTO_VEERS_DEG  # pivots to try, in degrees to starboard, in the order of preference
    is_halved: bool = False  # whether only half the allowance remains, after a bireme's opening turn (RS-05.8)

    def allowance_of(self, ship: Ship) -> float:
        return moves.PAIR_MOVE_SHARE * ship.forward_allowance if self.is_halved else ship.forward_allowance


AUTO_APPROACH: Final = Approach()


class _AimTries(NamedTuple):
    position: Position
    ship: Ship
    target: Ship
    degrees: Sequence[int]
    headings: list[int]
    hulls: hulls.Hulls
    ways: hulls.Floats
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
    how = AUTO_APPROACH
    for step in alternative.manoeuvres:
        pivot = moves.to_starboard_deg(step.degrees, step.side) if isinstance(step, TurnOrder | VeerOrder) else 0
        how = Approach((pivot,), isinstance(step, TurnOrder))
    match alternative.attack:
        case RamOrder(target):
            return aim_ram(position, ship, target, how)
        case SwipeOrder() as order:
            return aim_swipe(position, ship, order, how)
        case GrappleOrder() as order:
            return aim_grapple(position, ship, order, how)
    raise ValueError("no attack")


# --- which attacks are forbidden ---------------------------------------------------------------------------------


def _is_hostile(position: Position, ship: Ship, target: Ship) -> bool:
    return position.side_of_ship(ship) != position.side_of_ship(target)


def _can_attack(position: Position, ship: Ship) -> bool:
    """Return whether the ship may attack (RS-08.4); if it burns, only as a manned fireship (RS-15.4, RS-16.2)."""
    able = ship.is_afloat and ship.crew >= 1 and (not ship.fire or ship.fireship)
    return able and not position.is_immobile(ship)


def ram_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule by which attacker or target are unfit for a ram, or "" (RS-08.4)."""
    return "" if _can_attack(position, ship) and target.is_afloat and _is_hostile(position, ship, target) else "RS-08.4"


def swipe_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule by which attacker or target are unfit for an oar swipe, or "" (RS-09.5)."""
    able = _can_attack(position, ship) and not ship.fire and target.is_afloat and _is_hostile(position, ship, target)
    return "" if able and target.crew >= 1 and not position.is_locked(target.id) else "RS-09.5"


def grapple_forbidden_by(position: Position, ship: Ship, target: Ship) -> str:
    """Return the rule by which attacker or target are unfit for a grapple, or "" (RS-10.1, RS-10.7)."""
    if not (_can_attack(position, ship) and target.is_afloat):
        return "RS-10.1"
    if _is_hostile(position, ship, target):
        return ""
    enemies = any(_is_hostile(position, ship, other) for other in position.cluster_of(target.id))
    return "" if enemies else "RS-10.7"


# --- the three attacks -------------------------------------------------------------------------------------------


def aim_ram(position: Position, ship: Ship, name: str, how: Approach = AUTO_APPROACH) -> AimResult:
    """Aim a ram at the legal pivot with the highest modifier, of equals the first (RS-08.1 to RS-08.5, RS-08.14)."""
    target = position.ship_by_id(name)
    if rule := ram_forbidden_by(position, ship, target):
        return AimResult(None, rule)
    most = how.allowance_of(ship) + ship.ram_run_bonus
    tries = _make_tries(position, ship, target, _pivots_to_try(how, ship, target, most))
    tips = tries.hulls.corners[:, 0]
    exact = hulls.ray_distances(tips, tries.ways, hulls.hull_of(target))
    hit = np.isfinite(exact)
    runs = _round_all(exact)
    contact_points = tips + tries.ways * np.where(hit, exact, 0.0)[:, None]
    forward = hulls.forward_vector(target.heading)
    length = np.abs((contact_points - (target.x, target.y)) @ np.array(forward))
    zones = [_ZONE_BY_DEGREE[rel % 360] for rel in tries.rel]
    checks = (
        ("RS-06.3", _is_uncut(tries)),
        ("RS-07.4", _MAY_RAM_FROM[tries.rel]),
        ("RS-08.1", hit),
        ("RS-08.2", _round_all(length) <= _with_tolerance(target.ship_class.length / 2 - CONSTANTS.flank_margin)),
        ("RS-08.4", runs >= ship.ship_class.ram_min),
        ("RS-08.5", runs <= _with_tolerance(most)),
    )
    bad, legal = _passing_tries(checks, lambda some: _is_run_clear(tries, runs, some), "RS-08.3")
    if not legal.any():
        return AimResult(None, bad)
    is_target_immobile = position.is_immobile(target)
    sums = {
        number: ram_modifier(ship, target, zones[number], float(runs[number]), held=is_target_immobile)
        for number in np.flatnonzero(legal).tolist()
    }
    best = max(sums, key=lambda number: (sums[number], -number))
    contact = float(hulls.contact_distances(tries.hulls, hulls.hull_of(target), tries.ways)[best, 0])
    short = contact if np.isfinite(contact) else float(runs[best])
    return AimResult(
        LegalAttack(
            veer=tries.degrees[best],
            heading=tries.headings[best],
            run=float(runs[best]),
            zone=zones[best],
            modifier=sums[best],
            stop_if_not_sunk=max(0.0, hulls.floor_inches(short - CONSTANTS.gap)),
        ),
        "",
    )


def ram_modifier(ship: Ship, target: Ship, how: hulls.ApproachZone, run: float, *, held: bool) -> int:
    """Return the sum of a ram's modifiers (T3). `held`: the target is immobile (RS-08.7)."""
    table = TABLES.ram
    other = table.modifiers
    return (
        table.matrix[ship.code][CLASS_CODES.index(target.code)]
        + (other.immobile if held else 0)
        + (other.oblique if how == "oblique" else 0)
        + (other.short if run <= other.short_run else other.long if run >= other.long_run else 0)
        + TABLES.nations[ship.nation].ram
    )


def aim_swipe(position: Position, ship: Ship, order: SwipeOrder, how: Approach = AUTO_APPROACH) -> AimResult:
    """Aim an oar swipe at the first legal pivot (RS-09.1 to RS-09.6, RS-09.16)."""
    target = position.ship_by_id(order.target)
    if rule := swipe_forbidden_by(position, ship, target):
        return AimResult(None, rule)
    tries = _make_tries(position, ship, target, _pivots_to_try(how, ship, target, how.allowance_of(ship)))
    runs = _contact_runs(tries)
    least = ship.ship_class.swipe_min
    checks = (
        ("RS-06.3", _is_uncut(tries)),
        ("RS-07.4", _MAY_GO_ALONGSIDE_FROM[tries.rel]),
        ("RS-09.1", np.isfinite(runs)),
        ("RS-09.5", runs >= least if TABLES.swipe.distance.mode == "min" else runs <= _with_tolerance(least)),
        ("RS-09.6", runs + order.past <= _with_tolerance(how.allowance_of(ship))),
    )
    return _aim_alongside(tries, runs, order, checks)


def aim_grapple(position: Position, ship: Ship, order: GrappleOrder, how: Approach = AUTO_APPROACH) -> AimResult:
    """Aim a grapple at the first legal pivot (RS-09.1 to RS-09.4, RS-09.16, RS-10.1)."""
    target = position.ship_by_id(order.target)
    if rule := grapple_forbidden_by(position, ship, target):
        return AimResult(None, rule)
    tries = _make_tries(position, ship, target, _pivots_to_try(how, ship, target, how.allowance_of(ship)))
    runs = _contact_runs(tries)
    checks = (
        ("RS-06.3", _is_uncut(tries)),
        ("RS-07.4", _MAY_GO_ALONGSIDE_FROM[tries.rel]),
        ("RS-09.1", np.isfinite(runs)),
        ("RS-10.1", runs <= _with_tolerance(how.allowance_of(ship))),
    )
    return _aim_alongside(tries, runs, order, checks)


# --- what they share ---------------------------------------------------------------------------------------------

_RuleCheck = tuple[str, hulls.Bools]


def _with_tolerance(inches: float) -> float:
    """Return a limit that a number of two decimals does not exceed by a floating point error."""
    return inches + _EDGE_TOLERANCE


def _round_all(values: hulls.Floats) -> hulls.Floats:
    return np.asarray(np.floor(100 * (values + 0.005 + hulls.ROUNDING_TOLERANCE)) / 100)


def _pivots_to_try(how: Approach, ship: Ship, target: Ship, most: float) -> Sequence[int]:
    """Return all pivots, or only the first for a target surely out of reach, as that shows which rule it breaks."""
    return how.pivots if hulls.distance_bound(ship, target) <= most + _SURE_FACTOR else how.pivots[:1]


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
    degrees = np.array(tries.degrees)
    most = min(0, int(degrees.min())), max(0, int(degrees.max()))
    left, right = moves.pivot_range(tries.position, tries.ship, *most)
    return (left <= degrees) & (degrees <= right)


def _passing_tries(
    checks: Sequence[_RuleCheck], last: Callable[[hulls.Bools], hulls.Bools], rule: str
) -> tuple[str, hulls.Bools]:
    """Return the rule that the first try breaks, and which tries pass all checks. `last` is the costly check.

    `last` runs only where the other checks pass. The first try of an auto-aim is the one straight ahead (part 10.3).
    """
    legal = np.logical_and.reduce([passed for _, passed in checks])
    if legal.any():
        legal = legal & last(legal)
    for name, passed in checks:
        if not passed[0]:
            return name, legal
    return rule, legal


def _third_parties(tries: _AimTries, near: hulls.Hulls, reach: float) -> hulls.Hulls:
    return hulls.find_obstacles(tries.position, without=[tries.ship.id, tries.target.id], near=near, reach=reach).shapes


def _is_run_clear(tries: _AimTries, runs: hulls.Floats, some: hulls.Bools) -> hulls.Bools:
    """Return which of some runs are clear of land, the edge and every third ship (RS-08.3, RS-09.4)."""
    moving, ways, far = tries.hulls.select(some), tries.ways[some], runs[some]
    inside = far <= hulls.room_to_edge(moving, ways, tries.position.width, tries.position.height) + _EDGE_TOLERANCE
    passed = np.zeros(len(some), dtype=np.bool_)
    third = _third_parties(tries, moving, float(far.max()))
    passed[some] = inside & hulls.is_way_clear(moving, third, ways, far)
    return passed


def _contact_runs(tries: _AimTries) -> hulls.Floats:
    """Return the runs to first contact: 0 if hulls touch already, infinite without contact (RS-09.1)."""
    target_hull = hulls.hull_of(tries.target)
    exact = hulls.contact_distances(tries.hulls, target_hull, tries.ways)[:, 0]
    distances = hulls.hull_distances(tries.hulls, target_hull, _SURE_FACTOR * CONSTANTS.adjacent)
    touching = _round_all(distances) <= _with_tolerance(CONSTANTS.adjacent)
    return np.where(touching, 0.0, _round_all(exact))


def _aim_alongside(
    tries: _AimTries, runs: hulls.Floats, order: SwipeOrder | GrappleOrder, checks: Sequence[_RuleCheck]
) -> AimResult:
    """Return the first try that passes all checks and can go alongside (RS-09.2 to RS-09.4)."""
    position, ship, target = tries.position, tries.ship, tries.target
    past = order.past if isinstance(order, SwipeOrder) else 0.0
    far = np.where(np.isfinite(runs), runs, 0.0)
    at_contact = tries.ways * far[:, None] + (ship.x - target.x, ship.y - target.y)
    forward = hulls.forward_vector(target.heading)
    along = at_contact @ np.array(forward)
    across = at_contact @ np.array((forward.y, -forward.x))
    ordered = -1 if order.side == "P" else 1
    sigmas = np.array(
        [(1 if offset > 0 else -1) if hulls.round_inches(abs(float(offset))) >= 0.01 else ordered for offset in across]
    )
    most = (ship.ship_class.length + target.ship_class.length) / 2 - CONSTANTS.overlap_min
    abeam = (ship.ship_class.beam + target.ship_class.beam) / 2 + CONSTANTS.gap
    f, s = np.clip(along, -most, most), sigmas * abeam
    xs, ys = target.x + forward.x * f + forward.y * s, target.y + forward.y * f - forward.x * s
    headings = [target.heading if abs(rel) <= 90 else (target.heading + 180) % 360 for rel in tries.rel]

    def reachable(some: hulls.Bools) -> hulls.Bools:
        alongside = hulls.hulls_at(ship.code, xs[some], ys[some], np.array(headings)[some])
        third = _third_parties(tries, alongside, past)
        ways = hulls.stack_vectors(
            [hulls.forward_vector(heading) for heading, is_included in zip(headings, some, strict=True) if is_included]
        )
        fits = hulls.is_free(alongside, third) & hulls.is_on_table(alongside, position.width, position.height)
        if past:
            fits &= past <= hulls.room_to_edge(alongside, ways, position.width, position.height) + _EDGE_TOLERANCE
            fits &= hulls.is_way_clear(alongside, third, ways, np.full(len(ways), past))
        passed = _is_run_clear(tries, far, some)
        passed[some] &= fits
        return passed

    bad, legal = _passing_tries(checks, reachable, "RS-09.4")
    if not legal.any():
        return AimResult(None, bad)
    best = int(np.argmax(legal))
    return AimResult(
        LegalAttack(
            veer=tries.degrees[best],
            heading=tries.headings[best],
            run=float(runs[best]),
            zone=approach_zone(tries.rel[best]),
            side_sign=int(sigmas[best]),
            beside=(float(xs[best]), float(ys[best]), headings[best]),
        ),
        "",
    )
