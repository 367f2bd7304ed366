# mypy: implicit-reexport
"""What can happen in Biremes … Oh My!, as RS part 10.4 has it. Chat tells it and pictures draw it from these alone.

Ships are named by id, players by name; lengths in inches, headings in whole degrees. `rule` (of all events) and
`seen_by` come from the house; of them cases show only the rule of `skipped`.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from rules.protocol import Event
from rules.ramspeed.table.events.fighting import (
    Defended,
    Fire,
    Grappled,
    Hooks,
    Left,
    Linked,
    Melee,
    Oars,
    Prize,
    Rammed,
    Separated,
    Shot,
    Spread,
    Sunk,
    Swiped,
)
from rules.ramspeed.table.events.movement import (
    Acts,
    Captured,
    Drifted,
    Ignited,
    Ignored,
    Moved,
    Recovered,
    Skipped,
    Transferred,
    Withdrawn,
)
from rules.ramspeed.table.events.phases import (
    DoctrineChanged,
    End,
    GaveUp,
    Initiative,
    PlayerTurn,
    Sequence,
    SidesDrawn,
    TurnBegan,
    TurnEnded,
)

Happening = (
    TurnBegan
    | Fire
    | Sunk
    | Initiative
    | Sequence
    | PlayerTurn
    | Drifted
    | Ignored
    | Skipped
    | Acts
    | Ignited
    | Moved
    | Withdrawn
    | Shot
    | Spread
    | Rammed
    | Swiped
    | Defended
    | Oars
    | Grappled
    | Hooks
    | Linked
    | Transferred
    | Captured
    | Recovered
    | Melee
    | Prize
    | Left
    | Separated
    | End
    | SidesDrawn
    | DoctrineChanged
    | TurnEnded
    | GaveUp
)
"""Every event of this game."""

_HOUSE: Final = {one.name for one in structs.fields(Event)}
_UNSHOWN: Final = {
    (Skipped, "why"),
    (Skipped, "instead"),
    (Shot, "lost"),
    (Shot, "caught"),
    (End, "seats"),
    (Sunk, "saved"),
    (Melee, "crews"),
    (Prize, "nation"),
    (Prize, "gave"),
}


def tell(event: Event) -> dict[str, Any]:
    """An event as a case shows it: its type and exactly the fields of part 10.4."""
    told: dict[str, Any] = {"type": event.__struct_config__.tag}
    for one in structs.fields(event):
        if one.name in _HOUSE and not (one.name == "rule" and isinstance(event, Skipped)):
            continue
        if (type(event), one.name) in _UNSHOWN:
            continue
        told[one.encode_name] = _plain(getattr(event, one.name))
    return told


def _plain(value: Any) -> Any:  # noqa: ANN401 - any field's value
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
