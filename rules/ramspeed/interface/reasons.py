"""A true reason for an answer in one sentence, from what its seat sees now."""

from __future__ import annotations

from typing import NamedTuple

from rules.core.finding import find_nearest
from rules.core.view import Text
from rules.interface.question import Choice
from rules.ramspeed.engine import odds
from rules.ramspeed.engine.geometry import aim, hulls, moves
from rules.ramspeed.engine.orders import OrderLine
from rules.ramspeed.engine.phases import fire
from rules.ramspeed.engine.state import Position, Ship, with_ship
from rules.ramspeed.interface import preview
from rules.ramspeed.interface.fleet_drafts import ChosenFleet
from rules.ramspeed.interface.order_drafts import Answer, EndPlayerTurn, LiveOrder, SheetOrders, StandingChange
from rules.ramspeed.interface.placement_drafts import Placement
from rules.ramspeed.interface.preview import PlannedSheet
from rules.ramspeed.interface.view import PlannedCourse, SeaView


def reason_for(view: SeaView, answer: Answer) -> Text:
    match answer:
        case SheetOrders(sheet):
            return _lines_reason(view.position, sheet.lines)
        case LiveOrder(line):
            return _lines_reason(view.position, (line,))
        case EndPlayerTurn():
            return Text("reason.done")
        case Choice():
            return Text("reason.choice")
        case ChosenFleet() | Placement():
            return Text("reason.set_up")
        case StandingChange():
            return Text("reason.doctrine")


class OrderedAttack(NamedTuple):
    kind: str  # `ram`, `swipe` or `grapple`
    ship: str  # id of the attacker
    target: str  # id of the enemy
    run_in: float  # inches to the target


def best_attack(position: Position, lines: tuple[OrderLine, ...]) -> OrderedAttack | None:
    """Return the attack that is most likely to do harm, of the first legal alternatives, or None."""
    courses = _first_courses(position, preview.plan_lines(position, lines))
    attacks = [(ship, course) for ship, course in courses if course.target]
    if not attacks:
        return None
    ship, course = max(attacks, key=lambda attack: odds.harm_chance(attack[1].odds))
    return OrderedAttack(course.kind, ship.id, course.target or "", course.run)


def _first_courses(position: Position, planned: PlannedSheet) -> list[tuple[Ship, PlannedCourse]]:
    # each ship with the course of its first legal alternative
    legal_courses = [(line.ship, [course for course in line.courses if not course.rule]) for line in planned.lines]
    return [(position.ship_by_id(name), courses[0]) for name, courses in legal_courses if courses]


def _lines_reason(position: Position, lines: tuple[OrderLine, ...]) -> Text:
    """Return the best attack as the reason; else a shot, the use of a move, a transfer, or the enemy's distance."""
    planned = preview.plan_lines(position, lines)
    courses = _first_courses(position, planned)
    if best := best_attack(position, lines):
        beside = "" if best.run_in else ".beside"
        return Text(f"reason.{best.kind}{beside}", {"ship": best.ship, "to": best.target, "run": best.run_in})
    for ship, course in courses:
        if shot_reason := _shot_reason(position, ship, course):
            return shot_reason
    moving = [(ship, course) for ship, course in courses if len(course.path) > 1 and course.kind == "move"]
    for find_reason in (_safety_reason, _threat_reason):
        for ship, _ in moving:
            if reason := find_reason(position, planned.position, ship):
                return reason
    for ship, course in courses:
        if course.crew and course.transfer:
            return Text("reason.crew", {"ship": ship.id, "to": course.transfer})
    if moving:
        ship, course = moving[0]
        return _approach_reason(position, ship, course)
    return _staying_reason(position, [ship for ship, _ in courses])


def _staying_reason(position: Position, ships: list[Ship]) -> Text:
    fighting_ships = tuple(
        Text("lines.ship", {"ship": ship.id}) for ship in ships if ship.crew and position.is_locked(ship.id)
    )
    return Text("reason.locked", {"ships": fighting_ships}) if fighting_ships else Text("reason.stay")


def _shot_reason(position: Position, ship: Ship, course: PlannedCourse) -> Text | None:
    if not (course.shot and course.shot_from):
        return None
    shooter = moves.place_ship(ship, *course.shot_from)
    target = position.ship_by_id(course.shot)
    if fire.shot_forbidden_by(with_ship(position, shooter), shooter, target):
        return None
    distance = hulls.measured_distance(shooter, target)
    return Text("reason.shot", {"ship": ship.id, "to": course.shot, "away": distance})


def _safety_reason(position: Position, after: Position, ship: Ship) -> Text | None:
    """Return a reason if an enemy could ram the ship where it is, but none could after the move if all stayed."""
    dangers = _enemies_that_could_ram(position, ship)
    if not dangers or _enemies_that_could_ram(after, after.ship_by_id(ship.id)):
        return None
    return Text("reason.safer", {"ship": ship.id, "to": dangers[0].id})


def _enemies_that_could_ram(position: Position, ship: Ship) -> list[Ship]:
    return [enemy for enemy in position.enemies(ship) if aim.aim_ram(position, enemy, ship.id).attack]


def _threat_reason(_: Position, after: Position, ship: Ship) -> Text | None:
    moved_ship = after.ship_by_id(ship.id)
    targets = [enemy for enemy in after.enemies(moved_ship) if aim.aim_ram(after, moved_ship, enemy.id).attack]
    if not targets:
        return None
    best = max(targets, key=lambda enemy: enemy.ship_class.value)
    return Text("reason.threat", {"ship": ship.id, "to": best.id})


def _approach_reason(position: Position, ship: Ship, course: PlannedCourse) -> Text:
    nearest = find_nearest(position.enemies(ship), lambda other: hulls.measured_distance(ship, other))
    if nearest is None:
        return Text("reason.stay")
    distance_before, enemy = nearest
    moved_ship = moves.place_ship(ship, *course.path[-1])
    distance_after = hulls.measured_distance(moved_ship, enemy)
    kind = "nearer" if distance_after < distance_before else "turned" if distance_after == distance_before else "clear"
    return Text(f"reason.{kind}", {"ship": ship.id, "to": enemy.id, "before": distance_before, "after": distance_after})
