"""The kinds of questions to captains, each with its notation, options and default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import Scalar
from rules.interface.drafts import single_value_notation
from rules.interface.question import Question
from rules.ramspeed.engine.state import State
from rules.ramspeed.interface import (
    fleet_drafts,
    interrupts,
    live_orders,
    offers,
    order_drafts,
    panel,
    placement_drafts,
    standing_orders,
)
from rules.ramspeed.interface.order_drafts import OrderContext, StandingChange

_EXAMPLE_INCHES: Final = 4


def _example_values(context: OrderContext) -> dict[str, Scalar]:
    ship = context.ships[0] if context.ships else None
    enemy = offers.enemies_of(context.position, ship)[:1] if ship else []
    return {
        "ship": ship.id if ship else "all",
        "enemy": enemy[0].id if enemy else "S1",
        "inches": min(_EXAMPLE_INCHES, int(ship.ship_class.fwd)) if ship else _EXAMPLE_INCHES,
    }


_FLEET_QUESTION: Final = Question(
    notation=fleet_drafts.FLEET_NOTATION,
    draft_choices=fleet_drafts.draft_choices,
    example_values=fleet_drafts.example_values,
    default_answer=fleet_drafts.stock_answer,
)
"""A fleet for points, chosen in secret; the stock fleet by default (RS-22.5)."""
_PLACEMENT_QUESTION: Final = Question(
    notation=placement_drafts.PLACEMENT_NOTATION,
    draft_choices=placement_drafts.draft_choices,
    example_values=lambda context: {"piece": placement_drafts.example_place(context)},
    default_answer=placement_drafts.propose_placement,
)
"""The places of a captain's ships; line abreast or the scenario's by default (RS-22.6)."""
_SHEET_QUESTION: Final = Question(
    notation=order_drafts.SHEET_NOTATION,
    draft_choices=panel.draft_choices,
    draft_warnings=panel.draft_warnings,
    example_values=_example_values,
    default_answer=order_drafts.default_orders,
    has_stored_default=lambda context: bool(order_drafts.still_possible(context, context.stand_in_sheet)),
    is_line_kept_sealed=order_drafts.is_standing_line,
)
"""The secret sheet of a turn, which may contain doctrines and a standing sheet (RS-03.8)."""
_LIVE_QUESTION: Final = Question(
    notation=live_orders.LIVE_NOTATION,
    draft_choices=live_orders.draft_choices,
    example_values=_example_values,
    default_answer=live_orders.default_order,
    has_stored_default=lambda context: bool(context.stand_in_sheet),
)
_STANDING_QUESTION: Final = Question(
    notation=standing_orders.STANDING_NOTATION,
    draft_choices=standing_orders.draft_choices,
    example_values=_example_values,
    default_answer=lambda _: StandingChange(),
    is_line_kept_sealed=order_drafts.is_standing_line,
    has_advice=False,
)
_DECISION_QUESTION: Final = Question(
    notation=single_value_notation(
        context=interrupts.interrupt_context, parse=interrupts.parse_choice, format=lambda answer: answer.choice
    ),
    draft_choices=interrupts.draft_choices,
    example_values=interrupts.example_values,
    default_answer=interrupts.default_choice,
)
"""A ship's defence or slip, or the treatment of a prize (RS-09.7, RS-10.3, RS-10.5, RS-12.1)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _FLEET_QUESTION,
    "place": _PLACEMENT_QUESTION,
    "orders": _SHEET_QUESTION,
    "act": _LIVE_QUESTION,
    "doctrine": _STANDING_QUESTION,
    **dict.fromkeys(interrupts.KIND_BY_KEY.values(), _DECISION_QUESTION),
}
