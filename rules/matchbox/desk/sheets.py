"""A captain's orders while they are written (MB part 3): typing and pressing meet here in one notation.

A draft is text such as `A1 FFX; A2 ZZ(4-2)F; aim safe`; its focus is the galley that orders are given to, or the one
named last, and `A1+reach` while the captain looks at where enemies may get to. The same reader reads drafts, typed text
and finished answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct, structs

from rules.errors import AmbiguousOrder, IllegalOrder, UnreadableOrder, excerpt
from rules.matchbox.desk import courses, standing
from rules.matchbox.desk.standing import Waters
from rules.matchbox.table import orders
from rules.matchbox.table.state import FleetOrders, Galley, OrderList, Standing, State
from rules.notebook import Notebook
from rules.protocol import Draft, Seat

LETTERS: Final = ("F", "L", "R", "X", "ZZ")
_HOLD: Final = frozenset({"hold", "tart", "varj"})
_FIRST: Final = re.compile(r"([A-Za-z]\d{1,2})(?!\d)[\s:]*")
_EVERY: Final = re.compile(
    r"(?:\*|(?:all|every|mind|mindenki|mindegyik|összes|osszes)(?=[\s:]|$))[\s:]*", re.IGNORECASE
)
"""Begins a piece that is for all of a captain's galleys: `all FFFFF`, `* FFX`, in Hungarian `mind EEEEE`."""
_AGAIN: Final = frozenset({"again", "repeat", "ujra", "ismet", "megint"})
"""In place of orders: those of the round before."""
REACH: Final = "+reach"
"""Ends the focus of a draft whose captain looks at where enemies may get to; as typed, too: `A1+reach`."""
_NEXT: Final = re.compile(r"(?<=[\s,])(?=[A-Za-z]\d{1,2}(?:[\s:,]|$))")


class Sheet(Struct, frozen=True):
    """Unfinished orders of one captain."""

    lists: tuple[OrderList, ...]
    """Those that were begun."""
    standing: Standing
    focus: str
    """The galley that orders are given to just now."""
    hold: bool = False
    """Every galley is to stay without orders."""
    reach: bool = False
    """The captain looks at where enemies may get to."""

    def looking_at(self, galley: str) -> str:
        """The focus of a draft that gives orders to a galley."""
        return galley + REACH if self.reach else galley


class Desk(Struct, frozen=True):
    """Read-only inputs for editing one seat's orders."""

    state: State
    seat: Seat
    waters: Waters
    standing: Standing
    """As they stood before."""
    may_hold: bool
    """The game lets captains give no orders at all."""
    before: tuple[OrderList, ...]
    """What the seat's galleys were ordered in the round before."""


def desk_of(state: State, seat: Seat) -> Desk:
    """The inputs for a seat's orders of this round."""
    side = state.sides[seat]
    waters = Waters(
        mine=tuple(galley for galley in state.galleys if galley.seat == seat),
        friends=tuple(galley for galley in state.galleys if galley.side == side and galley.seat != seat),
        enemies=tuple(galley for galley in state.galleys if galley.side != side),
        lost=state.lost,
    )
    names = {galley.id for galley in waters.mine}
    before = tuple(ordered for ordered in state.ordered if ordered.galley in names and ordered.orders)
    return Desk(state, seat, waters, state.standing[seat], state.missed == "hold", before)


def look(desk: Desk, sheet: Sheet, focus: str) -> Sheet:
    """The draft with another galley in hand, and with or without the reach of enemies."""
    name = focus.removesuffix(REACH)
    known = any(galley.id == name for galley in desk.waters.mine)
    return structs.replace(sheet, focus=name, reach=focus != name) if known else sheet


