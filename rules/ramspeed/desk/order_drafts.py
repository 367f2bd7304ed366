"""A captain's sheet while he writes it (RS part 8): typing and pressing meet here in one notation.

A draft is text such as `A1: ram S1 or fwd 4`, a line a ship in the order in which they act; below it lines of doctrine
(`doctrine all: swipe=turn`) and of the sheet that stands in for a missing one (`standing A1: fwd`). `stay` alone is a
sheet without orders. Its focus is the ship in hand; `A1+` adds what comes next as one more alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from rules.errors import IllegalOrder, OrderError, UnreadableOrder
from rules.protocol import Draft, Seat
from rules.ramspeed.desk.answers import Orders
from rules.ramspeed.table.notation import doctrine, sheets
from rules.ramspeed.table.notation.entry import RULE
from rules.ramspeed.table.notation.words import plain
from rules.ramspeed.table.orders import Alternative, DoctrineLine, Line, Sheet
from rules.ramspeed.table.state import Position, Ship, State

MOST_TEXT: Final = 4000
"""Characters of a draft: thirty ships with three alternatives each."""
STAY: Final = "stay"
_NONE: Final = "none"
_HEAD: Final = r"(?:doctrine |standing )?(?:[a-z]{1,2}[0-9]{1,2}|all) ?:"
_NEXT: Final = re.compile(rf"(?<!doctrine)(?<!standing)[ ;,|/]+(?={_HEAD})")
"""Where a new line begins in a text of one line, as commands take it."""
_ID: Final = re.compile(r"[a-z]{1,2}[0-9]{1,2}")
_ALL: Final = re.compile("all(?: ?:| )(.*)")
_WHOLE: Final = frozenset({STAY, "all: stay", "clear", "repeat", "standing", f"standing {_NONE}"})


class Desk(Struct, frozen=True):
    """What a captain writes his sheet upon."""

    position: Position
    player: str
    ships: tuple[Ship, ...]
    """His own afloat, by id."""
    doctrines: tuple[DoctrineLine, ...]
    """That hold now."""
    standing: Sheet | None
    """What stands in for a missing sheet now."""
    last: Sheet
    """His last one."""


class Paper(Struct, frozen=True):
    """An unfinished sheet."""

    lines: tuple[Line, ...] = ()
    stay: bool = False
    """Whoever has no line is to stay, even if nobody has any."""
    doctrines: tuple[DoctrineLine, ...] = ()
    """Changes."""
    standing: Sheet | None = None
    """A change, too."""
    focus: str = ""
    adding: bool = False
    """What comes next is one more alternative."""

    @property
    def complete(self) -> bool:
        """Whether it may be sealed."""
        return bool(self.lines) or self.stay

    def line(self, ship: str) -> Line | None:
        """The line of a ship."""
        return next((line for line in self.lines if line.ship == ship), None)


def desk_of(state: State, seat: Seat) -> Desk:
    """Lay out what a captain needs."""
    number = state.seats.index(seat)
    player = state.position.players[number]
    return Desk(
        state.position,
        player,
        state.position.owned(player),
        state.doctrines[number].lines,
        state.standing[number],
        state.last[number],
    )


def read(desk: Desk, draft: Draft) -> Paper:
    """Read a draft; one that cannot be read counts as empty. Without a focus all ships are looked at."""
    try:
        paper = amend(desk, Paper(), draft.text)
    except OrderError:
        paper = Paper()
    name = draft.focus.removesuffix("+")
    adding = draft.focus.endswith("+")
    if any(ship.id == name for ship in desk.ships):
        return structs.replace(paper, focus=name, adding=adding)
    return structs.replace(paper, focus=desk.ships[0].id if len(desk.ships) == 1 else "", adding=False)


def complete(desk: Desk, paper: Paper) -> bool:
    """Whether a sheet may be sealed: something is ordered, or no ship can do anything."""
    return paper.complete or all(ship.derelict or desk.position.locked(ship.id) for ship in desk.ships)


def write(paper: Paper) -> Draft:
    """Write a draft."""
    return Draft(written(paper), f"{paper.focus}+" if paper.adding else paper.focus)


def written(paper: Paper) -> str:
    """Write its text."""
    lines = [sheets.write_line(line) for line in paper.lines] or ([STAY] if paper.stay else [])
    lines += map(doctrine.write_doctrine, paper.doctrines)
    return "\n".join([*lines, *_written_standing(paper.standing)])


def _written_standing(sheet: Sheet | None) -> Iterator[str]:
    if sheet is not None:
        yield from (f"standing {sheets.write_line(line)}" for line in sheet.lines)
        if not sheet.lines:
            yield f"standing {_NONE}"


def finish(desk: Desk, text: str) -> Orders:
    """Read a complete answer. Raises `OrderError`."""
    paper = amend(desk, Paper(), text)
    if not complete(desk, paper):
        raise UnreadableOrder("no_orders_given", piece=excerpt(text))
    return Orders(Sheet(paper.lines), paper.doctrines, paper.standing)


def canonical(answer: Orders) -> str:
    """Write an answer: `finish` gives it back."""
    return written(Paper(lines=answer.sheet.lines, stay=True, doctrines=answer.doctrines, standing=answer.standing))


# --- typing ------------------------------------------------------------------------------------------------------


def amend(desk: Desk, paper: Paper, text: str) -> Paper:
    """Put text into a draft; what it does not mention stays. Raises `OrderError` and changes nothing otherwise."""
    _bounded(text)
    reader = _Reader(desk, paper)
    for number, piece in enumerate(pieces(text), 1):
        reader.take(piece, number)
    done = reader.done()
    _bounded(written(done))  # or it could not be read again, and would count as empty
    return done


def _bounded(text: str) -> None:
    if len(text) > MOST_TEXT:
        raise UnreadableOrder("text_too_long", piece=excerpt(text), most=MOST_TEXT, length=len(text))


class _Reader:
    """Takes one piece of typed text after another."""

    def __init__(self, desk: Desk, paper: Paper) -> None:
        self._desk = desk
        self._paper = paper
        self._given: dict[str, Line] = {}
        self._standing: dict[str, Line] = {}

    def done(self) -> Paper:
        """The draft with all that was taken."""
        if self._standing:
            self._paper = structs.replace(self._paper, standing=Sheet(tuple(self._standing.values())))
        return structs.replace(self._paper, lines=placed(self._paper.lines, tuple(self._given.values())))

    def take(self, piece: str, number: int) -> None:
        """Take a piece. Raises `IllegalOrder`."""
        if piece in _WHOLE:
            self._whole(piece)
        elif piece.startswith("standing "):
            line = _own(self._desk, piece.removeprefix("standing ").strip(), number)
            _once(self._standing, line, piece, number)
        elif "=" in piece or piece.startswith("doctrine"):
            line_of = doctrine.read_doctrine(piece, self._desk.position, number)
            merged = doctrine.merged((*self._paper.doctrines, line_of))
            self._paper = structs.replace(self._paper, doctrines=merged.lines)
        elif every := _ALL.fullmatch(piece):
            for ship in self._desk.ships:
                self._given.setdefault(ship.id, _own(self._desk, f"{ship.id}:{every[1]}", number))
        elif _ID.fullmatch(piece):
            self._paper = structs.replace(self._paper, focus=_mine(self._desk, piece, number), adding=False)
        else:
            piece = self._parted(piece)
            bare = self._paper.focus and ":" not in piece
            line = _own(self._desk, f"{self._paper.focus}: {piece}" if bare else piece, number)
            _once(self._given, line, piece, number)

    def _parted(self, piece: str) -> str:
        """A line that begins with a ship of his own, with the colon after her that he has left out."""
        name, _, orders = piece.partition(" ")
        mine = orders and ":" not in piece and any(ship.id == name.upper() for ship in self._desk.ships)
        return f"{name}: {orders}" if mine else piece

    def _whole(self, piece: str) -> None:
        """What is meant for all ships."""
        desk = self._desk
        match piece:
            case "repeat":
                self._given.update({line.ship: line for line in again(desk)})
            case "standing":
                self._given.update({line.ship: line for line in still(desk, desk.standing or Sheet())})
            case "standing none":
                self._paper = structs.replace(self._paper, standing=Sheet())
            case _:
                self._given.clear()
                self._paper = structs.replace(self._paper, lines=(), stay=piece != "clear")


def pieces(text: str) -> Iterator[str]:
    """The lines of a text in the words of the notation; a text of one line may hold several."""
    for line in plain(text.replace("\r", "\n")).split("\n"):
        yield from (piece.strip(" ;,|") for piece in _NEXT.split(line) if piece.strip(" ;,|"))


def placed(before: Sequence[Line], given: Sequence[Line]) -> tuple[Line, ...]:
    """Lines with new ones: those of ships that have a line take these places, in the order given; others come last."""
    new = {line.ship: line for line in given}
    known = iter([line for line in given if any(one.ship == line.ship for one in before)])
    kept = [next(known) if line.ship in new else line for line in before]
    return (*kept, *(line for line in given if not any(one.ship == line.ship for one in before)))


def _once(found: dict[str, Line], line: Line, piece: str, number: int) -> None:
    if line.ship in found:
        raise IllegalOrder("line_twice", RULE, piece=excerpt(piece), line=number, ship=line.ship)
    found[line.ship] = line


def _own(desk: Desk, piece: str, number: int) -> Line:
    """Read a line for a ship of his own. Raises `IllegalOrder`."""
    line = sheets.read_line(piece, desk.position, desk.player, number)
    if not line.alternatives:
        raise _not_his(desk, line.ship, piece, number)
    return line


def _mine(desk: Desk, piece: str, number: int) -> str:
    name = piece.upper()
    if not any(ship.id == name for ship in desk.ships):
        raise _not_his(desk, name, piece, number)
    return name


def _not_his(desk: Desk, name: str, piece: str, number: int) -> IllegalOrder:
    yours = ", ".join(ship.id for ship in desk.ships)
    return IllegalOrder("not_your_ship", "RS-21.5", piece=excerpt(piece), line=number, ship=name, yours=yours)


def excerpt(text: str) -> str:
    """Shorten a piece of a player's text, so that it can be repeated to him."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:59] + "…"


