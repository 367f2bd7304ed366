"""JSON cases: one whole turn as input, its result as output, for tests and other programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import msgspec

from rules.chance.dice import ListedDice
from rules.core.errors import OrderError, UnreadableOrder
from rules.ramspeed.engine.events import event_to_json
from rules.ramspeed.engine.notation import position as notation_of
from rules.ramspeed.engine.notation.doctrine import parse_doctrines
from rules.ramspeed.engine.notation.sheets import parse_sheet
from rules.ramspeed.engine.orders import Doctrines, OrderSheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.state import Position

ReadT = TypeVar("ReadT", OrderSheet, Doctrines)
_CASE_FIELDS: Final = ("ruleset", "dice", "position", "sheets", "doctrines")
"""The fields of a case, in the order in which they are read."""


def adjudicate_case(case: Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """Carry out one turn of a case, given as JSON or as a mapping.

    Returns `position`, `events`, `winner` and `dice_left`. Raises `OrderError` whose `piece` names the field and, for a
    line of a sheet or a doctrine, the player and the line.
    """
    fields = _case_fields(case)
    if fields.get("ruleset", "ramspeed") != "ramspeed":
        raise _expected_error("ruleset", "ramspeed")
    dice = fields.get("dice", [])
    if not isinstance(dice, list) or not all(type(die) is int and 1 <= die <= 6 for die in dice):
        raise _expected_error("dice", "1–6")
    text = fields.get("position", "")
    if not isinstance(text, str):
        raise _expected_error("position", "text")
    position = notation_of.parse_position(text)
    if position.phase == "over":
        raise _expected_error("position", "phase=fire, phase=orders")
    sheets = _read_by_player(fields, "sheets", position, lambda lines, player: parse_sheet(lines, position, player))
    doctrines = _read_by_player(fields, "doctrines", position, lambda lines, _: parse_doctrines(lines, position))
    result = turn.run_turn(position, sheets, doctrines, ListedDice(tuple(dice)))
    left = result.dice_source.dice_left if isinstance(result.dice_source, ListedDice) else ()
    return {
        "position": notation_of.format_position(result.position),
        "events": [event_to_json(event) for event in result.events],
        "winner": result.end.winner if result.end else None,
        "dice_left": len(left),
    }


def _expected_error(field: str, expected: str) -> UnreadableOrder:
    return UnreadableOrder("case_field", piece=field, expected=expected)


def _case_fields(case: Mapping[str, Any] | bytes | str) -> Mapping[str, Any]:
    if isinstance(case, bytes | str):
        try:
            case = msgspec.json.decode(case)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UnreadableOrder("bad_json", piece="case", expected=str(error)) from error
    if not isinstance(case, Mapping):
        raise _expected_error("case", "{}")
    for field in case:
        if field not in _CASE_FIELDS:
            raise _expected_error(str(field)[:40], ", ".join(_CASE_FIELDS))
    return case


def _read_by_player(
    fields: Mapping[str, Any], field: str, position: Position, read: Callable[[str, str], ReadT]
) -> dict[str, ReadT]:
    """Return what `read` makes of each player's text (empty if absent) in a field. `read` takes text and player."""
    texts = fields.get(field, {})
    seated = ", ".join(position.players)
    if not isinstance(texts, Mapping) or not all(isinstance(text, str) for text in texts.values()):
        raise _expected_error(field, f"{{{seated}}}")
    if any(player not in position.players for player in texts):
        raise _expected_error(field, seated)
    parsed = {}
    for player in position.players:
        try:
            parsed[player] = read(texts.get(player, ""), player)
        except OrderError as error:
            line = error.fault.params.get("line", 0)
            raise _expected_error(f"{field}.{player}.{line}", error.fault.rule or error.fault.code) from error
    return parsed
