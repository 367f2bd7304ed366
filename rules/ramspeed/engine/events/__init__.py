# mypy: implicit-reexport
"""What can happen in Biremes … Oh My!, as RS part 10.4 has it. Chat tells it and pictures draw it from these alone.

Ships are named by id, players by name; lengths in inches, headings in whole degrees. `rule` (of all events) and
`seen_by` come from the house; of them cases show only the rule of `skipped`.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from rules.core.protocol import Event
from rules.ramspeed.engine.events.fighting import (
    DefenceTried,
    DerelictLeft,
    FireFought,
    FireSpreadChecked,
    HooksThrown,
    MeleeFought,
    OarsSwiped,
    ShipCaptured,
    ShipGrappled,
    ShipRammed,
    ShipsLinked,
    ShipsSeparated,
    ShipSunk,
    ShotFired,
    SwipeResolved,
)
from rules.ramspeed.engine.events.movement import (
    CrewTransferred,
    DerelictManned,
    FireshipLit,
    LineIgnored,
    MarkerRemoved,
    OrderSkipped,
    ShipActivated,
    ShipDrifted,
    ShipMoved,
    ShipWithdrawn,
)
from rules.ramspeed.engine.events.phases import (
    CaptainConceded,
    DoctrineChanged,
    GameEnded,
    InitiativeRolled,
    OrderOfPlaySet,
    PlayerTurnBegan,
    SidesDrawn,
    TurnBegan,
    TurnEnded,
)

GameEvent = (
    TurnBegan
    | FireFought
    | ShipSunk
    | InitiativeRolled
    | OrderOfPlaySet
    | PlayerTurnBegan
    | ShipDrifted
    | LineIgnored
    | OrderSkipped
    | ShipActivated
    | FireshipLit
    | ShipMoved
    | ShipWithdrawn
    | ShotFired
    | FireSpreadChecked
    | ShipRammed
    | OarsSwiped
    | DefenceTried
    | SwipeResolved
    | ShipGrappled
    | HooksThrown
    | ShipsLinked
    | CrewTransferred
    | DerelictManned
    | MarkerRemoved
    | MeleeFought
    | ShipCaptured
    | DerelictLeft
    | ShipsSeparated
    | GameEnded
    | SidesDrawn
    | DoctrineChanged
    | TurnEnded
    | CaptainConceded
)
"""Every event of this game."""

_COMMON_FIELDS: Final = {one.name for one in structs.fields(Event)}
_HIDDEN_FIELDS: Final = {
    (OrderSkipped, "why"),
    (OrderSkipped, "instead"),
    (ShotFired, "lost"),
    (ShotFired, "caught"),
    (GameEnded, "seats"),
    (ShipSunk, "saved"),
    (MeleeFought, "crews"),
    (ShipCaptured, "nation"),
    (ShipCaptured, "gave"),
}


def event_to_json(event: Event) -> dict[str, Any]:
    """An event as a case shows it: its type and exactly the fields of part 10.4."""
    told: dict[str, Any] = {"type": event.__struct_config__.tag}
    for one in structs.fields(event):
        if one.name in _COMMON_FIELDS and not (one.name == "rule" and isinstance(event, OrderSkipped)):
            continue
        if (type(event), one.name) in _HIDDEN_FIELDS:
            continue
        told[one.encode_name] = _to_plain(getattr(event, one.name))
    return told


def _to_plain(value: Any) -> Any:  # noqa: ANN401 - any field's value
    return [_to_plain(one) for one in value] if isinstance(value, tuple) else value
