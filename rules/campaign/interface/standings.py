"""Sentences that say of what a captain's laurels are made (CA-13.1, CA-13.2)."""

from __future__ import annotations

from rules.campaign.engine.sea.naming import captain_names
from rules.campaign.engine.sea.state import LAURELS_PER_WORTH, Position
from rules.core.view import Param, Text


def standing_line(position: Position, captain: str) -> Text:
    """Return a line of its own about a captain, which begins with the captain's letter."""
    key = "note.standing.fame" if position.old_fame(captain) else "note.standing"
    return Text(key, {"letter": captain, **_laurels_params(position, captain)})


def laurels_texts(position: Position) -> tuple[Text, ...]:
    """Return a part of a sentence for each captain, the one with most laurels first."""
    order = sorted(position.captains, key=lambda captain: (-position.laurels_of(captain), captain))
    return tuple(
        Text("laurels.fame" if position.old_fame(captain) else "laurels", _laurels_params(position, captain))
        for captain in order
    )


def _laurels_params(position: Position, captain: str) -> dict[str, Param]:
    worth = position.ports_worth(captain)
    return {
        "captain": captain_names(captain),
        "laurels": position.laurels_of(captain),
        "ports": len(position.ports_of(captain)),
        "worth": worth,
        "port_laurels": LAURELS_PER_WORTH * worth,
        "trophies": position.trophies.get(captain, 0),
        "fame": position.old_fame(captain),
    }
