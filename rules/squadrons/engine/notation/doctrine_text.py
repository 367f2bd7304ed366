"""Doctrines as text: standing orders for what ships do without being asked (SQ-24.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from rules.interface.typed import fold_text
from rules.squadrons.engine.notation.order_text import SHIP_PATTERN, line_error
from rules.squadrons.engine.notation.orders import DOCTRINE_VALUES, SIDE_KEYS, DoctrineLine

DOCTRINE_KEYS: Final[tuple[str, ...]] = (
    "avoid",
    "avoidDir",
    "fire",
    "rram",
    "board",
    "retract",
    "unfoul",
    "transfer",
    "speed",
    "order",
)
NOBODY_WORD: Final = "none"
_KEY_BY_WORD: Final = {key.lower(): key for key in DOCTRINE_KEYS}
_DOCTRINE_PATTERN: Final = re.compile(r"(?:doctrine )?([br][1-9][0-9]?|sq[0-9]|all) ?: ?(.+)")  # `b1: avoid=any`
_PAIR_PATTERN: Final = re.compile(  # `avoid=any`, up to the next key
    rf"({'|'.join(_KEY_BY_WORD)}|protect) ?= ?([a-z0-9+, ]+?)(?= (?:{'|'.join(_KEY_BY_WORD)}|protect) ?=|$)"
)
_EXAMPLE: Final = "doctrine all: avoid=any fire=off"


def parse_doctrine(text: str, side: str, number: int = 1) -> DoctrineLine:
    """Parse a doctrine line; the word `doctrine` may be left out. Raises `OrderError`."""
    match = _DOCTRINE_PATTERN.fullmatch(fold_text(text))
    if not match:
        raise line_error("bad_doctrine", number, text, expected=_EXAMPLE)
    target = side if match[1] == "all" else re.sub("^SQ", f"{side}Q", match[1].upper())
    pairs = _PAIR_PATTERN.findall(match[2])
    unreadable = _PAIR_PATTERN.sub("", match[2]).strip()
    has_repeated_key = len({key for key, _ in pairs}) < len(pairs)
    if unreadable or not pairs or has_repeated_key:
        raise line_error("bad_doctrine", number, unreadable or text, expected=_EXAMPLE)
    values = {
        _KEY_BY_WORD[key]: _parse_value(_KEY_BY_WORD[key], value, target, side, number)
        for key, value in pairs
        if key != "protect"
    }
    ships_text = next((value for key, value in pairs if key == "protect"), None)
    protect = None
    if ships_text is not None:
        if target != side:
            raise line_error("bad_doctrine", number, text, expected="doctrine all: protect=B1,B2")
        protect = _parse_ships(ships_text, number)
    sorted_values = {key: values[key] for key in DOCTRINE_KEYS if key in values}
    return DoctrineLine(who=target, values=sorted_values, protect=protect)


def _parse_value(key: str, value: str, who: str, side: str, number: int) -> str:
    value = value.strip().replace(" ", "")
    if key in SIDE_KEYS and who != side:
        raise line_error("doctrine_of_all", number, f"{key}={value}", key=key)
    if value not in DOCTRINE_VALUES[key]:
        raise line_error("bad_doctrine_value", number, f"{key}={value}", key=key, legal=", ".join(DOCTRINE_VALUES[key]))
    return value


def _parse_ships(text: str, number: int) -> tuple[str, ...]:
    names = [name for name in re.split("[ ,+]+", text.strip()) if name]
    if names == [NOBODY_WORD]:
        return ()
    if not all(re.fullmatch(SHIP_PATTERN, name) for name in names):
        raise line_error("bad_doctrine", number, f"protect={text}", expected="doctrine all: protect=B1,B2")
    return tuple(dict.fromkeys(name.upper() for name in names))


def format_doctrine(line: DoctrineLine) -> str:
    pairs = [f"{key}={line.values[key]}" for key in DOCTRINE_KEYS if key in line.values]
    if line.protect is not None:
        pairs.append(f"protect={','.join(line.protect) or NOBODY_WORD}")
    who = "all" if line.who in ("B", "R") else re.sub("^.Q", "SQ", line.who)
    return f"doctrine {who}: {' '.join(pairs)}"


def is_doctrine_line(line: str) -> bool:
    """Return whether a line in canonical notation is a doctrine, which stays secret."""
    return line.startswith("doctrine ")


def merge_lines(lines: Iterable[DoctrineLine]) -> tuple[DoctrineLine, ...]:
    """Return equivalent lines, one for each target, with the lines of a side before those of squadrons and ships.

    A line for a whole side overrides earlier lines for its squadrons and ships.
    """
    merged: dict[str, DoctrineLine] = {}
    for line in lines:
        if line.who in ("B", "R"):
            for who, earlier in list(merged.items()):
                values_kept = {key: value for key, value in earlier.values.items() if key not in line.values}
                merged[who] = DoctrineLine(who=who, values=values_kept, protect=earlier.protect)
        previous = merged.get(line.who, DoctrineLine(who=line.who))
        protect = previous.protect if line.protect is None else line.protect
        merged[line.who] = DoctrineLine(who=line.who, values={**previous.values, **line.values}, protect=protect)
    result = []
    for line in sorted(merged.values(), key=lambda entry: _sort_key(entry.who)):
        values = {key: line.values[key] for key in DOCTRINE_KEYS if key in line.values}
        if values or line.protect is not None:
            result.append(DoctrineLine(who=line.who, values=values, protect=line.protect))
    return tuple(result)


def _sort_key(who: str) -> tuple[Any, ...]:
    # sides (`B`), squadrons (`BQ1`), ships (`B1`); each kind by number
    digits = re.sub(r"\D", "", who)
    return (len(who) > 1, who[1:2] != "Q", int(digits or 0))


def lines_for_ships(lines: Iterable[DoctrineLine], ships: Iterable[str]) -> tuple[DoctrineLine, ...]:
    """Return the lines with values for a whole side copied to each ship, except keys that only a side has."""
    ships = tuple(ships)
    result: list[DoctrineLine] = []
    for line in lines:
        if line.who not in ("B", "R"):
            result.append(line)
            continue
        ship_values = {key: value for key, value in line.values.items() if key not in SIDE_KEYS}
        side_values = {key: value for key, value in line.values.items() if key in SIDE_KEYS}
        protected_ships = [name for name in line.protect or () if name in ships]
        result.append(DoctrineLine(who=line.who, values=side_values))
        result += [DoctrineLine(who=name, values=ship_values) for name in ships]
        result += [DoctrineLine(who=name, values={"avoid": "any"}) for name in protected_ships]
    return tuple(result)
