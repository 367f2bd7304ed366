"""A captain's sheet while it is written (SQ 9.5): typing and pressing meet here in one notation.

A draft is text, a line a piece: speeds (`SQ1 M`), orders (`SQ1: F4`, `B2: F3 ram R1 | else F2`), boarding, then how
squadrons are formed (`SQ2 astern B5 B6`), their `sequence`, `double`, and doctrines. `pass` alone is a sheet without
orders. Its focus is what is in hand: a squadron, a ship, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, OrderError, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Seat
from rules.interface.drafts import AnswerNotation, try_read
from rules.squadrons.engine.notation import doctrine_text, order_text
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE, line_error
from rules.squadrons.engine.notation.orders import BoardingOrder, DoctrineLine, OrderLine, Speed, SquadronForm
from rules.squadrons.engine.notation.typed_words import to_notation_words
from rules.squadrons.engine.phases.command import command, ownership
from rules.squadrons.engine.phases.movement import follow_leader
from rules.squadrons.engine.sea.state import Position, Ship, Squadron, State
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine, SpeedChoice

P = TypeVar("P", SheetLine, SpeedChoice, BoardingOrder)
MAX_TEXT_CHARS: Final = 4000
"""Characters of a draft: thirty ships with a line each."""
PASS_WORD: Final = "pass"  # noqa: S105 - an order, no password
CLAIM_WORD: Final = "claim"
ABSENT_WORD: Final = "absent"
MAX_IDLE_TURNS: Final = 2
"""Turns in a row that a side may let pass; then the other may claim the win (9.3)."""
REPEAT_WORD: Final = "repeat"
"""All that the last sheet said; once in a text."""
_TARGET_PATTERN: Final = r"(?:[br][1-9][0-9]?|sq[1-9]|all|rest)"
_HEAD_PATTERN: Final = (
    rf"(?:{_TARGET_PATTERN} ?:|{_TARGET_PATTERN} [cm](?![0-9a-z])"
    "|board |doctrine |sequence |double |sq[1-9] (?:astern|range))"
)
_NEXT_LINE_PATTERN: Final = re.compile(rf"(?:(?<!doctrine)(?<![ :]x)[ ;]+|;+ ?)(?={_HEAD_PATTERN})")
"""Where a new line begins in a text of one line, as commands take it."""
_ENTRY_PATTERN: Final = re.compile(rf"({_TARGET_PATTERN}) ?: ?(?:([cm])(?= |$) ?)?(line(?= |$))? ?(.*)")
_SPEED_PATTERN: Final = re.compile(rf"(?:speed )?({_TARGET_PATTERN}) ([cm])")
_FORM_PATTERN: Final = re.compile(r"(?:form )?(sq[1-9]) (astern|range)((?:[ ,]+[br][1-9][0-9]?)*)")
_SHIP_PATTERN: Final = re.compile("[br][1-9][0-9]?")
_FOCUS_PATTERN: Final = re.compile(rf"{_TARGET_PATTERN}")
_SPEED_BY_LETTER: Final[Mapping[str, Speed]] = {"c": "C", "m": "M"}
_SEAL_WORDS: Final = frozenset({"seal", "pecset", "pecsetel", "lepecsetel", "lepecsetelem"})
"""What is pressed, and not typed."""
_MAX_FAULTS: Final = 4
"""Pieces of a text that are named at once as unreadable."""


class OrderContext(Struct, frozen=True):
    """Read-only inputs for editing one captain's sheet: position, own ships, standing doctrines, last sheet."""

    position: Position
    side: str
    own_ships: tuple[Ship, ...]
    """The captain's own on the map, by id."""
    doctrines: tuple[DoctrineLine, ...]
    """That hold now."""
    last_sheet: str = ""
    """The captain's sheet of the turn before, as text."""
    formed_squadrons: tuple[Squadron, ...] = ()
    """Squadrons that were formed before the sheets (SQ-05.8); empty: they are formed by this sheet."""
    can_claim: bool = False
    """The enemy has let so many turns pass that the win may be claimed."""
    fixed_squadrons: tuple[Squadron, ...] = ()
    """Squadrons that are formed already; empty: they are formed by this sheet."""
    stays_if_late: bool = False
    """Ships of a captain who misses the deadline stay; otherwise the computer orders them."""

    def squadrons_formed_by(self, forms: Sequence[SquadronForm] = ()) -> tuple[Squadron, ...]:
        """The squadrons of the side, those with a leader first. Raises `IllegalOrder` for a form that is not legal."""
        if settled := self.fixed_squadrons or self.formed_squadrons:
            return settled
        loose = command.form_squadrons(self.position, self.side, ())
        leaders = {one.display_name: one.leader for one in loose if one.number}
        named = tuple(structs.replace(form, leader=leaders.get(form.leader, form.leader)) for form in forms)
        return command.form_squadrons(self.position, self.side, named) if named else loose

    def own_ship_ids(self) -> tuple[str, ...]:
        """The captain's ships, by id."""
        return tuple(ship.id for ship in self.own_ships)

    def members_of(self, target: str, forms: Sequence[SquadronForm] = ()) -> tuple[str, ...]:
        """The captain's ships that a target means, the farthest ahead first; of a line astern, in its order."""
        own = self.own_ship_ids()
        if target in own:
            return (target,)
        if target in ("all", "rest"):
            return sort_ahead_first(self.position, own)
        for squadron in self.squadrons_formed_by(forms):
            if squadron.display_name == target:
                ships = tuple(name for name in squadron.ships if name in own)
                return ships if squadron.form == "astern" else sort_ahead_first(self.position, ships)
        return ()


