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

from rules.core.errors import AmbiguousOrder, IllegalOrder, UnreadableOrder, quote_excerpt, raise_fault
from rules.core.finding import find_by_id
from rules.core.protocol import Draft
from rules.interface.drafts import AnswerNotation, try_read
from rules.interface.typed import fold_text, split_pieces
from rules.matchbox.engine import orders
from rules.matchbox.engine.state import SLOTS, FleetOrders, Galley, OrderList, StandingOrders, State
from rules.matchbox.interface import courses, standing_orders
from rules.matchbox.interface.order_context import OrderContext

_HOLD_WORDS: Final = frozenset({"hold", "tart", "varj"})
_GALLEY_PATTERN: Final = re.compile(r"([A-Za-z]\d{1,2})(?!\d)[\s:]*")
_ALL_PATTERN: Final = re.compile(
    r"(?:\*|(?:all|every|mind|mindenki|mindegyik|összes|osszes)(?=[\s:]|$))[\s:]*", re.IGNORECASE
)
"""Begins a piece that is for all of a captain's galleys: `all FFFFF`, `* FFX`, in Hungarian `mind EEEEE`."""
_AGAIN_WORDS: Final = frozenset({"again", "repeat", "ujra", "ismet", "megint"})
"""In place of orders: those of the round before."""
REACH_SUFFIX: Final = "+reach"
"""Ends the focus of a draft whose captain looks at where enemies may get to; as typed, too: `A1+reach`."""
_WANTED_PATTERN: Final = re.compile(r"\s*\((?:not|nem)\s+([A-Za-z]+)\)\s*$", re.IGNORECASE)
"""Ends a list that is not what was wanted of her, with that: `A2 FFFFX (not FFFFF)`."""
_PIECE_BREAK_PATTERN: Final = re.compile(r"(?<=[\s,])(?=[A-Za-z]\d{1,2}(?:[\s:,]|$))")


class OrderDraft(Struct, frozen=True):
    """Unfinished orders of one captain."""

    lists: tuple[OrderList, ...]
    """Those that were begun."""
    standing_orders: StandingOrders
    focus: str
    """The galley that orders are given to just now; empty where none is looked at: the last that has orders."""
    is_hold: bool = False
    """Every galley is to stay without orders."""
    shows_reach: bool = False
    """The captain looks at where enemies may get to."""
    wanted_lists: tuple[OrderList, ...] = ()
    """What was wanted of galleys whose lists are not that, as they can do no more, or must do more."""

    def list_of(self, galley: Galley) -> OrderList:
        """What a galley is ordered so far."""
        return next((ordered for ordered in self.lists if ordered.galley == galley.id), OrderList(galley.id, ""))

    def wanted_of(self, galley: Galley) -> OrderList | None:
        """What was wanted of a galley; None if it is what she is ordered."""
        return next((wanted for wanted in self.wanted_lists if wanted.galley == galley.id), None)

    def with_list(self, ordered: OrderList, wanted: OrderList | None = None) -> OrderDraft:
        """The draft with a galley's list in it, and what was `wanted` in its place; orders are given to her next."""
        others = tuple(other for other in self.lists if other.galley != ordered.galley)
        as_wanted = wanted is None or wanted.orders == ordered.orders
        unmet = tuple(other for other in self.wanted_lists if other.galley != ordered.galley)
        unmet = unmet if as_wanted or wanted is None else (*unmet, wanted)
        return structs.replace(self, lists=(*others, ordered), wanted_lists=unmet, focus=ordered.galley, is_hold=False)

    def with_fitted(self, galley: Galley, wanted: OrderList) -> OrderDraft:
        """The draft with what a galley can do of a list."""
        return self.with_list(courses.fit_list(galley, wanted), structs.replace(wanted, galley=galley.id))

    def focus_on(self, galley: str) -> str:
        """The focus of a draft that gives orders to a galley."""
        return galley + REACH_SUFFIX if self.shows_reach else galley


