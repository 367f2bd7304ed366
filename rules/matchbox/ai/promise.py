"""The chances that ordered shots have a target in range, given likely enemy moves."""

from __future__ import annotations

from typing import Final

from rules.core.finding import find_by_id
from rules.core.view import Text
from rules.matchbox.ai import bearing
from rules.matchbox.ai.bearing import InRangeChance
from rules.matchbox.engine.state import Answer, FleetOrders
from rules.matchbox.interface.view import TableView

_MAX_LINES: Final = 3  # shots that are mentioned, the least likely first
_CERTAIN_CHANCE: Final = 0.99  # more certain shots are not mentioned


def describe_odds(view: TableView, answer: Answer, _: str) -> tuple[Text, ...]:
    """Return sentences with the chance of a target for each shot, except almost certain ones."""
    if not isinstance(answer, FleetOrders):
        return ()
    uncertain: list[tuple[InRangeChance, str, int]] = []
    for order_list in answer.lists:
        galley = find_by_id(view.galleys, order_list.galley)
        foes = [other for other in view.galleys if other.side != galley.side]
        chances_by_step = bearing.in_range_chances(galley, order_list.orders, foes, view.sea) if foes else {}
        uncertain += [
            (share, galley.id, step) for step, share in chances_by_step.items() if share.chance < _CERTAIN_CHANCE
        ]
    return tuple(_chance_line(*each) for each in sorted(uncertain)[:_MAX_LINES])


def _chance_line(share: InRangeChance, galley: str, step: int) -> Text:
    key = "fire" if share.includes_rowing else "guess" if share.chance else "vain"
    return Text(f"promise.{key}", {"galley": galley, "step": step, "share": share.chance})