class OrderDraft(Struct, frozen=True):
    """An unfinished sheet."""

    sheet: OrderSheet = OrderSheet()
    is_stay: bool = False
    """Ships without a line stay, even if no ship has one."""
    focus: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether it may be sealed."""
        return bool(self.sheet.lines or self.sheet.speed_choices or self.sheet.boards) or self.is_stay

    def with_sheet(self, **changes: Any) -> OrderDraft:  # noqa: ANN401 - any field's value
        """The draft with some fields of its sheet changed."""
        return structs.replace(self, sheet=structs.replace(self.sheet, **changes))

    def with_orders(self, **changes: Any) -> OrderDraft:  # noqa: ANN401 - any field's value
        """The same with orders in it: ships without any no longer simply stay."""
        return structs.replace(self.with_sheet(**changes), is_stay=False)

    def line_of(self, target: str) -> SheetLine | None:
        """The line of a target."""
        return next((entry for entry in self.sheet.lines if entry.target == target), None)


def order_context(state: State, seat: Seat) -> OrderContext:
    """The inputs for one seat's sheet."""
    captain = state.captains[seat]
    number = "BR".index(captain.side)
    mine = set(ownership.ships_of(state, seat))
    settled = tuple(one for one in state.squadrons if one.side == captain.side)
    return OrderContext(
        state.position,
        captain.side,
        tuple(ship for ship in state.position.ships_of(captain.side) if ship.id in mine),
        state.doctrines[number].lines,
        state.last[seat] if seat < len(state.last) else "",
        formed_squadrons=settled,
        can_claim=state.stage == "turn" and state.idle[1 - number] >= MAX_IDLE_TURNS,
        fixed_squadrons=settled if state.stage == "activation" else (),
        stays_if_late=state.missed == "hold",
    )


def move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """The draft with a unit in hand; a focus that names none of the captain's takes all in hand."""
    units = (one.display_name for one in context.squadrons_formed_by(draft.sheet.forms) if one.number)
    return structs.replace(draft, focus=focus if focus in ("all", "rest", *context.own_ship_ids(), *units) else "all")


def write_draft(draft: OrderDraft) -> Draft:
    """The draft as text, a line a piece, and its focus."""
    sheet = draft.sheet
    lines = [f"{pace.target} {pace.speed}" for pace in sheet.speed_choices]
    lines += map(format_entry, sheet.lines)
    lines += map(order_text.format_board, sheet.boards)
    if not lines and draft.is_stay:
        lines = [PASS_WORD]
    lines += (" ".join((form.leader, form.form, *form.ships)) for form in sheet.forms)
    if sheet.sequence:
        lines.append(f"sequence {' '.join(sheet.sequence)}")
    if sheet.double:
        lines.append(f"double {sheet.double}")
    lines += [CLAIM_WORD] * sheet.claims_win + [ABSENT_WORD] * sheet.is_stand_in
    return Draft("\n".join([*lines, *map(doctrine_text.format_doctrine, sheet.doctrines)]), draft.focus)


