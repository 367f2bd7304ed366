"""What captains are asked: a sheet, one ship's line, what stands, a choice in the middle of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.notebook import single_value_notation
from rules.question import Question
from rules.ramspeed.desk import interrupts, live_orders, order_drafts, panel, samples, standing_orders
from rules.ramspeed.desk.answers import StandingChange
from rules.ramspeed.table.state import State

_SHEET_QUESTION: Final = Question(
    notebook=order_drafts.SHEET_NOTATION,
    choices=panel.draft_choices,
    samples=samples.sample_sheets,
    warnings=panel.draft_warnings,
    example=samples.example_values,
    default=order_drafts.default_orders,
    stored=lambda context: bool(order_drafts.still_possible(context, context.standing)),
    stays_sealed=order_drafts.is_standing_line,
)
"""The secret sheet of a turn, which may hold doctrines and what stands in for a missing sheet (RS part 8.1, 8.3)."""
_LIVE_QUESTION: Final = Question(
    notebook=live_orders.LIVE_NOTATION,
    choices=live_orders.draft_choices,
    samples=samples.sample_live_orders,
    example=samples.example_values,
    default=live_orders.default_order,
    stored=lambda context: bool(context.standing),
)
"""One ship's line at a time, carried out at once (live mode)."""
_STANDING_QUESTION: Final = Question(
    notebook=standing_orders.STANDING_NOTATION,
    choices=standing_orders.draft_choices,
    samples=samples.sample_changes,
    example=samples.example_values,
    default=lambda _: StandingChange(),
    stays_sealed=order_drafts.is_standing_line,
    advised=False,
)
"""What stands: doctrines, and the sheet for a missing one, where sheets are not asked for."""
_DECISION_QUESTION: Final = Question(
    notebook=single_value_notation(
        context=interrupts.interrupt_context, parse=interrupts.parse_choice, format=lambda answer: answer.choice
    ),
    choices=interrupts.draft_choices,
    default=interrupts.default_choice,
)
"""How a ship defends herself, gets away, or what becomes of a prize (D1 to D3, PRIZE)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": _SHEET_QUESTION,
    "act": _LIVE_QUESTION,
    "doctrine": _STANDING_QUESTION,
    **dict.fromkeys(interrupts.KIND_BY_KEY.values(), _DECISION_QUESTION),
}
"""By `Request.kind`."""
