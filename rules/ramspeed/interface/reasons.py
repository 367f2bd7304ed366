"""One true reason for an answer, from what a seat sees: what it promises, as things stand."""

from __future__ import annotations

from typing import NamedTuple

from rules.core.finding import find_nearest
from rules.core.view import Text
from rules.interface.choosing import Choice
from rules.ramspeed.engine import odds
from rules.ramspeed.engine.geometry import aim, hulls, moves
from rules.ramspeed.engine.orders import OrderLine
from rules.ramspeed.engine.phases import missiles
from rules.ramspeed.engine.state import Position, Ship, with_ship
from rules.ramspeed.interface import preview
from rules.ramspeed.interface.answers import Answer, EndPlayerTurn, LiveOrder, SheetOrders, StandingChange
from rules.ramspeed.interface.preview import PlannedSheet
from rules.ramspeed.interface.view import PlannedCourse, SeaView


def reason_for(view: SeaView, answer: Answer) -> Text:
    """The reason for an answer, from what its seat sees."""
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
    """An attack that is ordered, and the run-up that it takes in inches."""

    kind: str
    ship: str
    target: str
    run_in: float


def best_attack(position: Position, lines: tuple[OrderLine, ...]) -> OrderedAttack | None:
    """The attack that does harm likeliest as things stand, of those that are tried first; None: there is none."""
    ways = [(ship, way) for ship, way in _first_courses(position, preview.plan_lines(position, lines)) if way.target]
    if not ways:
        return None
    ship, way = max(ways, key=lambda found: odds.harm_chance(found[1].odds))
    return OrderedAttack(way.kind, ship.id, way.target or "", way.run)


def _first_courses(position: Position, planned: PlannedSheet) -> list[tuple[Ship, PlannedCourse]]:
    """What each ship does as things stand: her first alternative that is legal."""
    legal = ((line.ship, [way for way in line.courses if not way.rule]) for line in planned.lines)
    return [(position.ship_by_id(name), found[0]) for name, found in legal if found]


def _lines_reason(position: Position, lines: tuple[OrderLine, ...]) -> Text:
    """The best attack among them, a shot, what a move is good for, men that go over, or how much nearer she comes."""
    planned = preview.plan_lines(position, lines)
    ways = _first_courses(position, planned)
    if best := best_attack(position, lines):
        beside = "" if best.run_in else ".beside"
        return Text(f"reason.{best.kind}{beside}", {"ship": best.ship, "to": best.target, "run": best.run_in})
    if shot := next(filter(None, (_shot_reason(position, ship, way) for ship, way in ways)), None):
        return shot
    moving = [(ship, way) for ship, way in ways if len(way.path) > 1 and way.kind == "move"]
    for reached in (_safety_reason, _threat_reason):
        for ship, _ in moving:
            if found := reached(position, planned.position, ship):
                return found
    for ship, way in ways:
        if way.crew and way.transfer:
            return Text("reason.crew", {"ship": ship.id, "to": way.transfer})
    return _approach_reason(position, *moving[0]) if moving else _staying_reason(position, [ship for ship, _ in ways])


def _staying_reason(position: Position, ships: list[Ship]) -> Text:
    """Why nobody does anything: they fight hand to hand, or nothing is better."""
    fighting = tuple(
        Text("lines.ship", {"ship": ship.id}) for ship in ships if ship.crew and position.is_locked(ship.id)
    )
    return Text("reason.locked", {"ships": fighting}) if fighting else Text("reason.stay")


def _shot_reason(position: Position, ship: Ship, way: PlannedCourse) -> Text | None:
    """The shot of an alternative, if it is within reach from where she takes it, as things stand."""
    if not (way.shot and way.shot_from):
        return None
    there = moves.place_ship(ship, *way.shot_from)
    after = with_ship(position, there)
    if missiles.shot_forbidden_by(after, there, after.ship_by_id(way.shot)):
        return None
    return Text(
        "reason.shot",
        {"ship": ship.id, "to": way.shot, "away": hulls.measured_distance(there, after.ship_by_id(way.shot))},
    )


def _safety_reason(position: Position, after: Position, ship: Ship) -> Text | None:
    """An enemy could ram her where she lies; none could, if all stayed, where she goes."""
    dangers = _enemies_that_could_ram(position, ship)
    if not dangers or _enemies_that_could_ram(after, after.ship_by_id(ship.id)):
        return None
    return Text("reason.safer", {"ship": ship.id, "to": dangers[0].id})


def _enemies_that_could_ram(position: Position, ship: Ship) -> list[Ship]:
    """The enemies that could ram a ship as things stand, veering if need be."""
    return [enemy for enemy in position.enemies(ship) if aim.aim_ram(position, enemy, ship.id).attack]


def _threat_reason(_: Position, after: Position, ship: Ship) -> Text | None:
    """She could ram an enemy next turn, if that ship stayed."""
    there = after.ship_by_id(ship.id)
    targets = [enemy for enemy in after.enemies(there) if aim.aim_ram(after, there, enemy.id).attack]
    if not targets:
        return None
    best = max(targets, key=lambda enemy: enemy.ship_class.value)
    return Text("reason.threat", {"ship": ship.id, "to": best.id})


def _approach_reason(position: Position, ship: Ship, way: PlannedCourse) -> Text:
    """How far she lies from the nearest enemy, before and after."""
    found = find_nearest(position.enemies(ship), lambda other: hulls.measured_distance(ship, other))
    if found is None:
        return Text("reason.stay")
    before, goal = found
    after = hulls.measured_distance(moves.place_ship(ship, *way.path[-1]), goal)
    kind = "nearer" if after < before else "turned" if after == before else "clear"
    return Text(f"reason.{kind}", {"ship": ship.id, "to": goal.id, "before": before, "after": after})
