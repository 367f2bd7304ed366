"""A captain's orders while he writes them (MB part 3): typing and pressing meet here in one notation.

A draft is text such as `A1 FFX; A2 ZZ(4-2)F; aim safe`, in which the galley named last is the current one. The same
reader reads drafts, typed text and finished answers.
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
from rules.protocol import STANDING, Choices, Group, Option, Seat
from rules.view import Text

LETTERS: Final = ("F", "L", "R", "X", "ZZ")
MOST_TEXT: Final = 1000
"""Characters of typed text that are read."""
_MOST_OPTIONS: Final = 25
_HOLD: Final = frozenset({"hold", "tart", "varj"})
_FIRST: Final = re.compile(r"([A-Za-z]\d{1,2})(?!\d)[\s:]*")
_NEXT: Final = re.compile(r"(?<=[\s,])(?=[A-Za-z]\d{1,2}(?:[\s:,]|$))")


class Draft(Struct, frozen=True):
    """Unfinished orders of one captain."""

    lists: tuple[OrderList, ...]
    """As they were mentioned; the last is that of the current galley."""
    standing: Standing
    hold: bool = False
    """Every galley is to stay without orders."""


class Desk(Struct, frozen=True):
    """What a captain writes his orders upon."""

    waters: Waters
    standing: Standing
    """As they stood before."""
    may_hold: bool
    """The game lets him give no orders at all."""


def desk(state: State, seat: Seat) -> Desk:
    """Lay out what a captain needs to write orders."""
    side = state.sides[seat]
    waters = Waters(
        mine=tuple(galley for galley in state.galleys if galley.seat == seat),
        friends=tuple(galley for galley in state.galleys if galley.side == side and galley.seat != seat),
        enemies=tuple(galley for galley in state.galleys if galley.side != side),
        lost=state.lost,
    )
    return Desk(waters, state.standing[seat], state.missed == "hold")


def read(paper: Desk, text: str) -> Draft:
    """Read a draft; one that cannot be read counts as empty."""
    try:
        return amend(paper, _empty(paper), text, lost_too=True)
    except OrderError:
        return _empty(paper)


def amend(paper: Desk, draft: Draft, text: str, *, lost_too: bool = False) -> Draft:
    """Put text into a draft; what it does not mention stays. Raises `OrderError` and changes nothing otherwise."""
    if len(text) > MOST_TEXT:
        raise UnreadableOrder("text_too_long", piece=excerpt(text), most=MOST_TEXT, length=len(text))
    given: set[str] = set()
    for piece in _pieces(text):
        draft, galley = _amend_piece(paper, draft, piece, lost_too=lost_too)
        if galley in given:
            raise AmbiguousOrder("galley_twice", piece=excerpt(piece), galley=galley)
        given |= {galley} - {""}
    return draft


def write(paper: Desk, draft: Draft) -> str:
    """Write a draft: the galleys as they were mentioned, and those standing orders that change."""
    fleet = ("hold",) if draft.hold else ()
    lists = tuple(f"{ordered.galley} {orders.write(ordered)}".strip() for ordered in draft.lists)
    return "; ".join((*fleet, *lists, *standing.write(draft.standing, paper.standing)))


def finish(paper: Desk, text: str) -> FleetOrders:
    """Read a complete answer. Raises `OrderError` if anything in it is unreadable, illegal or left out (MB-3.7)."""
    draft = amend(paper, _empty(paper), text, lost_too=True)
    lists = tuple(_list_of(draft, galley) for galley in paper.waters.mine)
    for galley, ordered in zip(paper.waters.mine, lists, strict=True):
        short = None if draft.hold else orders.short_fault(galley, ordered.orders)
        if short:
            raise IllegalOrder(short.code, short.rule, piece=short.piece, **short.params)
    return FleetOrders(lists, draft.standing)


def canonical(answer: FleetOrders) -> str:
    """Write a complete answer: a list for each galley, or `hold`, and all standing orders."""
    held = not any(ordered.orders for ordered in answer.lists)
    lists = ("hold",) if held else tuple(f"{ordered.galley} {orders.write(ordered)}" for ordered in answer.lists)
    return "; ".join((*lists, *standing.write(answer.standing)))


def hold(paper: Desk) -> FleetOrders:
    """No orders for any galley, and standing orders as they were."""
    return finish(structs.replace(paper, may_hold=True), "hold")


def current(paper: Desk, draft: Draft) -> Galley:
    """Find the galley that the captain gives orders to just now."""
    last = draft.lists[-1].galley if draft.lists else paper.waters.mine[0].id
    return next(galley for galley in paper.waters.mine if galley.id == last)


def ordered_lists(paper: Desk, draft: Draft) -> tuple[tuple[Galley, OrderList], ...]:
    """Pair each galley with what is ordered so far, in galley order."""
    return tuple((galley, _list_of(draft, galley)) for galley in paper.waters.mine)


def choices(paper: Desk, draft: Draft) -> Choices:
    """Show what may be pressed next, the draft in words, and what is missing."""
    mine = paper.waters.mine
    groups = [_galley_group(paper, draft)] if len(mine) > 1 else []
    groups.append(_order_group(paper, draft))
    if _list_of(draft, current(paper, draft)).orders.endswith("ZZ"):
        groups.append(_wish_group(paper, draft))
    groups.append(_standing_group(paper, draft))
    missing = () if draft.hold else tuple(_missing(paper, draft))
    done = Text("progress.orders", {"ordered": len(mine) - len(missing), "galleys": len(mine)})
    return Choices(groups=tuple(groups), lines=lines(paper, draft), missing=missing, progress=done)


def lines(paper: Desk, draft: Draft) -> tuple[Text, ...]:
    """Put a draft into words: each galley's five slots, and the standing orders."""
    fleet = (
        [Text("line.hold")] if draft.hold else [_line(galley, drawn) for galley, drawn in ordered_lists(paper, draft)]
    )
    return (*fleet, standing.line(draft.standing))


