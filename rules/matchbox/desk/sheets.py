"""A captain's orders while he writes them (MB part 3): typing and pressing meet here in one notation.

A draft is text such as `A1 FFX; A2 ZZ(4-2)F; aim safe`; its focus is the galley that orders are given to, or else the
one named last. The same reader reads drafts, typed text and finished answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct, structs

from rules.errors import AmbiguousOrder, Fault, IllegalOrder, OrderError, UnreadableOrder
from rules.matchbox.desk import standing
from rules.matchbox.desk.standing import Waters, excerpt
from rules.matchbox.table import damage, orders
from rules.matchbox.table.state import SLOTS, FleetOrders, Galley, OrderList, Standing, State
from rules.protocol import STANDING, Choices, Draft, Group, Option, Seat
from rules.view import Text

LETTERS: Final = ("F", "L", "R", "X", "ZZ")
MOST_TEXT: Final = 1000
"""Characters of typed text that are read."""
_MOST_OPTIONS: Final = 25
_HOLD: Final = frozenset({"hold", "tart", "varj"})
_FIRST: Final = re.compile(r"([A-Za-z]\d{1,2})(?!\d)[\s:]*")
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


class Desk(Struct, frozen=True):
    """What a captain writes his orders upon."""

    waters: Waters
    standing: Standing
    """As they stood before."""
    may_hold: bool
    """The game lets him give no orders at all."""


def desk_of(state: State, seat: Seat) -> Desk:
    """Lay out what a captain needs to write orders."""
    side = state.sides[seat]
    waters = Waters(
        mine=tuple(galley for galley in state.galleys if galley.seat == seat),
        friends=tuple(galley for galley in state.galleys if galley.side == side and galley.seat != seat),
        enemies=tuple(galley for galley in state.galleys if galley.side != side),
        lost=state.lost,
    )
    return Desk(waters, state.standing[seat], state.missed == "hold")


def read(desk: Desk, draft: Draft) -> Sheet:
    """Read a draft; one that cannot be read counts as empty."""
    try:
        sheet = amend(desk, _empty(desk), draft.text, lost_too=True)
    except OrderError:
        sheet = _empty(desk)
    known = any(galley.id == draft.focus for galley in desk.waters.mine)
    return structs.replace(sheet, focus=draft.focus) if known else sheet


def amend(desk: Desk, sheet: Sheet, text: str, *, lost_too: bool = False) -> Sheet:
    """Put text into a draft; what it does not mention stays. Raises `OrderError` and changes nothing otherwise."""
    if len(text) > MOST_TEXT:
        raise UnreadableOrder("text_too_long", piece=excerpt(text), most=MOST_TEXT, length=len(text))
    given: set[str] = set()
    for piece in _pieces(text):
        sheet, galley = _amend_piece(desk, sheet, piece, lost_too=lost_too)
        if galley in given:
            raise AmbiguousOrder("galley_twice", piece=excerpt(piece), galley=galley)
        given |= {galley} - {""}
    return sheet


def write(desk: Desk, sheet: Sheet) -> Draft:
    """Write a draft: the galleys that have orders, and those standing orders that change."""
    fleet = ("hold",) if sheet.hold else ()
    lists = (f"{drawn.galley} {orders.write(drawn)}" for _, drawn in ordered_lists(desk, sheet) if drawn.orders)
    return Draft("; ".join((*fleet, *lists, *standing.write(sheet.standing, desk.standing))), sheet.focus)


def finish(desk: Desk, text: str) -> FleetOrders:
    """Read a complete answer. Raises `OrderError` if anything in it is unreadable, illegal or left out (MB-3.7)."""
    sheet = amend(desk, _empty(desk), text, lost_too=True)
    lists = tuple(_list_of(sheet, galley) for galley in desk.waters.mine)
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


def hold(desk: Desk) -> FleetOrders:
    """No orders for any galley, and standing orders as they were."""
    return finish(structs.replace(desk, may_hold=True), "hold")


def current(desk: Desk, sheet: Sheet) -> Galley:
    """Find the galley that the captain gives orders to just now."""
    return next(galley for galley in desk.waters.mine if galley.id == sheet.focus)


def ordered_lists(desk: Desk, sheet: Sheet) -> tuple[tuple[Galley, OrderList], ...]:
    """Pair each galley with what is ordered so far, in galley order."""
    return tuple((galley, _list_of(sheet, galley)) for galley in desk.waters.mine)


def choices(desk: Desk, sheet: Sheet) -> Choices:
    """Show what may be pressed next, the draft in words, and what is missing."""
    mine = desk.waters.mine
    groups = [_galley_group(desk, sheet)] if len(mine) > 1 else []
    groups.append(_order_group(desk, sheet))
    if _list_of(sheet, current(desk, sheet)).orders.endswith("ZZ"):
        groups.append(_wish_group(desk, sheet))
    groups.append(_standing_group(desk, sheet))
    missing = () if sheet.hold else tuple(_missing(desk, sheet))
    done = Text("progress.orders", {"ordered": len(mine) - len(missing), "galleys": len(mine)})
    return Choices(groups=tuple(groups), lines=lines(desk, sheet), missing=missing, progress=done)


def lines(desk: Desk, sheet: Sheet) -> tuple[Text, ...]:
    """Put a draft into words: each galley's five slots, and the standing orders."""
    fleet = (
        [Text("line.hold")] if sheet.hold else [_line(galley, drawn) for galley, drawn in ordered_lists(desk, sheet)]
    )
    return (*fleet, standing.line(sheet.standing))


