"""The kinds of questions to captains, each with its notation, options and default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.forts.engine.state import CODES, FlagshipChoice, State
from rules.forts.interface import orders, placing, plans, samples
from rules.interface.question import Question

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "flagship": Question(
        notebook=placing.FLAGSHIP_NOTATION,
        draft_choices=placing.flagship_choices,
        sample_answers=lambda _: [FlagshipChoice(code) for code in CODES],
        default_answer=lambda _: placing.DEFAULT_FLAGSHIP,
    ),
    "berths": Question(
        notebook=placing.PLACEMENT_NOTATION,
        draft_choices=placing.placement_choices,
        sample_answers=samples.sample_placements,
        example_values=lambda berths: {"places": placing.format_placement(placing.default_placement(berths))},
        default_answer=placing.default_placement,
    ),
    "plan": Question(
        notebook=plans.PLAN_NOTATION,
        draft_choices=plans.draft_choices,
        sample_answers=samples.sample_plans,
        example_values=lambda context: {"orders": samples.future_shot_text(context.position, context.colour)},
        default_answer=lambda context: context.stored_plan,
    ),
    "act": Question(
        notebook=orders.ORDER_NOTATION,
        draft_choices=orders.draft_choices,
        sample_answers=samples.sample_orders,
        example_values=lambda state: {"orders": samples.possible_actions_text(state)},
        default_answer=orders.default_order,
        excused_default=lambda state: orders.default_order(state, excused=True),
        is_claim=lambda line: line == "claim",
    ),
}
"""By `Request.kind`: flagship (NB-02.3), placement (NB-02.2), plan and actions (NB part 8)."""
