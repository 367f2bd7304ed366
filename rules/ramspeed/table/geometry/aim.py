"""Which attacks are legal from where a ship lies, veer by veer, and the best of them (RS-07 to RS-10, part 10.3).

All veers are worked out in one call. Nothing here rolls dice, so plans may ask it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from rules.ramspeed.table.geometry import hulls, moves
from rules.ramspeed.table.geometry.hulls import Bools, Floats, Hulls
from rules.ramspeed.table.geometry.measure import NOISE, Zone, ahead, floored, rounded, signed
from rules.ramspeed.table.orders import Alternative, Grapple, Ram, Swipe, Turn, Veer
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CODES, CONSTANTS, TABLES

VEERS: Final = (0, *(sign * one for one in range(1, CONSTANTS.veer_max + 1) for sign in (1, -1)))
"""Of an auto-aim, in degrees to starboard, in the order of preference (part 10.3)."""
_EDGE: Final = 1e-6
"""How far a run may exceed the room to the edge (RS-06.2)."""
_SURELY: Final = 2.0
"""Twice a limit is beyond it, however it is rounded."""


class Mark(Struct, frozen=True, kw_only=True):
    """A legal attack: how it goes, before any die."""

    veer: int
    """The pivot before it, in degrees to starboard."""
    heading: int
    """After the pivot."""
    run: float
    zone: Zone
    modifier: int = 0
    """Of a ram's roll (T3)."""
    short: float = 0.0
    """Of a ram: where she stops if the target neither sinks nor sticks (RS-08.13)."""
    sigma: int = 0
    """Of a swipe or grapple: on which side of the target, +1 starboard (RS-09.2)."""
    beside: tuple[float, float, int] = (0.0, 0.0, 0)
    """Of a swipe or grapple: x, y and heading alongside (RS-09.3), not rounded yet."""


class Aim(NamedTuple):
    """What came of aiming."""

    mark: Mark | None
    rule: str
    """Which rule forbids it, if nothing is legal (part 10.3); else empty."""


class Approach(NamedTuple):
    """How an attack begins: always ahead, after a veer or a bireme's opening turn (RS-05.9)."""

    pivots: Sequence[int] = VEERS
    """What is tried, in degrees to starboard, in the order of preference."""
    halved: bool = False
    """After a bireme's opening turn she has but half her allowance (RS-05.8)."""

    def allowance(self, ship: Ship) -> float:
        """How far she may go."""
        return moves.HALF * ship.fwd if self.halved else ship.fwd


AUTO: Final = Approach()


class _Tries(NamedTuple):
    """An attacker at every pivot that is tried."""

    position: Position
    ship: Ship
    target: Ship
    degrees: Sequence[int]
    headings: list[int]
    hulls: Hulls
    ways: Floats
    rel: list[int]
    """Her heading after the pivot less the target's (RS-07.1, RS-07.5)."""


def theta(rel: int) -> int:
    """The angle between two axes, by the difference of the headings (RS-07.1)."""
    return abs(rel) if abs(rel) <= 90 else 180 - abs(rel)


def zone(rel: int) -> Zone:
    """How an attacker comes up, by her heading less the target's, between -180 and 180 (RS-07.2, RS-07.3)."""
    angle = theta(rel)
    if angle > CONSTANTS.oblique_max:
        return "dead_on"
    if angle > CONSTANTS.bow_on_max:
        return "oblique"
    return "bow_on" if abs(rel) > 90 else "stern_on"


_ZONES: Final = tuple(zone(signed(rel)) for rel in range(360))
_RAMS: Final = np.array([one in ("dead_on", "oblique") for one in _ZONES])
"""By the difference of headings, negative ones from the end: from where one may ram (RS-07.4)."""
_BESIDE: Final = np.array([one != "dead_on" for one in _ZONES])
"""The same for going alongside."""


