"""An unfinished sheet of orders (RS-21), where typing and pressing meet in one notation.

A draft is text such as `A1: ram S1 or fwd 4`, with one line per ship in the order in which they act. Lines of doctrine
(`doctrine all: swipe=turn`) and of the standing sheet, which replaces a missing one (`standing A1: fwd`), follow.
`stay` alone is a sheet without orders. The focus is a ship; `A1+` adds the next order as one more alternative, and
`A1+reach` shows where enemies can strike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Seat
from rules.interface.drafts import AnswerNotation, try_read
from rules.interface.question import Choice
from rules.ramspeed.engine.notation import doctrine, sheets
from rules.ramspeed.engine.notation.entry import ENTRY_RULE
from rules.ramspeed.engine.notation.words import to_notation_words
from rules.ramspeed.engine.orders import Alternative, DoctrineLine, OrderLine, OrderSheet
from rules.ramspeed.engine.state import Position, Ship, State
from rules.ramspeed.interface.fleet_drafts import ChosenFleet
from rules.ramspeed.interface.placement_drafts import Placement


class SheetOrders(Struct, frozen=True, tag="Orders"):
    sheet: OrderSheet = OrderSheet()
    doctrines: tuple[DoctrineLine, ...] = ()  # lines that change the captain's doctrines
    stand_in_sheet: OrderSheet | None = None  # the new standing sheet, which replaces a missing one; None: no change


class StandingChange(Struct, frozen=True, tag="Standing"):
    doctrines: tuple[DoctrineLine, ...] = ()  # lines that change the captain's doctrines
    stand_in_sheet: OrderSheet | None = None  # the new standing sheet; None: no change


class LiveOrder(Struct, frozen=True, tag="Act"):
    line: OrderLine  # of the ship that acts next


class EndPlayerTurn(Struct, frozen=True, tag="Done"):
    is_late: bool = False  # whether the time ran out, rather than the captain ending the player-turn


Answer = SheetOrders | StandingChange | LiveOrder | EndPlayerTurn | Choice | ChosenFleet | Placement


MAX_TEXT_CHARS: Final = 4000  # room for thirty ships with three alternatives each
STAY_WORD: Final = "stay"
REACH_SUFFIX: Final = "+reach"
"""The end of a draft's focus while the picture shows where enemies can strike; also typed: `A1+reach`."""
_NONE_WORD: Final = "none"
_HEAD_PATTERN: Final = r"(?:doctrine |standing )?(?:[a-z]{1,2}[0-9]{1,2}|all) ?:"  # how a line begins: `a1:`
_NEXT_LINE_PATTERN: Final = re.compile(rf"(?<!doctrine)(?<!standing)[ ;,|/]+(?={_HEAD_PATTERN})")
"""The beginning of a new line in a text of one line, as commands take it."""
_ID_PATTERN: Final = re.compile(r"([a-z]{1,2}[0-9]{1,2})?(\+reach)?")
_ALL_PATTERN: Final = re.compile("all(?: ?:| )(.*)")  # `all: fwd 4`
# lines that concern the whole sheet
_WHOLE_WORDS: Final = frozenset({STAY_WORD, "all: stay", "clear", "repeat", "standing", f"standing {_NONE_WORD}"})


class OrderContext(Struct, frozen=True):
    position: Position
    player: str  # the captain
    ships: tuple[Ship, ...]  # the captain's ships that can be ordered
    doctrines: tuple[DoctrineLine, ...]  # doctrines in force
    stand_in_sheet: OrderSheet | None  # the sheet that replaces a missing one; None: no such sheet
    last_sheet: OrderSheet  # the sheet of the previous turn
    stays_if_late: bool  # whether ships of a captain who misses the deadline stay; otherwise the computer orders them

    @property
    def only_ship(self) -> str:
        """The id of the captain's only ship; empty if there are several, or none."""
        return self.ships[0].id if len(self.ships) == 1 else ""


class OrderDraft(Struct, frozen=True):
    lines: tuple[OrderLine, ...] = ()  # of ships ordered so far
    is_stay: bool = False
    """Whether ships without a line stay, even if none has one; for standing changes, whether the draft is complete."""
    doctrines: tuple[DoctrineLine, ...] = ()  # changes only
    stand_in_sheet: OrderSheet | None = None  # the new standing sheet; None: no change
    focus: str = ""  # id of the ship in focus; empty: the whole fleet
    is_adding: bool = False  # whether the next order becomes one more alternative
    shows_reach: bool = False  # whether the picture shows where enemies can strike

    @property
    def focus_text(self) -> str:
        """The focus with what follows it, such as `A1`, `A1+` or `A1+reach`."""
        return f"{self.focus}{'+' * self.is_adding}{REACH_SUFFIX * self.shows_reach}"

    @property
    def is_complete(self) -> bool:
        return bool(self.lines) or self.is_stay

    def line_of(self, ship: str) -> OrderLine | None:
        return next((line for line in self.lines if line.ship == ship), None)


