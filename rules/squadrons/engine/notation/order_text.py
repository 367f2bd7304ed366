"""Orders as text (SQ 9.5): what is read here is what was written here.

Letter case and the number of blanks mean nothing; empty lines are left out, but count. Other words than those of the
notation are put into them by `words.to_notation_words` before. Whether an order is legal is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final, cast

from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder, quote_excerpt
from rules.interface.typed import fold_text
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    BoardingOrder,
    BoardingParty,
    CutOrder,
    GrappleOrder,
    JettisonOrder,
    LeaderTransferOrder,
    MoveOrder,
    OrderLine,
    OrderStep,
    PassOrder,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    SailOrder,
    SquadronOrders,
    VolleyOrder,
    VolleyTarget,
)

UNREADABLE_RULE: Final = "SQ-24.2"
"""By which everything is refused that cannot be read."""
SHIP_PATTERN: Final = r"[br][1-9][0-9]?"
"""A ship's id."""
_LEADER_PATTERN: Final = r"[br]l[1-9]"
_LINE_PATTERN: Final = re.compile(rf"({SHIP_PATTERN}) ?: ?(.*)")
_BOARD_PATTERN: Final = re.compile(rf"board ({SHIP_PATTERN}) with (.+)")
_SHARE_PATTERN: Final = re.compile(rf"({SHIP_PATTERN})(?: ?x ?([1-9]))?")
_SHOT_PATTERN: Final = re.compile(rf"({SHIP_PATTERN})(?: ?x ?([1-9]))?")
_ANNOUNCED_PATTERN: Final = re.compile(r"m ?([0-9]{1,2})(?= |$)")
_ELSE_PATTERN: Final = re.compile(r" ?\| ?else(?: |$)")
_CODE_BY_WORD: Final = {"ta": "TA", "bp": "Bp", "bs": "Bs", **{letter: letter.upper() for letter in "fpsb"}}
_REPEATABLE_CODES: Final = frozenset({"F", "P", "S", "B", "tp", "ts", "wp", "ws"})
"""Moves that a number repeats."""
_UNREADABLE_CODES: Final = ("bad_line", "bad_step")
"""Codes of what is written in no way that this game knows."""


class _UnreadablePiece(Exception):
    """A piece that is no step, or one that is not written as it must be."""

    def __init__(self, code: str, piece: str, expected: str) -> None:
        super().__init__(piece)
        self.code = code
        self.piece = piece
        self.expected = expected


def _split_names(text: str) -> tuple[str, ...]:
    found = tuple(name.strip().upper() for name in text.split(","))
    if len(set(found)) < len(found):
        raise _UnreadablePiece("ship_twice", text, "cut R1, R2")
    return found


def _parse_moves(found: re.Match[str]) -> tuple[OrderStep, ...]:
    code = _CODE_BY_WORD.get(found[1], found[1])
    if found[2] and code not in _REPEATABLE_CODES:
        raise _UnreadablePiece("bad_step", found[0], code)
    return (MoveOrder(cast("Any", code)),) * int(found[2] or 1)


def _parse_volley(found: re.Match[str]) -> tuple[OrderStep, ...]:
    first, *more = re.split(" ?, ?", found[1].strip())
    flame = "flame" in first
    shots = []
    for piece in (first.replace(" flame", ""), *more):
        one = _SHOT_PATTERN.fullmatch(piece.strip())
        if not one:
            raise _UnreadablePiece("bad_step", found[0], "fire R1 x1, R2 x2")
        shots.append(VolleyTarget(one[1].upper(), int(one[2]) if one[2] else None))
    if len({shot.target for shot in shots}) < len(shots):
        raise _UnreadablePiece("ship_twice", found[0], "fire R1 x1, R2 x2")
    if len(shots) > 1 and any(shot.m is None for shot in shots):
        raise _UnreadablePiece("shares_needed", found[0], "fire R1 x1, R2 x2")
    return (VolleyOrder(tuple(shots), flame),)


def _parse_side(letter: str) -> Any:  # noqa: ANN401 - one of the letters that the pattern knows
    return letter


