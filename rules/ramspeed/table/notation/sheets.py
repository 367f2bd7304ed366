"""Sheets as text (RS part 8.2): `read_sheet` gives back what `write_sheet` wrote.

Letter case and the number of blanks mean nothing; empty lines are left out, but count. Other words than those of the
notation are put into them by `words.plain` before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast

from msgspec import structs

from rules.ramspeed.table.notation.entry import Checked, known, named, numbered, refused
from rules.ramspeed.table.orders import (
    Alternative,
    Attack,
    Back,
    Exit,
    Face,
    Fwd,
    Grapple,
    Ignite,
    Launch,
    Line,
    Ram,
    Sheet,
    Shoot,
    Stay,
    Steer,
    Step,
    Swipe,
    Transfer,
    Turn,
    Veer,
)
from rules.ramspeed.table.state import Position, Ship
from rules.ramspeed.table.tables import CONSTANTS
from rules.typed import fold

_ID: Final = r"([a-z]{1,2}[0-9]{1,2})"
_NUM: Final = r"([0-9]{1,2}(?:\.[0-9]{1,2})?)"
_PIVOT: Final = r"([0-9]{1,3}) ?([lr])"
_LINE: Final = re.compile(rf"{_ID} ?: ?(.*)")
_OR: Final = re.compile(r"(?:^| )or(?= |$)")
_VERB: Final = re.compile(r" (?=(?:stay|launch|exit|fwd|back|turn|veer|steer|face|ram|swipe|grapple|shoot|transfer)\b)")
"""Where one more step begins that nothing parts from the one before."""

_Reader = Callable[[re.Match[str]], Step]


def _inches(given: str | None) -> float | None:
    return None if given is None else float(given)


def _letter(given: str | None) -> Any:  # noqa: ANN401 - one of the letters that the pattern knows
    return (given or "").upper()


_STEPS: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in cast(
        "tuple[tuple[str, _Reader], ...]",
        (
            ("stay", lambda _: Stay()),
            ("launch", lambda _: Launch()),
            ("exit", lambda _: Exit()),
            ("ignite", lambda _: Ignite()),
            (rf"fwd(?: {_NUM})?", lambda m: Fwd(_inches(m[1]))),
            (rf"back {_NUM}", lambda m: Back(float(m[1]))),
            (rf"turn {_PIVOT}", lambda m: Turn(int(m[1]), _letter(m[2]))),
            (rf"veer {_PIVOT}(?: {_NUM})?", lambda m: Veer(int(m[1]), _letter(m[2]), _inches(m[3]))),
            (rf"steer {_ID} {_NUM}", lambda m: Steer(m[1].upper(), float(m[2]))),
            (rf"face {_ID}", lambda m: Face(m[1].upper())),
            (rf"ram {_ID}", lambda m: Ram(m[1].upper())),
            (
                rf"swipe {_ID}(?: past {_NUM})?(?: side ([ps]))?",
                lambda m: Swipe(m[1].upper(), float(m[2] or CONSTANTS.past_min), _letter(m[3])),
            ),
            (rf"grapple {_ID}(?: side ([ps]))?", lambda m: Grapple(m[1].upper(), _letter(m[2]))),
            (rf"shoot {_ID} (crew|fire)", lambda m: Shoot(m[1].upper(), cast("Any", m[2]))),
            (
                rf"transfer ([0-9]{{1,3}}) (to|from) {_ID}",
                lambda m: Transfer(int(m[1]), cast("Any", m[2]), m[3].upper()),
            ),
        ),
    )
)


# --- reading sheets ----------------------------------------------------------------------------------------------


def read_sheet(text: str, position: Position, player: str) -> Sheet:
    """A player's sheet. Raises `IllegalOrder` (RS-21.4), whose parameter `line` counts lines from 1."""
    lines: dict[str, Line] = {}
    for number, piece in numbered(text):
        found = read_line(piece, position, player, number)
        if found.ship in lines:
            raise refused("line_twice", number, piece, ship=found.ship)
        lines[found.ship] = found
    return Sheet(tuple(lines.values()))


