"""A captain's orders while they are written, typed or pressed in one notation (MB-3).

A draft is text such as `A1 FFX; A2 ZZ(4-2)F; aim safe`. If a galley cannot do what was asked, or must do more, the
request is appended as in `A2 FFFFX (not FFFFF)`. The focus is the galley that gets orders, by default the last one
named, and `A1+reach` while the reach of enemies is shown. One parser reads drafts, typed text and finished answers.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import product
from typing import Final

from msgspec import Struct, structs

from rules.core.errors import AmbiguousOrder, IllegalOrder, Scalar, UnreadableOrder, quote_excerpt, raise_fault
from rules.core.finding import find_by_id
from rules.core.protocol import Draft
from rules.core.view import Param, Text
from rules.interface.drafts import AnswerNotation, try_read
from rules.interface.typed import fold_text, split_pieces
from rules.matchbox.engine import orders
from rules.matchbox.engine.state import SLOTS, FleetOrders, Galley, OrderList, StandingOrders, State
from rules.matchbox.interface import standing_orders
from rules.matchbox.interface.standing_orders import OrderContext

STANDARD_COURSES: Final = {  # common courses by key, before they are adapted to a galley
    "ahead": "FFFFF",
    "attack": "FFFFX",
    "pass": "FFXFX",
    "fire": "XFXFX",
    "port": "LFFFF",
    "starboard": "RFFFF",
    "hard_port": "LLFFF",
    "hard_starboard": "RRFFF",
    "about_port": "LLLFF",
    "about_starboard": "RRRFF",
    "mend": "ZZFFF",
}
_BOARDING_COURSES: Final = {"board": "FFGFG"}  # further courses for games with boarding (MX-3.1)

_ORDER_TEXTS: Final = ("F", "L", "R", "X", "ZZ")
_FILLER_ORDERS: Final = (*"FFFFF", *"XXXXX")  # orders that complete a list that is too short (MB-3.7)


def fit_list(galley: Galley, wanted: OrderList) -> OrderList:
    """Return a complete, legal list as close as possible to the wanted one.

    Orders without oars, masts or matches are omitted, and required ones are added (MB-3.7).
    """
    fitted = ""
    wanted_wishes = iter(wanted.wishes)  # desired oars for each `ZZ`
    wishes: list[tuple[int, int]] = []
    for order in (*orders.split_orders(wanted.orders), *_FILLER_ORDERS):
        if len(fitted) == SLOTS:
            break
        order_wishes = [next(wanted_wishes, (0, 0))] if order == "ZZ" else []
        if orders.extend_fault(galley, fitted, wishes, order) is None:
            fitted += order
            wishes += order_wishes
    return OrderList(galley.id, fitted, tuple(wishes))


def forced_rest(galley: Galley, begun: OrderList) -> str:
    """Return the `X`s that a list needs if it has no room for moves (MB-3.7), or an empty string."""
    if orders.extend_fault(galley, begun.orders, begun.wishes, "F") is None:
        return ""
    return orders.missing_orders(galley, begun.orders)


def standard_courses(*, boarding: bool) -> dict[str, str]:
    return STANDARD_COURSES | _BOARDING_COURSES if boarding else STANDARD_COURSES


def courses_for(galley: Galley, *, boarding: bool = False) -> dict[str, OrderList]:
    """Return standard courses by key, as far as the galley can do them, without duplicates."""
    courses: dict[str, OrderList] = {}
    for key, letters in standard_courses(boarding=boarding).items():
        course = fit_list(galley, OrderList(galley.id, letters))
        if course not in courses.values() and course.orders:
            courses[key] = course
    return courses


def orders_text(key: str, ordered: OrderList, none: str = "", **params: Param) -> Text:
    """Return a sentence with a galley's orders separated, such as `F F X`, or the sentence `none`."""
    if none and not ordered.orders:
        return Text(none, {"galley": ordered.galley})
    apart = " ".join(orders.split_wishes(ordered))
    return Text(key, {"galley": ordered.galley, "slots": apart, "orders": orders.format_list(ordered), **params})


def all_lists(galley: Galley) -> Iterator[OrderList]:
    """Yield every legal list of a galley, without grapples and wishes (MB-3)."""
    for length in range(1, SLOTS + 1):
        for letters in product(_ORDER_TEXTS, repeat=length):
            orders_text = "".join(letters)
            if len(orders_text) == length + letters.count("ZZ") and not (
                orders.list_fault(galley, orders_text) or orders.short_fault(galley, orders_text)
            ):
                yield orders.list_without_wishes(galley.id, orders_text)


