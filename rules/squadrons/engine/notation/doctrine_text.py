"""Doctrines as text (SQ 9.4): what ships do unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from rules.interface.typed import fold_text
from rules.squadrons.engine.notation.order_text import SHIP_PATTERN, line_error
from rules.squadrons.engine.notation.orders import DOCTRINE_VALUES, SIDE_KEYS, DoctrineLine, Doctrines

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
"""What may be decided, in the order in which it is written."""
NOBODY_WORD: Final = "none"
"""In place of ships that are protected."""
_KEY_BY_WORD: Final = {key.lower(): key for key in DOCTRINE_KEYS}
_DOCTRINE_PATTERN: Final = re.compile(r"(?:doctrine )?([br][1-9][0-9]?|sq[0-9]|all) ?: ?(.+)")
_PAIR_PATTERN: Final = re.compile(
    rf"({'|'.join(_KEY_BY_WORD)}|protect) ?= ?([a-z0-9+, ]+?)(?= (?:{'|'.join(_KEY_BY_WORD)}|protect) ?=|$)"
)
_EXAMPLE: Final = "doctrine all: avoid=any fire=off"


def parse_doctrine(text: str, side: str, number: int = 1) -> DoctrineLine:
    """The doctrine line that a text means; the word `doctrine` may be left out. Raises `IllegalOrder`."""
    found = _DOCTRINE_PATTERN.fullmatch(fold_text(text))
    if not found:
        raise line_error("bad_doctrine", number, text, expected=_EXAMPLE)
    who = side if found[1] == "all" else re.sub("^SQ", f"{side}Q", found[1].upper())
    pairs = _PAIR_PATTERN.findall(found[2])
    left = _PAIR_PATTERN.sub("", found[2]).strip()
    if left or not pairs or len({key for key, _ in pairs}) < len(pairs):
        raise line_error("bad_doctrine", number, left or text, expected=_EXAMPLE)
    values = {
        _KEY_BY_WORD[key]: _parse_value(_KEY_BY_WORD[key], value, who, side, number)
        for key, value in pairs
        if key != "protect"
    }
    named = next((value for key, value in pairs if key == "protect"), None)
    protect = None
    if named is not None:
        if who != side:
            raise line_error("bad_doctrine", number, text, expected="doctrine all: protect=B1,B2")
        protect = _parse_ships(named, number)
    return DoctrineLine(who=who, values={key: values[key] for key in DOCTRINE_KEYS if key in values}, protect=protect)


def _parse_value(key: str, value: str, who: str, side: str, number: int) -> str:
    value = value.strip().replace(" ", "")
    if key in SIDE_KEYS and who != side:
        raise line_error("doctrine_of_all", number, f"{key}={value}", key=key)
    if value not in DOCTRINE_VALUES[key]:
        raise line_error("bad_doctrine_value", number, f"{key}={value}", key=key, legal=", ".join(DOCTRINE_VALUES[key]))
    return value


def _parse_ships(text: str, number: int) -> tuple[str, ...]:
    """The ships that are protected; `none` protects nobody any more."""
    names = [name for name in re.split("[ ,+]+", text.strip()) if name]
    if names == [NOBODY_WORD]:
        return ()
    if not all(re.fullmatch(SHIP_PATTERN, name) for name in names):
        raise line_error("bad_doctrine", number, f"protect={text}", expected="doctrine all: protect=B1,B2")
    return tuple(dict.fromkeys(name.upper() for name in names))


def format_doctrine(line: DoctrineLine) -> str:
    """A doctrine line as text that `parse_doctrine` reads back."""
    pairs = [f"{key}={line.values[key]}" for key in DOCTRINE_KEYS if key in line.values]
    if line.protect is not None:
        pairs.append(f"protect={','.join(line.protect) or NOBODY_WORD}")
    who = "all" if line.who in ("B", "R") else re.sub("^.Q", "SQ", line.who)
    return f"doctrine {who}: {' '.join(pairs)}"


def is_doctrine_line(line: str) -> bool:
    """Whether a line of an answer in canonical notation is a doctrine, which stays secret."""
    return line.startswith("doctrine ")


def merge_lines(lines: Iterable[DoctrineLine]) -> tuple[DoctrineLine, ...]:
    """Lines of the same meaning, one for each target: lines for all go before those of single ships."""
    kept: dict[str, DoctrineLine] = {}
    for line in lines:
        if line.who in ("B", "R"):  # what holds for all takes the place of what held for single ones
            for who, old in list(kept.items()):
                left = {key: value for key, value in old.values.items() if key not in line.values}
                kept[who] = DoctrineLine(who=who, values=left, protect=old.protect)
        before = kept.get(line.who, DoctrineLine(who=line.who))
        protect = before.protect if line.protect is None else line.protect
        kept[line.who] = DoctrineLine(who=line.who, values={**before.values, **line.values}, protect=protect)
    found = [one for one in kept.values() if one.values or one.protect is not None]
    ordered = ({key: one.values[key] for key in DOCTRINE_KEYS if key in one.values} for one in found)
    return tuple(
        DoctrineLine(who=one.who, values=values, protect=one.protect)
        for one, values in sorted(zip(found, ordered, strict=True), key=lambda pair: _sort_key(pair[0].who))
    )


def _sort_key(who: str) -> tuple[Any, ...]:
    digits = re.sub(r"\D", "", who)
    return (len(who) > 1, who[1:2] != "Q", int(digits or 0))


def lines_for_ships(lines: Iterable[DoctrineLine], ships: Iterable[str]) -> tuple[DoctrineLine, ...]:
    """What lines mean for these ships alone: what is said of all is said of each of them, save what only a side has."""
    ships, found = tuple(ships), list[DoctrineLine]()
    for line in lines:
        if line.who not in ("B", "R"):
            found.append(line)
            continue
        each = {key: value for key, value in line.values.items() if key not in SIDE_KEYS}
        shared = {key: value for key, value in line.values.items() if key in SIDE_KEYS}
        found.append(DoctrineLine(who=line.who, values=shared))
        found += [DoctrineLine(who=name, values=each) for name in ships]
        found += [DoctrineLine(who=name, values={"avoid": "any"}) for name in line.protect or () if name in ships]
    return tuple(found)


def side_value(doctrines: Iterable[DoctrineLine], side: str, key: str) -> str:
    """What holds for a whole side; the default, if nothing was said."""
    return Doctrines(tuple(doctrines)).find_value(key, side) or DOCTRINE_VALUES[key][0]
