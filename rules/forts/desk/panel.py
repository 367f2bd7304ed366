"""What may be pressed for a ship: where she sails and what she shoots at, in orders and in plans alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final

from rules.errors import Fault
from rules.forts.table import sailing
from rules.forts.table.fire import Line
from rules.forts.table.state import Action, Code, Move, Position, Ship, Shots, Target
from rules.panels import MOST_OPTIONS, buttons, select
from rules.protocol import Draft, Group, Option
from rules.view import Text

_SAIL_GROUPS: Final = ("sail", "sail_farther", "sail_far", "sail_farthest")
"""As many as five moves over open sea need."""
_DONE: Final = Fault(kind="illegal", code="ship_done", rule="NB-04.3")

DraftOf = Callable[[Action], str]
"""The draft after an action was pressed."""


def ship_group(
    ships: Iterable[Ship], current: str, draft_of: Callable[[Code], Draft], done: Collection[str] = ()
) -> Group:
    """A captain's ships, to choose which one to give orders to; those that are `done` can do nothing more."""
    return buttons(
        "ship",
        (
            Option(
                f"ship.{ship.code}",
                Text("choice.ship", {"ship": ship.code, "hex": ship.hex}),
                *draft_of(ship.code),
                chosen=ship.code == current,
                fault=_DONE if ship.code in done else None,
            )
            for ship in ships
        ),
    )


def sail_groups(position: Position, ship: Ship, draft_of: DraftOf, *, seals: bool) -> Iterator[Group]:
    """All hexes that a ship may sail to, the nearest first."""
    reach = sailing.reach(position, ship)
    steps = dict(zip(reach.hexes, reach.steps, strict=True))
    for number, key in enumerate(_SAIL_GROUPS):
        part = reach.hexes[MOST_OPTIONS * number :][:MOST_OPTIONS]
        labels = sorted(part, key=lambda label: (steps[label], label[0], int(label[1:])))
        said = {label: Text("choice.sail", {"hex": label, "steps": steps[label]}) for label in labels}
        moves = {label: draft_of(Move(ship.code, label)) for label in labels}
        yield select(key, (Option(f"to.{label}", said[label], moves[label], seals=seals) for label in labels))


def shots(
    ship: Ship, lines: Sequence[Line], draft_of: DraftOf, why_not: Callable[[Action], Fault | None]
) -> Iterator[Option]:
    """The enemies within range: one shot at each, and all that are left; those that are covered say by what."""
    for line in lines:
        code: Code = line.to[1:]  # type: ignore[assignment] # what an id ends in is a code
        for most in (1, 0) if ship.shots > 1 and line.need else (1,):
            action = Shots(ship.code, (Target(code, most),))
            key = ("choice.shoot_one" if most else "choice.shoot_all") if line.need else "choice.shoot_blocked"
            label = Text(key, {"target": code, "hex": line.end, "need": line.need})
            yield Option(f"at.{code}.{most}", label, draft_of(action), fault=why_not(action), seals=True)


def aims(ship: Ship, enemies: Iterable[Ship], draft_of: DraftOf) -> Iterator[Option]:
    """All enemies, to shoot at them when the time comes."""
    for enemy in enemies:
        for most in (1, 0) if ship.kind.shots > 1 else (0,):
            label = Text("choice.aim_one" if most else "choice.aim_all", {"target": enemy.code, "hex": enemy.hex})
            yield Option(f"at.{enemy.code}.{most}", label, draft_of(Shots(ship.code, (Target(enemy.code, most),))))
