"""The panel while orders are written: options, and the draft in words (MB-3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.core.errors import Fault
from rules.core.protocol import STANDING_GROUP, Choices, Form, FormField, FormLine, Option
from rules.core.view import Text
from rules.interface.panels import button_row, drop_empty, list_field, next_marked, select_menu, split_for_forms
from rules.interface.typed import join_id_ranges
from rules.matchbox.engine import damage, orders, points
from rules.matchbox.engine.state import SLOTS, Galley, OrderList
from rules.matchbox.interface import order_drafts, shots, standing_orders
from rules.matchbox.interface.order_drafts import ORDER_NOTATION, OrderDraft
from rules.matchbox.interface.standing_orders import OrderContext


def order_forms(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    """Return a form for each galley's orders, of which the one in focus is offered, and forms of courses for all."""
    own_galleys = context.own_galleys
    return (
        *(_galley_form(context, draft, galley) for galley in own_galleys),
        *(
            _course_form(context, draft, part, f"courses.{number}")
            for number, part in enumerate(split_for_forms(own_galleys), 1)
        ),
    )


def _galley_form(context: OrderContext, draft: OrderDraft, galley: Galley) -> Form:
    """Return a form with one field for each of a galley's five orders, filled with its list as far as it is legal."""
    current_list = order_drafts.fit_list(galley, draft.list_of(galley))
    letters = [*orders.split_orders(current_list.orders), *("" for _ in range(SLOTS))][:SLOTS]
    wishes = iter(current_list.wishes)
    fields = []
    for number, order in enumerate(letters, 1):
        wanted_oars = next(wishes, (0, 0)) if order == "ZZ" else (0, 0)
        entries = _order_lines(context, galley, order, wanted_oars)
        none = FormLine("none", Text("choice.order.none"), is_chosen=not order)
        fields.append(FormField(Text("field.order", {"number": number}), (*entries, none)))
    # The choices replace the list even if all are empty: the dash stands for a list without orders.
    return Form(
        token=f"orders.{galley.id}",
        label=Text("form.orders", {"galley": galley.id}),
        fields=tuple(fields),
        prefix=f"{galley.id} -",
        focus=draft.focus_text(_next_galley(context, draft, galley)),
        is_offered=galley.id == draft.focus,
    )


def _order_lines(
    context: OrderContext, galley: Galley, current_order: str, wanted_oars: tuple[int, int]
) -> Iterator[FormLine]:
    """Yield the orders that a galley may get in a field. `wanted_oars`: to port and to starboard after a `ZZ`."""
    for letter in context.order_letters:
        if orders.list_fault(galley, letter) is None:
            text = orders.format_list(OrderList(galley.id, letter, (wanted_oars,)))
            yield FormLine(letter, Text(f"choice.order.{letter}"), text, is_chosen=letter == current_order)


def _next_galley(context: OrderContext, draft: OrderDraft, galley: Galley) -> str:
    """Return the id of the next galley that needs orders, or of this one."""
    is_short = {other.id: bool(orders.short_fault(other, draft.list_of(other).orders)) for other in context.own_galleys}
    return next_marked(is_short, galley.id) or galley.id


def _course_form(context: OrderContext, draft: OrderDraft, galleys: Sequence[Galley], token: str) -> Form:
    return Form(
        token=token,
        label=Text("form.courses", {"first": galleys[0].id, "last": galleys[-1].id}),
        fields=tuple(_course_field(context, draft, galley) for galley in galleys),
        separator="; ",
        focus=draft.focus_text(draft.focus),
    )


def _course_field(context: OrderContext, draft: OrderDraft, galley: Galley) -> FormField:
    """Return a field to keep a galley's list, to repeat its last orders, or to choose a standard course."""
    current_list = draft.list_of(galley)
    again = order_drafts.last_orders_fitted(context, galley)
    standard = order_drafts.courses_for(galley, boarding=context.state.allows_boarding)
    preset = "" if current_list.orders else next(iter(standard), "")  # key of the course that is marked
    entries = [_form_line("again", order_drafts.orders_text("choice.course.again", again), again)] if again else []
    for key, ordered in standard.items():
        label = order_drafts.orders_text("choice.course.own", ordered, course=key)
        entries.append(_form_line(key, label, ordered, chosen=key == preset))
    return list_field(
        Text("field.galley", {"galley": galley.id}),
        order_drafts.orders_text("choice.keep", current_list, "choice.keep.none"),
        entries,
    )


