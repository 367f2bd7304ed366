"""What captains are asked: flagship, start hexes, plan, and what they do in their player-turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.forts.desk import orders, placing, plans, samples
from rules.forts.table.state import CODES, Flagship, State
from rules.question import Question

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "flagship": Question(
        notebook=placing.FLAGSHIP,
        choices=placing.flagship_choices,
        samples=lambda _: [Flagship(code) for code in CODES],
        default=lambda _: placing.DEFAULT_FLAGSHIP,
    ),
    "berths": Question(
        notebook=placing.BERTHS,
        choices=placing.placement_choices,
        samples=samples.placements,
        example=lambda berths: {"places": placing.write(placing.proposal(berths))},
        default=placing.proposal,
    ),
    "plan": Question(
        notebook=plans.NOTEBOOK,
        choices=plans.choices,
        samples=samples.plans,
        example=lambda context: {"orders": samples.shot_to_come(context.position, context.colour)},
        default=lambda context: context.stored,
    ),
    "act": Question(
        notebook=orders.NOTEBOOK,
        choices=orders.choices,
        samples=samples.orders,
        example=lambda state: {"orders": samples.now(state)},
        default=orders.default,
        excused=lambda state: orders.default(state, excused=True),
        claims=lambda line: line == "claim",
    ),
}
"""By `Request.kind`: which ship leads (NB-02.3), where ships begin (NB-02.2), the plan for the next player-turn, and
what the active captain does, one thing after another (NB part 8)."""
