"""What captains are asked: flagship, start hexes, plan, and what they do in their player-turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.forts.desk import orders, placing, plans, samples
from rules.forts.table.state import CODES, FlagshipChoice, State
from rules.question import Question

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "flagship": Question(
        notebook=placing.FLAGSHIP_NOTATION,
        choices=placing.flagship_choices,
        samples=lambda _: [FlagshipChoice(code) for code in CODES],
        default=lambda _: placing.DEFAULT_FLAGSHIP,
    ),
    "berths": Question(
        notebook=placing.PLACEMENT_NOTATION,
        choices=placing.placement_choices,
        samples=samples.sample_placements,
        example=lambda berths: {"places": placing.format_placement(placing.default_placement(berths))},
        default=placing.default_placement,
    ),
    "plan": Question(
        notebook=plans.PLAN_NOTATION,
        choices=plans.draft_choices,
        samples=samples.sample_plans,
        example=lambda context: {"orders": samples.future_shot_text(context.position, context.colour)},
        default=lambda context: context.stored,
    ),
    "act": Question(
        notebook=orders.ORDER_NOTATION,
        choices=orders.draft_choices,
        samples=samples.sample_orders,
        example=lambda state: {"orders": samples.possible_actions_text(state)},
        default=orders.default_order,
        excused=lambda state: orders.default_order(state, excused=True),
        claims=lambda line: line == "claim",
    ),
}
"""By `Request.kind`: which ship leads (NB-02.3), where ships begin (NB-02.2), the plan for the next player-turn, and
what the active captain does, one thing after another (NB part 8)."""