def attack(position: Position, ship: Ship, alternative: Alternative) -> Aim:
    """Aim the attack of an alternative as it is ordered. Raises `ValueError` if it holds none."""
    how = AUTO
    for step in alternative.manoeuvres:
        pivot = moves.starboard(step.degrees, step.side) if isinstance(step, Turn | Veer) else 0
        how = Approach((pivot,), isinstance(step, Turn))
    match alternative.attack:
        case Ram(target):
            return ram(position, ship, target, how)
        case Swipe() as order:
            return swipe(position, ship, order, how)
        case Grapple() as order:
            return grapple(position, ship, order, how)
    raise ValueError("no attack")


# --- which attacks are forbidden ---------------------------------------------------------------------------------


def _hostile(position: Position, ship: Ship, target: Ship) -> bool:
    return position.side_of(ship) != position.side_of(target)


def _fit(position: Position, ship: Ship) -> bool:
    """She may attack at all (RS-08.4): not burning (RS-15.4), unless she is a fireship with a crew (RS-16.2)."""
    able = ship.afloat and ship.crew >= 1 and (not ship.fire or ship.fireship)
    return able and not position.immobile(ship)


def ram_forbidden(position: Position, ship: Ship, target: Ship) -> str:
    """The rule by which attacker or target are unfit for a ram; empty: none (RS-08.4)."""
    return "" if _fit(position, ship) and target.afloat and _hostile(position, ship, target) else "RS-08.4"


def swipe_forbidden(position: Position, ship: Ship, target: Ship) -> str:
    """The same of an oar swipe (RS-09.5)."""
    able = _fit(position, ship) and not ship.fire and target.afloat and _hostile(position, ship, target)
    return "" if able and target.crew >= 1 and not position.locked(target.id) else "RS-09.5"


def grapple_forbidden(position: Position, ship: Ship, target: Ship) -> str:
    """The same of a grapple (RS-10.1, RS-10.7)."""
    if not (_fit(position, ship) and target.afloat):
        return "RS-10.1"
    if _hostile(position, ship, target):
        return ""
    enemies = any(_hostile(position, ship, other) for other in position.cluster(target.id))
    return "" if enemies else "RS-10.7"


# --- the three attacks -------------------------------------------------------------------------------------------


def ram(position: Position, ship: Ship, name: str, how: Approach = AUTO) -> Aim:
    """Aim a ram: of the legal pivots that with most on the dice, then the first (RS-08.1 to RS-08.5, RS-08.14)."""
    target = position.ship(name)
    if rule := ram_forbidden(position, ship, target):
        return Aim(None, rule)
    most = how.allowance(ship) + ship.ram_bonus
    tries = _tries(position, ship, target, _worth_trying(how, ship, target, most))
    tips = tries.hulls.corners[:, 0]
    exact = hulls.strikes(tips, tries.ways, hulls.of(target))
    hit = np.isfinite(exact)
    runs = _rounded(exact)
    struck = tips + tries.ways * np.where(hit, exact, 0.0)[:, None]
    forward = ahead(target.heading)
    length = np.abs((struck - (target.x, target.y)) @ np.array(forward))
    zones = [_ZONES[rel % 360] for rel in tries.rel]
    checks = (
        ("RS-06.3", _uncut(tries)),
        ("RS-07.4", _RAMS[tries.rel]),
        ("RS-08.1", hit),
        ("RS-08.2", _rounded(length) <= _limit(target.kind.length / 2 - CONSTANTS.flank_margin)),
        ("RS-08.4", runs >= ship.kind.ram_min),
        ("RS-08.5", runs <= _limit(most)),
    )
    bad, legal = _first_bad(checks, lambda some: _clear_run(tries, runs, some), "RS-08.3")
    if not legal.any():
        return Aim(None, bad)
    held = position.immobile(target)
    sums = {
        one: ram_modifier(ship, target, zones[one], float(runs[one]), held=held)
        for one in np.flatnonzero(legal).tolist()
    }
    best = max(sums, key=lambda one: (sums[one], -one))
    contact = float(hulls.contacts(tries.hulls, hulls.of(target), tries.ways)[best, 0])
    short = contact if np.isfinite(contact) else float(runs[best])
    return Aim(
        Mark(
            veer=tries.degrees[best],
            heading=tries.headings[best],
            run=float(runs[best]),
            zone=zones[best],
            modifier=sums[best],
            short=max(0.0, floored(short - CONSTANTS.gap)),
        ),
        "",
    )


