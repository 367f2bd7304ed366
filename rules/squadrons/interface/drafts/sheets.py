"""The notation of a captain's sheet (SQ-24.2). Typed lines and pressed buttons edit the same draft.

A draft is text with one item a line: speeds (`SQ1 M`), orders (`SQ1: F4`, `B2: F3 ram R1 | else F2`), boardings,
forms of squadrons (`SQ2 astern B5 B6`), `sequence`, `double`, and doctrines. `pass` in place of orders: all stay.
The focus is the selected squadron or ship, or empty.
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
from rules.interface.typed import split_ships_line
from rules.squadrons.engine.notation import doctrine_text, order_text
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE, line_error
from rules.squadrons.engine.notation.orders import (
    SIDES,
    AnastropheOrder,
    BoardingOrder,
    DoctrineLine,
    GrappleOrder,
    OrderLine,
    PassThroughOrder,
    RakeOrder,
    RamOrder,
    Speed,
    SquadronForm,
)
from rules.squadrons.engine.notation.typed_words import to_notation_words
from rules.squadrons.engine.phases.command import command
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.state import Position, Ship, Squadron, State
from rules.squadrons.interface.drafts.answers import OrderSheet, SheetLine, SpeedChoice

_Attack: Final = (RamOrder, RakeOrder, GrappleOrder, PassThroughOrder, AnastropheOrder)
P = TypeVar("P", SheetLine, SpeedChoice, BoardingOrder)
MAX_TEXT_CHARS: Final = 4000
PASS_WORD: Final = "pass"  # noqa: S105 - an order, no password
CLAIM_WORD: Final = "claim"
ABSENT_WORD: Final = "absent"
MAX_IDLE_TURNS: Final = 2  # turns in a row without an answer, after which the other side may claim the win (SQ-24.1)
REPEAT_WORD: Final = "repeat"
_TARGET_PATTERN: Final = r"(?:[br][1-9][0-9]?|sq[1-9]|all|rest)"
_HEAD_PATTERN: Final = (  # how a line of a sheet begins
    rf"(?:{_TARGET_PATTERN} ?:|{_TARGET_PATTERN} [cm](?![0-9a-z])"
    "|board |doctrine |sequence |double |sq[1-9] (?:astern|range))"
)
_NEXT_LINE_PATTERN: Final = re.compile(rf"(?<!doctrine)(?<![ :]x)[ ;]+(?={_HEAD_PATTERN})|;+ ?")
"""Start of a further line in a text of one line, as slash commands take it."""
_ENTRY_PATTERN: Final = re.compile(  # `sq1: m line f4`
    rf"({_TARGET_PATTERN}) ?: ?(?:([cm])(?= |$) ?)?(line(?= |$))? ?(.*)"
)
_SPEED_PATTERN: Final = re.compile(rf"(?:speed )?({_TARGET_PATTERN}) ([cm])")  # `sq1 m`
_FORM_PATTERN: Final = re.compile(  # `sq2 astern b5 b6`
    r"(?:form )?(sq[1-9]) (astern|range)((?:[ ,]+[br][1-9][0-9]?)*)"
)
_SHIP_PATTERN: Final = re.compile("[br][1-9][0-9]?")
_FOCUS_PATTERN: Final = re.compile(rf"{_TARGET_PATTERN}")
_SPEED_OF_SHIPS_PATTERN: Final = re.compile(r"^([br][0-9]+(?:[ ,-]+[br][0-9]+)+) ([cm])$")
"""A line that sets the speed of several ships, such as `b1 b3 m`."""
_LONG_MOVE_PATTERN: Final = re.compile(r"\bf ?[1-9][0-9]+\b")
_SPEED_BY_LETTER: Final[Mapping[str, Speed]] = {"c": "C", "m": "M"}
_SEAL_WORDS: Final = frozenset({"seal", "pecset", "pecsetel", "lepecsetel", "lepecsetelem"})
_MAX_FAULTS: Final = 4  # that one refusal lists


class OrderContext(Struct, frozen=True):
    position: Position
    side: str  # the side of the captain
    own_ships: tuple[Ship, ...]  # ships afloat that the captain orders
    doctrines: tuple[DoctrineLine, ...]  # in force for the side
    last_sheet: str = ""  # the text of the captain's previous sheet
    formed_squadrons: tuple[Squadron, ...] = ()
    """Squadrons formed before the sheets (SQ-05.8); empty if this sheet forms them."""
    can_claim: bool = False  # the captain may claim the win (SQ-24.1)
    fixed_squadrons: tuple[Squadron, ...] = ()
    """Squadrons of a turn whose activations have begun; empty while sheets are written."""
    teaches: bool = False  # panels explain the rules turn by turn
    orders_follow: bool = False  # squadrons get their orders one by one after this sheet (SQ-24.1)
    stays_if_late: bool = False  # ships of a captain who misses the deadline stay. Otherwise the computer orders them.

    def is_complete(self, draft: OrderDraft) -> bool:
        """Return whether a draft is an answer. Where no orders follow, a speed alone moves nobody."""
        return draft.has_orders or (self.orders_follow and bool(draft.sheet.speed_choices))

    def squadrons_formed_by(self, forms: Sequence[SquadronForm] = ()) -> tuple[Squadron, ...]:
        """Return the squadrons of the side, those with a leader first. Raises `IllegalOrder` for an illegal form."""
        if existing := self.fixed_squadrons or self.formed_squadrons:
            return existing
        default = command.form_squadrons(self.position, self.side, ())
        leaders = {squadron.display_name: squadron.leader for squadron in default if squadron.number}
        named_forms = tuple(structs.replace(form, leader=leaders.get(form.leader, form.leader)) for form in forms)
        return command.form_squadrons(self.position, self.side, named_forms) if named_forms else default

    def own_ship_ids(self) -> tuple[str, ...]:
        return tuple(ship.id for ship in self.own_ships)

    def members_of(self, target: str, forms: Sequence[SquadronForm] = ()) -> tuple[str, ...]:
        """Return the captain's ships that a target means, the farthest ahead first; a line astern in its own order."""
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
    sheet: OrderSheet = OrderSheet()  # orders so far
    is_stay: bool = False  # ships without a line stay, even if no ship has a line
    focus: str = ""  # a ship, a squadron (`SQ1`), `all`, `rest`, or empty

    @property
    def has_orders(self) -> bool:
        return bool(self.sheet.lines or self.sheet.boards) or self.is_stay

    def with_sheet(self, **changes: Any) -> OrderDraft:  # noqa: ANN401 - any field's value
        return structs.replace(self, sheet=structs.replace(self.sheet, **changes))

    def with_orders(self, **changes: Any) -> OrderDraft:  # noqa: ANN401 - any field's value
        """Return the draft with fields of its sheet changed, and with `is_stay` cleared."""
        return structs.replace(self.with_sheet(**changes), is_stay=False)

    def line_of(self, target: str) -> SheetLine | None:
        return next((entry for entry in self.sheet.lines if entry.target == target), None)


