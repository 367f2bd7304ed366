"""What may be pressed while orders are written: galleys, orders, courses, and the draft in words (MB part 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import structs

from rules.errors import Fault
from rules.matchbox.desk import courses, forms, order_drafts, standing_orders
from rules.matchbox.desk.order_context import OrderContext
from rules.matchbox.desk.order_drafts import NOTEBOOK, OrderDraft
from rules.matchbox.table import damage, orders, points
from rules.matchbox.table.state import Galley, OrderList
from rules.panels import buttons, select, shown
from rules.protocol import STANDING, Choices, Option
from rules.spans import spans
from rules.view import Text

_ONLY: Final = {
    "X": "missing.orders.fire",
    "XZZ": "missing.orders.fire_or_mend",
    "FLR": "missing.orders.move",
    "FLRZZ": "missing.orders.move_or_mend",
}
"""What is missing from a galley's list, by the only orders that she can still carry out."""
_ONLY_OR_BOARD: Final = _ONLY | {"X": "missing.orders.fire.or_board", "XZZ": "missing.orders.fire_or_mend.or_board"}
"""The same where galleys may be boarded: who can fire can grapple (MX-3.1)."""

_IN_A_ROW: Final = 5
"""Buttons of orders in a row of a phone."""


def choices(context: OrderContext, draft: OrderDraft) -> Choices:
    """What may be pressed next, the draft in words, and what is missing."""
    mine = context.mine
    looked = structs.replace(draft, reach=not draft.reach)
    short = [] if draft.hold else _short(context, draft)
    # On a phone five buttons are a row; where galleys may be boarded the sixth stands with what undoes a slip.
    letters = [*_orders(context, draft)]
    return Choices(
        groups=shown(
            select("galley", _galleys(context, draft)),
            buttons("order", letters[:_IN_A_ROW]),
            buttons("edit", [*letters[_IN_A_ROW:], *_edits(context, draft)]),
            select("wish", _wishes(context, draft)),
            select("course", _courses(context, draft)),
            select(STANDING, _standing(context, draft)),
            buttons("look", [NOTEBOOK.option(context, looked, "look.reach", chosen=draft.reach)]),
        ),
        forms=forms.forms(context, draft),
        lines=lines(context, draft),
        missing=tuple(_missing(draft, short, boards=context.state.boards)),
        progress=Text("progress.orders", {"ordered": len(mine) - len(short), "galleys": len(mine)}),
    )


def lines(context: OrderContext, draft: OrderDraft) -> tuple[Text, ...]:
    """Return a draft in words: each galley's slots, standing orders that it changes, what the red area is."""
    fleet = [Text("line.hold")] if draft.hold else [_line(draft, one) for one in context.mine]
    chosen = [standing_orders.line(draft.standing)] if draft.standing != context.standing else []
    legend = [Text("line.reach")] if draft.reach else []
    return (*fleet, *chosen, *legend)


def _line(draft: OrderDraft, galley: Galley) -> Text:
    """A galley's orders; if something else was wanted of her, also what, and why it can't be."""
    ordered, wanted = draft.list_of(galley), draft.wanted_of(galley)
    if wanted is None:
        return courses.said("line.orders", ordered, "line.orders.none")
    if fault := orders.list_fault(galley, wanted.orders):
        why = Text(f"unmet.{fault.code}", fault.params)
        missed = " ".join(orders.split(wanted.orders))
        return courses.said("line.orders.unmet", ordered, wanted=missed, missed=wanted.orders, why=(why,))
    added = ordered.orders.removeprefix(wanted.orders)
    return courses.said("line.orders.filled", ordered, added=" ".join(orders.split(added)))