def format_entry(entry: SheetLine) -> str:
    """An entry as a line, such as `SQ1: line F4`."""
    follow = "line " if entry.is_follow_leader else ""
    return f"{entry.target}: {follow}{order_text.format_body(entry.line)}".rstrip()


def complete_sheet(_: OrderContext, draft: OrderDraft) -> OrderSheet:
    """The sheet of a draft. Raises `UnreadableOrder` if it orders nothing."""
    if not draft.is_complete:
        raise UnreadableOrder("no_orders_given", piece=quote_excerpt(write_draft(draft).text))
    return draft.sheet


def format_sheet(sheet: OrderSheet) -> str:
    """A sheet as text that `SHEET_NOTATION.finish` reads back."""
    return write_draft(OrderDraft(sheet=sheet, is_stay=True)).text


# --- typing ------------------------------------------------------------------------------------------------------


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with typed lines in it. Raises `OrderError`, of several unreadable lines with each reason."""
    wrong: list[OrderError] = []
    repeated = False
    for number, piece in enumerate(split_lines(text), 1):
        if piece in _SEAL_WORDS:
            raise UnreadableOrder("press_seal", piece=_find_typed(text, piece))
        if piece == REPEAT_WORD and repeated:
            continue  # it would say the same again, and costs as much as all that it repeats
        repeated = repeated or piece == REPEAT_WORD
        try:
            draft = _parse_line(context, draft, piece, number)
        except OrderError as fault:
            wrong.append(_quote_as_typed(fault, text))
    if len(wrong) == 1:
        raise wrong[0]
    if wrong:
        raise _merge_errors(wrong)
    return draft


def _merge_errors(wrong: Sequence[OrderError]) -> OrderError:
    """All that cannot be read, as one refusal with the reason of each."""
    refusal = IllegalOrder("several_lines", UNREADABLE_RULE, count=len(wrong))
    refusal.fault = structs.replace(refusal.fault, faults=tuple(one.fault for one in wrong[:_MAX_FAULTS]))
    return refusal


def _quote_as_typed(wrong: OrderError, text: str) -> OrderError:
    """The same refusal, with its piece as the captain typed it."""
    wrong.fault = structs.replace(wrong.fault, piece=_find_typed(text, wrong.fault.piece))
    return wrong


def _find_typed(text: str, piece: str) -> str:
    """A piece in the words of the notation as it was typed; as it is, if it was typed in other words."""
    found = re.search(r"\s+".join(map(re.escape, piece.split())), text, re.IGNORECASE) if piece else None
    return found[0] if found else piece


def split_lines(text: str) -> Iterator[str]:
    """The lines of a text in the words of the notation; a text of one line may hold several."""
    for line in to_notation_words(text.replace("\r", "\n")).split("\n"):
        yield from (piece.strip(" ;") for piece in _NEXT_LINE_PATTERN.split(line) if piece.strip(" ;"))


def _parse_line(context: OrderContext, draft: OrderDraft, piece: str, number: int) -> OrderDraft:  # noqa: PLR0911 - a line of each kind
    """Take one line. Raises `IllegalOrder`."""
    sheet = draft.sheet
    if piece in _SHEET_COMMANDS:
        return _SHEET_COMMANDS[piece](context, draft)
    if piece.startswith("board"):
        return with_board(draft, _check_own_board(context, order_text.parse_board(piece, number), piece, number))
    if "=" in piece or piece.startswith("doctrine"):
        line = doctrine_text.parse_doctrine(piece, context.side, number)
        return with_doctrine(draft, _check_own_doctrine(context, line, piece, number))
    if piece.startswith(("sequence", "double")):
        return _parse_sequence(context, draft, piece, number)
    if found := _FORM_PATTERN.fullmatch(piece):
        return _parse_form(context, draft, found, number)
    if found := _SPEED_PATTERN.fullmatch(piece):
        return with_speed(
            draft, SpeedChoice(_parse_target(context, sheet, found[1], piece, number), _SPEED_BY_LETTER[found[2]])
        )
    if found := _ENTRY_PATTERN.fullmatch(piece):
        return _parse_entry(context, draft, found, piece, number)
    if _FOCUS_PATTERN.fullmatch(piece):
        return structs.replace(draft, focus=_parse_target(context, sheet, piece, piece, number))
    if draft.focus and not _SHIP_PATTERN.match(piece):
        return _parse_line(context, draft, f"{draft.focus.lower()}: {piece}", number)
    raise line_error("bad_line", number, piece, expected="B1: F2 P ram R3 | else F1")


def _parse_entry(context: OrderContext, draft: OrderDraft, found: re.Match[str], piece: str, number: int) -> OrderDraft:
    target = _parse_target(context, draft.sheet, found[1], piece, number)
    if found[2]:
        if (
            passes := f"{found[1]}: {found[4]}" == f"all: {PASS_WORD}"
        ):  # written without its speed it would be that order
            draft = _parse_line(context, draft, PASS_WORD, number)
        draft = with_speed(draft, SpeedChoice(target, _SPEED_BY_LETTER[found[2]]))
        if passes or not found[4]:
            return draft
    line = order_text.parse_body(target, found[4], number)
    _check_known_ships(context, line, piece, number)
    if found[3] and not target.startswith("SQ"):
        raise line_error("line_of_squadron", number, piece, expected="SQ1: line F4")
    return with_line(draft, SheetLine(target, line, bool(found[3])))


def _check_known_ships(context: OrderContext, line: OrderLine, piece: str, number: int) -> None:
    """Hold the ships that a line names against those of the game. Raises `IllegalOrder`."""
    for name in _SHIP_PATTERN.findall(
        " ".join(map(order_text.format_step, (*line.steps, *(line.alternative or ())))).lower()
    ):
        backwater = re.fullmatch("b[1-9]", name)
        if not backwater and name.upper() not in context.position.ships_by_id:
            raise line_error("unknown_ship", number, piece, ship=name.upper())


def _parse_target(context: OrderContext, sheet: OrderSheet, text: str, piece: str, number: int) -> str:
    """The target that is meant. Raises `IllegalOrder` for ships and squadrons that are not the captain's."""
    if text in ("all", "rest"):
        return text
    name = text.upper()
    if not context.members_of(name, sheet.forms):
        numbered = (one.display_name for one in context.squadrons_formed_by(sheet.forms) if one.number)
        own = (squadron for squadron in numbered if context.members_of(squadron, sheet.forms))
        yours = ", ".join((*own, *context.own_ship_ids()))
        code = "not_yours" if name in context.position.ships_by_id else "none_of_yours"
        raise line_error(code, number, piece, ship=name, yours=yours)
    return name


