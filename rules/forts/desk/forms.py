"""Forms for a player-turn: where several ships sail, or what several shoot at, at once (NB part 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules import hexes
from rules.forts.table import actions, fire, sailing
from rules.forts.table.boards import all_hexes
from rules.forts.table.fire import Line
from rules.forts.table.state import Action, Move, Position, Ship, Shots, Target
from rules.panels import listed
from rules.protocol import Entry, Field, Form
from rules.view import Text

_SHIPS_MOST: Final = 4
"""Of a captain; the fifth list of a form says whether the turn ends."""
_HEXES_MOST: Final = 24
"""In a list, besides staying; all hexes stand in the panel's own lists."""


def forms(position: Position) -> tuple[Form, ...]:
    """A form for sailing, and one for shooting; each if at least two of the active captain's ships can do so."""
    mine = position.of(position.active)[:_SHIPS_MOST]
    sailing_on = [field for ship in mine if (field := _sail(position, ship))]
    shooting = [field for ship in mine if (field := _shoot(ship, fire.lines(position, ship)))]
    found = []
    if len(sailing_on) > 1:
        found.append(_form("sail", Text("form.sail"), sailing_on))
    if len(shooting) > 1:
        found.append(_form("shoot", Text("form.shoot"), shooting))
    return tuple(found)


def _form(token: str, label: Text, fields: Sequence[Field]) -> Form:
    end = Entry("end", Text("choice.end"), "end")
    then = listed(Text("field.then"), Text("choice.go_on"), [end], token="on")  # noqa: S106 - no secret
    return Form(token=token, label=label, fields=(*fields, then), between="; ")


def _sail(position: Position, ship: Ship) -> Field | None:
    """Where she may sail: of more hexes than a list holds, those nearest to an enemy."""
    reach = sailing.reach(position, ship)
    there = all_hexes(position.board)
    foes = [there[other.hex] for other in position.ships if other.colour != ship.colour]
    steps = dict(zip(reach.hexes, reach.steps, strict=True))
    near = {label: min((hexes.distance(there[label], foe) for foe in foes), default=0) for label in steps}
    kept = sorted(steps, key=lambda label: (near[label], steps[label], label))[:_HEXES_MOST]
    sails = [
        _entry(f"to.{label}", Text("choice.sail", {"hex": label, "steps": steps[label]}), Move(ship.code, label))
        for label in sorted(kept, key=lambda label: (label[0], int(label[1:])))
    ]
    return _of_ship(ship, "stay", Text("choice.stay", {"hex": ship.hex}), sails)


def _shoot(ship: Ship, lines: Sequence[Line]) -> Field | None:
    """The enemies at which she may shoot, and with how many shots."""
    found = []
    for line in (line for line in lines if line.need):
        for most in (1, 0) if ship.shots > 1 else (1,):
            target = line.to[1:]
            key = "choice.shoot_one" if most else "choice.shoot_all"
            label = Text(key, {"target": target, "hex": line.end, "need": line.need})
            found.append(_entry(f"at.{target}.{most}", label, Shots(ship.code, (Target(target, most),))))  # type: ignore[arg-type] # what an id ends in is a code
    return _of_ship(ship, "hold", Text("choice.hold"), found)


def _of_ship(ship: Ship, token: str, nothing: Text, entries: Sequence[Entry]) -> Field | None:
    """What a ship may do; None if that is nothing."""
    return (
        listed(Text("field.ship", {"ship": ship.code, "hex": ship.hex}), nothing, entries, token) if entries else None
    )


def _entry(token: str, label: Text, action: Action) -> Entry:
    return Entry(token, label, actions.write_one(action))