def _galleys(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """The captain's galleys, if there are several, to give orders to another."""
    mine = context.mine if len(context.mine) > 1 else ()
    said = {one.id: _chosen(draft, one) for one in mine}
    return NOTEBOOK.looks(context, "galley", said, lambda name: structs.replace(draft, focus=name), draft.focus)


def _chosen(draft: OrderDraft, galley: Galley) -> Text:
    """A galley among the captain's own, with what she is ordered, and what she is in small print."""
    ordered, vessel = draft.list_of(galley), (points.name_of(points.of(galley)),)
    said = courses.said("choice.galley", ordered, vessel=vessel)
    return said if ordered.orders else Text("choice.galley.none", {"galley": galley.id, "vessel": vessel})


def _orders(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """One more order for the galley in hand."""
    galley = order_drafts.current(context, draft)
    now = draft.list_of(galley)
    for letter in context.letters:
        wishes = (*now.wishes, (0, 0)) if letter == "ZZ" else now.wishes
        fault = orders.extend_fault(galley, now.orders, now.wishes, letter)
        longer = draft.with_list(now if fault else OrderList(galley.id, now.orders + letter, wishes))
        label, right = Text(f"choice.step.{letter}"), letter == "R"
        yield NOTEBOOK.option(context, longer, f"order.{letter}", label, fault=fault, adds=True, joined=right)


def _edits(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """What can be done with the list in hand: take back, clear, as last round, the same for all."""
    galley = order_drafts.current(context, draft)
    now = draft.list_of(galley)
    *kept, _ = orders.split(now.orders) or ("",)
    shorter = OrderList(galley.id, "".join(kept), now.wishes[: kept.count("ZZ")])
    nothing = None if now.orders else Fault(kind="illegal", code="no_orders_yet", piece=galley.id)
    yield NOTEBOOK.option(context, draft.with_list(shorter), "order.back", fault=nothing, stays=True)
    if len(rest := courses.rest(galley, now)) > 1:
        filled = draft.with_list(structs.replace(now, orders=now.orders + rest))
        yield NOTEBOOK.option(context, filled, "order.rest", Text("choice.order.rest", {"rest": rest}))
    yield NOTEBOOK.option(context, draft.with_list(OrderList(galley.id, "")), "order.clear", fault=nothing, stays=True)
    if before := context.before.get(galley.id):
        label = Text("choice.order.again.without", {"cut": cut}) if (cut := _cut(context, galley)) else None
        yield NOTEBOOK.option(context, draft.fitted(galley, before), "order.again", label)
    if len(context.mine) > 1:
        same = _all(context, draft, {other.id: now for other in context.mine if now.orders})
        label = Text("choice.order.all", {"galley": galley.id})
        yield NOTEBOOK.option(context, same, "order.all", label, fault=nothing, stays=True)


def _cut(context: OrderContext, galley: Galley) -> str:
    """Of a galley's orders of the round before those that she can't carry out any more."""
    both = (context.before.get(galley.id), order_drafts.again(context, galley))
    before, again = (Counter(orders.split(one.orders) if one else ()) for one in both)
    return "".join((before - again).elements())


def _courses(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """Standard courses for the galley in hand, then for all."""
    galley, fleet = order_drafts.current(context, draft), context.mine
    now = draft.list_of(galley)
    for key, ordered in courses.standard(galley, boarding=context.state.boards).items():
        label = courses.said("choice.course", ordered, course=key)
        yield NOTEBOOK.option(context, draft.with_list(ordered), f"course.{key}", label, chosen=ordered == now)
    if len(fleet) > 1:
        if context.before:
            lame = ", ".join(one.id for one in fleet if _cut(context, one))
            repeat = Text("choice.all.again.cut", {"galleys": lame}) if lame else None
            yield NOTEBOOK.option(context, _all(context, draft, context.before), "all.again", repeat)
        for key, wanted in courses.known(boarding=context.state.boards).items():
            after = _all(context, draft, {other.id: OrderList(other.id, wanted) for other in fleet})
            yield NOTEBOOK.option(context, after, f"all.{key}", Text("choice.all", {"course": key}))


def _all(context: OrderContext, draft: OrderDraft, wanted: Mapping[str, OrderList]) -> OrderDraft:
    """What is wanted of galleys by their ids, as far as they can do it; the one in hand stays in hand."""
    after = draft
    for galley in (one for one in context.mine if one.id in wanted):
        after = after.fitted(galley, wanted[galley.id])
    return structs.replace(after, focus=draft.focus)


def _wishes(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    """How many oars she wants to either side, if her last order is to move rowers."""
    galley = order_drafts.current(context, draft)
    now = draft.list_of(galley)
    for port, starboard in ((0, 0), *damage.benches(galley)) if now.orders.endswith("ZZ") else ():
        after = draft.with_list(structs.replace(now, wishes=(*now.wishes[:-1], (port, starboard))))
        label = Text("choice.wish", {"port": port, "starboard": starboard}) if port else Text("choice.wish.even")
        token = f"wish.{port}-{starboard}" if port else "wish.even"
        yield NOTEBOOK.option(context, after, token, label, chosen=now.wishes[-1] == (port, starboard))


def _standing(context: OrderContext, draft: OrderDraft) -> Iterator[Option]:
    for decision, value in standing_orders.alternatives(context):
        changed = structs.replace(draft.standing, **{decision: value})
        after, label = structs.replace(draft, standing=changed), standing_orders.label(decision, value)
        yield NOTEBOOK.option(context, after, f"{decision}.{value}", label, chosen=changed == draft.standing)


def _short(context: OrderContext, draft: OrderDraft) -> list[Galley]:
    """The captain's galleys that must be given more (MB-3.7)."""
    return [one for one in context.mine if orders.short_fault(one, draft.list_of(one).orders)]


def _missing(draft: OrderDraft, short: Sequence[Galley], *, boards: bool) -> Iterator[Text]:
    """What is missing of each galley that is short of orders; of several that have none at all only whose."""
    only = _ONLY_OR_BOARD if boards else _ONLY
    untouched = [galley.id for galley in short if not draft.list_of(galley).orders]
    for galley in short:
        if len(untouched) > 1 and galley.id in untouched:
            continue
        ordered = draft.list_of(galley)
        key = only.get(orders.addable(galley, ordered.orders), "missing.orders")
        yield Text(key, {"galley": galley.id, "more": orders.could_add(galley, ordered.orders)})
    if len(untouched) > 1:
        yield Text("missing.orders.of", {"galleys": ", ".join(spans(untouched))})
