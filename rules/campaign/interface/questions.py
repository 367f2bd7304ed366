"""The kinds of requests: orders from captains, and ends of battles, which battles answer themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.campaign.engine.sea.state import State
from rules.campaign.interface import order_drafts
from rules.campaign.interface.warnings import order_warnings
from rules.interface.question import BATTLE_QUESTION, Question

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": Question(
        notebook=order_drafts.ORDER_NOTATION,
        draft_choices=order_drafts.draft_choices,
        example_values=order_drafts.example_values,
        default_answer=order_drafts.default_orders,
        draft_warnings=order_warnings,
        is_line_kept_sealed=lambda _: True,
    ),
    "battle": BATTLE_QUESTION,
}
"""By `Request.kind`. Orders stay secret until the campaign is over (CA-12.3)."""
