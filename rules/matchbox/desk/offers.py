"""What may be pressed while orders are written: galleys, orders, courses, and the draft in words (MB part 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import structs

from rules.errors import Fault
from rules.matchbox.desk import courses, forms, sheets, standing
from rules.matchbox.desk.sheets import LETTERS, Desk, Sheet
from rules.matchbox.table import damage, orders
from rules.matchbox.table.state import Galley, OrderList, Standing
from rules.protocol import STANDING, Choices, Group, Option
from rules.view import Text

_MOST_OPTIONS: Final = 25
"""In one select."""


def choices(desk: Desk, sheet: Sheet) -> Choices:
    """Show what may be pressed next, the draft in words, and what is missing."""
    mine = desk.waters.mine
    groups = [_galley_group(desk, sheet)] if len(mine) > 1 else []
    groups.append(_order_group(desk, sheet))
    if sheets.list_of(sheet, sheets.current(desk, sheet)).orders.endswith("ZZ"):
        groups.append(_wish_group(desk, sheet))
    groups += [_course_group(desk, sheet), _standing_group(desk, sheet), _edit_group(desk, sheet)]
    groups.append(_look_group(desk, sheet))
    missing = () if sheet.hold else tuple(_missing(desk, sheet))
    done = Text("progress.orders", {"ordered": len(mine) - len(missing), "galleys": len(mine)})
    return Choices(
        groups=tuple(groups),
        forms=forms.forms(desk, sheet),
        lines=lines(desk, sheet),
        missing=missing,
        progress=done,
    )


def lines(desk: Desk, sheet: Sheet) -> tuple[Text, ...]:
    """Put a draft into words: each galley's five slots, and standing orders that are not as they come by themselves."""
    fleet = (
        [Text("line.hold")]
        if sheet.hold
        else [_line(galley, drawn) for galley, drawn in sheets.ordered_lists(desk, sheet)]
    )
    chosen = [standing.line(sheet.standing)] if sheet.standing != Standing() else []
    return (*fleet, *chosen)


def _galley_group(desk: Desk, sheet: Sheet) -> Group:
    now = sheets.current(desk, sheet)
    options = tuple(
        _option(
            desk,
            structs.replace(sheet, focus=galley.id),
            f"galley.{galley.id}",
            _name(galley, drawn),
            chosen=galley.id == now.id,
        )
        for galley, drawn in sheets.ordered_lists(desk, sheet)
    )
    return Group(key="galley", style="select", options=options)


def _order_group(desk: Desk, sheet: Sheet) -> Group:
    galley = sheets.current(desk, sheet)
    drawn = sheets.list_of(sheet, galley)
    options = []
    for letter in LETTERS:
        wishes = (*drawn.wishes, (0, 0)) if letter == "ZZ" else drawn.wishes
        fault = orders.extend_fault(galley, drawn.orders, drawn.wishes, letter)
        longer = drawn if fault else OrderList(galley.id, drawn.orders + letter, wishes)
        options.append(structs.replace(_press(desk, sheet, longer, f"order.{letter}", fault), adds=True))
    return Group(key="order", style="buttons", options=tuple(options))


def _edit_group(desk: Desk, sheet: Sheet) -> Group:
    """Return what can be done with the current list: take back, clear, as last round, the same for all."""
    galley = sheets.current(desk, sheet)
    drawn = sheets.list_of(sheet, galley)
    options = []
    *kept, _ = orders.split(drawn.orders) or ("",)
    shorter = OrderList(galley.id, "".join(kept), drawn.wishes[: kept.count("ZZ")])
    nothing = None if drawn.orders else Fault(kind="illegal", code="no_orders_yet", piece=galley.id)
    options.append(_press(desk, sheet, shorter, "order.back", nothing))
    options.append(_press(desk, sheet, OrderList(galley.id, ""), "order.clear", nothing))
    if again := sheets.again(desk, galley):
        options.append(_press(desk, sheet, again, "order.again", None))
    if len(desk.waters.mine) > 1:
        same = _all(desk, sheet, {other.id: drawn for other in desk.waters.mine if drawn.orders})
        label = Text("choice.order.all", {"galley": galley.id})
        options.append(_option(desk, same, "order.all", label, fault=nothing))
    return Group(key="edit", style="buttons", options=tuple(options))


