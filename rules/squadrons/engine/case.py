"""One JSON case in, one result out: one activation, one phase G, or one phase H (SQ 10.2 to 10.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

from rules.chance.cup import ListedDice
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
    SailOrder,
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
"""Of doctrines of a side or a ship; `board` and `protect` are a side's alone (10.2)."""


def adjudicate_case(case: Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """Carry out a case (JSON, or the same as a mapping).

    Gives `position`, `events`, `winner` and `dice_left`. Raises `OrderError`: its fault's `piece` names the field, or
    its `rule` the rule that forbids the step `piece`.
    """
    given = _case_fields(case)
    dice = _parse_dice(given)
    text = given.get("position", "")
    if not isinstance(text, str):
        _raise_expected("position", "squadrons 3 E 44x28 - …")
    try:
        position = position_text.parse_position(text)
    except OrderError as wrong:
        raise _field_error("position", wrong) from wrong
    play = TurnInProgress(position, ListedDice(dice), _parse_doctrines(given.get("doctrines", {}), position))
    if ("activate" in given) == ("phase" in given):
        _raise_expected("activate", "activate, or phase")
    if "activate" in given:
        _run_activation(play, given["activate"], deadline=given.get("mode") == "deadline")
    else:
        _run_phase(play, given["phase"])
    end = next((event for event in play.events if isinstance(event, GameEnded)), None)
    return {
        "position": position_text.format_position(play.position),
        "events": [event_to_json(event) for event in play.events if event.shown_in_cases],
        "winner": None if end is None else end.winner,
        "dice_left": len(play.cup.dice_left) if isinstance(play.cup, ListedDice) else 0,
    }


def _run_activation(play: TurnInProgress, given: Any, *, deadline: bool) -> None:  # noqa: ANN401 - as it came
    names = _parse_squadron(play.position, given)
    orders = _parse_orders(given.get("orders", ""), names)
    if not deadline and (wrong := rehearsal.first_illegal_line(play.position, orders)) and wrong.barred:
        piece = f"{wrong.ship} {wrong.step}"
        raise IllegalOrder("illegal_step", wrong.barred.rule, piece=piece)
    activation.run_activation(play, names, orders)


def _run_phase(play: TurnInProgress, given: Any) -> None:  # noqa: ANN401 - as it came
    if given not in ("G", "H") or play.position.phase != given:
        _raise_expected("phase", "G, H: that of the position")
    if given == "G":
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


def _parse_dice(given: Mapping[str, Any]) -> tuple[int, ...]:
    dice = given.get("dice", [])
    if not isinstance(dice, list) or not all(type(die) is int and 1 <= die <= 6 for die in dice):
        _raise_expected("dice", "1–6")
    return tuple(dice)


def _parse_doctrines(given: Any, position: Position) -> Doctrines:  # noqa: ANN401 - as it came
    if not isinstance(given, Mapping):
        _raise_expected("doctrines", "{}")
    return Doctrines(tuple(_parse_doctrine(who, entries, position) for who, entries in given.items()))


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
            legal = [one for one in DOCTRINE_VALUES[key] if one != "ask"]
            if value not in legal:
                _raise_expected("doctrines", f"{key}: {', '.join(legal)}")
            values[key] = value
        else:
            _raise_expected("doctrines", ", ".join((*_DOCTRINE_KEYS, *SIDE_KEYS)))
    return DoctrineLine(who=who, values=values, protect=protect)


def _parse_squadron(position: Position, given: Any) -> tuple[str, ...]:  # noqa: ANN401 - as it came
    if not isinstance(given, Mapping) or set(given) - {"squadron", "orders"}:
        _raise_expected("activate", "squadron, orders")
    names = given.get("squadron")
    if position.phase not in ("E", "F") or not isinstance(names, list) or not names:
        _raise_expected("activate", "phase E, F; squadron: [B1]")
    ships = [position.ships_by_id.get(name) if isinstance(name, str) else None for name in names]
    able = [ship for ship in ships if ship is not None and ship.is_afloat and not ship.done]
    one_side = len({ship.side for ship in able}) == 1
    if len(able) < len(ships) or len(set(names)) < len(names) or not one_side:
        _raise_expected("activate", "ships of one side that are not done, each once")
    if position.phase == "F" and len(names) > 1:
        _raise_expected("activate", "one ship")
    return tuple(names)


def _parse_orders(given: Any, names: tuple[str, ...]) -> SquadronOrders:  # noqa: ANN401 - as it came
    if not isinstance(given, str):
        _raise_expected("orders", "text")
    try:
        orders = order_text.parse_orders(given)
    except OrderError as wrong:
        raise _field_error("orders", wrong) from wrong
    for line in orders.lines:
        steps = (*line.steps, *(line.alternative or ()))
        if line.ship not in names or any(isinstance(step, SailOrder) for step in steps):
            _raise_expected("orders", "ships of the squadron; no sails")
        if line.mp is not None and any(isinstance(step, AnastropheOrder) for step in line.steps):
            _raise_expected("orders", "ana without m")
    return orders
