"""A captain's orders while they are written (MB part 3): typing and pressing meet here in one notation.

A draft is text such as `A1 FFX; A2 ZZ(4-2)F; aim safe`, or `A2 FFFFX (not FFFFF)` if more was wanted of a galley than
she can do, or less than she must; its focus is the galley that orders are given to, or the one
named last, and `A1+reach` while the captain looks at where enemies may get to. The same reader reads drafts, typed text
and finished answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct, structs

from rules.errors import AmbiguousOrder, IllegalOrder, UnreadableOrder, excerpt, refuse
from rules.finding import by_id
from rules.matchbox.desk import courses, standing_orders
from rules.matchbox.desk.order_context import OrderContext
from rules.matchbox.table import orders
from rules.matchbox.table.state import SLOTS, FleetOrders, Galley, OrderList, Standing, State
from rules.notebook import Notebook, try_read
from rules.protocol import Draft
from rules.typed import fold, pieces

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
_NOT: Final = re.compile(r"\s*\((?:not|nem)\s+([A-Za-z]+)\)\s*$", re.IGNORECASE)
"""Ends a list that is not what was wanted of her, with that: `A2 FFFFX (not FFFFF)`."""
_NEXT: Final = re.compile(r"(?<=[\s,])(?=[A-Za-z]\d{1,2}(?:[\s:,]|$))")


class OrderDraft(Struct, frozen=True):
    """Unfinished orders of one captain."""

    lists: tuple[OrderList, ...]
    """Those that were begun."""
    standing: Standing
    focus: str
    """The galley that orders are given to just now; empty where none is looked at: the last that has orders."""
    hold: bool = False
    """Every galley is to stay without orders."""
    reach: bool = False
    """The captain looks at where enemies may get to."""
    wanted: tuple[OrderList, ...] = ()
    """What was wanted of galleys whose lists are not that, as they can do no more, or must do more."""

    def list_of(self, galley: Galley) -> OrderList:
        """What a galley is ordered so far."""
        return next((ordered for ordered in self.lists if ordered.galley == galley.id), OrderList(galley.id, ""))

    def wanted_of(self, galley: Galley) -> OrderList | None:
        """What was wanted of a galley; None if it is what she is ordered."""
        return next((wanted for wanted in self.wanted if wanted.galley == galley.id), None)

    def with_list(self, ordered: OrderList, wanted: OrderList | None = None) -> OrderDraft:
        """The draft with a galley's list in it, and what was `wanted` in its place; orders are given to her next."""
        others = tuple(other for other in self.lists if other.galley != ordered.galley)
        as_wanted = wanted is None or wanted.orders == ordered.orders
        unmet = tuple(other for other in self.wanted if other.galley != ordered.galley)
        unmet = unmet if as_wanted or wanted is None else (*unmet, wanted)
        return structs.replace(self, lists=(*others, ordered), wanted=unmet, focus=ordered.galley, hold=False)

    def fitted(self, galley: Galley, wanted: OrderList) -> OrderDraft:
        """The draft with what a galley can do of a list."""
        return self.with_list(courses.fitted(galley, wanted), structs.replace(wanted, galley=galley.id))

    def looking_at(self, galley: str) -> str:
        """The focus of a draft that gives orders to a galley."""
        return galley + REACH if self.reach else galley


