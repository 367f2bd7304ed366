"""Where a captain's lines lead as things stand, one after the other, and what the ships could do then (part 8.4).

No dice are rolled: an attack that is legal ends where it would if the enemy is hit but stays afloat; enemies lie still.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import structs

from rules.ramspeed.desk.view import Aim, Fault, PlannedLine, Pose, Reach, Way
from rules.ramspeed.table import odds
from rules.ramspeed.table.geometry import aim, hulls, moves
from rules.ramspeed.table.geometry.aim import Approach, Mark
from rules.ramspeed.table.geometry.blockers import blocker
from rules.ramspeed.table.geometry.hindrance import OUT_OF_REACH_RULES, hindrance_of, out_of_reach
from rules.ramspeed.table.geometry.hindrance import reach as furthest
from rules.ramspeed.table.geometry.measure import ahead, rounded
from rules.ramspeed.table.notation import sheets
from rules.ramspeed.table.odds import Odd
from rules.ramspeed.table.orders import (
    Alternative,
    Attack,
    Back,
    Exit,
    Grapple,
    Line,
    Manoeuvre,
    Ram,
    Shoot,
    Swipe,
    Turn,
)
from rules.ramspeed.table.phases import attacks, missiles
from rules.ramspeed.table.phases import transfer as transfers
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS

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


class Planned(NamedTuple):
    """Lines as they would be carried out."""

    lines: tuple[PlannedLine, ...]
    position: Position
    """As all of them leave it."""


def planned(position: Position, lines: Iterable[Line], upto: str = "") -> Planned:
    """Carry lines out as far as that is known; those before the line of a ship alone, if one is named."""
    found: list[PlannedLine] = []
    for number, line in enumerate(lines, 1):
        if line.ship == upto:
            break
        ship = position.ship(line.ship)
        ways = tuple(way_of(position, ship, one) for one in line.alternatives)
        found.append(PlannedLine(ship=line.ship, number=number, ways=ways))
        legal = next((at for at, way in enumerate(ways) if not way.rule), None)
        if legal is not None:
            position = _after(position, ship, line.alternatives[legal], ways[legal])
    return Planned(tuple(found), position)


@lru_cache(maxsize=1024)
def way_of(position: Position, ship: Ship, alternative: Alternative) -> Way:
    """Where an alternative leads, from where things stand."""
    order = sheets.write_alternative(alternative)
    if alternative.ignites and ship.afloat:
        ship = structs.replace(ship, fire=max(1, ship.fire), fireship=True)
        position = with_ship(position, ship)
    shot = next((step for step in alternative.steps if isinstance(step, Shoot)), None)
    if alternative.attack:
        return _attack(position, ship, alternative, order)
    path = tuple(_path(position, ship, alternative.manoeuvres))
    there = structs.replace(ship, x=path[-1].x, y=path[-1].y, heading=path[-1].heading)
    leaves = any(isinstance(step, Exit) for step in alternative.manoeuvres) and moves.leaves(position, ship)
    first = isinstance(alternative.steps[0], Shoot)
    transfer = alternative.transfer
    rule = _gone(position, alternative) or (transfers.forbidden(position, there, transfer) if transfer else "")
    return Way(
        order=order,
        kind="exit" if leaves else "move" if len(path) > 1 else "stay",
        path=path,
        shot=shot.target if shot else None,
        shot_from=(path[0] if first else path[-1]) if shot else None,
        transfer=transfer.partner if transfer else None,
        crew=(transfer.crew if transfer.way == "to" else -transfer.crew) if transfer else 0,
        ignite=alternative.ignites,
        rule=rule,
        why=hindrance_of(position, there, transfer, rule),
    )


def idle(way: Way) -> bool:
    """Whether nothing comes of an alternative as things stand: it is not legal, or leaves her where she is."""
    return bool(way.rule) or (way.kind == "stay" and not (way.shot or way.transfer or way.ignite))


def _gone(position: Position, alternative: Alternative) -> str:
    """The rule by which she cannot steer for a ship, or face it, that is no longer there (RS-21.2)."""
    named = (getattr(step, "target", None) for step in alternative.manoeuvres)
    return "RS-21.2" if any(name and not position.ship(name).afloat for name in named) else ""


def pose(ship: Ship) -> Pose:
    """Where a ship lies."""
    return Pose(ship.x, ship.y, ship.heading)


def _path(position: Position, ship: Ship, steps: Sequence[Manoeuvre]) -> Iterator[Pose]:
    """Where manoeuvres take her, by way of every pivot."""
    yield pose(ship)
    before = ship
    # Of a bireme's pair the first step is shown by itself: half her allowance is hers in either order.
    for upto in range(1, len(steps) + 1):
        if upto < len(steps) and not isinstance(steps[0], Turn):
            after = moves.sailed(position, before, _half(before, steps[0]), astern=isinstance(steps[0], Back))
        else:
            after = moves.manoeuvred(position, ship, steps[:upto]).ship
        turned, moved = after.heading != before.heading, (after.x, after.y) != (before.x, before.y)
        if turned and moved:
            yield Pose(before.x, before.y, after.heading)
        if turned or moved:
            yield pose(after)
        before = after


def _half(ship: Ship, step: Manoeuvre) -> float:
    most = moves.HALF * (ship.back if isinstance(step, Back) else ship.fwd)
    inches = getattr(step, "inches", None)
    return most if inches is None else min(inches, most)


def _attack(position: Position, ship: Ship, alternative: Alternative, order: str) -> Way:
    attack = alternative.attack
    assert attack is not None  # noqa: S101 - callers have checked it
    aimed = aim.attack(position, ship, alternative)
    kind = sheets.write_step(attack).split()[0]
    if aimed.mark is None:
        return Way(
            order=order,
            kind=kind,  # type: ignore[arg-type] # an attack's verb
            path=(pose(ship),),
            to=attack.target,
            rule=aimed.rule,
            why=hindrance_of(position, ship, attack, aimed.rule),
            ignite=alternative.ignites,
        )
    target, mark = position.ship(attack.target), aimed.mark
    modifier, likely = _likely(position, ship, target, attack, mark)
    return Way(
        order=order,
        kind=kind,  # type: ignore[arg-type] # an attack's verb
        path=tuple(_lane(ship, attack, mark)),
        to=attack.target,
        run=mark.run,
        modifier=modifier,
        odds=likely,
        ignite=alternative.ignites,
    )


def _lane(ship: Ship, attack: Attack, mark: Mark) -> Iterator[Pose]:
    """The way of an attack: her pivot, the run, and for one alongside where it takes her."""
    yield pose(ship)
    if mark.veer:
        yield Pose(ship.x, ship.y, mark.heading)
    way = ahead(mark.heading)
    if mark.run:
        yield pose(moves.placed(ship, ship.x + way.x * mark.run, ship.y + way.y * mark.run, mark.heading))
    if isinstance(attack, Ram):
        return
    x, y, heading = mark.beside
    beside = moves.placed(ship, x, y, heading)
    yield pose(beside)
    if isinstance(attack, Swipe):
        yield pose(moves.along(beside, ahead(heading), attack.past))


def _likely(position: Position, ship: Ship, target: Ship, attack: Attack, mark: Mark) -> tuple[int, tuple[Odd, ...]]:
    """The sum of modifiers of an attack, and what may come of it."""
    match attack:
        case Ram():
            return mark.modifier, odds.of_ram(mark.modifier)
        case Swipe():
            modifier = attacks.swipe_modifier(ship, target)
            return modifier, odds.of_swipe(modifier)
    modifier = attacks.grapple_modifier(ship, target)
    return modifier, odds.of_grapple(modifier, automatic=position.immobile(target))


def _after(position: Position, ship: Ship, alternative: Alternative, way: Way) -> Position:
    """The position after an alternative, as far as it hangs on no die."""
    end = way.path[-1]
    if way.kind == "ram" and alternative.attack:
        # She stops short of an enemy that neither sinks nor holds her.
        mark = aim.attack(position, ship, alternative).mark
        direction = ahead(end.heading)
        if mark:
            end = Pose(ship.x + direction.x * mark.short, ship.y + direction.y * mark.short, end.heading)
    there = moves.placed(ship, end.x, end.y, end.heading)
    if way.kind == "exit":
        there = structs.replace(there, status="withdrawn")
    if way.ignite:
        there = structs.replace(there, fire=max(1, there.fire), fireship=True)
    return with_ship(position, there)


def with_ship(position: Position, ship: Ship) -> Position:
    """The position with a ship as she is now."""
    return structs.replace(position, ships=tuple(ship if one.id == ship.id else one for one in position.ships))


# --- what a ship could do ----------------------------------------------------------------------------------------


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
    side = position.side_of(ship)
    enemies = [other for other in position.ships if other.afloat and position.side_of(other) != side]
    found = [one for enemy in enemies for one in (*_attacks(position, ship, enemy), _shot(position, ship, enemy))]
    return tuple(sorted(found, key=lambda one: (one.fault is not None, -_worth(one), gap(position, ship, one.to))))


@lru_cache(maxsize=128)
def legal(position: Position, ship: Ship) -> tuple[Aim, ...]:
    """Those of `aims` that a ship can do now: all that a computer captain asks, at a part of the cost."""
    side = position.side_of(ship)
    enemies = [other for other in position.ships if other.afloat and position.side_of(other) != side]
    found = []
    for enemy in enemies if ship.afloat else ():
        for order in _orders(enemy):
            aimed = _looked_for(position, ship, enemy, order)
            if aimed.mark:
                found.append(_marked(position, ship, enemy, order, aimed.mark))
        if not missiles.forbidden(position, ship, enemy):
            found.append(_shot(position, ship, enemy))
    return tuple(sorted(found, key=lambda one: (-_worth(one), gap(position, ship, one.to))))


def _worth(one: Aim) -> float:
    """How much may come of an attack, for sorting: nothing is decided by it."""
    return odds.chance(one.odds, "sunk", "stuck", "dead", "bank", "linked") + {"ram": 0.2, "shot": -1.0}.get(
        one.kind, 0
    )


def attack_of(ship: Ship, aim: Aim) -> Alternative:
    """The alternative that an aim stands for: its pivot is left to the moment, unless it is a bireme's opening turn."""
    attack: Attack = {"ram": Ram, "swipe": Swipe, "grapple": Grapple}[aim.kind](aim.to)
    turned = (aim.start.heading - ship.heading + 180) % 360 - 180
    if abs(turned) > CONSTANTS.veer_max:
        return Alternative((Turn(abs(turned), "R" if turned > 0 else "L"), attack))
    return Alternative((attack,))


