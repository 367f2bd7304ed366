"""Doctrines as text (SQ 9.4): what ships do unasked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from rules.squadrons.table.notation.order_text import SHIP, refused
from rules.squadrons.table.notation.orders import OF_SIDES, VALUES, DoctrineLine, Doctrines
from rules.typed import fold

KEYS: Final[tuple[str, ...]] = (
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
NOBODY: Final = "none"
"""In place of ships that are protected."""
_KEY_OF: Final = {key.lower(): key for key in KEYS}
_DOCTRINE: Final = re.compile(r"(?:doctrine )?([br][1-9][0-9]?|sq[0-9]|all) ?: ?(.+)")
_PAIR: Final = re.compile(
    rf"({'|'.join(_KEY_OF)}|protect) ?= ?([a-z0-9+, ]+?)(?= (?:{'|'.join(_KEY_OF)}|protect) ?=|$)"
)
_EXPECTED: Final = "doctrine all: avoid=any fire=off"


def read_doctrine(text: str, side: str, number: int = 1) -> DoctrineLine:
    """The doctrine line that a text means; the word `doctrine` may be left out. Raises `IllegalOrder`."""
    found = _DOCTRINE.fullmatch(fold(text))
    if not found:
        raise refused("bad_doctrine", number, text, expected=_EXPECTED)
    who = side if found[1] == "all" else re.sub("^SQ", f"{side}Q", found[1].upper())
    pairs = _PAIR.findall(found[2])
    left = _PAIR.sub("", found[2]).strip()
    if left or not pairs or len({key for key, _ in pairs}) < len(pairs):
        raise refused("bad_doctrine", number, left or text, expected=_EXPECTED)
    values = {_KEY_OF[key]: _value(_KEY_OF[key], value, who, side, number) for key, value in pairs if key != "protect"}
    named = next((value for key, value in pairs if key == "protect"), None)
    protect = None
    if named is not None:
        if who != side:
            raise refused("bad_doctrine", number, text, expected="doctrine all: protect=B1,B2")
        protect = _ships(named, number)
    return DoctrineLine(who=who, values={key: values[key] for key in KEYS if key in values}, protect=protect)


def _value(key: str, value: str, who: str, side: str, number: int) -> str:
    value = value.strip().replace(" ", "")
    if key in OF_SIDES and who != side:
        raise refused("doctrine_of_all", number, f"{key}={value}", key=key)
    if value not in VALUES[key]:
        raise refused("bad_doctrine_value", number, f"{key}={value}", key=key, legal=", ".join(VALUES[key]))
    return value


def _ships(text: str, number: int) -> tuple[str, ...]:
    """The ships that are protected; `none` protects nobody any more."""
    names = [name for name in re.split("[ ,+]+", text.strip()) if name]
    if names == [NOBODY]:
        return ()
    if not all(re.fullmatch(SHIP, name) for name in names):
        raise refused("bad_doctrine", number, f"protect={text}", expected="doctrine all: protect=B1,B2")
    return tuple(dict.fromkeys(name.upper() for name in names))


def write_doctrine(line: DoctrineLine) -> str:
    """A doctrine line as text that `read_doctrine` reads back."""
    pairs = [f"{key}={line.values[key]}" for key in KEYS if key in line.values]
    if line.protect is not None:
        pairs.append(f"protect={','.join(line.protect) or NOBODY}")
    who = "all" if line.who in ("B", "R") else re.sub("^.Q", "SQ", line.who)
    return f"doctrine {who}: {' '.join(pairs)}"


def is_doctrine(line: str) -> bool:
    """Whether a line of an answer in canonical notation is a doctrine, which stays secret."""
    return line.startswith("doctrine ")


def merged(lines: Iterable[DoctrineLine]) -> tuple[DoctrineLine, ...]:
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
    ordered = ({key: one.values[key] for key in KEYS if key in one.values} for one in found)
    return tuple(
        DoctrineLine(who=one.who, values=values, protect=one.protect)
        for one, values in sorted(zip(found, ordered, strict=True), key=lambda pair: _place(pair[0].who))
    )


def _place(who: str) -> tuple[Any, ...]:
    digits = re.sub(r"\D", "", who)
    return (len(who) > 1, who[1:2] != "Q", int(digits or 0))


def of_ships(lines: Iterable[DoctrineLine], ships: Iterable[str]) -> tuple[DoctrineLine, ...]:
    """What lines mean for these ships alone: what is said of all is said of each of them, save what only a side has."""
    ships, found = tuple(ships), list[DoctrineLine]()
    for line in lines:
        if line.who not in ("B", "R"):
            found.append(line)
            continue
        each = {key: value for key, value in line.values.items() if key not in OF_SIDES}
        shared = {key: value for key, value in line.values.items() if key in OF_SIDES}
        found.append(DoctrineLine(who=line.who, values=shared))
        found += [DoctrineLine(who=name, values=each) for name in ships]
        found += [DoctrineLine(who=name, values={"avoid": "any"}) for name in line.protect or () if name in ships]
    return tuple(found)


def stands(doctrines: Iterable[DoctrineLine], side: str, key: str) -> str:
    """What holds for a whole side; the default, if nothing was said."""
    return Doctrines(tuple(doctrines)).find(key, side) or VALUES[key][0]
