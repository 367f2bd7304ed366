"""A preview of a captain's lines, carried out one after the other from the present position.

No dice are rolled. Enemies stay where they are, and a legal attack ends as if it hit an enemy that stays afloat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from msgspec import structs

from rules.ramspeed.engine import odds, orders
from rules.ramspeed.engine.geometry import aim, modifiers, moves
from rules.ramspeed.engine.geometry.aim import LegalAttack
from rules.ramspeed.engine.geometry.hindrance import find_hindrance
from rules.ramspeed.engine.geometry.hulls import forward_vector
from rules.ramspeed.engine.notation import sheets
from rules.ramspeed.engine.odds import ResultChance
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.phases import transfer as transfers
from rules.ramspeed.engine.state import Position, Ship, with_ship
from rules.ramspeed.interface.view import PlannedCourse, PlannedLine, Pose, pose_of


class PlannedSheet(NamedTuple):
    lines: tuple[PlannedLine, ...]
    position: Position  # the expected position after all lines


def plan_lines(position: Position, lines: Iterable[orders.OrderLine], upto: str = "") -> PlannedSheet:
    """Plan lines as far as they are known without dice; with `upto`, only those before that ship's line."""
    planned: list[PlannedLine] = []
    for number, line in enumerate(lines, 1):
        if line.ship == upto:
            break
        ship = position.ship_by_id(line.ship)
        courses = tuple(course_of(position, ship, alternative) for alternative in line.alternatives)
        planned.append(PlannedLine(ship=line.ship, number=number, courses=courses))
        for alternative, course in zip(line.alternatives, courses, strict=True):
            if not course.rule:  # only the first legal alternative is carried out
                position = _position_after(position, ship, alternative, course)
                break
    return PlannedSheet(tuple(planned), position)


@lru_cache(maxsize=1024)
def course_of(position: Position, ship: Ship, alternative: orders.Alternative) -> PlannedCourse:
    """Return where an alternative would lead a ship and the rule that forbids it, as far as no die decides."""
    order = sheets.format_alternative(alternative)
    if alternative.is_igniting and ship.is_afloat:
        ship = fire.ship_as_fireship(ship)
        position = with_ship(position, ship)
    shot = next((step for step in alternative.steps if isinstance(step, orders.ShootOrder)), None)
    if alternative.attack:
        return _attack_course(position, ship, alternative, order)
    path = tuple(_manoeuvre_path(position, ship, alternative.manoeuvres))
    moved_ship = structs.replace(ship, x=path[-1].x, y=path[-1].y, heading=path[-1].heading)
    has_exit = any(isinstance(step, orders.ExitOrder) for step in alternative.manoeuvres)
    leaves = has_exit and moves.can_leave(position, ship)
    shoots_first = isinstance(alternative.steps[0], orders.ShootOrder)
    transfer = alternative.transfer
    rule = _missing_target_rule(position, alternative)
    if transfer and not rule:
        rule = transfers.transfer_forbidden_by(position, moved_ship, transfer)
    kind: Literal["stay", "move", "exit"] = "move" if len(path) > 1 else "stay"
    if leaves:
        kind = "exit"
    crew = 0  # men that the ship gives; negative: takes
    if transfer:
        crew = transfer.crew if transfer.way == "to" else -transfer.crew
    return PlannedCourse(
        order=order,
        kind=kind,
        path=path,
        shot=shot.target if shot else None,
        shot_from=(path[0] if shoots_first else path[-1]) if shot else None,
        transfer=transfer.partner if transfer else None,
        crew=crew,
        ignite=alternative.is_igniting,
        rule=rule,
        why=find_hindrance(position, moved_ship, transfer, rule),
    )


def is_idle(course: PlannedCourse) -> bool:
    """Return whether an alternative has no effect now: it is illegal, or leaves the ship where it is."""
    return bool(course.rule) or (course.kind == "stay" and not (course.shot or course.transfer or course.ignite))


def _missing_target_rule(position: Position, alternative: orders.Alternative) -> str:
    """Return the rule against steering for or facing a ship that is no longer afloat, or "" (RS-21.2)."""
    targets = [getattr(step, "target", None) for step in alternative.manoeuvres]
    is_lost = any(target and not position.ship_by_id(target).is_afloat for target in targets)
    return "RS-21.2" if is_lost else ""


