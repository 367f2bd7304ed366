"""What captains are asked: set down galleys, give orders, decide in the middle of a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.matchbox.desk import decisions, deployments, fleets, game_flow, order_drafts, panel, samples
from rules.matchbox.desk.warnings import advice_without_warnings, warnings
from rules.matchbox.table.state import Question as Asked
from rules.matchbox.table.state import State
from rules.notebook import one_piece
from rules.protocol import Request
from rules.question import Question


def _asked(state: State, request: Request) -> tuple[State, Asked]:
    return state, game_flow.question_of(state, request)


_CHOOSING: Final = Question(
    notebook=fleets.NOTEBOOK,
    choices=fleets.choices,
    lines=fleets.lines,
    samples=fleets.samples,
    warnings=fleets.warnings,
    example=lambda context: {"vessel": context.builds[-1].text},
    default=fleets.default,
)
"""The fleet that a captain brings (MX-4.1)."""
_PLACING: Final = Question(
    notebook=deployments.NOTEBOOK,
    choices=deployments.choices,
    samples=deployments.samples,
    example=lambda context: {"piece": deployments.example(context)},
    default=deployments.proposal,
)
"""Where galleys are set down (MB part 2)."""
_ORDERING: Final = Question(
    notebook=order_drafts.NOTEBOOK,
    choices=panel.choices,
    samples=samples.fleet_orders,
    warnings=warnings,
    advice_without_warnings=advice_without_warnings,
    example=lambda context: {"galley": context.mine[0].id},
    default=order_drafts.hold,
)
"""The secret orders of a round (MB part 3)."""
_DECIDING: Final = Question(
    notebook=one_piece(
        context=_asked,
        parse=lambda context, text: decisions.parse(*context, text),
        format=lambda decision: decision.choice,
    ),
    choices=lambda context, decision: decisions.choices(*context, decision),
    default=lambda context: decisions.default(context[0].galleys, context[1]),
)
"""What must be decided in the middle of a round: a target, an aim, losses, oars (MB parts 6 and 7)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _CHOOSING,
    "vessels": _CHOOSING,
    "place": _PLACING,
    "orders": _ORDERING,
    **dict.fromkeys(decisions.RULES, _DECIDING),
}
"""By `Request.kind`."""