def order_context(state: State, seat: Seat) -> OrderContext:
    captain = state.captains[seat]
    side_number = SIDES.index(captain.side)
    own_ids = set(command.ships_of(state, seat))
    formed = tuple(squadron for squadron in state.squadrons if squadron.side == captain.side)
    return OrderContext(
        position=state.position,
        side=captain.side,
        own_ships=tuple(ship for ship in state.position.ships_of(captain.side) if ship.id in own_ids),
        doctrines=state.doctrines[side_number].lines,
        last_sheet=state.last[seat] if seat < len(state.last) else "",
        formed_squadrons=formed,
        can_claim=state.stage == "turn" and state.idle[1 - side_number] >= MAX_IDLE_TURNS,
        fixed_squadrons=formed if state.stage == "activation" else (),
        teaches=state.teaches,
        orders_follow=state.pace == "squadron",
        stays_if_late=state.missed == "hold",
    )


def move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    squadrons = context.squadrons_formed_by(draft.sheet.forms)
    squadron_names = [squadron.display_name for squadron in squadrons if squadron.number]
    is_known = focus in ("all", "rest", *context.own_ship_ids(), *squadron_names)
    return structs.replace(draft, focus=focus if is_known else "all")


def write_draft(draft: OrderDraft) -> Draft:
    sheet = draft.sheet
    lines = [PASS_WORD] if draft.is_stay and not (sheet.lines or sheet.boards) else []
    lines += [f"{choice.target} {choice.speed}" for choice in sheet.speed_choices]
    lines += map(format_entry, sheet.lines)
    lines += map(order_text.format_board, sheet.boards)
    lines += (" ".join((form.leader, form.form, *form.ships)) for form in sheet.forms)
    if sheet.sequence:
        lines.append(f"sequence {' '.join(sheet.sequence)}")
    if sheet.double:
        lines.append(f"double {sheet.double}")
    if sheet.claims_win:
        lines.append(CLAIM_WORD)
    if sheet.is_stand_in:
        lines.append(ABSENT_WORD)
    return Draft("\n".join([*lines, *map(doctrine_text.format_doctrine, sheet.doctrines)]), draft.focus)


