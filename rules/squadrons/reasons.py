"""One true reason for an answer, from what a seat sees: what it promises, as things stand."""

from __future__ import annotations

from collections.abc import Sequence

from rules.squadrons import grid, plans
from rules.squadrons.answers import Activation, Answer, Choice, Sheet
from rules.squadrons.plans import Plan
from rules.squadrons.state import Position
from rules.squadrons.view import FleetView
from rules.view import Text


def reason(view: FleetView, answer: Answer) -> Text:
    """Say why."""
    match answer:
        case Sheet():
            return _of_sheet(view.position, answer)
        case Activation():
            return _of_sheet(view.position, answer.sheet)
        case Choice(choice):
            return Text("reason.choice", {"choice": choice})
    return Text("reason.stay")


def _of_sheet(position: Position, sheet: Sheet) -> Text:
    """The likeliest attack that it orders, or else how much nearer a ship comes."""
    found = [plan for entry in sheet.entries for plan in _meant(position, entry.target, entry.line.steps)]
    if found:
        plan = max(found, key=lambda one: one.odds.chance)
        return Text(
            f"reason.{plan.attack}",
            {"ship": plan.ship, "to": plan.target, "chance": plan.odds.chance, "need": plan.odds.bare},
        )
    for entry in sheet.entries:
        ship = position.by_id.get(entry.target)
        enemies = plans.enemies(position, ship) if ship and ship.afloat and entry.line.steps else []
        if ship and enemies:
            goal = enemies[0]
            place = plans.end_of(position, ship, entry.line)
            before = grid.distance(ship.hexes, goal.hexes)
            after = grid.distance(place.hexes(ship.size), goal.hexes)
            kind = "nearer" if after < before else "turns"
            return Text(f"reason.{kind}", {"ship": ship.id, "to": goal.id, "before": before, "after": after})
    return Text("reason.stay")


def _meant(position: Position, name: str, steps: Sequence[object]) -> list[Plan]:
    """The plan of an attack that is just this line."""
    if name not in position.by_id or not position.ship(name).afloat:
        return []
    every = [plan for speed in ("C", "M") for plan in plans.attacks(position, name, speed)]
    return [plan for plan in every if plan.steps == tuple(steps)]
