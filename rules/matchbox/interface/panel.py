"""What may be pressed while orders are written: galleys, orders, courses, and the draft in words (MB part 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import Fault
from rules.core.protocol import STANDING_GROUP, Choices, Option
from rules.core.view import Text
from rules.interface.panels import button_row, drop_empty, select_menu
from rules.interface.spans import join_id_ranges
from rules.matchbox.engine import damage, orders, points
from rules.matchbox.engine.state import Galley, OrderList
from rules.matchbox.interface import courses, forms, order_drafts, standing_orders
from rules.matchbox.interface.order_context import OrderContext
from rules.matchbox.interface.order_drafts import ORDER_NOTATION, OrderDraft

_MISSING_KEYS: Final = {
    "X": "missing.orders.fire",
    "XZZ": "missing.orders.fire_or_mend",
    "FLR": "missing.orders.move",
    "FLRZZ": "missing.orders.move_or_mend",
}
"""What is missing from a galley's list, by the only orders that she can still carry out."""
_MISSING_KEYS_BOARDING: Final = _MISSING_KEYS | {
    "X": "missing.orders.fire.or_board",
    "XZZ": "missing.orders.fire_or_mend.or_board",
}
"""The same where galleys may be boarded: who can fire can grapple (MX-3.1)."""

_BUTTONS_PER_ROW: Final = 5
"""Buttons of orders in a row of a phone."""


def draft_choices(context: OrderContext, draft: OrderDraft) -> Choices:
    """What may be pressed next, the draft in words, and what is missing."""
    mine = context.own_galleys
    looked = structs.replace(draft, shows_reach=not draft.shows_reach)
    short = [] if draft.is_hold else _galleys_short(context, draft)
    # On a phone five buttons are a row; where galleys may be boarded the sixth stands with what undoes a slip.
    letters = [*_order_options(context, draft)]
    return Choices(
        groups=drop_empty(
            select_menu("galley", _galley_options(context, draft)),
            button_row("order", letters[:_BUTTONS_PER_ROW]),
            button_row("edit", [*letters[_BUTTONS_PER_ROW:], *_edit_options(context, draft)]),
            select_menu("wish", _wish_options(context, draft)),
            select_menu("course", _course_options(context, draft)),
            select_menu(STANDING_GROUP, _standing_options(context, draft)),
            button_row("look", [ORDER_NOTATION.make_option(context, looked, "look.reach", chosen=draft.shows_reach)]),
        ),
        forms=forms.order_forms(context, draft),
        lines=draft_lines(context, draft),
        missing_parts=tuple(_missing_lines(draft, short, boards=context.state.allows_boarding)),
        progress=Text("progress.orders", {"ordered": len(mine) - len(short), "galleys": len(mine)}),
    )