def format_entry(entry: SheetLine) -> str:
    follow = "line " if entry.is_follow_leader else ""
    return f"{entry.target}: {follow}{order_text.format_body(entry.line)}".rstrip()


def complete_sheet(context: OrderContext, draft: OrderDraft) -> OrderSheet:
    """Return the sheet of a draft. Raises `UnreadableOrder` if it has no orders."""
    if not context.is_complete(draft):
        raise UnreadableOrder("no_orders_given", piece=quote_excerpt(write_draft(draft).text))
    return draft.sheet


def format_sheet(sheet: OrderSheet) -> str:
    return write_draft(OrderDraft(sheet=sheet, is_stay=True)).text


# --- typing ------------------------------------------------------------------------------------------------------


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """Return the draft with typed lines added. Raises `OrderError`; if several lines fail, with the reason of each."""
    errors: list[OrderError] = []
    has_repeat = False
    for number, (piece, typed_line) in enumerate(_typed_lines(text), 1):
        if piece in _SEAL_WORDS:
            raise UnreadableOrder("press_seal", piece=_find_typed(text, piece))
        if piece == REPEAT_WORD and has_repeat:
            continue  # a second repeat has no effect, but costs as much as all that it repeats
        has_repeat = has_repeat or piece == REPEAT_WORD
        try:
            draft = _parse_line(context, draft, piece, number)
        except OrderError as error:
            errors.append(_quote_as_typed(error, text, typed_line))
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise _merge_errors(errors)
    return draft


def _merge_errors(errors: Sequence[OrderError]) -> OrderError:
    refusal = IllegalOrder("several_lines", UNREADABLE_RULE, count=len(errors))
    refusal.fault = structs.replace(refusal.fault, faults=tuple(error.fault for error in errors[:_MAX_FAULTS]))
    return refusal


def _quote_as_typed(error: OrderError, text: str, typed_line: str) -> OrderError:
    """Return the error with its piece as the captain typed it; the whole line if its words are not the notation's."""
    piece = _find_typed(text, error.fault.piece)
    if piece not in text:
        piece = quote_excerpt(typed_line)
    error.fault = structs.replace(error.fault, piece=piece)
    return error


def _find_typed(text: str, piece: str) -> str:
    match = re.search(r"\s+".join(map(re.escape, piece.split())), text, re.IGNORECASE) if piece else None
    return match[0] if match else piece


def _typed_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text in notation, each with the words that the captain typed for it."""
    for line in text.replace("\r", "\n").split("\n"):
        pieces = [*split_lines(line)]
        parts = [part.strip() for part in line.split(";") if part.strip()]
        typed = parts if len(parts) == len(pieces) else [line.strip()] * len(pieces)
        yield from zip(pieces, typed, strict=True)


def split_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text in notation. A text of one line may hold several."""
    for line in to_notation_words(text.replace("\r", "\n")).split("\n"):
        ship_lines = split_ships_line(_SPEED_OF_SHIPS_PATTERN.sub(r"\1: \2", line))
        pieces = (piece for ship_line in ship_lines for piece in _NEXT_LINE_PATTERN.split(ship_line))
        yield from (piece.strip(" ;") for piece in pieces if piece.strip(" ;"))


