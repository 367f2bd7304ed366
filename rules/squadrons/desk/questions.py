"""What captains are asked: a fleet, its places, a turn's sheet, one squadron's orders, a choice during a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.choosing import Choice
from rules.errors import Scalar
from rules.notebook import single_value_notation
from rules.question import Question
from rules.squadrons.desk import samples
from rules.squadrons.desk.drafts import activations, alternate_choices, deployments, interrupts, rosters, sheets
from rules.squadrons.desk.drafts.answers import ActivationOrder, OrderSheet
from rules.squadrons.desk.drafts.deployments import DeploymentContext
from rules.squadrons.desk.drafts.sheets import OrderContext
from rules.squadrons.desk.panels import activation_panel, sheet_panel
from rules.squadrons.table.notation import doctrine_text
from rules.squadrons.table.sea.state import State


def _example_ships(context: OrderContext) -> Mapping[str, Scalar]:
    """Two ships of the captain's, and an enemy."""
    enemies = [ship.id for ship in context.position.ships if ship.afloat and ship.side != context.side]
    own = context.ids()
    return {
        "ship": own[0] if own else "B1",
        "other": own[-1] if own else "B2",
        "enemy": enemies[0] if enemies else "R1",
    }


def _example_place(context: DeploymentContext) -> Mapping[str, Scalar]:
    """A ship of the captain's, and her place."""
    name, place = deployments.deployment_of_draft(deployments.propose_deployment(context)).places[0]
    return {"ship": name, "hex": place[:4], "facing": place[4:]}


_ROSTER_QUESTION: Final = Question(
    notebook=rosters.ROSTER_NOTATION,
    choices=rosters.draft_choices,
    samples=samples.sample_rosters,
    default=lambda context: rosters.stock_roster(context.points),
)
"""A fleet by points; by default the stock fleet (D-1)."""
_DEPLOYMENT_QUESTION: Final = Question(
    notebook=deployments.DEPLOYMENT_NOTATION,
    choices=deployments.draft_choices,
    samples=samples.sample_deployments,
    example=_example_place,
    default=lambda context: deployments.deployment_of_draft(deployments.propose_deployment(context)),
)
"""Where a fleet begins; by default in line abreast (D-2, D-3)."""
_SHEET_QUESTION: Final = Question(
    notebook=sheets.SHEET_NOTATION,
    choices=sheet_panel.draft_choices,
    lines=sheet_panel.draft_lines,
    samples=samples.sample_sheets,
    warnings=sheet_panel.draft_warnings,
    advice_without_warnings=sheet_panel.advice_without_warnings,
    example=_example_ships,
    default=lambda context: OrderSheet(absent=True) if context.may_hold else None,
    excused=lambda context: OrderSheet() if context.may_hold else None,
    claims=lambda line: line == sheets.CLAIM_WORD,
    stays_sealed=doctrine_text.is_doctrine_line,
)
"""The sealed sheet of a turn (SQ 9.2). The doctrines that it may hold (SQ 9.4) stay secret until the end."""
_ACTIVATION_QUESTION: Final = Question(
    notebook=activations.ACTIVATION_NOTATION,
    choices=activation_panel.draft_choices,
    lines=activation_panel.draft_lines,
    samples=samples.sample_activations,
    warnings=activation_panel.draft_warnings,
    advice_without_warnings=activation_panel.advice_without_warnings,
    example=lambda context: _example_ships(context.orders),
    default=lambda context: (
        ActivationOrder(squadron=context.offered[0].flagship, sheet=OrderSheet(absent=True))
        if context.orders.may_hold
        else None
    ),
    excused=lambda context: (
        ActivationOrder(squadron=context.offered[0].flagship, sheet=OrderSheet()) if context.orders.may_hold else None
    ),
    stays_sealed=doctrine_text.is_doctrine_line,
)
"""One squadron's orders when it acts; by default it does nothing (D-7, D-9). It may hold doctrines, as a sheet may."""
_SPEED_QUESTION: Final = Question(
    notebook=single_value_notation(
        context=alternate_choices.speed_context,
        parse=alternate_choices.parse_speeds,
        format=lambda choice: choice.choice,
    ),
    choices=alternate_choices.speed_choices,
    samples=lambda context: (Choice("C"), Choice("M"), Choice(f"M; {context.ships[0]} C")),
    example=lambda context: {"ship": context.ships[0]},
    default=lambda context: Choice(context.by_doctrine),
)
"""How fast the ships of one squadron row; by default as the side's doctrine says, else at cruise (D-6)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _ROSTER_QUESTION,
    "place": _DEPLOYMENT_QUESTION,
    "orders": _SHEET_QUESTION,
    "act": _ACTIVATION_QUESTION,
    "pace": _SPEED_QUESTION,
    "form": interrupts.DECISION_QUESTION,
    **dict.fromkeys(interrupts.KIND_BY_KEY.values(), interrupts.DECISION_QUESTION),
}
"""By `Request.kind`."""