def read_line(text: str, position: Position, player: str, number: int = 1) -> Line:
    """One line of a sheet. That of a ship that is lost, or another player's, is read no further (RS-21.5).

    Raises `IllegalOrder` (RS-21.4).
    """
    piece = fold(text)
    found = _LINE.fullmatch(piece)
    if not found:
        mine = next(iter(position.owned(player)), None)
        raise refused("bad_line", number, text, expected=f"{mine.id if mine else 'A1'}: fwd 4")
    ship = known(position, found[1], number, text)
    rest = found[2].strip()
    if not rest:
        raise refused("no_order", number, text, ship=ship.id)
    if not ship.afloat or ship.owner != player:
        return Line(ship.id)
    return Line(ship.id, tuple(_alternative(part, ship, position, number) for part in _OR.split(rest)))


def _alternative(text: str, ship: Ship, position: Position, number: int) -> Alternative:
    steps = tuple(_step(piece.strip(), number) for piece in text.split(";"))
    for name in filter(None, map(named, steps)):
        known(position, name, number, text)
    checked = Checked(ship, position, number, text.strip(), steps)
    checked.sequence()
    checked.limits()
    checked.targets()
    return Alternative(_canonical(steps))


def read_steps(text: str) -> tuple[Step, ...]:
    """The steps of an alternative in canonical notation, of any ship. Raises `IllegalOrder` (RS-21.4)."""
    return tuple(_step(piece.strip(), 1) for piece in fold(text).split(";"))


def _step(piece: str, number: int) -> Step:
    if step := _known(piece):
        return step
    several = [_known(one) for one in _VERB.split(piece)]
    if len(several) > 1 and all(several):
        expected = "; ".join(write_step(one) for one in several if one)
        raise refused("unparted_steps", number, piece, expected=expected)
    raise refused("bad_step", number, piece, expected="fwd 4")


def _known(piece: str) -> Step | None:
    for pattern, reader in _STEPS:
        if found := pattern.fullmatch(piece):
            return reader(found)
    return None


def _canonical(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Drop the distance before an attack, as the run decides."""
    if not any(isinstance(step, Attack) for step in steps):
        return steps
    return tuple(structs.replace(step, inches=None) if isinstance(step, Fwd | Veer) else step for step in steps)


# --- writing -----------------------------------------------------------------------------------------------------


def write_sheet(sheet: Sheet) -> str:
    """A sheet as text: `read_sheet` gives it back, but for lines that were read no further."""
    return "\n".join(write_line(line) for line in sheet.lines if line.alternatives)


def write_line(line: Line) -> str:
    """A line as text."""
    return f"{line.ship}: {' or '.join(map(write_alternative, line.alternatives))}"


def write_alternative(alternative: Alternative) -> str:
    """An alternative as text."""
    return "; ".join(map(write_step, alternative.steps))


def write_step(step: Step) -> str:
    """One step as text."""
    return _WRITERS[type(step)](step)


def _pivot(step: Turn | Veer) -> str:
    return f"{step.degrees}{step.side}"


def _beside(step: Swipe | Grapple) -> str:
    return f" side {step.side}" if step.side else ""


def _some(inches: float | None) -> str:
    return "" if inches is None else f" {number(inches)}"


_WRITERS: Final[dict[type[Step], Callable[[Any], str]]] = {
    Stay: lambda _: "stay",
    Launch: lambda _: "launch",
    Exit: lambda _: "exit",
    Ignite: lambda _: "ignite",
    Fwd: lambda step: f"fwd{_some(step.inches)}",
    Back: lambda step: f"back {number(step.inches)}",
    Turn: lambda step: f"turn {_pivot(step)}",
    Veer: lambda step: f"veer {_pivot(step)}{_some(step.inches)}",
    Steer: lambda step: f"steer {step.target} {number(step.inches)}",
    Face: lambda step: f"face {step.target}",
    Ram: lambda step: f"ram {step.target}",
    Swipe: lambda step: (
        f"swipe {step.target}{'' if step.past == CONSTANTS.past_min else f' past {number(step.past)}'}{_beside(step)}"
    ),
    Grapple: lambda step: f"grapple {step.target}{_beside(step)}",
    Shoot: lambda step: f"shoot {step.target} {step.kind}",
    Transfer: lambda step: f"transfer {step.crew} {step.way} {step.partner}",
}


def number(inches: float) -> str:
    """Inches with at most two decimals and no trailing zeros."""
    return f"{inches:.2f}".rstrip("0").rstrip(".")
