"""What captains are asked: a sheet, one ship's line, what stands, a choice in the middle of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.notebook import one_piece
from rules.question import Question
from rules.ramspeed.desk import interrupts, live_orders, order_drafts, panel, samples, standing_orders
from rules.ramspeed.desk.answers import Standing
from rules.ramspeed.table.state import State

_ORDERING: Final = Question(
    notebook=order_drafts.NOTEBOOK,
    choices=panel.choices,
    samples=samples.order_sheets,
    warnings=panel.warnings,
    example=samples.example,
    default=order_drafts.default,
    stored=lambda context: bool(order_drafts.still(context, context.standing)),
    stays_sealed=order_drafts.holds_on,
)
"""The secret sheet of a turn, which may hold doctrines and what stands in for a missing sheet (RS part 8.1, 8.3)."""
_ACTING: Final = Question(
    notebook=live_orders.NOTEBOOK,
    choices=live_orders.choices,
    samples=samples.acts,
    example=samples.example,
    default=live_orders.default,
    stored=lambda context: bool(context.standing),
)
"""One ship's line at a time, carried out at once (live mode)."""
_CHANGING: Final = Question(
    notebook=standing_orders.NOTEBOOK,
    choices=standing_orders.choices,
    samples=samples.changes,
    example=samples.example,
    default=lambda _: Standing(),
    stays_sealed=order_drafts.holds_on,
    advised=False,
)
"""What stands: doctrines, and the sheet for a missing one, where sheets are not asked for."""
_DECIDING: Final = Question(
    notebook=one_piece(
        context=interrupts.interrupt_context, parse=interrupts.parse, format=lambda answer: answer.choice
    ),
    choices=interrupts.choices,
    default=interrupts.default,
)
"""How a ship defends herself, gets away, or what becomes of a prize (D1 to D3, PRIZE)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": _ORDERING,
    "act": _ACTING,
    "doctrine": _CHANGING,
    **dict.fromkeys(interrupts.KINDS.values(), _DECIDING),
}
"""By `Request.kind`."""
