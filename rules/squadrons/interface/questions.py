"""Questions to captains: roster, deployment, a turn's sheet, one squadron's orders, and decisions during a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rules.core.errors import Scalar
from rules.interface.drafts import single_value_notation
from rules.interface.question import Choice, Question
from rules.squadrons.engine.notation import doctrine_text
from rules.squadrons.engine.sea.state import Squadron, State
from rules.squadrons.interface.drafts import activations, alternate_choices, deployments, rosters, sheets
from rules.squadrons.interface.drafts.answers import ActivationOrder, OrderSheet
from rules.squadrons.interface.drafts.deployments import DeploymentContext
from rules.squadrons.interface.drafts.sheets import OrderContext
from rules.squadrons.interface.panels import activation_panel, sheet_panel


def _example_orders(context: OrderContext, squadrons: Sequence[Squadron]) -> Mapping[str, Scalar]:
    """Return the first squadron in which the captain has a ship, the ship, and an enemy."""
    enemies = [ship.id for ship in context.position.ships if ship.is_afloat and ship.side != context.side]
    own = [(squadron, ship) for squadron in squadrons for ship in squadron.ships if ship in context.own_ship_ids()]
    squadron, ship = own[0] if own else (None, "all")
    return {
        "ship": ship,
        "squadron": squadron.display_name if squadron and squadron.number else ship,
        "enemy": enemies[0] if enemies else "R1",
    }


def _example_place(context: DeploymentContext) -> Mapping[str, Scalar]:
    name, place = deployments.deployment_of_draft(deployments.propose_deployment(context)).places[0]
    return {"ship": name, "hex": place[:4], "facing": place[4:]}


_ROSTER_QUESTION: Final = Question(
    notation=rosters.ROSTER_NOTATION,
    draft_choices=rosters.draft_choices,
    example_values=lambda context: {"fleet": rosters.format_roster(rosters.stock_roster(context.points))},
    default_answer=lambda context: rosters.stock_roster(context.points),
)
"""Fleet bought with points; the stock fleet by default (SQ-23.1)."""
_DEPLOYMENT_QUESTION: Final = Question(
    notation=deployments.DEPLOYMENT_NOTATION,
    draft_choices=deployments.draft_choices,
    example_values=_example_place,
    default_answer=lambda context: deployments.deployment_of_draft(deployments.propose_deployment(context)),
)
"""Deployment; line abreast by default (SQ-23.4, SQ-23.5)."""
_SHEET_QUESTION: Final = Question(
    notation=sheets.SHEET_NOTATION,
    draft_choices=sheet_panel.draft_choices,
    draft_lines=sheet_panel.draft_lines,
    draft_warnings=sheet_panel.draft_warnings,
    advice_without_warnings=sheet_panel.advice_without_warnings,
    example_values=lambda context: _example_orders(context, context.squadrons_formed_by()),
    default_answer=lambda context: OrderSheet(is_stand_in=True) if context.stays_if_late else None,
    excused_default=lambda context: OrderSheet() if context.stays_if_late else None,
    is_claim=lambda line: line == sheets.CLAIM_WORD,
    is_line_kept_sealed=doctrine_text.is_doctrine_line,
)
"""Sealed sheet of a turn (SQ-24.1). Doctrines on it (SQ-24.3) stay secret until the end."""
_ACTIVATION_QUESTION: Final = Question(
    notation=activations.ACTIVATION_NOTATION,
    draft_choices=activation_panel.draft_choices,
    draft_lines=activation_panel.draft_lines,
    draft_warnings=activation_panel.draft_warnings,
    advice_without_warnings=activation_panel.advice_without_warnings,
    example_values=lambda context: _example_orders(context.order_context, context.squadrons),
    default_answer=lambda context: (
        ActivationOrder(squadron=context.squadrons[0].flagship, sheet=OrderSheet(is_stand_in=True))
        if context.order_context.stays_if_late
        else None
    ),
    excused_default=lambda context: (
        ActivationOrder(squadron=context.squadrons[0].flagship, sheet=OrderSheet())
        if context.order_context.stays_if_late
        else None
    ),
    is_line_kept_sealed=doctrine_text.is_doctrine_line,
)
"""Orders of one squadron when it acts; by default it does nothing (SQ-24.1). They may contain secret doctrines."""
_SPEED_QUESTION: Final = Question(
    notation=single_value_notation(
        context=alternate_choices.speed_context,
        parse=alternate_choices.parse_speeds,
        format=lambda choice: choice.choice,
    ),
    draft_choices=alternate_choices.speed_choices,
    example_values=lambda context: {"ship": context.ships[0]},
    default_answer=lambda context: Choice(context.doctrine_speed),
)
"""Speeds of one squadron; by default as the side's doctrine says, else cruise (SQ-07.1)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _ROSTER_QUESTION,
    "place": _DEPLOYMENT_QUESTION,
    "orders": _SHEET_QUESTION,
    "act": _ACTIVATION_QUESTION,
    "pace": _SPEED_QUESTION,
    "form": alternate_choices.DECISION_QUESTION,
    **dict.fromkeys(alternate_choices.KIND_BY_KEY.values(), alternate_choices.DECISION_QUESTION),
}