def could_add(galley: Galley, drawn: OrderList) -> int:
    """Count the `F` and `X` that must still be added (MB-3.7)."""
    so_far = drawn.orders
    for letter in ("F", "X"):
        while orders.extend_fault(galley, so_far, drawn.wishes, letter) is None:
            so_far += letter
    return len(so_far) - len(drawn.orders)


def _empty(paper: Desk) -> Draft:
    return Draft((), paper.standing)


def _pieces(text: str) -> Iterator[str]:
    for part in re.split(r"[;\n\r]+", text):
        piece = part.strip(" \t,")
        if _FIRST.match(piece):
            yield from (each.strip(" \t,") for each in _NEXT.split(piece))
        elif piece:
            yield piece


def _amend_piece(paper: Desk, draft: Draft, piece: str, *, lost_too: bool) -> tuple[Draft, str]:
    """Put one piece of text into a draft; with the galley that it gives orders to, if it does."""
    if standing.is_standing(piece):
        changed = standing.amend(draft.standing, piece, paper.waters, lost_too=lost_too)
        return structs.replace(draft, standing=changed), ""
    if standing.fold(piece) in _HOLD:
        if not paper.may_hold:
            raise IllegalOrder("hold_forbidden", "MB-3.7", piece=excerpt(piece))
        return structs.replace(draft, lists=(), hold=True), ""
    named = _FIRST.match(piece)
    galley = _named(paper, named[1].upper(), piece) if named else current(paper, draft)
    rest = piece[named.end() :] if named else piece
    if not rest:
        return _with(draft, _list_of(draft, galley)), ""
    drawn, wishes = orders.read(rest)
    fault = orders.list_fault(galley, drawn)
    if fault:
        raise IllegalOrder(fault.code, fault.rule, piece=fault.piece, **fault.params)
    return _with(draft, OrderList(galley.id, drawn, wishes)), galley.id


def _named(paper: Desk, galley_id: str, piece: str) -> Galley:
    for galley in paper.waters.mine:
        if galley.id == galley_id:
            return galley
    if any(galley.id == galley_id for galley in (*paper.waters.friends, *paper.waters.enemies)):
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=excerpt(piece), galley=galley_id)
    if any(galley.id == galley_id for galley in paper.waters.lost):
        raise IllegalOrder("galley_lost", "MB-7.2", piece=excerpt(piece), galley=galley_id)
    yours = ", ".join(galley.id for galley in paper.waters.mine)
    raise UnreadableOrder("unknown_galley", piece=excerpt(piece), galley=galley_id, yours=yours)


