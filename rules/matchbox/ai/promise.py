"""How likely the shots that are ordered find somebody in range, by what enemies are likely to do."""

from __future__ import annotations

from typing import Final

from rules.core.finding import find_by_id
from rules.core.view import Text
from rules.matchbox.ai import bearing
from rules.matchbox.ai.bearing import InRangeChance
from rules.matchbox.engine.state import Answer, FleetOrders
from rules.matchbox.interface.view import TableView

_MAX_LINES: Final = 3
"""Shots of which this is said, the least likely first."""
_CERTAIN_CHANCE: Final = 0.99
"""Of a shot that is as likely as this nothing is said."""


def describe_odds(view: TableView, answer: Answer, _: str) -> tuple[Text, ...]:
    """The chance that somebody is in range of each shot; nothing of those that are certain."""
    if not isinstance(answer, FleetOrders):
        return ()
    found: list[tuple[InRangeChance, str, int]] = []
    for drawn in answer.lists:
        galley = find_by_id(view.galleys, drawn.galley)
        foes = [other for other in view.galleys if other.side != galley.side]
        shares = bearing.in_range_chances(galley, drawn.orders, foes, view.sea) if foes else {}
        found += [(share, galley.id, step) for step, share in shares.items() if share.chance < _CERTAIN_CHANCE]
    return tuple(_chance_line(*each) for each in sorted(found)[:_MAX_LINES])


def _chance_line(share: InRangeChance, galley: str, step: int) -> Text:
    key = "fire" if share.includes_rowing else "guess" if share.chance else "vain"
    return Text(f"promise.{key}", {"galley": galley, "step": step, "share": share.chance})
