"""What captains are asked: orders; and how battles ended, which these answer themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.campaign.desk import order_drafts
from rules.campaign.desk.warnings import warnings
from rules.campaign.table.sea.state import State
from rules.question import BATTLE, Question

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": Question(
        notebook=order_drafts.NOTEBOOK,
        choices=order_drafts.choices,
        samples=order_drafts.samples,
        example=order_drafts.example,
        default=order_drafts.default,
        warnings=warnings,
        stays_sealed=lambda _: True,
    ),
    "battle": BATTLE,
}
"""By `Request.kind`. Orders stay secret until the campaign is over (CA-12.3)."""