def look(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """The draft with another galley in hand, and with or without the reach of enemies."""
    name = focus.removesuffix(REACH)
    known = any(galley.id == name for galley in context.mine)
    if not known:
        return structs.replace(draft, reach=True) if focus == REACH else draft
    return structs.replace(draft, focus=name, reach=focus != name)


def take(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with typed text in it; what the text does not mention stays. Raises `OrderError`."""
    given: set[str] = set()
    for piece in _pieces(text):
        if every := _EVERY.match(piece):
            draft = _amend_all(context, draft, piece, piece[every.end() :], given)
            continue
        draft, galley = _amend_piece(context, draft, piece)
        if galley in given:
            raise AmbiguousOrder("galley_twice", piece=excerpt(piece), galley=galley)
        given |= {galley} - {""}
    return draft


def typed(context: OrderContext, before: OrderDraft, draft: OrderDraft) -> OrderDraft:
    """The draft after text was typed into it: lists that it gave are filled up with `X`, if no move may be added.

    If it gave lists to several galleys, as a hint does, none is looked at, so that all that they will do is seen; but
    only if that leaves the same galley in hand, which then is the last that has orders.
    """
    after, several, last = draft, 0, ""
    for galley in context.mine:
        given = draft.list_of(galley)
        last = galley.id if given.orders else last
        if given == before.list_of(galley) or not given.orders:
            continue
        several += 1
        if rest := courses.rest(galley, given):
            after = after.with_list(structs.replace(given, orders=given.orders + rest), given)
    return structs.replace(after, focus="" if several > 1 and draft.focus == last else draft.focus)


def write(context: OrderContext, draft: OrderDraft) -> Draft:
    """The draft as text: the galleys that have orders, and those standing orders that change."""
    lists = (_written(draft, one) for one in context.mine if draft.list_of(one).orders)
    text = "; ".join((*["hold"][: draft.hold], *lists, *standing_orders.write(draft.standing, context.standing)))
    return Draft(text, draft.looking_at(draft.focus))


def complete(context: OrderContext, draft: OrderDraft) -> FleetOrders:
    """The orders of a draft. Raises `OrderError` if a galley has fewer than she must (MB-3.7)."""
    for galley in () if draft.hold else context.mine:
        refuse(orders.short_fault(galley, draft.list_of(galley).orders))
    return FleetOrders(tuple(map(draft.list_of, context.mine)), draft.standing)


def canonical(answer: FleetOrders) -> str:
    """A complete answer as text: a list for each galley, or `hold`, and all standing orders."""
    held = not any(ordered.orders for ordered in answer.lists)
    lists = ("hold",) if held else tuple(f"{ordered.galley} {orders.write(ordered)}" for ordered in answer.lists)
    return "; ".join((*lists, *standing_orders.write(answer.standing)))


NOTEBOOK: Final[Notebook[State, OrderContext, OrderDraft, FleetOrders]] = Notebook(
    context=lambda state, request: OrderContext(state, request.seat),
    empty=lambda context: OrderDraft((), context.standing, context.mine[0].id),
    take=take,
    written=write,
    complete=complete,
    format=canonical,
    typed_in=typed,
    look=look,
    check=lambda context, draft: standing_orders.check(draft.standing, context),
)


def hold(context: OrderContext) -> FleetOrders | None:
    """No orders for any galley, if the game allows that; standing orders as they were."""
    return NOTEBOOK.finish(context, "hold") if context.may_hold else None


def current(context: OrderContext, draft: OrderDraft) -> Galley:
    """The galley that the captain gives orders to just now."""
    return by_id(context.mine, draft.focus)


def again(context: OrderContext, galley: Galley) -> OrderList | None:
    """What a galley was ordered in the round before, as far as she can do it now; None if it was nothing."""
    before = context.before.get(galley.id)
    return courses.fitted(galley, before) if before else None


def _written(draft: OrderDraft, galley: Galley) -> str:
    wanted = draft.wanted_of(galley)
    return f"{galley.id} {orders.write(draft.list_of(galley))}" + (f" (not {wanted.orders})" if wanted else "")


def _pieces(text: str) -> Iterator[str]:
    for piece in pieces(text):
        several = _FIRST.match(piece) or _EVERY.match(piece)
        yield from (each.strip(" \t,") for each in _NEXT.split(piece)) if several else (piece,)


def _amend_piece(context: OrderContext, draft: OrderDraft, piece: str) -> tuple[OrderDraft, str]:
    """The draft with one piece of text in it; and the galley that it gives orders to, or nothing."""
    if standing_orders.is_standing(piece, context):
        changed = standing_orders.amend(draft.standing, piece, context)
        return structs.replace(draft, standing=changed), ""
    if fold(piece) in _HOLD:
        if not context.may_hold:
            raise IllegalOrder("hold_forbidden", "MB-3.7", piece=excerpt(piece))
        return structs.replace(draft, lists=(), hold=True), ""
    named = _FIRST.match(piece)
    galley = _named(context, named[1].upper(), piece) if named else current(context, draft)
    rest = piece[named.end() :] if named else piece
    if rest in {"", REACH}:
        return structs.replace(draft, focus=galley.id, reach=rest == REACH), ""
    if fold(rest) in _AGAIN:
        return draft.fitted(galley, _before(context, galley, piece)), galley.id
    unmet = _NOT.search(rest)
    ordered = OrderList(galley.id, *_read(context, galley.id, rest[: unmet.start()] if unmet else rest))
    refuse(orders.list_fault(galley, ordered.orders))
    wanted = OrderList(galley.id, *_read(context, galley.id, unmet[1])) if unmet else ordered
    less = ordered.orders.startswith(wanted.orders) or orders.list_fault(galley, wanted.orders)
    return draft.with_list(ordered, wanted if less else None), galley.id


def _amend_all(context: OrderContext, draft: OrderDraft, piece: str, rest: str, but: Collection[str]) -> OrderDraft:
    """The same orders for all galleys but those that have theirs by name; each does what she can of it.

    Raises `OrderError` if none of them can do any of it, and for more orders than a round has.
    """
    others = [galley for galley in context.mine if galley.id not in but]
    if fold(rest) in _AGAIN:
        known = context.before
        lists = [(one, _before(context, one, piece)) for one in others if one.id in known or not known]
    else:
        if not rest:
            raise UnreadableOrder("nothing_for_all", piece=excerpt(piece), expected="all FFFFF")
        drawn, wishes = _read(context, context.mine[0].id, rest)
        faults = [orders.list_fault(galley, drawn) for galley in others]
        if len(drawn) > SLOTS or all(orders.list_fault(one, order) for one in others for order in orders.split(drawn)):
            refuse(next(filter(None, faults), None))
        lists = [(one, OrderList(one.id, drawn, wishes)) for one in others]
    for galley, wanted in lists:
        fault = orders.list_fault(galley, wanted.orders)
        draft = structs.replace(draft.fitted(galley, wanted) if fault else draft.with_list(wanted), focus=draft.focus)
    return draft


def _read(context: OrderContext, galley: str, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Orders and their wishes. Raises `OrderError`, also for `G` where nobody may be boarded (MX-3.1)."""
    boards = context.state.boards
    found = None if boards else try_read(orders.read, text, grapples=True)
    if found and "G" in found[0]:
        raise IllegalOrder("no_boarding", "MX-3.1", piece=f"{galley} {found[0]}", galley=galley, orders=found[0])
    return found or orders.read(text, grapples=boards)


def _before(context: OrderContext, galley: Galley, piece: str) -> OrderList:
    """What a galley was ordered in the round before. Raises `OrderError` if it was nothing."""
    found = context.before.get(galley.id)
    if found is None:
        raise IllegalOrder("nothing_to_repeat", "", piece=excerpt(piece), galley=galley.id)
    return found


def _named(context: OrderContext, galley_id: str, piece: str) -> Galley:
    there = {galley.id: galley for galley in context.state.galleys}
    if galley_id in there and there[galley_id].seat == context.seat:
        return there[galley_id]
    if galley_id in there:
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=excerpt(piece), galley=galley_id)
    if any(galley.id == galley_id for galley in context.state.lost):
        raise IllegalOrder("galley_lost", "MB-7.2", piece=excerpt(piece), galley=galley_id)
    yours = ", ".join(galley.id for galley in context.mine)
    raise UnreadableOrder("unknown_galley", piece=excerpt(piece), galley=galley_id, yours=yours)