def _check_own_board(context: OrderContext, board: BoardingOrder, piece: str, number: int) -> BoardingOrder:
    for share in board.shares:
        _parse_target(context, OrderSheet(), share.ship.lower(), piece, number)
    if board.target not in context.position.ships_by_id:
        raise line_error("unknown_ship", number, piece, ship=board.target)
    return board


def _check_own_doctrine(context: OrderContext, line: DoctrineLine, piece: str, number: int) -> DoctrineLine:
    if line.who not in ("B", "R"):
        _parse_target(context, OrderSheet(), re.sub("^.q", "sq", line.who.lower()), piece, number)
    return line


def _parse_sequence(context: OrderContext, draft: OrderDraft, piece: str, number: int) -> OrderDraft:
    """Read `sequence SQ2 SQ1 B7`, or `double SQ2`."""
    word, *names = re.split("[ ,]+", piece)
    found = tuple(_parse_target(context, draft.sheet, name, piece, number) for name in names if name != "none")
    if word == "sequence":
        return draft.with_sheet(sequence=tuple(dict.fromkeys(found)))
    if len(found) > 1:
        raise line_error("bad_line", number, piece, expected="double SQ2")
    return draft.with_sheet(double=found[0] if found else "")


def _parse_form(context: OrderContext, draft: OrderDraft, found: re.Match[str], number: int) -> OrderDraft:
    name = _parse_target(context, draft.sheet, found[1], found[0], number)
    if context.formed_squadrons and not context.fixed_squadrons:  # once squadrons act one by one it does nothing
        raise line_error("formed_already", number, found[0])
    ships = tuple(
        _parse_target(context, draft.sheet, ship, found[0], number) for ship in _SHIP_PATTERN.findall(found[3])
    )
    forms = tuple(form for form in draft.sheet.forms if form.leader != name)
    form = SquadronForm(name, "astern" if found[2] == "astern" else "range", ships)
    context.squadrons_formed_by((*forms, form))  # refuses what is no line
    return draft.with_sheet(forms=(*forms, form))