_STEP_READERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[OrderStep, ...]]], ...]] = tuple(
    (re.compile(rf"(?:{pattern})(?= |,|$)"), reader)
    for pattern, reader in (
        (
            rf"fire ({SHIP_PATTERN}(?: flame)?(?: ?x ?[1-9])?(?: ?, ?{SHIP_PATTERN}(?: ?x ?[1-9])?)*)",
            _parse_volley,
        ),
        (rf"x ({SHIP_PATTERN}) ?: ?([ps])", lambda m: (PassThroughOrder(m[1].upper(), _parse_side(m[2])),)),
        (
            rf"ana ({SHIP_PATTERN})( x)? ([ps])",
            lambda m: (AnastropheOrder(m[1].upper(), _parse_side(m[3]), bool(m[2])),),
        ),
        (rf"rake ({SHIP_PATTERN})", lambda m: (RakeOrder(m[1].upper()),)),
        (rf"ram ({SHIP_PATTERN})( pots)?", lambda m: (RamOrder(m[1].upper(), bool(m[2])),)),
        (rf"grap ({SHIP_PATTERN})", lambda m: (GrappleOrder(m[1].upper()),)),
        (rf"cut ({SHIP_PATTERN}(?: ?, ?{SHIP_PATTERN})*)", lambda m: (CutOrder(_split_names(m[1])),)),
        (rf"xfer ({_LEADER_PATTERN}) ({SHIP_PATTERN})", lambda m: (LeaderTransferOrder(m[1].upper(), m[2].upper()),)),
        ("sail (up|down)", lambda m: (SailOrder(m[1] == "up"),)),
        ("jettison", lambda _: (JettisonOrder(),)),
        ("pass", lambda _: (PassOrder(),)),
        ("(exit|ta|bp|bs|tp|ts|wp|ws|[fpsb])([1-9])?", _parse_moves),
    )
)
_STEP_EXAMPLES: Final = (
    ("fire", "fire R1 x1, R2 x2"),
    ("x", "X R1:p"),
    ("ana", "ana R1 p"),
    ("rake", "rake R1"),
    ("ram", "ram R1"),
    ("grap", "grap R1"),
    ("cut", "cut R1, R2"),
    ("xfer", "xfer BL1 B2"),
    ("sail", "sail up"),
    ("board", "board R1 with B1 + B2"),
)
"""How a step is written that begins with a word."""


# --- reading -----------------------------------------------------------------------------------------------------


def parse_orders(text: str) -> SquadronOrders:
    """The orders of several lines. Raises `OrderError`; its parameter `line` counts from 1."""
    lines: dict[str, OrderLine] = {}
    boards: list[BoardingOrder] = []
    for number, piece in numbered_lines(text):
        if fold_text(piece).startswith("board"):
            boards.append(parse_board(piece, number))
            continue
        line = parse_line(piece, number)
        if line.ship in lines:
            raise line_error("line_twice", number, piece, ship=line.ship)
        lines[line.ship] = line
    return SquadronOrders(tuple(lines.values()), tuple(boards))


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def parse_line(text: str, number: int = 1) -> OrderLine:
    """The orders of one ship, such as `B1: F2 P`. Raises `OrderError`."""
    found = _LINE_PATTERN.fullmatch(fold_text(text))
    if not found:
        raise line_error("bad_line", number, text, expected="B1: F2 P ram R3 | else F1")
    return parse_body(found[1].upper(), found[2], number)


def parse_body(ship: str, text: str, number: int = 1) -> OrderLine:
    """The orders that stand after the colon. Raises `OrderError`."""
    body = fold_text(text)
    announced = _ANNOUNCED_PATTERN.match(body)
    main, *rest = _ELSE_PATTERN.split(body[announced.end() :] if announced else body, maxsplit=1)
    try:
        steps = tuple(_parse_steps(main))
        alternative = tuple(_parse_steps(rest[0])) if rest else None
    except _UnreadablePiece as wrong:
        raise line_error(wrong.code, number, wrong.piece, expected=wrong.expected) from None
    return OrderLine(ship, steps, alternative, int(announced[1]) if announced else None)


def _parse_steps(text: str) -> Iterator[OrderStep]:
    left = text.strip()
    while left:
        if left.split(" ")[0] == "turn":
            raise _UnreadablePiece("which_way", left, "F2 P")
        for pattern, reader in _STEP_READERS:
            if found := pattern.match(left):
                yield from reader(found)
                left = left[found.end() :].lstrip()
                break
        else:
            piece = left.split(" ")[0] if not left.startswith(_STEP_WORDS) else " ".join(left.split(" ")[:2])
            raise _UnreadablePiece(
                "bad_step", piece, next((how for word, how in _STEP_EXAMPLES if left.startswith(word)), "F2")
            )