def order_context(state: State, seat: Seat) -> OrderContext:
    number = state.seats.index(seat)  # of the player
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
    """Return the draft with the focus on another ship; `A1+` adds the next order as one more alternative.

    An empty focus means the whole fleet, or the only ship.
    """
    ship_focus = focus.removesuffix(REACH_SUFFIX)
    draft = structs.replace(draft, shows_reach=ship_focus != focus)
    name = ship_focus.removesuffix("+")
    if any(ship.id == name for ship in context.ships):
        return structs.replace(draft, focus=name, is_adding=name != ship_focus)
    return structs.replace(draft, focus=context.only_ship, is_adding=False)


def is_sheet_sealable(context: OrderContext, draft: OrderDraft) -> bool:
    """Return whether the sheet may be sealed: something is ordered, or no ship can do anything."""
    return draft.is_complete or all(ship.is_derelict or context.position.is_locked(ship.id) for ship in context.ships)


def write_draft(draft: OrderDraft) -> Draft:
    return Draft(draft_text(draft), draft.focus_text)


def draft_text(draft: OrderDraft) -> str:
    lines = [sheets.format_line(line) for line in draft.lines] or ([STAY_WORD] if draft.is_stay else [])
    lines += map(doctrine.format_doctrine, draft.doctrines)
    return "\n".join([*lines, *_stand_in_texts(draft.stand_in_sheet)])


def _stand_in_texts(sheet: OrderSheet | None) -> Iterator[str]:
    if sheet is not None:
        yield from (f"standing {sheets.format_line(line)}" for line in sheet.lines)
        if not sheet.lines:
            yield f"standing {_NONE_WORD}"


def complete_orders(context: OrderContext, draft: OrderDraft) -> SheetOrders:
    if not is_sheet_sealable(context, draft):
        raise UnreadableOrder("no_orders_given", piece=quote_excerpt(draft_text(draft)))
    return SheetOrders(OrderSheet(draft.lines), draft.doctrines, draft.stand_in_sheet)


def format_orders(answer: SheetOrders) -> str:
    return draft_text(
        OrderDraft(
            lines=answer.sheet.lines, is_stay=True, doctrines=answer.doctrines, stand_in_sheet=answer.stand_in_sheet
        )
    )


def is_standing_line(line: str) -> bool:
    """Return whether a line of an answer also applies to later turns, as doctrines and standing orders do."""
    return line.startswith(("doctrine ", "standing "))


def default_orders(context: OrderContext) -> SheetOrders | None:
    """Return the standing sheet, or an empty one if the game lets ships stay, or None."""
    lines = still_possible(context, context.stand_in_sheet)
    return SheetOrders(OrderSheet(lines)) if lines or context.stays_if_late else None


