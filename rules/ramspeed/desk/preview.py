"""Where a captain's lines lead as things stand, one after the other, and what the ships could do then (part 8.4).

No dice are rolled: an attack that is legal ends where it would if the enemy is hit but stays afloat; enemies lie still.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import structs

from rules.ramspeed.desk.view import PlannedLine, Pose, Way
from rules.ramspeed.table import odds
from rules.ramspeed.table.geometry import aim, moves
from rules.ramspeed.table.geometry.aim import Mark
from rules.ramspeed.table.geometry.hindrance import hindrance_of
from rules.ramspeed.table.geometry.measure import ahead
from rules.ramspeed.table.notation import sheets
from rules.ramspeed.table.odds import Odd
from rules.ramspeed.table.orders import Alternative, Attack, Back, Exit, Line, Manoeuvre, Ram, Shoot, Swipe, Turn
from rules.ramspeed.table.phases import attacks
from rules.ramspeed.table.phases import transfer as transfers
from rules.ramspeed.table.state import Position, Ship, with_ship


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
    kind: Any = sheets.write_step(attack).split()[0]
    way = Way(order=order, kind=kind, path=(pose(ship),), to=attack.target, ignite=alternative.ignites)
    if aimed.mark is None:
        return structs.replace(way, rule=aimed.rule, why=hindrance_of(position, ship, attack, aimed.rule))
    target, mark = position.ship(attack.target), aimed.mark
    modifier, results = likely(position, ship, target, attack, mark)
    path = tuple(lane(ship, attack, mark))
    return structs.replace(way, path=path, run=mark.run, modifier=modifier, odds=results)


def lane(ship: Ship, attack: Attack, mark: Mark) -> Iterator[Pose]:
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


def likely(position: Position, ship: Ship, target: Ship, attack: Attack, mark: Mark) -> tuple[int, tuple[Odd, ...]]:
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
