"""Sheets as text (RS-21): `parse_sheet` reads what `format_sheet` writes.

Letter case and repeated blanks are ignored. Empty lines are skipped, but counted. `words.to_notation_words` first
translates other words to those of the notation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from msgspec import structs

from rules.interface.typed import fold_text, numbered_lines
from rules.ramspeed.engine.notation.entry import (
    CheckedAlternative,
    entry_error,
    named_ship,
    require_ship,
)
from rules.ramspeed.engine.orders import (
    Alternative,
    AttackOrder,
    BackOrder,
    CrewTransferOrder,
    ExitOrder,
    FaceOrder,
    ForwardOrder,
    GrappleOrder,
    IgniteOrder,
    LaunchOrder,
    OrderLine,
    OrderSheet,
    OrderStep,
    RamOrder,
    ShootOrder,
    StayOrder,
    SteerOrder,
    SwipeOrder,
    TurnOrder,
    VeerOrder,
)
from rules.ramspeed.engine.state import Position, Ship
from rules.ramspeed.engine.tables import CONSTANTS

_ID_PATTERN: Final = r"([a-z]{1,2}[0-9]{1,2})"
_NUMBER_PATTERN: Final = r"([0-9]{1,2}(?:\.[0-9]{1,2})?)"
_PIVOT_PATTERN: Final = r"([0-9]{1,3}) ?([lr])"  # `15 r`
_LINE_PATTERN: Final = re.compile(rf"{_ID_PATTERN} ?: ?(.*)")  # `a1: ram s1 or fwd 4`
_OR_PATTERN: Final = re.compile(r"(?:^| )or(?= |$)")
_VERB_PATTERN: Final = re.compile(
    r" (?=(?:stay|launch|exit|fwd|back|turn|veer|steer|face|ram|swipe|grapple|shoot|transfer)\b)"
)
"""The beginning of a step that is not separated from the previous one."""

_EXAMPLES: Final = {
    "fwd": "fwd 1",
    "back": "back 1",
    "turn": "turn 45L",
    "veer": "veer 15R 1",
    "steer": "steer S1 1",
    "face": "face S1",
    "ram": "ram S1",
    "swipe": "swipe S1",
    "grapple": "grapple S1",
    "shoot": "shoot S1 crew",
    "transfer": "transfer 5 to A2",
}
"""A step that can be read, by the first word of one that cannot."""

_StepReader = Callable[[re.Match[str]], OrderStep]


def _parse_inches(number: str | None) -> float | None:
    return None if number is None else float(number)


def _parse_letter(letter: str | None) -> Any:  # noqa: ANN401 - one of the letters that the pattern knows
    return (letter or "").upper()


_STEP_READERS: Final[tuple[tuple[re.Pattern[str], _StepReader], ...]] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in cast(
        "tuple[tuple[str, _StepReader], ...]",
        (
            ("stay", lambda _: StayOrder()),
            ("launch", lambda _: LaunchOrder()),
            ("exit", lambda _: ExitOrder()),
            ("ignite", lambda _: IgniteOrder()),
            (rf"fwd(?: {_NUMBER_PATTERN})?", lambda m: ForwardOrder(_parse_inches(m[1]))),
            (rf"back {_NUMBER_PATTERN}", lambda m: BackOrder(float(m[1]))),
            (rf"turn {_PIVOT_PATTERN}", lambda m: TurnOrder(int(m[1]), _parse_letter(m[2]))),
            (
                rf"veer {_PIVOT_PATTERN}(?: {_NUMBER_PATTERN})?",
                lambda m: VeerOrder(int(m[1]), _parse_letter(m[2]), _parse_inches(m[3])),
            ),
            (rf"steer {_ID_PATTERN} {_NUMBER_PATTERN}", lambda m: SteerOrder(m[1].upper(), float(m[2]))),
            (rf"face {_ID_PATTERN}", lambda m: FaceOrder(m[1].upper())),
            (rf"ram {_ID_PATTERN}", lambda m: RamOrder(m[1].upper())),
            (
                rf"swipe {_ID_PATTERN}(?: past {_NUMBER_PATTERN})?(?: side ([ps]))?",
                lambda m: SwipeOrder(m[1].upper(), float(m[2] or CONSTANTS.past_min), _parse_letter(m[3])),
            ),
            (rf"grapple {_ID_PATTERN}(?: side ([ps]))?", lambda m: GrappleOrder(m[1].upper(), _parse_letter(m[2]))),
            (rf"shoot {_ID_PATTERN} (crew|fire)", lambda m: ShootOrder(m[1].upper(), cast("Any", m[2]))),
            (
                rf"transfer ([0-9]{{1,3}}) (to|from) {_ID_PATTERN}",
                lambda m: CrewTransferOrder(int(m[1]), cast("Any", m[2]), m[3].upper()),
            ),
        ),
    )
)


# --- reading sheets ----------------------------------------------------------------------------------------------


def parse_sheet(text: str, position: Position, player: str) -> OrderSheet:
    """Parse a player's sheet. Raises `IllegalOrder` (RS-21.4), whose parameter `line` counts from 1."""
    lines: dict[str, OrderLine] = {}
    for number, piece in numbered_lines(text):
        order_line = parse_line(piece, position, player, number)
        if order_line.ship in lines:
            raise entry_error("line_twice", number, piece, ship=order_line.ship)
        lines[order_line.ship] = order_line
    return OrderSheet(tuple(lines.values()))