def _parse_line(context: OrderContext, draft: OrderDraft, piece: str, number: int) -> OrderDraft:  # noqa: PLR0911 - a line of each kind
    sheet = draft.sheet
    if piece in _SHEET_COMMANDS:
        return _SHEET_COMMANDS[piece](context, draft)
    if piece.startswith("board"):
        board = order_text.parse_board(piece, number, partial(_with_known_ships, context))
        return with_board(draft, _check_own_board(context, board, piece, number))
    if "=" in piece or piece.startswith("doctrine"):
        line = doctrine_text.parse_doctrine(piece, context.side, number)
        return with_doctrine(draft, _check_own_doctrine(context, line, piece, number))
    if piece.startswith(("sequence", "double")):
        return _parse_sequence(context, draft, piece, number)
    if match := _FORM_PATTERN.fullmatch(piece):
        return _parse_form(context, draft, match, number)
    if match := _SPEED_PATTERN.fullmatch(piece):
        target = _parse_target(context, sheet, match[1], piece, number)
        return with_speed(draft, SpeedChoice(target, _SPEED_BY_LETTER[match[2]]))
    if match := _ENTRY_PATTERN.fullmatch(piece):
        return _parse_entry(context, draft, match, piece, number)
    if _FOCUS_PATTERN.fullmatch(piece):
        return structs.replace(draft, focus=_parse_target(context, sheet, piece, piece, number))
    if draft.focus and not _SHIP_PATTERN.match(piece):
        return _parse_line(context, draft, f"{draft.focus.lower()}: {piece}", number)
    raise line_error("bad_line", number, piece)


def _parse_entry(context: OrderContext, draft: OrderDraft, match: re.Match[str], piece: str, number: int) -> OrderDraft:
    # a line such as `SQ1: M line F4`; all but the target may be missing
    target_text, speed_letter, line_word, steps_text = match.groups()
    target = _parse_target(context, draft.sheet, target_text, piece, number)
    if speed_letter:
        # without its speed the line would be the command `pass`
        is_pass = target_text == "all" and steps_text == PASS_WORD
        if is_pass:
            draft = _parse_line(context, draft, PASS_WORD, number)
        draft = with_speed(draft, SpeedChoice(target, _SPEED_BY_LETTER[speed_letter]))
        if is_pass or not steps_text:
            return draft
    _check_distances(context, target, steps_text or "", number)
    line = order_text.parse_body(target, steps_text, number, partial(_with_known_ships, context))
    _check_known_ships(context, line, piece, number)
    if line_word and not target.startswith("SQ"):
        raise line_error("line_of_squadron", number, piece, expected="SQ1: line F4")
    return with_line(draft, SheetLine(target, line, is_follow_leader=bool(line_word)))


def _check_distances(context: OrderContext, target: str, steps_text: str, number: int) -> None:
    """Raise `IllegalOrder` for a distance of two digits, which no galley rows, with the most at full speed."""
    match = _LONG_MOVE_PATTERN.search(steps_text)
    if not match:
        return
    ships = [context.position.ship_by_id(name) for name in context.members_of(target) or context.own_ship_ids()]
    at_full_speed = [structs.replace(ship, speed="M") for ship in ships if not context.position.is_immobile(ship)]
    most = max((moves.movement_allowance(context.position, ship) for ship in at_full_speed), default=0)
    raise line_error("too_far", number, match[0], most=most)


def _with_known_ships(context: OrderContext, example: str) -> str:
    """Return an example with ships of this game: R1 and R2 stand for enemies, B1 and B2 for own ships."""
    ships = [ship for ship in context.position.ships if ship.is_afloat]
    enemies = [ship.id for ship in ships if ship.side != context.side]
    own = [ship.id for ship in ships if ship.side == context.side]
    places = {"R1": enemies[:1], "R2": enemies[1:2], "B1": own[:1], "B2": own[1:2]}
    if not all(ids for place, ids in places.items() if place in example):
        return order_text.PLAIN_EXAMPLE
    return re.sub("|".join(places), lambda match: places[match[0]][0], example)


def _check_known_ships(context: OrderContext, line: OrderLine, piece: str, number: int) -> None:
    text = " ".join(map(order_text.format_step, line.all_steps)).lower()
    for name in _SHIP_PATTERN.findall(text):
        is_backwater = re.fullmatch("b[1-9]", name)  # a move such as `B2` looks like a ship
        if not is_backwater and name.upper() not in context.position.ships_by_id:
            raise line_error("unknown_ship", number, piece, ship=name.upper())


def _parse_target(context: OrderContext, sheet: OrderSheet, text: str, piece: str, number: int) -> str:
    """Return the target. Raises `IllegalOrder` if it is no ship or squadron of the captain's."""
    if text in ("all", "rest"):
        return text
    name = text.upper()
    if not context.members_of(name, sheet.forms):
        squadrons = [squadron.display_name for squadron in context.squadrons_formed_by(sheet.forms) if squadron.number]
        own_squadrons = [squadron for squadron in squadrons if context.members_of(squadron, sheet.forms)]
        legal_targets = ", ".join((*own_squadrons, *context.own_ship_ids()))
        code = "not_yours" if name in context.position.ships_by_id else "none_of_yours"
        raise line_error(code, number, piece, ship=name, yours=legal_targets)
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
    word, *names = re.split("[ ,]+", piece)
    targets = tuple(_parse_target(context, draft.sheet, name, piece, number) for name in names if name != "none")
    if word == "sequence":
        return draft.with_sheet(sequence=tuple(dict.fromkeys(targets)))
    if len(targets) > 1:
        raise line_error("bad_line", number, piece)
    return draft.with_sheet(double=targets[0] if targets else "")


