"""What captains are asked: a fleet, its places, a turn's sheet, one squadron's orders, a choice during a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.choosing import Choice
from rules.errors import Scalar
from rules.notebook import one_piece
from rules.question import Question
from rules.squadrons.desk import samples
from rules.squadrons.desk.drafts import activations, alternate_choices, deployments, interrupts, rosters, sheets
from rules.squadrons.desk.drafts.answers import Activation, Sheet
from rules.squadrons.desk.drafts.deployments import DeploymentContext
from rules.squadrons.desk.drafts.sheets import OrderContext
from rules.squadrons.desk.panels import activation_panel, sheet_panel
from rules.squadrons.table.notation import doctrine_text
from rules.squadrons.table.sea.state import State


def _ships(context: OrderContext) -> Mapping[str, Scalar]:
    """Two ships of the captain's, and an enemy."""
    enemies = [ship.id for ship in context.position.ships if ship.afloat and ship.side != context.side]
    own = context.ids()
    return {
        "ship": own[0] if own else "B1",
        "other": own[-1] if own else "B2",
        "enemy": enemies[0] if enemies else "R1",
    }


def _place(context: DeploymentContext) -> Mapping[str, Scalar]:
    """A ship of the captain's, and her place."""
    name, place = deployments.answer(deployments.proposal(context)).places[0]
    return {"ship": name, "hex": place[:4], "facing": place[4:]}


_BUILDING: Final = Question(
    notebook=rosters.NOTEBOOK,
    choices=rosters.choices,
    samples=samples.rosters_for,
    default=lambda context: rosters.stock(context.points),
)
"""A fleet by points; by default the stock fleet (D-1)."""
_PLACING: Final = Question(
    notebook=deployments.NOTEBOOK,
    choices=deployments.choices,
    samples=samples.deployments_for,
    example=_place,
    default=lambda context: deployments.answer(deployments.proposal(context)),
)
"""Where a fleet begins; by default in line abreast (D-2, D-3)."""
_ORDERING: Final = Question(
    notebook=sheets.NOTEBOOK,
    choices=sheet_panel.choices,
    lines=sheet_panel.lines,
    samples=samples.sheets_for,
    warnings=sheet_panel.warnings,
    advice_without_warnings=sheet_panel.advice_without_warnings,
    example=_ships,
    default=lambda context: Sheet(absent=True) if context.may_hold else None,
    excused=lambda context: Sheet() if context.may_hold else None,
    claims=lambda line: line == sheets.CLAIM,
    stays_sealed=doctrine_text.is_doctrine,
)
"""The sealed sheet of a turn (SQ 9.2). The doctrines that it may hold (SQ 9.4) stay secret until the end."""
_ACTING: Final = Question(
    notebook=activations.NOTEBOOK,
    choices=activation_panel.choices,
    lines=activation_panel.lines,
    samples=samples.activations_for,
    warnings=activation_panel.warnings,
    advice_without_warnings=activation_panel.advice_without_warnings,
    example=lambda context: _ships(context.orders),
    default=lambda context: (
        Activation(squadron=context.offered[0].flagship, sheet=Sheet(absent=True)) if context.orders.may_hold else None
    ),
    excused=lambda context: (
        Activation(squadron=context.offered[0].flagship, sheet=Sheet()) if context.orders.may_hold else None
    ),
    stays_sealed=doctrine_text.is_doctrine,
)
"""One squadron's orders when it acts; by default it does nothing (D-7, D-9). It may hold doctrines, as a sheet may."""
_PACING: Final = Question(
    notebook=one_piece(
        context=alternate_choices.speed_context,
        parse=alternate_choices.read_speeds,
        format=lambda choice: choice.choice,
    ),
    choices=alternate_choices.speed_choices,
    samples=lambda context: (Choice("C"), Choice("M"), Choice(f"M; {context.ships[0]} C")),
    example=lambda context: {"ship": context.ships[0]},
    default=lambda context: Choice(context.by_doctrine),
)
"""How fast the ships of one squadron row; by default as the side's doctrine says, else at cruise (D-6)."""

QUESTIONS: Final[Mapping[str, Question[State, Any, Any, Any]]] = {
    "fleet": _BUILDING,
    "place": _PLACING,
    "orders": _ORDERING,
    "act": _ACTING,
    "pace": _PACING,
    "form": interrupts.QUESTION,
    **dict.fromkeys(interrupts.KINDS.values(), interrupts.QUESTION),
}
"""By `Request.kind`."""