def _form_line(token: str, label: Text, ordered: OrderList, *, chosen: bool = False) -> FormLine:
    return FormLine(token, label, f"{ordered.galley} {orders.format_list(ordered)}", is_chosen=chosen)


_MISSING_KEYS: Final = {  # the sentence by the orders that may be added
    "X": "missing.orders.fire",
    "XZZ": "missing.orders.fire_or_mend",
    "FLR": "missing.orders.move",
    "FLRZZ": "missing.orders.move_or_mend",
}
_MISSING_KEYS_BOARDING: Final = _MISSING_KEYS | {  # with boarding, galleys that can fire can also grapple (MX-3.1)
    "X": "missing.orders.fire.or_board",
    "XZZ": "missing.orders.fire_or_mend.or_board",
}

_BUTTONS_PER_ROW: Final = 5  # buttons that fit in one row on a phone


def draft_choices(context: OrderContext, draft: OrderDraft) -> Choices:
    """Return the options, the draft in words, and what is missing."""
    own_galleys = context.own_galleys
    with_reach_toggled = structs.replace(draft, shows_reach=not draft.shows_reach)
    short = [] if draft.is_hold else _galleys_short(context, draft)  # galleys that still need orders
    # A row on a phone has five buttons. The sixth, for boarding, moves to the row of corrections.
    order_options = [*_order_options(context, draft)]
    return Choices(
        groups=drop_empty(
            select_menu("galley", _galley_options(context, draft)),
            button_row("order", order_options[:_BUTTONS_PER_ROW]),
            button_row("edit", [*order_options[_BUTTONS_PER_ROW:], *_edit_options(context, draft)]),
            select_menu("wish", _wish_options(context, draft)),
            select_menu("course", _course_options(context, draft)),
            select_menu(STANDING_GROUP, _standing_options(context, draft)),
            button_row(
                "look",
                [ORDER_NOTATION.make_option(context, with_reach_toggled, "look.reach", chosen=draft.shows_reach)],
            ),
        ),
        forms=order_forms(context, draft),
        lines=draft_lines(context, draft),
        forecasts=() if draft.is_hold else tuple(shots.forecast_lines(context, draft)),
        missing_parts=tuple(_missing_lines(draft, short, boards=context.state.allows_boarding)),
        progress=Text("progress.orders", {"ordered": len(own_galleys) - len(short), "galleys": len(own_galleys)}),
    )