def _parse_form(context: OrderContext, draft: OrderDraft, match: re.Match[str], number: int) -> OrderDraft:
    piece, (squadron, form_word, ships_text) = match[0], match.groups()
    name = _parse_target(context, draft.sheet, squadron, piece, number)
    if context.formed_squadrons and not context.fixed_squadrons:  # once squadrons act one by one, a form has no effect
        raise line_error("formed_already", number, piece)
    ship_texts = _SHIP_PATTERN.findall(ships_text)
    ships = tuple(_parse_target(context, draft.sheet, text, piece, number) for text in ship_texts)
    other_forms = tuple(form for form in draft.sheet.forms if form.leader != name)
    form = SquadronForm(name, "astern" if form_word == "astern" else "range", ships)
    context.squadrons_formed_by((*other_forms, form))  # raises if the line is illegal
    return draft.with_sheet(forms=(*other_forms, form))


def with_claim(context: OrderContext, draft: OrderDraft) -> OrderDraft:
    """Return the draft with a claim of the win; ships without orders stay. Raises `IllegalOrder`."""
    if not context.can_claim:
        raise IllegalOrder("no_claim", "SQ-24.1", piece=CLAIM_WORD, turns=MAX_IDLE_TURNS)
    return structs.replace(draft.with_sheet(claims_win=True), is_stay=True)


# --- changes ------------------------------------------------------------------------------------------------------


def with_line(draft: OrderDraft, entry: SheetLine) -> OrderDraft:
    """Return the draft with a line, in the place of the target's old one if it has one.

    Lines of ships come before those of squadrons, and these before `all` and `rest`. A line of a ship is therefore an
    exception wherever it was typed.
    """
    entries = [entry if other.target == entry.target else other for other in draft.sheet.lines]
    if entry not in entries:
        entries.append(entry)
    return draft.with_orders(lines=tuple(sorted(entries, key=lambda other: _target_rank(other.target))))


def _target_rank(target: str) -> int:
    """Return how many ships a target may mean: 0 one ship, 1 a squadron, 2 `all`, 3 `rest`. A lower rank goes first."""
    if target in ("all", "rest"):
        return 2 if target == "all" else 3
    return 1 if target.startswith("SQ") else 0


def without_line(draft: OrderDraft, target: str) -> OrderDraft:
    if target == "all":
        return draft.with_sheet(lines=(), speed_choices=())
    return draft.with_sheet(
        lines=_without_target(draft.sheet.lines, target),
        speed_choices=_without_target(draft.sheet.speed_choices, target),
    )


def with_speed(draft: OrderDraft, choice: SpeedChoice) -> OrderDraft:
    """Return the draft with a speed. A speed for all replaces all others. Ships that stay still stay."""
    others = () if choice.target == "all" else _without_target(draft.sheet.speed_choices, choice.target)
    return draft.with_sheet(
        speed_choices=tuple(sorted((*others, choice), key=lambda other: -_target_rank(other.target)))
    )


def with_board(draft: OrderDraft, board: BoardingOrder) -> OrderDraft:
    return draft.with_orders(boards=(*_without_target(draft.sheet.boards, board.target), board))


def without_board(draft: OrderDraft, target: str) -> OrderDraft:
    return draft.with_sheet(boards=_without_target(draft.sheet.boards, target))


def _without_target(pieces: Sequence[P], target: str) -> tuple[P, ...]:
    return tuple(piece for piece in pieces if piece.target != target)


def with_doctrine(draft: OrderDraft, line: DoctrineLine) -> OrderDraft:
    return draft.with_sheet(doctrines=doctrine_text.merge_lines((*draft.sheet.doctrines, line)))


def repeat_last(context: OrderContext, draft: OrderDraft) -> OrderDraft:
    for number, piece in enumerate(split_lines(context.last_sheet), 1):
        if not piece.startswith(("doctrine", "sequence", "double", CLAIM_WORD, ABSENT_WORD)):
            draft = try_read(_parse_line, context, draft, piece, number) or draft
    return draft