# --- typing ------------------------------------------------------------------------------------------------------


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """Return the draft changed by typed text; ships that it does not mention keep their lines. Raises `OrderError`."""
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
    def __init__(self, context: OrderContext, draft: OrderDraft) -> None:
        self._context = context
        self._draft = draft
        self._new_lines: dict[str, OrderLine] = {}  # by ship
        self._standing: dict[str, OrderLine] = {}  # lines of a new standing sheet, by ship

    def to_draft(self) -> OrderDraft:
        if self._standing:
            self._draft = structs.replace(self._draft, stand_in_sheet=OrderSheet(tuple(self._standing.values())))
        return structs.replace(self._draft, lines=merge_lines(self._draft.lines, tuple(self._new_lines.values())))

    def read_piece(self, piece: str, number: int) -> None:
        if piece in _WHOLE_WORDS:
            self._read_for_all(piece)
        elif piece.startswith("standing "):
            line = _own_line(self._context, piece.removeprefix("standing ").strip(), number)
            _add_line(self._standing, line, piece, number)
        elif "=" in piece or piece.startswith("doctrine"):
            doctrine_line = doctrine.parse_doctrine(piece, self._context.position, number)
            merged = doctrine.merge_doctrines((*self._draft.doctrines, doctrine_line))
            self._draft = structs.replace(self._draft, doctrines=merged.lines)
        elif match := _ALL_PATTERN.fullmatch(piece):
            for ship in self._context.ships:
                self._new_lines.setdefault(ship.id, _own_line(self._context, f"{ship.id}:{match[1]}", number))
        elif match := _ID_PATTERN.fullmatch(piece):
            focus = _own_ship_id(self._context, match[1], number) if match[1] else self._draft.focus
            self._draft = structs.replace(self._draft, focus=focus, is_adding=False, shows_reach=bool(match[2]))
        else:
            piece = self._with_colon(piece)
            is_for_focus = self._draft.focus and ":" not in piece
            line_text = f"{self._draft.focus}: {piece}" if is_for_focus else piece
            line = _own_line(self._context, line_text, number)
            _add_line(self._new_lines, line, piece, number)

    def _with_colon(self, piece: str) -> str:
        """Return `A1 ram S1` as `A1: ram S1` if the ship is the captain's; any other text is unchanged."""
        name, _, orders = piece.partition(" ")
        is_own_ship = any(ship.id == name.upper() for ship in self._context.ships)
        return f"{name}: {orders}" if orders and ":" not in piece and is_own_ship else piece

    def _read_for_all(self, piece: str) -> None:
        context = self._context
        match piece:
            case "repeat":
                self._new_lines.update({line.ship: line for line in still_possible(context, context.last_sheet)})
            case "standing":
                self._new_lines.update({line.ship: line for line in still_possible(context, context.stand_in_sheet)})
            case "standing none":
                self._draft = structs.replace(self._draft, stand_in_sheet=OrderSheet())
            case _:
                self._new_lines.clear()
                self._draft = structs.replace(self._draft, lines=(), is_stay=piece != "clear")


def split_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text in words of the notation; one line of text may contain several."""
    for line in to_notation_words(text.replace("\r", "\n")).split("\n"):
        yield from (piece.strip(" ;,|") for piece in _NEXT_LINE_PATTERN.split(line) if piece.strip(" ;,|"))


def merge_lines(before: Sequence[OrderLine], new_lines: Sequence[OrderLine]) -> tuple[OrderLine, ...]:
    """Merge new lines into old ones: ships that have a line keep its place in the sheet's order, others come last."""
    ships_before = {line.ship for line in before}
    new_ships = {line.ship for line in new_lines}
    replacements = iter([line for line in new_lines if line.ship in ships_before])
    added_lines = [line for line in new_lines if line.ship not in ships_before]
    merged = [next(replacements) if line.ship in new_ships else line for line in before]
    return (*merged, *added_lines)


def _add_line(lines: dict[str, OrderLine], line: OrderLine, piece: str, number: int) -> None:
    if line.ship in lines:
        raise IllegalOrder("line_twice", ENTRY_RULE, piece=quote_excerpt(piece), line=number, ship=line.ship)
    lines[line.ship] = line


def _own_line(context: OrderContext, piece: str, number: int) -> OrderLine:
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
    return IllegalOrder("not_your_ship", ENTRY_RULE, piece=quote_excerpt(piece), line=number, ship=name, yours=yours)


# --- whole sheets ------------------------------------------------------------------------------------------------


def still_possible(context: OrderContext, sheet: OrderSheet | None) -> tuple[OrderLine, ...]:
    """Return the lines of a sheet that are possible now: of the captain's ships, against ships still afloat."""
    # a line is possible if its text still reads as the same line
    lines = sheet.lines if sheet else ()
    return tuple(
        line
        for line in lines
        if try_read(sheets.parse_line, sheets.format_line(line), context.position, context.player) == line
    )


def with_ship_line(draft: OrderDraft, line: OrderLine) -> OrderDraft:
    return structs.replace(draft, lines=merge_lines(draft.lines, (line,)), is_stay=False)


def without_line(draft: OrderDraft, ship: str) -> OrderDraft:
    return structs.replace(draft, lines=tuple(line for line in draft.lines if line.ship != ship))


def move_line_up(draft: OrderDraft, ship: str) -> OrderDraft:
    lines = list(draft.lines)
    place = next(number for number, line in enumerate(lines) if line.ship == ship)
    lines[place - 1], lines[place] = lines[place], lines[place - 1]
    return structs.replace(draft, lines=tuple(lines))


def with_alternatives(draft: OrderDraft, alternatives: Iterable[Alternative]) -> OrderDraft:
    return structs.replace(with_ship_line(draft, OrderLine(draft.focus, tuple(alternatives))), is_adding=False)
