"""JSON cases: position and actions as input, the result as output, for tests and other programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder
from rules.core.protocol import Event
from rules.forts.engine import actions, events, notation, turn
from rules.forts.engine.state import Action, Position
from rules.forts.engine.turn import TurnInProgress

_CASE_EVENTS: Final[Mapping[type[Event], tuple[str, dict[str, str]]]] = {  # name in cases, and fields by their names
    events.WindRolled: ("wind", {"die": "die", "wind": "wind"}),
    events.ShipMoved: ("moved", {"ship": "ship", "from": "start", "to": "end", "steps": "steps"}),
    events.ShotFired: ("shot", {key: key for key in ("by", "to", "distance", "plunging", "need", "die", "hit")}),
    events.ShipSunk: ("sunk", {"ship": "ship", "by": "by"}),
    events.ActionSkipped: ("skipped", {"action": "action", "rule": "rule"}),
    events.SiegeOpened: ("siege", {"by": "by", "fort": "fort"}),
    events.FortCaptured: ("captured", {"by": "by", "fort": "fort"}),
    events.BattleScored: ("scored", {"white": "white", "red": "red", "reason": "reason"}),
}


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    ruleset: Literal["forts"] = "forts"  # name of the game
    mode: Literal["live", "plan"] = "live"  # whether an impossible action is an error (`live`) or skipped (`plan`)
    dice: list[int] = []  # the die for the wind, if it is not rolled yet, then one die per shot
    position: str  # in one line
    actions: str = ""  # in notation, such as `BB>G4; end`


class ListedDice(Struct, frozen=True):
    dice_left: tuple[int, ...]  # numbers of the dice still to throw
    shots: int = 0  # shots thrown for so far

    def throw_die(self, what: str) -> tuple[int, ListedDice]:
        """Return the next die and the remaining dice. Raises `UnreadableOrder` if none is left."""
        shots = self.shots + (what != "wind")
        if not self.dice_left:
            missing = what if what == "wind" else f"shot {shots} ({what})"
            raise UnreadableOrder("dice_spent", piece="dice", throw=missing)
        return self.dice_left[0], ListedDice(self.dice_left[1:], shots)


def adjudicate_case(case: Mapping[str, Any] | bytes | str) -> dict[str, Any]:
    """Carry out at most one player-turn of a case, given as JSON or as a mapping.

    Returns `position`, `events`, `winner` and `dice_left`. Raises `OrderError` with the field. For an illegal live
    action, the error has the rule and the action as its only parameter.
    """
    case_data = _parse_case(case)
    for die in case_data.dice:
        if not 1 <= die <= 6:
            raise UnreadableOrder("bad_field", piece="dice", expected="1–6")
    position = notation.parse_position(case_data.position)
    run_actions = _actions_runner(case_data, position)
    play = TurnInProgress(position=position, dice_source=ListedDice(tuple(case_data.dice)))
    if position.wind is None:
        play = turn.open_turn(play)
    play = run_actions(play)
    if play.is_over and not play.winner:
        play = turn.close_turn(play)
    return {
        "position": notation.format_position(play.position),
        "events": [event_to_json(event) for event in play.events],
        "winner": play.winner,
        "dice_left": len(play.dice_source.dice_left),
    }


def event_to_json(event: Event) -> dict[str, Any]:
    name, fields = _CASE_EVENTS[type(event)]
    return {"type": name, **{name_in_case: getattr(event, field) for name_in_case, field in fields.items()}}


def _parse_case(case: Mapping[str, Any] | bytes | str) -> Case:
    try:
        return msgspec.json.decode(case, type=Case) if isinstance(case, bytes | str) else msgspec.convert(case, Case)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")  # the path is such as `$.dice`
        field = re.search(r"field `(\w+)`", message) or re.match(r"`?\$\.(\w+)", path)
        raise UnreadableOrder("bad_field", piece=field[1] if field else "case", expected=message) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise UnreadableOrder("bad_json", piece="case", expected=str(error)) from error


def _actions_runner(case: Case, position: Position) -> Callable[[TurnInProgress], TurnInProgress]:
    try:
        if case.mode == "plan":
            blocks = actions.parse_plan(case.actions, position.board)
            return lambda play: turn.run_plan(play, blocks)
        listed = actions.parse_actions(case.actions, position.board)
    except UnreadableOrder as error:
        raise OrderError(structs.replace(error.fault, piece="actions")) from error
    return lambda play: _play_live(play, listed)


def _play_live(play: TurnInProgress, todo: Sequence[Action]) -> TurnInProgress:
    for action in todo:
        if play.winner:
            break
        if hindrance := turn.find_hindrance(play.position, action):
            raise IllegalOrder("case_action", hindrance.rule, piece="actions", action=actions.format_action(action))
        play = turn.carry_out(play, action)
    return play