_HOLD_WORDS: Final = frozenset({"hold", "tart", "varj"})
_GALLEY_PATTERN: Final = re.compile(r"([A-Za-z]\d{1,2})(?!\d)[\s:]*")
_ALL_PATTERN: Final = re.compile(  # begins a piece for all galleys: `all FFFFF`, `* FFX`, in Hungarian `mind EEEEE`
    r"(?:\*|(?:all|every|mind|mindenki|mindegyik|összes|osszes)(?=[\s:]|$))[\s:]*", re.IGNORECASE
)
_AGAIN_WORDS: Final = frozenset({"again", "repeat", "ujra", "ismet", "megint"})
REACH_SUFFIX: Final = "+reach"  # ends a focus if the reach of enemies is shown, also typed: `A1+reach`
_WANTED_PATTERN: Final = re.compile(r"\s*\((?:not|nem)\s+([A-Za-z]+)\)\s*$", re.IGNORECASE)
"""Ends a list that differs from the requested one: `A2 FFFFX (not FFFFF)`."""
_PIECE_BREAK_PATTERN: Final = re.compile(r"(?<=[\s,])(?=[A-Za-z]\d{1,2}(?:[\s:,]|$))")


class OrderDraft(Struct, frozen=True):
    """Unfinished orders of one captain. `lists` contains only galleys with orders."""

    lists: tuple[OrderList, ...]  # orders for the round, one list a galley
    standing_orders: StandingOrders  # decisions in advance, for this and later rounds
    focus: str  # id of the galley that gets orders; empty: the last one with orders
    is_hold: bool = False  # whether no galley is to get any orders
    shows_reach: bool = False  # whether the picture shows how far enemies can get
    wanted_lists: tuple[OrderList, ...] = ()  # requested lists of galleys that cannot do them, or must do more

    def list_of(self, galley: Galley) -> OrderList:
        return next((ordered for ordered in self.lists if ordered.galley == galley.id), OrderList(galley.id, ""))

    def wanted_of(self, galley: Galley) -> OrderList | None:
        """Return a galley's requested list, or None if it is the actual one."""
        return next((wanted for wanted in self.wanted_lists if wanted.galley == galley.id), None)

    def with_list(self, ordered: OrderList, wanted: OrderList | None = None) -> OrderDraft:
        """Return the draft with a galley's list, the `wanted` one if different, and that galley in focus."""
        lists = (*(other for other in self.lists if other.galley != ordered.galley), ordered)
        wanted_lists = tuple(other for other in self.wanted_lists if other.galley != ordered.galley)
        if wanted is not None and wanted.orders != ordered.orders:
            wanted_lists = (*wanted_lists, wanted)
        return structs.replace(self, lists=lists, wanted_lists=wanted_lists, focus=ordered.galley, is_hold=False)

    def with_fitted(self, galley: Galley, wanted: OrderList) -> OrderDraft:  # as much as the galley can do
        return self.with_list(fit_list(galley, wanted), structs.replace(wanted, galley=galley.id))

    def focus_text(self, galley: str) -> str:  # `A1` or `A1+reach`
        return galley + REACH_SUFFIX if self.shows_reach else galley


def move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    """Return the draft with another galley in focus, and with or without the reach of enemies."""
    name = focus.removesuffix(REACH_SUFFIX)
    known = any(galley.id == name for galley in context.own_galleys)
    if not known:
        return structs.replace(draft, shows_reach=True) if focus == REACH_SUFFIX else draft
    return structs.replace(draft, focus=name, shows_reach=focus != name)


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """Return the draft after a text was typed. Unmentioned galleys keep their orders. Raises `OrderError`."""
    named_ids: set[str] = set()
    for piece in _split_pieces(text):
        if all_match := _ALL_PATTERN.match(piece):
            draft = _amend_all(context, draft, piece, piece[all_match.end() :], named_ids)
            continue
        draft, galley = _amend_piece(context, draft, piece)
        if galley in named_ids:
            raise AmbiguousOrder("galley_twice", piece=quote_excerpt(piece), galley=galley)
        if galley:
            named_ids.add(galley)
    return draft


