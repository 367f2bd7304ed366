"""The questions to captains: fleets, deployment, orders, and decisions in the middle of a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.protocol import Request
from rules.interface.drafts import single_value_notation
from rules.interface.question import Question
from rules.matchbox.engine.state import PendingDecision, State
from rules.matchbox.interface import decisions, deployments, fleets, game_flow, order_drafts, panel
from rules.matchbox.interface.warnings import advice_without_warnings, draft_warnings


def _decision_context(state: State, request: Request) -> tuple[State, PendingDecision]:
    return state, game_flow.decision_of(state, request)


_FLEET_QUESTION: Final = Question(  # MX-4.1
    notation=fleets.FLEET_NOTATION,
    draft_choices=fleets.draft_choices,
    draft_lines=fleets.draft_lines,
    draft_warnings=fleets.draft_warnings,
    example_values=lambda context: {"vessel": context.available_builds[-1].text},
    default_answer=fleets.default_fleet,
)
_PLACEMENT_QUESTION: Final = Question(  # MB-2
    notation=deployments.DEPLOYMENT_NOTATION,
    draft_choices=deployments.draft_choices,
    example_values=lambda context: {"piece": deployments.example_place(context)},
    default_answer=deployments.propose_placement,
)
_ORDERS_QUESTION: Final = Question(  # the secret orders of a round (MB-3)
    notation=order_drafts.ORDER_NOTATION,
    draft_choices=panel.draft_choices,
    draft_warnings=draft_warnings,
    advice_without_warnings=advice_without_warnings,
    example_values=order_drafts.example_values,
    default_answer=order_drafts.hold_orders,
)
_DECISION_QUESTION: Final = Question(  # target, aim, losses or oars (MB-6, MB-7)
    notation=single_value_notation(
        context=_decision_context,
        parse=lambda context, text: decisions.parse_decision(*context, text),
        format=lambda decision: decision.choice,
    ),
    draft_choices=lambda context, decision: decisions.draft_choices(*context, decision),
    example_values=lambda context: decisions.example_values(*context),
    default_answer=lambda context: decisions.default_decision(context[0].galleys, context[1]),
)

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _FLEET_QUESTION,
    "vessels": _FLEET_QUESTION,
    "place": _PLACEMENT_QUESTION,
    "orders": _ORDERS_QUESTION,
    **dict.fromkeys(decisions.RULE_BY_KIND, _DECISION_QUESTION),
}
