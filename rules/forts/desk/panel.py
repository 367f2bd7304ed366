"""What may be pressed for a ship: where she sails and what she shoots at, in orders and in plans alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from rules.errors import Fault
from rules.forts.table import actions, sailing
from rules.forts.table.fire import Line
from rules.forts.table.state import Action, Code, Move, Position, Ship, Shots, Target
from rules.protocol import Draft, Group, Option
from rules.view import Text

MOST_OPTIONS: Final = 25
"""In one group."""
_SAIL_GROUPS: Final = ("sail", "sail_farther", "sail_far", "sail_farthest")
"""As many as five moves over open sea need."""

_DONE: Final = Fault(kind="illegal", code="ship_done", rule="NB-04.3")

DraftOf = Callable[[Action], str]
"""The draft after an action was pressed."""


def ship_group(
    ships: Iterable[Ship], current: str, draft_of: Callable[[Code], Draft], done: Collection[str] = ()
) -> Group:
    """A captain's ships, to choose which one to give orders to; those that are `done` can do nothing more."""
    options = tuple(
        Option(
            token=f"ship.{ship.code}",
            label=Text("choice.ship", {"ship": ship.code, "hex": ship.hex}),
            draft=draft_of(ship.code).text,
            focus=draft_of(ship.code).focus,
            chosen=ship.code == current,
            fault=_DONE if ship.code in done else None,
        )
        for ship in ships
    )
    return Group(key="ship", style="buttons", options=options)


def sail_groups(position: Position, ship: Ship, draft_of: DraftOf, *, seals: bool) -> tuple[Group, ...]:
    """All hexes that a ship may sail to, the nearest first."""
    reach = sailing.reach(position, ship)
    steps = dict(zip(reach.hexes, reach.steps, strict=True))
    groups = []
    for number, key in enumerate(_SAIL_GROUPS):
        part = reach.hexes[MOST_OPTIONS * number :][:MOST_OPTIONS]
        if part:
            options = tuple(
                Option(
                    token=f"to.{label}",
                    label=Text("choice.sail", {"hex": label, "steps": steps[label]}),
                    draft=draft_of(Move(ship.code, label)),
                    seals=seals,
                )
                for label in sorted(part, key=lambda label: (steps[label], label[0], int(label[1:])))
            )
            groups.append(Group(key=key, style="select", options=options))
    return tuple(groups)


def shoot_group(
    ship: Ship, lines: Sequence[Line], draft_of: DraftOf, why_not: Callable[[Action], Fault | None]
) -> tuple[Group, ...]:
    """The enemies within range: one shot at each, and all that are left; those that are covered say by what."""
    options = []
    for line in lines:
        for most in (1, 0) if ship.shots > 1 and line.need else (1,):
            action = Shots(ship.code, (Target(_code(line.to), most),))
            key = ("choice.shoot_one" if most else "choice.shoot_all") if line.need else "choice.shoot_blocked"
            options.append(
                Option(
                    token=f"at.{_code(line.to)}.{most}",
                    label=Text(key, {"target": _code(line.to), "hex": line.end, "need": line.need}),
                    draft=draft_of(action),
                    fault=why_not(action),
                    seals=True,
                )
            )
    return (Group(key="shoot", style="select", options=tuple(options)),) if options else ()


def aim_group(ship: Ship, enemies: Iterable[Ship], draft_of: DraftOf) -> tuple[Group, ...]:
    """All enemies, to shoot at them when the time comes."""
    options = tuple(
        Option(
            token=f"at.{enemy.code}.{most}",
            label=Text("choice.aim_one" if most else "choice.aim_all", {"target": enemy.code, "hex": enemy.hex}),
            draft=draft_of(Shots(ship.code, (Target(enemy.code, most),))),
        )
        for enemy in enemies
        for most in ((1, 0) if ship.kind.shots > 1 else (0,))
    )
    return (Group(key="aim_at", style="select", options=options),) if options else ()


def line_of(action: Action) -> Text:
    """An action in words."""
    match action:
        case Move():
            return Text("line.sail", {"ship": action.ship, "hex": action.hex})
        case Shots():
            return Text("line.shoot", {"ship": action.ship, "targets": actions.write_one(action).partition("*")[2]})
    return Text("line.end")


def _code(ship_id: str) -> Code:
    return ship_id[1:]  # type: ignore[return-value] # what an id ends in is a code
