"""What a ship could do as things stand: how far she comes, which attacks are possible, and why others are not (8.4)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from msgspec import structs

from rules.ramspeed.desk.preview import lane, likely, pose
from rules.ramspeed.desk.view import Aim, Fault, Pose, Reach
from rules.ramspeed.table import odds
from rules.ramspeed.table.geometry import aim, hulls, moves
from rules.ramspeed.table.geometry.aim import Approach, Mark
from rules.ramspeed.table.geometry.blockers import blocker
from rules.ramspeed.table.geometry.hindrance import OUT_OF_REACH_RULES, out_of_reach
from rules.ramspeed.table.geometry.hindrance import reach as furthest
from rules.ramspeed.table.geometry.measure import ahead
from rules.ramspeed.table.notation import sheets
from rules.ramspeed.table.orders import Alternative, Attack, Grapple, Ram, Swipe, Turn
from rules.ramspeed.table.phases import missiles
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

ATTACKS: Final = {"ram": Ram, "swipe": Swipe, "grapple": Grapple}
"""By the verbs of the notation."""
FAN: Final = (-25, -20, -15, -10, -5, 0, 5, 10, 15, 20, 25)
"""Pivots after which it is shown how far a ship comes."""
OPENING: Final = Approach(
    tuple(sign * one for one in range(1, CONSTANTS.opening_turn_max + 1) for sign in (1, -1)), halved=True
)
"""Every opening turn of a bireme before an attack (RS-05.8)."""
_SHORT_RUN_RULES: Final = frozenset({"RS-08.4", "RS-09.5"})
_ANGLE_RULES: Final = frozenset({"RS-07.4", "RS-08.2"})
_MISSED_RULES: Final = frozenset({"RS-08.1", "RS-09.1"})
_OUT_OF_REACH_RULE: Final = {Ram: "RS-08.5", Swipe: "RS-09.6", Grapple: "RS-10.1"}
_FORBIDDEN: Final = {Ram: aim.ram_forbidden, Swipe: aim.swipe_forbidden, Grapple: aim.grapple_forbidden}


@lru_cache(maxsize=128)
def reach(position: Position, ship: Ship) -> Reach | None:
    """Where a ship may go; None if she cannot move."""
    if position.immobile(ship) or not ship.afloat:
        return None
    fan = []
    for degrees in FAN:
        turned = moves.pivoted(position, ship, degrees)
        if (turned.heading - ship.heading - degrees) % 360 == 0:
            fan.append((degrees, moves.reach(position, turned, ahead(turned.heading), ship.fwd)))
    back = moves.reach(position, ship, moves.backwards(ahead(ship.heading)), ship.back)
    return Reach(ship=ship.id, start=pose(ship), fan=tuple(fan), back=back, turn=ship.kind.turn)


@lru_cache(maxsize=128)
def aims(position: Position, ship: Ship) -> tuple[Aim, ...]:
    """All that a ship could do to every enemy afloat, or why not: the legal first, of those the likeliest to tell."""
    if not ship.afloat:
        return ()
    found = [
        one
        for enemy in position.enemies(ship)
        for one in (*_attacks(position, ship, enemy), _shot(position, ship, enemy))
    ]
    return tuple(sorted(found, key=lambda one: (one.fault is not None, -_worth(one), _away(position, ship, one))))


@lru_cache(maxsize=128)
def legal(position: Position, ship: Ship) -> tuple[Aim, ...]:
    """Those of `aims` that a ship can do now: all that a computer captain asks, at a part of the cost."""
    found = []
    for enemy in position.enemies(ship) if ship.afloat else ():
        for order in _orders(enemy):
            aimed = _looked_for(position, ship, enemy, order)
            if aimed.mark:
                found.append(_marked(position, ship, enemy, order, aimed.mark))
        if not missiles.forbidden(position, ship, enemy):
            found.append(_shot(position, ship, enemy))
    return tuple(sorted(found, key=lambda one: (-_worth(one), _away(position, ship, one))))


def _worth(one: Aim) -> float:
    """How much may come of an attack, for sorting: nothing is decided by it."""
    return odds.harm(one.odds) + {"ram": 0.2, "shot": -1.0}.get(one.kind, 0)


def _away(position: Position, ship: Ship, one: Aim) -> float:
    return hulls.measured(ship, position.ship(one.to))


def attack_of(ship: Ship, aim: Aim) -> Alternative:
    """The alternative that an aim stands for: its pivot is left to the moment, unless it is a bireme's opening turn."""
    attack: Attack = ATTACKS[aim.kind](aim.to)
    turned = (aim.start.heading - ship.heading + 180) % 360 - 180
    if abs(turned) > CONSTANTS.veer_max:
        return Alternative((Turn(abs(turned), "R" if turned > 0 else "L"), attack))
    return Alternative((attack,))