def fill_typed(context: OrderContext, before: OrderDraft, draft: OrderDraft) -> OrderDraft:
    """Return the draft with newly typed lists completed with `X` where no move can be added.

    If several galleys got lists, as from a hint, the focus is cleared to show all plans, unless that would change which
    galley gets the next orders.
    """
    after = draft
    changed_count = 0
    last_ordered = ""  # id of the last galley with orders
    for galley in context.own_galleys:
        order_list = draft.list_of(galley)
        if order_list.orders:
            last_ordered = galley.id
        if order_list == before.list_of(galley) or not order_list.orders:
            continue
        changed_count += 1
        if forced_orders := forced_rest(galley, order_list):
            after = after.with_list(structs.replace(order_list, orders=order_list.orders + forced_orders), order_list)
    clears_focus = changed_count > 1 and draft.focus == last_ordered
    return structs.replace(after, focus="" if clears_focus else draft.focus)


def write_draft(context: OrderContext, draft: OrderDraft) -> Draft:
    lists = (_format_list(draft, galley) for galley in context.own_galleys if draft.list_of(galley).orders)
    standing = standing_orders.format_standing(draft.standing_orders, context.standing_orders)
    hold = ("hold",) if draft.is_hold else ()
    return Draft("; ".join((*hold, *lists, *standing)), draft.focus_text(draft.focus))


def complete_orders(context: OrderContext, draft: OrderDraft) -> FleetOrders:
    """Return the orders of a draft. Raises `OrderError` if a galley has too few (MB-3.7)."""
    for galley in () if draft.is_hold else context.own_galleys:
        raise_fault(orders.short_fault(galley, draft.list_of(galley).orders))
    return FleetOrders(tuple(map(draft.list_of, context.own_galleys)), draft.standing_orders)


def format_orders(answer: FleetOrders) -> str:
    """Return an answer as text: a list for each galley, or `hold`, and all standing orders."""
    held = not any(ordered.orders for ordered in answer.lists)
    lists = ("hold",) if held else tuple(f"{ordered.galley} {orders.format_list(ordered)}" for ordered in answer.lists)
    return "; ".join((*lists, *standing_orders.format_standing(answer.standing)))


_EXAMPLE: Final = "FFXRX"
_OTHER_ORDERS: Final = ("F", "R", "L", "X", "ZZ")  # in place of one that a galley can't carry out

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


def example_values(context: OrderContext) -> dict[str, Scalar]:
    """Return orders that one of the captain's galleys can carry out, if possible with a shot."""
    galley = context.own_galleys[0]
    letters = ""
    for wanted in _EXAMPLE:
        possible = [order for order in (wanted, *_OTHER_ORDERS) if not orders.list_fault(galley, letters + order)]
        letters += possible[0] if possible else ""
    return {"orders": f"{galley.id} {letters}" if letters else "hold"}


def hold_orders(context: OrderContext) -> FleetOrders | None:
    """Return an answer without orders, or None if the game gives absent captains the computer's orders."""
    return ORDER_NOTATION.parse_answer(context, "hold") if context.state.missed == "hold" else None


def current_galley(context: OrderContext, draft: OrderDraft) -> Galley:
    return find_by_id(context.own_galleys, draft.focus)


def last_orders_fitted(context: OrderContext, galley: Galley) -> OrderList | None:
    """Return a galley's previous orders as far as it can repeat them, or None if it had none."""
    before = context.last_orders.get(galley.id)
    return fit_list(galley, before) if before else None


def _format_list(draft: OrderDraft, galley: Galley) -> str:
    wanted = draft.wanted_of(galley)
    return f"{galley.id} {orders.format_list(draft.list_of(galley))}" + (f" (not {wanted.orders})" if wanted else "")


def _split_pieces(text: str) -> Iterator[str]:
    for piece in split_pieces(text):
        names_galley = _GALLEY_PATTERN.match(piece) or _ALL_PATTERN.match(piece)
        if names_galley:  # a piece may hold the orders of several galleys
            yield from (part.strip(" \t,") for part in _PIECE_BREAK_PATTERN.split(piece))
        else:
            yield piece