def _manoeuvre_path(position: Position, ship: Ship, steps: Sequence[orders.Manoeuvre]) -> Iterator[Pose]:
    """Yield the poses of a ship at its start, after each pivot and after each move."""
    yield pose_of(ship)
    before = ship
    # the first step of a bireme's pair is limited to half the allowance even if it comes before the turn
    for step_count in range(1, len(steps) + 1):
        is_first_of_pair = step_count < len(steps)
        if is_first_of_pair and not isinstance(steps[0], orders.TurnOrder):
            is_astern = isinstance(steps[0], orders.BackOrder)
            after = moves.sail_ship(position, before, _half_allowance(before, steps[0]), astern=is_astern)
        else:
            after = moves.carry_out_manoeuvre(position, ship, steps[:step_count]).ship
        has_turned = after.heading != before.heading
        has_moved = (after.x, after.y) != (before.x, before.y)
        if has_turned and has_moved:
            yield Pose(before.x, before.y, after.heading)
        if has_turned or has_moved:
            yield pose_of(after)
        before = after


def _half_allowance(ship: Ship, step: orders.Manoeuvre) -> float:
    """Return the inches of one move of a bireme's pair: those of the step, at most half the allowance."""
    allowance = ship.reverse_allowance if isinstance(step, orders.BackOrder) else ship.forward_allowance
    max_inches = moves.PAIR_MOVE_SHARE * allowance
    inches = getattr(step, "inches", None)
    return max_inches if inches is None else min(inches, max_inches)


def _attack_course(position: Position, ship: Ship, alternative: orders.Alternative, order: str) -> PlannedCourse:
    attack = alternative.attack
    assert attack is not None  # noqa: S101 - callers have checked it
    aimed = aim.aim_attack(position, ship, alternative)
    kind: Any = sheets.format_step(attack).split()[0]
    course = PlannedCourse(
        order=order, kind=kind, path=(pose_of(ship),), target=attack.target, ignite=alternative.is_igniting
    )
    if aimed.attack is None:
        return structs.replace(course, rule=aimed.rule, why=find_hindrance(position, ship, attack, aimed.rule))
    target = position.ship_by_id(attack.target)
    modifier, results = modifier_and_odds(position, ship, target, attack, aimed.attack)
    path = tuple(attack_path(ship, attack, aimed.attack))
    return structs.replace(course, path=path, run=aimed.attack.run, modifier=modifier, odds=results)


def attack_path(ship: Ship, attack: orders.AttackOrder, aimed: LegalAttack) -> Iterator[Pose]:
    """Yield the poses of an attack: start, pivot, end of the run and, except for a ram, the place alongside."""
    yield pose_of(ship)
    if aimed.veer:
        yield Pose(ship.x, ship.y, aimed.heading)
    forward = forward_vector(aimed.heading)
    if aimed.run:
        x, y = ship.x + forward.x * aimed.run, ship.y + forward.y * aimed.run
        yield pose_of(moves.place_ship(ship, x, y, aimed.heading))
    if isinstance(attack, orders.RamOrder):
        return
    x, y, heading = aimed.beside
    ship_alongside = moves.place_ship(ship, x, y, heading)
    yield pose_of(ship_alongside)
    if isinstance(attack, orders.SwipeOrder):
        yield pose_of(moves.shift_ship(ship_alongside, forward_vector(heading), attack.past))


def modifier_and_odds(
    position: Position, ship: Ship, target: Ship, attack: orders.AttackOrder, aimed: LegalAttack
) -> tuple[int, tuple[ResultChance, ...]]:
    match attack:
        case orders.RamOrder():
            return aimed.modifier, odds.ram_chances(aimed.modifier)
        case orders.SwipeOrder():
            modifier = modifiers.total(modifiers.swipe_modifiers(ship, target))
            return modifier, odds.swipe_chances(modifier)
    modifier = modifiers.total(modifiers.grapple_modifiers(ship, target))
    return modifier, odds.grapple_chances(modifier, automatic=position.is_immobile(target))


def _position_after(position: Position, ship: Ship, alternative: orders.Alternative, course: PlannedCourse) -> Position:
    """Return the position after an alternative, as far as no die decides it."""
    end = course.path[-1]
    if course.kind == "ram" and alternative.attack:
        # a rammer stops short of an enemy that neither sinks nor holds it
        aimed = aim.aim_attack(position, ship, alternative).attack
        forward = forward_vector(end.heading)
        if aimed:
            inches = aimed.stop_if_not_sunk
            end = Pose(ship.x + forward.x * inches, ship.y + forward.y * inches, end.heading)
    moved_ship = moves.place_ship(ship, end.x, end.y, end.heading)
    if course.kind == "exit":
        moved_ship = structs.replace(moved_ship, status="withdrawn")
    if course.ignite:
        moved_ship = fire.ship_as_fireship(moved_ship)
    return with_ship(position, moved_ship)
