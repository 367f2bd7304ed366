"""Modifiers of dice, each with its cause (T3, T5, T6, T7, RS-11.4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from rules.core.view import Text
from rules.ramspeed.engine.geometry.hulls import ApproachZone
from rules.ramspeed.engine.state import Ship
from rules.ramspeed.engine.tables import CLASS_CODES, TABLES, ClassCode, Nation

Cause = Literal[
    "classes",
    "immobile",
    "oblique",
    "short_run",
    "long_run",
    "nation",
    "larger",
    "smaller",
    "target_larger",
    "target_smaller",
    "corvus",
    "strength",
    "missing",
]


class Modifier(Struct, frozen=True, omit_defaults=True):
    cause: Cause
    amount: int  # added to the dice
    inches: float = 0  # of the run
    men: int = 0  # whose number is the cause
    classes: tuple[ClassCode, ClassCode] | None = None  # of the attacker and its target
    nation: Nation | None = None

    @property
    def text(self) -> Text:
        """Return the amount and the cause, such as "+1 run of 5.88 in"."""
        attacker, target = self.classes or ("", "")
        classes = {"attacker": attacker, "target": target}
        params = {"amount": self.amount, "inches": self.inches, "men": self.men, "nation": self.nation or ""}
        return Text(f"modifier.{self.cause}", {**params, **classes})


def total(modifiers: Iterable[Modifier]) -> int:
    return sum(modifier.amount for modifier in modifiers)


def ram_modifiers(ship: Ship, target: Ship, zone: ApproachZone, run: float, *, held: bool) -> tuple[Modifier, ...]:
    """Return the modifiers of a ram (T3). `held`: the target is immobile (RS-08.7)."""
    table = TABLES.ram
    by_case = table.modifiers
    modifiers = [
        Modifier("classes", table.matrix[ship.code][CLASS_CODES.index(target.code)], classes=(ship.code, target.code))
    ]
    if held:
        modifiers.append(Modifier("immobile", by_case.immobile))
    if zone == "oblique":
        modifiers.append(Modifier("oblique", by_case.oblique))
    if run <= by_case.short_run:
        modifiers.append(Modifier("short_run", by_case.short, inches=run))
    elif run >= by_case.long_run:
        modifiers.append(Modifier("long_run", by_case.long, inches=run))
    modifiers.append(Modifier("nation", TABLES.nations[ship.nation].ram, nation=ship.nation))
    return _non_zero(modifiers)


def swipe_modifiers(ship: Ship, target: Ship) -> tuple[Modifier, ...]:
    """Return the modifiers of an oar swipe (T5)."""
    table = TABLES.swipe.modifiers
    modifiers = []
    if ship.ship_class.rank > target.ship_class.rank:
        modifiers.append(Modifier("larger", table.larger))
    elif ship.ship_class.rank < target.ship_class.rank:
        modifiers.append(Modifier("smaller", table.smaller))
    return _non_zero([*modifiers, Modifier("nation", TABLES.nations[ship.nation].swipe, nation=ship.nation)])


def grapple_modifiers(ship: Ship, target: Ship) -> tuple[Modifier, ...]:
    """Return the modifiers of the grappler's die (T6), including a corvus (RS-13.1)."""
    table = TABLES.grapple
    modifiers = []
    if target.ship_class.rank > ship.ship_class.rank:
        modifiers.append(Modifier("target_larger", table.target_larger))
    elif target.ship_class.rank < ship.ship_class.rank:
        modifiers.append(Modifier("target_smaller", table.target_smaller))
    return _non_zero([*modifiers, Modifier("corvus", table.corvus if ship.corvus else 0)])


def strength_modifiers(strength: int) -> tuple[Modifier, ...]:
    """Return what a side's men before a round of melee add to its dice or take off them (RS-11.4)."""
    row = next(row for row in TABLES.melee if strength >= row.least)
    missing = max(0, row.short_of - strength)
    return _non_zero([Modifier("strength", row.bonus, men=row.least), Modifier("missing", -missing, men=strength)])


def firefighting_modifiers(crew: int) -> tuple[Modifier, ...]:
    """Return what a crew adds to the die with which it fights a fire (RS-15.2)."""
    bonus = TABLES.extinguish
    return (Modifier("strength", bonus.bonus, men=bonus.crew),) if crew >= bonus.crew else ()


def _non_zero(modifiers: Iterable[Modifier]) -> tuple[Modifier, ...]:
    return tuple(modifier for modifier in modifiers if modifier.amount)
