"""Actions as text (NB-10.2), such as `BB>G4`, `BB*FRx2|GA` and `end`, and plans with a line per kind of wind."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, cast

from rules.core.errors import UnreadableOrder, quote_excerpt
from rules.core.view import Text
from rules.forts.engine.boards import Board
from rules.forts.engine.state import CODES, Action, ClassCode, EndOrder, MoveOrder, PlanBlock, ShootOrder, Target

_WORDS: Final = {  # words of captains, without accents, by the word of the notation
    "end": ("vege", "kesz"),
    "undo": ("vissza", "visszavon"),
    "plan": ("terv",),
    "pass": ("passz", "kihagy"),
    "away": ("tavol",),
    "claim": ("kovetel", "igenyel"),
    "none": ("nincs", "semmi"),
    "auto": ("azonnal", "magatol"),
    "any": ("barmikor", "mindig"),
    "wind": ("szel", "szelben"),
    "calm": ("szelcsend", "szelcsendben"),
}
_MEANING_BY_WORD: Final = {word: meant for meant, words in _WORDS.items() for word in words}


def to_notation_words(text: str) -> str:
    """Return text in lower case without accents, with its words translated to the notation; line breaks stay."""
    unaccented = "".join(
        char for char in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(char)
    )
    return re.sub("[a-z]+", lambda match: _MEANING_BY_WORD.get(match[0], match[0]), unaccented)


WIND_LABELS: Final = ("any", "wind", "calm")

_SHIP_PATTERN: Final = "|".join(CODES)
_MOVE_PATTERN: Final = re.compile(rf"({_SHIP_PATTERN})>?([A-Z])([1-9][0-9]?)")  # `BB>G4`, or `BB G4`
_SHOTS_PATTERN: Final = re.compile(  # `BB*FRX2|GA`
    rf"({_SHIP_PATTERN})\*((?:{_SHIP_PATTERN})(?:X[1-9])?(?:\|(?:{_SHIP_PATTERN})(?:X[1-9])?)*)"
)
_LABEL_PATTERN: Final = re.compile(rf"({'|'.join(WIND_LABELS).upper()}):")  # `CALM:`
_BLANK_PATTERN: Final = re.compile(r"[ \t]+")


def parse_actions(text: str, board: Board) -> tuple[Action, ...]:
    """Parse a list of actions; letter case, blanks and empty actions are ignored.

    Raises `UnreadableOrder`. The hex of a move must lie within the board's columns and rows; whether it can be reached
    is not checked.
    """
    pieces = [piece for piece in re.split("[;,]", _BLANK_PATTERN.sub("", text).upper()) if piece]
    actions = tuple(_parse_action(piece, board) for piece in pieces)
    if EndOrder() in actions[:-1]:
        raise UnreadableOrder("end_not_last", piece=quote_excerpt(text))
    return actions


def parse_plan(text: str, board: Board) -> tuple[PlanBlock, ...]:
    """Parse a plan, one block per line; a line without a label applies in any wind. Raises `UnreadableOrder`."""
    blocks = []
    for line in re.split(r"\r\n|\n|\r", text):
        label, actions_text = split_label(line)
        if actions := parse_actions(actions_text, board):
            blocks.append(PlanBlock(label, actions))  # type: ignore[arg-type] # one of LABELS
    return tuple(blocks)


def split_label(line: str) -> tuple[str, str]:
    """Return the label of a plan's line, by default `any`, and the text of its actions."""
    compact = _BLANK_PATTERN.sub("", line).upper()
    match = _LABEL_PATTERN.match(compact)
    return (match[1].lower(), compact[match.end() :]) if match else ("any", compact)


def format_actions(actions: Sequence[Action]) -> str:
    return "; ".join(map(format_action, actions))


def format_action(action: Action) -> str:
    match action:
        case MoveOrder():
            return f"{action.ship}>{action.hex}"
        case ShootOrder():
            targets = (f"{target.code}x{target.most}" if target.most else target.code for target in action.targets)
            return f"{action.ship}*{'|'.join(targets)}"
        case EndOrder():
            return "end"


def action_text(action: Action) -> Text:
    match action:
        case MoveOrder():
            return Text("line.sail", {"ship": action.ship, "hex": action.hex})
        case ShootOrder(targets=(Target(most=0) as first, *others)) if others:
            then = tuple(map(_leftover_text, others))
            return Text("line.shoot_then", {"ship": action.ship, "first": (_target_text(first),), "then": then})
        case ShootOrder():
            return Text("line.shoot", {"ship": action.ship, "targets": tuple(map(_target_text, action.targets))})
    return Text("line.end")


def _target_text(target: Target) -> Text:
    amount = {0: "all", 1: "one"}.get(target.most, "some")  # 0: all shots that are left
    return Text(f"target.{amount}", {"at": target.code, "n": target.most})


def _leftover_text(target: Target) -> Text:
    return _target_text(target) if target.most else Text("target.left", {"at": target.code})


def _parse_action(piece: str, board: Board) -> Action:
    if piece == "END":
        return EndOrder()
    if match := _MOVE_PATTERN.fullmatch(piece):
        if ord(match[2]) - ord("A") < board.columns and int(match[3]) <= max(board.rows_even, board.rows_odd):
            return MoveOrder(cast("ClassCode", match[1]), match[2] + match[3])
    elif match := _SHOTS_PATTERN.fullmatch(piece):
        return ShootOrder(cast("ClassCode", match[1]), tuple(map(_parse_target, match[2].split("|"))))
    raise UnreadableOrder("action_unreadable", piece=piece, given=quote_excerpt(piece))


def _parse_target(piece: str) -> Target:
    code, _, most = piece.partition("X")
    return Target(cast("ClassCode", code), int(most or 0))
