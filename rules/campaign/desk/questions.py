"""What captains are asked: orders, whether to settle battles by dice, and how battles ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.campaign.desk import order_drafts
from rules.campaign.desk.game_flow import DICE, PLAY
from rules.campaign.table.state import State
from rules.choosing import one_of
from rules.question import BATTLE, Question
from rules.typed import fold
from rules.view import Text

_TYPED: Final = {"kocka": DICE, "jatek": PLAY}

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "orders": Question(
        notebook=order_drafts.NOTEBOOK,
        choices=order_drafts.choices,
        samples=order_drafts.samples,
        example=order_drafts.example,
        default=order_drafts.default,
        stays_sealed=lambda _: True,
    ),
    "dice": one_of(
        lambda _: {word: Text(f"choice.{word}") for word in (PLAY, DICE)},
        rule="CA-6.2",
        default=lambda request: str(request.params["now"]),
        meant=lambda _, word: _TYPED.get(fold(word), word),
    ),
    "battle": BATTLE,
}
"""By `Request.kind`. Orders stay secret until the campaign is over (CA-12.3)."""
