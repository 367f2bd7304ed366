"""One true reason for an answer, from what a seat sees: what it promises, as things stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rules.choosing import Choice
from rules.squadrons.desk.drafts.answers import Activation, Answer, Deployment, Entry, Roster, Sheet
from rules.squadrons.desk.preview import attack_plans, track_preview
from rules.squadrons.desk.preview.view import FleetView
from rules.squadrons.desk.shown import guarding
from rules.squadrons.table.notation.orders import Line, Speed
from rules.squadrons.table.odds import Odds
from rules.squadrons.table.sea import grid
from rules.squadrons.table.sea.state import Position
from rules.view import Text

_CHOICES: Final = frozenset({"fwd", "back", "no", "stay", "return", "threat", "on", "off", "first", "second"})


class Hope(NamedTuple):
    """An attack that is ordered."""

    kind: str
    ship: str
    target: str
    odds: Odds


def reason(view: FleetView, answer: Answer) -> Text:
    """The sentence that says why."""
    match answer:
        case Sheet():
            return _guarded(view, answer, _of_sheet(view.position, answer))
        case Activation():
            return _guarded(view, answer.sheet, _of_sheet(view.position, answer.sheet))
        case Choice(choice):
            return Text("reason.choice", {"choice": (_chosen(choice),)})
        case Roster():
            return Text("reason.fleet")
        case Deployment():
            return Text("reason.place")


def _chosen(choice: str) -> Text:
    """A choice in words: a place to back off to, one of those that doctrines know, or what was typed."""
    if choice[:1].isdigit():
        return Text("chosen.place", {"to": choice})
    return Text(f"chosen.{choice}") if choice in _CHOICES else Text("order.typed", {"orders": choice})


def best_attack(position: Position, sheet: Sheet) -> Hope | None:
    """The likeliest attack that a sheet orders, if all lie still until then; None: it orders none."""
    hopes = [hope for entry in sheet.entries for hope in _hopes(position, sheet, entry)]
    return max(hopes, key=lambda one: one.odds.chance, default=None)


def _of_sheet(position: Position, sheet: Sheet) -> Text:
    """The likeliest attack that it orders, or else how much nearer a ship comes."""
    if best := best_attack(position, sheet):
        return Text(f"reason.{best.kind}", {"ship": best.ship, "to": best.target, "need": best.odds.bare})
    for entry in sheet.entries:
        ship = position.by_id.get(entry.target)
        enemies = attack_plans.enemies(position, ship) if ship and ship.afloat and entry.line.steps else []
        if ship and enemies:
            goal = enemies[0]
            place = attack_plans.end_of(position, ship, entry.line)
            before = grid.distance(ship.hexes, goal.hexes)
            after = grid.distance(place.hexes(ship.size), goal.hexes)
            kind = "nearer" if after < before else "turns"
            return Text(f"reason.{kind}", {"ship": ship.id, "to": goal.id, "before": before, "after": after})
    return Text("reason.stay")


def _guarded(view: FleetView, sheet: Sheet, found: Text) -> Text:
    """The same, and that the Admiral's ship is near enemies where the sheet leaves her, if they lie still."""
    position = view.position
    ship = guarding.flagship(position, view.side) if view.side else None
    if ship is None:
        return found
    line = next((entry.line for entry in sheet.entries if entry.target == ship.id), None)
    there = attack_plans.end_of(position, ship, line) if line else ship.place
    foes = guarding.near(position, ship, there.hexes(ship.size))
    return Text("reason.admiral", {"first": (found,), "ship": ship.id, "foes": foes}) if foes else found


def _hopes(position: Position, sheet: Sheet, entry: Entry) -> Iterator[Hope]:
    """The first attack of a ship's line, at the speed that the sheet sets, if all lie still until then."""
    ship = position.by_id.get(entry.target)
    if ship is None or not ship.afloat:
        return
    lying, _ = attack_plans.set_speed(position, ship, _speed(sheet, ship.id, ship.speed))
    line = Line(ship.id, entry.line.steps, entry.line.alternative, entry.line.mp)
    walk = track_preview.begun(lying, line)
    for step in track_preview.carried_out(walk, line.steps):
        for attack, target, odds in track_preview.attacks_by(walk, step):
            if attack != "fire":
                yield Hope(attack, ship.id, target, odds)
                return


def _speed(sheet: Sheet, name: str, now: Speed) -> Speed:
    """The speed that a sheet sets for a ship, the last word on her; without any she keeps hers."""
    named = [pace.speed for pace in sheet.paces if pace.target == name]
    common = [pace.speed for pace in sheet.paces if pace.target == "all"]
    return (named or common or [now])[-1]
