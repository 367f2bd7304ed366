"""Orders for one squadron when its turn comes: `act SQ1` or `act B4`, then the lines of a sheet (SQ 9.2)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import Struct, structs

from rules.errors import IllegalOrder, UnreadableOrder, excerpt
from rules.notebook import Notebook
from rules.protocol import Draft, Request
from rules.squadrons.desk.drafts import sheets, squadron_orders
from rules.squadrons.desk.drafts.answers import Activation, Sheet
from rules.squadrons.desk.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.table.notation.order_text import RULE
from rules.squadrons.table.notation.typed_words import plain
from rules.squadrons.table.phases.activation import activation, turn_order
from rules.squadrons.table.sea.state import Squadron, State

_ACT: Final = re.compile("act ?:? ?(sq[1-9]|[br][1-9][0-9]?)")
"""The line that names a squadron."""
_DOUBLE: Final = re.compile("double (sq[1-9]|[br][1-9][0-9]?)")


class ActivationContext(NamedTuple):
    """Read-only inputs for ordering one squadron when its turn comes."""

    offered: tuple[Squadron, ...]
    """Those with a ship of the captain's that can act now, by number; never empty."""
    orders: OrderContext
    """With all ships of the captain's; `squadron_context` has those of the squadron alone."""
    doubled: bool
    """The side has tried its Double Activation of this turn (SQ-05.11)."""


class ActivationDraft(Struct, frozen=True):
    """A squadron, and its unfinished orders."""

    squadron: Squadron
    orders: OrderDraft = OrderDraft()
    named: bool = False
    """The text names the squadron. If it does not, and nothing is ordered, looking at another squadron changes it."""


def activation_context(state: State, request: Request) -> ActivationContext:
    """The inputs for the captain whose squadron acts next."""
    orders = sheets.order_context(state, request.seat)
    own = set(orders.ids())
    able = turn_order.able(state, state.active or "B")
    offered = tuple(one for one in able if own & set(activation.still(state.position, one)))
    orders = structs.replace(orders, fixed=offered, last="")
    return ActivationContext(offered, orders, state.doubled["BR".index(orders.side)])


def partners(context: ActivationContext, squadron: Squadron) -> tuple[str, ...]:
    """Squadrons that may act together with this one, if it is the Admiral's (SQ-05.11)."""
    if context.doubled or squadron_orders.admirals(context.orders, Sheet()) != squadron.name:
        return ()
    return squadron_orders.partners(context.orders, Sheet())


def squadron_context(context: ActivationContext, draft: ActivationDraft, text: str = "") -> OrderContext:
    """The inputs for a squadron's sheet: its ships, and those of the one that acts with it by the draft or a text."""
    typed = (found[1].upper() for piece in sheets.pieces(text) if (found := _DOUBLE.fullmatch(piece)))
    wished = {draft.orders.sheet.double, *typed}.intersection(partners(context, draft.squadron))
    both = {*draft.squadron.ships, *(ship for one in wished for ship in context.orders.members(one))}
    return structs.replace(context.orders, mine=tuple(ship for ship in context.orders.mine if ship.id in both))


def take(context: ActivationContext, draft: ActivationDraft, text: str) -> ActivationDraft:
    """The draft with typed lines in it; one that names a squadron starts again. Raises `OrderError`."""
    head, _, rest = text.strip().partition("\n")
    if found := _ACT.fullmatch(plain(head).strip()):
        squadron = next((one for one in context.offered if found[1].upper() in (one.name, one.flagship)), None)
        if squadron is None:
            legal = ", ".join(one.name for one in context.offered)
            raise IllegalOrder("not_its_go", RULE, piece=excerpt(found[1].upper()), legal=legal)
        draft, text = ActivationDraft(squadron, OrderDraft(focus="all" if draft.orders.focus else "")), rest
    orders = sheets.take(squadron_context(context, draft, text), draft.orders, text)
    return structs.replace(draft, orders=orders, named=bool(found or (draft.named and sheets.write(orders).text)))


def look(context: ActivationContext, draft: ActivationDraft, focus: str) -> ActivationDraft:
    """The draft with a unit in hand: a squadron that may act, as long as nothing is written, or one of its ships."""
    if not written(context, draft).text:
        looked_at = (one for one in context.offered if focus in (one.name, *one.ships))
        draft = structs.replace(draft, squadron=next(looked_at, draft.squadron))
    return structs.replace(draft, orders=sheets.look(squadron_context(context, draft), draft.orders, focus))


def written(_: ActivationContext, draft: ActivationDraft) -> Draft:
    """The draft as text; empty if nothing is ordered and no squadron named."""
    text, focus = sheets.write(draft.orders)
    lines = (f"act {draft.squadron.name}" if text or draft.named else "", text)
    return Draft("\n".join(filter(None, lines)), focus)


def complete(context: ActivationContext, draft: ActivationDraft) -> Activation:
    """The squadron and its orders. Raises `UnreadableOrder` if nothing is written."""
    if not written(context, draft).text:
        raise UnreadableOrder("no_orders_given")
    return Activation(squadron=draft.squadron.flagship, sheet=draft.orders.sheet)


def canonical(answer: Activation) -> str:
    """An answer as text that `NOTEBOOK.finish` reads back. The squadron is named by a ship."""
    lines = sheets.canonical(answer.sheet).split("\n")
    return "\n".join((f"act {answer.squadron}", *(line for line in lines if line != sheets.PASS)))


NOTEBOOK: Final[Notebook[State, ActivationContext, ActivationDraft, Activation]] = Notebook(
    context=activation_context,
    empty=lambda context: ActivationDraft(context.offered[0]),
    take=take,
    written=written,
    complete=complete,
    format=canonical,
    look=look,
    most=sheets.MOST_TEXT,
)