def could_add(galley: Galley, drawn: OrderList) -> int:
    """Count the `F` and `X` that must still be added (MB-3.7)."""
    so_far = drawn.orders
    for letter in ("F", "X"):
        while orders.extend_fault(galley, so_far, drawn.wishes, letter) is None:
            so_far += letter
    return len(so_far) - len(drawn.orders)


def _empty(desk: Desk) -> Sheet:
    return Sheet((), desk.standing, desk.waters.mine[0].id)


def _pieces(text: str) -> Iterator[str]:
    for part in re.split(r"[;\n\r]+", text):
        piece = part.strip(" \t,")
        if _FIRST.match(piece):
            yield from (each.strip(" \t,") for each in _NEXT.split(piece))
        elif piece:
            yield piece


def _amend_piece(desk: Desk, sheet: Sheet, piece: str, *, lost_too: bool) -> tuple[Sheet, str]:
    """Put one piece of text into a draft; with the galley that it gives orders to, if it does."""
    if standing.is_standing(piece):
        changed = standing.amend(sheet.standing, piece, desk.waters, lost_too=lost_too)
        return structs.replace(sheet, standing=changed), ""
    if standing.fold(piece) in _HOLD:
        if not desk.may_hold:
            raise IllegalOrder("hold_forbidden", "MB-3.7", piece=excerpt(piece))
        return structs.replace(sheet, lists=(), hold=True), ""
    named = _FIRST.match(piece)
    galley = _named(desk, named[1].upper(), piece) if named else current(desk, sheet)
    rest = piece[named.end() :] if named else piece
    if not rest:
        return structs.replace(sheet, focus=galley.id), ""
    drawn, wishes = orders.read(rest)
    fault = orders.list_fault(galley, drawn)
    if fault:
        raise IllegalOrder(fault.code, fault.rule, piece=fault.piece, **fault.params)
    return _with(sheet, OrderList(galley.id, drawn, wishes)), galley.id


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


def _list_of(sheet: Sheet, galley: Galley) -> OrderList:
    return next((ordered for ordered in sheet.lists if ordered.galley == galley.id), OrderList(galley.id, ""))


def _with(sheet: Sheet, drawn: OrderList) -> Sheet:
    others = tuple(ordered for ordered in sheet.lists if ordered.galley != drawn.galley)
    return structs.replace(sheet, lists=(*others, drawn), focus=drawn.galley, hold=False)


