"""Doctrines as text (RS part 8.3): what ships do unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from rules.interface.typed import fold_text
from rules.ramspeed.engine.notation.entry import entry_error, numbered_lines, require_ship
from rules.ramspeed.engine.orders import DoctrineLine, Doctrines
from rules.ramspeed.engine.state import Position, id_sort_key
from rules.ramspeed.engine.tables import CONSTANTS

DOCTRINE_KEYS: Final = ("swipe", "grapple", "slip", "prize", "idle")
"""What a doctrine decides, in the order in which it is written."""
LEGAL_VALUES: Final[dict[str, tuple[str, ...]]] = {
    "swipe": ("turn", "draw", "grapple"),
    "grapple": ("turn", "stand"),
    "slip": ("fwd", "back", "hold"),
    "prize": ("sink", "leave"),
    "idle": ("stay", "shoot"),
}
"""What each may be."""
_MORE_EXAMPLES: Final = {"slip": ("turn45L",), "prize": (str(CONSTANTS.prize_crew),)}
"""Examples of what it may be besides."""
_SLIP_TURN_PATTERN: Final = re.compile("turn ?([0-9]{1,3}) ?([lr])")
_DOCTRINE_PATTERN: Final = re.compile(r"(?:doctrine )?([a-z]{1,2}[0-9]{1,2}|all) ?: ?(.+)")
_KEY_PATTERN: Final = re.compile(rf"({'|'.join(DOCTRINE_KEYS)}) ?= ?(?=[a-z0-9])")


def parse_doctrines(text: str, position: Position) -> Doctrines:
    """The doctrines of some lines (part 8.3). Raises `IllegalOrder` as `read_sheet` does."""
    return Doctrines(tuple(parse_doctrine(piece, position, number) for number, piece in numbered_lines(text)))


def parse_doctrine(text: str, position: Position, number: int = 1) -> DoctrineLine:
    """One doctrine line; the word `doctrine` may be left out. Raises `IllegalOrder` (RS-21.4)."""
    found = _DOCTRINE_PATTERN.fullmatch(fold_text(text))
    if not found:
        raise entry_error("bad_doctrine", number, text, expected="doctrine T1: swipe=draw")
    name = found[1] if found[1] == "all" else require_ship(position, found[1], number, text).id
    before, *pairs = _KEY_PATTERN.split(found[2])
    given = {key: value.strip() for key, value in zip(pairs[::2], pairs[1::2], strict=True)}
    if before or len(given) < len(pairs) / 2:  # something that is no key, or a key twice
        raise entry_error("bad_doctrine", number, text, expected="swipe=draw grapple=turn")
    return DoctrineLine(ship=name, **{key: _parse_value(key, value, number, text) for key, value in given.items()})


def _parse_value(key: str, value: str, number: int, text: str) -> Any:  # noqa: ANN401 - what the key takes
    if key == "slip" and (found := _SLIP_TURN_PATTERN.fullmatch(value)):
        if 0 < int(found[1]) <= CONSTANTS.slip_turn_max:
            return f"turn{int(found[1])}{found[2].upper()}"
    elif key == "prize" and re.fullmatch("[0-9]{1,3}", value):
        if int(value) >= CONSTANTS.prize_crew:
            return int(value)
    elif value in LEGAL_VALUES[key]:
        return value
    raise entry_error(
        "bad_doctrine_value", number, text, key=key, legal=", ".join((*LEGAL_VALUES[key], *_MORE_EXAMPLES.get(key, ())))
    )


def format_doctrine(line: DoctrineLine) -> str:
    """One doctrine line as text."""
    pairs = (f"{key}={value}" for key in DOCTRINE_KEYS if (value := getattr(line, key)) is not None)
    return f"doctrine {line.ship}: {' '.join(pairs)}"


def merge_doctrines(doctrines: Iterable[DoctrineLine]) -> Doctrines:
    """Doctrines of the same meaning as these lines, in which no key stands for nothing."""
    kept: dict[tuple[str, str], Any] = {}
    for line in doctrines:
        for key in DOCTRINE_KEYS:
            if (value := getattr(line, key)) is not None:
                gone = [one for one in kept if one[1] == key and (line.ship in ("all", one[0]))]
                for one in gone:
                    del kept[one]
                kept[line.ship, key] = value
    everyone = sorted({name for name, _ in kept}, key=lambda name: (name != "all", id_sort_key(name)))
    return Doctrines(
        tuple(
            DoctrineLine(ship=name, **{key: value for (ship, key), value in kept.items() if ship == name})
            for name in everyone
        )
    )