def _course_group(desk: Desk, sheet: Sheet) -> Group:
    """Standard courses for the galley in hand, then for all."""
    galley, fleet = sheets.current(desk, sheet), desk.waters.mine
    now = sheets.list_of(sheet, galley)
    options = [
        _option(
            desk,
            sheets.with_list(sheet, drawn),
            f"course.{key}",
            Text("choice.course", {"galley": galley.id, "course": key, "slots": _slots(drawn)}),
            chosen=drawn == now,
        )
        for key, drawn in courses.standard(galley).items()
    ]
    if len(fleet) > 1:
        if desk.before:
            again = _all(desk, sheet, {ordered.galley: ordered for ordered in desk.before})
            options.append(_option(desk, again, "all.again", Text("choice.all.again")))
        for key, wanted in courses.COURSES.items():
            after = _all(desk, sheet, {other.id: OrderList(other.id, wanted) for other in fleet})
            options.append(_option(desk, after, f"all.{key}", Text("choice.all", {"course": key})))
    return Group(key="course", style="select", options=tuple(options[:_MOST_OPTIONS]))


def _all(desk: Desk, sheet: Sheet, wanted: Mapping[str, OrderList]) -> Sheet:
    """Give galleys what is wanted of them by their ids, as far as they can do it; the one in hand stays in hand."""
    after = sheet
    for galley in desk.waters.mine:
        if galley.id in wanted:
            after = sheets.with_list(after, courses.fitted(galley, wanted[galley.id]))
    return structs.replace(after, focus=sheet.focus)


def _wish_group(desk: Desk, sheet: Sheet) -> Group:
    galley = sheets.current(desk, sheet)
    drawn = sheets.list_of(sheet, galley)
    options = tuple(
        _option(
            desk,
            sheets.with_list(sheet, structs.replace(drawn, wishes=(*drawn.wishes[:-1], (port, starboard)))),
            f"wish.{port}-{starboard}" if port else "wish.even",
            Text("choice.wish", {"port": port, "starboard": starboard}) if port else Text("choice.wish.even"),
            chosen=drawn.wishes[-1] == (port, starboard),
        )
        for port, starboard in ((0, 0), *damage.benches(galley))
    )
    return Group(key="wish", style="select", options=options)


def _look_group(desk: Desk, sheet: Sheet) -> Group:
    """Return what the captain can look at; no part of the orders."""
    other = structs.replace(sheet, reach=not sheet.reach)
    reach = _option(desk, other, "look.reach", Text("choice.look.reach"), chosen=sheet.reach)
    return Group(key="look", style="buttons", options=(reach,))


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
    return _option(desk, sheets.with_list(sheet, drawn), token, Text(f"choice.{token}"), fault=fault)


def _option(
    desk: Desk, after: Sheet, token: str, label: Text, *, chosen: bool = False, fault: Fault | None = None
) -> Option:
    text, focus = sheets.write(desk, after)
    return Option(token=token, label=label, draft=text, focus=focus, chosen=chosen, fault=fault)


def _line(galley: Galley, drawn: OrderList) -> Text:
    if not drawn.orders:
        return Text("line.orders.none", {"galley": galley.id})
    return Text("line.orders", {"galley": galley.id, "slots": _slots(drawn)})


def _name(galley: Galley, drawn: OrderList) -> Text:
    if not drawn.orders:
        return Text("choice.galley.none", {"galley": galley.id})
    return Text("choice.galley", {"galley": galley.id, "slots": _slots(drawn)})


def _slots(drawn: OrderList) -> str:
    """Write orders one by one, such as `F F X`."""
    return " ".join(orders.split(drawn.orders))


def _missing(desk: Desk, sheet: Sheet) -> Iterator[Text]:
    for galley, drawn in sheets.ordered_lists(desk, sheet):
        if orders.short_fault(galley, drawn.orders):
            yield Text("missing.orders", {"galley": galley.id, "more": sheets.could_add(galley, drawn)})