def parse_line(text: str, position: Position, player: str, number: int = 1) -> OrderLine:
    """Parse one line of a sheet. For a lost ship or another player's, return an empty line (RS-21.5).

    `number` is the line's, for errors. Raises `IllegalOrder` (RS-21.4).
    """
    piece = fold_text(text)
    match = _LINE_PATTERN.fullmatch(piece)
    if not match:
        raise entry_error("bad_line", number, text)
    ship = require_ship(position, match[1], number, text)
    orders_text = match[2].strip()
    if not orders_text:
        raise entry_error("no_order", number, text, ship=ship.id)
    if not ship.is_afloat or ship.owner != player:
        return OrderLine(ship.id)
    parts = _OR_PATTERN.split(orders_text)
    return OrderLine(ship.id, tuple(_parse_alternative(part, ship, position, number) for part in parts))


def _parse_alternative(text: str, ship: Ship, position: Position, number: int) -> Alternative:
    example = partial(_example, position, ship)
    pieces = [piece.strip() for piece in text.split(";")]
    parted = [part for piece in pieces for part in _part_steps(piece)]
    steps = tuple(_parse_step(piece, number, example) for piece in parted)
    for name in filter(None, map(named_ship, steps)):
        require_ship(position, name, number, text)
    checked = CheckedAlternative(ship, position, number, text.strip(), steps)
    checked.check_sequence()
    checked.check_limits()
    checked.check_targets()
    if parted != pieces:  # only now, so that the suggestion is legal
        raise entry_error("unparted_steps", number, text, expected="; ".join(map(format_step, steps)))
    return Alternative(_drop_attack_distance(steps))


def parse_steps(text: str) -> tuple[OrderStep, ...]:
    """Parse the steps of any ship's alternative in canonical notation. Raises `IllegalOrder` (RS-21.4)."""
    return tuple(_parse_step(piece.strip(), 1, _EXAMPLES.__getitem__) for piece in fold_text(text).split(";"))


def _part_steps(piece: str) -> list[str]:
    """Return the steps of a text in which only the semicolons between them are missing, else the text itself."""
    parts = _VERB_PATTERN.split(piece)
    are_steps = _find_step(piece) is None and len(parts) > 1 and all(map(_find_step, parts))
    return parts if are_steps else [piece]