def take(desk: Desk, sheet: Sheet, text: str) -> Sheet:
    """Put text into a draft; what it does not mention stays. Raises `OrderError`."""
    given: set[str] = set()
    for piece in _pieces(text):
        if every := _EVERY.match(piece):
            sheet = _amend_all(desk, sheet, piece, piece[every.end() :], given)
            continue
        sheet, galley = _amend_piece(desk, sheet, piece)
        if galley in given:
            raise AmbiguousOrder("galley_twice", piece=excerpt(piece), galley=galley)
        given |= {galley} - {""}
    return sheet


def write(desk: Desk, sheet: Sheet) -> Draft:
    """Write a draft: the galleys that have orders, and those standing orders that change."""
    fleet = ("hold",) if sheet.hold else ()
    lists = (f"{drawn.galley} {orders.write(drawn)}" for _, drawn in ordered_lists(desk, sheet) if drawn.orders)
    text = "; ".join((*fleet, *lists, *standing.write(sheet.standing, desk.standing)))
    return Draft(text, sheet.looking_at(sheet.focus))


def complete(desk: Desk, sheet: Sheet) -> FleetOrders:
    """The orders of a draft. Raises `IllegalOrder` if a galley has fewer than she must (MB-3.7)."""
    lists = tuple(list_of(sheet, galley) for galley in desk.waters.mine)
    for galley, ordered in zip(desk.waters.mine, lists, strict=True):
        short = None if sheet.hold else orders.short_fault(galley, ordered.orders)
        if short:
            raise IllegalOrder(short.code, short.rule, piece=short.piece, **short.params)
    return FleetOrders(lists, sheet.standing)


def canonical(answer: FleetOrders) -> str:
    """Write a complete answer: a list for each galley, or `hold`, and all standing orders."""
    held = not any(ordered.orders for ordered in answer.lists)
    lists = ("hold",) if held else tuple(f"{ordered.galley} {orders.write(ordered)}" for ordered in answer.lists)
    return "; ".join((*lists, *standing.write(answer.standing)))


NOTEBOOK: Final[Notebook[State, Desk, Sheet, FleetOrders]] = Notebook(
    context=lambda state, request: desk_of(state, request.seat),
    empty=lambda desk: Sheet((), desk.standing, desk.waters.mine[0].id),
    take=take,
    written=write,
    complete=complete,
    format=canonical,
    look=look,
    check=lambda desk, sheet: standing.check(sheet.standing, desk.waters),
)


def hold(desk: Desk) -> FleetOrders | None:
    """No orders for any galley, if the game allows that; standing orders as they were."""
    return NOTEBOOK.finish(desk, "hold") if desk.may_hold else None


def current(desk: Desk, sheet: Sheet) -> Galley:
    """Find the galley that the captain gives orders to just now."""
    return next(galley for galley in desk.waters.mine if galley.id == sheet.focus)


def ordered_lists(desk: Desk, sheet: Sheet) -> tuple[tuple[Galley, OrderList], ...]:
    """Pair each galley with what is ordered so far, in galley order."""
    return tuple((galley, list_of(sheet, galley)) for galley in desk.waters.mine)


def could_add(galley: Galley, drawn: OrderList) -> int:
    """Count the `F` and `X` that must still be added (MB-3.7)."""
    so_far = drawn.orders
    for letter in ("F", "X"):
        while orders.extend_fault(galley, so_far, drawn.wishes, letter) is None:
            so_far += letter
    return len(so_far) - len(drawn.orders)


def _pieces(text: str) -> Iterator[str]:
    for part in re.split(r"[;\n\r]+", text):
        piece = part.strip(" \t,")
        if _FIRST.match(piece) or _EVERY.match(piece):
            yield from (each.strip(" \t,") for each in _NEXT.split(piece))
        elif piece:
            yield piece


