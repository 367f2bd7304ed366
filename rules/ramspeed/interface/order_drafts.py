"""An unfinished sheet of orders (RS part 8): typing and pressing meet here in one notation.

A draft is text such as `A1: ram S1 or fwd 4`, a line a ship in the order in which they act; below it lines of doctrine
(`doctrine all: swipe=turn`) and of the sheet that stands in for a missing one (`standing A1: fwd`). `stay` alone is a
sheet without orders. Its focus is the ship in hand; `A1+` adds what comes next as one more alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Seat
from rules.interface.drafts import AnswerNotation, try_read
from rules.ramspeed.engine.notation import doctrine, sheets
from rules.ramspeed.engine.notation.entry import ENTRY_RULE
from rules.ramspeed.engine.notation.words import to_notation_words
from rules.ramspeed.engine.orders import Alternative, DoctrineLine, OrderLine, OrderSheet
from rules.ramspeed.engine.state import Position, Ship, State
from rules.ramspeed.interface.answers import SheetOrders

MAX_TEXT_CHARS: Final = 4000
"""Characters of a draft: thirty ships with three alternatives each."""
STAY_WORD: Final = "stay"
_NONE_WORD: Final = "none"
_HEAD_PATTERN: Final = r"(?:doctrine |standing )?(?:[a-z]{1,2}[0-9]{1,2}|all) ?:"
_NEXT_LINE_PATTERN: Final = re.compile(rf"(?<!doctrine)(?<!standing)[ ;,|/]+(?={_HEAD_PATTERN})")
"""Where a new line begins in a text of one line, as commands take it."""
_ID_PATTERN: Final = re.compile(r"[a-z]{1,2}[0-9]{1,2}")
_ALL_PATTERN: Final = re.compile("all(?: ?:| )(.*)")
_WHOLE_WORDS: Final = frozenset({STAY_WORD, "all: stay", "clear", "repeat", "standing", f"standing {_NONE_WORD}"})


class OrderContext(Struct, frozen=True):
    """Read-only inputs for editing a side's orders."""

    position: Position
    player: str
    ships: tuple[Ship, ...]
    """The captain's own that may be ordered, by id."""
    doctrines: tuple[DoctrineLine, ...]
    """The doctrines that hold now."""
    stand_in_sheet: OrderSheet | None
    """What stands in for a missing sheet now."""
    last_sheet: OrderSheet
    """The captain's sheet of the turn before."""
    stays_if_late: bool
    """Ships of a captain who misses the deadline stay; else the computer orders them."""

    @property
    def only_ship(self) -> str:
        """The id of the captain's only ship; empty: there are several, or none."""
        return self.ships[0].id if len(self.ships) == 1 else ""


class OrderDraft(Struct, frozen=True):
    """An unfinished sheet."""

    lines: tuple[OrderLine, ...] = ()
    is_stay: bool = False
    """Nothing more is ordered: ships without a line stay, even if none has one; or what stands is kept as it is."""
    doctrines: tuple[DoctrineLine, ...] = ()
    """Changes."""
    stand_in_sheet: OrderSheet | None = None
    """A change, too."""
    focus: str = ""
    is_adding: bool = False
    """What comes next is one more alternative."""

    @property
    def is_complete(self) -> bool:
        """Whether it may be sealed."""
        return bool(self.lines) or self.is_stay

    def line_of(self, ship: str) -> OrderLine | None:
        """The line of a ship."""
        return next((line for line in self.lines if line.ship == ship), None)


def order_context(state: State, seat: Seat) -> OrderContext:
    """The inputs for a seat's orders, and for changes of what stands."""
    number = state.seats.index(seat)
    player = state.position.players[number]
    return OrderContext(
        position=state.position,
        player=player,
        ships=state.position.ships_of(player),
        doctrines=state.doctrines[number].lines,
        stand_in_sheet=state.standing[number],
        last_sheet=state.last[number],
        stays_if_late=state.missed == "hold",
    )


def move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """The draft with another ship in hand; `A1+`: what comes next is one more alternative for her.

    Without a focus the whole fleet is looked at, or the only ship.
    """
    name = focus.removesuffix("+")
    if any(ship.id == name for ship in context.ships):
        return structs.replace(draft, focus=name, is_adding=name != focus)
    return structs.replace(draft, focus=context.only_ship, is_adding=False)


def has_missing_sheet(context: OrderContext, draft: OrderDraft) -> bool:
    """Whether a sheet may be sealed: something is ordered, or no ship can do anything."""
    return draft.is_complete or all(ship.is_derelict or context.position.is_locked(ship.id) for ship in context.ships)