def _parse_step(piece: str, number: int, example: Callable[[str], str]) -> OrderStep:
    if step := _find_step(piece):
        return step
    if not piece:
        raise entry_error("empty_step", number, "")
    word = piece.split(maxsplit=1)[0]
    raise entry_error("bad_step", number, piece, expected=example(word if word in _EXAMPLES else "fwd"))


def _example(position: Position, ship: Ship, word: str) -> str:
    """Return a line of a ship with an order that begins with `word`, as far as it can be carried out by her class."""
    side = position.side_of_ship(ship)
    others = [other for other in position.ships if other.is_afloat and other.id != ship.id]
    enemies = [other.id for other in others if position.side_of_ship(other) != side]
    friends = [other.id for other in others if position.side_of_ship(other) == side]
    lacks_ship = ("S1" in _EXAMPLES[word] and not enemies) or ("A2" in _EXAMPLES[word] and not friends)
    example = _EXAMPLES["fwd" if lacks_ship else word]
    example = example.replace("S1", (enemies or [""])[0]).replace("A2", (friends or [""])[0])
    return f"{ship.id}: {example}"


def _find_step(piece: str) -> OrderStep | None:
    for pattern, reader in _STEP_READERS:
        if match := pattern.fullmatch(piece):
            return reader(match)
    return None


def _drop_attack_distance(steps: tuple[OrderStep, ...]) -> tuple[OrderStep, ...]:
    if not any(isinstance(step, AttackOrder) for step in steps):
        return steps
    return tuple(
        structs.replace(step, inches=None) if isinstance(step, ForwardOrder | VeerOrder) else step for step in steps
    )


# --- writing -----------------------------------------------------------------------------------------------------


def format_sheet(sheet: OrderSheet) -> str:
    return "\n".join(format_line(line) for line in sheet.lines if line.alternatives)


def format_line(line: OrderLine) -> str:
    return f"{line.ship}: {' or '.join(map(format_alternative, line.alternatives))}"


def format_alternative(alternative: Alternative) -> str:
    return "; ".join(map(format_step, alternative.steps))


def format_step(step: OrderStep) -> str:
    return _STEP_WRITERS[type(step)](step)


def _format_pivot(step: TurnOrder | VeerOrder) -> str:
    return f"{step.degrees}{step.side}"


def _format_side(step: SwipeOrder | GrappleOrder) -> str:
    return f" side {step.side}" if step.side else ""


def _format_inches(inches: float | None) -> str:
    return "" if inches is None else f" {format_number(inches)}"


_STEP_WRITERS: Final[dict[type[OrderStep], Callable[[Any], str]]] = {
    StayOrder: lambda _: "stay",
    LaunchOrder: lambda _: "launch",
    ExitOrder: lambda _: "exit",
    IgniteOrder: lambda _: "ignite",
    ForwardOrder: lambda step: f"fwd{_format_inches(step.inches)}",
    BackOrder: lambda step: f"back {format_number(step.inches)}",
    TurnOrder: lambda step: f"turn {_format_pivot(step)}",
    VeerOrder: lambda step: f"veer {_format_pivot(step)}{_format_inches(step.inches)}",
    SteerOrder: lambda step: f"steer {step.target} {format_number(step.inches)}",
    FaceOrder: lambda step: f"face {step.target}",
    RamOrder: lambda step: f"ram {step.target}",
    SwipeOrder: lambda step: (
        f"swipe {step.target}{'' if step.past == CONSTANTS.past_min else f' past {format_number(step.past)}'}"
        f"{_format_side(step)}"
    ),
    GrappleOrder: lambda step: f"grapple {step.target}{_format_side(step)}",
    ShootOrder: lambda step: f"shoot {step.target} {step.kind}",
    CrewTransferOrder: lambda step: f"transfer {step.crew} {step.way} {step.partner}",
}


def format_number(inches: float) -> str:
    return f"{inches:.2f}".rstrip("0").rstrip(".")
