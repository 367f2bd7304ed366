"""What captains are asked: orders; and how battles ended, which these answer themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.campaign.desk import order_drafts
from rules.campaign.desk.warnings import order_warnings
from rules.campaign.table.sea.state import State
from rules.question import BATTLE_QUESTION, Question

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": Question(
        notebook=order_drafts.ORDER_NOTATION,
        choices=order_drafts.draft_choices,
        samples=order_drafts.sample_orders,
        example=order_drafts.example_values,
        default=order_drafts.default_orders,
        warnings=order_warnings,
        stays_sealed=lambda _: True,
    ),
    "battle": BATTLE_QUESTION,
}
"""By `Request.kind`. Orders stay secret until the campaign is over (CA-12.3)."""
