"""Requests for changes to doctrines and the standing sheet, without orders for a turn (RS-03.8)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.core.errors import IllegalOrder, UnreadableOrder, quote_excerpt
from rules.core.protocol import Choices, Draft, OptionGroup
from rules.core.view import Text
from rules.interface.drafts import AnswerNotation
from rules.ramspeed.engine.state import State
from rules.ramspeed.interface import order_drafts, panel
from rules.ramspeed.interface.order_drafts import OrderContext, OrderDraft, StandingChange

_DOCTRINE_RULE: Final = "RS-21.1"
KEEP_WORD: Final = "keep"
"""Nothing is to change; a draft stores it as `OrderDraft.is_stay`, which is also set after any change."""


def parse_into(context: OrderContext, draft: OrderDraft, text: str) -> OrderDraft:
    changes = "\n".join(line for line in text.splitlines() if line.strip().casefold() != KEEP_WORD)
    try:
        after = order_drafts.parse_into(context, structs.replace(draft, focus="", is_stay=False), changes)
    except UnreadableOrder as error:
        if expected := error.fault.params.get("expected"):  # an order is taken here only for the standing sheet
            params = {**error.fault.params, "expected": f"standing {expected}"}
            error.fault = structs.replace(error.fault, params=params)
        raise
    if after.lines or after.is_stay or not text.strip():
        raise IllegalOrder("no_doctrine", _DOCTRINE_RULE, piece=quote_excerpt(text))
    return structs.replace(after, focus=draft.focus, is_stay=True)


def complete_changes(_: OrderContext, draft: OrderDraft) -> StandingChange:
    if not draft.is_stay:
        raise IllegalOrder("no_doctrine", _DOCTRINE_RULE)
    return StandingChange(draft.doctrines, draft.stand_in_sheet)


def _move_focus(context: OrderContext, draft: OrderDraft, focus: str) -> OrderDraft:
    return structs.replace(draft, focus=focus if any(ship.id == focus for ship in context.ships) else "")


def _draft_text(draft: OrderDraft) -> str:
    return order_drafts.draft_text(structs.replace(draft, is_stay=False)) or (KEEP_WORD if draft.is_stay else "")


STANDING_NOTATION: Final[AnswerNotation[State, OrderContext, OrderDraft, StandingChange]] = AnswerNotation(
    context=lambda state, request: order_drafts.order_context(state, request.seat),
    empty_draft=lambda _: OrderDraft(),
    parse_into=parse_into,
    write_draft=lambda _, draft: Draft(_draft_text(draft), draft.focus),
    complete_answer=complete_changes,
    format_answer=lambda answer: _draft_text(
        OrderDraft(is_stay=True, doctrines=answer.doctrines, stand_in_sheet=answer.stand_in_sheet)
    ),
    move_focus=_move_focus,
    max_chars=order_drafts.MAX_TEXT_CHARS,
)


def draft_choices(context: OrderContext, draft: OrderDraft) -> Choices:
    return Choices(
        groups=(_ship_group(context, draft),),
        forms=panel.doctrine_forms(context, draft),
        lines=tuple(panel.change_lines(draft.doctrines, draft.stand_in_sheet)) or (Text("line.as_before"),),
        missing_parts=() if draft.is_stay else (Text("missing.doctrine"),),
    )


def _ship_group(context: OrderContext, draft: OrderDraft) -> OptionGroup:
    labels = {"": Text("choice.fleet")}
    labels |= {ship.id: Text("field.ship", {"ship": ship.id, "kind": ship.code}) for ship in context.ships}
    tokens = {focus: f"ship.{focus}" if focus else "ships.all" for focus in labels}
    options = (
        STANDING_NOTATION.make_option(
            context, structs.replace(draft, focus=focus), tokens[focus], label, chosen=focus == draft.focus
        )
        for focus, label in labels.items()
    )
    return OptionGroup(key="ship", style="select", options=tuple(options))
