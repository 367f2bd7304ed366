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
from rules.ramspeed.interface.order_drafts import Answer, EndPlayerTurn, LiveOrder, SheetOrders, StandingChange
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
        case StandingChange():
            return Text("reason.doctrine")


class OrderedAttack(NamedTuple):
    kind: str
    ship: str
    target: str
    run_in: float


def best_attack(position: Position, lines: tuple[OrderLine, ...]) -> OrderedAttack | None:
    """Return the attack that is most likely to do harm, of the first legal alternatives, or None."""
    ways = [(ship, way) for ship, way in _first_courses(position, preview.plan_lines(position, lines)) if way.target]
    if not ways:
        return None
    ship, way = max(ways, key=lambda pair: odds.harm_chance(pair[1].odds))
    return OrderedAttack(way.kind, ship.id, way.target or "", way.run)


def _first_courses(position: Position, planned: PlannedSheet) -> list[tuple[Ship, PlannedCourse]]:
    legal = ((line.ship, [way for way in line.courses if not way.rule]) for line in planned.lines)
    return [(position.ship_by_id(name), courses[0]) for name, courses in legal if courses]


def _lines_reason(position: Position, lines: tuple[OrderLine, ...]) -> Text:
    """Return the best attack as the reason; else a shot, the use of a move, a transfer, or the enemy's distance."""
    planned = preview.plan_lines(position, lines)
    ways = _first_courses(position, planned)
    if best := best_attack(position, lines):
        beside = "" if best.run_in else ".beside"
        return Text(f"reason.{best.kind}{beside}", {"ship": best.ship, "to": best.target, "run": best.run_in})
    if shot := next(filter(None, (_shot_reason(position, ship, way) for ship, way in ways)), None):
        return shot
    moving = [(ship, way) for ship, way in ways if len(way.path) > 1 and way.kind == "move"]
    for find_reason in (_safety_reason, _threat_reason):
        for ship, _ in moving:
            if reason := find_reason(position, planned.position, ship):
                return reason
    for ship, way in ways:
        if way.crew and way.transfer:
            return Text("reason.crew", {"ship": ship.id, "to": way.transfer})
    return _approach_reason(position, *moving[0]) if moving else _staying_reason(position, [ship for ship, _ in ways])


def _staying_reason(position: Position, ships: list[Ship]) -> Text:
    fighting = tuple(
        Text("lines.ship", {"ship": ship.id}) for ship in ships if ship.crew and position.is_locked(ship.id)
    )
    return Text("reason.locked", {"ships": fighting}) if fighting else Text("reason.stay")


def _shot_reason(position: Position, ship: Ship, way: PlannedCourse) -> Text | None:
    if not (way.shot and way.shot_from):
        return None
    shooter = moves.place_ship(ship, *way.shot_from)
    after = with_ship(position, shooter)
    if fire.shot_forbidden_by(after, shooter, after.ship_by_id(way.shot)):
        return None
    return Text(
        "reason.shot",
        {"ship": ship.id, "to": way.shot, "away": hulls.measured_distance(shooter, after.ship_by_id(way.shot))},
    )


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


def _approach_reason(position: Position, ship: Ship, way: PlannedCourse) -> Text:
    nearest = find_nearest(position.enemies(ship), lambda other: hulls.measured_distance(ship, other))
    if nearest is None:
        return Text("reason.stay")
    before, goal = nearest
    after = hulls.measured_distance(moves.place_ship(ship, *way.path[-1]), goal)
    kind = "nearer" if after < before else "turned" if after == before else "clear"
    return Text(f"reason.{kind}", {"ship": ship.id, "to": goal.id, "before": before, "after": after})