def _amend_piece(context: OrderContext, draft: OrderDraft, piece: str) -> tuple[OrderDraft, str]:
    """Return the draft with one piece of text, and the galley that it gives orders to (empty: none)."""
    if standing_orders.is_standing(piece, context):
        changed = standing_orders.with_piece(draft.standing_orders, piece, context)
        return structs.replace(draft, standing_orders=changed), ""
    if fold_text(piece) in _HOLD_WORDS:
        if not context.can_hold:
            raise IllegalOrder("hold_forbidden", "MB-3.7", piece=quote_excerpt(piece))
        return structs.replace(draft, lists=(), is_hold=True), ""
    galley_match = _GALLEY_PATTERN.match(piece)
    galley = (
        _require_galley(context, galley_match[1].upper(), piece) if galley_match else current_galley(context, draft)
    )
    rest = piece[galley_match.end() :] if galley_match else piece
    if rest in {"", REACH_SUFFIX}:
        return structs.replace(draft, focus=galley.id, shows_reach=rest == REACH_SUFFIX), ""
    if fold_text(rest) in _AGAIN_WORDS:
        return draft.with_fitted(galley, _require_last_orders(context, galley, piece)), galley.id
    wanted_match = _WANTED_PATTERN.search(rest)  # the request that a draft repeats, as in `FFFFX (not FFFFF)`
    orders_text = rest[: wanted_match.start()] if wanted_match else rest
    ordered = OrderList(galley.id, *_parse_list(context, galley.id, orders_text))
    raise_fault(orders.list_fault(galley, ordered.orders))
    wanted = OrderList(galley.id, *_parse_list(context, galley.id, wanted_match[1])) if wanted_match else ordered
    # Keep what was wanted if the list completes it, or if it exceeds what the galley may do.
    keeps_wanted = ordered.orders.startswith(wanted.orders) or orders.list_fault(galley, wanted.orders)
    return draft.with_list(ordered, wanted if keeps_wanted else None), galley.id


def _amend_all(
    context: OrderContext, draft: OrderDraft, piece: str, orders_text: str, named_ids: Collection[str]
) -> OrderDraft:
    """Return the draft with the same orders for all galleys not named before. Each does as much of them as it can.

    Raises `OrderError` if no galley can carry out any of the orders, or for more orders than a round has.
    """
    others = [galley for galley in context.own_galleys if galley.id not in named_ids]
    if fold_text(orders_text) in _AGAIN_WORDS:
        last_orders = context.last_orders
        lists = [
            (galley, _require_last_orders(context, galley, piece))
            for galley in others
            if galley.id in last_orders or not last_orders
        ]
    else:
        if not orders_text:
            raise UnreadableOrder("nothing_for_all", piece=quote_excerpt(piece), expected="all FFFFF")
        letters, wishes = _parse_list(context, context.own_galleys[0].id, orders_text)
        is_impossible = all(
            orders.list_fault(galley, order) for galley in others for order in orders.split_orders(letters)
        )
        if len(letters) > SLOTS or is_impossible:
            faults = [orders.list_fault(galley, letters) for galley in others]
            raise_fault(next(filter(None, faults), None))
        lists = [(galley, OrderList(galley.id, letters, wishes)) for galley in others]
    for galley, wanted in lists:
        fault = orders.list_fault(galley, wanted.orders)
        draft = structs.replace(
            draft.with_fitted(galley, wanted) if fault else draft.with_list(wanted), focus=draft.focus
        )
    return draft


def _parse_list(context: OrderContext, galley: str, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return orders and wishes. Raises `OrderError`, also for `G` without boarding (MX-3.1)."""
    boards = context.state.allows_boarding
    # Without boarding, read `G` nevertheless, to refuse it by its rule.
    parsed = None if boards else try_read(orders.parse_orders, text, grapples=True)
    if parsed and "G" in parsed[0]:
        raise IllegalOrder("no_boarding", "MX-3.1", piece=f"{galley} {parsed[0]}", galley=galley, orders=parsed[0])
    return parsed or orders.parse_orders(text, grapples=boards)


def _require_last_orders(context: OrderContext, galley: Galley, piece: str) -> OrderList:
    """Return a galley's previous orders. Raises `OrderError` if it had none."""
    order_list = context.last_orders.get(galley.id)
    if order_list is None:
        raise IllegalOrder("nothing_to_repeat", "", piece=quote_excerpt(piece), galley=galley.id)
    return order_list


def _require_galley(context: OrderContext, galley_id: str, piece: str) -> Galley:
    afloat = {galley.id: galley for galley in context.state.galleys}
    if galley_id in afloat and afloat[galley_id].seat == context.seat:
        return afloat[galley_id]
    if galley_id in afloat:
        raise IllegalOrder("not_your_galley", "MB-1.5", piece=quote_excerpt(piece), galley=galley_id)
    if any(galley.id == galley_id for galley in context.state.lost):
        raise IllegalOrder("galley_lost", "MB-7.2", piece=quote_excerpt(piece), galley=galley_id)
    yours = ", ".join(galley.id for galley in context.own_galleys)
    raise UnreadableOrder("unknown_galley", piece=quote_excerpt(piece), galley=galley_id, yours=yours)