# --- whole sheets ------------------------------------------------------------------------------------------------


def again(desk: Desk) -> tuple[Line, ...]:
    """The last sheet, as far as it still can be ordered."""
    return still(desk, desk.last)


def still(desk: Desk, sheet: Sheet) -> tuple[Line, ...]:
    """The lines of a sheet that can be ordered now: of his ships, at enemies that are still afloat."""
    return tuple(line for line in sheet.lines if _orderable(desk, line))


def _orderable(desk: Desk, line: Line) -> bool:
    try:
        found = sheets.read_line(sheets.write_line(line), desk.position, desk.player)
    except OrderError:
        return False
    return found == line


def with_line(paper: Paper, line: Line) -> Paper:
    """The draft with a ship's line, in its place if she has one, else last."""
    return structs.replace(paper, lines=placed(paper.lines, (line,)), stay=False)


def without(paper: Paper, ship: str) -> Paper:
    """The draft without a ship's line."""
    return structs.replace(paper, lines=tuple(line for line in paper.lines if line.ship != ship))


def moved(paper: Paper, ship: str, by: int) -> Paper:
    """The draft with a ship's line so many places further down; negative: up."""
    lines = list(paper.lines)
    at = next(at for at, line in enumerate(lines) if line.ship == ship)
    line = lines.pop(at)
    lines.insert(max(0, at + by), line)
    return structs.replace(paper, lines=tuple(lines))


def changed(paper: Paper, alternatives: Iterable[Alternative]) -> Paper:
    """The draft with other alternatives for the ship in hand."""
    return structs.replace(with_line(paper, Line(paper.focus, tuple(alternatives))), adding=False)
