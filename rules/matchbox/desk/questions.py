"""What captains are asked: set down galleys, give orders, decide in the middle of a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.matchbox.desk import decisions, deployments, fleets, game_flow, order_drafts, panel, samples
from rules.matchbox.desk.warnings import advice_without_warnings, draft_warnings
from rules.matchbox.table.state import PendingDecision as Asked
from rules.matchbox.table.state import State
from rules.notebook import single_value_notation
from rules.protocol import Request
from rules.question import Question


def _decision_context(state: State, request: Request) -> tuple[State, Asked]:
    return state, game_flow.decision_of(state, request)


_FLEET_QUESTION: Final = Question(
    notebook=fleets.FLEET_NOTATION,
    choices=fleets.draft_choices,
    lines=fleets.draft_lines,
    samples=fleets.sample_fleets,
    warnings=fleets.draft_warnings,
    example=lambda context: {"vessel": context.builds[-1].text},
    default=fleets.default_fleet,
)
"""The fleet that a captain brings (MX-4.1)."""
_PLACEMENT_QUESTION: Final = Question(
    notebook=deployments.DEPLOYMENT_NOTATION,
    choices=deployments.draft_choices,
    samples=deployments.sample_placements,
    example=lambda context: {"piece": deployments.example_place(context)},
    default=deployments.propose_placement,
)
"""Where galleys are set down (MB part 2)."""
_ORDERS_QUESTION: Final = Question(
    notebook=order_drafts.ORDER_NOTATION,
    choices=panel.draft_choices,
    samples=samples.sample_fleet_orders,
    warnings=draft_warnings,
    advice_without_warnings=advice_without_warnings,
    example=lambda context: {"galley": context.mine[0].id},
    default=order_drafts.hold_orders,
)
"""The secret orders of a round (MB part 3)."""
_DECISION_QUESTION: Final = Question(
    notebook=single_value_notation(
        context=_decision_context,
        parse=lambda context, text: decisions.parse_decision(*context, text),
        format=lambda decision: decision.choice,
    ),
    choices=lambda context, decision: decisions.draft_choices(*context, decision),
    default=lambda context: decisions.default_decision(context[0].galleys, context[1]),
)
"""What must be decided in the middle of a round: a target, an aim, losses, oars (MB parts 6 and 7)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _FLEET_QUESTION,
    "vessels": _FLEET_QUESTION,
    "place": _PLACEMENT_QUESTION,
    "orders": _ORDERS_QUESTION,
    **dict.fromkeys(decisions.RULE_BY_KIND, _DECISION_QUESTION),
}
"""By `Request.kind`."""