def draft_lines(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Return a draft in words: each galley's slots, standing orders that it changes, what the red area is."""
    fleet = [Text("line.hold")] if draft.is_hold else [_orders_line(draft, one) for one in context.own_galleys]
    chosen = (
        [standing_orders.standing_line(draft.standing_orders)]
        if draft.standing_orders != context.standing_orders
        else []
    )
    legend = [Text("line.reach")] if draft.shows_reach else []
    return (*fleet, *chosen, *legend)


def _orders_line(draft: OrderDraft, galley: Galley) -> Text:
    """A galley's orders; if something else was wanted of her, also what, and why it can't be."""
    ordered, wanted = draft.list_of(galley), draft.wanted_of(galley)
    if wanted is None:
        return courses.orders_text("line.orders", ordered, "line.orders.none")
    if fault := orders.list_fault(galley, wanted.orders):
        why = Text(f"unmet.{fault.code}", fault.params)
        missed = " ".join(orders.split_orders(wanted.orders))
        return courses.orders_text("line.orders.unmet", ordered, wanted=missed, missed=wanted.orders, why=(why,))
    added = ordered.orders.removeprefix(wanted.orders)
    return courses.orders_text("line.orders.filled", ordered, added=" ".join(orders.split_orders(added)))


def _galley_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """The captain's galleys, if there are several, to give orders to another."""
    mine = context.own_galleys if len(context.own_galleys) > 1 else ()
    said = {one.id: _galley_label(draft, one) for one in mine}
    return ORDER_NOTATION.focus_options(
        context, "galley", said, lambda name: structs.replace(draft, focus=name), draft.focus
    )


def _galley_label(draft: OrderDraft, galley: Galley) -> Text:
    """A galley among the captain's own, with what she is ordered, and what she is in small print."""
    ordered, vessel = draft.list_of(galley), (points.build_name(points.build_of_galley(galley)),)
    said = courses.orders_text("choice.galley", ordered, vessel=vessel)
    return said if ordered.orders else Text("choice.galley.none", {"galley": galley.id, "vessel": vessel})


def _order_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """One more order for the galley in hand."""
    galley = order_drafts.current_galley(context, draft)
    now = draft.list_of(galley)
    for letter in context.order_letters:
        wishes = (*now.wishes, (0, 0)) if letter == "ZZ" else now.wishes
        fault = orders.extend_fault(galley, now.orders, now.wishes, letter)
        longer = draft.with_list(now if fault else OrderList(galley.id, now.orders + letter, wishes))
        label, right = Text(f"choice.step.{letter}"), letter == "R"
        yield ORDER_NOTATION.make_option(
            context, longer, f"order.{letter}", label, fault=fault, adds=True, joined=right
        )


def _edit_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """What can be done with the list in hand: take back, clear, as last round, the same for all."""
    galley = order_drafts.current_galley(context, draft)
    now = draft.list_of(galley)
    *kept, _ = orders.split_orders(now.orders) or ("",)
    shorter = OrderList(galley.id, "".join(kept), now.wishes[: kept.count("ZZ")])
    nothing = None if now.orders else Fault(kind="illegal", code="no_orders_yet", piece=galley.id)
    yield ORDER_NOTATION.make_option(context, draft.with_list(shorter), "order.back", fault=nothing, stays=True)
    if len(rest := courses.forced_rest(galley, now)) > 1:
        filled = draft.with_list(structs.replace(now, orders=now.orders + rest))
        yield ORDER_NOTATION.make_option(context, filled, "order.rest", Text("choice.order.rest", {"rest": rest}))
    yield ORDER_NOTATION.make_option(
        context, draft.with_list(OrderList(galley.id, "")), "order.clear", fault=nothing, stays=True
    )
    if before := context.last_orders.get(galley.id):
        label = Text("choice.order.again.without", {"cut": cut}) if (cut := _dropped_orders(context, galley)) else None
        yield ORDER_NOTATION.make_option(context, draft.with_fitted(galley, before), "order.again", label)
    if len(context.own_galleys) > 1:
        same = _with_all(context, draft, {other.id: now for other in context.own_galleys if now.orders})
        label = Text("choice.order.all", {"galley": galley.id})
        yield ORDER_NOTATION.make_option(context, same, "order.all", label, fault=nothing, stays=True)


def _dropped_orders(context: OrderContext, galley: Galley) -> str:
    """Of a galley's orders of the round before those that she can't carry out any more."""
    both = (context.last_orders.get(galley.id), order_drafts.last_orders_fitted(context, galley))
    before, again = (Counter(orders.split_orders(one.orders) if one else ()) for one in both)
    return "".join((before - again).elements())


def _course_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Standard courses for the galley in hand, then for all."""
    galley, fleet = order_drafts.current_galley(context, draft), context.own_galleys
    now = draft.list_of(galley)
    for key, ordered in courses.courses_for(galley, boarding=context.state.allows_boarding).items():
        label = courses.orders_text("choice.course", ordered, course=key)
        yield ORDER_NOTATION.make_option(
            context, draft.with_list(ordered), f"course.{key}", label, chosen=ordered == now
        )
    if len(fleet) > 1:
        if context.last_orders:
            lame = ", ".join(one.id for one in fleet if _dropped_orders(context, one))
            repeat = Text("choice.all.again.cut", {"galleys": lame}) if lame else None
            yield ORDER_NOTATION.make_option(
                context, _with_all(context, draft, context.last_orders), "all.again", repeat
            )
        for key, wanted in courses.standard_courses(boarding=context.state.allows_boarding).items():
            after = _with_all(context, draft, {other.id: OrderList(other.id, wanted) for other in fleet})
            yield ORDER_NOTATION.make_option(context, after, f"all.{key}", Text("choice.all", {"course": key}))


def _with_all(context: OrderContext, draft: OrderDraft, wanted: Mapping[str, OrderList]) -> OrderDraft:
    """What is wanted of galleys by their ids, as far as they can do it; the one in hand stays in hand."""
    after = draft
    for galley in (one for one in context.own_galleys if one.id in wanted):
        after = after.with_fitted(galley, wanted[galley.id])
    return structs.replace(after, focus=draft.focus)


def _wish_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """How many oars she wants to either side, if her last order is to move rowers."""
    galley = order_drafts.current_galley(context, draft)
    now = draft.list_of(galley)
    for port, starboard in ((0, 0), *damage.seatings(galley)) if now.orders.endswith("ZZ") else ():
        after = draft.with_list(structs.replace(now, wishes=(*now.wishes[:-1], (port, starboard))))
        label = Text("choice.wish", {"port": port, "starboard": starboard}) if port else Text("choice.wish.even")
        token = f"wish.{port}-{starboard}" if port else "wish.even"
        yield ORDER_NOTATION.make_option(context, after, token, label, chosen=now.wishes[-1] == (port, starboard))


def _standing_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    for decision, value in standing_orders.decision_alternatives(context):
        changed = structs.replace(draft.standing_orders, **{decision: value})
        after, label = structs.replace(draft, standing_orders=changed), standing_orders.value_label(decision, value)
        yield ORDER_NOTATION.make_option(
            context, after, f"{decision}.{value}", label, chosen=changed == draft.standing_orders
        )


def _galleys_short(context: OrderContext, draft: OrderDraft) -> list[Galley]:
    """The captain's galleys that must be given more (MB-3.7)."""
    return [one for one in context.own_galleys if orders.short_fault(one, draft.list_of(one).orders)]


def _missing_lines(draft: OrderDraft, short: Sequence[Galley], *, boards: bool) -> Iterator[Text]:
    """What is missing of each galley that is short of orders; of several that have none at all only whose."""
    only = _MISSING_KEYS_BOARDING if boards else _MISSING_KEYS
    untouched = [galley.id for galley in short if not draft.list_of(galley).orders]
    for galley in short:
        if len(untouched) > 1 and galley.id in untouched:
            continue
        ordered = draft.list_of(galley)
        key = only.get(orders.addable_orders(galley, ordered.orders), "missing.orders")
        yield Text(key, {"galley": galley.id, "more": orders.count_missing(galley, ordered.orders)})
    if len(untouched) > 1:
        yield Text("missing.orders.of", {"galleys": ", ".join(join_id_ranges(untouched))})
