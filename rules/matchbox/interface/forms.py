"""Forms for orders: a galley's five orders at once, and the courses of up to five galleys at once (MB part 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules.core.protocol import Form, FormField, FormLine
from rules.core.view import Text
from rules.interface.panels import list_field, next_marked, split_for_forms
from rules.matchbox.engine import orders
from rules.matchbox.engine.state import SLOTS, Galley, OrderList
from rules.matchbox.interface import courses, order_drafts
from rules.matchbox.interface.order_context import OrderContext
from rules.matchbox.interface.order_drafts import OrderDraft


def order_forms(context: OrderContext, draft: OrderDraft) -> tuple[Form, ...]:
    """Return a form for each galley's orders, of which the one in focus is offered, and forms of courses for all."""
    mine = context.own_galleys
    return (
        *(_galley_form(context, draft, galley) for galley in mine),
        *(
            _course_form(context, draft, part, f"courses.{number}")
            for number, part in enumerate(split_for_forms(mine), 1)
        ),
    )


def _galley_form(context: OrderContext, draft: OrderDraft, galley: Galley) -> Form:
    current_list = courses.fit_list(galley, draft.list_of(galley))
    letters = [*orders.split_orders(current_list.orders), *("" for _ in range(SLOTS))][:SLOTS]
    wishes = iter(current_list.wishes)
    fields = []
    for number, order in enumerate(letters, 1):
        entries = _order_lines(context, galley, order, next(wishes, (0, 0)) if order == "ZZ" else (0, 0))
        none = FormLine("none", Text("choice.order.none"), is_chosen=not order)
        fields.append(FormField(Text("field.order", {"number": number}), (*entries, none)))
    # The choices replace the list even if all are empty: the dash stands for a list without orders.
    return Form(
        token=f"orders.{galley.id}",
        label=Text("form.orders", {"galley": galley.id}),
        fields=tuple(fields),
        prefix=f"{galley.id} -",
        focus=draft.focus_on(_next_galley(context, draft, galley)),
        is_offered=galley.id == draft.focus,
    )


def _order_lines(
    context: OrderContext, galley: Galley, current_order: str, wish: tuple[int, int]
) -> Iterator[FormLine]:
    for letter in context.order_letters:
        if orders.list_fault(galley, letter) is None:
            text = orders.format_list(OrderList(galley.id, letter, (wish,)))
            yield FormLine(letter, Text(f"choice.order.{letter}"), text, is_chosen=letter == current_order)


def _next_galley(context: OrderContext, draft: OrderDraft, galley: Galley) -> str:
    idle = {other.id: bool(orders.short_fault(other, draft.list_of(other).orders)) for other in context.own_galleys}
    return next_marked(idle, galley.id) or galley.id


def _course_form(context: OrderContext, draft: OrderDraft, galleys: Sequence[Galley], token: str) -> Form:
    return Form(
        token=token,
        label=Text("form.courses", {"first": galleys[0].id, "last": galleys[-1].id}),
        fields=tuple(_course_field(context, draft, galley) for galley in galleys),
        separator="; ",
        focus=draft.focus_on(draft.focus),
    )


def _course_field(context: OrderContext, draft: OrderDraft, galley: Galley) -> FormField:
    current_list, again = draft.list_of(galley), order_drafts.last_orders_fitted(context, galley)
    standard = courses.courses_for(galley, boarding=context.state.allows_boarding)
    preset = next(iter(standard), "") if not current_list.orders else ""
    entries = [_form_line("again", courses.orders_text("choice.course.again", again), again)] if again else []
    for key, ordered in standard.items():
        label = courses.orders_text("choice.course.own", ordered, course=key)
        entries.append(_form_line(key, label, ordered, chosen=key == preset))
    return list_field(
        Text("field.galley", {"galley": galley.id}),
        courses.orders_text("choice.keep", current_list, "choice.keep.none"),
        entries,
    )


def _form_line(token: str, label: Text, ordered: OrderList, *, chosen: bool = False) -> FormLine:
    return FormLine(token, label, f"{ordered.galley} {orders.format_list(ordered)}", is_chosen=chosen)