def _attacks(position: Position, ship: Ship, enemy: Ship) -> Iterator[Aim]:
    for order in _orders(enemy):
        aimed = _looked_for(position, ship, enemy, order)
        if aimed.mark:
            yield _marked(position, ship, enemy, order, aimed.mark)
        else:
            yield _barred(position, ship, enemy, order, aimed.rule)


def _orders(enemy: Ship) -> tuple[Attack, ...]:
    return tuple(attack(enemy.id) for attack in ATTACKS.values())


def _looked_for(position: Position, ship: Ship, enemy: Ship, order: Attack) -> aim.Aim:
    """The best aim at an enemy, after a bireme's opening turn if there is no other; or which rule forbids it."""
    rule = _FORBIDDEN[type(order)](position, ship, enemy)
    if not rule and out_of_reach(ship, enemy, order):
        rule = _OUT_OF_REACH_RULE[type(order)]
    if rule:
        return aim.Aim(None, rule)
    aimed = _try(position, ship, order, aim.AUTO)
    if aimed.mark is None and ship.kind.turn_and_move:
        turned = _try(position, ship, order, OPENING)
        return turned if turned.mark else aimed
    return aimed


def _try(position: Position, ship: Ship, order: Attack, how: Approach) -> aim.Aim:
    match order:
        case Ram():
            return aim.ram(position, ship, order.target, how)
        case Swipe():
            return aim.swipe(position, ship, order, how)
    return aim.grapple(position, ship, order, how)


def _aim(ship: Ship, enemy: Ship, attack: Attack | None = None) -> Aim:
    """An attack, or a shot, of which nothing is known yet."""
    kind: Any = sheets.write_step(attack).split()[0] if attack else "shot"
    return Aim(by=ship.id, to=enemy.id, kind=kind, start=pose(ship), end=pose(ship))


def _barred(position: Position, ship: Ship, enemy: Ship, attack: Attack, rule: str) -> Aim:
    """An attack that a rule forbids, and why."""
    fault, have, limit = _fault(position, ship, enemy, attack, rule)
    bars = blocker(position, ship, enemy, furthest(ship, attack)) if fault == "blocked" else None
    return structs.replace(_aim(ship, enemy, attack), fault=fault, rule=rule, have=have, limit=limit, blocker=bars)


def _marked(position: Position, ship: Ship, enemy: Ship, attack: Attack, mark: Mark) -> Aim:
    """An attack that is legal, and what may come of it."""
    modifier, results = likely(position, ship, enemy, attack, mark)
    *_, end = lane(ship, attack, mark)
    start = Pose(ship.x, ship.y, mark.heading)
    return structs.replace(
        _aim(ship, enemy, attack), start=start, end=end, run=mark.run, zone=mark.zone, modifier=modifier, odds=results
    )


def _fault(position: Position, ship: Ship, enemy: Ship, attack: Attack, rule: str) -> tuple[Fault, float, float]:
    """Why an attack cannot be made, what was measured, and its limit."""
    if _FORBIDDEN[type(attack)](position, ship, enemy):
        return "unfit", 0.0, 0.0
    away, most = hulls.measured(ship, enemy), furthest(ship, attack)
    if rule in OUT_OF_REACH_RULES:
        return "far", away, most
    if rule in _SHORT_RUN_RULES:
        return "near", away, ship.kind.ram_min if isinstance(attack, Ram) else ship.kind.swipe_min
    if rule in _ANGLE_RULES:
        return "angle", float(aim.theta((ship.heading - enemy.heading + 180) % 360 - 180)), 0.0
    return ("missed" if rule in _MISSED_RULES else "blocked"), away, 0.0


def _shot(position: Position, ship: Ship, enemy: Ship) -> Aim:
    away = hulls.measured(ship, enemy)
    shot = structs.replace(_aim(ship, enemy), run=away)
    if rule := missiles.forbidden(position, ship, enemy):
        fault = "far" if rule == "RS-14.3" else "unfit"
        return structs.replace(shot, fault=fault, rule=rule, have=away, limit=CONSTANTS.missile_range)
    return structs.replace(shot, odds=odds.of_shot("crew"))