def move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """The draft with another galley in hand, and with or without the reach of enemies."""
    name = focus.removesuffix(REACH_SUFFIX)
    known = any(galley.id == name for galley in context.own_galleys)
    if not known:
        return structs.replace(draft, shows_reach=True) if focus == REACH_SUFFIX else draft
    return structs.replace(draft, focus=name, shows_reach=focus != name)


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with typed text in it; what the text does not mention stays. Raises `OrderError`."""
    given: set[str] = set()
    for piece in _split_pieces(text):
        if every := _ALL_PATTERN.match(piece):
            draft = _amend_all(context, draft, piece, piece[every.end() :], given)
            continue
        draft, galley = _amend_piece(context, draft, piece)
        if galley in given:
            raise AmbiguousOrder("galley_twice", piece=quote_excerpt(piece), galley=galley)
        given |= {galley} - {""}
    return draft


def fill_typed(context: OrderContext, before: OrderDraft, draft: OrderDraft) -> OrderDraft:
    """The draft after text was typed into it: lists that it gave are filled up with `X`, if no move may be added.

    If it gave lists to several galleys, as a hint does, none is looked at, so that all that they will do is seen; but
    only if that leaves the same galley in hand, which then is the last that has orders.
    """
    after, several, last = draft, 0, ""
    for galley in context.own_galleys:
        given = draft.list_of(galley)
        last = galley.id if given.orders else last
        if given == before.list_of(galley) or not given.orders:
            continue
        several += 1
        if rest := courses.forced_rest(galley, given):
            after = after.with_list(structs.replace(given, orders=given.orders + rest), given)
    return structs.replace(after, focus="" if several > 1 and draft.focus == last else draft.focus)


def write_draft(context: OrderContext, draft: OrderDraft) -> Draft:
    """The draft as text: the galleys that have orders, and those standing orders that change."""
    lists = (_format_list(draft, one) for one in context.own_galleys if draft.list_of(one).orders)
    text = "; ".join(
        (
            *["hold"][: draft.is_hold],
            *lists,
            *standing_orders.format_standing(draft.standing_orders, context.standing_orders),
        )
    )
    return Draft(text, draft.focus_on(draft.focus))


def complete_orders(context: OrderContext, draft: OrderDraft) -> FleetOrders:
    """The orders of a draft. Raises `OrderError` if a galley has fewer than she must (MB-3.7)."""
    for galley in () if draft.is_hold else context.own_galleys:
        raise_fault(orders.short_fault(galley, draft.list_of(galley).orders))
    return FleetOrders(tuple(map(draft.list_of, context.own_galleys)), draft.standing_orders)


def format_orders(answer: FleetOrders) -> str:
    """A complete answer as text: a list for each galley, or `hold_orders`, and all standing orders."""
    held = not any(ordered.orders for ordered in answer.lists)
    lists = ("hold",) if held else tuple(f"{ordered.galley} {orders.format_list(ordered)}" for ordered in answer.lists)
    return "; ".join((*lists, *standing_orders.format_standing(answer.standing)))


ORDER_NOTATION: Final[AnswerNotation[State, OrderContext, OrderDraft, FleetOrders]] = AnswerNotation(
    context=lambda state, request: OrderContext(state, request.seat),
    empty_draft=lambda context: OrderDraft((), context.standing_orders, context.own_galleys[0].id),
    parse_into=parse_into,
    write_draft=write_draft,
    complete_answer=complete_orders,
    format_answer=format_orders,
    merge_typed=fill_typed,
    move_focus=move_focus,
    check_typed=lambda context, draft: standing_orders.check_target(draft.standing_orders, context),
)


def hold_orders(context: OrderContext) -> FleetOrders | None:
    """No orders for any galley, if the game allows that; standing orders as they were."""
    return ORDER_NOTATION.parse_answer(context, "hold") if context.can_hold else None


def current_galley(context: OrderContext, draft: OrderDraft) -> Galley:
    """The galley that the captain gives orders to just now."""
    return find_by_id(context.own_galleys, draft.focus)


def last_orders_fitted(context: OrderContext, galley: Galley) -> OrderList | None:
    """What a galley was ordered in the round before, as far as she can do it now; None if it was nothing."""
    before = context.last_orders.get(galley.id)
    return courses.fit_list(galley, before) if before else None


def _format_list(draft: OrderDraft, galley: Galley) -> str:
    wanted = draft.wanted_of(galley)
    return f"{galley.id} {orders.format_list(draft.list_of(galley))}" + (f" (not {wanted.orders})" if wanted else "")


def _split_pieces(text: str) -> Iterator[str]:
    for piece in split_pieces(text):
        several = _GALLEY_PATTERN.match(piece) or _ALL_PATTERN.match(piece)
        yield from (each.strip(" \t,") for each in _PIECE_BREAK_PATTERN.split(piece)) if several else (piece,)


def _amend_piece(context: OrderContext, draft: OrderDraft, piece: str) -> tuple[OrderDraft, str]:
    """The draft with one piece of text in it; and the galley that it gives orders to, or nothing."""
    if standing_orders.is_standing(piece, context):
        changed = standing_orders.with_piece(draft.standing_orders, piece, context)
        return structs.replace(draft, standing_orders=changed), ""
    if fold_text(piece) in _HOLD_WORDS:
        if not context.can_hold:
            raise IllegalOrder("hold_forbidden", "MB-3.7", piece=quote_excerpt(piece))
        return structs.replace(draft, lists=(), is_hold=True), ""
    named = _GALLEY_PATTERN.match(piece)
    galley = _require_galley(context, named[1].upper(), piece) if named else current_galley(context, draft)
    rest = piece[named.end() :] if named else piece
    if rest in {"", REACH_SUFFIX}:
        return structs.replace(draft, focus=galley.id, shows_reach=rest == REACH_SUFFIX), ""
    if fold_text(rest) in _AGAIN_WORDS:
        return draft.with_fitted(galley, _require_last_orders(context, galley, piece)), galley.id
    unmet = _WANTED_PATTERN.search(rest)
    ordered = OrderList(galley.id, *_parse_list(context, galley.id, rest[: unmet.start()] if unmet else rest))
    raise_fault(orders.list_fault(galley, ordered.orders))
    wanted = OrderList(galley.id, *_parse_list(context, galley.id, unmet[1])) if unmet else ordered
    less = ordered.orders.startswith(wanted.orders) or orders.list_fault(galley, wanted.orders)
    return draft.with_list(ordered, wanted if less else None), galley.id


def _amend_all(context: OrderContext, draft: OrderDraft, piece: str, rest: str, but: Collection[str]) -> OrderDraft:
    """The same orders for all galleys but those that have theirs by name; each does what she can of it.

    Raises `OrderError` if none of them can do any of it, and for more orders than a round has.
    """
    others = [galley for galley in context.own_galleys if galley.id not in but]
    if fold_text(rest) in _AGAIN_WORDS:
        known = context.last_orders
        lists = [(one, _require_last_orders(context, one, piece)) for one in others if one.id in known or not known]
    else:
        if not rest:
            raise UnreadableOrder("nothing_for_all", piece=quote_excerpt(piece), expected="all FFFFF")
        drawn, wishes = _parse_list(context, context.own_galleys[0].id, rest)
        faults = [orders.list_fault(galley, drawn) for galley in others]
        if len(drawn) > SLOTS or all(
            orders.list_fault(one, order) for one in others for order in orders.split_orders(drawn)
        ):
            raise_fault(next(filter(None, faults), None))
        lists = [(one, OrderList(one.id, drawn, wishes)) for one in others]
    for galley, wanted in lists:
        fault = orders.list_fault(galley, wanted.orders)
        draft = structs.replace(
            draft.with_fitted(galley, wanted) if fault else draft.with_list(wanted), focus=draft.focus
        )
    return draft


def _parse_list(context: OrderContext, galley: str, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Orders and their wishes. Raises `OrderError`, also for `G` where nobody may be boarded (MX-3.1)."""
    boards = context.state.allows_boarding
    found = None if boards else try_read(orders.parse_orders, text, grapples=True)
    if found and "G" in found[0]:
        raise IllegalOrder("no_boarding", "MX-3.1", piece=f"{galley} {found[0]}", galley=galley, orders=found[0])
    return found or orders.parse_orders(text, grapples=boards)


def _require_last_orders(context: OrderContext, galley: Galley, piece: str) -> OrderList:
    """What a galley was ordered in the round before. Raises `OrderError` if it was nothing."""
    found = context.last_orders.get(galley.id)
    if found is None:
        raise IllegalOrder("nothing_to_repeat", "", piece=quote_excerpt(piece), galley=galley.id)
    return found


def _require_galley(context: OrderContext, galley_id: str, piece: str) -> Galley:
    there = {galley.id: galley for galley in context.state.galleys}
    if galley_id in there and there[galley_id].seat == context.seat:
        return there[galley_id]
    if galley_id in there:
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=quote_excerpt(piece), galley=galley_id)
    if any(galley.id == galley_id for galley in context.state.lost):
        raise IllegalOrder("galley_lost", "MB-7.2", piece=quote_excerpt(piece), galley=galley_id)
    yours = ", ".join(galley.id for galley in context.own_galleys)
    raise UnreadableOrder("unknown_galley", piece=quote_excerpt(piece), galley=galley_id, yours=yours)