_STEP_WORDS: Final = tuple(word for word, _ in _STEP_EXAMPLES)


def parse_board(text: str, number: int = 1) -> BoardingOrder:
    """The boarding of a line such as `board R3 with B1`. Raises `OrderError`."""
    found = _BOARD_PATTERN.fullmatch(fold_text(text))
    shares = [_SHARE_PATTERN.fullmatch(piece.strip()) for piece in found[2].split("+")] if found else []
    if not found or not all(shares):
        raise line_error("bad_step", number, text, expected="board R1 with B1 x1 + B2")
    read = tuple(BoardingParty(one[1].upper(), int(one[2]) if one[2] else None) for one in shares if one)
    if len({share.ship for share in read}) < len(read):
        raise line_error("ship_twice", number, text, expected="board R1 with B1 x1 + B2")
    return BoardingOrder(found[1].upper(), read)


def line_error(code: str, line: int, piece: str, **params: Any) -> OrderError:  # noqa: ANN401 - scalars
    """Refuse a piece of a line; what is no order of this game at all can't be read."""
    if code in _UNREADABLE_CODES:
        return UnreadableOrder(code, rule=UNREADABLE_RULE, piece=quote_excerpt(piece), line=line, **params)
    return IllegalOrder(code, UNREADABLE_RULE, piece=quote_excerpt(piece), line=line, **params)


# --- writing -----------------------------------------------------------------------------------------------------


def format_line(line: OrderLine) -> str:
    """A ship's line as text that `parse_line` reads back."""
    return f"{line.ship}: {format_body(line)}".rstrip()


def format_body(line: OrderLine) -> str:
    """What stands after the colon of a line, as text that `parse_body` reads back."""
    announced = "" if line.mp is None else f"m{line.mp}"
    otherwise = "" if line.alternative is None else f"| else {format_steps(line.alternative)}".rstrip()
    return " ".join(filter(None, (announced, format_steps(line.steps), otherwise)))


def format_steps(steps: Iterable[OrderStep]) -> str:
    """Steps as text; repeated moves are written with a number, up to nine in one."""
    return " ".join(_group_repeats(steps))


def _group_repeats(steps: Iterable[OrderStep]) -> Iterator[str]:
    for step, same in groupby(steps):
        times = len(list(same))
        text = format_step(step)
        while times > 0:
            many = min(times, 9) if isinstance(step, MoveOrder) and step.code in _REPEATABLE_CODES else 1
            yield f"{text}{many}" if many > 1 else text
            times -= many


def format_step(step: OrderStep) -> str:
    """One step as text, such as `ram R3`."""
    return _STEP_WRITERS[type(step)](step)


def _format_shots(step: VolleyOrder) -> str:
    pieces = []
    for number, shot in enumerate(step.shots):
        flame = " flame" if step.flame and not number else ""
        pieces.append(f"{shot.target}{flame}{'' if shot.m is None else f' x{shot.m}'}")
    return f"fire {', '.join(pieces)}"


_STEP_WRITERS: Final[dict[type[OrderStep], Callable[[Any], str]]] = {
    MoveOrder: lambda step: step.code,
    PassThroughOrder: lambda step: f"X {step.target}:{step.side}",
    AnastropheOrder: lambda step: f"ana {step.target} {'X ' if step.through else ''}{step.side}",
    RakeOrder: lambda step: f"rake {step.target}",
    RamOrder: lambda step: f"ram {step.target}{' pots' if step.pots else ''}",
    GrappleOrder: lambda step: f"grap {step.target}",
    VolleyOrder: _format_shots,
    CutOrder: lambda step: f"cut {', '.join(step.ships)}",
    SailOrder: lambda step: f"sail {'up' if step.up else 'down'}",
    JettisonOrder: lambda _: "jettison",
    LeaderTransferOrder: lambda step: f"xfer {step.leader} {step.to}",
    PassOrder: lambda _: "pass",
}


def format_board(board: BoardingOrder) -> str:
    """A boarding as text that `parse_board` reads back."""
    shares = (f"{share.ship}{'' if share.m is None else f' x{share.m}'}" for share in board.shares)
    return f"board {board.target} with {' + '.join(shares)}"
