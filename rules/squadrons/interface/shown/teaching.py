"""Lessons of a battle that introduces the rules in its first turns: command, speed, ramming, boarding."""

from __future__ import annotations

from rules.core.view import Text
from rules.squadrons.engine.sea.state import Position

_LESSON_BY_TURN = {2: "speed", 3: "ram", 4: "board"}


def first_lesson(position: Position, side: str) -> Text | None:
    """Return the lesson of the first turn, about command; None later, or if the side has no Admiral."""
    admirals = position.admirals(side)
    if position.turn != 1 or not admirals:
        return None
    return Text("teach.command", {"ship": admirals[0].ship, "hexes": admirals[0].rating.range})


def later_lessons(position: Position) -> tuple[Text, ...]:
    """Return the lesson of a later turn; empty if it has none."""
    key = _LESSON_BY_TURN.get(position.turn)
    return (Text(f"teach.{key}"),) if key else ()