def ram_modifier(ship: Ship, target: Ship, how: Zone, run: float, *, held: bool) -> int:
    """All modifiers of a ram (T3); `held`: the target is immobile (RS-08.7)."""
    table = TABLES.ram
    other = table.modifiers
    return (
        table.matrix[ship.code][CODES.index(target.code)]
        + (other.immobile if held else 0)
        + (other.oblique if how == "oblique" else 0)
        + (other.short if run <= other.short_run else other.long if run >= other.long_run else 0)
        + TABLES.nations[ship.nation].ram
    )


def swipe(position: Position, ship: Ship, order: Swipe, how: Approach = AUTO) -> Aim:
    """Aim an oar swipe: the first legal pivot (RS-09.1 to RS-09.6, RS-09.16)."""
    target = position.ship(order.target)
    if rule := swipe_forbidden(position, ship, target):
        return Aim(None, rule)
    tries = _tries(position, ship, target, _worth_trying(how, ship, target, how.allowance(ship)))
    runs = _runs_beside(tries)
    least = ship.kind.swipe_min
    checks = (
        ("RS-06.3", _uncut(tries)),
        ("RS-07.4", _BESIDE[tries.rel]),
        ("RS-09.1", np.isfinite(runs)),
        ("RS-09.5", runs >= least if TABLES.swipe.distance.mode == "min" else runs <= _limit(least)),
        ("RS-09.6", runs + order.past <= _limit(how.allowance(ship))),
    )
    return _alongside(tries, runs, order, checks)


def grapple(position: Position, ship: Ship, order: Grapple, how: Approach = AUTO) -> Aim:
    """Aim a grapple: the first legal pivot (RS-09.1 to RS-09.4, RS-09.16, RS-10.1)."""
    target = position.ship(order.target)
    if rule := grapple_forbidden(position, ship, target):
        return Aim(None, rule)
    tries = _tries(position, ship, target, _worth_trying(how, ship, target, how.allowance(ship)))
    runs = _runs_beside(tries)
    checks = (
        ("RS-06.3", _uncut(tries)),
        ("RS-07.4", _BESIDE[tries.rel]),
        ("RS-09.1", np.isfinite(runs)),
        ("RS-10.1", runs <= _limit(how.allowance(ship))),
    )
    return _alongside(tries, runs, order, checks)


# --- what they share ---------------------------------------------------------------------------------------------

_Check = tuple[str, Bools]


def _limit(inches: float) -> float:
    """A limit for numbers of two decimals, which floating point may have put a trifle too high."""
    return inches + _EDGE


def _rounded(values: Floats) -> Floats:
    """`measure.rounded` of many; what is infinite stays so."""
    return np.asarray(np.floor(100 * (values + 0.005 + NOISE)) / 100)


def _worth_trying(how: Approach, ship: Ship, target: Ship, most: float) -> Sequence[int]:
    """All pivots; of a target that is surely out of reach the straight one, for the rule that it breaks."""
    return how.pivots if hulls.apart(ship, target) <= most + _SURELY else how.pivots[:1]


def _tries(position: Position, ship: Ship, target: Ship, pivots: Sequence[int]) -> _Tries:
    headings = [(ship.heading + one) % 360 for one in pivots]
    return _Tries(
        position,
        ship,
        target,
        pivots,
        headings,
        hulls.at(ship.code, ship.x, ship.y, headings),
        hulls.ways([ahead(one) for one in headings]),
        [signed(one - target.heading) for one in headings],
    )


def _uncut(tries: _Tries) -> Bools:
    """Which pivots can be made whole (RS-06.3)."""
    degrees = np.array(tries.degrees)
    most = min(0, int(degrees.min())), max(0, int(degrees.max()))
    left, right = moves.pivots(tries.position, tries.ship, *most)
    return (left <= degrees) & (degrees <= right)


