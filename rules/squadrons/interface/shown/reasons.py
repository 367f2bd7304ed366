"""Reasons for answers and texts about the only Admiral, from the position that a seat sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rules.core.view import Text
from rules.geometry.hexes import Hex
from rules.interface.question import Choice
from rules.squadrons.engine.notation.orders import OrderLine, Speed
from rules.squadrons.engine.odds import RollOdds
from rules.squadrons.engine.sea import grid
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.drafts.answers import ActivationOrder, Answer, Deployment, OrderSheet, Roster, SheetLine
from rules.squadrons.interface.preview import attack_plans, track_preview
from rules.squadrons.interface.preview.view import FleetView

NEAR_HEXES: Final = 2  # enemies within this distance endanger an Admiral's ship
_MAX_NAMED: Final = 3  # of these enemies in one sentence


def only_admirals_ship(position: Position, side: str) -> Ship | None:
    """Return the ship of a side's only Admiral; None if the side has several or none afloat."""
    admirals = position.admirals(side)
    ship = position.ships_by_id.get(admirals[0].ship) if len(admirals) == 1 else None
    return ship if ship and ship.is_afloat else None


def admiral_goal(position: Position, side: str) -> Text | None:
    ship = only_admirals_ship(position, side)
    return Text("goal.admiral", {"ship": ship.id}) if ship else None


def admiral_danger(position: Position, side: str) -> Text | None:
    ship = only_admirals_ship(position, side)
    enemies = enemies_near(position, ship, ship.hexes) if ship else ()
    return Text("score.admiral", {"ship": ship.id, "foes": enemies}) if ship and enemies else None


def enemies_near(position: Position, ship: Ship, hexes: tuple[Hex, ...]) -> tuple[Text, ...]:
    """Return the nearest enemies of a ship within `NEAR_HEXES` of these hexes, at most `_MAX_NAMED`."""
    enemies = attack_plans.enemies_by_distance(position, ship)
    names = [enemy.id for enemy in enemies if grid.hex_distance(hexes, enemy.hexes) <= NEAR_HEXES]
    return tuple(Text("who.ship", {"ship": name}) for name in names[:_MAX_NAMED])


# choices with a text of their own
_KNOWN_CHOICES: Final = frozenset({"fwd", "back", "no", "stay", "return", "threat", "on", "off", "first", "second"})


class OrderedAttack(NamedTuple):
    kind: str  # of attack, such as `ram`
    ship: str  # id of the attacker
    target: str  # id of the enemy
    odds: RollOdds


def reason_for(view: FleetView, answer: Answer) -> Text:
    match answer:
        case OrderSheet():
            return _with_admiral_warning(view, answer, _sheet_reason(view.position, answer))
        case ActivationOrder():
            return _with_admiral_warning(view, answer.sheet, _sheet_reason(view.position, answer.sheet))
        case Choice(choice):
            return Text("reason.choice", {"choice": (_choice_reason(choice),)})
        case Roster():
            return Text("reason.fleet")
        case Deployment():
            return Text("reason.place")


def _choice_reason(choice: str) -> Text:
    if choice[:1].isdigit():
        return Text("chosen.place", {"to": choice})
    return Text(f"chosen.{choice}") if choice in _KNOWN_CHOICES else Text("order.typed", {"orders": choice})


def best_attack(position: Position, sheet: OrderSheet) -> OrderedAttack | None:
    """Return the likeliest attack on a sheet if nobody else moves; None if it orders none."""
    attacks = [attack for entry in sheet.lines for attack in _first_attacks(position, sheet, entry)]
    return max(attacks, key=lambda attack: attack.odds.chance, default=None)


def _sheet_reason(position: Position, sheet: OrderSheet) -> Text:
    if best := best_attack(position, sheet):
        return Text(f"reason.{best.kind}", {"ship": best.ship, "to": best.target, "need": best.odds.natural_need})
    for entry in sheet.lines:
        ship = position.ships_by_id.get(entry.target)
        if ship is None or not ship.is_afloat or not entry.line.steps:
            continue
        if enemies := attack_plans.enemies_by_distance(position, ship):
            nearest = enemies[0]
            place = attack_plans.end_place(position, ship, entry.line)
            before = grid.hex_distance(ship.hexes, nearest.hexes)
            after = grid.hex_distance(place.covered_hexes(ship.size), nearest.hexes)
            kind = "nearer" if after < before else "turns"
            return Text(f"reason.{kind}", {"ship": ship.id, "to": nearest.id, "before": before, "after": after})
    return Text("reason.stay")


def _with_admiral_warning(view: FleetView, sheet: OrderSheet, reason: Text) -> Text:
    position = view.position
    ship = only_admirals_ship(position, view.side) if view.side else None
    if ship is None:
        return reason
    line = next((entry.line for entry in sheet.lines if entry.target == ship.id), None)
    end_place = attack_plans.end_place(position, ship, line) if line else ship.place
    enemies = enemies_near(position, ship, end_place.covered_hexes(ship.size))
    return Text("reason.admiral", {"first": (reason,), "ship": ship.id, "foes": enemies}) if enemies else reason


def _first_attacks(position: Position, sheet: OrderSheet, entry: SheetLine) -> Iterator[OrderedAttack]:
    """Yield the first attack of a ship's line other than a shot, at the speed of the sheet."""
    ship = position.ships_by_id.get(entry.target)
    if ship is None or not ship.is_afloat:
        return
    position_at_speed, _ = attack_plans.set_speed(position, ship, _speed_in_sheet(sheet, ship.id, ship.speed))
    line = OrderLine(ship.id, entry.line.steps, entry.line.alternative, entry.line.mp)
    walk = track_preview.begin_walk(position_at_speed, line)
    for step in track_preview.walk_steps(walk, line.steps):
        for attack, target, odds in track_preview.attacks_of_step(walk, step):
            if attack != "fire":
                yield OrderedAttack(attack, ship.id, target, odds)
                return


def _speed_in_sheet(sheet: OrderSheet, name: str, current: Speed) -> Speed:
    """Return the speed that a sheet sets for a ship, else for all, else her present one; the last choice counts."""
    own_speeds = [choice.speed for choice in sheet.speed_choices if choice.target == name]
    common_speeds = [choice.speed for choice in sheet.speed_choices if choice.target == "all"]
    return (own_speeds or common_speeds or [current])[-1]
