"""Orders for one squadron when it is due: `act SQ1` or `act B4`, then the lines of a sheet (SQ 9.2)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Request
from rules.interface.drafts import AnswerNotation
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE
from rules.squadrons.engine.notation.typed_words import to_notation_words
from rules.squadrons.engine.phases.activation import activation, turn_order
from rules.squadrons.engine.sea.state import Squadron, State
from rules.squadrons.interface.drafts import sheets, squadron_orders
from rules.squadrons.interface.drafts.answers import ActivationOrder, OrderSheet
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft

_ACT_PATTERN: Final = re.compile("act ?:? ?(sq[1-9]|[br][1-9][0-9]?)")
_DOUBLE_PATTERN: Final = re.compile("double (sq[1-9]|[br][1-9][0-9]?)")


class ActivationContext(NamedTuple):
    squadrons: tuple[Squadron, ...]  # squadrons with a ship of this captain's that can act now, by number; never empty
    order_context: OrderContext
    """Inputs with all ships of the captain's. `squadron_context` restricts them to the squadron."""
    double_tried: bool  # SQ-05.11


class ActivationDraft(Struct, frozen=True):
    squadron: Squadron
    order_draft: OrderDraft = OrderDraft()
    is_named: bool = False
    """The text names the squadron. Otherwise, and without orders, moving the focus may change the squadron."""


def activation_context(state: State, request: Request) -> ActivationContext:
    orders = sheets.order_context(state, request.seat)
    own = set(orders.own_ship_ids())
    candidates = turn_order.squadrons_able(state, state.active or "B")
    offered = tuple(
        squadron for squadron in candidates if own & set(activation.ready_galleys(state.position, squadron))
    )
    orders = structs.replace(orders, fixed_squadrons=offered, last_sheet="")
    return ActivationContext(offered, orders, state.doubled["BR".index(orders.side)])


def possible_partners(context: ActivationContext, squadron: Squadron) -> tuple[str, ...]:  # SQ-05.11
    if (
        context.double_tried
        or squadron_orders.admirals_squadron(context.order_context, OrderSheet()) != squadron.display_name
    ):
        return ()
    return squadron_orders.possible_partners(context.order_context, OrderSheet())


def squadron_context(context: ActivationContext, draft: ActivationDraft, text: str = "") -> OrderContext:
    typed = (match[1].upper() for piece in sheets.split_lines(text) if (match := _DOUBLE_PATTERN.fullmatch(piece)))
    partners = {draft.order_draft.sheet.double, *typed}.intersection(possible_partners(context, draft.squadron))
    names = {
        *draft.squadron.ships,
        *(ship for partner in partners for ship in context.order_context.members_of(partner)),
    }
    return structs.replace(
        context.order_context, own_ships=tuple(ship for ship in context.order_context.own_ships if ship.id in names)
    )


def parse_into(context: ActivationContext, draft: ActivationDraft, text: str) -> ActivationDraft:
    """Return the draft with typed lines added. A line that names a squadron starts again. Raises `OrderError`."""
    head, _, rest = text.strip().partition("\n")
    if match := _ACT_PATTERN.fullmatch(to_notation_words(head).strip()):
        squadron = next(
            (
                candidate
                for candidate in context.squadrons
                if match[1].upper() in (candidate.display_name, candidate.flagship)
            ),
            None,
        )
        if squadron is None:
            legal = ", ".join(candidate.display_name for candidate in context.squadrons)
            raise IllegalOrder("not_its_go", UNREADABLE_RULE, piece=quote_excerpt(match[1].upper()), legal=legal)
        draft, text = ActivationDraft(squadron, OrderDraft(focus="all" if draft.order_draft.focus else "")), rest
    orders = sheets.parse_into(squadron_context(context, draft, text), draft.order_draft, text)
    return structs.replace(
        draft, order_draft=orders, is_named=bool(match or (draft.is_named and sheets.write_draft(orders).text))
    )


def move_focus(context: ActivationContext, draft: ActivationDraft, focus: str) -> ActivationDraft:
    if not write_draft(context, draft).text:
        focused = (squadron for squadron in context.squadrons if focus in (squadron.display_name, *squadron.ships))
        draft = structs.replace(draft, squadron=next(focused, draft.squadron))
    return structs.replace(
        draft, order_draft=sheets.move_focus(squadron_context(context, draft), draft.order_draft, focus)
    )


def write_draft(_: ActivationContext, draft: ActivationDraft) -> Draft:
    text, focus = sheets.write_draft(draft.order_draft)
    lines = (f"act {draft.squadron.display_name}" if text or draft.is_named else "", text)
    return Draft("\n".join(filter(None, lines)), focus)


def complete_activation(context: ActivationContext, draft: ActivationDraft) -> ActivationOrder:
    """Return the squadron and its orders. Raises `UnreadableOrder` if nothing is written."""
    if not write_draft(context, draft).text:
        raise UnreadableOrder("no_orders_given")
    return ActivationOrder(squadron=draft.squadron.flagship, sheet=draft.order_draft.sheet)


def format_activation(answer: ActivationOrder) -> str:
    lines = sheets.format_sheet(answer.sheet).split("\n")
    return "\n".join((f"act {answer.squadron}", *(line for line in lines if line != sheets.PASS_WORD)))


ACTIVATION_NOTATION: Final[AnswerNotation[State, ActivationContext, ActivationDraft, ActivationOrder]] = AnswerNotation(
    context=activation_context,
    empty_draft=lambda context: ActivationDraft(context.squadrons[0]),
    parse_into=parse_into,
    write_draft=write_draft,
    complete_answer=complete_activation,
    format_answer=format_activation,
    move_focus=move_focus,
    max_chars=sheets.MAX_TEXT_CHARS,
)
