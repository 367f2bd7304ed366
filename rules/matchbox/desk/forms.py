"""Forms for orders: a galley's five orders at once, and the courses of up to five galleys at once (MB part 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.matchbox.desk import courses, sheets
from rules.matchbox.desk.sheets import LETTERS, Desk, Sheet
from rules.matchbox.table import orders
from rules.matchbox.table.state import SLOTS, Galley, OrderList
from rules.protocol import Entry, Field, Form
from rules.view import Text

_LISTS_MOST: Final = 5
"""In one form."""


def forms(desk: Desk, sheet: Sheet) -> tuple[Form, ...]:
    """A form of orders for each galley, of which that for the one in hand is offered, and forms of courses for all."""
    mine = desk.waters.mine
    parts = [mine[start : start + _LISTS_MOST] for start in range(0, len(mine), _LISTS_MOST)] if len(mine) > 1 else []
    return (
        *(_of_orders(desk, sheet, galley) for galley in mine),
        *(_of_courses(desk, sheet, part, f"courses.{number}") for number, part in enumerate(parts, 1)),
    )


def _of_orders(desk: Desk, sheet: Sheet, galley: Galley) -> Form:
    """A list for each order; it shows what is ordered so far, and straight ahead for the rest."""
    drawn = courses.fitted(galley, sheets.list_of(sheet, galley))
    given = [*orders.split(drawn.orders), *("" for _ in range(SLOTS))][:SLOTS]
    wishes = iter(drawn.wishes)
    fields = []
    for number, order in enumerate(given, 1):
        wish = next(wishes, (0, 0)) if order == "ZZ" else (0, 0)
        entries = [
            Entry(
                token=letter,
                label=Text(f"choice.order.{letter}"),
                text=orders.write(OrderList(galley.id, letter, (wish,))),
                chosen=letter == order,
            )
            for letter in LETTERS
            if orders.list_fault(galley, letter) is None
        ]
        entries.append(Entry(token="none", label=Text("choice.order.none"), text="", chosen=not order))  # noqa: S106
        fields.append(Field(label=Text("field.order", {"number": number}), entries=tuple(entries)))
    # What is chosen takes the place of her list, also if that is nothing: the dash is her list, and no order.
    return Form(
        token=f"orders.{galley.id}",
        label=Text("form.orders", {"galley": galley.id}),
        fields=tuple(fields),
        before=f"{galley.id} -",
        focus=sheet.looking_at(_next(desk, sheet, galley)),
        offered=galley.id == sheet.focus,
    )


def _next(desk: Desk, sheet: Sheet, galley: Galley) -> str:
    """The galley after one that still needs orders, or herself."""
    mine = desk.waters.mine
    at = mine.index(galley)
    for other in (*mine[at + 1 :], *mine[:at]):
        if orders.short_fault(other, sheets.list_of(sheet, other).orders):
            return other.id
    return galley.id


def _of_courses(desk: Desk, sheet: Sheet, galleys: Sequence[Galley], token: str) -> Form:
    """A list of courses for each galley; who has no orders yet is shown straight ahead."""
    return Form(
        token=token,
        label=Text("form.courses", {"first": galleys[0].id, "last": galleys[-1].id}),
        fields=tuple(_courses_of(desk, sheet, galley) for galley in galleys),
        between="; ",
        focus=sheet.looking_at(sheet.focus),
    )


def _courses_of(desk: Desk, sheet: Sheet, galley: Galley) -> Field:
    now = sheets.list_of(sheet, galley)
    kept = Entry(token="keep", label=_kept(now), text="", chosen=bool(now.orders))  # noqa: S106 - no secret
    again = sheets.again(desk, galley)
    before = [_entry("again", Text("choice.course.again", {"slots": _slots(again)}), again)] if again else []
    standard = [
        _entry(key, Text("choice.course.own", {"course": key, "slots": _slots(drawn)}), drawn)
        for key, drawn in courses.standard(galley).items()
    ]
    if standard and not now.orders:
        (name, label, text) = standard[0].token, standard[0].label, standard[0].text
        standard[0] = Entry(token=name, label=label, text=text, chosen=True)
    return Field(label=Text("field.galley", {"galley": galley.id}), entries=(kept, *before, *standard))


def _kept(now: OrderList) -> Text:
    return Text("choice.keep", {"slots": _slots(now)}) if now.orders else Text("choice.keep.none")


def _entry(token: str, label: Text, drawn: OrderList) -> Entry:
    return Entry(token=token, label=label, text=f"{drawn.galley} {orders.write(drawn)}")


def _slots(drawn: OrderList) -> str:
    return " ".join(orders.split(drawn.orders))
