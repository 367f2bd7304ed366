"""Orders for one squadron when it is due: `act SQ1` or `act B4`, then the lines of a sheet (SQ-24.1)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from msgspec import Struct, structs

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Draft, Request
from rules.interface.drafts import AnswerNotation
from rules.squadrons.engine.notation.order_text import UNREADABLE_RULE
from rules.squadrons.engine.notation.orders import SIDES
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
    double_tried: bool  # Double Activation was tried in this turn (SQ-05.11)


class ActivationDraft(Struct, frozen=True):
    squadron: Squadron  # the one that acts next
    order_draft: OrderDraft = OrderDraft()  # orders of its ships
    is_named: bool = False
    """The text names the squadron. Otherwise, and without orders, moving the focus may change the squadron."""


def activation_context(state: State, request: Request) -> ActivationContext:
    context = sheets.order_context(state, request.seat)
    own_ships = set(context.own_ship_ids())
    candidates = turn_order.squadrons_able(state, state.active or "B")
    squadrons = tuple(
        squadron for squadron in candidates if own_ships & set(activation.ready_galleys(state.position, squadron))
    )
    context = structs.replace(context, fixed_squadrons=squadrons, last_sheet="")
    return ActivationContext(squadrons, context, state.doubled[SIDES.index(context.side)])


def possible_partners(context: ActivationContext, squadron: Squadron) -> tuple[str, ...]:  # SQ-05.11
    admirals_squadron = squadron_orders.admirals_squadron(context.order_context, OrderSheet())
    if context.double_tried or admirals_squadron != squadron.display_name:
        return ()
    return squadron_orders.possible_partners(context.order_context, OrderSheet())


def squadron_context(context: ActivationContext, draft: ActivationDraft, text: str = "") -> OrderContext:
    """Return the inputs with the ships of the squadron only, and of its partner in a Double Activation.

    The partner is that of the draft, or of a line `double` in the text.
    """
    order_context = context.order_context
    double_matches = (_DOUBLE_PATTERN.fullmatch(piece) for piece in sheets.split_lines(text))
    typed_partners = {match[1].upper() for match in double_matches if match}
    partners = {draft.order_draft.sheet.double, *typed_partners}
    partners.intersection_update(possible_partners(context, draft.squadron))
    partner_ships = [ship for partner in partners for ship in order_context.members_of(partner)]
    names = {*draft.squadron.ships, *partner_ships}
    own_ships = tuple(ship for ship in order_context.own_ships if ship.id in names)
    return structs.replace(order_context, own_ships=own_ships)


def parse_into(context: ActivationContext, draft: ActivationDraft, text: str) -> ActivationDraft:
    """Return the draft with typed lines added. A line that names a squadron starts again. Raises `OrderError`."""
    first_line, _, further_lines = text.strip().partition("\n")
    match = _ACT_PATTERN.fullmatch(to_notation_words(first_line).strip())
    if match:
        squadron = _squadron_by_name(context, match[1].upper())
        draft = ActivationDraft(squadron, OrderDraft(focus="all" if draft.order_draft.focus else ""))
        text = further_lines
    order_draft = sheets.parse_into(squadron_context(context, draft, text), draft.order_draft, text)
    stays_named = draft.is_named and bool(sheets.write_draft(order_draft).text)
    return structs.replace(draft, order_draft=order_draft, is_named=bool(match) or stays_named)


def _squadron_by_name(context: ActivationContext, name: str) -> Squadron:
    """Return the squadron with this number (`SQ1`) or flagship. Raises `IllegalOrder` if it may not act now."""
    for squadron in context.squadrons:
        if name in (squadron.display_name, squadron.flagship):
            return squadron
    legal = ", ".join(candidate.display_name for candidate in context.squadrons)
    raise IllegalOrder("not_its_go", UNREADABLE_RULE, piece=quote_excerpt(name), legal=legal)


def move_focus(context: ActivationContext, draft: ActivationDraft, focus: str) -> ActivationDraft:
    """Return the draft with another unit in focus. As long as it is empty, the focus also selects the squadron."""
    if not write_draft(context, draft).text:
        matches = (squadron for squadron in context.squadrons if focus in (squadron.display_name, *squadron.ships))
        draft = structs.replace(draft, squadron=next(matches, draft.squadron))
    order_draft = sheets.move_focus(squadron_context(context, draft), draft.order_draft, focus)
    return structs.replace(draft, order_draft=order_draft)


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
    check_typed=lambda context, draft: sheets.check_targets(context.order_context, draft.order_draft),
    max_chars=sheets.MAX_TEXT_CHARS,
)
