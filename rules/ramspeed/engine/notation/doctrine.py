"""Doctrines as text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from rules.interface.typed import fold_text, numbered_lines
from rules.ramspeed.engine.notation.entry import entry_error, require_ship
from rules.ramspeed.engine.orders import DoctrineLine, Doctrines
from rules.ramspeed.engine.state import Position, id_sort_key
from rules.ramspeed.engine.tables import CONSTANTS

DOCTRINE_KEYS: Final = ("swipe", "grapple", "slip", "prize", "idle")
LEGAL_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "swipe": ("turn", "draw", "grapple"),
    "grapple": ("turn", "stand"),
    "slip": ("fwd", "back", "hold"),
    "prize": ("sink", "leave"),
    "idle": ("stay", "shoot"),
}
_MORE_EXAMPLES: Final = {"slip": ("turn45L",), "prize": (str(CONSTANTS.prize_crew),)}
_SLIP_TURN_PATTERN: Final = re.compile("turn ?([0-9]{1,3}) ?([lr])")  # `turn 45 l`
_DOCTRINE_PATTERN: Final = re.compile(r"(?:doctrine )?([a-z]{1,2}[0-9]{1,2}|all) ?: ?(.+)")  # `t1: swipe=draw`
_KEY_PATTERN: Final = re.compile(rf"({'|'.join(DOCTRINE_KEYS)}) ?= ?(?=[a-z0-9])")  # `swipe=` before its value


def parse_doctrines(text: str, position: Position) -> Doctrines:
    """Parse doctrine lines. Raises `IllegalOrder` with the number of the line."""
    return Doctrines(tuple(parse_doctrine(piece, position, number) for number, piece in numbered_lines(text)))


def parse_doctrine(text: str, position: Position, number: int = 1) -> DoctrineLine:
    """Parse one doctrine line; the word `doctrine` may be left out. Raises `IllegalOrder` (RS-21.4)."""
    match = _DOCTRINE_PATTERN.fullmatch(fold_text(text))
    if not match:
        raise entry_error("bad_doctrine", number, text, expected="doctrine all: swipe=draw")
    name = match[1] if match[1] == "all" else require_ship(position, match[1], number, text).id
    before, *pairs = _KEY_PATTERN.split(match[2])
    values = {key: value.strip() for key, value in zip(pairs[::2], pairs[1::2], strict=True)}
    if before or len(values) < len(pairs) / 2:  # an unknown key, or one key twice
        raise entry_error("bad_doctrine", number, text, expected="doctrine all: swipe=draw grapple=turn")
    return DoctrineLine(ship=name, **{key: _parse_value(key, value, number, text) for key, value in values.items()})


def _parse_value(key: str, value: str, number: int, text: str) -> Any:  # noqa: ANN401 - what the key takes
    if key == "slip" and (match := _SLIP_TURN_PATTERN.fullmatch(value)):
        if 0 < int(match[1]) <= CONSTANTS.slip_turn_max:
            return f"turn{int(match[1])}{match[2].upper()}"
    elif key == "prize" and re.fullmatch("[0-9]{1,3}", value):
        if int(value) >= CONSTANTS.prize_crew:
            return int(value)
    elif value in LEGAL_VALUES[key]:
        return value
    legal_values = (*LEGAL_VALUES[key], *_MORE_EXAMPLES.get(key, ()))
    raise entry_error("bad_doctrine_value", number, text, key=key, legal=", ".join(legal_values))


def format_doctrine(line: DoctrineLine) -> str:
    pairs = (f"{key}={value}" for key in DOCTRINE_KEYS if (value := getattr(line, key)) is not None)
    return f"doctrine {line.ship}: {' '.join(pairs)}"


def merge_doctrines(doctrines: Iterable[DoctrineLine]) -> Doctrines:
    """Return equivalent doctrines without lines and values that later lines override."""
    effective: dict[tuple[str, str], Any] = {}  # values by ship (or `all`) and key
    for line in doctrines:
        for key in DOCTRINE_KEYS:
            value = getattr(line, key)
            if value is None:
                continue
            ships_with_key = [ship for ship, other_key in effective if other_key == key]
            for ship in ships_with_key:
                if line.ship in ("all", ship):  # a value for all overrides those of single ships
                    del effective[ship, key]
            effective[line.ship, key] = value
    names = sorted({name for name, _ in effective}, key=lambda name: (name != "all", id_sort_key(name)))
    merged_lines = []
    for name in names:
        values = {key: value for (ship, key), value in effective.items() if ship == name}
        merged_lines.append(DoctrineLine(ship=name, **values))
    return Doctrines(tuple(merged_lines))