def with_claim(context: OrderContext, draft: OrderDraft) -> OrderDraft:
    """The draft with which the win is claimed; ships without orders stay. Raises `IllegalOrder`."""
    if not context.can_claim:
        raise IllegalOrder("no_claim", "SQ-24.1", piece=CLAIM_WORD, turns=MAX_IDLE_TURNS)
    return structs.replace(draft.with_sheet(claims_win=True), is_stay=True)


# --- changes ------------------------------------------------------------------------------------------------------


def with_line(draft: OrderDraft, entry: SheetLine) -> OrderDraft:
    """The draft with a line: in the place of the target's old one, else where such lines stand.

    Those of single ships come before those of squadrons, and these before those of all: so what is said of one ship
    is an exception wherever it was said.
    """
    entries = [entry if one.target == entry.target else one for one in draft.sheet.lines]
    entries += () if entry in entries else (entry,)
    return draft.with_orders(lines=tuple(sorted(entries, key=lambda one: _target_rank(one.target))))


def _target_rank(target: str) -> int:
    return 3 if target == "rest" else 2 if target == "all" else 1 if target.startswith("SQ") else 0


def without_line(draft: OrderDraft, target: str) -> OrderDraft:
    """The draft without a target's line, and without those of what it holds, if it is `all`."""
    if target == "all":
        return draft.with_sheet(lines=(), speed_choices=())
    return draft.with_sheet(
        lines=_without_target(draft.sheet.lines, target),
        speed_choices=_without_target(draft.sheet.speed_choices, target),
    )


def with_speed(draft: OrderDraft, pace: SpeedChoice) -> OrderDraft:
    """The draft with a speed; one for all takes the place of all others."""
    kept = () if pace.target == "all" else _without_target(draft.sheet.speed_choices, pace.target)
    return draft.with_orders(speed_choices=tuple(sorted((*kept, pace), key=lambda one: -_target_rank(one.target))))


def with_board(draft: OrderDraft, board: BoardingOrder) -> OrderDraft:
    """The draft with a boarding, in the place of an older one of the same enemy."""
    return draft.with_orders(boards=(*_without_target(draft.sheet.boards, board.target), board))


def without_board(draft: OrderDraft, target: str) -> OrderDraft:
    """The draft without a boarding of an enemy."""
    return draft.with_sheet(boards=_without_target(draft.sheet.boards, target))


def _without_target(pieces: Sequence[P], target: str) -> tuple[P, ...]:
    return tuple(one for one in pieces if one.target != target)


def with_doctrine(draft: OrderDraft, line: DoctrineLine) -> OrderDraft:
    """The draft with a change of what stands."""
    return draft.with_sheet(doctrines=doctrine_text.merge_lines((*draft.sheet.doctrines, line)))


def repeat_last(context: OrderContext, draft: OrderDraft) -> OrderDraft:
    """The draft with the last sheet, as far as it can still be ordered."""
    for number, piece in enumerate(split_lines(context.last_sheet), 1):
        if not piece.startswith(("doctrine", "sequence", "double", CLAIM_WORD, ABSENT_WORD)):
            draft = try_read(_parse_line, context, draft, piece, number) or draft
    return draft


# --- what it means ------------------------------------------------------------------------------------------------


