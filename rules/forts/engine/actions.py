"""Actions and plans in writing (NB part 8): `BB>G4`, `BB*FRx2|GA`, `end`; and plans with a line a kind of wind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from rules.core.errors import UnreadableOrder, quote_excerpt
from rules.core.view import Text
from rules.forts.engine.boards import Board
from rules.forts.engine.state import CODES, Action, ClassCode, EndOrder, MoveOrder, PlanBlock, ShootOrder, Target

WIND_LABELS: Final = ("any", "wind", "calm")

_SHIP_PATTERN: Final = "|".join(CODES)
_MOVE_PATTERN: Final = re.compile(rf"({_SHIP_PATTERN})>([A-Z])([1-9][0-9]?)")
_SHOTS_PATTERN: Final = re.compile(
    rf"({_SHIP_PATTERN})\*((?:{_SHIP_PATTERN})(?:X[1-9])?(?:\|(?:{_SHIP_PATTERN})(?:X[1-9])?)*)"
)
_LABEL_PATTERN: Final = re.compile(rf"({'|'.join(WIND_LABELS).upper()}):")
_BLANK_PATTERN: Final = re.compile(r"[ \t]+")


def parse_actions(text: str, board: Board) -> tuple[Action, ...]:
    """The actions of a list; letter case, blanks and empty actions mean nothing.

    Raises `UnreadableOrder`. Whether a hex can be sailed to is not asked here, but it must lie in a column and a row
    that the board has.
    """
    pieces = [piece for piece in _BLANK_PATTERN.sub("", text).upper().split(";") if piece]
    found = tuple(_parse_action(piece, board) for piece in pieces)
    if EndOrder() in found[:-1]:
        raise UnreadableOrder("end_not_last", piece=quote_excerpt(text))
    return found


def parse_plan(text: str, board: Board) -> tuple[PlanBlock, ...]:
    """The blocks of a plan, one a line; a line without a label holds in any wind. Raises `UnreadableOrder`."""
    blocks = []
    for line in re.split(r"\r\n|\n|\r", text):
        label, rest = split_label(line)
        if found := parse_actions(rest, board):
            blocks.append(PlanBlock(label, found))  # type: ignore[arg-type] # one of LABELS
    return tuple(blocks)


def split_label(line: str) -> tuple[str, str]:
    """The label of a line of a plan, `any` if it has none, and its actions."""
    bare = _BLANK_PATTERN.sub("", line).upper()
    found = _LABEL_PATTERN.match(bare)
    return (found[1].lower(), bare[found.end() :]) if found else ("any", bare)


def format_actions(actions: Sequence[Action]) -> str:
    """A list of actions as text: `parse_actions` gives it back."""
    return "; ".join(map(format_action, actions))


def format_action(action: Action) -> str:
    """An action as text."""
    match action:
        case MoveOrder():
            return f"{action.ship}>{action.hex}"
        case ShootOrder():
            targets = (f"{target.code}x{target.most}" if target.most else target.code for target in action.targets)
            return f"{action.ship}*{'|'.join(targets)}"
        case EndOrder():
            return "end"


def action_text(action: Action) -> Text:
    """An action as a sentence."""
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
    """Which enemy she shoots at, and how often."""
    often = {0: "all", 1: "one"}.get(target.most, "some")
    return Text(f"target.{often}", {"at": target.code, "n": target.most})


def _leftover_text(target: Target) -> Text:
    """The same of an enemy who gets what an earlier one leaves."""
    return _target_text(target) if target.most else Text("target.left", {"at": target.code})


def _parse_action(piece: str, board: Board) -> Action:
    if piece == "END":
        return EndOrder()
    if found := _MOVE_PATTERN.fullmatch(piece):
        if ord(found[2]) - ord("A") < board.columns and int(found[3]) <= max(board.rows_even, board.rows_odd):
            return MoveOrder(cast("ClassCode", found[1]), found[2] + found[3])
    elif found := _SHOTS_PATTERN.fullmatch(piece):
        return ShootOrder(cast("ClassCode", found[1]), tuple(map(_parse_target, found[2].split("|"))))
    raise UnreadableOrder("action_unreadable", piece=piece, given=quote_excerpt(piece))


def _parse_target(piece: str) -> Target:
    code, _, most = piece.partition("X")
    return Target(cast("ClassCode", code), int(most or 0))