def _first_bad(checks: Sequence[_Check], last: Callable[[Bools], Bools], rule: str) -> tuple[str, Bools]:
    """Which tries pass all checks, the last of which is made only where the others pass; and what the first try breaks.

    The first try is the straight one of an auto-aim (part 10.3).
    """
    legal = np.logical_and.reduce([passed for _, passed in checks])
    if legal.any():
        legal = legal & last(legal)
    for name, passed in checks:
        if not passed[0]:
            return name, legal
    return rule, legal


def _third(tries: _Tries, near: Hulls, reach: float) -> Hulls:
    """Land and every ship but the two, within reach of some hulls."""
    return hulls.obstacles(tries.position, without=[tries.ship.id, tries.target.id], near=near, reach=reach).shapes


def _clear_run(tries: _Tries, runs: Floats, some: Bools) -> Bools:
    """Of some tries, which runs are clear of land, edge and every third ship (RS-08.3, RS-09.4)."""
    moving, ways, far = tries.hulls.only(some), tries.ways[some], runs[some]
    inside = far <= hulls.rooms(moving, ways, tries.position.width, tries.position.height) + _EDGE
    passed = np.zeros(len(some), dtype=np.bool_)
    third = _third(tries, moving, float(far.max()))
    passed[some] = inside & hulls.clear(moving, third, ways, far)
    return passed


def _runs_beside(tries: _Tries) -> Floats:
    """The runs to first contact, 0 for hulls that touch already; infinite: there is none (RS-09.1)."""
    there = hulls.of(tries.target)
    exact = hulls.contacts(tries.hulls, there, tries.ways)[:, 0]
    near = hulls.distances(tries.hulls, there, _SURELY * CONSTANTS.adjacent)
    touching = _rounded(near) <= _limit(CONSTANTS.adjacent)
    return np.where(touching, 0.0, _rounded(exact))


def _alongside(tries: _Tries, runs: Floats, order: Swipe | Grapple, checks: Sequence[_Check]) -> Aim:
    """The first try that passes all checks and can go alongside (RS-09.2 to RS-09.4)."""
    position, ship, target = tries.position, tries.ship, tries.target
    past = order.past if isinstance(order, Swipe) else 0.0
    far = np.where(np.isfinite(runs), runs, 0.0)
    at_contact = tries.ways * far[:, None] + (ship.x - target.x, ship.y - target.y)
    forward = ahead(target.heading)
    along = at_contact @ np.array(forward)
    across = at_contact @ np.array((forward.y, -forward.x))
    ordered = -1 if order.side == "P" else 1
    sigmas = np.array([(1 if one > 0 else -1) if rounded(abs(float(one))) >= 0.01 else ordered for one in across])
    most = (ship.kind.length + target.kind.length) / 2 - CONSTANTS.overlap_min
    abeam = (ship.kind.beam + target.kind.beam) / 2 + CONSTANTS.gap
    f, s = np.clip(along, -most, most), sigmas * abeam
    xs, ys = target.x + forward.x * f + forward.y * s, target.y + forward.y * f - forward.x * s
    headings = [target.heading if abs(rel) <= 90 else (target.heading + 180) % 360 for rel in tries.rel]

    def reachable(some: Bools) -> Bools:
        there = hulls.at(ship.code, xs[some], ys[some], np.array(headings)[some])
        third = _third(tries, there, past)
        ways = hulls.ways([ahead(one) for one, wanted in zip(headings, some, strict=True) if wanted])
        fits = hulls.free(there, third) & hulls.on_table(there, position.width, position.height)
        if past:
            fits &= past <= hulls.rooms(there, ways, position.width, position.height) + _EDGE
            fits &= hulls.clear(there, third, ways, np.full(len(ways), past))
        passed = _clear_run(tries, far, some)
        passed[some] &= fits
        return passed

    bad, legal = _first_bad(checks, reachable, "RS-09.4")
    if not legal.any():
        return Aim(None, bad)
    best = int(np.argmax(legal))
    return Aim(
        Mark(
            veer=tries.degrees[best],
            heading=tries.headings[best],
            run=float(runs[best]),
            zone=zone(tries.rel[best]),
            sigma=int(sigmas[best]),
            beside=(float(xs[best]), float(ys[best]), headings[best]),
        ),
        "",
    )