def _galley_group(desk: Desk, sheet: Sheet) -> Group:
    now = current(desk, sheet)
    options = tuple(
        _option(
            desk,
            structs.replace(sheet, focus=galley.id),
            f"galley.{galley.id}",
            Text("choice.galley", {"galley": galley.id, "slots": _slots(drawn)}),
            chosen=galley.id == now.id,
        )
        for galley, drawn in ordered_lists(desk, sheet)
    )
    return Group(key="galley", style="select", options=options)


def _order_group(desk: Desk, sheet: Sheet) -> Group:
    galley = current(desk, sheet)
    drawn = _list_of(sheet, galley)
    options = []
    for letter in LETTERS:
        wishes = (*drawn.wishes, (0, 0)) if letter == "ZZ" else drawn.wishes
        fault = orders.extend_fault(galley, drawn.orders, drawn.wishes, letter)
        longer = drawn if fault else OrderList(galley.id, drawn.orders + letter, wishes)
        options.append(_press(desk, sheet, longer, f"order.{letter}", fault))
    *kept, _ = orders.split(drawn.orders) or ("",)
    shorter = OrderList(galley.id, "".join(kept), drawn.wishes[: kept.count("ZZ")])
    nothing = None if drawn.orders else Fault(kind="illegal", code="no_orders_yet", piece=galley.id)
    options.append(_press(desk, sheet, shorter, "order.back", nothing))
    options.append(_press(desk, sheet, OrderList(galley.id, ""), "order.clear", nothing))
    return Group(key="order", style="buttons", options=tuple(options))


def _wish_group(desk: Desk, sheet: Sheet) -> Group:
    galley = current(desk, sheet)
    drawn = _list_of(sheet, galley)
    options = tuple(
        _option(
            desk,
            _with(sheet, structs.replace(drawn, wishes=(*drawn.wishes[:-1], (port, starboard)))),
            f"wish.{port}-{starboard}" if port else "wish.even",
            Text("choice.wish", {"port": port, "starboard": starboard}) if port else Text("choice.wish.even"),
            chosen=drawn.wishes[-1] == (port, starboard),
        )
        for port, starboard in ((0, 0), *damage.benches(galley))
    )
    return Group(key="wish", style="select", options=options)


def _standing_group(desk: Desk, sheet: Sheet) -> Group:
    options = tuple(
        _option(
            desk,
            structs.replace(sheet, standing=structs.replace(sheet.standing, **{decision: value})),
            f"{decision}.{value}",
            standing.label(decision, value),
            chosen=getattr(sheet.standing, decision) == value,
        )
        for decision, value in standing.alternatives(desk.waters, _MOST_OPTIONS)
    )
    return Group(key=STANDING, style="select", options=options)


def _press(desk: Desk, sheet: Sheet, drawn: OrderList, token: str, fault: Fault | None) -> Option:
    return _option(desk, _with(sheet, drawn), token, Text(f"choice.{token}"), fault=fault)


def _option(
    desk: Desk, after: Sheet, token: str, label: Text, *, chosen: bool = False, fault: Fault | None = None
) -> Option:
    text, focus = write(desk, after)
    return Option(token=token, label=label, draft=text, focus=focus, chosen=chosen, fault=fault)


def _line(galley: Galley, drawn: OrderList) -> Text:
    return Text("line.orders", {"galley": galley.id, "slots": _slots(drawn)})


def _slots(drawn: OrderList) -> str:
    """Write the five slots of a round, such as `F F X · ·`."""
    letters = [*drawn.orders]
    return " ".join(letters + ["·"] * (SLOTS - len(letters)))


def _missing(desk: Desk, sheet: Sheet) -> Iterator[Text]:
    for galley, drawn in ordered_lists(desk, sheet):
        if orders.short_fault(galley, drawn.orders):
            yield Text("missing.orders", {"galley": galley.id, "more": could_add(galley, drawn)})
