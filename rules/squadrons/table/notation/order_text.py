"""Orders as text (SQ 9.5): what is read here is what was written here.

Letter case and the number of blanks mean nothing; empty lines are left out, but count. Other words than those of the
notation are put into them by `words.plain` before. Whether an order is legal is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final, cast

from rules.errors import IllegalOrder, OrderError, UnreadableOrder, excerpt
from rules.squadrons.table.notation.orders import (
    Anastrophe,
    Board,
    Cut,
    Fire,
    Grapple,
    Jettison,
    Line,
    Move,
    Orders,
    Pass,
    Rake,
    Ram,
    Sail,
    Share,
    Shot,
    Step,
    Through,
    Transfer,
)
from rules.typed import fold

RULE: Final = "SQ-24.2"
"""By which everything is refused that cannot be read."""
SHIP: Final = r"[br][1-9][0-9]?"
"""A ship's id."""
_LEADER: Final = r"[br]l[1-9]"
_LINE: Final = re.compile(rf"({SHIP}) ?: ?(.*)")
_BOARD: Final = re.compile(rf"board ({SHIP}) with (.+)")
_SHARE: Final = re.compile(rf"({SHIP})(?: ?x ?([1-9]))?")
_SHOT: Final = re.compile(rf"({SHIP})(?: ?x ?([1-9]))?")
_ANNOUNCED: Final = re.compile(r"m ?([0-9]{1,2})(?= |$)")
_ELSE: Final = re.compile(r" ?\| ?else(?: |$)")
_CODES: Final = {"ta": "TA", "bp": "Bp", "bs": "Bs", **{letter: letter.upper() for letter in "fpsb"}}
_REPEATED: Final = frozenset({"F", "P", "S", "B", "tp", "ts", "wp", "ws"})
"""Moves that a number repeats."""
_NO_ORDER: Final = ("bad_line", "bad_step")
"""Codes of what is written in no way that this game knows."""


class _Unread(Exception):
    """A piece that is no step, or one that is not written as it must be."""

    def __init__(self, code: str, piece: str, expected: str) -> None:
        super().__init__(piece)
        self.code = code
        self.piece = piece
        self.expected = expected


def _names(text: str) -> tuple[str, ...]:
    found = tuple(name.strip().upper() for name in text.split(","))
    if len(set(found)) < len(found):
        raise _Unread("ship_twice", text, "cut R1, R2")
    return found


def _moves(found: re.Match[str]) -> tuple[Step, ...]:
    code = _CODES.get(found[1], found[1])
    if found[2] and code not in _REPEATED:
        raise _Unread("bad_step", found[0], code)
    return (Move(cast("Any", code)),) * int(found[2] or 1)


def _fire(found: re.Match[str]) -> tuple[Step, ...]:
    first, *more = re.split(" ?, ?", found[1].strip())
    flame = "flame" in first
    shots = []
    for piece in (first.replace(" flame", ""), *more):
        one = _SHOT.fullmatch(piece.strip())
        if not one:
            raise _Unread("bad_step", found[0], "fire R1 x1, R2 x2")
        shots.append(Shot(one[1].upper(), int(one[2]) if one[2] else None))
    if len({shot.target for shot in shots}) < len(shots):
        raise _Unread("ship_twice", found[0], "fire R1 x1, R2 x2")
    if len(shots) > 1 and any(shot.m is None for shot in shots):
        raise _Unread("shares_needed", found[0], "fire R1 x1, R2 x2")
    return (Fire(tuple(shots), flame),)


def _side(letter: str) -> Any:  # noqa: ANN401 - one of the letters that the pattern knows
    return letter


_READERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[Step, ...]]], ...]] = tuple(
    (re.compile(rf"(?:{pattern})(?= |,|$)"), reader)
    for pattern, reader in (
        (
            rf"fire ({SHIP}(?: flame)?(?: ?x ?[1-9])?(?: ?, ?{SHIP}(?: ?x ?[1-9])?)*)",
            _fire,
        ),
        (rf"x ({SHIP}) ?: ?([ps])", lambda m: (Through(m[1].upper(), _side(m[2])),)),
        (rf"ana ({SHIP})( x)? ([ps])", lambda m: (Anastrophe(m[1].upper(), _side(m[3]), bool(m[2])),)),
        (rf"rake ({SHIP})", lambda m: (Rake(m[1].upper()),)),
        (rf"ram ({SHIP})( pots)?", lambda m: (Ram(m[1].upper(), bool(m[2])),)),
        (rf"grap ({SHIP})", lambda m: (Grapple(m[1].upper()),)),
        (rf"cut ({SHIP}(?: ?, ?{SHIP})*)", lambda m: (Cut(_names(m[1])),)),
        (rf"xfer ({_LEADER}) ({SHIP})", lambda m: (Transfer(m[1].upper(), m[2].upper()),)),
        ("sail (up|down)", lambda m: (Sail(m[1] == "up"),)),
        ("jettison", lambda _: (Jettison(),)),
        ("pass", lambda _: (Pass(),)),
        ("(exit|ta|bp|bs|tp|ts|wp|ws|[fpsb])([1-9])?", _moves),
    )
)
_EXPECTED: Final = (
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


def read_orders(text: str) -> Orders:
    """The orders of several lines. Raises `OrderError`; its parameter `line` counts from 1."""
    lines: dict[str, Line] = {}
    boards: list[Board] = []
    for number, piece in numbered(text):
        if fold(piece).startswith("board"):
            boards.append(read_board(piece, number))
            continue
        line = read_line(piece, number)
        if line.ship in lines:
            raise refused("line_twice", number, piece, ship=line.ship)
        lines[line.ship] = line
    return Orders(tuple(lines.values()), tuple(boards))


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Lines that are not empty, with their numbers from 1."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def read_line(text: str, number: int = 1) -> Line:
    """The orders of one ship, such as `B1: F2 P`. Raises `OrderError`."""
    found = _LINE.fullmatch(fold(text))
    if not found:
        raise refused("bad_line", number, text, expected="B1: F2 P ram R3 | else F1")
    return read_body(found[1].upper(), found[2], number)


def read_body(ship: str, text: str, number: int = 1) -> Line:
    """The orders that stand after the colon. Raises `OrderError`."""
    body = fold(text)
    announced = _ANNOUNCED.match(body)
    main, *rest = _ELSE.split(body[announced.end() :] if announced else body, maxsplit=1)
    try:
        steps = tuple(_steps(main))
        alternative = tuple(_steps(rest[0])) if rest else None
    except _Unread as wrong:
        raise refused(wrong.code, number, wrong.piece, expected=wrong.expected) from None
    return Line(ship, steps, alternative, int(announced[1]) if announced else None)


def _steps(text: str) -> Iterator[Step]:
    left = text.strip()
    while left:
        if left.split(" ")[0] == "turn":
            raise _Unread("which_way", left, "F2 P")
        for pattern, reader in _READERS:
            if found := pattern.match(left):
                yield from reader(found)
                left = left[found.end() :].lstrip()
                break
        else:
            piece = left.split(" ")[0] if not left.startswith(_BEGUN) else " ".join(left.split(" ")[:2])
            raise _Unread("bad_step", piece, next((how for word, how in _EXPECTED if left.startswith(word)), "F2"))


_BEGUN: Final = tuple(word for word, _ in _EXPECTED)


def read_board(text: str, number: int = 1) -> Board:
    """The boarding of a line such as `board R3 with B1`. Raises `OrderError`."""
    found = _BOARD.fullmatch(fold(text))
    shares = [_SHARE.fullmatch(piece.strip()) for piece in found[2].split("+")] if found else []
    if not found or not all(shares):
        raise refused("bad_step", number, text, expected="board R1 with B1 x1 + B2")
    read = tuple(Share(one[1].upper(), int(one[2]) if one[2] else None) for one in shares if one)
    if len({share.ship for share in read}) < len(read):
        raise refused("ship_twice", number, text, expected="board R1 with B1 x1 + B2")
    return Board(found[1].upper(), read)


def refused(code: str, line: int, piece: str, **params: Any) -> OrderError:  # noqa: ANN401 - scalars
    """Refuse a piece of a line; what is no order of this game at all can't be read."""
    if code in _NO_ORDER:
        return UnreadableOrder(code, rule=RULE, piece=excerpt(piece), line=line, **params)
    return IllegalOrder(code, RULE, piece=excerpt(piece), line=line, **params)


# --- writing -----------------------------------------------------------------------------------------------------


def write_line(line: Line) -> str:
    """A ship's line as text that `read_line` reads back."""
    return f"{line.ship}: {write_body(line)}".rstrip()


def write_body(line: Line) -> str:
    """What stands after the colon of a line, as text that `read_body` reads back."""
    announced = "" if line.mp is None else f"m{line.mp}"
    otherwise = "" if line.alternative is None else f"| else {write_steps(line.alternative)}".rstrip()
    return " ".join(filter(None, (announced, write_steps(line.steps), otherwise)))


def write_steps(steps: Iterable[Step]) -> str:
    """Steps as text; repeated moves are written with a number, up to nine in one."""
    return " ".join(_grouped(steps))


def _grouped(steps: Iterable[Step]) -> Iterator[str]:
    for step, same in groupby(steps):
        times = len(list(same))
        text = write_step(step)
        while times > 0:
            many = min(times, 9) if isinstance(step, Move) and step.code in _REPEATED else 1
            yield f"{text}{many}" if many > 1 else text
            times -= many


def write_step(step: Step) -> str:
    """One step as text, such as `ram R3`."""
    return _WRITERS[type(step)](step)


def _shots(step: Fire) -> str:
    pieces = []
    for number, shot in enumerate(step.shots):
        flame = " flame" if step.flame and not number else ""
        pieces.append(f"{shot.target}{flame}{'' if shot.m is None else f' x{shot.m}'}")
    return f"fire {', '.join(pieces)}"


_WRITERS: Final[dict[type[Step], Callable[[Any], str]]] = {
    Move: lambda step: step.code,
    Through: lambda step: f"X {step.target}:{step.side}",
    Anastrophe: lambda step: f"ana {step.target} {'X ' if step.through else ''}{step.side}",
    Rake: lambda step: f"rake {step.target}",
    Ram: lambda step: f"ram {step.target}{' pots' if step.pots else ''}",
    Grapple: lambda step: f"grap {step.target}",
    Fire: _shots,
    Cut: lambda step: f"cut {', '.join(step.ships)}",
    Sail: lambda step: f"sail {'up' if step.up else 'down'}",
    Jettison: lambda _: "jettison",
    Transfer: lambda step: f"xfer {step.leader} {step.to}",
    Pass: lambda _: "pass",
}


def write_board(board: Board) -> str:
    """A boarding as text that `read_board` reads back."""
    shares = (f"{share.ship}{'' if share.m is None else f' x{share.m}'}" for share in board.shares)
    return f"board {board.target} with {' + '.join(shares)}"