def _amend_piece(desk: Desk, sheet: Sheet, piece: str) -> tuple[Sheet, str]:
    """Put one piece of text into a draft; with the galley that it gives orders to, if it does."""
    if standing.is_standing(piece):
        changed = standing.amend(sheet.standing, piece, desk.waters)
        return structs.replace(sheet, standing=changed), ""
    if standing.fold(piece) in _HOLD:
        if not desk.may_hold:
            raise IllegalOrder("hold_forbidden", "MB-3.7", piece=excerpt(piece))
        return structs.replace(sheet, lists=(), hold=True), ""
    named = _FIRST.match(piece)
    galley = _named(desk, named[1].upper(), piece) if named else current(desk, sheet)
    rest = piece[named.end() :] if named else piece
    if rest in {"", REACH}:
        return structs.replace(sheet, focus=galley.id, reach=rest == REACH), ""
    if standing.fold(rest) in _AGAIN:
        return with_list(sheet, _again(desk, galley, piece)), galley.id
    drawn, wishes = orders.read(rest)
    fault = orders.list_fault(galley, drawn)
    if fault:
        raise IllegalOrder(fault.code, fault.rule, piece=fault.piece, **fault.params)
    return with_list(sheet, OrderList(galley.id, drawn, wishes)), galley.id


def _amend_all(desk: Desk, sheet: Sheet, piece: str, rest: str, but: Collection[str]) -> Sheet:
    """Give all galleys the same orders, but those that have theirs by name; who cannot do all of it does what she can.

    Raises `OrderError` if no galley at all can.
    """
    others = [galley for galley in desk.waters.mine if galley.id not in but]
    if standing.fold(rest) in _AGAIN:
        known = {ordered.galley for ordered in desk.before}
        lists = [_again(desk, galley, piece) for galley in others if galley.id in known or not known]
    else:
        if not rest:
            raise UnreadableOrder("nothing_for_all", piece=excerpt(piece), expected="all FFFFF")
        drawn, wishes = orders.read(rest)
        faults = {galley.id: orders.list_fault(galley, drawn) for galley in others}
        if faults and all(faults.values()):
            fault = next(filter(None, faults.values()))
            raise IllegalOrder(fault.code, fault.rule, piece=fault.piece, **fault.params)
        given = [OrderList(galley.id, drawn, wishes) for galley in others]
        lists = [
            courses.fitted(galley, one) if faults[galley.id] else one for galley, one in zip(others, given, strict=True)
        ]
    for one in lists:
        sheet = structs.replace(with_list(sheet, one), focus=sheet.focus)
    return sheet


def again(desk: Desk, galley: Galley) -> OrderList | None:
    """What a galley was ordered in the round before, as far as she can do it now; None if it was nothing."""
    before = next((ordered for ordered in desk.before if ordered.galley == galley.id), None)
    return courses.fitted(galley, before) if before else None


def _again(desk: Desk, galley: Galley, piece: str) -> OrderList:
    found = again(desk, galley)
    if found is None:
        raise IllegalOrder("nothing_to_repeat", "", piece=excerpt(piece), galley=galley.id)
    return found


def _named(desk: Desk, galley_id: str, piece: str) -> Galley:
    for galley in desk.waters.mine:
        if galley.id == galley_id:
            return galley
    if any(galley.id == galley_id for galley in (*desk.waters.friends, *desk.waters.enemies)):
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=excerpt(piece), galley=galley_id)
    if any(galley.id == galley_id for galley in desk.waters.lost):
        raise IllegalOrder("galley_lost", "MB-7.2", piece=excerpt(piece), galley=galley_id)
    yours = ", ".join(galley.id for galley in desk.waters.mine)
    raise UnreadableOrder("unknown_galley", piece=excerpt(piece), galley=galley_id, yours=yours)


def list_of(sheet: Sheet, galley: Galley) -> OrderList:
    """What a galley is ordered so far."""
    return next((ordered for ordered in sheet.lists if ordered.galley == galley.id), OrderList(galley.id, ""))


def with_list(sheet: Sheet, drawn: OrderList) -> Sheet:
    """Put a galley's list into a draft; she is the one that orders are given to next."""
    others = tuple(ordered for ordered in sheet.lists if ordered.galley != drawn.galley)
    return structs.replace(sheet, lists=(*others, drawn), focus=drawn.galley, hold=False)
