# mypy: implicit-reexport
"""The events of Biremes … Oh My! (RS part 10.4). Texts and pictures are made from these alone.

Events refer to ships by id and to players by name. Lengths are in inches, headings in whole degrees. `rule` and
`seen_by` are fields of every event, but cases include only the `rule` of `OrderSkipped`.
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
    CaptainConceded,
    CrewTransferred,
    DerelictManned,
    DoctrineChanged,
    FireshipLit,
    GameEnded,
    InitiativeRolled,
    LineIgnored,
    MarkerRemoved,
    OrderOfPlaySet,
    OrderSkipped,
    PlayerTurnBegan,
    ShipActivated,
    ShipDrifted,
    ShipMoved,
    ShipWithdrawn,
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

_COMMON_FIELDS: Final = {item.name for item in structs.fields(Event)}
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
    """Return an event as a case writes it: its type and exactly the fields of part 10.4."""
    data: dict[str, Any] = {"type": event.__struct_config__.tag}
    for item in structs.fields(event):
        if item.name in _COMMON_FIELDS and not (item.name == "rule" and isinstance(event, OrderSkipped)):
            continue
        if (type(event), item.name) in _HIDDEN_FIELDS:
            continue
        data[item.encode_name] = _to_plain(getattr(event, item.name))
    return data


def _to_plain(value: Any) -> Any:  # noqa: ANN401 - any field's value
    return [_to_plain(item) for item in value] if isinstance(value, tuple) else value
