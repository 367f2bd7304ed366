"""The form for a player-turn: a list for each ship, and one for whether the turn ends (NB part 8)."""

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
"""A captain's ships; the fifth list of the form is for the end of the turn."""
_MAX_ENTRIES: Final = 24
"""Entries of a list besides doing nothing; the panel's own lists offer all hexes and shots."""


def turn_forms(position: Position) -> tuple[Form, ...]:
    """Return the form, if at least two of the active captain's ships can do anything."""
    mine = position.ships_of(position.active_colour)[:_MAX_SHIPS]
    fields = [field for ship in mine if (field := _ship_field(position, ship))]
    if len(fields) < 2:
        return ()
    end = FormLine("end", Text("choice.end"), "end", is_chosen=True)
    then = list_field(Text("field.then"), Text("choice.go_on"), [end], token="on")  # noqa: S106 - no secret
    return (Form(token="turn", label=Text("form.turn"), fields=(*fields, then), separator="; "),)  # noqa: S106 - no secret


def _ship_field(position: Position, ship: Ship) -> FormField | None:
    entries = [*_shot_lines(ship, fire.fire_lines(position, ship))]
    entries += _sail_lines(position, ship, _MAX_ENTRIES - len(entries))
    if not entries:
        return None
    stay = Text("choice.stay", {"hex": ship.hex})
    return list_field(Text("field.ship", {"ship": ship.code, "hex": ship.hex}), stay, entries, "stay")


def _shot_lines(ship: Ship, lines: Sequence[FireLine]) -> Iterator[FormLine]:
    for line in (line for line in lines if line.need):
        for most in (1, 0) if ship.shots > 1 else (1,):
            key = "choice.shoot_one" if most else "choice.shoot_all"
            label = Text(key, {"target": line.to[1:], "hex": line.end, "need": line.need})
            yield _form_line(f"at.{line.to[1:]}.{most}", label, _shots_along(ship, line, most))


def _sail_lines(position: Position, ship: Ship, most: int) -> Iterator[FormLine]:
    """Yield at most `most` moves, to the hexes nearest to an enemy, each followed by shots if they are possible."""
    reach = sailing.current_reach(position, ship)
    hexes_by_label = all_hexes(position.board)
    foes = [hexes_by_label[other.hex] for other in position.ships if other.colour != ship.colour]
    steps = dict(zip(reach.hexes, reach.steps, strict=True))
    near = {label: min((hexes.hex_distance(hexes_by_label[label], foe) for foe in foes), default=0) for label in steps}
    nearest = sorted(steps, key=lambda label: (near[label], steps[label], label))[:most]
    for label in sorted(nearest, key=lambda label: (label[0], int(label[1:]))):
        sail = MoveOrder(ship.code, label)
        moved = structs.replace(ship, hex=label)
        lines = [line for line in fire.fire_lines(turn.with_ship(position, moved), moved) if line.need]
        best = min(lines, key=lambda line: (line.need, line.to), default=None)
        params: dict[str, Scalar] = {"hex": label, "steps": steps[label]}
        if best:
            text = Text("choice.sail_shoot", {**params, "target": best.to[1:], "need": best.need})
            yield _form_line(f"to.{label}", text, sail, _shots_along(ship, best, 0))
        else:
            yield _form_line(f"to.{label}", Text("choice.sail", params), sail)


def _shots_along(ship: Ship, line: FireLine, most: int) -> ShootOrder:
    return ShootOrder(ship.code, (Target(line.to[1:], most),))  # type: ignore[arg-type] # what an id ends in is a code


def _form_line(token: str, label: Text, *todo: Action) -> FormLine:
    return FormLine(token, label, actions.format_actions(todo))