# --- what it means ------------------------------------------------------------------------------------------------


def sort_ahead_first(position: Position, ships: Sequence[str]) -> tuple[str, ...]:  # SQ-24.2
    if not ships:
        return ()
    heading = position.ship_by_id(ships[0]).facing  # of the first ship; ships equally far ahead keep their order
    return tuple(
        sorted(ships, key=lambda name: (-_distance_ahead(position.ship_by_id(name), heading), ships.index(name)))
    )


def _distance_ahead(ship: Ship, heading: int) -> int:
    """Return how far a bow lies in a direction, in half hexes."""
    q, r = ship.bow
    return ((-q - 2 * r), (q - r), (2 * q + r), (q + 2 * r), (r - q), (-2 * q - r))[heading % 6]


def speeds_of_sheet(context: OrderContext, sheet: OrderSheet) -> Mapping[str, str]:
    """Return the speed of each ship that the sheet sets: for her, else for her squadron, else for all."""
    speeds: dict[str, str] = {}
    # speeds for all first, so that those of squadrons and ships replace them
    for choice in sorted(sheet.speed_choices, key=lambda other: -_target_rank(other.target)):
        speeds.update(dict.fromkeys(context.members_of(choice.target, sheet.forms), choice.speed))
    return speeds


def lines_of_sheet(context: OrderContext, sheet: OrderSheet) -> tuple[OrderLine, ...]:
    """Return the line of each ship: her own, else her squadron's, else that of `all` or `rest`."""
    members = [context.members_of(entry.target, sheet.forms) for entry in sheet.lines]
    rank_by_ship: dict[str, int] = {}  # rank of the line that counts for her, the lowest of all that mean her
    for entry, ships in zip(sheet.lines, members, strict=True):
        rank = _target_rank(entry.target)
        rank_by_ship |= {ship: min(rank, rank_by_ship.get(ship, rank)) for ship in ships}
    line_by_ship: dict[str, OrderLine] = {}
    for entry, ships in zip(sheet.lines, members, strict=True):
        rank = _target_rank(entry.target)
        if entry.is_follow_leader:
            lines = list(moves.follower_lines(context.position, ships, entry.line))
        else:
            lines = [structs.replace(entry.line, ship=ship) for ship in ships]
        line_by_ship |= {line.ship: line for line in lines if rank_by_ship[line.ship] == rank}
    return tuple(line_by_ship.values())


def flagship_by_squadron(context: OrderContext, sheet: OrderSheet) -> Mapping[str, str]:
    return {
        squadron.display_name: squadron.flagship
        for squadron in context.squadrons_formed_by(sheet.forms)
        if squadron.number
    }


def forms_of_sheet(context: OrderContext, sheet: OrderSheet) -> tuple[SquadronForm, ...]:
    leaders = {squadron.display_name: squadron.leader for squadron in context.squadrons_formed_by() if squadron.number}
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


def check_targets(context: OrderContext, draft: OrderDraft) -> None:
    """Raise `IllegalOrder` for an attack on a ship that there never was or that the captain's side built and holds.

    Repeated orders may attack ships that have sunk or been captured since; these only cause warnings.
    """
    ships = context.position.ships
    for line in draft.sheet.lines:
        for step in line.line.all_steps:
            if not isinstance(step, _Attack):
                continue
            piece = f"{line.target}: {order_text.format_step(step)}"
            target = context.position.ships_by_id.get(step.target)
            if target is None:
                known = ", ".join(ship.id for ship in ships if ship.is_afloat and ship.side != context.side)
                raise IllegalOrder("no_such_target", UNREADABLE_RULE, piece=piece, ship=step.target, known=known)
            if target.side == context.side and target.id.startswith(context.side):
                raise IllegalOrder("own_side", UNREADABLE_RULE, piece=piece, target=step.target)


SHEET_NOTATION: Final[AnswerNotation[State, OrderContext, OrderDraft, OrderSheet]] = AnswerNotation(
    context=lambda state, request: order_context(state, request.seat),
    empty_draft=lambda _: OrderDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: write_draft(draft),
    complete_answer=complete_sheet,
    format_answer=format_sheet,
    move_focus=move_focus,
    check_typed=check_targets,
    max_chars=MAX_TEXT_CHARS,
)