def write_draft(draft: OrderDraft) -> Draft:
    """The draft as text, and its focus."""
    return Draft(draft_text(draft), f"{draft.focus}+" if draft.is_adding else draft.focus)


def draft_text(draft: OrderDraft) -> str:
    """The draft's text."""
    lines = [sheets.format_line(line) for line in draft.lines] or ([STAY_WORD] if draft.is_stay else [])
    lines += map(doctrine.format_doctrine, draft.doctrines)
    return "\n".join([*lines, *_stand_in_texts(draft.stand_in_sheet)])


def _stand_in_texts(sheet: OrderSheet | None) -> Iterator[str]:
    if sheet is not None:
        yield from (f"standing {sheets.format_line(line)}" for line in sheet.lines)
        if not sheet.lines:
            yield f"standing {_NONE_WORD}"


def complete_orders(context: OrderContext, draft: OrderDraft) -> SheetOrders:
    """The sheet of a draft, with changes of what stands. Raises `OrderError` if nothing is ordered."""
    if not has_missing_sheet(context, draft):
        raise UnreadableOrder("no_orders_given", piece=quote_excerpt(draft_text(draft)))
    return SheetOrders(OrderSheet(draft.lines), draft.doctrines, draft.stand_in_sheet)


def format_orders(answer: SheetOrders) -> str:
    """An answer in canonical notation."""
    return draft_text(
        OrderDraft(
            lines=answer.sheet.lines, is_stay=True, doctrines=answer.doctrines, stand_in_sheet=answer.stand_in_sheet
        )
    )


def is_standing_line(line: str) -> bool:
    """Whether a line of an answer in canonical notation holds in later turns, too: a doctrine, or what stands."""
    return line.startswith(("doctrine ", "standing "))


def default_orders(context: OrderContext) -> SheetOrders | None:
    """The sheet that stands in for a missing one; else all ships stay, if the game allows that."""
    lines = still_possible(context, context.stand_in_sheet)
    return SheetOrders(OrderSheet(lines)) if lines or context.stays_if_late else None


# --- typing ------------------------------------------------------------------------------------------------------


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with text in it; what the text does not mention stays. Raises `OrderError` naming the line."""
    reader = _PieceReader(context, draft)
    for number, piece in enumerate(split_lines(text), 1):
        reader.read_piece(piece, number)
    return reader.to_draft()


SHEET_NOTATION: Final[AnswerNotation[State, OrderContext, OrderDraft, SheetOrders]] = AnswerNotation(
    context=lambda state, request: order_context(state, request.seat),
    empty_draft=lambda _: OrderDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: write_draft(draft),
    complete_answer=complete_orders,
    format_answer=format_orders,
    move_focus=move_focus,
    max_chars=MAX_TEXT_CHARS,
)


class _PieceReader:
    """Takes one piece of typed text after another."""

    def __init__(self, context: OrderContext, draft: OrderDraft) -> None:
        self._context = context
        self._draft = draft
        self._given: dict[str, OrderLine] = {}
        self._standing: dict[str, OrderLine] = {}

    def to_draft(self) -> OrderDraft:
        """The draft with all that was taken."""
        if self._standing:
            self._draft = structs.replace(self._draft, stand_in_sheet=OrderSheet(tuple(self._standing.values())))
        return structs.replace(self._draft, lines=merge_lines(self._draft.lines, tuple(self._given.values())))

    def read_piece(self, piece: str, number: int) -> None:
        """Take a piece. Raises `IllegalOrder`."""
        if piece in _WHOLE_WORDS:
            self._read_for_all(piece)
        elif piece.startswith("standing "):
            line = _own_line(self._context, piece.removeprefix("standing ").strip(), number)
            _add_line(self._standing, line, piece, number)
        elif "=" in piece or piece.startswith("doctrine"):
            line_of = doctrine.parse_doctrine(piece, self._context.position, number)
            merged = doctrine.merge_doctrines((*self._draft.doctrines, line_of))
            self._draft = structs.replace(self._draft, doctrines=merged.lines)
        elif every := _ALL_PATTERN.fullmatch(piece):
            for ship in self._context.ships:
                self._given.setdefault(ship.id, _own_line(self._context, f"{ship.id}:{every[1]}", number))
        elif _ID_PATTERN.fullmatch(piece):
            self._draft = structs.replace(
                self._draft, focus=_own_ship_id(self._context, piece, number), is_adding=False
            )
        else:
            piece = self._with_colon(piece)
            bare = self._draft.focus and ":" not in piece
            line = _own_line(self._context, f"{self._draft.focus}: {piece}" if bare else piece, number)
            _add_line(self._given, line, piece, number)

    def _with_colon(self, piece: str) -> str:
        """A line that begins with one of the captain's ships, with the missing colon after her id."""
        name, _, orders = piece.partition(" ")
        mine = orders and ":" not in piece and any(ship.id == name.upper() for ship in self._context.ships)
        return f"{name}: {orders}" if mine else piece

    def _read_for_all(self, piece: str) -> None:
        """What is meant for all ships."""
        context = self._context
        match piece:
            case "repeat":
                self._given.update({line.ship: line for line in still_possible(context, context.last_sheet)})
            case "standing":
                self._given.update({line.ship: line for line in still_possible(context, context.stand_in_sheet)})
            case "standing none":
                self._draft = structs.replace(self._draft, stand_in_sheet=OrderSheet())
            case _:
                self._given.clear()
                self._draft = structs.replace(self._draft, lines=(), is_stay=piece != "clear")