def _list_of(draft: Draft, galley: Galley) -> OrderList:
    return next((ordered for ordered in draft.lists if ordered.galley == galley.id), OrderList(galley.id, ""))


def _with(draft: Draft, drawn: OrderList) -> Draft:
    others = tuple(ordered for ordered in draft.lists if ordered.galley != drawn.galley)
    return structs.replace(draft, lists=(*others, drawn), hold=False)


def _galley_group(paper: Desk, draft: Draft) -> Group:
    now = current(paper, draft)
    options = tuple(
        Option(
            token=f"galley.{galley.id}",
            label=Text("choice.galley", {"galley": galley.id, "slots": _slots(drawn)}),
            draft=write(paper, _with(draft, drawn)),
            chosen=galley.id == now.id,
        )
        for galley, drawn in ordered_lists(paper, draft)
    )
    return Group(key="galley", style="select", options=options)


def _order_group(paper: Desk, draft: Draft) -> Group:
    galley = current(paper, draft)
    drawn = _list_of(draft, galley)
    options = []
    for letter in LETTERS:
        wishes = (*drawn.wishes, (0, 0)) if letter == "ZZ" else drawn.wishes
        fault = orders.extend_fault(galley, drawn.orders, drawn.wishes, letter)
        longer = drawn if fault else OrderList(galley.id, drawn.orders + letter, wishes)
        options.append(_press(paper, draft, longer, f"order.{letter}", fault))
    *kept, _ = orders.split(drawn.orders) or ("",)
    shorter = OrderList(galley.id, "".join(kept), drawn.wishes[: kept.count("ZZ")])
    nothing = None if drawn.orders else Fault(kind="illegal", code="no_orders_yet", piece=galley.id)
    options.append(_press(paper, draft, shorter, "order.back", nothing))
    options.append(_press(paper, draft, OrderList(galley.id, ""), "order.clear", nothing))
    return Group(key="order", style="buttons", options=tuple(options))


def _wish_group(paper: Desk, draft: Draft) -> Group:
    galley = current(paper, draft)
    drawn = _list_of(draft, galley)
    options = tuple(
        Option(
            token=f"wish.{port}-{starboard}" if port else "wish.even",
            label=Text("choice.wish", {"port": port, "starboard": starboard}) if port else Text("choice.wish.even"),
            draft=write(paper, _with(draft, structs.replace(drawn, wishes=(*drawn.wishes[:-1], (port, starboard))))),
            chosen=drawn.wishes[-1] == (port, starboard),
        )
        for port, starboard in ((0, 0), *damage.benches(galley))
    )
    return Group(key="wish", style="select", options=options)


def _standing_group(paper: Desk, draft: Draft) -> Group:
    options = tuple(
        Option(
            token=f"{decision}.{value}",
            label=standing.label(decision, value),
            draft=write(paper, structs.replace(draft, standing=structs.replace(draft.standing, **{decision: value}))),
            chosen=getattr(draft.standing, decision) == value,
        )
        for decision, value in standing.alternatives(paper.waters, _MOST_OPTIONS)
    )
    return Group(key=STANDING, style="select", options=options)


def _press(paper: Desk, draft: Draft, drawn: OrderList, token: str, fault: Fault | None) -> Option:
    return Option(token=token, label=Text(f"choice.{token}"), draft=write(paper, _with(draft, drawn)), fault=fault)


def _line(galley: Galley, drawn: OrderList) -> Text:
    return Text("line.orders", {"galley": galley.id, "slots": _slots(drawn)})


def _slots(drawn: OrderList) -> str:
    """Write the five slots of a round, such as `F F X · ·`."""
    letters = [*drawn.orders]
    return " ".join(letters + ["·"] * (SLOTS - len(letters)))


def _missing(paper: Desk, draft: Draft) -> Iterator[Text]:
    for galley, drawn in ordered_lists(paper, draft):
        if orders.short_fault(galley, drawn.orders):
            yield Text("missing.orders", {"galley": galley.id, "more": could_add(galley, drawn)})
