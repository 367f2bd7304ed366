"""What the attacks of a line need, each from where the galley is when she makes it, if nobody interrupts her."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.squadrons.desk.preview import track_preview
from rules.squadrons.desk.preview.view import Odds
from rules.squadrons.table.notation.orders import Line, Orders
from rules.squadrons.table.phases.activation import rehearsal
from rules.squadrons.table.sea.state import Position

_SHOWN: Final = ("ram", "rake", "grap", "fire")


def needs(position: Position, lines: tuple[Line, ...]) -> dict[str, tuple[Odds, ...]]:
    """The odds of rams, rakes, grapples and shots of the main branches of lines, one line after the other, by ship."""
    found = {}
    for line in lines:
        if position.ship(line.ship).afloat:
            found[line.ship] = tuple(_line(position, line))
            position, _ = rehearsal.rehearsed(position, Orders((line,)))
    return found


def _line(position: Position, line: Line) -> Iterator[Odds]:
    walk = track_preview.begun(position, line)
    for step in track_preview.carried_out(walk, line.steps):
        for attack, to, odds in track_preview.attacks_by(walk, step):
            if attack in _SHOWN:
                yield track_preview.shown(line.ship, to, attack, step, odds)
