"""Orders as text (SQ-24.2): reading and writing the canonical notation.

Letter case and extra blanks are ignored. Empty lines are ignored but counted. `typed_words.to_notation_words`
translates other words before. This module does not check whether an order is legal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final, cast

from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder, quote_excerpt
from rules.interface.typed import fold_text, numbered_lines
from rules.squadrons.engine.notation.orders import (
    AnastropheOrder,
    BoardingOrder,
    BoardingParty,
    CutOrder,
    Flank,
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
SHIP_PATTERN: Final = r"[br][1-9][0-9]?"
_LEADER_PATTERN: Final = r"[br]l[1-9]"
_LINE_PATTERN: Final = re.compile(rf"({SHIP_PATTERN}) ?: ?(.*)")
_BOARD_PATTERN: Final = re.compile(rf"board ({SHIP_PATTERN}) with (.+)")
_SHARE_PATTERN: Final = re.compile(rf"({SHIP_PATTERN})(?: ?x ?([1-9]))?")  # `b1 x2`: a ship, perhaps manpower
_ANNOUNCED_PATTERN: Final = re.compile(r"m ?([0-9]{1,2})(?= |$)")  # `m5`: movement points
_ELSE_PATTERN: Final = re.compile(r" ?\| ?else(?: |$)")
_CODE_BY_WORD: Final = {"ta": "TA", "bp": "Bp", "bs": "Bs", **{letter: letter.upper() for letter in "fpsb"}}
_REPEATABLE_CODES: Final = frozenset({"F", "P", "S", "B", "tp", "ts", "wp", "ws"})
_UNREADABLE_CODES: Final = ("bad_line", "bad_step")


class _UnreadablePiece(Exception):
    def __init__(self, code: str, piece: str, expected: str) -> None:
        super().__init__(piece)
        self.code = code
        self.piece = piece
        self.expected = expected


def _split_names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().upper() for name in text.split(","))
    if len(set(names)) < len(names):
        raise _UnreadablePiece("ship_twice", text, "cut R1, R2")
    return names


def _parse_moves(match: re.Match[str]) -> tuple[OrderStep, ...]:  # `f2`
    code = _CODE_BY_WORD.get(match[1], match[1])
    if match[2] and code not in _REPEATABLE_CODES:
        raise _UnreadablePiece("bad_step", match[0], code)
    return (MoveOrder(cast("Any", code)),) * int(match[2] or 1)


def _parse_volley(match: re.Match[str]) -> tuple[OrderStep, ...]:  # `fire r1 flame x1, r2 x2`
    first_piece, *other_pieces = re.split(" ?, ?", match[1].strip())
    flame = "flame" in first_piece
    shots = []
    for piece in (first_piece.replace(" flame", ""), *other_pieces):
        shot_match = _SHARE_PATTERN.fullmatch(piece.strip())
        if not shot_match:
            raise _UnreadablePiece("bad_step", match[0], "fire R1 x1, R2 x2")
        shots.append(VolleyTarget(shot_match[1].upper(), int(shot_match[2]) if shot_match[2] else None))
    if len({shot.target for shot in shots}) < len(shots):
        raise _UnreadablePiece("ship_twice", match[0], "fire R1 x1, R2 x2")
    if len(shots) > 1 and any(shot.m is None for shot in shots):
        raise _UnreadablePiece("shares_needed", match[0], "fire R1 x1, R2 x2")
    return (VolleyOrder(tuple(shots), flame),)


_STEP_READERS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[OrderStep, ...]]], ...]] = tuple(
    (re.compile(rf"(?:{pattern})(?= |,|$)"), reader)
    for pattern, reader in (
        (rf"fire ({SHIP_PATTERN}(?: flame)?(?: ?x ?[1-9])?(?: ?, ?{SHIP_PATTERN}(?: ?x ?[1-9])?)*)", _parse_volley),
        (rf"x ({SHIP_PATTERN}) ?: ?([ps])", lambda m: (PassThroughOrder(m[1].upper(), cast("Flank", m[2])),)),
        (
            rf"ana ({SHIP_PATTERN})( x)? ([ps])",
            lambda m: (AnastropheOrder(m[1].upper(), cast("Flank", m[3]), bool(m[2])),),
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
PLAIN_EXAMPLE: Final = "F2"
_BOARD_EXAMPLE: Final = "board R1 with B1 x1 + B2"
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


# --- reading -----------------------------------------------------------------------------------------------------


def parse_orders(text: str) -> SquadronOrders:
    """Parse orders of several lines. Raises `OrderError`; its parameter `line` counts from 1."""
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


def parse_line(text: str, number: int = 1) -> OrderLine:
    """Parse the orders of one ship, such as `B1: F2 P`. Raises `OrderError`."""
    match = _LINE_PATTERN.fullmatch(fold_text(text))
    if not match:
        raise line_error("bad_line", number, text)
    return parse_body(match[1].upper(), match[2], number)


def parse_body(ship: str, text: str, number: int = 1, adapt: Callable[[str], str] = str) -> OrderLine:
    """Parse the orders after the colon. Raises `OrderError`; `adapt` puts ships of the game into its example."""
    folded_text = fold_text(text)
    points_match = _ANNOUNCED_PATTERN.match(folded_text)
    branches_text = folded_text[points_match.end() :] if points_match else folded_text
    main_text, *else_texts = _ELSE_PATTERN.split(branches_text, maxsplit=1)  # at most one `else` branch
    try:
        steps = tuple(_parse_steps(main_text))
        alternative = tuple(_parse_steps(else_texts[0])) if else_texts else None
    except _UnreadablePiece as error:
        raise line_error(error.code, number, error.piece, expected=f"{ship}: {adapt(error.expected)}") from None
    return OrderLine(ship, steps, alternative, int(points_match[1]) if points_match else None)


def _parse_steps(text: str) -> Iterator[OrderStep]:
    unread = text.strip()
    while unread:
        if unread.split(" ")[0] == "turn":
            raise _UnreadablePiece("which_way", unread, PLAIN_EXAMPLE)
        for pattern, reader in _STEP_READERS:
            if match := pattern.match(unread):
                yield from reader(match)
                unread = unread[match.end() :].lstrip()
                break
        else:
            word_count = 2 if unread.startswith(_STEP_WORDS) else 1  # an action is quoted with its target
            piece = " ".join(unread.split(" ")[:word_count])
            examples = [example for word, example in _STEP_EXAMPLES if unread.startswith(word)]
            raise _UnreadablePiece("bad_step", piece, examples[0] if examples else PLAIN_EXAMPLE)


_STEP_WORDS: Final = tuple(word for word, _ in _STEP_EXAMPLES)


def parse_board(text: str, number: int = 1, adapt: Callable[[str], str] = str) -> BoardingOrder:
    """Parse a boarding such as `board R3 with B1`. Raises `OrderError`; `adapt` as in `parse_body`."""
    match = _BOARD_PATTERN.fullmatch(fold_text(text))
    share_matches = [_SHARE_PATTERN.fullmatch(piece.strip()) for piece in match[2].split("+")] if match else []
    if not match or not all(share_matches):
        raise line_error("bad_step", number, text, expected=adapt(_BOARD_EXAMPLE))
    parties = tuple(
        BoardingParty(share_match[1].upper(), int(share_match[2]) if share_match[2] else None)
        for share_match in share_matches
        if share_match
    )
    if len({party.ship for party in parties}) < len(parties):
        raise line_error("ship_twice", number, text, expected=adapt(_BOARD_EXAMPLE))
    return BoardingOrder(match[1].upper(), parties)


def line_error(code: str, line: int, piece: str, **params: Any) -> OrderError:  # noqa: ANN401 - scalars
    """Return an `UnreadableOrder` if `code` means that the text is no order of this game, else an `IllegalOrder`."""
    if code in _UNREADABLE_CODES:
        return UnreadableOrder(code, rule=UNREADABLE_RULE, piece=quote_excerpt(piece), line=line, **params)
    return IllegalOrder(code, UNREADABLE_RULE, piece=quote_excerpt(piece), line=line, **params)


# --- writing -----------------------------------------------------------------------------------------------------


def format_line(line: OrderLine) -> str:
    return f"{line.ship}: {format_body(line)}".rstrip()


def format_body(line: OrderLine) -> str:
    announced = "" if line.mp is None else f"m{line.mp}"
    alternative = "" if line.alternative is None else f"| else {format_steps(line.alternative)}".rstrip()
    return " ".join(filter(None, (announced, format_steps(line.steps), alternative)))


def format_steps(steps: Iterable[OrderStep]) -> str:
    """Return steps as text. Repeated moves are written with a number, at most 9."""
    return " ".join(_group_repeats(steps))


def _group_repeats(steps: Iterable[OrderStep]) -> Iterator[str]:
    for step, repeats in groupby(steps):
        times_left = len(list(repeats))
        text = format_step(step)
        while times_left > 0:
            count = min(times_left, 9) if isinstance(step, MoveOrder) and step.code in _REPEATABLE_CODES else 1
            yield f"{text}{count}" if count > 1 else text
            times_left -= count


def format_step(step: OrderStep) -> str:
    return _STEP_WRITERS[type(step)](step)


def _format_shots(step: VolleyOrder) -> str:
    pieces = []
    for number, shot in enumerate(step.shots):
        flame = " flame" if step.flame and number == 0 else ""
        manpower = "" if shot.m is None else f" x{shot.m}"
        pieces.append(f"{shot.target}{flame}{manpower}")
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
    shares = (f"{share.ship}{'' if share.m is None else f' x{share.m}'}" for share in board.shares)
    return f"board {board.target} with {' + '.join(shares)}"