def gap(position: Position, ship: Ship, other: str) -> float:
    """The shortest distance between two hulls (RS-01.5)."""
    return rounded(hulls.distance(ship, position.ship(other)))


def _attacks(position: Position, ship: Ship, enemy: Ship) -> Iterator[Aim]:
    for order in _orders(enemy):
        aimed = _looked_for(position, ship, enemy, order)
        if aimed.mark:
            yield _marked(position, ship, enemy, order, aimed.mark)
        else:
            yield _barred(position, ship, enemy, order, aimed.rule)


def _orders(enemy: Ship) -> tuple[Attack, ...]:
    return (Ram(enemy.id), Swipe(enemy.id), Grapple(enemy.id))


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


def _verb(attack: Attack) -> str:
    return sheets.write_step(attack).split()[0]


def _barred(position: Position, ship: Ship, enemy: Ship, attack: Attack, rule: str) -> Aim:
    """An attack that a rule forbids, and why."""
    fault, have, limit = _fault(position, ship, enemy, attack, rule)
    return Aim(
        by=ship.id,
        to=enemy.id,
        kind=_verb(attack),  # type: ignore[arg-type] # an attack's verb
        start=pose(ship),
        end=pose(ship),
        fault=fault,
        rule=rule,
        have=have,
        limit=limit,
        blocker=blocker(position, ship, enemy, furthest(ship, attack)) if fault == "blocked" else None,
    )


