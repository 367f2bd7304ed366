"""Adjudication of one JSON case: an activation, a phase G, or a phase H."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from rules.chance.dice import ListedDice
from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder
from rules.squadrons.engine.events import GameEnded, event_to_json
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.notation.orders import (
    DOCTRINE_VALUES,
    SIDE_KEYS,
    SIDES,
    AnastropheOrder,
    DoctrineLine,
    Doctrines,
    SquadronOrders,
)
from rules.squadrons.engine.phases.activation import activation, rehearsal
from rules.squadrons.engine.phases.aftermath import recovery, victory
from rules.squadrons.engine.phases.play import TurnInProgress
from rules.squadrons.engine.sea import position_text
from rules.squadrons.engine.sea.state import Position

_CASE_FIELDS: Final = ("ruleset", "mode", "dice", "position", "doctrines", "phase", "activate")
_CASE_MODES: Final = ("live", "deadline")
_DOCTRINE_KEYS: Final = ("avoid", "avoidDir", "fire", "retract", "unfoul", "transfer")
"""Keys for a side or a ship. `board` and `protect` are allowed for a side only."""


def adjudicate_case(case: Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """Adjudicate a case, as JSON or as a mapping.

    Return `position`, `events`, `winner` and `dice_left`. Raises `OrderError`: its `piece` names the wrong field, or
    its `rule` forbids the step in `piece`.
    """
    fields = _case_fields(case)
    dice = _parse_dice(fields)
    text = fields.get("position", "")
    if not isinstance(text, str):
        _raise_expected("position", "squadrons 3 E 44x28 - …")
    try:
        position = position_text.parse_position(text)
    except OrderError as error:
        raise _field_error("position", error) from error
    play = TurnInProgress(position, ListedDice(dice), _parse_doctrines(fields.get("doctrines", {}), position))
    if ("activate" in fields) == ("phase" in fields):
        _raise_expected("activate", "activate, or phase")
    if "activate" in fields:
        _run_activation(play, fields["activate"], deadline=fields.get("mode") == "deadline")
    else:
        _run_phase(play, fields["phase"])
    ending = next((event for event in play.events if isinstance(event, GameEnded)), None)
    return {
        "position": position_text.format_position(play.position),
        "events": [event_to_json(event) for event in play.events if event.shown_in_cases],
        "winner": None if ending is None else ending.winner,
        "dice_left": len(play.dice_source.dice_left) if isinstance(play.dice_source, ListedDice) else 0,
    }


def _run_activation(play: TurnInProgress, fields: Any, *, deadline: bool) -> None:  # noqa: ANN401 - as it came
    names = _parse_squadron(play.position, fields)
    orders = _parse_orders(fields.get("orders", ""), names)
    if not deadline and (illegal := rehearsal.first_illegal_line(play.position, orders)) and illegal.barred:
        piece = f"{illegal.ship} {illegal.step}"
        raise IllegalOrder("illegal_step", illegal.barred.rule, piece=piece)
    activation.run_activation(play, names, orders)


def _run_phase(play: TurnInProgress, phase: Any) -> None:  # noqa: ANN401 - as it came
    if phase not in ("G", "H") or play.position.phase != phase:
        _raise_expected("phase", "G, H: that of the position")
    if phase == "G":
        recovery.run_phase_g(play)
    else:
        victory.run_phase_h(play)


# --- reading -----------------------------------------------------------------------------------------------------


def _raise_expected(field: str, expected: str) -> NoReturn:
    raise UnreadableOrder("case_field", piece=field, expected=expected)


def _field_error(field: str, error: OrderError) -> UnreadableOrder:
    fault = error.fault
    return UnreadableOrder("case_field", piece=field, expected=f"{fault.piece}: {fault.params.get('expected', '')}")


def _case_fields(case: Mapping[str, Any] | bytes | str) -> Mapping[str, Any]:
    if isinstance(case, bytes | str):
        try:
            case = msgspec.json.decode(case)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise UnreadableOrder("bad_json", piece="case", expected=str(error)) from error
    if not isinstance(case, Mapping):
        _raise_expected("case", "{}")
    if case.get("ruleset", "squadrons") != "squadrons":
        _raise_expected("ruleset", "squadrons")
    for field in case:
        if field not in _CASE_FIELDS:
            _raise_expected(str(field)[:40], ", ".join(_CASE_FIELDS))
    if case.get("mode", "live") not in _CASE_MODES:
        _raise_expected("mode", ", ".join(_CASE_MODES))
    return case


def _parse_dice(fields: Mapping[str, Any]) -> tuple[int, ...]:
    dice = fields.get("dice", [])
    if not isinstance(dice, list) or not all(type(die) is int and 1 <= die <= 6 for die in dice):
        _raise_expected("dice", "1–6")
    return tuple(dice)


def _parse_doctrines(doctrines: Any, position: Position) -> Doctrines:  # noqa: ANN401 - as it came
    if not isinstance(doctrines, Mapping):
        _raise_expected("doctrines", "{}")
    return Doctrines(tuple(_parse_doctrine(who, entries, position) for who, entries in doctrines.items()))


def _parse_doctrine(who: Any, entries: Any, position: Position) -> DoctrineLine:  # noqa: ANN401 - as it came
    if who not in SIDES and who not in position.ships_by_id:
        _raise_expected("doctrines", "B, R, B1")
    if not isinstance(entries, Mapping):
        _raise_expected("doctrines", "{}")
    values: dict[str, str] = {}
    protect = None
    for key, value in entries.items():
        if key == "protect" and who in SIDES:
            if not isinstance(value, list) or not all(
                isinstance(name, str) and name in position.ships_by_id for name in value
            ):
                _raise_expected("doctrines", "protect: ships of the position")
            protect = tuple(value)
        elif key in _DOCTRINE_KEYS or (key == "board" and who in SIDES):
            legal = [word for word in DOCTRINE_VALUES[key] if word != "ask"]
            if value not in legal:
                _raise_expected("doctrines", f"{key}: {', '.join(legal)}")
            values[key] = value
        else:
            _raise_expected("doctrines", ", ".join((*_DOCTRINE_KEYS, *SIDE_KEYS)))
    return DoctrineLine(who=who, values=values, protect=protect)


def _parse_squadron(position: Position, fields: Any) -> tuple[str, ...]:  # noqa: ANN401 - as it came
    if not isinstance(fields, Mapping) or set(fields) - {"squadron", "orders"}:
        _raise_expected("activate", "squadron, orders")
    names = fields.get("squadron")
    if position.phase not in ("E", "F") or not isinstance(names, list) or not names:
        _raise_expected("activate", "phase E, F; squadron: [B1]")
    ships = [position.ships_by_id.get(name) if isinstance(name, str) else None for name in names]
    ready = [ship for ship in ships if ship is not None and ship.is_afloat and not ship.done]
    is_one_side = len({ship.side for ship in ready}) == 1
    if len(ready) < len(ships) or len(set(names)) < len(names) or not is_one_side:
        _raise_expected("activate", "ships of one side that are not done, each once")
    if position.phase == "F" and len(names) > 1:
        _raise_expected("activate", "one ship")
    return tuple(names)


def _parse_orders(text: Any, names: tuple[str, ...]) -> SquadronOrders:  # noqa: ANN401 - as it came
    if not isinstance(text, str):
        _raise_expected("orders", "text")
    try:
        orders = order_text.parse_orders(text)
    except OrderError as error:
        raise _field_error("orders", error) from error
    for line in orders.lines:
        if line.ship not in names:
            _raise_expected("orders", "ships of the squadron")
        if line.mp is not None and any(isinstance(step, AnastropheOrder) for step in line.steps):
            _raise_expected("orders", "ana without m")
    return orders
