"""What captains are asked: set down galleys, give orders, decide in the middle of a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.matchbox.desk import asking, course, deploy, offers, samples, sheets
from rules.matchbox.desk.heeding import heeded
from rules.matchbox.desk.warnings import warnings
from rules.matchbox.table.state import Question as Asked
from rules.matchbox.table.state import State
from rules.notebook import one_piece
from rules.protocol import Request
from rules.question import Question


def _asked(state: State, request: Request) -> tuple[State, Asked]:
    return state, course.question_of(state, request)


_PLACING: Final = Question(
    notebook=deploy.NOTEBOOK,
    choices=deploy.choices,
    samples=samples.placements,
    example=lambda quay: {"galley": quay.asked[0]},
    default=deploy.proposal,
)
"""Where galleys are set down (MB part 2)."""
_ORDERING: Final = Question(
    notebook=sheets.NOTEBOOK,
    choices=offers.choices,
    samples=samples.fleet_orders,
    warnings=warnings,
    advice_without_warnings=heeded,
    example=lambda desk: {"galley": desk.waters.mine[0].id},
    default=sheets.hold,
)
"""The secret orders of a round (MB part 3)."""
_DECIDING: Final = Question(
    notebook=one_piece(
        context=_asked,
        parse=lambda context, text: asking.parse(*context, text),
        format=lambda decision: decision.choice,
    ),
    choices=lambda context, decision: asking.choices(*context, decision),
    samples=lambda context: asking.samples(*context),
    default=lambda context: asking.default(*context),
)
"""What must be decided in the middle of a round: a target, an aim, losses, oars (MB parts 6 and 7)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "place": _PLACING,
    "orders": _ORDERING,
    **dict.fromkeys(asking.RULES, _DECIDING),
}
"""By `Request.kind`."""
