"""One true reason for an answer, from what a seat sees: what it promises, as things stand."""

from __future__ import annotations

from rules.errors import Scalar
from rules.ramspeed import moves, odds, plans
from rules.ramspeed.answers import Act, Answer, Choice, Done, Orders, Standing
from rules.ramspeed.orders import Line
from rules.ramspeed.state import Position, Ship
from rules.ramspeed.view import PlannedLine, SeaView, Way
from rules.view import Text


def reason(view: SeaView, answer: Answer) -> Text:
    """Say why."""
    match answer:
        case Orders(sheet):
            return _of_lines(view.position, sheet.lines)
        case Act(line):
            return _of_lines(view.position, (line,))
        case Done():
            return Text("reason.done")
        case Choice():
            return Text("reason.choice")
        case Standing():
            return Text("reason.doctrine")


def _of_lines(position: Position, lines: tuple[Line, ...]) -> Text:
    """The best attack among them, or else how much nearer the first that moves comes."""
    planned = plans.planned(position, lines).lines
    attacks = [(line, way) for line in planned for way in _first(line) if way.to]
    if attacks:
        line, way = max(attacks, key=lambda found: _hope(found[1]))
        hope: dict[str, Scalar] = {"percent": _hope(way), "ship": line.ship, "to": way.to or "", "run": way.run}
        return Text(f"reason.{way.kind}", hope)
    for line in planned:
        for way in _first(line):
            if len(way.path) > 1 and way.kind == "move":
                return _nearer(position, position.ship(line.ship), way)
    return Text("reason.stay")


def _first(line: PlannedLine) -> tuple[Way, ...]:
    """Its first alternative that is legal as things stand."""
    return tuple(way for way in line.ways if not way.rule)[:1]


def _hope(way: Way) -> float:
    """The chance that an attack does real harm."""
    return odds.chance(way.odds, "sunk", "stuck", "dead", "bank", "linked")


def _nearer(position: Position, ship: Ship, way: Way) -> Text:
    """How far she lies from the nearest enemy, before and after."""
    side = position.side_of(ship)
    enemies = [other for other in position.ships if other.afloat and position.side_of(other) != side]
    if not enemies:
        return Text("reason.stay")
    goal = min(enemies, key=lambda other: (plans.gap(position, ship, other.id), other.id))
    before = plans.gap(position, ship, goal.id)
    after = plans.gap(position, moves.placed(ship, *way.path[-1]), goal.id)
    kind = "nearer" if after < before else "turned" if after == before else "clear"
    return Text(f"reason.{kind}", {"ship": ship.id, "to": goal.id, "before": before, "after": after})
