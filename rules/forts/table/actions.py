"""Actions and plans in writing (NB part 8): `BB>G4`, `BB*FRx2|GA`, `end`; and plans with a line a kind of wind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from rules.errors import UnreadableOrder, excerpt
from rules.forts.table.boards import Board
from rules.forts.table.state import CODES, Action, Block, Code, End, Move, Shots, Target
from rules.view import Text

LABELS: Final = ("any", "wind", "calm")

_SHIP: Final = "|".join(CODES)
_MOVE: Final = re.compile(rf"({_SHIP})>([A-Z])([1-9][0-9]?)")
_SHOTS: Final = re.compile(rf"({_SHIP})\*((?:{_SHIP})(?:X[1-9])?(?:\|(?:{_SHIP})(?:X[1-9])?)*)")
_LABEL: Final = re.compile(rf"({'|'.join(LABELS).upper()}):")
_BLANK: Final = re.compile(r"[ \t]+")


def read(text: str, board: Board) -> tuple[Action, ...]:
    """The actions of a list; letter case, blanks and empty actions mean nothing.

    Raises `UnreadableOrder`. Whether a hex can be sailed to is not asked here, but it must lie in a column and a row
    that the board has.
    """
    pieces = [piece for piece in _BLANK.sub("", text).upper().split(";") if piece]
    found = tuple(_read_one(piece, board) for piece in pieces)
    if End() in found[:-1]:
        raise UnreadableOrder("end_not_last", piece=excerpt(text))
    return found


def read_plan(text: str, board: Board) -> tuple[Block, ...]:
    """The blocks of a plan, one a line; a line without a label holds in any wind. Raises `UnreadableOrder`."""
    blocks = []
    for line in re.split(r"\r\n|\n|\r", text):
        label, rest = split_label(line)
        if found := read(rest, board):
            blocks.append(Block(label, found))  # type: ignore[arg-type] # one of LABELS
    return tuple(blocks)


def split_label(line: str) -> tuple[str, str]:
    """The label of a line of a plan, `any` if it has none, and its actions."""
    bare = _BLANK.sub("", line).upper()
    found = _LABEL.match(bare)
    return (found[1].lower(), bare[found.end() :]) if found else ("any", bare)


def write(actions: Sequence[Action]) -> str:
    """A list of actions as text: `read` gives it back."""
    return "; ".join(map(write_one, actions))


def write_one(action: Action) -> str:
    """An action as text."""
    match action:
        case Move():
            return f"{action.ship}>{action.hex}"
        case Shots():
            targets = (f"{target.code}x{target.most}" if target.most else target.code for target in action.targets)
            return f"{action.ship}*{'|'.join(targets)}"
        case End():
            return "end"


def in_words(action: Action) -> Text:
    """An action as a sentence."""
    match action:
        case Move():
            return Text("line.sail", {"ship": action.ship, "hex": action.hex})
        case Shots(targets=(Target(most=0) as first, *others)) if others:
            then = tuple(map(_left_in_words, others))
            return Text("line.shoot_then", {"ship": action.ship, "first": (_target_in_words(first),), "then": then})
        case Shots():
            return Text("line.shoot", {"ship": action.ship, "targets": tuple(map(_target_in_words, action.targets))})
    return Text("line.end")


def _target_in_words(target: Target) -> Text:
    """Which enemy she shoots at, and how often."""
    often = {0: "all", 1: "one"}.get(target.most, "some")
    return Text(f"target.{often}", {"at": target.code, "n": target.most})


def _left_in_words(target: Target) -> Text:
    """The same of an enemy who gets what an earlier one leaves."""
    return _target_in_words(target) if target.most else Text("target.left", {"at": target.code})


def _read_one(piece: str, board: Board) -> Action:
    if piece == "END":
        return End()
    if found := _MOVE.fullmatch(piece):
        if ord(found[2]) - ord("A") < board.columns and int(found[3]) <= max(board.rows_even, board.rows_odd):
            return Move(cast("Code", found[1]), found[2] + found[3])
    elif found := _SHOTS.fullmatch(piece):
        return Shots(cast("Code", found[1]), tuple(map(_target, found[2].split("|"))))
    raise UnreadableOrder("action_unreadable", piece=piece, given=excerpt(piece))


def _target(piece: str) -> Target:
    code, _, most = piece.partition("X")
    return Target(cast("Code", code), int(most or 0))