def _marked(position: Position, ship: Ship, enemy: Ship, attack: Attack, mark: Mark) -> Aim:
    """An attack that is legal, and what may come of it."""
    modifier, likely = _likely(position, ship, enemy, attack, mark)
    *_, end = _lane(ship, attack, mark)
    return Aim(
        by=ship.id,
        to=enemy.id,
        kind=_verb(attack),  # type: ignore[arg-type] # an attack's verb
        start=Pose(ship.x, ship.y, mark.heading),
        end=end,
        run=mark.run,
        zone=mark.zone,
        modifier=modifier,
        odds=likely,
    )


def _fault(position: Position, ship: Ship, enemy: Ship, attack: Attack, rule: str) -> tuple[Fault, float, float]:
    """Why an attack cannot be made, what was measured, and its limit."""
    if _FORBIDDEN[type(attack)](position, ship, enemy):
        return "unfit", 0.0, 0.0
    away, most = gap(position, ship, enemy.id), furthest(ship, attack)
    if rule in OUT_OF_REACH_RULES:
        return "far", away, most
    if rule in _SHORT_RUN_RULES:
        return "near", away, ship.kind.ram_min if isinstance(attack, Ram) else ship.kind.swipe_min
    if rule in _ANGLE_RULES:
        return "angle", float(aim.theta((ship.heading - enemy.heading + 180) % 360 - 180)), 0.0
    return ("missed" if rule in _MISSED_RULES else "blocked"), away, 0.0


def _shot(position: Position, ship: Ship, enemy: Ship) -> Aim:
    away = gap(position, ship, enemy.id)
    rule = missiles.forbidden(position, ship, enemy)
    return Aim(
        by=ship.id,
        to=enemy.id,
        kind="shot",
        start=pose(ship),
        end=pose(ship),
        run=away,
        odds=() if rule else odds.of_shot("crew"),
        fault=("far" if rule == "RS-14.3" else "unfit") if rule else None,
        rule=rule,
        have=away if rule else 0.0,
        limit=CONSTANTS.missile_range if rule else 0.0,
    )
