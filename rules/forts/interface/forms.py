"""The form for a player-turn: what each ship does, in one list a ship, and whether the turn ends (NB part 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import Scalar
from rules.core.protocol import Form, FormField, FormLine
from rules.core.view import Text
from rules.forts.engine import actions, fire, sailing, turn
from rules.forts.engine.boards import all_hexes
from rules.forts.engine.fire import FireLine
from rules.forts.engine.state import Action, MoveOrder, Position, Ship, ShootOrder, Target
from rules.geometry import hexes
from rules.interface.panels import list_field

_MAX_SHIPS: Final = 4
"""Of a captain; the fifth list of the form says whether the turn ends."""
_MAX_ENTRIES: Final = 24
"""In a list, besides doing nothing; all hexes and shots stand in the panel's own lists."""


def turn_forms(position: Position) -> tuple[Form, ...]:
    """The form, if at least two of the active captain's ships can do anything."""
    mine = position.ships_of(position.active_colour)[:_MAX_SHIPS]
    fields = [field for ship in mine if (field := _ship_field(position, ship))]
    if len(fields) < 2:
        return ()
    end = FormLine("end", Text("choice.end"), "end", is_chosen=True)
    then = list_field(Text("field.then"), Text("choice.go_on"), [end], token="on")  # noqa: S106 - no secret
    return (Form(token="turn", label=Text("form.turn"), fields=(*fields, then), separator="; "),)  # noqa: S106 - no secret


def _ship_field(position: Position, ship: Ship) -> FormField | None:
    """What a ship may do; None if that is nothing."""
    entries = [*_shot_lines(ship, fire.fire_lines(position, ship))]
    entries += _sail_lines(position, ship, _MAX_ENTRIES - len(entries))
    if not entries:
        return None
    stay = Text("choice.stay", {"hex": ship.hex})
    return list_field(Text("field.ship", {"ship": ship.code, "hex": ship.hex}), stay, entries, "stay")


def _shot_lines(ship: Ship, lines: Sequence[FireLine]) -> Iterator[FormLine]:
    """The enemies at which she may shoot from where she lies, and with how many shots."""
    for line in (line for line in lines if line.need):
        for most in (1, 0) if ship.shots > 1 else (1,):
            key = "choice.shoot_one" if most else "choice.shoot_all"
            label = Text(key, {"target": line.to[1:], "hex": line.end, "need": line.need})
            yield _form_line(f"at.{line.to[1:]}.{most}", label, _shots_along(ship, line, most))


def _sail_lines(position: Position, ship: Ship, most: int) -> Iterator[FormLine]:
    """Where she may sail, of more hexes than that those nearest to an enemy; she shoots from there if she can."""
    reach = sailing.current_reach(position, ship)
    there = all_hexes(position.board)
    foes = [there[other.hex] for other in position.ships if other.colour != ship.colour]
    steps = dict(zip(reach.hexes, reach.steps, strict=True))
    near = {label: min((hexes.hex_distance(there[label], foe) for foe in foes), default=0) for label in steps}
    kept = sorted(steps, key=lambda label: (near[label], steps[label], label))[:most]
    for label in sorted(kept, key=lambda label: (label[0], int(label[1:]))):
        sail = MoveOrder(ship.code, label)
        moved = structs.replace(ship, hex=label)
        lines = [line for line in fire.fire_lines(turn.with_ship(position, moved), moved) if line.need]
        best = min(lines, key=lambda line: (line.need, line.to), default=None)
        said: dict[str, Scalar] = {"hex": label, "steps": steps[label]}
        if best:
            text = Text("choice.sail_shoot", {**said, "target": best.to[1:], "need": best.need})
            yield _form_line(f"to.{label}", text, sail, _shots_along(ship, best, 0))
        else:
            yield _form_line(f"to.{label}", Text("choice.sail", said), sail)


def _shots_along(ship: Ship, line: FireLine, most: int) -> ShootOrder:
    return ShootOrder(ship.code, (Target(line.to[1:], most),))  # type: ignore[arg-type] # what an id ends in is a code


def _form_line(token: str, label: Text, *todo: Action) -> FormLine:
    return FormLine(token, label, actions.format_actions(todo))
