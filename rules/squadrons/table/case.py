"""One JSON case in, one result out: one activation, one phase G, or one phase H (SQ 10.2 to 10.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from rules.cup import Listed
from rules.errors import IllegalOrder, OrderError, UnreadableOrder
from rules.squadrons.table.events import End, tell
from rules.squadrons.table.notation import order_text
from rules.squadrons.table.notation.orders import (
    OF_SIDES,
    SIDES,
    VALUES,
    Anastrophe,
    DoctrineLine,
    Doctrines,
    Orders,
    Sail,
)
from rules.squadrons.table.phases.activation import activation, rehearsal
from rules.squadrons.table.phases.aftermath import recovery, victory
from rules.squadrons.table.phases.play import Play
from rules.squadrons.table.sea import position_text
from rules.squadrons.table.sea.state import Position

_FIELDS: Final = ("ruleset", "mode", "dice", "position", "doctrines", "phase", "activate")
_MODES: Final = ("live", "deadline")
_KEYS: Final = ("avoid", "avoidDir", "fire", "retract", "unfoul", "transfer")
"""Of doctrines of a side or a ship; `board` and `protect` are a side's alone (10.2)."""


def adjudicate(case: Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """Carry out a case (JSON, or the same as a mapping).

    Gives `position`, `events`, `winner` and `dice_left`. Raises `OrderError`: its fault's `piece` names the field, or
    its `rule` the rule that forbids the step `piece`.
    """
    given = _fields(case)
    dice = _dice(given)
    text = given.get("position", "")
    if not isinstance(text, str):
        _expected("position", "squadrons 3 E 44x28 - …")
    try:
        position = position_text.parse(text)
    except OrderError as wrong:
        raise _wrong("position", wrong) from wrong
    play = Play(position, Listed(dice), _doctrines(given.get("doctrines", {}), position))
    if ("activate" in given) == ("phase" in given):
        _expected("activate", "activate, or phase")
    if "activate" in given:
        _activate(play, given["activate"], deadline=given.get("mode") == "deadline")
    else:
        _phase(play, given["phase"])
    end = next((event for event in play.events if isinstance(event, End)), None)
    return {
        "position": position_text.write(play.position),
        "events": [tell(event) for event in play.events if event.of_cases],
        "winner": None if end is None else end.winner,
        "dice_left": len(play.cup.left) if isinstance(play.cup, Listed) else 0,
    }


def _activate(play: Play, given: Any, *, deadline: bool) -> None:  # noqa: ANN401 - as it came
    names = _squadron(play.position, given)
    orders = _orders(given.get("orders", ""), names)
    if not deadline and (wrong := rehearsal.first_fault(play.position, orders)) and wrong.barred:
        piece = f"{wrong.ship} {wrong.step}"
        raise IllegalOrder("illegal_step", wrong.barred.rule, piece=piece)
    activation.run(play, names, orders)


def _phase(play: Play, given: Any) -> None:  # noqa: ANN401 - as it came
    if given not in ("G", "H") or play.position.phase != given:
        _expected("phase", "G, H: that of the position")
    if given == "G":
        recovery.run(play)
    else:
        victory.run(play)


# --- reading -----------------------------------------------------------------------------------------------------


def _expected(field: str, expected: str) -> NoReturn:
    raise UnreadableOrder("case_field", piece=field, expected=expected)


def _wrong(field: str, error: OrderError) -> UnreadableOrder:
    fault = error.fault
    return UnreadableOrder("case_field", piece=field, expected=f"{fault.piece}: {fault.params.get('expected', '')}")


def _fields(case: Mapping[str, Any] | bytes | str) -> Mapping[str, Any]:
    if isinstance(case, bytes | str):
        try:
            case = msgspec.json.decode(case)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UnreadableOrder("bad_json", piece="case", expected=str(error)) from error
    if not isinstance(case, Mapping):
        _expected("case", "{}")
    if case.get("ruleset", "squadrons") != "squadrons":
        _expected("ruleset", "squadrons")
    for field in case:
        if field not in _FIELDS:
            _expected(str(field)[:40], ", ".join(_FIELDS))
    if case.get("mode", "live") not in _MODES:
        _expected("mode", ", ".join(_MODES))
    return case


def _dice(given: Mapping[str, Any]) -> tuple[int, ...]:
    dice = given.get("dice", [])
    if not isinstance(dice, list) or not all(type(die) is int and 1 <= die <= 6 for die in dice):
        _expected("dice", "1–6")
    return tuple(dice)


def _doctrines(given: Any, position: Position) -> Doctrines:  # noqa: ANN401 - as it came
    if not isinstance(given, Mapping):
        _expected("doctrines", "{}")
    return Doctrines(tuple(_doctrine(who, entries, position) for who, entries in given.items()))


def _doctrine(who: Any, entries: Any, position: Position) -> DoctrineLine:  # noqa: ANN401 - as it came
    if who not in SIDES and who not in position.by_id:
        _expected("doctrines", "B, R, B1")
    if not isinstance(entries, Mapping):
        _expected("doctrines", "{}")
    values: dict[str, str] = {}
    protect = None
    for key, value in entries.items():
        if key == "protect" and who in SIDES:
            if not isinstance(value, list) or not all(
                isinstance(name, str) and name in position.by_id for name in value
            ):
                _expected("doctrines", "protect: ships of the position")
            protect = tuple(value)
        elif key in _KEYS or (key == "board" and who in SIDES):
            legal = [one for one in VALUES[key] if one != "ask"]
            if value not in legal:
                _expected("doctrines", f"{key}: {', '.join(legal)}")
            values[key] = value
        else:
            _expected("doctrines", ", ".join((*_KEYS, *OF_SIDES)))
    return DoctrineLine(who=who, values=values, protect=protect)


def _squadron(position: Position, given: Any) -> tuple[str, ...]:  # noqa: ANN401 - as it came
    if not isinstance(given, Mapping) or set(given) - {"squadron", "orders"}:
        _expected("activate", "squadron, orders")
    names = given.get("squadron")
    if position.phase not in ("E", "F") or not isinstance(names, list) or not names:
        _expected("activate", "phase E, F; squadron: [B1]")
    ships = [position.by_id.get(name) if isinstance(name, str) else None for name in names]
    able = [ship for ship in ships if ship is not None and ship.afloat and not ship.done]
    one_side = len({ship.side for ship in able}) == 1
    if len(able) < len(ships) or len(set(names)) < len(names) or not one_side:
        _expected("activate", "ships of one side that are not done, each once")
    if position.phase == "F" and len(names) > 1:
        _expected("activate", "one ship")
    return tuple(names)


def _orders(given: Any, names: tuple[str, ...]) -> Orders:  # noqa: ANN401 - as it came
    if not isinstance(given, str):
        _expected("orders", "text")
    try:
        orders = order_text.read_orders(given)
    except OrderError as wrong:
        raise _wrong("orders", wrong) from wrong
    for line in orders.lines:
        steps = (*line.steps, *(line.alternative or ()))
        if line.ship not in names or any(isinstance(step, Sail) for step in steps):
            _expected("orders", "ships of the squadron; no sails")
        if line.mp is not None and any(isinstance(step, Anastrophe) for step in line.steps):
            _expected("orders", "ana without m")
    return orders