def sort_ahead_first(position: Position, ships: Sequence[str]) -> tuple[str, ...]:
    """Ships in the order of how far ahead they are, along the facing of the first of them (9.5)."""
    if not ships:
        return ()
    heading = position.ship_by_id(ships[0]).facing
    return tuple(
        sorted(ships, key=lambda name: (-_distance_ahead(position.ship_by_id(name), heading), ships.index(name)))
    )


def _distance_ahead(ship: Ship, heading: int) -> int:
    """How far a bow lies in a direction, in halves of a hex."""
    q, r = ship.bow
    return ((-q - 2 * r), (q - r), (2 * q + r), (q + 2 * r), (r - q), (-2 * q - r))[heading % 6]


def speeds_of_sheet(context: OrderContext, sheet: OrderSheet) -> Mapping[str, str]:
    """The speed of each ship of which the sheet says it: what is said of her, else of her squadron, else of all."""
    found: dict[str, str] = {}
    for pace in sorted(sheet.speed_choices, key=lambda one: -_target_rank(one.target)):
        found.update(dict.fromkeys(context.members_of(pace.target, sheet.forms), pace.speed))
    return found


def lines_of_sheet(context: OrderContext, sheet: OrderSheet) -> tuple[OrderLine, ...]:
    """The line of each ship, in the order in which they are carried out."""
    named = {one.target for one in sheet.lines if _target_rank(one.target) == 0}
    found: dict[str, OrderLine] = {}
    members = [context.members_of(entry.target, sheet.forms) for entry in sheet.lines]
    covered: dict[str, int] = {}
    for entry, ships in zip(sheet.lines, members, strict=True):
        covered |= {ship: min(_target_rank(entry.target), covered.get(ship, 9)) for ship in ships}
    for entry, ships in zip(sheet.lines, members, strict=True):
        rank = _target_rank(entry.target)
        if entry.is_follow_leader:
            trail = follow_leader.follower_lines(context.position, ships, entry.line)
            found.update({line.ship: line for line in trail if covered[line.ship] == rank})
            continue
        for ship in ships:
            if covered[ship] == rank and (rank == 0 or ship not in named):
                found[ship] = structs.replace(entry.line, ship=ship)
    return tuple(found.values())


def flagship_by_squadron(context: OrderContext, sheet: OrderSheet) -> Mapping[str, str]:
    """The Command Ship of each squadron by its number, as `SQ1`."""
    return {one.display_name: one.flagship for one in context.squadrons_formed_by(sheet.forms) if one.number}


def forms_of_sheet(context: OrderContext, sheet: OrderSheet) -> tuple[SquadronForm, ...]:
    """How squadrons are formed, by leader."""
    leaders = {one.display_name: one.leader for one in context.squadrons_formed_by() if one.number}
    return tuple(structs.replace(form, leader=leaders[form.leader]) for form in sheet.forms if form.leader in leaders)


def _empty_draft(_: OrderContext, draft: OrderDraft, *, stay: bool) -> OrderDraft:
    return structs.replace(draft, sheet=OrderSheet(doctrines=draft.sheet.doctrines), is_stay=stay)


_SHEET_COMMANDS: Final[Mapping[str, Callable[[OrderContext, OrderDraft], OrderDraft]]] = {
    "clear": partial(_empty_draft, stay=False),
    PASS_WORD: partial(_empty_draft, stay=True),
    f"all: {PASS_WORD}": partial(_empty_draft, stay=True),
    "auto": lambda _, draft: structs.replace(draft, is_stay=True),
    REPEAT_WORD: repeat_last,
    CLAIM_WORD: with_claim,
    ABSENT_WORD: lambda _, draft: structs.replace(draft.with_sheet(is_stand_in=True), is_stay=True),
}
"""Lines that are about the whole sheet."""

SHEET_NOTATION: Final[AnswerNotation[State, OrderContext, OrderDraft, OrderSheet]] = AnswerNotation(
    context=lambda state, request: order_context(state, request.seat),
    empty_draft=lambda _: OrderDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: write_draft(draft),
    complete_answer=complete_sheet,
    format_answer=format_sheet,
    move_focus=move_focus,
    max_chars=MAX_TEXT_CHARS,
)