def split_lines(text: str) -> Iterator[str]:
    """The lines of a text in the words of the notation; a text of one line may hold several."""
    for line in to_notation_words(text.replace("\r", "\n")).split("\n"):
        yield from (piece.strip(" ;,|") for piece in _NEXT_LINE_PATTERN.split(line) if piece.strip(" ;,|"))


def merge_lines(before: Sequence[OrderLine], given: Sequence[OrderLine]) -> tuple[OrderLine, ...]:
    """Lines with new ones: those of ships that have a line take these places, in the order given; others come last."""
    new = {line.ship: line for line in given}
    known = iter([line for line in given if any(one.ship == line.ship for one in before)])
    kept = [next(known) if line.ship in new else line for line in before]
    return (*kept, *(line for line in given if not any(one.ship == line.ship for one in before)))


def _add_line(found: dict[str, OrderLine], line: OrderLine, piece: str, number: int) -> None:
    if line.ship in found:
        raise IllegalOrder("line_twice", ENTRY_RULE, piece=quote_excerpt(piece), line=number, ship=line.ship)
    found[line.ship] = line


def _own_line(context: OrderContext, piece: str, number: int) -> OrderLine:
    """A line for one of the captain's ships. Raises `IllegalOrder`."""
    line = sheets.parse_line(piece, context.position, context.player, number)
    if not line.alternatives:
        raise _not_own_error(context, line.ship, piece, number)
    return line


def _own_ship_id(context: OrderContext, piece: str, number: int) -> str:
    name = piece.upper()
    if not any(ship.id == name for ship in context.ships):
        raise _not_own_error(context, name, piece, number)
    return name


def _not_own_error(context: OrderContext, name: str, piece: str, number: int) -> IllegalOrder:
    yours = ", ".join(ship.id for ship in context.ships)
    return IllegalOrder("not_your_ship", "RS-21.5", piece=quote_excerpt(piece), line=number, ship=name, yours=yours)


# --- whole sheets ------------------------------------------------------------------------------------------------


def still_possible(context: OrderContext, sheet: OrderSheet | None) -> tuple[OrderLine, ...]:
    """The lines of a sheet that can be ordered now: of the captain's ships, at enemies that are still afloat."""
    table = context.position, context.player
    every = sheet.lines if sheet else ()
    return tuple(line for line in every if try_read(sheets.parse_line, sheets.format_line(line), *table) == line)


def with_ship_line(draft: OrderDraft, line: OrderLine) -> OrderDraft:
    """The draft with a ship's line, in its place if she has one, else last."""
    return structs.replace(draft, lines=merge_lines(draft.lines, (line,)), is_stay=False)


def without_line(draft: OrderDraft, ship: str) -> OrderDraft:
    """The draft without a ship's line."""
    return structs.replace(draft, lines=tuple(line for line in draft.lines if line.ship != ship))


def move_line_up(draft: OrderDraft, ship: str) -> OrderDraft:
    """The draft with a ship's line before the one above it."""
    lines = list(draft.lines)
    at = next(at for at, line in enumerate(lines) if line.ship == ship)
    lines[at - 1 : at + 1] = lines[at], lines[at - 1]
    return structs.replace(draft, lines=tuple(lines))


def with_alternatives(draft: OrderDraft, alternatives: Iterable[Alternative]) -> OrderDraft:
    """The draft with other alternatives for the ship in hand."""
    return structs.replace(with_ship_line(draft, OrderLine(draft.focus, tuple(alternatives))), is_adding=False)