def draft_lines(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Return a draft in words: each galley's orders, changed standing orders, and a legend of the reach."""
    fleet = [Text("line.hold")] if draft.is_hold else [_orders_line(draft, galley) for galley in context.own_galleys]
    standing = (
        [standing_orders.standing_line(draft.standing_orders)]
        if draft.standing_orders != context.standing_orders
        else []
    )
    reach_lines = [Text("line.reach")] if draft.shows_reach else []
    return (*fleet, *standing, *reach_lines)


def _orders_line(draft: OrderDraft, galley: Galley) -> Text:
    ordered, wanted = draft.list_of(galley), draft.wanted_of(galley)
    if wanted is None:
        return order_drafts.orders_text("line.orders", ordered, "line.orders.none")
    if fault := orders.list_fault(galley, wanted.orders):
        why = Text(f"unmet.{fault.code}", fault.params)
        missed = " ".join(orders.split_orders(wanted.orders))
        return order_drafts.orders_text("line.orders.unmet", ordered, wanted=missed, missed=wanted.orders, why=(why,))
    added = ordered.orders.removeprefix(wanted.orders)
    return order_drafts.orders_text("line.orders.filled", ordered, added=" ".join(orders.split_orders(added)))


def _galley_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    galleys = context.own_galleys if len(context.own_galleys) > 1 else ()
    labels = {galley.id: _galley_label(draft, galley) for galley in galleys}
    return ORDER_NOTATION.focus_options(
        context, "galley", labels, lambda name: structs.replace(draft, focus=name), draft.focus
    )


def _galley_label(draft: OrderDraft, galley: Galley) -> Text:
    ordered, vessel = draft.list_of(galley), (points.build_name(points.build_of_galley(galley)),)
    label = order_drafts.orders_text("choice.galley", ordered, vessel=vessel)
    return label if ordered.orders else Text("choice.galley.none", {"galley": galley.id, "vessel": vessel})


def _order_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Yield a button for each order that appends it to the current galley's list."""
    galley = order_drafts.current_galley(context, draft)
    current_list = draft.list_of(galley)
    for letter in context.order_letters:
        wishes = (*current_list.wishes, (0, 0)) if letter == "ZZ" else current_list.wishes
        fault = orders.extend_fault(galley, current_list.orders, current_list.wishes, letter)
        longer = current_list if fault else OrderList(galley.id, current_list.orders + letter, wishes)
        label = Text(f"choice.step.{letter}")
        is_right = letter == "R"  # the turn to the right stays on the page of the turn to the left
        yield ORDER_NOTATION.make_option(
            context,
            _with_next_in_focus(context, draft.with_list(longer), galley),
            f"order.{letter}",
            label,
            fault=fault,
            adds=True,
            joined=is_right,
        )


def _with_next_in_focus(context: OrderContext, draft: OrderDraft, galley: Galley) -> OrderDraft:
    """Return the draft with the next galley without orders in focus, if `galley` has all of hers."""
    if orders.short_fault(galley, draft.list_of(galley).orders):
        return draft
    following = next((other.id for other in context.own_galleys if not draft.list_of(other).orders), galley.id)
    return structs.replace(draft, focus=following)


def _edit_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Yield buttons that shorten, complete, clear or repeat the current galley's list, or give it to all galleys."""
    galley = order_drafts.current_galley(context, draft)
    current_list = draft.list_of(galley)
    remaining = orders.split_orders(current_list.orders)[:-1]
    shorter = OrderList(galley.id, "".join(remaining), current_list.wishes[: remaining.count("ZZ")])
    emptiness_fault = None if current_list.orders else Fault(kind="illegal", code="no_orders_yet", piece=galley.id)
    yield ORDER_NOTATION.make_option(context, draft.with_list(shorter), "order.back", fault=emptiness_fault, stays=True)
    if len(forced_orders := order_drafts.forced_rest(galley, current_list)) > 1:
        filled = draft.with_list(structs.replace(current_list, orders=current_list.orders + forced_orders))
        yield ORDER_NOTATION.make_option(
            context,
            _with_next_in_focus(context, filled, galley),
            "order.rest",
            Text("choice.order.rest", {"rest": forced_orders}),
        )
    yield ORDER_NOTATION.make_option(
        context, draft.with_list(OrderList(galley.id, "")), "order.clear", fault=emptiness_fault, stays=True
    )
    if before := context.last_orders.get(galley.id):
        dropped = _dropped_orders(context, galley)
        label = Text("choice.order.again.without", {"cut": dropped}) if dropped else None
        repeated = _with_next_in_focus(context, draft.with_fitted(galley, before), galley)
        yield ORDER_NOTATION.make_option(context, repeated, "order.again", label)
    if len(context.own_galleys) > 1:
        same_lists = {other.id: current_list for other in context.own_galleys} if current_list.orders else {}
        same = _with_all(context, draft, same_lists)
        label = Text("choice.order.all", {"galley": galley.id})
        yield ORDER_NOTATION.make_option(context, same, "order.all", label, fault=emptiness_fault, stays=True)


def _dropped_orders(context: OrderContext, galley: Galley) -> str:
    """Return the orders of a galley's last round that it can no longer repeat."""
    last_list = context.last_orders.get(galley.id)
    fitted_list = order_drafts.last_orders_fitted(context, galley)
    if last_list is None or fitted_list is None:
        return ""
    last_counts = Counter(orders.split_orders(last_list.orders))
    fitted_counts = Counter(orders.split_orders(fitted_list.orders))
    return "".join((last_counts - fitted_counts).elements())


def _course_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Yield standard courses for the current galley and, if there are others, for all galleys."""
    galley, fleet = order_drafts.current_galley(context, draft), context.own_galleys
    current_list = draft.list_of(galley)
    for key, ordered in order_drafts.courses_for(galley, boarding=context.state.allows_boarding).items():
        label = order_drafts.orders_text("choice.course", ordered, course=key)
        yield ORDER_NOTATION.make_option(
            context, draft.with_list(ordered), f"course.{key}", label, chosen=ordered == current_list
        )
    if len(fleet) > 1:
        if context.last_orders:
            limited_ids = ", ".join(each.id for each in fleet if _dropped_orders(context, each))
            repeat = Text("choice.all.again.cut", {"galleys": limited_ids}) if limited_ids else None
            yield ORDER_NOTATION.make_option(
                context, _with_all(context, draft, context.last_orders), "all.again", repeat
            )
        for key, wanted in order_drafts.standard_courses(boarding=context.state.allows_boarding).items():
            after = _with_all(context, draft, {other.id: OrderList(other.id, wanted) for other in fleet})
            yield ORDER_NOTATION.make_option(context, after, f"all.{key}", Text("choice.all", {"course": key}))


def _with_all(context: OrderContext, draft: OrderDraft, wanted: Mapping[str, OrderList]) -> OrderDraft:
    after = draft
    for galley in context.own_galleys:
        if galley.id in wanted:
            after = after.with_fitted(galley, wanted[galley.id])
    return structs.replace(after, focus=draft.focus)


def _wish_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    galley = order_drafts.current_galley(context, draft)
    current_list = draft.list_of(galley)
    seatings = [seating for seating in damage.seatings(galley) if all(seating)]
    for port, starboard in ((0, 0), *seatings) if current_list.orders.endswith("ZZ") else ():
        after = draft.with_list(structs.replace(current_list, wishes=(*current_list.wishes[:-1], (port, starboard))))
        label = Text("choice.wish", {"port": port, "starboard": starboard}) if port else Text("choice.wish.even")
        token = f"wish.{port}-{starboard}" if port else "wish.even"
        yield ORDER_NOTATION.make_option(
            context, after, token, label, chosen=current_list.wishes[-1] == (port, starboard)
        )


def _standing_options(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    for decision, value in standing_orders.decision_alternatives(context):
        changed = structs.replace(draft.standing_orders, **{decision: value})
        after, label = structs.replace(draft, standing_orders=changed), standing_orders.value_label(decision, value)
        yield ORDER_NOTATION.make_option(
            context, after, f"{decision}.{value}", label, chosen=changed == draft.standing_orders
        )


def _galleys_short(context: OrderContext, draft: OrderDraft) -> list[Galley]:
    """Return the captain's galleys that need more orders (MB-3.7)."""
    return [galley for galley in context.own_galleys if orders.short_fault(galley, draft.list_of(galley).orders)]


def _missing_lines(draft: OrderDraft, short: Sequence[Galley], *, boards: bool) -> Iterator[Text]:
    """Yield what each galley still needs. Several galleys without any orders share one line."""
    keys_by_addable = _MISSING_KEYS_BOARDING if boards else _MISSING_KEYS
    untouched = [galley.id for galley in short if not draft.list_of(galley).orders]
    for galley in short:
        if len(untouched) > 1 and galley.id in untouched:
            continue
        ordered = draft.list_of(galley)
        missing = orders.missing_orders(galley, ordered.orders)
        key = keys_by_addable.get(orders.addable_orders(galley, ordered.orders), "missing.orders")
        if not ordered.orders:
            key = "missing.orders" if boards or len(missing) == SLOTS else _few_orders_key(missing)
        counts = {"more": len(missing), "moves": missing.count("F"), "shots": missing.count("X")}
        yield Text(key, {"galley": galley.id, **counts})
    if len(untouched) > 1:
        yield Text("missing.orders.of", {"galleys": ", ".join(join_id_ranges(untouched))})


def _few_orders_key(missing: str) -> str:
    return "missing.orders.few" if "X" in missing else "missing.orders.few_moves"
