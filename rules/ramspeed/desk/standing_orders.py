"""Changes of what stands, asked for by themselves: doctrines, and the sheet for a missing one (RS part 8.1, 8.3)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.errors import IllegalOrder, excerpt
from rules.notebook import Notebook
from rules.protocol import Choices, Draft, Group
from rules.ramspeed.desk import forms, order_drafts, panel
from rules.ramspeed.desk.answers import Standing
from rules.ramspeed.desk.order_drafts import OrderContext, OrderDraft
from rules.ramspeed.table.notation.entry import RULE
from rules.ramspeed.table.state import State
from rules.view import Text

KEEP: Final = "keep"
"""Nothing is to change; in a draft, `OrderDraft.stay`, as after any change."""


def take(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    """The draft with changes. Raises `OrderError` for anything else, such as orders for a turn."""
    changes = "\n".join(line for line in text.splitlines() if line.strip().casefold() != KEEP)
    after = order_drafts.take(context, structs.replace(draft, focus="", stay=False), changes)
    if after.lines or after.stay or not text.strip():
        raise IllegalOrder("no_doctrine", RULE, piece=excerpt(text))
    return structs.replace(after, focus=draft.focus, stay=True)


def complete(_: OrderContext, draft: OrderDraft) -> Standing:
    """The changes of a draft. Raises `IllegalOrder` if there are none."""
    if not draft.stay:
        raise IllegalOrder("no_doctrine", RULE)
    return Standing(draft.doctrines, draft.standing)


def _look(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    return structs.replace(draft, focus=focus if any(ship.id == focus for ship in context.ships) else "")


def _text(draft: OrderDraft) -> str:
    return order_drafts.written(structs.replace(draft, stay=False)) or (KEEP if draft.stay else "")


NOTEBOOK: Final[Notebook[State, OrderContext, OrderDraft, Standing]] = Notebook(
    context=lambda state, request: order_drafts.order_context(state, request.seat),
    empty=lambda _: OrderDraft(),
    take=take,
    written=lambda _, draft: Draft(_text(draft), draft.focus),
    complete=complete,
    format=lambda answer: _text(OrderDraft(stay=True, doctrines=answer.doctrines, standing=answer.standing)),
    look=_look,
    most=order_drafts.MOST_TEXT,
)


def choices(context: OrderContext, draft: OrderDraft) -> Choices:
    """A form of all five keys, for all ships or for the one that is looked at."""
    return Choices(
        groups=(_ships(context, draft),),
        forms=forms.of_doctrine(context, draft),
        lines=tuple(panel.changes(draft.doctrines, draft.standing)) or (Text("line.as_before"),),
        missing=() if draft.stay else (Text("missing.doctrine"),),
    )


def _ships(context: OrderContext, draft: OrderDraft) -> Group:
    """Whose doctrine is looked at."""
    labels = {"": Text("choice.fleet")}
    labels |= {ship.id: Text("field.ship", {"ship": ship.id, "kind": ship.code}) for ship in context.ships}
    tokens = {focus: f"ship.{focus}" if focus else "ships.all" for focus in labels}
    options = (
        NOTEBOOK.option(context, structs.replace(draft, focus=focus), tokens[focus], label, chosen=focus == draft.focus)
        for focus, label in labels.items()
    )
    return Group(key="ship", style="select", options=tuple(options))
